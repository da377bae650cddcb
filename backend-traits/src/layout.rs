//! Where the points of an array lie.

use crate::error::{Error, Result, Side};

/// Whether the output replaces the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Placement {
    /// Two buffers; the input is only read.
    #[default]
    OutOfPlace,
    /// One buffer. A real side of R2C and C2R is then padded by default, as in FFTW:
    /// rows of `2 (n/2 + 1)` reals.
    InPlace,
}

/// Strides of one side of a transform, counted in that side's elements (complex
/// elements where the side is complex). What is not given is contiguous.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Layout {
    /// One stride per dimension, outermost first.
    pub strides: Option<Vec<usize>>,
    /// From one array of the batch to the next.
    pub distance: Option<usize>,
    /// Before the first element.
    pub offset: usize,
}

impl Layout {
    /// Contiguous, row-major.
    pub fn contiguous() -> Self {
        Layout::default()
    }

    /// With these strides.
    pub fn strided(strides: &[usize]) -> Self {
        Layout {
            strides: Some(strides.to_vec()),
            ..Layout::default()
        }
    }

    /// The same, with this distance between the arrays of a batch.
    pub fn distance(mut self, distance: usize) -> Self {
        self.distance = Some(distance);
        self
    }

    /// The same, starting at this element.
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }
}

/// A layout with nothing left open, for arrays of the lengths `dims`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedLayout {
    /// Lengths, the batch first.
    pub dims: Vec<usize>,
    /// Strides in elements, the batch's first.
    pub strides: Vec<usize>,
    /// Elements before the first.
    pub offset: usize,
    /// The least number of elements that a buffer must have.
    pub required: usize,
}

impl Layout {
    /// Fills in what is not given for `batch` arrays of the lengths `dims`, whose rows
    /// (the last dimension) take `row` elements in the contiguous case, and checks that
    /// no two elements share an address.
    pub fn resolve(
        &self,
        side: Side,
        batch: usize,
        dims: &[usize],
        row: usize,
    ) -> Result<ResolvedLayout> {
        let overflow = || Error::Overflow {
            what: format!("the extent of the {side} layout"),
        };
        let mut strides = vec![0; dims.len() + 1];
        match &self.strides {
            Some(given) if given.len() != dims.len() => {
                return Err(Error::StrideCount {
                    side,
                    expected: dims.len(),
                    got: given.len(),
                });
            }
            Some(given) => strides[1..].copy_from_slice(given),
            None => {
                let mut stride = 1usize;
                for (i, &n) in dims.iter().enumerate().rev() {
                    strides[i + 1] = stride;
                    let extent = if i + 1 == dims.len() { row } else { n };
                    stride = stride.checked_mul(extent).ok_or_else(overflow)?;
                }
            }
        }
        strides[0] = match self.distance {
            Some(distance) => distance,
            None => contiguous_distance(dims, &strides[1..], row).ok_or_else(overflow)?,
        };
        let mut all = vec![batch];
        all.extend_from_slice(dims);
        let span = check_nesting(side, &all, &strides)?;
        let required = span.checked_add(self.offset).ok_or_else(overflow)?;
        if required > isize::MAX as usize / 16 {
            return Err(overflow());
        }
        Ok(ResolvedLayout {
            dims: all,
            strides,
            offset: self.offset,
            required,
        })
    }
}

/// The distance that puts arrays back to back: the largest `stride · length`, with the
/// padded row where the last dimension is the contiguous one.
fn contiguous_distance(dims: &[usize], strides: &[usize], row: usize) -> Option<usize> {
    let mut distance = 1usize;
    for (i, (&n, &stride)) in dims.iter().zip(strides).enumerate() {
        let n = if i + 1 == dims.len() && stride == 1 {
            row
        } else {
            n
        };
        distance = distance.max(n.checked_mul(stride)?);
    }
    Some(distance)
}

/// Checks that the dimensions nest, each stride at least the span of all smaller ones,
/// and returns the whole span. Interleaved layouts that happen not to collide although
/// they do not nest are refused too: nobody means them.
fn check_nesting(side: Side, dims: &[usize], strides: &[usize]) -> Result<usize> {
    let mut order: Vec<usize> = (0..dims.len()).filter(|&i| dims[i] > 1).collect();
    order.sort_by_key(|&i| strides[i]);
    let mut span = 1usize;
    for i in order {
        if strides[i] < span {
            return Err(Error::Overlap {
                side,
                dimension: match i {
                    0 => "batch (its distance)".into(),
                    i => (i - 1).to_string(),
                },
                expected: span,
                got: strides[i],
            });
        }
        span = (dims[i] - 1)
            .checked_mul(strides[i])
            .and_then(|s| s.checked_add(span))
            .filter(|&s| s <= isize::MAX as usize)
            .ok_or_else(|| Error::Overflow {
                what: format!("the extent of the {side} layout"),
            })?;
    }
    Ok(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguous_and_padded() {
        let l = Layout::contiguous();
        let r = l.resolve(Side::Input, 2, &[3, 5], 5).unwrap();
        assert_eq!((r.strides, r.required), (vec![15, 5, 1], 30));
        let r = l.resolve(Side::Input, 2, &[3, 5], 6).unwrap();
        assert_eq!((r.strides, r.required), (vec![18, 6, 1], 18 + 12 + 5));
    }

    #[test]
    fn overlap_and_overflow_are_refused() {
        let overlap = Layout::strided(&[4, 1]).resolve(Side::Output, 1, &[3, 5], 5);
        assert!(matches!(
            overlap,
            Err(Error::Overlap {
                expected: 5,
                got: 4,
                ..
            })
        ));
        let distance = Layout::contiguous()
            .distance(0)
            .resolve(Side::Input, 2, &[4], 4);
        assert!(matches!(
            distance,
            Err(Error::Overlap {
                expected: 1,
                got: 0,
                ..
            })
        ));
        let huge = Layout::strided(&[usize::MAX / 2]).resolve(Side::Input, 1, &[5], 5);
        assert!(matches!(huge, Err(Error::Overflow { .. })));
        // A stride of a dimension of one point is never used.
        assert!(Layout::strided(&[0, 1])
            .resolve(Side::Input, 1, &[1, 8], 8)
            .is_ok());
    }
}
