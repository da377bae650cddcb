//! Parts: the boxes of an array that ranks have, and where one lies in another.

use std::ops::Range;

/// A box of an array: a range of every dimension, that of the batch first.
///
/// A rank may have none of the array: then a range of its part is empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Part {
    ranges: Vec<Range<usize>>,
}

impl Part {
    /// The box of these ranges, that of the batch first.
    pub(crate) fn new(ranges: Vec<Range<usize>>) -> Part {
        Part { ranges }
    }

    /// The arrays of the batch that it is of.
    pub fn batch(&self) -> Range<usize> {
        self.ranges[0].clone()
    }

    /// Its range of every dimension of the array.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges[1..]
    }

    /// The same with that of the batch, the first.
    pub(crate) fn all(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Its lengths, that of the batch first.
    pub fn lengths(&self) -> Vec<usize> {
        self.ranges.iter().map(|range| range.len()).collect()
    }

    /// How many points it has.
    pub fn points(&self) -> usize {
        self.ranges.iter().map(|range| range.len()).product()
    }

    /// Whether it has no point.
    pub fn is_empty(&self) -> bool {
        self.ranges.iter().any(|range| range.is_empty())
    }

    /// Whether both have the same points: those that have none are alike, wherever they lie.
    pub(crate) fn same_points(&self, other: &Part) -> bool {
        self == other || (self.is_empty() && other.is_empty())
    }

    /// Whether it has all of a dimension, the batch being the first.
    pub(crate) fn has_whole(&self, dim: usize, length: usize) -> bool {
        self.is_empty() || self.ranges[dim] == (0..length)
    }

    /// The same part where a dimension has another length, of which it has all. A part may be empty along another.
    pub(crate) fn with_whole(&self, dim: usize, length: usize) -> Part {
        let mut ranges = self.ranges.clone();
        if !ranges[dim].is_empty() {
            ranges[dim] = 0..length;
        }
        Part { ranges }
    }

    /// What two have in common, if that is anything.
    pub(crate) fn common(&self, other: &Part) -> Option<Part> {
        let both = self.ranges.iter().zip(&other.ranges);
        let ranges = both.map(|(a, b)| a.start.max(b.start)..a.end.min(b.end));
        let part = Part::new(ranges.collect());
        // A range may end before it starts, and has no points then.
        let none = part.ranges.iter().any(|range| range.start >= range.end);
        (!none).then_some(part)
    }

    /// One of so many pieces, which are the part together, and may be none. They are cut along the first dimension that is
    /// long enough, so that who has the part elsewhere cuts it alike.
    pub(crate) fn piece(&self, number: usize, of: usize) -> Option<Part> {
        let lengths = self.lengths();
        let long = lengths.iter().position(|&n| n >= of);
        let longest = (0..lengths.len()).max_by_key(|&dim| lengths[dim]);
        let dim = long.or(longest).unwrap_or(0);
        let (begin, n) = (self.ranges[dim].start, lengths[dim]);
        let mut ranges = self.ranges.clone();
        ranges[dim] = begin + number * n / of..begin + (number + 1) * n / of;
        (!ranges[dim].is_empty()).then_some(Part { ranges })
    }

    /// How many points two have in common.
    pub(crate) fn points_in_common(&self, other: &Part) -> usize {
        let both = self.ranges.iter().zip(&other.ranges);
        let both = both.map(|(a, b)| a.end.min(b.end).saturating_sub(a.start.max(b.start)));
        both.product()
    }

    /// Elements before the first of this part, by so many from one index to the next.
    pub(crate) fn offset(&self, strides: &[usize]) -> usize {
        let steps = self.ranges.iter().zip(strides);
        steps.map(|(range, stride)| range.start * stride).sum()
    }
}

/// Elements from one index to the next where arrays of these lengths lie in a row, dimension `order[0]` outermost.
pub(crate) fn strides(lengths: &[usize], order: &[usize]) -> Vec<usize> {
    let mut strides = vec![0; lengths.len()];
    let mut stride = 1;
    for &dim in order.iter().rev() {
        strides[dim] = stride;
        stride *= lengths[dim].max(1);
    }
    strides
}

/// Rows of memory in two places: what copies a box out of a box.
pub(crate) struct Rows {
    /// Lengths and strides of either place, outermost first; the last one is the row.
    loops: Vec<(usize, [usize; 2])>,
    /// Elements of a row, which lie beside each other in both places.
    row: usize,
    /// Elements before the first, of either place.
    offsets: [usize; 2],
}

impl Rows {
    /// Those of `part`, between a place where `from` lies by these strides and one where `to` does.
    pub fn new(part: &Part, from: (&Part, &[usize]), to: (&Part, &[usize])) -> Rows {
        let start = |(own, strides): (&Part, &[usize])| {
            let steps = part.all().iter().zip(own.all()).zip(strides);
            let steps = steps.map(|((range, own), stride)| (range.start - own.start) * stride);
            steps.sum()
        };
        let mut loops: Vec<(usize, [usize; 2])> = Vec::new();
        let dims = part.lengths().into_iter().enumerate();
        loops.extend(dims.map(|(i, n)| (n, [from.1[i], to.1[i]])));
        loops.retain(|&(count, _)| count != 1);
        loops.sort_by_key(|&(_, strides)| std::cmp::Reverse(strides));
        let mut row = 1;
        while let Some(&(count, strides)) = loops.last() {
            if strides != [row, row] {
                break;
            }
            row *= count;
            loops.pop();
        }
        Rows {
            loops,
            row,
            offsets: [start(from), start(to)],
        }
    }

    /// Calls `copy` for each row, with the elements before it in either place and how many it has.
    pub fn each(&self, mut copy: impl FnMut(usize, usize, usize)) {
        if self.row == 0 || self.loops.iter().any(|(count, _)| *count == 0) {
            return;
        }
        let mut indices = vec![0; self.loops.len()];
        let [mut from, mut to] = self.offsets;
        loop {
            copy(from, to, self.row);
            let mut dim = self.loops.len();
            loop {
                if dim == 0 {
                    return;
                }
                dim -= 1;
                let (count, strides) = self.loops[dim];
                indices[dim] += 1;
                (from, to) = (from + strides[0], to + strides[1]);
                if indices[dim] < count {
                    break;
                }
                indices[dim] = 0;
                (from, to) = (from - count * strides[0], to - count * strides[1]);
            }
        }
    }
}

#[cfg(test)]
#[path = "part_tests.rs"]
mod tests;
