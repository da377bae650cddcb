"""Transforms of PyTorch's tensors with gradients, `torch.vmap` and `torch.compile`, by the names of `torch.fft`.

`fft`, `ifft`, `rfft`, `irfft`, `hfft`, `ihfft`, theirs of two and of several axes, with the arguments, shapes, types
and errors of :mod:`torch.fft`; and `dct`, `idct`, `dst`, `idst` and theirs of several axes, with those of
:mod:`scipy.fft` and `dim` in place of `axis`. Tensors may be on the CPU or on CUDA, where a call runs in the current
stream.

:func:`patch` brings mmafft to programs that call `torch.fft`.
"""

import operator

import torch as _torch

from .._arguments import ALL, COSINE, SINE, axes_of, orthogonality, scale_of, swap, type_of
from . import _operators
from ._patch import patch

_NAMES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idct", "dst", "idst"]
__all__ = [*_NAMES, *[name + "n" for name in _NAMES], *[name + "2" for name in _NAMES[:6]], "patch"]


def _as_float(x, is_complex):
    """A tensor of a type that is transformed, complex where that is asked for."""
    if not isinstance(x, _torch.Tensor):
        raise TypeError(f"x must be a tensor: got {type(x).__name__}")
    dtype = x.dtype if x.dtype.is_floating_point or x.dtype.is_complex else _torch.get_default_dtype()
    if dtype is _torch.bfloat16 and is_complex is not None:
        dtype = _torch.float32
    if is_complex and not dtype.is_complex:
        dtype = dtype.to_complex()
    return x.to(dtype)


def _along(x, n, dim, several):
    if several:
        lengths, axes = axes_of(x, n, ALL if dim is None else dim)
        return axes, lengths
    axis = operator.index(dim)
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"dim is {axis}, of a tensor of {x.ndim} axes")
    axis %= x.ndim
    length = x.shape[axis] if n is None else operator.index(n)
    if length < 1:
        raise ValueError(f"invalid number of data points ({length}) specified")
    return [axis], [length]


def _complex(x, n, dim, norm, several, forward):
    x = _as_float(x, True)
    axes, lengths = _along(x, n, dim, several)
    return _operators.c2c(x, axes, lengths, scale_of(norm, forward), forward) if axes else x


def _half(x, n, dim, norm, several):
    if x.dtype.is_complex:
        raise TypeError("x must be real")
    x = _as_float(x, False)
    axes, lengths = _along(x, n, dim, several)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    return _operators.r2c(x, axes, lengths, scale_of(norm, True))


def _real(x, n, dim, norm, several):
    x = _as_float(x, True)
    given = n if several or n is None else [n]
    axes, lengths = _along(x, n, dim, several)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    if given is None or given[-1] == -1:
        lengths[-1] = 2 * (x.shape[axes[-1]] - 1)
    if lengths[-1] < 1:
        raise ValueError(f"invalid number of data points ({lengths[-1]}) specified")
    return _operators.c2r(x, axes, lengths, scale_of(norm, False))


def _trigonometric(family, inverse, x, type, n, dim, norm, orthogonalize, several):
    x = _as_float(x, None)
    if x.dtype.is_complex:
        parts = _torch.view_as_real(x).unbind(-1)
        parts = [_trigonometric(family, inverse, p, type, n, dim, norm, orthogonalize, several) for p in parts]
        return _torch.complex(*parts)
    op, scale = type_of(family, type, inverse), scale_of(norm, not inverse)
    axes, lengths = _along(x, n, dim, several)
    if op == COSINE and min(lengths, default=2) < 2:
        raise ValueError("DCT-I is not defined for size < 2")
    if not axes:
        return x
    factor, scale = orthogonality(op, lengths, orthogonalize, scale)
    result = _operators.r2r(x, axes, lengths, scale, op)
    return result if factor is None else result * factor


def _functions():
    """The functions of all names."""

    def fourier(name, several, default):
        def whole(input, n=None, dim=default, norm=None):
            return _complex(input, n, dim, norm, several, name == "fft")

        def half(input, n=None, dim=default, norm=None):
            result = _half(input, n, dim, norm if name == "rfft" else swap(norm), several)
            return result if name == "rfft" else _torch.conj_physical(result)

        def real(input, n=None, dim=default, norm=None):
            if name == "irfft":
                return _real(input, n, dim, norm, several)
            return _real(_as_float(input, True).conj(), n, dim, swap(norm), several)

        function = {"fft": whole, "rfft": half, "irfft": real, "hfft": real, "ihfft": half}.get(name, whole)
        if several:
            return lambda input, s=None, dim=default, norm=None: function(input, s, dim, norm)
        return function

    def cosine(name, several):
        family, inverse = SINE if name.endswith("dst") else COSINE, name.startswith("i")

        def one(input, type=2, n=None, dim=-1, norm=None, orthogonalize=None):
            return _trigonometric(family, inverse, input, type, n, dim, norm, orthogonalize, False)

        def all_of(input, type=2, s=None, dim=None, norm=None, orthogonalize=None):
            return _trigonometric(family, inverse, input, type, s, dim, norm, orthogonalize, True)

        return all_of if several else one

    for name in _NAMES[:6]:
        yield name, fourier(name, False, -1), f"As :func:`torch.fft.{name}`."
        yield name + "2", fourier(name, True, (-2, -1)), f"As :func:`torch.fft.{name}2`."
        yield name + "n", fourier(name, True, None), f"As :func:`torch.fft.{name}n`."
    for name in _NAMES[6:]:
        yield name, cosine(name, False), f"As :func:`scipy.fft.{name}`, along `dim`."
        yield name + "n", cosine(name, True), f"As :func:`scipy.fft.{name}n`, along the axes `dim`."


for _name, _function, _words in _functions():
    _function.__name__ = _function.__qualname__ = _name
    _function.__module__, _function.__doc__ = __name__, _words
    globals()[_name] = _function
