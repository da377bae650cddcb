"""NumPy's own `numpy.fft`, by mmafft."""

import contextlib
import functools
import operator

import numpy as np

from . import _numpy
from . import fft as _fft

_NAMES = [
    "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2",
    "fftn", "ifftn", "rfftn", "irfftn",
]  # fmt: skip
_ORIGINALS = {name: getattr(np.fft, name) for name in _NAMES}


def _is_ours(name, a, norm, out):
    """Whether a call is one whose result, not only its exception, is to be ours."""
    if type(a) not in (np.ndarray, list, tuple) or norm not in (None, "backward", "ortho", "forward"):
        return False
    # NumPy casts to what `out` holds, and refuses in words of its own.
    return out is None or type(out) is np.ndarray


def _array(name, a):
    x = np.asarray(a)
    numeric = x.dtype.kind in "biufc" and not _numpy.is_long(x)
    real = name.startswith(("rfft", "ihfft"))
    return x if numeric and not (real and x.dtype.kind == "c") else None


def _stays_half(name, x):
    """Whether NumPy may give a result of 16 bits, which of `irfftn` depends on how many axes it has."""
    return x.dtype == np.float16 and name.startswith(("irfft", "hfft"))


def _fits(out, x, name):
    """Whether `out` has the type that the result has."""
    single = x.dtype in (np.float16, np.float32, np.complex64)
    real = name.startswith(("irfft", "hfft"))
    pair = (np.float32, np.complex64) if single else (np.float64, np.complex128)
    return out.dtype == pair[not real]


def _of_one_axis(name):
    original, ours = _ORIGINALS[name], getattr(_fft, name)

    @functools.wraps(original)
    def function(a, n=None, axis=-1, norm=None, out=None):
        if out is None and type(a) is np.ndarray and not _numpy.is_long(a):
            x = a if a.dtype.kind in "fcbiu" else None
        else:
            x = _array(name, a) if _is_ours(name, a, norm, out) else None
        if x is not None and not _stays_half(name, x) and (n is None or (isinstance(n, (int, np.integer)) and n > 0)):
            try:
                if out is None:
                    return ours(x, n, axis, norm)
                if _fits(out, x, name):
                    return ours(x, n, axis, norm, out=out)
            except (ValueError, TypeError, IndexError):
                # It is in error by NumPy's rules too, which say so in NumPy's words.
                pass
        return original(a, n, axis, norm, out)

    return function


def _of_axes(name):
    original, ours = _ORIGINALS[name], getattr(_fft, name)
    default = (-2, -1) if name.endswith("2") else None

    @functools.wraps(original)
    def function(a, s=None, axes=default, norm=None, out=None):
        x = _array(name, a) if _is_ours(name, a, norm, out) else None
        if x is not None and not _stays_half(name, x) and _are_plain(s, axes):
            try:
                if out is None:
                    return ours(x, s, axes, norm)
                if _fits(out, x, name):
                    return ours(x, s, axes, norm, out=out)
            except (ValueError, TypeError, IndexError):
                # As above.
                pass
        return original(a, s, axes, norm, out)

    return function


def _are_plain(s, axes):
    """Whether they are what NumPy takes without a warning."""
    if s is not None and axes is None:
        return False
    try:
        s = [operator.index(n) for n in s] if s is not None else []
        axes = [operator.index(axis) for axis in axes] if axes is not None else [0]
    except TypeError:
        return False
    return len(axes) > 0


_OURS = {name: (_of_one_axis if name[-1] == "t" else _of_axes)(name) for name in _NAMES}


class patch(contextlib.ContextDecorator):  # noqa: N801 - called as a function
    """Lets `numpy.fft`'s functions be by mmafft, from now on or in a ``with`` block.

    Results have NumPy's types and shapes. NumPy's own functions answer for extended precision, for 16 bits that become
    reals, for subclasses and arrays of other libraries, and for what is in error, so that exceptions and warnings are
    theirs. What a program has imported from `numpy.fft` by name before stays as it was.

    >>> import numpy as np, mmafft
    >>> with mmafft.patch():
    ...     float(np.fft.rfft([1.0, 2.0, 3.0])[0].real)
    6.0
    """

    def __init__(self) -> None:
        self._before = {name: getattr(np.fft, name) for name in _NAMES}
        self._set(_OURS)

    @staticmethod
    def _set(functions):
        for name, function in functions.items():
            setattr(np.fft, name, function)

    def __enter__(self) -> "patch":
        self._set(_OURS)
        return self

    def __exit__(self, *_: object) -> None:
        self._set(self._before)

    def undo(self) -> None:
        """Puts back what was there before."""
        self._set(self._before)
