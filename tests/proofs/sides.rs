//! Which scalars of its two buffers a request speaks of.

use super::accesses::addresses;
use mmafft::backend_traits::Map;
use mmafft::{Domain, Layout, Placement, Request, Slot};
use std::ops::Range;

/// The scalar addresses of one side.
pub struct Addresses {
    /// Of every element of the layout.
    pub all: Vec<usize>,
    /// Of what is read of the input, or wanted of the output.
    pub inside: Vec<usize>,
}

impl Addresses {
    /// The input; of axes that are not transformed, only what is wanted is read.
    pub fn of_input(request: &Request) -> Self {
        let axes = request.axes.as_deref().unwrap_or_default();
        let mut ranges = request.nonzero_input.clone();
        let untransformed = |(axis, _): &&(usize, Range<usize>)| !axes.contains(axis);
        ranges.extend(request.wanted_output.iter().filter(untransformed).cloned());
        let domain = request.kind.row().input;
        Addresses::new(request, Slot::Input, &request.input, domain, &ranges)
    }

    /// The output.
    pub fn of_output(request: &Request) -> Self {
        let domain = request.kind.row().output;
        let ranges = &request.wanted_output;
        Addresses::new(request, Slot::Output, &request.output, domain, ranges)
    }

    fn new(
        request: &Request,
        side: Slot,
        layout: &Layout,
        domain: Domain,
        limited: &[(usize, Range<usize>)],
    ) -> Self {
        let mut dims = request.shape.dims().to_vec();
        let axes = request.axes.as_deref().unwrap_or_default();
        let halved = *axes.last().expect("a plan's request lists its axes");
        let [from, to] = request.kind.lengths(dims[halved]);
        dims[halved] = if side == Slot::Input { from } else { to };
        let last = dims.len() - 1;
        // FFTW's padded rows.
        let in_place = request.placement == Placement::InPlace;
        let halves = request.kind.row().input != request.kind.row().output;
        let row = match in_place && domain == Domain::Real && halves && halved == last {
            true => 2 * (dims[last] / 2 + 1),
            false => dims[last],
        };
        let resolved = layout
            .resolve(side, request.batch, &dims, row, true)
            .expect("the planner took it");
        let scalars = domain.scalars();
        let list = |ranges: Vec<Range<usize>>| {
            let strides = resolved.strides.iter().map(|s| s * scalars);
            let dims = ranges.into_iter().zip(strides);
            let dims = dims.chain([(0..scalars, 1)]);
            let dims: Vec<_> = dims.map(|(r, stride)| (r, Map::of_lines(stride))).collect();
            addresses(&dims, resolved.offset * scalars)
        };
        let whole: Vec<Range<usize>> = resolved.dims.iter().map(|&n| 0..n).collect();
        let mut inside = whole.clone();
        for (axis, range) in limited {
            inside[axis + 1] = range.clone();
        }
        Addresses {
            all: list(whole),
            inside: list(inside),
        }
    }
}
