"""Fourier, cosine and sine transforms, by the names, arguments and results of :mod:`scipy.fft`.

Shapes. A transform along ``axis`` keeps the other axes. ``n`` (of several axes ``s``) is the length that is
transformed: what an input has more of is cropped, and what it has less of is zero, which is not copied anywhere but not
read. ``rfft`` of length n has ``n//2 + 1`` points along the (last) axis; ``irfft`` of m points has ``2*(m - 1)``, or
``n``, real ones.

Units. Frequencies are in cycles per sample, ``fftfreq(n, d)`` in cycles per unit of ``d``. ``norm`` says which
direction is scaled: ``"backward"`` (the inverse by 1/N, the default), ``"ortho"`` (both by 1/sqrt(N)), ``"forward"``.

Types. float32 and complex64 are transformed in single precision, float64, complex128, integers and bool in double,
float16 and bfloat16 as float32. Extended precision (longdouble) is by SciPy's own backend. Any strides, byte order and
rank.

All functions also take, by name:

``out``
    An array of the result's shape and type, which is filled and returned.
``plan``
    What :func:`mmafft.plan` returned for such a call; its options are taken over.
``precision``
    ``"f32"``, ``"f64"``, or ``"split-f16"`` (single precision by 16-bit products); of cosine and sine transforms also
    ``"f16"`` and ``"bf16"``, whose results have 16 bits. The default is that of ``x``.
``effort``
    ``"estimate"`` (the default), ``"measure"`` or ``"patient"``: how long a plan is looked for, once for a shape.
``nonzero``
    ``{axis: (start, stop)}``: outside of it ``x`` is taken as zero, and not read.
``wanted``
    ``{axis: (start, stop)}``: outside of it nothing is computed; a new result is zero there, and ``out`` stays.

Errors are SciPy's: ``ValueError`` for lengths, axes, shapes, ``norm`` and what is read-only; ``TypeError`` for types;
``NotImplementedError`` for what there is not. Every check comes before the first write.
"""

from . import _call
from ._core import quick as _quick
from ._core import quick_axes as _quick_axes
from ._helpers import (
    fftfreq,
    fftshift,
    get_workers,
    ifftshift,
    next_fast_len,
    prev_fast_len,
    rfftfreq,
    set_workers,
)

__all__ = [
    "fft",
    "ifft",
    "rfft",
    "irfft",
    "hfft",
    "ihfft",
    "fft2",
    "ifft2",
    "rfft2",
    "irfft2",
    "hfft2",
    "ihfft2",
    "fftn",
    "ifftn",
    "rfftn",
    "irfftn",
    "hfftn",
    "ihfftn",
    "dct",
    "dctn",
    "idct",
    "idctn",
    "dst",
    "dstn",
    "idst",
    "idstn",
    "fftfreq",
    "rfftfreq",
    "fftshift",
    "ifftshift",
    "next_fast_len",
    "prev_fast_len",
    "set_workers",
    "get_workers",
]

# The bit by which the compiled part scales an operation as an inverse.
_SCALED_AS_INVERSE = 64
_OPERATIONS = {
    (family, inverse, type_): _call.type_of(family, type_, inverse) | (_SCALED_AS_INVERSE if inverse else 0)
    for family in (_call.COSINE, _call.SINE)
    for inverse in (False, True)
    for type_ in (1, 2, 3, 4)
}


def _axes(axes):
    """Axes as a list, which tells them from the one of other functions."""
    return _call.ALL if axes is None else _call.integers(axes, "axes")


def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """The spectrum along one axis, complex: `X[k]` is the sum of `x[j] exp(-2πi jk/n)`."""
    if plan is None and not ours and not overwrite_x:
        y = _quick(_call.FORWARD, x, n, axis, norm, workers, out)
        if y is not None:
            return y
    return _call.complex_transform("fft", x, _call.FORWARD, n, axis, norm, overwrite_x, workers, plan, out, ours)


def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """What :func:`fft` came from: the sum of `x[k] exp(2πi jk/n)`, over n."""
    if plan is None and not ours and not overwrite_x:
        y = _quick(_call.INVERSE, x, n, axis, norm, workers, out)
        if y is not None:
            return y
    return _call.complex_transform("ifft", x, _call.INVERSE, n, axis, norm, overwrite_x, workers, plan, out, ours)


def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """The spectrum of reals along one axis: its first `n//2 + 1` points, which tell the rest.

    Raises `TypeError` where `x` is complex.
    """
    if plan is None and not ours and not overwrite_x:
        y = _quick(_call.R2C, x, n, axis, norm, workers, out)
        if y is not None:
            return y
    return _call.real_transform("rfft", x, n, axis, norm, overwrite_x, workers, plan, out, ours)


