//! Every kind over ranks against one rank.

use super::{backend, elements, groups, on_ranks, Case, Joined, RANKS};
use mmafft::ranks::{Part, Spread};
use mmafft::{
    Complex, Direction, Domain, Kind, Normalization, Plan, Planner, Precision, Request, Shape,
    Step, KINDS,
};

/// Numbers in [-1, 1) by a seed.
fn numbers(count: usize, mut seed: u64) -> Vec<f64> {
    let mut next = || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// The lengths of a side, the batch first.
fn lengths(request: &Request, side: usize) -> Vec<usize> {
    let rank = request.shape.rank();
    let axes = request.axes.clone().unwrap_or((0..rank).collect());
    let request = request.clone().axes(&axes);
    let dims = request.shape.dims().iter().enumerate();
    let of = |(a, &n): (usize, &usize)| request.kind_of(a).map_or(n, |kind| kind.lengths(n)[side]);
    std::iter::once(request.batch).chain(dims.map(of)).collect()
}

/// Transforms scalars by something's `process`, whatever its sides are of.
macro_rules! run {
    ($t:ty, $fft:expr, $row:expr, $input:expr, $output:expr) => {{
        let (input, output): (&[$t], &mut [$t]) = ($input, $output);
        match ($row.input, $row.output) {
            (Domain::Real, Domain::Real) => $fft.process(input, output),
            (Domain::Real, Domain::Complex) => {
                let output: &mut [Complex<$t>] = bytemuck::cast_slice_mut(output);
                $fft.process(input, output)
            }
            (Domain::Complex, Domain::Real) => {
                let input: &[Complex<$t>] = bytemuck::cast_slice(input);
                $fft.process(input, output)
            }
            (Domain::Complex, Domain::Complex) => {
                let input: &[Complex<$t>] = bytemuck::cast_slice(input);
                let output: &mut [Complex<$t>] = bytemuck::cast_slice_mut(output);
                $fft.process(input, output)
            }
        }
    }};
}

/// The scalars of a part, of an array in rows.
fn part_of<T: Copy>(part: &Part, lengths: &[usize], scalars: usize, whole: &[T]) -> Vec<T> {
    let points = elements(part, lengths).into_iter();
    let of = |i: usize| whole[i * scalars..(i + 1) * scalars].iter().copied();
    points.flat_map(of).collect()
}

/// The lengths that a part's ranges count: of a scrambled line those of its two factors.
fn counted(part: &Part, lengths: Vec<usize>, factors: [usize; 2]) -> Vec<usize> {
    match part.ranges().len() + 1 == lengths.len() {
        true => lengths,
        false => vec![1, factors[0], factors[1]],
    }
}

/// What passes do, in order: axes, steps and scale. Two plans for which it is the same make the same bits, wherever points
/// lie. Axes are counted from the last one, as a stage may have the first as its batch.
fn passes<'a>(plans: impl Iterator<Item = &'a Plan>) -> Vec<(Vec<usize>, Vec<String>, f64)> {
    let of = |plan: &'a Plan| {
        let rank = plan.request.shape.rank();
        plan.passes.iter().map(move |pass| {
            let axes = pass.axes.iter().map(|axis| rank - axis.axis);
            let numbered = |step: &Step| {
                let number = |axis| format!("axis: {axis},");
                let step_axis = step.axis().map(number).unwrap_or_default();
                format!("{step:?}").replacen(&step_axis, "", 1)
            };
            let steps = pass.steps.iter().map(numbered).collect();
            (axes.collect(), steps, pass.math.scale)
        })
    };
    // What only copies changes no bit.
    let copies = |pass: &(Vec<usize>, Vec<String>, f64)| pass.1.is_empty() && pass.2 == 1.0;
    plans.flat_map(of).filter(|pass| !copies(pass)).collect()
}

/// Of all ranks: whether all bits are one rank's, and whether they have to be.
type Bits = [bool; 2];

