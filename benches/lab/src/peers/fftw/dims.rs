//! Shapes and strides of the arrays of a plan.

use std::ffi::c_int;

/// The shape of a batch of row-major transforms and its place in memory.
///
/// Element `(i, j, k)` of transform `b` is at `stride * ((i * n1 + j) * n2 + k) + distance * b`,
/// counted in elements of the array in question, real or complex. By default the stride is 1 and
/// the transforms follow each other without gaps.
///
/// The half spectrum of a real transform has `n / 2 + 1` elements along its last dimension. In
/// place, the rows of the real array are padded to the same memory, `2 * (n / 2 + 1)` elements.
///
/// The transforms of a batch may follow each other or interleave (a stride of at least
/// `howmany * distance`), but not overlap: they may be executed by several threads.
#[derive(Clone, Debug)]
pub struct Dims {
    shape: Vec<usize>,
    howmany: usize,
    input: Option<Layout>,
    output: Option<Layout>,
}

#[derive(Clone, Copy, Debug)]
struct Layout {
    stride: usize,
    distance: usize,
}

impl Dims {
    /// One transform of `shape`, of one to three positive lengths. For transforms between real
    /// and complex data these are the lengths of the real array.
    pub fn new(shape: &[usize]) -> Self {
        Self {
            shape: shape.to_vec(),
            howmany: 1,
            input: None,
            output: None,
        }
    }

    /// Repeats the transform.
    pub fn howmany(mut self, howmany: usize) -> Self {
        self.howmany = howmany;
        self
    }

    /// The steps between the elements of an input and between the inputs of a batch.
    pub fn input(mut self, stride: usize, distance: usize) -> Self {
        self.input = Some(Layout { stride, distance });
        self
    }

    /// The steps between the elements of an output and between the outputs of a batch.
    pub fn output(mut self, stride: usize, distance: usize) -> Self {
        self.output = Some(Layout { stride, distance });
        self
    }
}

/// How many elements the rows of an array have, for rows of `n` in the transform.
#[derive(Clone, Copy)]
pub enum Rows {
    /// `n`.
    Full,
    /// `n / 2 + 1` complex elements.
    Half,
    /// `2 * (n / 2 + 1)` real elements.
    Padded,
}

/// Checked arguments of FFTW's planners.
pub struct Geometry {
    pub n: Vec<c_int>,
    pub howmany: c_int,
    pub input: Side,
    pub output: Side,
}

/// One of the two arrays.
pub struct Side {
    pub stride: c_int,
    pub distance: c_int,
    /// The number of elements from the first to the last one used.
    pub len: usize,
}

impl Geometry {
    pub fn new(dims: &Dims, input: Rows, output: Rows) -> Result<Self, String> {
        if !(1..=3).contains(&dims.shape.len()) || dims.shape.contains(&0) || dims.howmany == 0 {
            return Err(format!("not one to three positive lengths: {dims:?}"));
        }
        let n: Option<Vec<c_int>> = dims.shape.iter().map(|&n| n.try_into().ok()).collect();
        let fit = || {
            Some(Self {
                n: n?,
                howmany: dims.howmany.try_into().ok()?,
                input: Side::new(dims, input, dims.input)?,
                output: Side::new(dims, output, dims.output)?,
            })
        };
        fit().ok_or_else(|| format!("overlapping, or too large for FFTW: {dims:?}"))
    }
}

impl Side {
    /// `None` if elements overlap or a number does not fit.
    fn new(dims: &Dims, rows: Rows, layout: Option<Layout>) -> Option<Self> {
        let (last, outer) = dims.shape.split_last()?;
        let row = match rows {
            Rows::Full => *last,
            Rows::Half => last / 2 + 1,
            Rows::Padded => 2 * (last / 2 + 1),
        };
        let elements = outer.iter().try_fold(row, |size, &n| size.checked_mul(n))?;
        let layout = layout.unwrap_or(Layout {
            stride: 1,
            distance: elements,
        });
        let inside = layout.stride.checked_mul(elements - 1)?;
        let across = layout.distance.checked_mul(dims.howmany - 1)?;
        let apart = dims.howmany == 1 || layout.distance > inside;
        let interleaved = layout.distance > 0 && layout.stride > across;
        if layout.stride == 0 || !(apart || interleaved) {
            return None;
        }
        Some(Self {
            stride: layout.stride.try_into().ok()?,
            distance: layout.distance.try_into().ok()?,
            len: inside.checked_add(across)?.checked_add(1)?,
        })
    }
}
