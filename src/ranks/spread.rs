//! [`Spread`]: how an array is spread over ranks.

use super::part::Part;
use mmafft_backend_traits::{Error, Result};
use std::ops::Range;

/// How an array is spread over ranks: which box of it each has.
///
/// Lengths need not divide: of n indices over p ranks each has ceil(n / p), the last ones fewer or none, which is
/// FFTW's rule. [`Spread::boxes`] says any others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Spread {
    how: How,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum How {
    /// The dimension that is cut, the batch being the first.
    Slab(usize),
    /// How many ranks share each dimension, the batch being the first.
    Grid(Vec<usize>),
    /// The ranges of each rank, without the batch.
    Boxes(Vec<Vec<Range<usize>>>),
    /// Of one line, its columns: see [`Spread::scrambled`].
    Scrambled,
}

impl Spread {
    /// Slabs: the ranks share this axis, and have all of the others.
    pub fn slab(axis: usize) -> Spread {
        Spread {
            how: How::Slab(axis.saturating_add(1)),
        }
    }

    /// The ranks share the arrays of a batch, and transform theirs alone.
    pub fn batch() -> Spread {
        Spread { how: How::Slab(0) }
    }

    /// Pencils and the like: so many ranks share each axis, the last axis' ranks being neighbours. Together they are all
    /// ranks.
    pub fn grid(ranks: &[usize]) -> Spread {
        let mut all = vec![1];
        all.extend_from_slice(ranks);
        Spread {
            how: How::Grid(all),
        }
    }

    /// Any boxes: of each rank its range of every axis. Together they are the array, and no two have a point in common.
    pub fn boxes(ranges: &[Vec<Range<usize>>]) -> Spread {
        Spread {
            how: How::Boxes(ranges.to_vec()),
        }
    }

    /// Of a single line of N1·N2 points, the order that spares an exchange, FFTW's scrambled one: an input's point
    /// n1·N2 + n2 is with the ranks by n2, an output's point k2·N1 + k1 with the ranks by k1. A part is the array
    /// `[n1][n2]` of its own n2, and `[k2][k1]` of its own k1.
    ///
    /// A convolution is right in it: what comes forward in a scrambled output an inverse transform takes as its scrambled
    /// input, as its two factors have changed places.
    pub fn scrambled() -> Spread {
        Spread {
            how: How::Scrambled,
        }
    }

    /// How many ranks it is for, where it says that.
    pub fn ranks(&self) -> Option<usize> {
        match &self.how {
            How::Grid(counts) => Some(counts.iter().product()),
            How::Boxes(boxes) => Some(boxes.len()),
            How::Slab(_) | How::Scrambled => None,
        }
    }

    /// Whether it is the scrambled order of a line.
    pub(crate) fn is_scrambled(&self) -> bool {
        self.how == How::Scrambled
    }

    /// The number of ranks along each dimension, the batch being the first; none of boxes.
    pub(crate) fn counts(&self, lengths: &[usize], ranks: usize) -> Result<Option<Vec<usize>>> {
        let dims = lengths.len();
        let counts = match &self.how {
            How::Slab(dim) if *dim >= dims => {
                return Err(Error::AxisOutOfRange {
                    axis: dim - 1,
                    rank: dims - 1,
                });
            }
            How::Slab(dim) => {
                let of = |d: usize| if d == *dim { ranks } else { 1 };
                (0..dims).map(of).collect()
            }
            How::Grid(counts) => {
                let product = counts.iter().try_fold(1usize, |p, &n| p.checked_mul(n));
                if counts.len() != dims || product != Some(ranks) {
                    return Err(Error::Spread {
                        reason: format!(
                            "a grid of {:?} ranks: expected one count for each of {} axes, {ranks} ranks together",
                            &counts[1..],
                            dims - 1
                        ),
                    });
                }
                counts.clone()
            }
            How::Boxes(_) => return Ok(None),
            How::Scrambled => {
                return Err(Error::Spread {
                    reason: "the scrambled order is that of a single line without a batch: spread \
                             slabs, a grid or boxes"
                        .into(),
                });
            }
        };
        Ok(Some(counts))
    }

    /// Which box each rank has of an array of these lengths, that of the batch first.
    pub(crate) fn parts(&self, lengths: &[usize], ranks: usize) -> Result<Vec<Part>> {
        match (self.counts(lengths, ranks)?, &self.how) {
            (Some(counts), _) => Ok(grid(lengths, &counts)),
            (None, How::Boxes(boxes)) => checked(boxes, lengths, ranks),
            (None, _) => Ok(Vec::new()),
        }
    }
}

/// The boxes of a grid of ranks, the last dimension's neighbours.
pub(crate) fn grid(lengths: &[usize], counts: &[usize]) -> Vec<Part> {
    let ranks: usize = counts.iter().product();
    let of = |rank: usize| {
        let mut rest = rank;
        let mut ranges = vec![0..0; lengths.len()];
        for dim in (0..lengths.len()).rev() {
            let (n, i) = (lengths[dim], rest % counts[dim]);
            rest /= counts[dim];
            let block = n.div_ceil(counts[dim]);
            ranges[dim] = (i * block).min(n)..((i + 1) * block).min(n);
        }
        Part::new(ranges)
    };
    (0..ranks).map(of).collect()
}

/// The boxes that were given, which have every point once.
fn checked(boxes: &[Vec<Range<usize>>], lengths: &[usize], ranks: usize) -> Result<Vec<Part>> {
    let wrong = |reason: String| Err(Error::Spread { reason });
    if boxes.len() != ranks {
        return wrong(format!(
            "{} boxes: expected one for each of {ranks} ranks",
            boxes.len()
        ));
    }
    let mut parts = Vec::new();
    for (rank, ranges) in boxes.iter().enumerate() {
        let inside = ranges.len() + 1 == lengths.len()
            && ranges
                .iter()
                .zip(&lengths[1..])
                .all(|(range, &n)| range.start <= range.end && range.end <= n);
        if !inside {
            return wrong(format!(
                "the box {ranges:?} of rank {rank} is not inside lengths of {:?}",
                &lengths[1..]
            ));
        }
        let batch = std::iter::once(0..lengths[0]);
        parts.push(Part::new(batch.chain(ranges.iter().cloned()).collect()));
    }
    for (a, part) in parts.iter().enumerate() {
        let beside = parts[..a]
            .iter()
            .position(|other| part.common(other).is_some());
        if let Some(b) = beside {
            return wrong(format!(
                "the boxes of ranks {b} and {a} have points in common"
            ));
        }
    }
    let (all, points) = (
        lengths.iter().product::<usize>(),
        parts.iter().map(Part::points).sum::<usize>(),
    );
    match points == all {
        true => Ok(parts),
        false => wrong(format!(
            "the boxes have {points} of the array's {all} points"
        )),
    }
}

#[cfg(test)]
#[path = "spread_tests.rs"]
mod tests;