/// A case on so many ranks beside one.
fn compare(case: &Case, name: &'static str, ranks: usize, joined: Joined) -> Result<Bits, String> {
    let request = &case.request;
    let row = request.kind.row();
    let scalars = [row.input.scalars(), row.output.scalars()];
    let lengths = [0, 1].map(|side| lengths(request, side));
    let points = [0, 1].map(|side| lengths[side].iter().product::<usize>());
    let whole = numbers(points[0] * scalars[0], 17);
    let planner = Planner::on(backend(name));
    let one = planner.build(request).map_err(|e| e.to_string())?;
    let bound = one.plan().error_bound;
    let alone = match request.precision {
        Precision::F64 => {
            let mut alone = vec![0f64; points[1] * scalars[1]];
            run!(f64, one, row, &whole, &mut alone).map_err(|e| e.to_string())?;
            alone
        }
        _ => {
            let single: Vec<f32> = whole.iter().map(|&x| x as f32).collect();
            let mut alone = vec![0f32; points[1] * scalars[1]];
            run!(f32, one, row, &single, &mut alone).map_err(|e| e.to_string())?;
            alone.iter().map(|&x| f64::from(x)).collect()
        }
    };
    let parts = on_ranks(groups(ranks, joined == Joined::Messages), |group| {
        let planner = Planner::on(joined.backend(name, group.rank()));
        let fft = case.build(&planner, &group).map_err(|e| e.to_string())?;
        let rank = group.rank();
        let plan = fft.plan();
        let (input, output) = (plan.input_part(rank), plan.output_part(rank));
        let factors = plan.line_factors();
        let of_input = counted(&input, lengths[0].clone(), factors);
        let of_output = counted(&output, lengths[1].clone(), [factors[1], factors[0]]);
        let own = part_of(&input, &of_input, scalars[0], &whole);
        let wanted = part_of(&output, &of_output, scalars[1], &alone);
        let mut got = Vec::new();
        // Twice: what a run leaves between stages is no input of the next.
        for _ in 0..2 {
            got = match request.precision {
                Precision::F64 => {
                    let mut got = vec![f64::NAN; wanted.len()];
                    run!(f64, fft, row, &own, &mut got).map_err(|e| e.to_string())?;
                    got
                }
                _ => {
                    let single: Vec<f32> = own.iter().map(|&x| x as f32).collect();
                    let mut got = vec![f32::NAN; wanted.len()];
                    run!(f32, fft, row, &single, &mut got).map_err(|e| e.to_string())?;
                    got.iter().map(|&x| f64::from(x)).collect()
                }
            };
        }
        let error: f64 = got.iter().zip(&wanted).map(|(a, b)| (a - b).powi(2)).sum();
        let same = got == wanted;
        let own = passes(fft.stage_plans().flatten());
        let agree = own.is_empty() || own == passes(std::iter::once(one.plan()));
        match same || !agree || factors != [1, 1] {
            true => Ok::<_, String>((same, error, agree && factors == [1, 1])),
            false => Err(format!(
                "other bits than one rank's by the same passes: {own:?}"
            )),
        }
    });
    let parts: Vec<(bool, f64, bool)> = parts.into_iter().collect::<Result<_, _>>()?;
    let norm: f64 = alone.iter().map(|x| x * x).sum::<f64>().sqrt();
    let error = parts.iter().map(|part| part.1).sum::<f64>().sqrt();
    match error <= 2.0 * bound * norm {
        true => Ok([
            parts.iter().all(|part| part.0),
            parts.iter().all(|part| part.2),
        ]),
        false => Err(format!("an error of {:.1e}", error / norm)),
    }
}

