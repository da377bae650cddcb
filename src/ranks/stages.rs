//! Which axes are transformed in which stage, and how the array is spread in each.

use super::part::Part;
use super::place::{Place, Stage};
use super::spread::{grid, Spread};
use mmafft_backend_traits::{Direction, Domain, Kind, Request, Result};

/// Where the array lies between stages.
struct State {
    place: Place,
    /// How many ranks share each dimension; none of boxes.
    counts: Option<Vec<usize>>,
}

impl State {
    fn new(place: Place, counts: Option<Vec<usize>>) -> State {
        State { place, counts }
    }

    fn has_whole(&self, dim: usize) -> bool {
        self.place.has_whole(dim)
    }
}

/// The lengths on either side of a request, the batch first.
fn lengths(request: &Request) -> [Vec<usize>; 2] {
    [0, 1].map(|side| {
        let dims = request.shape.dims().iter().enumerate();
        let of = |(axis, &n): (usize, &usize)| match request.kind_of(axis) {
            Some(kind) => kind.lengths(n)[side],
            None => n,
        };
        std::iter::once(request.batch).chain(dims.map(of)).collect()
    })
}

/// Parts of an array in rows.
fn in_rows(domain: Domain, lengths: &[usize], parts: Vec<Part>) -> Place {
    Place {
        domain,
        lengths: lengths.to_vec(),
        parts,
        order: (0..lengths.len()).collect(),
    }
}

/// The stages of an array whose axes are transformed one set after the other.
pub(crate) fn stages(
    request: &Request,
    ranks: usize,
    spreads: [Option<&Spread>; 2],
) -> Result<Vec<Stage>> {
    let [first, last] = lengths(request);
    let row = request.kind.row();
    let default = default_input(request, ranks, &first);
    let input = spreads[0].unwrap_or(&default);
    let counts = input.counts(&first, ranks)?;
    let mut at = State::new(
        in_rows(row.input, &first, input.parts(&first, ranks)?),
        counts,
    );
    let end = match spreads[1] {
        Some(output) => Some(State::new(
            in_rows(row.output, &last, output.parts(&last, ranks)?),
            output.counts(&last, ranks)?,
        )),
        None => None,
    };
    let mut left = request.axes.clone().unwrap_or_default();
    let mut stages = Vec::new();
    loop {
        let own = local(request, &left, |axis| at.has_whole(axis + 1));
        left.retain(|axis| !own.contains(axis));
        let stage = stage(request, own, at.place);
        at.place = stage.to.clone();
        stages.push(stage);
        if left.is_empty() {
            break;
        }
        at = next(request, &left, &at, end.as_ref(), ranks);
    }
    if let Some(end) = end {
        let mut parts = end.place.parts.iter().zip(&at.place.parts);
        if parts.any(|(wanted, has)| !wanted.same_points(has)) {
            stages.push(stage(request, Vec::new(), end.place));
        } else if let Some(last) = stages.last_mut() {
            // Parts that are empty are called as the caller's spread calls them.
            last.to.parts = end.place.parts;
        }
    }
    Ok(stages)
}

/// The axes of those left that a rank transforms where it has these whole: a real axis that is halved comes first, a
/// half spectrum that becomes real last.
fn local(request: &Request, left: &[usize], has_whole: impl Fn(usize) -> bool) -> Vec<usize> {
    let own: Vec<usize> = left
        .iter()
        .copied()
        .filter(|&axis| has_whole(axis))
        .collect();
    let halved = |&axis: &usize| !matches!(request.kind_of(axis), Some(Kind::R2C | Kind::C2R));
    let outer: Vec<usize> = left.iter().copied().filter(|axis| !halved(axis)).collect();
    match request.kind {
        Kind::R2C if outer.iter().any(|axis| !own.contains(axis)) => Vec::new(),
        Kind::C2R if own.len() < left.len() => own.into_iter().filter(halved).collect(),
        _ => own,
    }
}

/// A stage of these axes, of which every part has all.
fn stage(request: &Request, axes: Vec<usize>, from: Place) -> Stage {
    let mut to = from.clone();
    for &axis in &axes {
        if let Some(kind @ (Kind::R2C | Kind::C2R)) = request.kind_of(axis) {
            let length = kind.lengths(request.shape.dims()[axis])[1];
            to.domain = kind.row().output;
            to.lengths[axis + 1] = length;
            let parts = to.parts.iter();
            to.parts = parts
                .map(|part| part.with_whole(axis + 1, length))
                .collect();
        }
    }
    Stage {
        axes,
        from,
        to,
        roots: None,
    }
}

