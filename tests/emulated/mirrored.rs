//! Long real lines packed to half their length, over passes of lines in mirrored pairs, or by real columns:
//! right in every kind, precision, layout and order of threads, with no more traffic than that.

use crate::accesses::{launches, traffic};
use crate::probe::{Probe, Vendor, ORDERS};
use crate::words::{constant, head, step};
use mmafft::backend_traits::{real::Middle, End, Images, LineForm, Mirrored, RealLine};
use mmafft::{
    Backend, Direction, Domain, Engine, Error, Kind, Layout, Normalization, Plan, Precision,
    Request, Shape, Step, KINDS,
};
use mmafft_testing::by_products;

/// Tiles that the lines below are too long for.
const TILE: Option<usize> = Some(4 << 10);

/// The kinds that merge or split half spectra of N/2 + 1 points.
fn kinds() -> Vec<Kind> {
    let halved = |row: &&mmafft::backend_traits::KindRow| {
        row.packed.middle != Middle::Plain && !matches!(row.kind, Kind::Dct1 | Kind::Dst1)
    };
    KINDS.iter().filter(halved).map(|row| row.kind).collect()
}

/// Whether a long line has half of the points: packed, or by real columns.
fn is_halved(plan: &Plan) -> bool {
    plan.passes.iter().any(|pass| pass.mirrored().is_some()) || has_columns(plan)
}

fn has_columns(plan: &Plan) -> bool {
    let columns = |line: &RealLine| matches!(line.form, LineForm::Columns(_));
    let lines = |pass: &mmafft::Pass| [pass.load.reals, pass.store.reals];
    plan.passes
        .iter()
        .flat_map(lines)
        .flatten()
        .any(|line| columns(&line))
}

fn of(kind: Kind, shape: Shape) -> Request {
    let direction = kind.row().direction.unwrap_or(Direction::Forward);
    Request::directed(kind, direction, shape)
}

fn requests() -> Vec<Request> {
    let mut all = Vec::new();
    for kind in kinds() {
        let line = |n| of(kind, Shape::d1(n));
        // Two passes, three of them; powers of two, other factors, the end of a batch.
        all.push(line(2048));
        all.push(line(4000).batch(3).in_place());
        all.push(line(1 << 15));
        all.push(line(3 << 12).precision(Precision::F64));
        all.push(line(1840).batch(5).precision(Precision::F16));
        all.push(line(2048).precision(Precision::Bf16).engine(Engine::Simt));
        for precision in [Precision::SplitF16, Precision::F64, Precision::F16] {
            let matrix = line(1 << 13).precision(precision).engine(Engine::Matrix);
            all.push(matrix);
        }
        all.push(line(2048).normalization(Normalization::Ortho));
        // Points of other lines between a line's own, and beside them.
        all.push(of(kind, Shape::d2(2048, 5)).axes(&[0]));
        all.push(of(kind, Shape::d2(3, 2048)).axes(&[1]).batch(2));
        let [input, output] = kind.lengths(2048);
        let innermost = |n: usize| Layout::strided(&[3]).distance(3 * n + 1).offset(1);
        let strided = line(2048).batch(2).input_layout(innermost(input));
        all.push(strided.output_layout(innermost(output)));
        let beside = || Layout::strided(&[6]).distance(1);
        all.push(
            line(2048)
                .batch(6)
                .input_layout(beside())
                .output_layout(beside()),
        );
        // Parts.
        for part in [0..1, 3..input / 2, input - 1..input] {
            all.push(line(2048).batch(2).nonzero_input(0, part));
        }
        for part in [0..9, output / 2 - 3..output - 1, output - 9..output] {
            all.push(line(2048).batch(2).wanted_output(0, part));
        }
        // Another axis, longer than a tile too.
        if kind == Kind::R2C || kind == Kind::C2R {
            all.push(of(kind, Shape::d2(6, 2048)));
            all.push(of(kind, Shape::d2(6, 2048)).in_place());
            all.push(of(kind, Shape::d2(2048, 6)).axes(&[1, 0]));
            all.push(of(kind, Shape::d3(3, 4, 2048)).precision(Precision::F16));
        } else {
            all.push(of(kind, Shape::d2(40, 2048)).batch(2));
        }
    }
    all
}

