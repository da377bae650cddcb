"""A transform of one array, its arguments read.

Arrays are transformed where they lie. Copied is only what the compiled part cannot read or write as it is: other byte
orders, elements that are not aligned, negative strides, and types that are converted first.
"""

import copy

import numpy as np

from . import _core
from ._arguments import C2R, COSINE, FORWARD, INVERSE, R2C, ranges

#: The most axes of one plan, whose number of points is bounded even where most have length one.
MOST_AXES = 16


def converted(x, dtype):
    """`x` as this type, where the compiled part can read it."""
    if x.dtype != dtype:
        return x.astype(dtype, order="C")
    if not _core.fits(x, False):
        return np.array(x, dtype=dtype.newbyteorder("="), order="C")
    return x


def same_place(x, y):
    """Whether two arrays are the same elements."""
    return x.dtype == y.dtype and x.shape == y.shape and x.strides == y.strides and x.ctypes.data == y.ctypes.data


def check_out(out, shape, dtype):
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a NumPy array: got {type(out).__name__}")
    if out.shape != tuple(shape):
        raise ValueError(f"out has shape {out.shape}: expected {tuple(shape)}")
    if out.dtype != dtype:
        raise TypeError(f"out has dtype {out.dtype}: expected {dtype}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")


class Job:
    """A transform of one array, its arguments read."""

    def __init__(self, op, x, axes, lengths, scale, precision, options, workers):
        self.op, self.axes, self.lengths, self.scale = op, list(axes), list(lengths), scale
        self.precision, self.options, self.workers = precision, options, workers
        self.in_complex = op in (FORWARD, INVERSE, C2R)
        self.out_complex = op in (FORWARD, INVERSE, R2C)
        self.shape = list(x.shape)
        for axis, n in zip(self.axes, self.lengths):
            self.shape[axis] = n
        if op == R2C:
            self.shape[self.axes[-1]] = self.lengths[-1] // 2 + 1
        self.dtype = precision.of(self.out_complex)

    def run(self, x, overwrite=False):
        """Its result, in `out` where there is one, or over `x` where that may be."""
        out = self.options.out
        if out is not None:
            check_out(out, self.shape, self.dtype)
        source = converted(x, self.precision.of(self.in_complex))
        overwrite = overwrite or (source is not x and source.base is None)
        if out is not None:
            target = out
            if not _core.fits(out, True):
                target = self._beside(out)
            if target is out and np.may_share_memory(source, out):
                whole = self.op < R2C or self.op >= COSINE
                if not (whole and same_place(source, out)):
                    target = self._beside(out)
        elif overwrite and self._takes_the_place_of(source):
            target = source
        elif self.options.wanted:
            target = np.zeros(self.shape, self.dtype)
        else:
            target = np.empty(self.shape, self.dtype)
        self.execute(source, target)
        if out is not None and target is not out:
            out[...] = target
        return target if out is None else out

    def _beside(self, out):
        """A new array in place of `out`, with what is to stay in it."""
        target = np.empty(self.shape, self.dtype)
        if self.options.wanted:
            target[...] = out
        return target

    def _takes_the_place_of(self, x):
        alike = x.dtype == self.dtype and x.shape == tuple(self.shape)
        return alike and not self.options.wanted and _core.fits(x, True)

    def execute(self, source, target):
        nonzero = ranges(self.options.nonzero, "nonzero", source.ndim)
        wanted = ranges(self.options.wanted, "wanted", source.ndim)
        if target.size == 0:
            return
        there = source.shape
        if source.size == 0 or any(start >= there[axis] for axis, start, _ in nonzero):
            target[...] = 0
            return
        if len(self.axes) > MOST_AXES:
            self._in_turns(source, target)
            return
        how = (
            self.axes, self.lengths, self.scale, self.precision.name, self.workers, nonzero,
            wanted, self.options.effort,
        )  # fmt: skip
        if self.options.seen is not None:
            self.options.seen.append(_core.describe(self.op, source.shape, *how))
        else:
            _core.execute(self.op, source, target, *how)

    def _in_turns(self, source, target):
        """Over more axes than one plan takes: some of them after others, in place."""
        if self.options.nonzero or self.options.wanted:
            raise NotImplementedError(
                f"nonzero and wanted of {len(self.axes)} axes at once: expected at most {MOST_AXES}"
            )
        lengths = list(self.lengths)
        if self.op == C2R:
            lengths[-1] = lengths[-1] // 2 + 1
        first, *rest = [slice(max(0, end - MOST_AXES), end) for end in range(len(self.axes), 0, -MOST_AXES)]
        others = {R2C: FORWARD, C2R: INVERSE}.get(self.op, self.op)
        source = resized(source, self.axes, lengths)
        if self.op == C2R:
            # The halved axis comes last, of what the others have left.
            source = source.copy()
        else:
            self._part(self.op, first, lengths).execute(source, target)
        for turn in rest:
            data = source if self.op == C2R else target
            self._part(others, turn, lengths).execute(data, data)
        if self.op == C2R:
            self._part(self.op, first, self.lengths).execute(source, target)

    def _part(self, op, turn, lengths):
        part = copy.copy(self)
        part.op, part.axes, part.lengths = op, self.axes[turn], lengths[turn]
        return part


def resized(x, axes, lengths):
    """`x` with these lengths, cropped or with zeros behind."""
    shape = list(x.shape)
    for axis, n in zip(axes, lengths):
        shape[axis] = n
    if shape == list(x.shape):
        return x
    part = tuple(slice(0, min(pair)) for pair in zip(x.shape, shape))
    result = np.zeros(shape, x.dtype)
    result[part] = x[part]
    return result
