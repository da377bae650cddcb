//! Row-major arrays that lie inside of larger ones, as FFTW's and cuFFT's interfaces for many arrays have them.

use crate::problem::{Dim, Problem};
use mmafft::{Domain, Request};

/// Arrays of one shape, with strides and distances in elements of their side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Embedded<'a> {
    /// The lengths; of the real side for R2C and C2R.
    pub n: &'a [i64],
    /// How many arrays.
    pub howmany: i64,
    /// The lengths of the arrays that these are parts of; by default their own.
    pub embed: [Option<&'a [i64]>; 2],
    /// Strides of the last dimension.
    pub strides: [i64; 2],
    /// From one array to the next.
    pub distances: [i64; 2],
}

impl Embedded<'_> {
    /// The problem of these arrays; `None` where a length is negative, or one of an array is 0.
    pub fn problem(&self, request: Request, in_place: bool) -> Option<Problem> {
        let row = request.kind.row();
        let domains = [row.input, row.output];
        let scalars = domains.map(|domain| domain.scalars() as i64);
        let last = self.n.last().map_or(1, |&n| n);
        let rows = [0, 1].map(|side| match (domains[side], domains[1 - side]) {
            (Domain::Complex, Domain::Real) => last / 2 + 1,
            (Domain::Real, Domain::Complex) if in_place => (last / 2 + 1).saturating_mul(2),
            _ => last,
        });
        let sides = [0, 1].map(|side| self.side(side, rows[side], scalars[side]));
        let [Some(input), Some(output)] = sides else {
            return None;
        };
        let mut dims = Vec::with_capacity(self.n.len());
        for (&n, strides) in self.n.iter().zip(input.into_iter().zip(output)) {
            dims.push(Dim {
                n: usize::try_from(n).ok().filter(|&n| n > 0)?,
                strides: strides.into(),
            });
        }
        let distance = |side: usize| self.distances[side].checked_mul(scalars[side]);
        let counts = Dim {
            n: usize::try_from(self.howmany).ok()?,
            strides: [distance(0)? as isize, distance(1)? as isize],
        };
        Some(Problem {
            request,
            dims,
            loops: vec![counts],
            split: [false; 2],
        })
    }

    /// A side's strides in scalars, where its rows have so many elements unless larger arrays are given.
    fn side(&self, side: usize, row: i64, scalars: i64) -> Option<Vec<isize>> {
        let mut stride = self.strides[side].checked_mul(scalars)?;
        let mut strides = Vec::with_capacity(self.n.len());
        for (i, &n) in self.n.iter().enumerate().rev() {
            strides.push(stride as isize);
            let length = match self.embed[side] {
                Some(embed) => *embed.get(i)?,
                None if i + 1 == self.n.len() => row,
                None => n,
            };
            // What lies before the first dimension is never used.
            stride = if i > 0 {
                stride.checked_mul(length)?
            } else {
                0
            };
        }
        strides.reverse();
        Some(strides)
    }
}
