"""Fast Fourier transforms for Python, by mmafft.

>>> import numpy as np, mmafft
>>> spectrum = mmafft.fft.rfft(np.ones(1000, np.float32))
>>> spectrum.shape, spectrum.dtype, float(spectrum[0].real)
((501,), dtype('complex64'), 1000.0)

:mod:`mmafft.fft` has SciPy's functions; :func:`mmafft.plan` says what one will do; ``scipy.fft.set_global_backend(
mmafft.scipy)`` and :func:`mmafft.patch` bring them to programs that call SciPy or NumPy.
"""

import os as _os
from importlib import import_module as _import_module
from importlib import metadata as _metadata
from typing import Any as _Any

from . import _core, _others, fft, scipy
from ._patch import patch
from ._plan import Plan, plan

__all__ = ["Plan", "clear_cache", "fft", "patch", "plan", "scipy"]  # and what `_LAZY` has
__version__ = _metadata.version("mmafft")

# A child process has none of its parent's threads.
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_core.forked)
    _os.register_at_fork(after_in_child=_others.forked)


# What is imported when it is asked for, with the library that it is for.
_LAZY = ("distributed", "jax", "signal", "torch")


def __getattr__(name: str) -> _Any:
    if name in _LAZY:
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def clear_cache() -> None:
    """Forgets the plans of earlier calls, and gives their memory back."""
    _others.forget()
    _core.clear_cache()
