//! Real columns: long lines of reals in two passes.
//!
//! The four-step transform (Bailey, FFTs in External or Hierarchical Memory, 1989) of N = N1·N2 reals
//!
//! ```text
//! y[k1, n2] = exp(∓2πi·k1·n2/N) · Σ_n1 x[n1·N2 + n2]·exp(∓2πi·n1·k1/N1)       (columns)
//! X[k1 + N1·k2] = Σ_n2 y[k1, n2]·exp(∓2πi·n2·k2/N2)                           (rows)
//! ```
//!
//! has real columns, whose spectra are Hermitian: they are R2C transforms of N1 reals, and of the rows
//! only k1 ≤ N1/2 are computed, each storing its points' mirror images too. No pass needs points of
//! two lines at once. The other way round, for kinds that begin with a half spectrum: rows, then C2R columns.
//!
//! Type I continues its line evenly (oddly) to N = 2(n ∓ 1) reals. Column N2 − n2 then is column n2
//! reversed (and negated), so that y[k1, N2 − n2] is the conjugate of y[k1, n2] (negated: times −i it is
//! that of −i·y[k1, n2]). Only columns n2 ≤ N2/2 are computed, and rows are C2R transforms of N2/2 + 1 points.
//! That is half of the work of the continued line as N/2 complex points, and memory is read and written as
//! often as that of a complex line of as many bytes as the reals. (The reduction to n reals by sums over
//! them would be shorter, and lose digits as √n.)

use crate::planner::factors::factors_that_face;
use crate::planner::fits::Fits;
use crate::planner::problem::Problem;
use crate::planner::stage::{is_scattered, next_power_of_two, Place, Route, Stage};
use crate::planner::way::{Line, Method, Way};
use mmafft_backend_traits::real::{CoreLength, Middle};
use mmafft_backend_traits::{
    Direction, Domain, End, Engine, Factor, Images, Kind, LineForm, Loop, Map, Mirrored, RealLine,
    Result, Runs,
};

pub const WAY: Way = Way {
    name: "real columns",
    method: Method::Line { applies, stages },
};

fn applies(line: &Line) -> bool {
    line.is_whole() && order(line.stage.kind).is_some()
}

fn stages(line: &Line) -> Option<Result<Route>> {
    let (stage, fits) = (line.stage, line.fits);
    let (lengths, reason) = match &line.given {
        None => (lengths(stage, fits, fits.longest_scattered())?, None),
        Some(given) => {
            let [first, last] = given.factors[..] else {
                return None;
            };
            let longest = fits.longest_scattered_measured();
            let in_block = fits.line(first, longest) && fits.line(last, longest);
            let lengths = (!given.packed && in_block).then_some([first, last])?;
            (lengths, given.reason.clone())
        }
    };
    let mut route = by_lengths(stage, lengths, line.base, line.problem, fits)?;
    for stage in &mut route.stages {
        stage.split.clone_from(&reason);
    }
    Some(Ok(route))
}

/// What a line's two passes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Real columns, then complex rows that store what their mirror images are.
    Forward,
    /// Complex rows of a half spectrum, then columns that become real.
    Inverse,
    /// Real columns, then rows that become real, of a line that is its own mirror image, or that one's
    /// negative.
    Symmetric { odd: bool },
}

fn order(kind: Kind) -> Option<Order> {
    let row = kind.row();
    match (row.whole.length, row.packed.middle) {
        _ if row.output != Domain::Real => None,
        (CoreLength::TwiceLess, _) => Some(Order::Symmetric { odd: false }),
        (CoreLength::TwiceMore, _) => Some(Order::Symmetric { odd: true }),
        (CoreLength::Full, Middle::Split) => Some(Order::Forward),
        (CoreLength::Full, Middle::Merge) => Some(Order::Inverse),
        _ => None,
    }
}

/// The lengths of a line's two passes where real columns are the faster way without being asked for: on devices,
/// of butterflies, for type I and for kinds that begin with a half spectrum. Those that end with one store
/// rows and their mirror images beside each other either way, and were faster packed
/// ([`super::packed`]), but where rules of passes in turns say otherwise; so was C2R, but where it was
/// measured.
fn lengths(stage: &Stage, fits: &Fits, limit: usize) -> Option<[usize; 2]> {
    let order = order(stage.kind)?;
    let whole = stage.kind.shared_core_length(stage.length);
    let free = fits.by_kernels() && fits.engine == Engine::Simt;
    if !free || !stage.inner.is_empty() || is_scattered(stage) || !whole.is_multiple_of(4) {
        return None;
    }
    // Real columns, and rows of type I, are transforms of half their length.
    let (columns, rows) = match order {
        Order::Symmetric { .. } => (2, 2),
        Order::Inverse if stage.kind.is_real_to_real() => (2, 1),
        _ => return None,
    };
    let shared = whole / (columns * rows);
    let [first, last] = factors_that_face(stage.kind, shared, fits, limit)?[..] else {
        return None;
    };
    Some(match order {
        Order::Inverse => [last * rows, first * columns],
        _ => [first * columns, last * rows],
    })
}

