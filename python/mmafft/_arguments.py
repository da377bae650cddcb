"""Reads the arguments of :mod:`mmafft.fft` in all their forms, by SciPy's rules."""

import math
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

FORWARD, INVERSE, R2C, C2R = 0, 1, 2, 3
COSINE, SINE = 4, 8
#: The axes of a call that names none, of the functions of several.
ALL = []

_NORMS = {None: 0, "backward": 0, "ortho": 1, "forward": 2}
_SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def swap(norm):
    """The norm of the other direction."""
    try:
        return _SWAPPED[norm]
    except (KeyError, TypeError):
        raise bad_norm(norm) from None


def bad_norm(norm):
    return ValueError(f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"')


def scale_of(norm, forward):
    """SciPy's number of a scale: 0 none, 1 by 1/sqrt(N), 2 by 1/N."""
    try:
        number = _NORMS[norm]
    except (KeyError, TypeError):
        raise bad_norm(norm) from None
    return number if forward else 2 - number


def by_scipy(name, x, *args, **kwargs):
    """The result of SciPy's own backend, for extended precision."""
    try:
        import scipy.fft
    except ImportError as error:
        raise TypeError(f"{name} of {x.dtype} is by SciPy, which is not installed: convert to float64") from error
    with scipy.fft.set_backend("scipy", only=True):
        return getattr(scipy.fft, name)(x, *args, **kwargs)


class Precision:
    """How a call computes: the compiled part's name, and the library's types of both domains; `None` for none."""

    __slots__ = ("name", "real", "complex")

    def __init__(self, name, real, complex_):
        self.name, self.real, self.complex = name, real, complex_

    def of(self, is_complex):
        return self.complex if is_complex else self.real


def in_words(name):
    """Raises where no precision has this name."""
    if name not in ("f64", "f32", "split-f16", "f16", "bf16"):
        raise ValueError(f"no precision is called {name!r}: expected f64, f32, split-f16, f16 or bf16")


def length_of(n):
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"invalid number of data points ({n}) specified")
    return n


def integers(value, name):
    if isinstance(value, (int, np.integer)):
        return [int(value)]
    try:
        return [operator.index(item) for item in value]
    except TypeError:
        raise ValueError(f"{name} must be a scalar or iterable of integers") from None


def named(axes):
    """The axes as a caller says them."""
    return None if axes is ALL else axes


def axes_of(x, s, axes):
    """SciPy's rules for `s` and `axes`: a length and an axis each, and whether the lengths were given."""
    axes = None if axes is ALL else axes
    if axes is not None:
        axes = [axis + x.ndim if axis < 0 else axis for axis in integers(axes, "axes")]
        if any(not 0 <= axis < x.ndim for axis in axes):
            raise ValueError("axes exceeds dimensionality of input")
        if len(set(axes)) != len(axes):
            raise ValueError("all axes must be unique")
    if s is None:
        axes = list(range(x.ndim)) if axes is None else axes
        s = [x.shape[axis] for axis in axes]
    else:
        s = integers(s, "shape")
        if axes is None:
            if len(s) > x.ndim:
                raise ValueError("shape requires more axes than are present")
            axes = list(range(x.ndim - len(s), x.ndim))
        elif len(axes) != len(s):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
        s = [x.shape[axis] if n == -1 else n for n, axis in zip(s, axes)]
    if any(n < 1 for n in s):
        raise ValueError(f"invalid number of data points ({s}) specified")
    return s, axes


def ranges(given, name, rank):
    """`{axis: (start, stop)}` as the compiled part takes it."""
    if given is None:
        return []
    try:
        items = [(operator.index(a), *map(operator.index, pair)) for a, pair in given.items()]
        items = [(a + rank if a < 0 else a, start, stop) for a, start, stop in items]
    except (AttributeError, TypeError, ValueError):
        raise ValueError(f"{name} must be a dict of axis: (start, stop)") from None
    for axis, start, stop in items:
        if not 0 <= axis < rank:
            raise ValueError(f"{name} has axis {axis}: expected one of {rank}")
        if not 0 <= start < stop:
            raise ValueError(f"{name} has the range {start}:{stop}, which is empty")
    return items


class Options:
    """What calls take beside SciPy's arguments."""

    __slots__ = ("out", "precision", "effort", "nonzero", "wanted", "seen")

    def __init__(self, out=None, precision=None, effort=None, nonzero=None, wanted=None, seen=None, stream=None):
        # The stream is the caller's, who has entered it.
        self.out, self.precision, self.effort = out, precision, effort
        self.nonzero, self.wanted = nonzero, wanted
        #: Takes what a plan says of itself, in place of a run.
        self.seen = seen

    @classmethod
    def of(cls, plan, name, x, given):
        """Those of a call, with a plan's where it has one."""
        if plan is None:
            return cls(**given)
        check = getattr(plan, "_check", None)
        if check is None:
            raise NotImplementedError(f"a precomputed plan that is a {type(plan).__name__}: make one by mmafft.plan")
        check(name, x)
        return cls(**{**plan._options, **given})


def one_axis(x, n, axis):
    """The axis and its length, by SciPy's rules for transforms of one axis."""
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    n = x.shape[axis] if n is None else n
    return [length_of(n)], [axis]


def type_of(family, type_, inverse):
    """The operation of a DCT or DST."""
    if type_ not in (1, 2, 3, 4):
        raise ValueError(f"type must be 1, 2, 3 or 4: got {type_!r}")
    if inverse:
        type_ = {2: 3, 3: 2}.get(type_, type_)
    return family + int(type_) - 1


def orthogonality(op, lengths, orthogonalize, scale):
    """The factor beside a cosine or sine transform, or none, and its scale, for what `orthogonalize` asks."""
    if orthogonalize is None or bool(orthogonalize) == (scale == 1):
        return None, scale
    root = math.sqrt(math.prod(2 * (n + {COSINE: -1, SINE: 1}.get(op, 0)) for n in lengths))
    return (root if orthogonalize and scale == 0 else 1 / root), int(bool(orthogonalize))
