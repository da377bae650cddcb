"""The functions of :mod:`mmafft.fft` where the compiled part does not do all of a call by itself."""

import functools
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from . import _core, _numpy, _others
from ._arguments import (
    ALL,
    C2R,
    COSINE,
    FORWARD,
    INVERSE,
    R2C,
    SINE,
    Options,
    axes_of,
    by_scipy,
    integers,
    named,
    one_axis,
    orthogonality,
    scale_of,
    type_of,
)
from ._job import Job

__all__ = ["ALL", "COSINE", "SINE", "integers", "library_of", "type_of"]


def library_of(x):
    """What knows the arrays of `x`'s library, on its device."""
    return _numpy if type(x) is np.ndarray else _others.library_of(x) or _numpy


def called(function):
    """A function of calls, given the library of its array.

    The last arguments of a call are `out` and the other options that are ours, which may name a stream.
    """

    @functools.wraps(function)
    def run(name, x, *args, **kwargs):
        *others, out, ours = args
        key = None
        if out is not None:
            ours = {**ours, "out": out}
        elif not ours and type(x) is not np.ndarray:
            key = _key(name, x, others)
            result = _others.again(key, x)
            if result is not None:
                return result
        library = library_of(x)
        stream = ours.get("stream")
        if stream is None:
            result = function(library, name, x, *others, ours, **kwargs)
            if library is not _numpy:
                _others.keep(key, library, x, result)
            return result
        with library.on(stream):
            return function(library, name, x, *others, {**ours, "stream": None}, **kwargs)

    return run


# The operations that the compiled part knows of these functions; of several axes the same as of one.
_OPERATIONS = {
    name + end: op
    for name, op in {"fft": FORWARD, "ifft": INVERSE, "rfft": R2C, "irfft": C2R}.items()
    for end in ("", "2", "n")
}


def _key(name, x, others):
    """What a call is, where it can be kept."""
    *others, plan = others
    # Of all transforms `plan` comes last before what is ours.
    if plan is not None:
        return None
    if name in _OPERATIONS:
        lengths, axes, norm, overwrite_x, workers = others[-5:]
        what, axes = (_OPERATIONS[name], name[-1] in "2n"), None if axes is ALL else axes
        key = None if overwrite_x else _core.key_of(what, x, lengths, axes, norm, workers)
        if key is not None:
            return key
    signature = _others.signature(x)
    # All axes are another call than none. What equals another type's number, or changes, tells no calls apart.
    fixed = [None if given is ALL else tuple(given) if isinstance(given, list) else given for given in others]
    if signature is None or not all(map(_is_fixed, fixed)):
        return None
    return (name, signature, *fixed)


def _is_fixed(given):
    if type(given) is tuple:
        return all(type(number) is int for number in given)
    return given is None or type(given) in (int, bool, str)


@called
def complex_transform(library, name, x, op, s, axes, norm, overwrite_x, workers, plan, ours):
    """`fft`, `ifft` and theirs of several axes, whose `axes` is a list; of one axis it is a number."""
    library.check_overwrite(x, overwrite_x)
    given, x = x, library.as_float(x)
    overwrite_x = overwrite_x or library.is_fresh(x, given)
    one = not isinstance(axes, list)
    if library.is_long(x):
        return by_scipy(name, x, s, named(axes), norm, overwrite_x, workers)
    options = Options.of(plan, name, x, ours)
    scale = scale_of(norm, op == FORWARD)
    lengths, axes = one_axis(x, s, axes) if one else axes_of(x, s, axes)
    if not axes:
        return given
    precision = library.precision_of(x, options.precision, False)
    job = Job(library, op, x, axes, lengths, scale, precision, options, workers)
    if library.MIRRORS and not library.is_complex(x) and len(axes) == 1 and options.wanted is None:
        return of_reals(job, x, workers)
    return job.run(x, overwrite_x)


