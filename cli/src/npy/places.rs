//! Where the points of a file go in an array of C order, cropped or padded.

use super::header::Header;

/// Walks over a file's points in the order in which they are stored.
pub(super) struct Places {
    /// The axes, those that change fastest in the file first.
    axes: Vec<Axis>,
}

struct Axis {
    /// The length in the file.
    length: usize,
    /// How many of its indices are in the array.
    kept: usize,
    /// The distance of neighbours in the array.
    stride: usize,
    /// The index of the next point.
    index: usize,
}

/// Points that follow one another in the file, along one axis.
pub(super) struct Run {
    /// How many the file has.
    pub(super) count: usize,
    /// How many of them, from the first on, are in the array.
    pub(super) kept: usize,
    /// The first one's position in the array.
    pub(super) start: usize,
    /// The distance of neighbours in the array.
    pub(super) stride: usize,
}

impl Places {
    /// From a file with this header to an array of `shape`, of as many axes.
    pub(super) fn new(header: &Header, shape: &[usize]) -> Self {
        let mut stride = 1;
        let mut axes = Vec::new();
        for (&length, &wanted) in header.shape.iter().zip(shape).rev() {
            axes.push(Axis {
                length,
                kept: length.min(wanted),
                stride,
                index: 0,
            });
            stride *= wanted;
        }
        if header.fortran_order {
            axes.reverse();
        }
        let mut places = Self { axes: Vec::new() };
        axes.into_iter().for_each(|axis| places.add(axis));
        places
    }

    /// Adds the next slower axis; one that continues the axis before it becomes part of that.
    fn add(&mut self, axis: Axis) {
        if let Some(last) = self.axes.last_mut() {
            let whole = last.kept == last.length;
            if whole && axis.stride == last.length * last.stride {
                last.kept = axis.kept * last.length;
                last.length *= axis.length;
                return;
            }
        }
        self.axes.push(axis);
    }

    /// The next points, at most `most` and at least one, of a file that has more.
    pub(super) fn next(&mut self, most: usize) -> Run {
        let start = self.axes.iter().map(|a| a.index * a.stride).sum();
        let Some((fastest, others)) = self.axes.split_first_mut() else {
            // A scalar has no axis.
            return Run {
                count: most,
                kept: 1,
                start: 0,
                stride: 1,
            };
        };
        let count = most.min(fastest.length - fastest.index);
        let inside = others.iter().all(|axis| axis.index < axis.kept);
        let kept = match inside {
            true => fastest.kept.saturating_sub(fastest.index).min(count),
            false => 0,
        };
        fastest.index += count;
        let stride = fastest.stride;
        for i in 0..self.axes.len() {
            if self.axes[i].index < self.axes[i].length {
                break;
            }
            self.axes[i].index = 0;
            if let Some(slower) = self.axes.get_mut(i + 1) {
                slower.index += 1;
            }
        }
        Run {
            count,
            kept,
            start,
            stride,
        }
    }
}