#[test]
fn long_real_lines_have_half_of_the_points() {
    let mut wrong = Vec::new();
    for vendor in Vendor::ALL {
        for (i, request) in requests().into_iter().enumerate() {
            for order in ORDERS {
                let probe = || Probe::new(vendor, order).tile_bytes(TILE).blocks(Some(7));
                let plan = match mmafft::plan(&request, probe().backend().limits()) {
                    Err(Error::Unsupported { .. }) => continue,
                    plan => plan.expect("a plan"),
                };
                assert!(is_halved(&plan), "{i}: {request:?}\n{}", plan.explain());
                let what = traffic(probe(), &request);
                wrong.extend(
                    what.into_iter()
                        .map(|what| format!("{vendor:?} {i}: {what}")),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Half spectra of packed lines are merged and split in registers where the step beside them has two columns
/// of a thread, and between steps elsewhere: of a radix too large, or of one that leaves an odd number of
/// columns, as the lines that mirror themselves have each beside its image.
#[test]
fn half_spectra_meet_in_registers_where_two_columns_fit() {
    let (mut wrong, mut seen) = (Vec::new(), [0; 2]);
    for vendor in Vendor::ALL {
        for kind in kinds() {
            for (n, radices, precision) in [
                (1 << 13, &[16, 2][..], Precision::F32),
                (1 << 13, &[8, 2], Precision::F32),
                (1 << 13, &[32, 2], Precision::F32),
                (1 << 14, &[16, 2], Precision::F64),
                (1 << 14, &[8, 2], Precision::F64),
                (2 * 90 * 90, &[15, 6, 2], Precision::F32),
                (2 * 100 * 100, &[10, 2], Precision::F32),
            ] {
                // Of FP64 two columns of 16 points take too many registers.
                let most = if precision == Precision::F64 { 8 } else { 16 };
                let request = of(kind, Shape::d1(n)).batch(2).radices(radices);
                let request = request.precision(precision);
                let probe = || Probe::new(vendor, ORDERS[1]).tile_bytes(TILE);
                let (plan, records) = launches(probe(), &request).expect("a plan");
                for (pass, record) in plan.passes.iter().zip(&records) {
                    let parts = |(_, m): &(End, Mirrored)| m.images == Images::Parts;
                    let Some((end, _)) = pass.mirrored().filter(parts) else {
                        continue;
                    };
                    let radices: Vec<usize> = pass.steps.iter().filter_map(Step::radix).collect();
                    let last = head(&record.program, "steps") as usize - 1;
                    let (radix, at, faces, alone) = match end {
                        End::Load => (radices[0], 0, "FACING_MERGE", "OP_MERGE"),
                        End::Store => {
                            (radices[radices.len() - 1], last, "FACING_SPLIT", "OP_SPLIT")
                        }
                    };
                    let meet = radix <= most && (pass.axes[0].length / radix).is_multiple_of(2);
                    seen[usize::from(meet)] += 1;
                    let facing = step(&record.program, at, "facing") == constant(faces);
                    let exchanged = step(&record.program, at, "op") == constant(alone);
                    if facing == exchanged || facing != meet {
                        wrong.push(format!("{vendor:?} {n} {facing}:\n{}", plan.explain()));
                    }
                }
                wrong.extend(traffic(probe(), &request));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(seen.iter().all(|&n| n > 10), "{seen:?}");
}

/// Half spectra of several axes, whose rows mirror each other: planes and volumes that no tile holds.
fn of_several_axes(kind: Kind) -> Vec<Request> {
    let mut all = Vec::new();
    let array = |shape: Shape| of(kind, shape);
    for shape in [
        Shape::d2(16, 64),
        Shape::d2(50, 20),
        Shape::d2(12, 44),
        Shape::d3(4, 32, 24),
        Shape::d3(2, 16, 40),
        Shape::d3(6, 20, 28),
    ] {
        all.push(array(shape.clone()).batch(3));
        all.push(array(shape.clone()).precision(Precision::F64));
        all.push(array(shape.clone()).normalization(Normalization::Ortho));
        for precision in [Precision::F16, Precision::SplitF16, Precision::Bf16] {
            all.push(by_products(
                array(shape.clone()).precision(precision).batch(2),
            ));
        }
        let matrix = array(shape).precision(Precision::F64);
        all.push(matrix.engine(Engine::Matrix));
    }
    // Axes between, around and inside of those that are transformed.
    all.push(array(Shape::d3(16, 3, 64)).axes(&[0, 2]));
    all.push(array(Shape::d3(5, 16, 64)).axes(&[1, 2]));
    all.push(array(Shape::d3(16, 64, 3)).axes(&[0, 1]));
    all.push(array(Shape::d2(64, 16)).axes(&[1, 0]));
    // Rows apart from each other, and points.
    let [input, output] = kind.lengths(64);
    let loose = |n: usize| {
        Layout::strided(&[2 * n + 3, 2])
            .distance(16 * (2 * n + 3) + 1)
            .offset(2)
    };
    let strided = array(Shape::d2(16, 64)).batch(2).input_layout(loose(input));
    all.push(strided.output_layout(loose(output)));
    all
}

#[test]
fn rows_of_half_spectra_mirror_each_other() {
    let mut wrong = Vec::new();
    for vendor in Vendor::ALL {
        for kind in [Kind::R2C, Kind::C2R] {
            for (i, request) in of_several_axes(kind).into_iter().enumerate() {
                for order in ORDERS {
                    let probe = || Probe::new(vendor, order).tile_bytes(TILE).blocks(Some(7));
                    let plan = match mmafft::plan(&request, probe().backend().limits()) {
                        Err(Error::Unsupported { .. }) => continue,
                        plan => plan.expect("a plan"),
                    };
                    let rows = |pass: &mmafft::Pass| {
                        pass.mirrored()
                            .is_some_and(|(_, m)| matches!(m.images, Images::Rows(_)))
                    };
                    assert!(
                        plan.passes.iter().any(rows),
                        "{i}: {request:?}\n{}",
                        plan.explain()
                    );
                    assert!(plan.scratch_bytes > 0 || kind == Kind::C2R);
                    let what = traffic(probe(), &request);
                    wrong.extend(
                        what.into_iter()
                            .map(|what| format!("{vendor:?} {i}: {what}")),
                    );
                    // Without scratch there is another way.
                    let limited = request.clone().scratch_limit(0);
                    if let (0, Ok(plan)) = (i, mmafft::plan(&limited, probe().backend().limits())) {
                        assert!(kind == Kind::C2R || !plan.passes.iter().any(rows));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Types II to IV over passes: points and their mirror images in threads of their own, which load or
/// store the reals that they share.
#[test]
fn lines_face_each_other() {
    let mut wrong = Vec::new();
    let mut faced = 0;
    let kinds = [
        Kind::Dct2,
        Kind::Dct3,
        Kind::Dct4,
        Kind::Dst2,
        Kind::Dst3,
        Kind::Dst4,
    ];
    for vendor in Vendor::ALL {
        for kind in kinds {
            for (i, n) in [2048, 2000, 1440, 1 << 13, 3600, 20736]
                .into_iter()
                .enumerate()
            {
                let line = |precision| of(kind, Shape::d1(n)).precision(precision);
                let mut requests = vec![
                    line(Precision::F32).batch(3),
                    line(Precision::F64).normalization(Normalization::Ortho),
                    line(Precision::F16),
                    of(kind, Shape::d2(5, n)).axes(&[1]),
                    // Reals apart, no multiple of what an access moves, and a part of them.
                    line(Precision::F32)
                        .batch(2)
                        .input_layout(Layout::strided(&[1]).distance(n + 2)),
                    line(Precision::F32)
                        .batch(2)
                        .output_layout(Layout::strided(&[1]).distance(n + 1).offset(1)),
                    line(Precision::F32).wanted_output(0, 3..n - 1),
                ];
                requests.push(of(kind, Shape::d2(n, 4)).axes(&[0]));
                for request in requests {
                    let probe = || {
                        let probe = Probe::new(vendor, ORDERS[i % 3]);
                        probe.tile_bytes(TILE).blocks(Some(7))
                    };
                    let plan = mmafft::plan(&request, probe().backend().limits());
                    let facing = |pass: &mmafft::Pass| {
                        let images = pass.mirrored().map(|(_, mirrored)| mirrored.images);
                        images == Some(Images::Facing)
                    };
                    faced += usize::from(plan.expect("a plan").passes.iter().any(facing));
                    let what = traffic(probe(), &request);
                    wrong.extend(
                        what.into_iter()
                            .map(|what| format!("{vendor:?} {n}: {what}")),
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(faced > 250, "{faced} plans have lines that face each other");
}

/// Each of two passes reads and writes N reals, or a half spectrum's N + 2; by real columns, a row more, and
/// again the reals of the two rows that are their own mirror images.
#[test]
fn every_pass_moves_half_of_a_complex_line() {
    for kind in kinds() {
        let n = 1 << 12;
        let probe = Probe::new(Vendor::Nvidia, ORDERS[0]).tile_bytes(TILE);
        let (plan, records) = launches(probe, &of(kind, Shape::d1(n))).expect("butterflies");
        let side = |domain| 4 * if domain == Domain::Real { n } else { n + 2 };
        let row = kind.row();
        let scratch = 4 * n * (plan.passes.len() - 1);
        let read: u64 = records.iter().map(|r| r.counters.bytes_read).sum();
        let written: u64 = records.iter().map(|r| r.counters.bytes_written).sum();
        for (moved, least) in [
            (read as usize, side(row.input) + scratch),
            (written as usize, side(row.output) + scratch),
            (plan.scratch_bytes, 4 * n),
        ] {
            let most = least + if has_columns(&plan) { least / 16 } else { 0 };
            assert!(
                (least..=most).contains(&moved),
                "{kind:?}: {moved} of {least}"
            );
        }
    }
}

/// With the tiles and rules that devices have, of lines that no cluster holds.
#[test]
fn lines_too_long_for_a_real_device() {
    for (v, vendor) in Vendor::ALL.into_iter().enumerate() {
        for (i, kind) in kinds().into_iter().enumerate() {
            for (j, row) in mmafft::PRECISIONS.iter().enumerate() {
                // A product that the device lacks is no plan.
                let request = of(kind, Shape::d1(1 << 18)).precision(row.precision);
                let probe = Probe::new(vendor, ORDERS[(v + i + j) % 3]);
                let plan = match mmafft::plan(&request, probe.backend().limits()) {
                    Err(Error::Unsupported { .. }) => continue,
                    plan => plan.expect("a plan"),
                };
                assert!(is_halved(&plan), "{}", plan.explain());
                let wrong = traffic(Probe::new(vendor, ORDERS[(v + i + j) % 3]), &request);
                assert!(wrong.is_empty(), "{vendor:?}: {wrong:?}");
            }
        }
    }
}

/// The last tile in part, where the parts of a line are its outermost loop: pairs beyond the last are
/// parts that there are not, and have no roots.
#[test]
fn pairs_beyond_the_last_look_nothing_up() {
    let mut split = 0;
    for (v, vendor) in Vendor::ALL.into_iter().enumerate() {
        for kind in kinds() {
            for n in [3840, 15360] {
                let beside = || Layout::strided(&[4]).distance(1);
                let request = of(kind, Shape::d1(n)).batch(4).precision(Precision::F64);
                let request = request.input_layout(beside()).output_layout(beside());
                let probe = || Probe::new(vendor, ORDERS[v]);
                let plan = mmafft::plan(&request, probe().backend().limits()).expect("a plan");
                let part = |pass: &mmafft::Pass| {
                    let lines: usize = pass.loops.iter().map(|l| l.count).product();
                    pass.mirrored().is_some() && !lines.is_multiple_of(pass.tile.lines)
                };
                split += usize::from(plan.passes.iter().any(part));
                let wrong = traffic(probe(), &request);
                assert!(wrong.is_empty(), "{vendor:?}: {wrong:?}");
            }
        }
    }
    assert!(split > 0, "no tile in part");
}
