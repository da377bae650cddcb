//! The rest of a spectrum of reals, from the half that was computed: `X[n - k]` is the conjugate of `X[k]`.

use num_complex::Complex;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Neg;

/// Completes a C-contiguous array along an axis; of an inverse transform, whose half was computed as a forward one's.
pub fn whole(out: &Bound<'_, PyUntypedArray>, axis: usize, inverse: bool) {
    let shape = out.shape();
    let (n, inner) = (shape[axis], shape[axis + 1..].iter().product());
    // SAFETY: the array lives, is contiguous and of complex numbers of one of two sizes.
    unsafe {
        let data = (*out.as_array_ptr()).data;
        match out.dtype().itemsize() {
            8 => lines(points::<f32>(data.cast(), out.len()), n, inner, inverse),
            _ => lines(points::<f64>(data.cast(), out.len()), n, inner, inverse),
        }
    }
}

/// The same of an array that Python has made.
#[pyfunction]
pub fn mirror(out: &Bound<'_, PyUntypedArray>, axis: usize, inverse: bool) -> PyResult<()> {
    let complex = out.dtype().kind() == b'c' && [8, 16].contains(&out.dtype().itemsize());
    if !complex || !out.is_c_contiguous() || axis >= out.ndim() {
        return Err(PyValueError::new_err(
            "expected a C-contiguous array of complex numbers",
        ));
    }
    whole(out, axis, inverse);
    Ok(())
}

unsafe fn points<'a, T>(data: *mut Complex<T>, len: usize) -> &'a mut [Complex<T>] {
    match len {
        0 => &mut [],
        // SAFETY: by the caller's word.
        _ => unsafe { std::slice::from_raw_parts_mut(data, len) },
    }
}

fn lines<T: Copy + Neg<Output = T>>(
    data: &mut [Complex<T>],
    n: usize,
    inner: usize,
    inverse: bool,
) {
    let conjugate = |x: Complex<T>| Complex { im: -x.im, ..x };
    for block in data.chunks_exact_mut((n * inner).max(1)) {
        let (half, rest) = block.split_at_mut((n / 2 + 1) * inner);
        if inverse {
            half.iter_mut().for_each(|x| *x = conjugate(*x));
        }
        if inner == 1 {
            let sources = half[1..].iter().take(rest.len());
            rest.iter_mut()
                .rev()
                .zip(sources)
                .for_each(|(to, &from)| *to = conjugate(from));
            continue;
        }
        let sources = half[inner.min(half.len())..].chunks_exact(inner.max(1));
        for (to, from) in rest.chunks_exact_mut(inner.max(1)).rev().zip(sources) {
            to.iter_mut()
                .zip(from)
                .for_each(|(to, &from)| *to = conjugate(from));
        }
    }
}
