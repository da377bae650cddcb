//! [`Across`]: how an array lies in a window, across the memory of all ranks.

use super::part::{strides, Part, Rows};
use super::place::{layout, Place};
use mmafft_backend_traits::{Domain, Layout, Map, Plan, Runs, Slot, TileAxis};

/// How an array lies in a window: every rank stores to it, and loads its own part of it.
///
/// In one memory the array lies in its order. Over several devices each part is one piece of the window, which is memory
/// of the rank that loads it. Then the dimensions that ranks share are outermost; but if that would put an array's rows
/// on end, as the innermost dimension alone is shared, and was not before, each part lies in the array's order: index i of
/// that dimension, of B a rank, is
///
/// ```text
/// ⌊i / B⌋ · (points of a part) + i mod B
/// ```
///
/// elements behind index 0. Planners know strides alone, so that such a store is planned as if rows were whole, and put
/// where it belongs in the plan: [`Across::stored`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Across {
    /// Elements from one index to the next in a part.
    strides: Vec<usize>,
    /// The cut of rows between ranks, where these are cut.
    cut: Option<Cut>,
    /// Elements of the window.
    points: usize,
    /// Whether parts are memory of several devices.
    apart: bool,
}

/// A cut of rows into what each rank has of them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cut {
    /// The dimension along which they lie.
    dim: usize,
    /// A rank's points of one, and how far the next rank's are.
    runs: Runs,
    /// Elements from one index to the next as it is planned.
    planned: Vec<usize>,
    /// Elements from a row to the next as it is planned: twice a row's, so that planners do not take several rows for one.
    row: usize,
}

impl Across {
    /// An array that lay as `before` on its ranks, and from the window on as `place`.
    pub(crate) fn new(before: &Place, place: &Place, apart: bool) -> Across {
        let shared: Vec<usize> = (0..place.lengths.len())
            .filter(|&dim| !place.has_whole(dim))
            .collect();
        let long = |dim: &usize| place.lengths[*dim] > 1;
        let innermost = place.order.iter().copied().rfind(long);
        if let (true, [dim], Domain::Complex) = (apart, &shared[..], place.domain) {
            let block = place.parts.iter().map(|part| part.all()[*dim].len()).max();
            let block = block.unwrap_or(1);
            let even =
                |part: &Part| part.is_empty() || part.all()[*dim].start.is_multiple_of(block);
            // What starts within a row would lie across blocks from there on, which no map says.
            let rows = before.has_whole(*dim) && place.parts.iter().all(even);
            if innermost == Some(*dim) && rows {
                return Across::in_rows(place, *dim, block);
            }
        }
        let mut order = place.order.clone();
        if apart {
            // What is shared stays in its order, and so does what is not.
            order.sort_by_key(|dim| !shared.contains(dim));
        }
        Across {
            strides: strides(&place.lengths, &order),
            cut: None,
            points: place.points(),
            apart,
        }
    }

    /// Parts in the array's order, whose rows of dimension `dim` are cut into blocks.
    fn in_rows(place: &Place, dim: usize, block: usize) -> Across {
        let n = place.lengths[dim];
        let with = |length: usize| {
            let mut lengths = place.lengths.clone();
            lengths[dim] = length;
            lengths
        };
        let part: usize = with(block).iter().product();
        let runs = Runs {
            points: block,
            apart: part,
        };
        Across {
            strides: strides(&with(block), &place.order),
            cut: Some(Cut {
                dim,
                runs,
                planned: strides(&with(2 * n), &place.order),
                row: 2 * n,
            }),
            points: n.div_ceil(block) * part,
            apart: true,
        }
    }

    /// Elements of the window.
    pub(crate) fn points(&self) -> usize {
        self.points
    }

    /// Whether parts are memory of several devices.
    pub(crate) fn is_apart(&self) -> bool {
        self.apart
    }

    /// Elements before a part that one rank loads.
    fn offset(&self, part: &Part) -> usize {
        let own = |(dim, range): (usize, &std::ops::Range<usize>)| match &self.cut {
            Some(cut) if cut.dim == dim => range.start / cut.runs.points * cut.runs.apart,
            _ => range.start * self.strides[dim],
        };
        part.all().iter().enumerate().map(own).sum()
    }

