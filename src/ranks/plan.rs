//! [`DistributedPlan`]: ordinary transforms of parts, with exchanges between them, as data.
//!
//! A stage transforms the axes of which every rank has all; an exchange then spreads the array otherwise, so that the
//! next stage has others. Both sides of an exchange are boxes of one array: what a rank sends to another is what its box
//! before has in common with that rank's box behind.

use super::line::{self, Line};
use super::part::{strides, Part, Rows};
use super::spread::{grid, Spread};
use mmafft_backend_traits::{
    Direction, Domain, Error, Kind, Layout, Limits, Placement, Plan, Request, Result, Shape, Slot,
};

/// Where an array lies before or behind a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What a point is.
    pub domain: Domain,
    /// The array's lengths, the batch first.
    pub lengths: Vec<usize>,
    /// What each rank has of it.
    pub parts: Vec<Part>,
    /// The dimensions as they lie in a part, the outermost first.
    pub order: Vec<usize>,
}

impl Place {
    /// Elements from one index to the next in a rank's part.
    pub(crate) fn strides(&self, rank: usize) -> Vec<usize> {
        strides(&self.parts[rank].lengths(), &self.order)
    }

    /// The same in a window: that of the whole array, of which every rank has its part where it lies.
    pub(crate) fn window_strides(&self) -> Vec<usize> {
        strides(&self.lengths, &self.order)
    }

    /// The rows that a rank's part has of the whole array, which lies in the same order, and the part's points.
    fn rows_of(&self, rank: usize) -> (Rows, usize) {
        let part = &self.parts[rank];
        let (lengths, own) = (&self.lengths, self.strides(rank));
        let whole = Part::new(lengths.iter().map(|&n| 0..n).collect());
        let all = strides(lengths, &self.order);
        (Rows::new(part, (&whole, &all), (part, &own)), part.points())
    }

    /// Scalars a point.
    pub(crate) fn scalars(&self) -> usize {
        self.domain.scalars()
    }

    /// Points of the whole array.
    pub(crate) fn points(&self) -> usize {
        self.lengths.iter().product()
    }

    /// Where a rank's part of it lies: by itself, or in the window of the place that the array has behind the fence.
    fn layout(&self, rank: usize, window: Option<&Place>) -> Layout {
        let (strides, offset) = match window {
            None => (self.strides(rank), 0),
            Some(window) => {
                let strides = window.window_strides();
                let offset = self.parts[rank].offset(&strides);
                (strides, offset)
            }
        };
        Layout::strided(&strides[1..])
            .distance(strides[0])
            .offset(offset)
    }
}

/// What every rank does between two exchanges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// The axes that it transforms; none where the array only changes its place.
    pub axes: Vec<usize>,
    /// What it starts from.
    pub from: Place,
    /// What it makes, of which each rank has as much.
    pub to: Place,
    /// Set where it multiplies by the roots of a line's two factors: the points of the line.
    pub(crate) roots: Option<usize>,
}

impl Stage {
    /// What a rank asks its planner for; `None` where it has nothing of the array. Of a side in a window that window is
    /// given: the place of the stage that loads from it.
    pub(crate) fn request(
        &self,
        whole: &Request,
        rank: usize,
        windows: [Option<&Place>; 2],
    ) -> Option<Request> {
        let part = &self.from.parts[rank];
        if part.is_empty() {
            return None;
        }
        let (from, to) = (part.lengths(), self.to.parts[rank].lengths());
        let mut dims: Vec<usize> = (1..from.len()).map(|dim| from[dim].max(to[dim])).collect();
        let mut layouts = [
            self.from.layout(rank, windows[0]),
            self.to.layout(rank, windows[1]),
        ];
        let mut request = whole.clone();
        request.batch = from[0];
        if self.axes.is_empty() {
            // An axis of one point is transformed into itself: the pass that copies.
            let kind = match self.from.domain {
                Domain::Complex => Kind::C2C,
                Domain::Real => Kind::Dht,
            };
            request.axes = Some(vec![dims.len()]);
            dims.push(1);
            for layout in &mut layouts {
                layout.strides.iter_mut().for_each(|all| all.push(1));
            }
            (request.kind, request.kinds) = (kind, None);
        } else {
            let own: Vec<Kind> = self.axes.iter().filter_map(|&a| whole.kind_of(a)).collect();
            request.axes = Some(self.axes.clone());
            request.kind = own.last().copied().unwrap_or(whole.kind);
            request.kinds = request.kind.is_real_to_real().then(|| own.clone());
            for (&axis, kind) in self.axes.iter().zip(&own) {
                if matches!(kind, Kind::R2C | Kind::C2R) {
                    dims[axis] = whole.shape.dims()[axis];
                }
            }
        }
        let [input, output] = layouts;
        request.shape = Shape::new(&dims);
        Some(request.unified().input_layout(input).output_layout(output))
    }