/// How the array is spread next, so that ranks have more of the axes that are left: as the output is, where that is
/// enough; else a dimension that is done is cut in place of one that is left.
fn next(request: &Request, left: &[usize], at: &State, end: Option<&State>, ranks: usize) -> State {
    let lengths = &at.place.lengths;
    let place = |parts| in_rows(at.place.domain, lengths, parts);
    if let Some(end) = end {
        let mut parts = end.place.parts.clone();
        // A real axis is whole in the end, or its half spectrum is cut otherwise than the axis.
        let same = end.place.lengths == *lengths;
        for (dim, &length) in lengths.iter().enumerate() {
            if end.has_whole(dim) {
                let of = parts.iter().map(|part| part.with_whole(dim, length));
                parts = of.collect();
            }
        }
        let end = State::new(place(parts), end.counts.clone());
        let cut = same
            || (0..lengths.len()).all(|d| end.has_whole(d) || end.place.lengths[d] == lengths[d]);
        let all = local(request, left, |axis| end.has_whole(axis + 1));
        if cut && all.len() == left.len() {
            return end;
        }
    }
    let from_left = |dim: usize| dim > 0 && left.contains(&(dim - 1));
    let urgent = |dim: &usize| match request.kind {
        Kind::R2C => request.kind_of(dim - 1) == Some(Kind::R2C),
        Kind::C2R => request.kind_of(dim - 1) != Some(Kind::C2R),
        _ => true,
    };
    let counts = at.counts.clone().unwrap_or_else(|| vec![1; lengths.len()]);
    let cut = left
        .iter()
        .map(|axis| axis + 1)
        .filter(|&d| !at.has_whole(d));
    // One that the output has whole can wait until the array lies so; of others the innermost comes first.
    let waits = |dim: usize| end.is_some_and(|end| end.has_whole(dim));
    let away = cut.min_by_key(|&dim| (!urgent(&dim), waits(dim), std::cmp::Reverse(dim)));
    let count = away.map_or(ranks, |dim| counts[dim]);
    let count = if at.counts.is_some() { count } else { ranks };
    // Dimensions that are done, the outermost first; then any other than the one that is needed whole.
    let free = |dim: &usize| counts[*dim] == 1 && Some(*dim) != away;
    let dims: Vec<usize> = (1..lengths.len()).chain([0]).collect();
    let short = |dim: usize, count: usize| match lengths[dim] < count {
        true => usize::MAX - lengths[dim],
        false => 0,
    };
    let free = dims.iter().copied().filter(free);
    let to = free.min_by_key(|&dim| (short(dim, count), from_left(dim)));
    let mut next = vec![1; lengths.len()];
    match (to, away) {
        (Some(to), Some(away)) if at.counts.is_some() && short(to, count) == 0 => {
            next = counts;
            next[away] = 1;
            next[to] = count;
        }
        // Slabs over all ranks.
        _ => {
            let others = dims.iter().copied().filter(|&dim| Some(dim) != away);
            let to = others.min_by_key(|&dim| (short(dim, ranks), from_left(dim)));
            next[to.unwrap_or(0)] = ranks;
        }
    }
    State::new(place(grid(lengths, &next)), Some(next))
}

/// The input's spread where none is asked for; an inverse starts where its forward transform ends.
fn default_input(request: &Request, ranks: usize, lengths: &[usize]) -> Spread {
    let axes = request.axes.clone().unwrap_or_default();
    let untransformed = |&dim: &usize| dim == 0 || !axes.contains(&(dim - 1));
    let long = |&dim: &usize| lengths[dim] >= ranks && lengths[dim] > 1;
    let dims = 0..lengths.len();
    let apart = dims.filter(untransformed).find(long);
    if let Some(dim) = apart {
        return match dim {
            0 => Spread::batch(),
            dim => Spread::slab(dim - 1),
        };
    }
    if request.direction() == Direction::Forward || axes.len() < 2 {
        return Spread::slab(axes.iter().copied().min().unwrap_or(0));
    }
    // A forward transform's slabs of the first axis become slabs of the second.
    let mut axes = axes;
    axes.sort_unstable();
    Spread::slab(axes[1])
}
