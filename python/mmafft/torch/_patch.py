"""The operators under `torch.fft`, by mmafft."""

import contextlib
import functools
import warnings

import torch

from .. import _others
from .._arguments import C2R, FORWARD, INVERSE, R2C
from ._operators import run

_TYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)
_HALF = (torch.float16, torch.complex32)
#: More axes than one plan takes are PyTorch's.
_MOST_AXES = 16


@functools.lru_cache(maxsize=1024)
def _strides(name, shape, strides, dtype, device, arguments, result):
    """The strides that PyTorch gives the result, and that compiled programs rely on; `None` where it has none for it.

    Of transforms whose halved axis is not the innermost some releases name strides by which elements share memory, or
    fail.
    """
    from torch._subclasses.fake_tensor import FakeTensorMode

    try:
        with FakeTensorMode():
            x = torch.empty_strided(shape, strides, dtype=dtype, device=device)
            made = getattr(torch.ops.aten, name).default(x, *map(_listed, arguments)).stride()
    except RuntimeError:
        return None
    behind = 1
    for stride, n in sorted(zip(made, result)):
        if n > 1 and stride < behind:
            return None
        behind = max(behind, stride * n)
    return made


def _listed(argument):
    return list(argument) if isinstance(argument, tuple) else argument


def _result(name, x, dim, how):
    """The shape and the type of a result."""
    shape, dtype = list(x.shape), x.dtype
    if name == "_fft_c2r":
        shape[dim[-1]], dtype = how, dtype.to_real()
    elif name == "_fft_r2c":
        dtype = dtype.to_complex()
        if how:
            shape[dim[-1]] = shape[dim[-1]] // 2 + 1
    return tuple(shape), dtype


def _empty(name, x, dim, scale, how):
    kind = torch.device(x.device.type, x.device.index)
    shape, dtype = _result(name, x, dim, how)
    strides = _strides(name, tuple(x.shape), x.stride(), x.dtype, kind, (tuple(dim), scale, how), shape)
    if strides is None:
        return torch.empty(shape, dtype=dtype, device=x.device)
    return torch.empty_strided(shape, strides, dtype=dtype, device=x.device)


def _lengths(x, dim):
    return [x.shape[axis] for axis in dim]


def _c2c(x, dim, scale, forward, out):
    return run(FORWARD if forward else INVERSE, x, dim, _lengths(x, dim), scale, out)


def _r2c(x, dim, scale, onesided, out):
    if onesided:
        return run(R2C, x, dim, _lengths(x, dim), scale, out)
    out.copy_(x)
    return run(FORWARD, out, dim, _lengths(x, dim), scale, out)


def _c2r(x, dim, scale, last, out):
    return run(C2R, x, dim, [*_lengths(x, dim)[:-1], last], scale, out)


class Patched(contextlib.AbstractContextManager):
    """What :func:`patch` returns: `undo()`, or the end of its context, gives PyTorch its own operators back."""

    def __init__(self, devices):
        if not hasattr(torch.library, "get_kernel"):
            raise RuntimeError(f"PyTorch {torch.__version__} does not give its own operators: 2.10 or later does")
        self._library = torch.library.Library("aten", "IMPL")
        for device in devices:
            for name, ours in [("_fft_c2c", _c2c), ("_fft_r2c", _r2c), ("_fft_c2r", _c2r)]:
                self._replace(name, ours, device)

    def _replace(self, name, ours, device):
        key = {"cpu": "CPU", "cuda": "CUDA"}[device]
        # They are PyTorch's, which takes what ours does not.
        theirs = torch.library.get_kernel(f"aten::{name}", key)
        theirs_out = torch.library.get_kernel(f"aten::{name}.out", key)
        types = _TYPES + (_HALF if device == "cuda" else ())

        def takes(x, dim):
            return x.dtype in types and x.numel() > 0 and 0 < len(dim) <= _MOST_AXES

        def function(keys, x, dim, scale, how):
            signature = _others.signature(x, with_gradient=True)
            key = None if signature is None else (name, signature, tuple(dim), scale, how)
            result = _others.again(key, x)
            if result is not None:
                return result
            if not takes(x, dim):
                return theirs.call_boxed(keys, x, dim, scale, how)
            library, result = ours(x, dim, scale, how, _empty(name, x, dim, scale, how))
            _others.keep(key, library, x, result, result.stride())
            return result

        def function_out(keys, x, dim, scale, how, *, out):
            if not takes(x, dim):
                return theirs_out.call_boxed(keys, x, dim, scale, how, out=out)
            result = _empty(name, x, dim, scale, how)
            if out.shape == result.shape and out.dtype == result.dtype:
                return ours(x, dim, scale, how, out)[1]
            out.resize_(result.shape)
            return out.copy_(ours(x, dim, scale, how, result)[1])

        with warnings.catch_warnings():
            # That operators are replaced is what was asked for.
            warnings.filterwarnings("ignore", "(?s).*Overriding a previously registered kernel")
            self._library.impl(name, function, key, with_keyset=True)
            self._library.impl(f"{name}.out", function_out, key, with_keyset=True)

    def undo(self):
        """Gives PyTorch its own operators back."""
        if self._library is not None:
            self._library._destroy()
            self._library = None

    def __exit__(self, *_):
        self.undo()


def patch(devices=("cuda",)):
    """`torch.fft`, and all that calls it, is by mmafft on these devices (``"cuda"``, ``"cpu"``), gradients included.

    For good, until ``undo()`` of what it returns, or as a context::

        with mmafft.torch.patch():
            torch.fft.irfft(x)

    What mmafft does not take stays PyTorch's: tensors without points, bfloat16, and more than 16 axes. Results have the
    shape, the strides and the type that PyTorch gives them.
    """
    devices = (devices,) if isinstance(devices, str) else tuple(devices)
    for device in devices:
        if device not in _others.BACKENDS.values() or device not in ("cpu", "cuda"):
            raise ValueError(f"devices may be cpu and cuda: got {device!r}")
    return Patched(devices)