def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """The reals of which :func:`rfft` made `x`; `n` of them, by default `2*(m - 1)` of m points."""
    if plan is None and not ours and not overwrite_x:
        y = _quick(_call.C2R, x, n, axis, norm, workers, out)
        if y is not None:
            return y
    return _call.to_reals("irfft", x, n, axis, norm, overwrite_x, workers, plan, out, ours)


def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """The real spectrum of a signal whose negative half is the conjugate of `x`."""
    return _call.to_reals("hfft", x, n, axis, norm, overwrite_x, workers, plan, out, ours, hermitian=True)


def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """What :func:`hfft` came from: the inverse of a real spectrum, its first `n//2 + 1` points."""
    return _call.real_transform("ihfft", x, n, axis, norm, overwrite_x, workers, plan, out, ours, hermitian=True)


def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """As :func:`fft`, over two axes."""
    if plan is None and not ours and not overwrite_x:
        y = _quick_axes(_call.FORWARD, x, s, axes, norm, workers, out)
        if y is not None:
            return y
    return _call.complex_transform(
        "fft2", x, _call.FORWARD, s, _axes(axes), norm, overwrite_x, workers, plan, out, ours
    )


def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """As :func:`ifft`, over two axes."""
    if plan is None and not ours and not overwrite_x:
        y = _quick_axes(_call.INVERSE, x, s, axes, norm, workers, out)
        if y is not None:
            return y
    return _call.complex_transform(
        "ifft2", x, _call.INVERSE, s, _axes(axes), norm, overwrite_x, workers, plan, out, ours
    )


def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """As :func:`rfft`, over two axes; the last one listed is halved."""
    if plan is None and not ours and not overwrite_x:
        y = _quick_axes(_call.R2C, x, s, axes, norm, workers, out)
        if y is not None:
            return y
    return _call.real_transform("rfft2", x, s, _axes(axes), norm, overwrite_x, workers, plan, out, ours)


def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """As :func:`irfft`, over two axes; the last one listed is the halved one."""
    if plan is None and not ours and not overwrite_x:
        y = _quick_axes(_call.C2R, x, s, axes, norm, workers, out)
        if y is not None:
            return y
    return _call.to_reals("irfft2", x, s, _axes(axes), norm, overwrite_x, workers, plan, out, ours)


def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """As :func:`hfft`, over two axes; the last one listed is the halved one."""
    return _call.to_reals("hfft2", x, s, _axes(axes), norm, overwrite_x, workers, plan, out, ours, hermitian=True)


def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """As :func:`ihfft`, over two axes; the last one listed is halved."""
    return _call.real_transform(
        "ihfft2", x, s, _axes(axes), norm, overwrite_x, workers, plan, out, ours, hermitian=True
    )


def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """As :func:`fft`, over several axes, by default all, or the last ones where `s` is given."""
    if plan is None and not ours and not overwrite_x:
        y = _quick_axes(_call.FORWARD, x, s, axes, norm, workers, out)
        if y is not None:
            return y
    return _call.complex_transform(
        "fftn", x, _call.FORWARD, s, _axes(axes), norm, overwrite_x, workers, plan, out, ours
    )


def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """As :func:`ifft`, over several axes, by default all, or the last ones where `s` is given."""
    if plan is None and not ours and not overwrite_x:
        y = _quick_axes(_call.INVERSE, x, s, axes, norm, workers, out)
        if y is not None:
            return y
    return _call.complex_transform(
        "ifftn", x, _call.INVERSE, s, _axes(axes), norm, overwrite_x, workers, plan, out, ours
    )


def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """As :func:`rfft`, over several axes, by default all, or the last ones where `s` is given.

    The last one listed is halved.
    """
    if plan is None and not ours and not overwrite_x:
        y = _quick_axes(_call.R2C, x, s, axes, norm, workers, out)
        if y is not None:
            return y
    return _call.real_transform("rfftn", x, s, _axes(axes), norm, overwrite_x, workers, plan, out, ours)


def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """As :func:`irfft`, over several axes, by default all, or the last ones where `s` is given.

    The last one listed is the halved one.
    """
    if plan is None and not ours and not overwrite_x:
        y = _quick_axes(_call.C2R, x, s, axes, norm, workers, out)
        if y is not None:
            return y
    return _call.to_reals("irfftn", x, s, _axes(axes), norm, overwrite_x, workers, plan, out, ours)


