"""A transform of one array, its arguments read.

Arrays are transformed where they lie. Copied is only what the compiled part cannot read or write as it is: other byte
orders, elements that are not aligned, negative strides, and types that are converted first. ``library`` is
:mod:`mmafft._numpy`, or what :mod:`mmafft._others` has of another library and device.
"""

import copy

from ._arguments import C2R, COSINE, FORWARD, INVERSE, R2C, ranges

#: The most axes of one plan, whose number of points is bounded even where most have length one.
MOST_AXES = 16


class Job:
    """A transform of one array, its arguments read."""

    def __init__(self, library, op, x, axes, lengths, scale, precision, options, workers):
        self.library = library
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
            self.library.check_out(out, self.shape, self.dtype)
        source = self.library.converted(x, self.precision.of(self.in_complex))
        overwrite = overwrite or self.library.is_own(source, x)
        if out is not None:
            target = out
            if not self.library.fits(out, True):
                target = self._beside(out)
            if target is out and self.library.may_share(source, out):
                whole = self.op < R2C or self.op >= COSINE
                if not (whole and self.library.same_place(source, out)):
                    target = self._beside(out)
        elif overwrite and self._takes_the_place_of(source):
            target = source
        elif self.options.wanted:
            target = self.library.zeros(self.shape, self.dtype)
        else:
            target = self.library.empty(self.shape, self.dtype)
        self.execute(source, target)
        if out is not None and target is not out:
            out[...] = target
        return target if out is None else out

    def _beside(self, out):
        """A new array in place of `out`, with what is to stay in it."""
        target = self.library.empty(self.shape, self.dtype)
        if self.options.wanted:
            target[...] = out
        return target

    def _takes_the_place_of(self, x):
        alike = x.dtype == self.dtype and tuple(x.shape) == tuple(self.shape)
        return alike and not self.options.wanted and self.library.fits(x, True)

    def execute(self, source, target):
        nonzero = ranges(self.options.nonzero, "nonzero", source.ndim)
        wanted = ranges(self.options.wanted, "wanted", source.ndim)
        if 0 in target.shape:
            return
        there = source.shape
        if 0 in source.shape or any(start >= there[axis] for axis, start, _ in nonzero):
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
            self.options.seen.append(self.library.describe(self.op, source.shape, how))
        else:
            self.library.execute(self.op, source, target, how)

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
        source = self._resized(source, lengths)
        if self.op == C2R:
            # The halved axis comes last, of what the others have left.
            source = self.library.copy(source)
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

    def _resized(self, x, lengths):
        """`x` with these lengths along the axes, cropped or with zeros behind."""
        shape = list(x.shape)
        for axis, n in zip(self.axes, lengths):
            shape[axis] = n
        if shape == list(x.shape):
            return x
        part = tuple(slice(0, min(pair)) for pair in zip(x.shape, shape))
        result = self.library.zeros(shape, x.dtype)
        result[part] = x[part]
        return result
