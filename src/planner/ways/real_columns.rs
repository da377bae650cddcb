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

/// A line as columns and rows.
struct Rectangle<'a> {
    stage: &'a Stage,
    fits: &'a Fits<'a>,
    order: Order,
    /// Points of the DFT that the passes share: N.
    whole: usize,
    /// N1 and N2: of a column, of a row.
    columns: usize,
    rows: usize,
    /// Of these the points that half spectra have.
    ks: usize,
    ns: usize,
    /// Points of a run of scratch, in which columns lie.
    run: usize,
    middle: Place,
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
    let run = fits.run()?;
    let points = ks.checked_mul(ns.next_multiple_of(run))?;
    let (middle, scratch) = Place::lines_in_scratch(p, stage.dim, points, base)?;
    // Packed, or continued, a line may take less.
    let limit = p.request.scratch_limit.unwrap_or(usize::MAX);
    if scratch > limit / p.storage().bytes() {
        return None;
    }
    let line = Rectangle {
        stage,
        fits,
        order,
        whole,
        columns,
        rows,
        ks,
        ns,
        run,
        middle,
    };
    let mut stages = match order {
        Order::Inverse => line.rows_first(),
        _ => line.columns_first(),
    };
    // Together they grow as the line does.
    let growth = next_power_of_two(first);
    (stages[0].growth, stages[1].growth) = (growth, stage.growth / growth);
    Some(Route {
        stages: stages.into(),
        scratch_scalars: scratch,
    })
}

impl Rectangle<'_> {
    /// Real columns of every `rows`-th real, then rows of the points of one frequency.
    fn columns_first(&self) -> [Stage; 2] {
        let (stage, common) = (self.stage, self.common());
        let [unit_in, unit_out] = self.units();
        let symmetric = matches!(self.order, Order::Symmetric { .. });
        [
            Stage {
                kind: Kind::R2C,
                length: self.columns,
                load: self.along(&stage.load, unit_in * self.rows),
                load_index: self.rows,
                load_reals: Some(self.reals()),
                mirrored: self.facing(End::Load),
                store: self.along_columns(),
                store_range: 0..self.ks,
                inner: vec![Loop {
                    count: self.ns,
                    load: map(unit_in, 1, None),
                    store: map(2, 0, self.runs()),
                }],
                store_factor: self.roots(),
                ..common.clone()
            },
            Stage {
                kind: if symmetric { Kind::C2R } else { Kind::C2C },
                length: self.rows,
                load: self.along_rows(),
                load_runs: self.runs(),
                load_range: 0..self.ns,
                store: self.along(&stage.store, unit_out * self.columns),
                store_index: self.columns,
                store_reals: Some(self.reals()),
                inner: vec![Loop {
                    count: self.ks,
                    load: map(2 * self.run, 0, None),
                    store: map(unit_out, 1, None),
                }],
                ..common
            },
        ]
    }

    /// Rows of every `columns`-th point of a half spectrum, then columns that become real.
    fn rows_first(&self) -> [Stage; 2] {
        let (stage, common) = (self.stage, self.common());
        let [unit_in, unit_out] = self.units();
        let reals = stage.load.domain == Domain::Real;
        [
            Stage {
                kind: Kind::C2C,
                length: self.rows,
                load: self.along(&stage.load, unit_in * self.columns),
                load_index: self.columns,
                load_reals: reals.then(|| self.reals()),
                hermitian: (stage.kind == Kind::C2R).then_some(stage.length),
                edges: stage.edges,
                store: self.along_rows(),
                store_runs: self.runs(),
                store_range: 0..self.ns,
                inner: vec![Loop {
                    count: self.ks,
                    load: map(unit_in, 1, None),
                    store: map(2 * self.run, 0, None),
                }],
                store_factor: self.roots(),
                ..common.clone()
            },
            Stage {
                kind: Kind::C2R,
                length: self.columns,
                load: self.along_columns(),
                load_range: 0..self.ks,
                store: self.along(&stage.store, unit_out * self.rows),
                store_index: self.rows,
                store_reals: Some(self.reals()),
                mirrored: self.facing(End::Store),
                inner: vec![Loop {
                    count: self.ns,
                    load: map(2, 0, self.runs()),
                    store: map(unit_out, 1, None),
                }],
                ..common
            },
        ]
    }

    /// What the stages have alike.
    fn common(&self) -> Stage {
        Stage {
            direction: self.direction(),
            ..self.stage.part()
        }
    }

    /// Conjugates, of which C2R makes what the DFT does of the rest, where the result is real.
    fn direction(&self) -> Direction {
        match self.order {
            Order::Symmetric { .. } => Direction::Inverse,
            _ => self.stage.direction,
        }
    }

    fn roots(&self) -> Option<Factor> {
        Some(Factor::Roots {
            length: self.whole,
            line_loop: 0,
            direction: self.direction(),
            turned: self.order == Order::Symmetric { odd: true },
            first: 0,
        })
    }

    fn reals(&self) -> RealLine {
        RealLine {
            kind: self.stage.kind,
            length: self.stage.length,
            form: LineForm::Columns(self.columns),
        }
    }

    /// Columns lie in whole runs.
    fn runs(&self) -> Option<Runs> {
        Some(Runs {
            points: self.run,
            apart: 2 * self.run * self.ks,
        })
    }

    /// From a line's point to the next, where it is loaded and stored.
    fn units(&self) -> [usize; 2] {
        [&self.stage.load, &self.stage.store].map(|place| place.strides[self.stage.dim])
    }

    fn along(&self, of: &Place, stride: usize) -> Place {
        let mut place = of.clone();
        place.strides[self.stage.dim] = stride;
        place
    }

    /// Where a stage meets the line in scratch along a column's frequencies.
    fn along_columns(&self) -> Place {
        self.along(&self.middle, 2 * self.run)
    }

    /// The same along rows, which lie in runs.
    fn along_rows(&self) -> Place {
        self.along(&self.middle, 2)
    }

    /// Where columns' reals lie beside those of their mirror images.
    fn facing(&self, end: End) -> Option<(End, Mirrored)> {
        let stage = self.stage;
        let (place, range) = match end {
            End::Load => (&stage.load, &stage.load_range),
            End::Store => (&stage.store, &stage.store_range),
        };
        let row = place.strides[stage.dim] == 1 && range.len() == stage.length;
        let even = self.columns.is_multiple_of(4) && self.rows.is_multiple_of(2);
        let pairs = self.reals().side(end).facing_pairs().is_some();
        let faces = pairs && self.columns / 2 <= self.fits.longest_line() / 2;
        let (points, images) = (self.whole, Images::Facing);
        (row && even && faces).then_some((end, Mirrored { points, images }))
    }
}

fn map(stride: usize, index: usize, runs: Option<Runs>) -> Map {
    Map {
        stride,
        index,
        runs,
    }
}