/// The two stages of a line with columns and rows of these `lengths`, in the order of their passes, and the
/// scalars of scratch that they reach; `None` where there is no such way, or no butterflies.
fn by_lengths(
    stage: &Stage,
    lengths: [usize; 2],
    base: usize,
    p: &Problem,
    fits: &Fits,
) -> Option<Route> {
    let order = order(stage.kind).filter(|_| fits.engine == Engine::Simt)?;
    let whole = stage.kind.shared_core_length(stage.length);
    let [first, last] = lengths;
    if first.checked_mul(last) != Some(whole) {
        return None;
    }
    // N1 and N2.
    let (columns, rows) = match order {
        Order::Inverse => (last, first),
        _ => (first, last),
    };
    let halved = |n: usize| n.is_multiple_of(2).then_some(n / 2 + 1);
    let ks = halved(columns)?;
    let ns = match order {
        Order::Symmetric { .. } => halved(rows)?,
        _ => rows,
    };
    // Columns lie in whole runs.
    let scalar = p.storage().bytes();
    let run = fits.run()?;
    let points = ks.checked_mul(ns.next_multiple_of(run))?;
    let runs = Some(Runs {
        points: run,
        apart: 2 * run * ks,
    });
    let (middle, scratch) = Place::lines_in_scratch(p, stage.dim, points, base)?;
    // Packed, or continued, a line may take less.
    let limit = p.request.scratch_limit.unwrap_or(usize::MAX);
    if scratch > limit / scalar {
        return None;
    }
    let reals = RealLine {
        kind: stage.kind,
        length: stage.length,
        form: LineForm::Columns(columns),
    };
    let line = Some(reals);
    let (unit_in, unit_out) = (
        stage.load.strides[stage.dim],
        stage.store.strides[stage.dim],
    );
    let place = |of: &Place, stride: usize| {
        let mut place = of.clone();
        place.strides[stage.dim] = stride;
        place
    };
    let symmetric = matches!(order, Order::Symmetric { .. });
    // Conjugates, of which C2R makes what the DFT does of the rest: the result is real.
    let direction = match symmetric {
        true => Direction::Inverse,
        false => stage.direction,
    };
    let roots = Some(Factor::Roots {
        length: whole,
        line_loop: 0,
        direction,
        turned: order == Order::Symmetric { odd: true },
    });
    // Where a stage loads from, and stores to, the line in scratch: along k1, or along n2, which lies in runs.
    let along_k = || place(&middle, 2 * run);
    let along_n = || place(&middle, 2);
    let common = Stage {
        direction,
        ..stage.part()
    };
    let map = |stride, index, runs| Map {
        stride,
        index,
        runs,
    };
    // Together they grow as the line does.
    let growth = next_power_of_two(first);
    // Where columns' reals lie beside those of their mirror images.
    let facing = |end: End| {
        let (place, range) = match end {
            End::Load => (&stage.load, &stage.load_range),
            End::Store => (&stage.store, &stage.store_range),
        };
        let row = place.strides[stage.dim] == 1 && range.len() == stage.length;
        let even = columns.is_multiple_of(4) && rows.is_multiple_of(2);
        let pairs = reals.side(end).facing_pairs().is_some();
        let faces = pairs && columns / 2 <= fits.longest_line() / 2;
        let (points, images) = (whole, Images::Facing);
        (row && even && faces).then_some((end, Mirrored { points, images }))
    };
    let stages = match order {
        Order::Forward | Order::Symmetric { .. } => [
            Stage {
                kind: Kind::R2C,
                length: columns,
                load: place(&stage.load, unit_in * rows),
                load_index: rows,
                load_reals: line,
                mirrored: facing(End::Load),
                store: along_k(),
                store_range: 0..ks,
                inner: vec![Loop {
                    count: ns,
                    load: map(unit_in, 1, None),
                    store: map(2, 0, runs),
                }],
                store_factor: roots,
                growth,
                ..common.clone()
            },
            Stage {
                kind: if symmetric { Kind::C2R } else { Kind::C2C },
                length: rows,
                load: along_n(),
                load_runs: runs,
                load_range: 0..ns,
                store: place(&stage.store, unit_out * columns),
                store_index: columns,
                store_reals: line,
                inner: vec![Loop {
                    count: ks,
                    load: map(2 * run, 0, None),
                    store: map(unit_out, 1, None),
                }],
                growth: stage.growth / growth,
                ..common
            },
        ],
        Order::Inverse => [
            Stage {
                kind: Kind::C2C,
                length: rows,
                load: place(&stage.load, unit_in * columns),
                load_index: columns,
                load_reals: line.filter(|_| stage.load.domain == Domain::Real),
                hermitian: (stage.kind == Kind::C2R).then_some(stage.length),
                edges: stage.edges,
                store: along_n(),
                store_runs: runs,
                store_range: 0..ns,
                inner: vec![Loop {
                    count: ks,
                    load: map(unit_in, 1, None),
                    store: map(2 * run, 0, None),
                }],
                store_factor: roots,
                growth,
                ..common.clone()
            },
            Stage {
                kind: Kind::C2R,
                length: columns,
                load: along_k(),
                load_range: 0..ks,
                store: place(&stage.store, unit_out * rows),
                store_index: rows,
                store_reals: line,
                mirrored: facing(End::Store),
                inner: vec![Loop {
                    count: ns,
                    load: map(2, 0, runs),
                    store: map(unit_out, 1, None),
                }],
                growth: stage.growth / growth,
                ..common
            },
        ],
    };
    Some(Route {
        stages: stages.into(),
        scratch_scalars: scratch,
    })
}
