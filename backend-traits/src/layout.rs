//! Where the points of an array lie.

use crate::error::{Error, Result};
use crate::side::Slot;

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
    /// no two elements share an address, unless they may `overlap`.
    pub fn resolve(
        &self,
        side: Slot,
        batch: usize,
        dims: &[usize],
        row: usize,
        overlap: bool,
    ) -> Result<ResolvedLayout> {
        let overflow = || Error::Overflow {
            what: format!("the extent of the {side} layout"),
        };
        self.check_signs(side)?;
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
        let span = span(side, &all, &strides, overlap)?;
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

impl Layout {
    /// Refuses what was negative before it became unsigned, whose sign bit is still there.
    fn check_signs(&self, side: Slot) -> Result<()> {
        let strides = self.strides.iter().flatten().enumerate();
        let strides = strides.map(|(i, &stride)| (format!("stride of dimension {i}"), stride));
        let distance = self.distance.map(|distance| ("distance".into(), distance));
        let offset = ("offset".into(), self.offset);
        let mut all = strides.chain(distance).chain([offset]);
        match all.find(|(_, number)| (*number as isize) < 0) {
            Some((what, number)) => Err(Error::NegativeStride {
                side,
                what,
                got: number as isize,
            }),
            None => Ok(()),
        }
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

/// The whole span of elements, whose dimensions nest unless they may `overlap`.
///
/// Each stride is then at least the span of all smaller ones. Interleaved layouts that
/// happen not to collide although they do not nest are refused too: nobody means them.
fn span(side: Slot, dims: &[usize], strides: &[usize], overlap: bool) -> Result<usize> {
    let mut order: Vec<usize> = (0..dims.len()).filter(|&i| dims[i] > 1).collect();
    order.sort_by_key(|&i| strides[i]);
    let mut span = 1usize;
    for i in order {
        if strides[i] < span && !overlap {
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
#[path = "layout_tests.rs"]
mod tests;