    /// The points that a rank sends to another in the exchange before this stage, of what was made there.
    pub(crate) fn points_between(&self, before: &Place, from: usize, to: usize) -> usize {
        let common = before.parts[from].common(&self.from.parts[to]);
        common.map_or(0, |part| part.points())
    }
}

/// What answers a request over ranks: stages of ordinary transforms, an exchange between every two. Plain data, the
/// same on every rank; it can be made, compared and printed ([`DistributedPlan::explain`]) without any other rank.
#[derive(Debug, Clone, PartialEq)]
pub struct DistributedPlan {
    /// What was asked for, with every default filled in.
    pub request: Request,
    /// How many ranks share the array.
    pub ranks: usize,
    /// What happens between exchanges, in order.
    pub stages: Vec<Stage>,
    /// What one device would do.
    pub alone: Plan,
    /// The factors of a single line that is spread.
    pub(crate) line: Option<Line>,
}

impl DistributedPlan {
    /// Plans a request over so many ranks, each on a device with these limits. Without a spread the input lies in slabs,
    /// of a dimension that is not transformed where one is long enough, and the output as it comes out of the fewest
    /// exchanges.
    pub(crate) fn new(
        alone: Plan,
        ranks: usize,
        input: Option<&Spread>,
        output: Option<&Spread>,
        limits: &Limits,
    ) -> Result<Self> {
        let request = alone.request.clone();
        supported(&request, limits)?;
        let spreads = [input, output];
        let (stages, line) = match line::of(&request, spreads)? {
            Some(line) => (line.stages(ranks, spreads)?, Some(line)),
            None => (stages(&request, ranks, spreads)?, None),
        };
        Ok(DistributedPlan {
            request,
            ranks,
            stages,
            alone,
            line,
        })
    }

    /// The factors N1 and N2 of a single line; 1 and 1 of what is none.
    pub fn line_factors(&self) -> [usize; 2] {
        self.line.map_or([1, 1], |line| line.factors)
    }

    /// What the stages ask planners for: the request, of a line that of its two factors.
    pub(crate) fn of_stages(&self) -> Request {
        let line = self.line.as_ref();
        line.map_or_else(|| self.request.clone(), |line| line.request(&self.request))
    }

    /// What a rank has of the input.
    pub fn input_part(&self, rank: usize) -> Part {
        self.outer(&self.stages[0].from, rank, 0)
    }

    /// What a rank has of the output.
    pub fn output_part(&self, rank: usize) -> Part {
        self.outer(&self.stages[self.stages.len() - 1].to, rank, 1)
    }

    /// A rank's part of an input that one process has whole, in rows.
    ///
    /// # Errors
    /// `BufferLength` where that is not the whole array.
    pub fn scatter<T: Copy>(&self, rank: usize, whole: &[T]) -> Result<Vec<T>> {
        let place = &self.stages[0].from;
        self.check_whole(Slot::Input, place, whole.len())?;
        let mut part = Vec::new();
        let (rows, _) = place.rows_of(rank);
        // Rows come in the order of the part.
        rows.each(|from, _, count| part.extend_from_slice(&whole[from..from + count]));
        Ok(part)
    }

    /// Puts a rank's part of the output into an array that one process has whole, in rows.
    ///
    /// # Errors
    /// `BufferLength` where one is not the whole array, or the other not the part.
    pub fn gather<T: Copy>(&self, rank: usize, part: &[T], whole: &mut [T]) -> Result<()> {
        let place = &self.stages[self.stages.len() - 1].to;
        self.check_whole(Slot::Output, place, whole.len())?;
        let (rows, points) = place.rows_of(rank);
        if part.len() != points {
            return Err(Error::BufferLength {
                side: Slot::Output,
                expected: points,
                got: part.len(),
            });
        }
        rows.each(|there, at, count| {
            whole[there..there + count].copy_from_slice(&part[at..at + count]);
        });
        Ok(())
    }