    /// Where a rank loads its part.
    pub(crate) fn loads(&self, part: &Part) -> Layout {
        layout(&self.strides, self.offset(part))
    }

    /// Where a rank stores a part, as it is planned.
    pub(crate) fn stores(&self, part: &Part) -> Layout {
        let by = self.cut.as_ref().map_or(&self.strides, |cut| &cut.planned);
        layout(by, part.offset(by))
    }

    /// The element where one is that is planned to be stored behind so many.
    #[cfg(test)]
    pub(crate) fn place_of(&self, planned: usize) -> usize {
        let Some(cut) = &self.cut else {
            return planned;
        };
        let (rows, i) = (planned / cut.row, planned % cut.row);
        let Runs { points, apart } = cut.runs;
        rows * points + i / points * apart + i % points
    }

    /// Whether rows are cut, so that plans store elsewhere than they say.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// A plan whose passes store where rows that are cut lie, which its request does not say; `None` where the plan has other
    /// steps along rows than blocks are multiples of, or loads from the window.
    pub(crate) fn stored(&self, mut plan: Plan) -> Option<Plan> {
        let Some(cut) = &self.cut else {
            return Some(plan);
        };
        for pass in &mut plan.passes {
            if pass.load.slot == Slot::Output {
                return None;
            }
            if pass.store.slot != Slot::Output {
                continue;
            }
            let scalars = pass.store.domain.scalars();
            let loops = pass.loops.iter_mut().map(|l| (l.count, &mut l.store));
            let axes = pass.axes.iter_mut();
            // Ranges are of whole lines, and real lines have fewer points than reals.
            let points = |axis: &mut TileAxis| match axis.store.index {
                1 => axis.ranges.store.end,
                _ => axis.length,
            };
            let axes = axes.map(|axis| (points(axis), &mut axis.store));
            for (count, map) in loops.chain(axes).filter(|(count, _)| *count > 1) {
                *map = cut.map(*map, count, scalars)?;
            }
            let (rows, within) = (pass.store.offset / scalars, pass.store.offset % scalars);
            if rows % cut.row != 0 {
                return None;
            }
            pass.store.offset = rows / cut.row * cut.runs.points * scalars + within;
        }
        // Rows are of complex points.
        plan.output_scalars = self.points * Domain::Complex.scalars();
        Some(plan)
    }

    /// Which rank has most of each granule of so many bytes.
    pub(crate) fn homes(&self, place: &Place, point: usize, granule: usize) -> Vec<usize> {
        let count = (self.points * point).div_ceil(granule);
        let mut most = vec![(0, 0); count];
        for (rank, part) in place.parts.iter().enumerate() {
            let mut own = vec![0; count];
            let begin = self.offset(part);
            Rows::new(part, (part, &self.strides), (part, &self.strides)).each(|_, at, points| {
                let (mut at, end) = ((begin + at) * point, (begin + at + points) * point);
                while at < end {
                    let next = end.min((at / granule + 1) * granule);
                    own[at / granule] += next - at;
                    at = next;
                }
            });
            for (most, own) in most.iter_mut().zip(own) {
                if own > most.0 {
                    *most = (own, rank);
                }
            }
        }
        most.into_iter().map(|(_, rank)| rank).collect()
    }
}

impl Cut {
    /// Where what is counted by a planned map lies. What is counted along rows is a digit of their points: those that
    /// are less than a block, of blocks, or of both.
    fn map(&self, planned: Map, count: usize, scalars: usize) -> Option<Map> {
        let row = self.row * scalars;
        if planned.runs.is_some() {
            return None;
        }
        if planned.stride.is_multiple_of(row) {
            let stride = planned.stride / row * self.runs.points * scalars;
            return Some(Map { stride, ..planned });
        }
        let (step, rest) = (planned.stride / scalars, planned.stride % scalars);
        if rest != 0 || step * (count - 1) >= self.row {
            return None;
        }
        if step * count <= self.runs.points && self.runs.points.is_multiple_of(step * count) {
            return Some(planned);
        }
        let runs = Runs {
            points: self.runs.points,
            apart: self.runs.apart * scalars,
        };
        let (stride, runs) = Runs::every(Some(runs), scalars, step)?;
        Some(Map {
            stride,
            runs,
            ..planned
        })
    }
}
