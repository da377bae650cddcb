"""A backend of :mod:`scipy.fft`, for its ``set_global_backend(mmafft.scipy)`` and ``set_backend(mmafft.scipy)``.

SciPy's own backend answers for what this one has not: arrays of extended precision or of other libraries, and the fast
Hankel transform.
"""

import numpy as _np

from . import _numpy, _others
from . import fft as _fft

__ua_domain__ = "numpy.scipy.fft"

_NAMES = {name: getattr(_fft, name) for name in _fft.__all__ if name.rstrip("2n").endswith(("fft", "dct", "dst"))}


def _is_foreign(x):
    """Whether an array is of another library, whose own backend may take it."""
    foreign = hasattr(x, "__array_namespace__") or hasattr(x, "__dlpack__")
    ours = isinstance(x, (_np.ndarray, _np.generic)) or _others.library_of(x) is not None
    return foreign and not ours


def __ua_function__(method, args, kwargs):
    function = _NAMES.get(method.__name__)
    x = args[0] if args else kwargs.get("x")
    if _is_foreign(x):
        return NotImplemented
    if function is None or _numpy.is_long(x):
        # A global backend has none behind it.
        with _scipy_fft().set_backend("scipy", only=True):
            return method(*args, **kwargs)
    if kwargs.get("workers") is None:
        default = _scipy_fft().get_workers()
        if default != 1:
            kwargs = {**kwargs, "workers": default}
    return function(*args, **kwargs)


def _scipy_fft():
    import scipy.fft

    return scipy.fft