    fn check_whole(&self, side: Slot, place: &Place, got: usize) -> Result<()> {
        let expected = place.points();
        match got == expected {
            true => Ok(()),
            false => Err(Error::BufferLength {
                side,
                expected,
                got,
            }),
        }
    }

    /// A part as users see it: of a line that lies in order, a range of it.
    fn outer(&self, place: &Place, rank: usize, side: usize) -> Part {
        let part = &place.parts[rank];
        match &self.line {
            Some(line) => line.part(part, &place.order, side),
            None => part.clone(),
        }
    }

    /// Bytes of a point of this place.
    pub(crate) fn point_bytes(&self, place: &Place) -> usize {
        place.scalars() * self.request.precision.row().storage.bytes()
    }

    /// Of each exchange the most bytes that a rank sends to others, and the most others that it sends to.
    pub fn exchanges(&self) -> Vec<(usize, usize)> {
        let between = self.stages.windows(2).map(|two| {
            let (before, next) = (&two[0].to, &two[1]);
            let point = self.point_bytes(before);
            let of = |rank: usize| {
                let others = (0..self.ranks).filter(|&other| other != rank);
                let sent = others.map(|other| next.points_between(before, rank, other) * point);
                let sent: Vec<usize> = sent.filter(|&bytes| bytes > 0).collect();
                (sent.iter().sum::<usize>(), sent.len())
            };
            let all: Vec<_> = (0..self.ranks).map(of).collect();
            let most = |of: fn(&(usize, usize)) -> usize| all.iter().map(of).max().unwrap_or(0);
            (most(|all| all.0), most(|all| all.1))
        });
        between.collect()
    }
}

/// Refuses what ranks do not do.
fn supported(request: &Request, limits: &Limits) -> Result<()> {
    let refuse = |what: &str, instead: &str| {
        Err(Error::Unsupported {
            what: format!("{what} over ranks"),
            backend: limits.backend.into(),
            instead: instead.into(),
        })
    };
    if request.placement == Placement::InPlace {
        return refuse("a transform in place", "give it two buffers");
    }
    if request.input != Layout::default() || request.output != Layout::default() {
        return refuse(
            "a layout of the caller's",
            "lay parts out in rows, the last axis contiguous",
        );
    }
    if !request.nonzero_input.is_empty() || !request.wanted_output.is_empty() {
        return refuse("a zero range", "transform all of the array");
    }
    Ok(())
}

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
        let n = self.place.lengths[dim];
        self.place.parts.iter().all(|part| part.has_whole(dim, n))
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
fn stages(request: &Request, ranks: usize, spreads: [Option<&Spread>; 2]) -> Result<Vec<Stage>> {
    let [first, last] = lengths(request);
    let row = request.kind.row();
    let default = default_input(request, ranks, &first)?;
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
        at = next(request, &left, &at, end.as_ref(), ranks)?;
    }
    if let Some(end) = end.filter(|end| end.place.parts != at.place.parts) {
        stages.push(stage(request, Vec::new(), end.place));
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
fn next(
    request: &Request,
    left: &[usize],
    at: &State,
    end: Option<&State>,
    ranks: usize,
) -> Result<State> {
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
            return Ok(end);
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
    Ok(State::new(place(grid(lengths, &next)), Some(next)))
}

/// The input's spread where none is asked for; an inverse starts where its forward transform ends.
fn default_input(request: &Request, ranks: usize, lengths: &[usize]) -> Result<Spread> {
    let axes = request.axes.clone().unwrap_or_default();
    let untransformed = |&dim: &usize| dim == 0 || !axes.contains(&(dim - 1));
    let long = |&dim: &usize| lengths[dim] >= ranks && lengths[dim] > 1;
    let dims = 0..lengths.len();
    let apart = dims.filter(untransformed).find(long);
    if let Some(dim) = apart {
        return Ok(match dim {
            0 => Spread::batch(),
            dim => Spread::slab(dim - 1),
        });
    }
    if request.direction() == Direction::Forward || axes.len() < 2 {
        return Ok(Spread::slab(axes.iter().copied().min().unwrap_or(0)));
    }
    // A forward transform's slabs of the first axis become slabs of the second.
    let mut axes = axes;
    axes.sort_unstable();
    Ok(Spread::slab(axes[1]))
}