def of_reals(job, x, workers):
    """The spectrum of reals along one axis: half of it is transformed, and the rest mirrors that."""
    library, out = job.library, job.options.out
    if out is not None:
        library.check_out(out, job.shape, job.dtype)
        x = x.copy() if np.may_share_memory(x, out) else x
    (axis,), (n,) = job.axes, job.lengths
    whole = out if out is not None else np.empty(job.shape, job.dtype)
    lines = np.moveaxis(whole, axis, -1)
    half = whole[(slice(None),) * axis + (slice(0, n // 2 + 1),)]
    given = job.options
    inner = Options(half, None, given.effort, given.nonzero, None, given.seen)
    scale, precision = job.scale, job.precision
    Job(library, R2C, x, job.axes, job.lengths, scale, precision, inner, workers).run(x)
    if given.seen is not None:
        return whole
    if out is None:
        _core.mirror(whole, axis, job.op == INVERSE)
        return whole
    if job.op == INVERSE:
        np.conjugate(half, out=half)
    mirrored = lines[..., (n - 1) // 2 : 0 : -1]
    np.conjugate(mirrored, out=lines[..., n // 2 + 1 :])
    return whole


@called
def real_transform(library, name, x, s, axes, norm, overwrite_x, workers, plan, ours, hermitian=False):
    """`rfft`, `ihfft` (which is hermitian) and theirs of several axes."""
    x = library.as_float(x)
    one = not isinstance(axes, list)
    if library.is_long(x):
        return by_scipy(name, x, s, named(axes), norm, overwrite_x, workers)
    if library.is_complex(x):
        raise TypeError("x must be a real sequence")
    options = Options.of(plan, name, x, ours)
    scale = scale_of(norm, not hermitian)
    lengths, axes = one_axis(x, s, axes) if one else axes_of(x, s, axes)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    precision = library.precision_of(x, options.precision, False)
    result = Job(library, R2C, x, axes, lengths, scale, precision, options, workers).run(x)
    return library.conjugate(result, out=result) if hermitian else result


@called
def to_reals(library, name, x, s, axes, norm, overwrite_x, workers, plan, ours, hermitian=False):
    """`irfft`, `hfft` (which is hermitian) and theirs of several axes."""
    x = library.as_float(x)
    one = not isinstance(axes, list)
    if library.is_long(x):
        return by_scipy(name, x, s, named(axes), norm, overwrite_x, workers)
    options = Options.of(plan, name, x, ours)
    scale = scale_of(norm, hermitian)
    if one:
        axes = [normalize_axis_index(operator.index(axes), x.ndim)]
        n = 2 * (x.shape[axes[0]] - 1) if s is None else operator.index(s)
        lengths = [n]
    else:
        lengths, axes = axes_of(x, s, axes)
        if not axes:
            raise ValueError("at least 1 axis must be transformed")
        if s is None:
            lengths[-1] = 2 * (x.shape[axes[-1]] - 1)
    if lengths[-1] < 1:
        raise ValueError(f"Invalid number of data points ({lengths[-1]}) specified")
    precision = library.precision_of(x, options.precision, False)
    job = Job(library, C2R, x, axes, lengths, scale, precision, options, workers)
    return job.run(library.conjugate(x) if hermitian else x)


@called
def trigonometric(
    library, name, x, family, inverse, type_, s, axes, norm, overwrite_x, workers, orthogonalize, plan, ours
):
    """`dct`, `dst`, what undoes them, and theirs of several axes."""
    library.check_overwrite(x, overwrite_x)
    given, x = x, library.as_float(x, True, ours.get("precision"))
    one = not isinstance(axes, list)
    if library.is_long(x):
        extra = {} if orthogonalize is None else {"orthogonalize": orthogonalize}
        return by_scipy(name, x, type_, s, named(axes), norm, overwrite_x, workers, **extra)
    options = Options.of(plan, name, x, ours)
    op, scale = type_of(family, type_, inverse), scale_of(norm, not inverse)
    lengths, axes = one_axis(x, s, axes) if one else axes_of(x, s, axes)
    if not axes:
        return given
    if op == COSINE and min(lengths) < 2:
        raise ValueError("DCT-I is not defined for size < 2")
    precision = library.precision_of(x, options.precision, True)
    factor, scale = orthogonality(op, lengths, orthogonalize, scale)
    job = Job(library, op, x, axes, lengths, scale, precision, options, workers)
    result = parts(job, x) if library.is_complex(x) else job.run(x, overwrite_x)
    if factor is not None:
        library.multiply(result, factor, out=result)
    return result


def parts(job, x):
    """Of complex numbers, the transforms of their real and of their imaginary parts."""
    library, out, complex_ = job.library, job.options.out, job.precision.complex
    if complex_ is None:
        raise TypeError(f"x is complex, and precision is {job.precision.name}: expected reals")
    if out is not None:
        library.check_out(out, job.shape, complex_)
        x = library.copy(x) if library.may_share(x, out) else x
    whole = out if out is not None else library.empty(job.shape, complex_)
    x = library.converted(x, complex_)
    for part in ("real", "imag"):
        job.options.out = getattr(whole, part)
        job.run(getattr(x, part))
    job.options.out = out
    return whole