def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """As :func:`hfft`, over several axes, by default all, or the last ones where `s` is given.

    The last one listed is the halved one.
    """
    return _call.to_reals("hfftn", x, s, _axes(axes), norm, overwrite_x, workers, plan, out, ours, hermitian=True)


def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None, **ours):
    """As :func:`ihfft`, over several axes, by default all, or the last ones where `s` is given.

    The last one listed is halved.
    """
    return _call.real_transform(
        "ihfftn", x, s, _axes(axes), norm, overwrite_x, workers, plan, out, ours, hermitian=True
    )


def _along_one(
    name, family, inverse, x, type_, n, axis, norm, overwrite_x, workers, orthogonalize, plan, out, ours
):  # fmt: skip
    if plan is None and not ours and not overwrite_x and orthogonalize is None:
        op = _OPERATIONS.get((family, inverse, type_))
        y = None if op is None else _quick(op, x, n, axis, norm, workers, out)
        if y is not None:
            return y
    return _call.trigonometric(
        name, x, family, inverse, type_, n, axis, norm, overwrite_x, workers, orthogonalize, plan, out, ours
    )  # fmt: skip


def _along_several(
    name, family, inverse, x, type_, s, axes, norm, overwrite_x, workers, orthogonalize, plan, out, ours
):  # fmt: skip
    if plan is None and not ours and not overwrite_x and orthogonalize is None:
        op = _OPERATIONS.get((family, inverse, type_))
        y = None if op is None else _quick_axes(op, x, s, axes, norm, workers, out)
        if y is not None:
            return y
    return _call.trigonometric(
        name, x, family, inverse, type_, s, _axes(axes), norm, overwrite_x, workers, orthogonalize, plan, out, ours
    )  # fmt: skip


def dct(
    x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None,
    *, plan=None, out=None, **ours
):  # fmt: skip
    """The discrete cosine transform of this type (1 to 4) along one axis. Of complex `x`, of both parts."""
    return _along_one(
        "dct", _call.COSINE, False, x, type, n, axis, norm, overwrite_x, workers, orthogonalize, plan, out, ours
    )  # fmt: skip


def dctn(
    x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None,
    *, plan=None, out=None, **ours
):  # fmt: skip
    """As :func:`dct`, over several axes, by default all, or the last ones where `s` is given."""
    return _along_several(
        "dctn", _call.COSINE, False, x, type, s, axes, norm, overwrite_x, workers, orthogonalize, plan, out, ours
    )  # fmt: skip


def idct(
    x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None,
    *, plan=None, out=None, **ours
):  # fmt: skip
    """What undoes :func:`dct` of this type along one axis."""
    return _along_one(
        "idct", _call.COSINE, True, x, type, n, axis, norm, overwrite_x, workers, orthogonalize, plan, out, ours
    )  # fmt: skip


def idctn(
    x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None,
    *, plan=None, out=None, **ours
):  # fmt: skip
    """As :func:`idct`, over several axes, by default all, or the last ones where `s` is given."""
    return _along_several(
        "idctn", _call.COSINE, True, x, type, s, axes, norm, overwrite_x, workers, orthogonalize, plan, out, ours
    )  # fmt: skip


def dst(
    x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None,
    *, plan=None, out=None, **ours
):  # fmt: skip
    """The discrete sine transform of this type (1 to 4) along one axis. Of complex `x`, of both parts."""
    return _along_one(
        "dst", _call.SINE, False, x, type, n, axis, norm, overwrite_x, workers, orthogonalize, plan, out, ours
    )  # fmt: skip


def dstn(
    x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None,
    *, plan=None, out=None, **ours
):  # fmt: skip
    """As :func:`dst`, over several axes, by default all, or the last ones where `s` is given."""
    return _along_several(
        "dstn", _call.SINE, False, x, type, s, axes, norm, overwrite_x, workers, orthogonalize, plan, out, ours
    )  # fmt: skip


def idst(
    x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None,
    *, plan=None, out=None, **ours
):  # fmt: skip
    """What undoes :func:`dst` of this type along one axis."""
    return _along_one(
        "idst", _call.SINE, True, x, type, n, axis, norm, overwrite_x, workers, orthogonalize, plan, out, ours
    )  # fmt: skip


def idstn(
    x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None,
    *, plan=None, out=None, **ours
):  # fmt: skip
    """As :func:`idst`, over several axes, by default all, or the last ones where `s` is given."""
    return _along_several(
        "idstn", _call.SINE, True, x, type, s, axes, norm, overwrite_x, workers, orthogonalize, plan, out, ours
    )  # fmt: skip
