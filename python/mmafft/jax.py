"""Transforms of JAX's arrays: inside of `jax.jit`, `jax.vmap` and gradients of any order and mode.

`fft`, `ifft`, `rfft`, `irfft`, `hfft`, `ihfft`, theirs of two and of several axes, with the arguments and results of
:mod:`jax.numpy.fft`; and `dct`, `idct`, `dst`, `idst` and theirs of several axes, with those of :mod:`scipy.fft`. XLA
calls the compiled part itself (a target of its foreign function interface), on the CPU by the threads of this process,
on CUDA in XLA's stream.
"""

import ctypes
import functools
import operator
import re
from pathlib import Path

import jax as _jax
import jax.numpy as _jnp
import numpy as _np
from jax.extend.core import Primitive as _Primitive
from jax.interpreters import ad as _ad
from jax.interpreters import batching as _batching
from jax.interpreters import mlir as _mlir

from . import _core, _others
from ._adjoints import edges as _edges
from ._adjoints import transpose_of as _transpose_of
from ._arguments import ALL, C2R, COSINE, FORWARD, INVERSE, R2C, SINE
from ._arguments import axes_of as _axes_of
from ._arguments import orthogonality as _orthogonality
from ._arguments import scale_of as _scale_of
from ._arguments import swap as _swap
from ._arguments import type_of as _type_of

_NAMES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idct", "dst", "idst"]
__all__ = [*_NAMES, *[name + "n" for name in _NAMES], *[name + "2" for name in _NAMES[:6]]]


