//! A single line over ranks: the four-step transform, its columns and its rows with different ranks (Bailey 1989).
//!
//! ```text
//! x[n1·N2 + n2]  --DFT over n1, times exp(∓2πi·k1·n2/N)-->  y[k1, n2]     (columns, shared by n2)
//! y[k1, n2]      --DFT over n2-->                           X[k2·N1 + k1] (rows, shared by k1)
//! ```
//! One exchange lies between columns and rows. A line that comes in order is shared by n1, and one that leaves in order
//! by k2: each costs one exchange more, which [`Spread::scrambled`] spares.

use super::part::Part;
use super::place::{Place, Stage};
use super::spread::{grid, Spread};
use mmafft_backend_traits::{
    Direction, Domain, Error, Factor, Kind, Loop, Plan, Request, Result, Shape, Step,
};

/// The factors of a line: N1 of the columns' points, N2 of the rows'.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    pub factors: [usize; 2],
    scrambled: [bool; 2],
}

/// The line of a request that is one; `None` of what has other dimensions to share.
///
/// # Errors
/// `Unsupported` of a real line, and of one without factors; `Spread` of spreads that are not a line's.
pub(crate) fn of(request: &Request, spreads: [Option<&Spread>; 2]) -> Result<Option<Line>> {
    let scrambled = spreads.map(|spread| spread.is_some_and(Spread::is_scrambled));
    if request.shape.rank() != 1 || request.batch != 1 {
        return Ok(None);
    }
    let length = request.shape.dims()[0];
    let refuse = |what: String, instead: &str| {
        Err(Error::Unsupported {
            what,
            backend: "ranks".into(),
            instead: instead.into(),
        })
    };
    if request.kind != Kind::C2C {
        return refuse(
            format!("a single {} line over ranks", request.kind.row().name),
            "transform it as complex numbers, or a batch of lines",
        );
    }
    let smaller = (1..=length).take_while(|n| n * n <= length);
    let smaller = smaller.filter(|n| length.is_multiple_of(*n)).max();
    let smaller = smaller.unwrap_or(1);
    if smaller == 1 && length > 1 {
        return refuse(
            format!("a single line of {length} points, a prime, over ranks"),
            "choose a length with two factors, or transform it on one device",
        );
    }
    // What undoes a transform takes its factors the other way round, so that scrambled orders meet.
    let factors = match request.direction() {
        Direction::Forward => [smaller, length / smaller],
        Direction::Inverse => [length / smaller, smaller],
    };
    let slab = Spread::slab(0);
    let line = |spread: Option<&Spread>| {
        spread.is_none_or(|spread| spread.is_scrambled() || *spread == slab)
    };
    if !spreads.into_iter().all(line) {
        return Err(Error::Spread {
            reason: "a single line is shared in order, by slab(0), or scrambled".into(),
        });
    }
    Ok(Some(Line { factors, scrambled }))
}

impl Line {
    /// The request whose axes the stages transform: the line as an array of its two factors.
    pub fn request(&self, whole: &Request) -> Request {
        let mut request = whole.clone();
        request.shape = Shape::new(&self.factors);
        request.axes = Some(vec![0, 1]);
        request
    }

    /// One to three exchanges, as the sides lie in order or not.
    pub fn stages(&self, ranks: usize) -> Vec<Stage> {
        let [columns, rows] = self.factors;
        let lengths = [1, columns, rows];
        let shared = |dim: usize, order: [usize; 3]| Place {
            domain: Domain::Complex,
            lengths: lengths.to_vec(),
            parts: grid(
                &lengths,
                &[0, 1, 2].map(|d| if d == dim { ranks } else { 1 }),
            ),
            order: order.to_vec(),
        };
        let stage = |axes: &[usize], from: Place, to: Place, roots: Option<usize>| Stage {
            axes: axes.to_vec(),
            from,
            to,
            roots,
        };
        let mut stages = Vec::new();
        if !self.scrambled[0] {
            let place = shared(1, [0, 1, 2]);
            stages.push(stage(&[], place.clone(), place, None));
        }
        let (by_row, by_column) = (shared(1, [0, 1, 2]), shared(2, [0, 1, 2]));
        let length = columns * rows;
        stages.push(stage(&[0], by_column.clone(), by_column, Some(length)));
        stages.push(stage(&[1], by_row, shared(1, [0, 2, 1]), None));
        if !self.scrambled[1] {
            let place = shared(2, [0, 2, 1]);
            stages.push(stage(&[], place.clone(), place, None));
        }
        stages
    }

    /// A part as users see it: of a line in order a range of the line, else of the array `[n1][n2]` or `[k2][k1]`.
    pub fn part(&self, part: &Part, order: &[usize], side: usize) -> Part {
        let ranges = part.all();
        let [outer, inner] = [order[1], order[2]].map(|dim| ranges[dim].clone());
        match self.scrambled[side] {
            true => Part::new(vec![0..1, outer, inner]),
            false => {
                let row = self.factors[order[2] - 1];
                Part::new(vec![0..1, outer.start * row..outer.end * row])
            }
        }
    }
}

/// Lets a plan of columns multiply by the roots of the whole line, of which it has columns from `first` on.
///
/// # Errors
/// `Unsupported` where the columns take several passes, of which none has a whole column.
pub(crate) fn with_roots(
    mut plan: Plan,
    length: usize,
    columns: usize,
    first: usize,
) -> Result<Plan> {
    let refuse = |what: &str| Error::Unsupported {
        what: format!("a single line of {length} points over ranks, whose columns {what}"),
        backend: plan.backend.into(),
        instead: "choose a length with two factors that are short enough for one pass".into(),
    };
    let direction = plan.request.direction();
    let [pass] = &mut plan.passes[..] else {
        return Err(refuse("take several passes"));
    };
    let convolved = |step: &Step| matches!(step, Step::Chirp { .. } | Step::Convolve { .. });
    if pass.axes.len() != 1 || !pass.store.plain() || pass.steps.iter().any(convolved) {
        return Err(refuse("have no plain store"));
    }
    if columns == 1 {
        // A single column has no loop.
        pass.loops.push(Loop::of_lines(1, 0, 0));
    }
    let counts = |l: &Loop| l.count == columns;
    let Some(line_loop) = pass.loops.iter().position(counts) else {
        return Err(refuse("are not counted by a loop of the pass"));
    };
    pass.store.factor = Some(Factor::Roots {
        length,
        line_loop,
        direction,
        turned: false,
        first,
    });
    Ok(plan)
}
