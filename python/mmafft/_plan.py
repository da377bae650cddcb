"""Plans as objects: what a call will do, before there is data."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import _call, _others
from . import fft as _fft

# What is no transform.
_HELPERS = {
    "fftfreq", "rfftfreq", "fftshift", "ifftshift", "next_fast_len", "prev_fast_len",
    "set_workers", "get_workers",
}  # fmt: skip


class Plan:
    """A transform of arrays of one shape and type. Any number of threads may call it at once.

    Made by :func:`mmafft.plan`. ``function``, ``shape`` and ``dtype`` say what it is of; ``error_bound`` is the bound
    on its relative L2 error, and ``scratch_bytes`` the memory that a run takes beside its arrays.
    """

    function: str
    shape: tuple[int, ...]
    dtype: Any
    error_bound: float
    scratch_bytes: int

    def __init__(self, function: str, x: Any, arguments: dict[str, Any], options: dict[str, Any]) -> None:
        self.function, self.shape, self.dtype = function, tuple(x.shape), x.dtype
        self._taken = _call.library_of(x).taken_as(x.dtype)
        self._arguments, self._options = arguments, options
        seen = []
        getattr(_fft, function)(x, **arguments, **options, seen=seen)
        if not seen:
            raise ValueError(f"{function} of {x.dtype} {x.shape} is not by this library, or of no points")
        self._text, self.error_bound, self.scratch_bytes = seen[0]

    def explain(self) -> str:
        """Its passes over memory, as text."""
        return self._text

    def __call__(self, x: Any, out: Any = None, stream: Any = None) -> Any:
        """Transforms an array of the plan's shape and type; into `out`, where it is given.

        `stream`, of arrays on a device, is one of their library, or its handle as a number; without it the call runs
        in the library's current stream. Raises `ValueError` for another shape, and `TypeError` for another type.
        """
        x = x if hasattr(x, "dtype") else np.asarray(x)
        if not self._options and stream is None:
            # Nothing of it is in the plan alone.
            self._check(self.function, x)
            return getattr(_fft, self.function)(x, **self._arguments, out=out)
        given = {"out": out, "stream": stream}
        given = {name: value for name, value in given.items() if value is not None}
        return getattr(_fft, self.function)(x, **self._arguments, plan=self, **given)

    def __repr__(self):
        return f"<mmafft.Plan of {self.function} of {self.dtype} {self.shape}>"

    def _check(self, name, x):
        if name != self.function:
            raise ValueError(f"a plan of {self.function} does not do {name}")
        if tuple(x.shape) != self.shape:
            raise ValueError(f"x has shape {x.shape}: the plan is of {self.shape}")
        if x.dtype != self._taken and x.dtype != self.dtype:
            raise TypeError(f"x has dtype {x.dtype}: the plan is of {self.dtype}")


def plan(
    x: Any,
    function: str = "fft",
    *,
    dtype: DTypeLike | None = None,
    precision: str | None = None,
    effort: str | None = None,
    nonzero: Mapping[int, tuple[int, int]] | None = None,
    wanted: Mapping[int, tuple[int, int]] | None = None,
    **arguments: Any,
) -> Plan:
    """A plan of `mmafft.fft`'s function of this name, for arrays like `x`.

    `x` is an array, which is not changed, or a shape, whose elements are of `dtype` (complex64 by default for `fft`,
    `ifft`, `irfft` and `hfft`, else float32). Other arguments are the function's own: `n`, `axis`, `s`, `axes`, `norm`,
    `type`, `workers`. Raises what the function would.

    >>> import mmafft
    >>> p = mmafft.plan((8, 1000), "rfft", n=1024)
    >>> p.error_bound < 1e-6
    True
    """
    if function not in _fft.__all__ or function in _HELPERS:
        raise ValueError(f"mmafft.fft has no transform {function!r}")
    if not isinstance(x, np.ndarray) and _others.library_of(x) is None:
        shape = (x,) if isinstance(x, int) else tuple(x)
        complex_ = function.rstrip("2n") in ("fft", "ifft", "irfft", "hfft")
        dtype = np.dtype(dtype or (np.complex64 if complex_ else np.float32))
        # One element stands for all: a plan reads none.
        x = np.broadcast_to(np.empty((), dtype), shape)
    options = {"precision": precision, "effort": effort, "nonzero": nonzero, "wanted": wanted}
    options = {name: value for name, value in options.items() if value is not None}
    return Plan(function, x, arguments, options)