def _register():
    """Gives XLA the functions, of the version of the interface that it has."""
    header = Path(_jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    version = [re.search(rf"#define XLA_FFI_API_{part} (\d+)", header.read_text()) for part in ("MAJOR", "MINOR")]
    major, minor = (int(found[1]) for found in version)
    if major != 0:
        raise RuntimeError(f"JAX {_jax.__version__} has version {major} of XLA's interface: mmafft knows version 0")
    for platform in ("cpu", "CUDA"):
        address = _core.xla_handler(platform == "CUDA", minor)
        target = _jax.ffi.pycapsule(ctypes.CFUNCTYPE(None)(address))
        _jax.ffi.register_ffi_target("mmafft", target, platform=platform)


_register()
_transform = _Primitive("mmafft")


def _shape(shape, op, axes, lengths):
    shape = list(shape)
    for axis, n in zip(axes, lengths):
        shape[axis] = n
    if op == R2C:
        shape[axes[-1]] = lengths[-1] // 2 + 1
    return tuple(shape)


def _apply(x, op, axes, lengths, scale):
    return _transform.bind(x, op=op, axes=tuple(axes), lengths=tuple(lengths), scale=scale)


@functools.lru_cache(maxsize=256)
def _compiled(op, axes, lengths, scale):
    return _jax.jit(lambda x: _apply(x, op, axes, lengths, scale))


_transform.def_impl(lambda x, **how: _compiled(**how)(x))


@_transform.def_abstract_eval
def _abstract(x, *, op, axes, lengths, scale):
    dtype = x.dtype
    if op in (R2C, C2R):
        dtype = _np.result_type(dtype, _np.complex64) if op == R2C else _np.empty(0, dtype).real.dtype
    return _jax.core.ShapedArray(_shape(x.shape, op, axes, lengths), dtype)


def _lower(ctx, x, *, op, axes, lengths, scale):
    (aval,), (out,) = ctx.avals_in, ctx.avals_out
    if 0 in out.shape:
        return _mlir.lower_fun(lambda x: _jnp.zeros(out.shape, out.dtype), multiple_results=False)(ctx, x)
    double = aval.dtype in (_np.float64, _np.complex128)
    job = _np.array([op, scale, double, *axes, *lengths], _np.int64)
    return _jax.ffi.ffi_lowering("mmafft")(ctx, x, job=job)


def _lower_cuda(ctx, x, **how):
    _others.find_compiler()
    return _lower(ctx, x, **how)


_mlir.register_lowering(_transform, _lower, platform="cpu")
_mlir.register_lowering(_transform, _lower_cuda, platform="cuda")


def _mapped(values, dims, *, op, axes, lengths, scale):
    x = _jnp.moveaxis(values[0], dims[0], 0)
    return _apply(x, op, [axis + 1 for axis in axes], lengths, scale), 0


_batching.primitive_batchers[_transform] = _mapped


def _weighted(x, axis, others, at_edges):
    """`x` with points along an axis multiplied: by `at_edges[index]`, and all others by `others`."""
    factors = _np.full(x.shape[axis], others)
    for index, factor in at_edges.items():
        factors[index] = factor
    shape = [1] * x.ndim
    shape[axis] = -1
    return x * factors.reshape(shape).astype(x.dtype)


def _resized(x, shape):
    """`x` cropped, or with zeros behind."""
    x = x[tuple(slice(0, n) for n in shape)]
    return _jnp.pad(x, [(0, n - own) for n, own in zip(shape, x.shape)])


def _transposed(gradient, x, *, op, axes, lengths, scale):
    """What JAX calls the transpose: of the matrix, without conjugates."""
    shape = x.aval.shape
    how = (axes, lengths, scale)
    if op in (FORWARD, INVERSE):
        result = _apply(gradient, op, *how)
    elif op == R2C:
        half = _weighted(_jnp.conj(gradient), axes[-1], 0.5, _edges(lengths[-1]))
        result = _apply(half, C2R, *how)
    elif op == C2R:
        half = _jnp.conj(_apply(gradient, R2C, *how))
        result = _weighted(half, axes[-1], 2.0, _edges(lengths[-1]))
    else:
        other, before, after = _transpose_of(op, scale)
        for axis in axes if before else ():
            gradient = _weighted(gradient, axis, *before)
        result = _apply(gradient, other, *how)
        for axis in axes if after else ():
            result = _weighted(result, axis, *after)
    return [_resized(result, shape)]


_ad.deflinear2(_transform, _transposed)


def _as_float(x, is_complex):
    """An array of single or double precision, complex where that is asked for."""
    x = _jnp.asarray(x)
    if not _jnp.issubdtype(x.dtype, _jnp.inexact):
        x = x.astype(_jnp.result_type(float))
    elif x.dtype.itemsize < 4:
        x = x.astype(_np.float32)
    if is_complex and not _jnp.iscomplexobj(x):
        x = x.astype(_np.result_type(x.dtype, _np.complex64))
    return x


def _along(x, n, axis, several):
    if several:
        lengths, axes = _axes_of(x, n, ALL if axis is None else axis)
        return axes, lengths
    try:
        axis = operator.index(axis)
    except TypeError:
        raise ValueError(f"one axis is transformed: got axis = {axis}") from None
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis is {axis}, of an array of {x.ndim} axes")
    axis %= x.ndim
    length = x.shape[axis] if n is None else operator.index(n)
    if length < 1:
        raise ValueError(f"invalid number of data points ({length}) specified")
    return [axis], [length]


def _complex(x, n, axis, norm, several, forward):
    x = _as_float(x, True)
    if n is None and 0 in x.shape:
        # As JAX's: of no points there is no spectrum.
        return x
    axes, lengths = _along(x, n, axis, several)
    return _apply(x, FORWARD if forward else INVERSE, axes, lengths, _scale_of(norm, forward)) if axes else x


def _half(x, n, axis, norm, several):
    x = _as_float(x, False)
    if _jnp.iscomplexobj(x):
        raise TypeError("x must be real")
    axes, lengths = _along(x, n, axis, several)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    return _apply(x, R2C, axes, lengths, _scale_of(norm, True))


def _real(x, n, axis, norm, several):
    x = _as_float(x, True)
    axes, lengths = _along(x, n, axis, several)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    if n is None:
        lengths[-1] = 2 * (x.shape[axes[-1]] - 1)
    if lengths[-1] < 1:
        raise ValueError(f"invalid number of data points ({lengths[-1]}) specified")
    return _apply(x, C2R, axes, lengths, _scale_of(norm, False))


def _trigonometric(family, inverse, x, type, n, axis, norm, orthogonalize, several):
    x = _as_float(x, False)
    if _jnp.iscomplexobj(x):
        how = (type, n, axis, norm, orthogonalize, several)
        return _jax.lax.complex(*(_trigonometric(family, inverse, part, *how) for part in (x.real, x.imag)))
    op, scale = _type_of(family, type, inverse), _scale_of(norm, not inverse)
    axes, lengths = _along(x, n, axis, several)
    if op == COSINE and min(lengths, default=2) < 2:
        raise ValueError("DCT-I is not defined for size < 2")
    if not axes:
        return x
    factor, scale = _orthogonality(op, lengths, orthogonalize, scale)
    result = _apply(x, op, axes, lengths, scale)
    return result if factor is None else result * _np.asarray(factor, result.dtype)


def _functions():
    """The functions of all names."""

    def fourier(name, several, default):
        def one(a, n=None, axis=default, norm=None):
            if name in ("fft", "ifft"):
                return _complex(a, n, axis, norm, several, name == "fft")
            if name in ("rfft", "ihfft"):
                half = _half(a, n, axis, norm if name == "rfft" else _swap(norm), several)
                return half if name == "rfft" else _jnp.conj(half)
            if name == "irfft":
                return _real(a, n, axis, norm, several)
            return _real(_jnp.conj(a), n, axis, _swap(norm), several)

        return (lambda a, s=None, axes=default, norm=None: one(a, s, axes, norm)) if several else one

    def cosine(name, several):
        family, inverse = SINE if name.endswith("dst") else COSINE, name.startswith("i")

        def one(x, type=2, n=None, axis=-1, norm=None, orthogonalize=None):
            return _trigonometric(family, inverse, x, type, n, axis, norm, orthogonalize, False)

        def all_of(x, type=2, s=None, axes=None, norm=None, orthogonalize=None):
            return _trigonometric(family, inverse, x, type, s, axes, norm, orthogonalize, True)

        return all_of if several else one

    def of_two(name):
        function = fourier(name, True, (-2, -1))

        def two(a, s=None, axes=(-2, -1), norm=None):
            if len(axes) != 2:
                raise ValueError(f"two axes are transformed: got axes = {axes}")
            return function(a, s, axes, norm)

        return two

    for name in _NAMES[:6]:
        words = f"As :func:`jax.numpy.fft.{name}`"
        yield name, fourier(name, False, -1), words + "."
        yield name + "2", of_two(name), words + ", over two axes."
        yield name + "n", fourier(name, True, None), words + ", over several axes."
    for name in _NAMES[6:]:
        yield name, cosine(name, False), f"As :func:`scipy.fft.{name}`."
        yield name + "n", cosine(name, True), f"As :func:`scipy.fft.{name}n`."


for _name, _function, _words in _functions():
    _function.__name__ = _function.__qualname__ = _name
    _function.__module__, _function.__doc__ = __name__, _words
    globals()[_name] = _function
