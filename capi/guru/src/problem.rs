//! What is asked for.

use mmafft::{Domain, Error, Kind, Request, Result};

/// A dimension of both arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dim {
    /// Its length; of a halved dimension that of its real side.
    pub n: usize,
    /// The strides of input and output, in scalars.
    pub strides: [isize; 2],
}

/// A transform of many arrays of any rank, as FFTW's guru interface describes one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Problem {
    /// Kind, direction, precision and all else that dimensions do not say. A list of kinds has
    /// one for each of `dims`.
    pub request: Request,
    /// The dimensions that are transformed, the halved one last. Without any, data are copied.
    pub dims: Vec<Dim>,
    /// Those that count arrays.
    pub loops: Vec<Dim>,
    /// Whether a complex side has its imaginary parts at an address of their own.
    pub split: [bool; 2],
}

impl Problem {
    /// The lengths of a dimension on both sides.
    pub(crate) fn lengths(&self, place: usize) -> [usize; 2] {
        let n = self.dims[place].n;
        match place + 1 == self.dims.len() {
            true => self.request.kind.lengths(n),
            false => [n, n],
        }
    }

    /// Real or complex, of both sides.
    pub(crate) fn domains(&self) -> [Domain; 2] {
        let row = self.request.kind.row();
        [row.input, row.output]
    }

    /// Bytes of a scalar.
    pub(crate) fn scalar(&self) -> usize {
        self.request.precision.row().storage.bytes()
    }

    /// Whether it has nothing to do.
    pub(crate) fn is_empty(&self) -> bool {
        self.loops.iter().any(|dim| dim.n == 0)
    }

    /// The same with a dimension to transform: a single point is its own transform.
    pub(crate) fn with_a_dimension(&self) -> Problem {
        let mut all = self.clone();
        if all.dims.is_empty() {
            all.dims.push(Dim {
                n: 1,
                strides: [0; 2],
            });
            if all.request.kind.is_real_to_real() {
                all.request.kind = Kind::R2HC;
                all.request.kinds = None;
            }
        }
        all
    }

    /// Whether each array's output lies where its input does, should both begin at one address: rows of reals and their
    /// half spectra are contiguous then.
    pub(crate) fn stays(&self) -> bool {
        let scalars = self.domains().map(|domain| domain.scalars() as isize);
        let (outer, last) = match scalars[0] == scalars[1] {
            true => (&self.dims[..], None),
            false => (&self.dims[..self.dims.len() - 1], self.dims.last()),
        };
        let same = |dim: &&Dim| dim.n <= 1 || dim.strides[0] == dim.strides[1];
        let rows = last.is_none_or(|dim| dim.strides == scalars && self.split == [false; 2]);
        rows && outer.iter().chain(&self.loops).all(|dim| same(&dim))
    }

    /// Refuses what no memory holds, so that sums of offsets cannot overflow.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(kinds) = &self.request.kinds {
            if kinds.len() != self.dims.len() {
                return Err(Error::KindCount {
                    expected: self.dims.len(),
                    got: kinds.len(),
                });
            }
            let all = kinds.iter().chain([&self.request.kind]);
            if let Some(kind) = all.copied().find(|kind| !kind.is_real_to_real()) {
                return Err(Error::Unsupported {
                    what: format!("a list of kinds with {}", kind.row().name),
                    backend: "mmafft".into(),
                    instead: "list kinds from reals to reals".into(),
                });
            }
        }
        if let Some(axis) = self.dims.iter().position(|dim| dim.n == 0) {
            return Err(Error::Empty {
                what: format!("dimension {axis}"),
            });
        }
        for side in 0..2 {
            let mut extent = 0usize;
            for dim in self.dims.iter().chain(&self.loops) {
                let last = dim.n.saturating_sub(1);
                let reach = last.checked_mul(dim.strides[side].unsigned_abs());
                let sum = reach.and_then(|reach| extent.checked_add(reach));
                extent = sum
                    .filter(|&sum| sum <= isize::MAX as usize / 64)
                    .ok_or_else(|| Error::Overflow {
                        what: "the extent of the dimensions".into(),
                    })?;
            }
        }
        Ok(())
    }
}
