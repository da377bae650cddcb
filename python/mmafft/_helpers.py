"""What users of a transform need beside it, by SciPy's names."""

import contextlib
import operator

import numpy as np

from . import _core


def fftfreq(n, d=1.0):
    """The frequencies of an `n`-point transform of samples `d` apart, in cycles per unit of `d`."""
    return np.fft.fftfreq(n, d)


def rfftfreq(n, d=1.0):
    """The frequencies of the half spectrum of `n` real samples `d` apart, in cycles per unit of `d`."""
    return np.fft.rfftfreq(n, d)


def fftshift(x, axes=None):
    """`x` with its zero frequency in the middle of each axis, at index n//2."""
    return np.fft.fftshift(x, axes)


def ifftshift(x, axes=None):
    """What :func:`fftshift` came from; the two differ for odd lengths."""
    return np.fft.ifftshift(x, axes)


def next_fast_len(target, real=False):
    """The smallest product of 2, 3, 5 and 7 that is at least `target`: a length that is fast to transform.

    It is the same for reals, of which `real` says that they are transformed. Raises `ValueError` for negative lengths.
    """
    target = operator.index(target)
    if target < 0:
        raise ValueError(f"the target length must not be negative: got {target}")
    return _core.good_size(target)


def prev_fast_len(target, real=False):
    """The largest product of 2, 3, 5 and 7 that is at most `target`, which is at least 1."""
    target = operator.index(target)
    if target < 1:
        raise ValueError(f"the target length must be at least 1: got {target}")
    best, odds = 1, [1]
    for prime in (3, 5, 7):
        for odd in list(odds):
            while (odd := odd * prime) <= target:
                odds.append(odd)
    for odd in odds:
        best = max(best, odd << (target // odd).bit_length() - 1)
    return best


def get_workers():
    """How many threads this thread's transforms may use where a call does not say: 1 by default."""
    return _core.default_workers()


@contextlib.contextmanager
def set_workers(workers):
    """A context in which this thread's transforms use so many threads; -1 is all processors."""
    before = _core.default_workers()
    _core.set_default_workers(operator.index(workers))
    try:
        yield
    finally:
        _core.set_default_workers(before)
