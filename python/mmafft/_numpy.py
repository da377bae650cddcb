"""NumPy's arrays, as calls see the arrays of a library: what :mod:`mmafft._others` is for the others."""

import numpy as np

from . import _core
from ._arguments import Precision, in_words

#: Whether half of a spectrum of reals is transformed, and the rest mirrored.
MIRRORS = True

_LONG = (np.dtype(np.longdouble), np.dtype(np.clongdouble))
_SINGLE = (np.dtype(np.float32), np.dtype(np.complex64))
_NATIVE = (*_SINGLE, np.dtype(np.float64), np.dtype(np.complex128))
# Where longdouble is double, nothing needs another's help.
_HAS_LONG = np.dtype(np.longdouble).itemsize > 8

_F32 = Precision("f32", np.dtype(np.float32), np.dtype(np.complex64))
_F64 = Precision("f64", np.dtype(np.float64), np.dtype(np.complex128))

empty, zeros, conjugate, multiply = np.empty, np.zeros, np.conjugate, np.multiply
may_share = np.may_share_memory


def is_long(x):
    """Whether an array is of extended precision, which SciPy's own backend transforms."""
    return _HAS_LONG and getattr(x, "dtype", None) in _LONG


def is_complex(x):
    return x.dtype.kind == "c"


def as_float(x, real_only=False, precision=None):
    """An array of float32, float64, complex64, complex128, or of extended precision.

    What of ``real_only`` calls computes with 16 bits stays what it is.
    """
    if type(x) is not np.ndarray:
        x = np.asarray(x)
    if x.dtype in _NATIVE or is_long(x) or (real_only and precision in ("f16", "bf16")):
        return x
    if x.dtype == np.float16 or x.dtype.name == "bfloat16":
        return x.astype(np.float32)
    if x.dtype.kind in "fc":
        return x.astype(x.dtype.newbyteorder("="))
    return np.asarray(x, np.float64)


def taken_as(dtype):
    """The type as which calls take arrays of this one."""
    return as_float(np.empty(0, dtype)).dtype


def is_fresh(x, given):
    """Whether `x` was made of `given` and is nobody else's."""
    own = isinstance(given, (np.ndarray, list, tuple))
    return own and x is not given and x.base is None


def check_overwrite(x, overwrite_x):
    if overwrite_x and isinstance(x, np.ndarray) and not x.flags.writeable:
        raise ValueError("x is read-only, and overwrite_x is true")


def precision_of(x, name, real_only):
    """The precision of a call on `x` that asks for the one of this name, or for none."""
    if name is None:
        return _F32 if x.dtype in _SINGLE else _F64
    if name in ("f32", "f64"):
        return _F32 if name == "f32" else _F64
    if name == "split-f16":
        return Precision(name, _F32.real, _F32.complex)
    in_words(name)
    if not real_only:
        raise NotImplementedError(
            f"complex numbers of {name}, for which NumPy has no type: leave precision out, and the result is complex64"
        )
    if name == "f16":
        return Precision(name, np.dtype(np.float16), None)
    import ml_dtypes

    return Precision(name, np.dtype(ml_dtypes.bfloat16), None)


def converted(x, dtype):
    """`x` as this type, where the compiled part can read it."""
    if x.dtype != dtype:
        return x.astype(dtype, order="C")
    if not _core.fits(x, False):
        return np.array(x, dtype=dtype.newbyteorder("="), order="C")
    return x


def copy(x):
    return x.copy()


def is_own(x, given):
    """Whether `x` is another array than what was given, and nobody else's."""
    return x is not given and x.base is None


def same_place(x, y):
    """Whether two arrays are the same elements."""
    return x.dtype == y.dtype and x.shape == y.shape and x.strides == y.strides and x.ctypes.data == y.ctypes.data


def fits(x, written):
    return _core.fits(x, written)


def check_out(out, shape, dtype):
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a NumPy array: got {type(out).__name__}")
    if out.shape != tuple(shape):
        raise ValueError(f"out has shape {out.shape}: expected {tuple(shape)}")
    if out.dtype != dtype:
        raise TypeError(f"out has dtype {out.dtype}: expected {dtype}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")


def execute(op, source, target, how):
    _core.execute(op, source, target, *how)


def describe(op, shape, how):
    return _core.describe(op, tuple(shape), *how)


def on(stream):
    raise ValueError("stream is of arrays on a device: NumPy's have none")
