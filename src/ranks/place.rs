//! [`Place`] and [`Stage`]: where an array lies on its ranks, and what these do between two exchanges.

use super::across::Across;
use super::part::{strides, Part, Rows};
use mmafft_backend_traits::{Domain, Effort, Kind, Layout, Precision, Request, Shape};

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

    /// Whether every part has all of a dimension.
    pub(crate) fn has_whole(&self, dim: usize) -> bool {
        let n = self.lengths[dim];
        self.parts.iter().all(|part| part.has_whole(dim, n))
    }

    /// The rows that a rank's part has of the whole array, which lies in the same order, and the part's points.
    pub(crate) fn rows_of(&self, rank: usize) -> (Rows, usize) {
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

    /// Where a rank's part lies by itself.
    fn layout(&self, rank: usize) -> Layout {
        layout(&self.strides(rank), 0)
    }
}

/// A layout of these strides, that of the batch first.
pub(crate) fn layout(strides: &[usize], offset: usize) -> Layout {
    Layout::strided(&strides[1..])
        .distance(strides[0])
        .offset(offset)
}

/// A stage's request with its outermost dimension as the batch, if that is not transformed.
///
/// Passes take turns of the arrays of a batch. A request that has one already, or does not say its axes and strides, stays as
/// it is.
pub(crate) fn outermost_as_batch(mut request: Request) -> Request {
    let dims = request.shape.dims();
    let strided = [&request.input, &request.output].map(|layout| layout.strides.is_some());
    let ranges = request.nonzero_input.len() + request.wanted_output.len();
    let Some(axes) = request.axes.as_ref().filter(|axes| !axes.contains(&0)) else {
        return request;
    };
    if request.batch > 1 || dims.len() < 2 || strided != [true; 2] || ranges > 0 {
        return request;
    }
    request.batch = dims[0];
    request.axes = Some(axes.iter().map(|axis| axis - 1).collect());
    request.shape = Shape::new(&dims[1..]);
    for layout in [&mut request.input, &mut request.output] {
        layout.distance = layout.strides.as_mut().map(|strides| strides.remove(0));
    }
    request
}

/// What copies an array of these lengths, the batch first: the pass of an axis of one point, which is transformed into
/// itself.
fn copy(whole: &Request, domain: Domain, lengths: &[usize], mut layouts: [Layout; 2]) -> Request {
    let kind = match domain {
        Domain::Complex => Kind::C2C,
        Domain::Real => Kind::Dht,
    };
    let mut dims = lengths[1..].to_vec();
    let mut request = whole.clone();
    // What was asked of the transform's own arithmetic is not meant for a copy, which rounds nothing.
    (request.engine, request.radices) = (None, None);
    request.effort = Some(Effort::Estimate);
    if request.precision == Precision::SplitF16 {
        request.precision = Precision::F32;
    }
    request.batch = lengths[0];
    request.axes = Some(vec![dims.len()]);
    dims.push(1);
    for layout in &mut layouts {
        layout.strides.iter_mut().for_each(|all| all.push(1));
    }
    (request.kind, request.kinds) = (kind, None);
    request.shape = Shape::new(&dims);
    let [input, output] = layouts;
    request.unified().input_layout(input).output_layout(output)
}

/// Where a part lies.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lies<'a> {
    /// In a rank's part of a place.
    At(&'a Place, usize),
    /// By itself in rows, so many points behind the beginning.
    Behind(usize),
}

impl Lies<'_> {
    fn layout(self, part: &Part) -> Layout {
        match self {
            Lies::At(place, rank) => {
                let by = place.strides(rank);
                let begin = place.parts[rank].offset(&by);
                layout(&by, part.offset(&by) - begin)
            }
            Lies::Behind(offset) => {
                let lengths = part.lengths();
                let in_rows: Vec<usize> = (0..lengths.len()).collect();
                layout(&strides(&lengths, &in_rows), offset)
            }
        }
    }
}

/// What copies a part from where it lies to where it is to lie.
pub(crate) fn copy_of(
    whole: &Request,
    domain: Domain,
    part: &Part,
    [from, to]: [Lies<'_>; 2],
) -> Request {
    let layouts = [from.layout(part), to.layout(part)];
    copy(whole, domain, &part.lengths(), layouts)
}

/// What copies a part from where it lies to a window, as it is planned ([`Across::stored`]).
pub(crate) fn copy_across(
    whole: &Request,
    domain: Domain,
    part: &Part,
    from: Lies<'_>,
    window: &Across,
) -> Request {
    let layouts = [from.layout(part), window.stores(part)];
    copy(whole, domain, &part.lengths(), layouts)
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
    /// How the array lies in the window between this stage and the next.
    pub(crate) fn across(&self, next: &Stage, apart: bool) -> Across {
        Across::new(&self.to, &next.from, apart)
    }

    /// What a rank asks its planner for; `None` where it has nothing of the array. Of a side in a window how the array
    /// lies there is given; what is stored there is as it is planned ([`Across::stored`]).
    pub(crate) fn request(
        &self,
        whole: &Request,
        rank: usize,
        windows: [Option<&Across>; 2],
    ) -> Option<Request> {
        let part = &self.from.parts[rank];
        if part.is_empty() {
            return None;
        }
        let (from, to) = (part.lengths(), self.to.parts[rank].lengths());
        let layouts = [
            windows[0].map_or_else(|| self.from.layout(rank), |window| window.loads(part)),
            match windows[1] {
                None => self.to.layout(rank),
                Some(window) => window.stores(&self.to.parts[rank]),
            },
        ];
        if self.axes.is_empty() {
            return Some(copy(whole, self.from.domain, &from, layouts));
        }
        let mut dims: Vec<usize> = (1..from.len()).map(|dim| from[dim].max(to[dim])).collect();
        let mut request = whole.clone();
        request.batch = from[0];
        let own: Vec<Kind> = self.axes.iter().filter_map(|&a| whole.kind_of(a)).collect();
        request.axes = Some(self.axes.clone());
        request.kind = own.last().copied().unwrap_or(whole.kind);
        request.kinds = request.kind.is_real_to_real().then(|| own.clone());
        for (&axis, kind) in self.axes.iter().zip(&own) {
            if matches!(kind, Kind::R2C | Kind::C2R) {
                dims[axis] = whole.shape.dims()[axis];
            }
        }
        let [input, output] = layouts;
        request.shape = Shape::new(&dims);
        // Memory of other devices is stored to, and not loaded from.
        request.write_only_output = windows[1].is_some_and(Across::is_apart);
        Some(request.unified().input_layout(input).output_layout(output))
    }

    /// The points that a rank sends to another in the exchange before this stage, of what was made there.
    pub(crate) fn points_between(&self, before: &Place, from: usize, to: usize) -> usize {
        before.parts[from].points_in_common(&self.from.parts[to])
    }
}