/// Every kind in two and three dimensions, of lengths that do not divide and of fewer than there are ranks.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for row in KINDS {
        let shapes = [Shape::d2(9, 10), Shape::d3(5, 6, 8)];
        for shape in shapes {
            cases.push(Case::new(Request::of_kind(row.kind, shape)));
        }
    }
    let inverse = |shape| Request::directed(Kind::C2C, Direction::Inverse, shape);
    let mixed = Request::of_kind(Kind::Dst3, Shape::d3(4, 5, 6)).kinds(&[
        Kind::Dct2,
        Kind::Dht,
        Kind::Dst3,
    ]);
    let r2c = Request::r2c(Shape::d3(6, 7, 8));
    let boxes = |ranks: usize| -> Vec<Vec<std::ops::Range<usize>>> {
        let of = |rank| {
            let at = |i: usize| (i * 8 / ranks).min(8);
            vec![0..6, 0..5, at(rank)..at(rank + 1)]
        };
        (0..ranks).map(of).collect()
    };
    cases.extend([
        Case::new(inverse(Shape::d3(6, 4, 8)).normalization(Normalization::Backward)),
        Case::new(Request::forward(Shape::d2(16, 16)).precision(Precision::F64)),
        Case::new(Request::forward(Shape::d3(2, 3, 16))),
        Case::new(Request::forward(Shape::d2(8, 12)).batch(3)),
        Case::new(Request::forward(Shape::d1(48)).batch(9)),
        Case::new(Request::forward(Shape::d3(6, 8, 10)).axes(&[0, 1])),
        Case::new(Request::forward(Shape::d3(6, 8, 10)).axes(&[0])).input(Spread::slab(0)),
        Case::new(Request::forward(Shape::d3(8, 6, 4)))
            .input(Spread::slab(0))
            .output(Spread::slab(0)),
        Case::new(Request::forward(Shape::d3(4, 6, 8))).input(Spread::slab(2)),
        Case::new(r2c.clone()).input(Spread::slab(2)),
        Case::new(r2c.clone())
            .input(Spread::slab(1))
            .output(Spread::slab(2)),
        Case::new(r2c.clone().inverse())
            .input(Spread::slab(2))
            .output(Spread::slab(1)),
        Case::new(r2c.inverse())
            .input(Spread::slab(0))
            .output(Spread::slab(0)),
        Case::new(mixed.clone()),
        Case::new(mixed.inverse().normalization(Normalization::Ortho)),
        Case::new(
            Request::of_kind(Kind::Dct2, Shape::d2(12, 9)).normalization(Normalization::Ortho),
        )
        .output(Spread::slab(0)),
    ]);
    for ranks in [2, 4] {
        let pencils = Request::forward(Shape::d3(4, 6, 8));
        cases.push(Case::new(pencils).input(Spread::grid(&[2, ranks / 2, 1])));
        let boxed = Case::new(Request::forward(Shape::d3(6, 5, 8)));
        cases.push(boxed.clone().input(Spread::boxes(&boxes(ranks))));
        cases.push(boxed.output(Spread::boxes(&boxes(ranks))));
    }
    cases
}

/// Single lines, with one, two and three exchanges.
fn lines() -> Vec<Case> {
    let mut cases = Vec::new();
    for length in [12, 240, 1024] {
        for request in [
            Request::forward(Shape::d1(length)),
            Request::directed(Kind::C2C, Direction::Inverse, Shape::d1(length)),
        ] {
            let case = Case::new(request);
            cases.extend([
                case.clone(),
                case.clone().input(Spread::scrambled()),
                case.clone().output(Spread::scrambled()),
                case.input(Spread::scrambled()).output(Spread::scrambled()),
            ]);
        }
    }
    cases
}

/// Whether a case can be spread over so many ranks.
fn fits(case: &Case, ranks: usize) -> bool {
    [&case.input, &case.output]
        .into_iter()
        .flatten()
        .all(|spread| spread.ranks().is_none_or(|own| own == ranks))
}

/// Runs all that fit; returns how many had all bits of one rank, of how many, and how many have passes as one rank's.
fn run(cases: &[Case], name: &'static str, ranks: usize, joined: Joined) -> [usize; 3] {
    let mut counted = [0; 3];
    for case in cases.iter().filter(|case| fits(case, ranks)) {
        let bits = compare(case, name, ranks, joined);
        let [same, agree] = bits.unwrap_or_else(|what| {
            panic!("{name}, {ranks} ranks, {joined:?}: {what}\n    {case:?}")
        });
        for (count, counts) in counted.iter_mut().zip([same, true, agree]) {
            *count += usize::from(counts);
        }
    }
    counted
}

fn every_kind(name: &'static str, joined: Joined) {
    for ranks in RANKS {
        let kinds = run(&cases(), name, ranks, joined);
        let lines = run(&lines(), name, ranks, joined);
        println!("{name}, {ranks} ranks, {joined:?}: the bits of one rank in {kinds:?}, of lines {lines:?}");
        // On one rank there is nothing between the passes.
        assert!(ranks > 1 || kinds[0] == kinds[1], "{kinds:?}");
        assert!(kinds[2] > 0, "no case has the passes of one rank");
    }
}

#[test]
fn every_kind_on_the_cpu() {
    every_kind("cpu", Joined::Memory);
}

#[test]
fn every_kind_on_the_emulated_nvidia() {
    every_kind("emulated-nvidia", Joined::Memory);
}

#[test]
fn every_kind_on_the_emulated_amd() {
    every_kind("emulated-amd", Joined::Memory);
}

/// As over several GPUs: each rank stores to the memory of others' devices, which is mapped for it.
#[test]
fn every_kind_over_emulated_nvidia_devices() {
    every_kind("emulated-nvidia", Joined::Devices(7));
}

/// More ranks than devices.
#[test]
fn every_kind_over_three_emulated_amd_devices() {
    every_kind("emulated-amd", Joined::Devices(3));
}

#[test]
fn every_kind_by_messages() {
    for ranks in RANKS {
        let counted = [cases(), lines()].map(|cases| run(&cases, "cpu", ranks, Joined::Messages));
        println!("messages, {ranks} ranks: the bits of one rank in {counted:?}");
    }
    run(&cases()[..6], "emulated-nvidia", 3, Joined::Messages);
}

/// Rows of which each device has a piece: of one pass, of several, of factors that pieces are no multiples of, of primes and
/// of half spectra.
#[test]
fn rows_cut_between_devices() {
    let forward = |rows, points| Request::forward(Shape::d2(rows, points));
    let requests = [
        forward(6, 1024),
        forward(5, 1009),
        forward(3, 16384).precision(Precision::F64),
        forward(4, 32768),
        forward(3, 19683),
        forward(2, 10007),
        Request::directed(Kind::C2C, Direction::Inverse, Shape::d2(4, 30000)),
        Request::r2c(Shape::d2(5, 4096)),
        Request::r2c(Shape::d2(2, 65536)),
        Request::forward(Shape::d3(3, 4, 2048)).axes(&[0, 2]),
        forward(6, 40).batch(3),
    ];
    let mut cases: Vec<Case> = requests.into_iter().map(Case::new).collect();
    // Rows that were cut otherwise before: what starts within a row does not lie in runs from there on.
    let columns = |n: usize| vec![vec![0..8, 0..n], vec![0..8, n..16]];
    cases.extend([
        Case::new(forward(8, 16).axes(&[0]))
            .input(Spread::boxes(&columns(10)))
            .output(Spread::slab(1)),
        Case::new(Request::c2r(Shape::d2(8, 16))).input(Spread::grid(&[2, 2])),
        Case::new(forward(8, 16).axes(&[0]))
            .input(Spread::grid(&[2, 2]))
            .output(Spread::slab(1)),
    ]);
    for (name, ranks) in [
        ("emulated-nvidia", 2),
        ("emulated-amd", 3),
        ("emulated-nvidia", 4),
    ] {
        run(&cases, name, ranks, Joined::Devices(ranks));
    }
}
