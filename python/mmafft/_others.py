"""Arrays of PyTorch, CuPy and others with `__cuda_array_interface__`, where they lie.

A call runs on the arrays' device, in their library's current stream. What it returns, and the scratch that it needs,
that library allocates, so that its own pool counts and reuses them.
"""

import contextlib
import functools
import sys
import threading

import numpy as np

from . import _core
from ._arguments import Precision, in_words

#: The backends of the kinds of devices that DLPack numbers.
BACKENDS = {1: "cpu", 2: "cuda"}

_NATIVE = ("f32", "f64")
_find_compiler = threading.Lock()
_seen = set()


def library_of(x):
    """What knows the arrays of `x`'s library; `None` where NumPy takes them."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        if torch.is_grad_enabled() and x.requires_grad:
            raise NotImplementedError("x requires a gradient: call mmafft.torch, or detach it")
        return Torch(torch, x)
    if isinstance(x, (np.ndarray, np.generic, list, tuple)) or not hasattr(x, "__cuda_array_interface__"):
        return None
    module = type(x).__module__.partition(".")[0]
    if module in ("jax", "jaxlib"):
        raise TypeError("arrays of JAX are not written in place: call mmafft.jax")
    if module == "cupy":
        return CuPy(sys.modules["cupy"], x)
    if not (hasattr(x, "__array_namespace__") and hasattr(x, "__dlpack_device__")):
        kind = type(x).__name__
        raise TypeError(f"x is a {kind}, which names no library or device of its arrays: make a view of it by CuPy")
    return Standard(x.__array_namespace__(), x)


def find_compiler():
    """Opens NVRTC where the package `cuda-pathfinder` finds it, so that the compiled part does too."""
    with _find_compiler:
        if "nvrtc" in _seen:
            return
        _seen.add("nvrtc")
        try:
            from cuda import pathfinder
        except ImportError:
            return
        # Without it there is an error that says how to get it.
        with contextlib.suppress(Exception):
            pathfinder.load_nvidia_dynamic_lib("nvrtc")


class Library:
    """What a call needs of a library whose arrays are addresses to the compiled part."""

    MIRRORS = False

    # Of each: `types`, from the library's types to the compiled part's names of a precision, and whether they are
    # complex; `device`, a backend's name and a number; and how to allocate, convert and copy.

    def is_long(self, x):
        return False

    def is_complex(self, x):
        return self.types[x.dtype][1]

    def _type_of(self, name, is_complex):
        wanted = ("f32" if name == "split-f16" else name, is_complex)
        return next((dtype for dtype, own in self.types.items() if own == wanted), None)

    def as_float(self, x, real_only=False, precision=None):
        """An array of a type that is transformed."""
        name, is_complex = self.types.get(x.dtype, (None, False))
        if name is None:
            return self.cast(x, self.default)
        # What has 16 bits stays so where its results have a type.
        stays = name in _NATIVE or (self._type_of(name, True) is not None)
        if stays or (real_only and (self.KEEPS_HALF or precision in ("f16", "bf16"))):
            return self.plain(x)
        return self.cast(x, self._type_of("f32", is_complex))

    def taken_as(self, dtype):
        return self.as_float(self.empty((0,), dtype)).dtype

    def is_fresh(self, x, given):
        return False

    def is_own(self, x, given):
        return False

    def check_overwrite(self, x, overwrite_x):
        if overwrite_x and self.is_read_only(x):
            raise ValueError("x is read-only, and overwrite_x is true")

    def is_read_only(self, x):
        return False

    def precision_of(self, x, name, real_only):
        if name is None:
            name = self.types[x.dtype][0]
        in_words(name)
        complex_ = self._type_of(name, True)
        if complex_ is None and not real_only:
            raise NotImplementedError(f"complex numbers of {name}, for which {self.NAME} has no type")
        return Precision(name, self._type_of(name, False), complex_)

    def converted(self, x, dtype):
        if x.dtype != dtype:
            x = self.cast(x, dtype)
        return x if self.fits(x, False) else self.copy(x)

    def fits(self, x, written):
        if written and self.is_read_only(x):
            return False
        raw = self.raw(x)
        return raw is not None and self._is_aligned(raw[0], x) and _core.fits_at(raw, self.item(x), written)

    def _is_aligned(self, address, x):
        """Whether kernels can begin at an address: they take reals in pairs."""
        whole = self.item(x) * (1 if self.types.get(x.dtype, ("", True))[1] else 2)
        return self.device[0] == "cpu" or address % whole == 0

    def may_share(self, x, y):
        """Whether the extents of two arrays overlap, or are not known."""
        x, y = self._extent(x), self._extent(y)
        return x is None or y is None or (x[0] < y[1] and y[0] < x[1])

    def _extent(self, x):
        raw = self.raw(x)
        if raw is None:
            return None
        address, shape, strides = raw
        steps = [(n - 1) * stride * self.item(x) for n, stride in zip(shape, strides)]
        last = address + sum(step for step in steps if step > 0) + self.item(x)
        return address + sum(step for step in steps if step < 0), last

    def same_place(self, x, y):
        raw = self.raw(x)
        return x.dtype == y.dtype and raw is not None and raw == self.raw(y)

    def check_out(self, out, shape, dtype):
        if not isinstance(out, self.array) or self.place_of(out) != self.device:
            raise TypeError(f"out must be an array of {self.NAME} on the same device: got {type(out).__name__}")
        if tuple(out.shape) != tuple(shape):
            raise ValueError(f"out has shape {tuple(out.shape)}: expected {tuple(shape)}")
        if out.dtype != dtype:
            raise TypeError(f"out has dtype {out.dtype}: expected {dtype}")
        if self.is_read_only(out):
            raise ValueError("out is read-only")

    def conjugate(self, x, out=None):
        # What more there is than a transform is not kept.
        self.ran.append(None)
        result = self.plain(self.conj(x))
        if out is None:
            return result
        out[...] = result
        return out

    def multiply(self, x, factor, out):
        self.ran.append(None)
        out *= factor
        return out

    def execute(self, op, source, target, how):
        self._open()
        prepared = _core.prepare(op, self.raw(source), self.raw(target), *how, self._own_device())
        self.run(prepared, source, target)
        self.ran.append((source, target, prepared))

    def run(self, prepared, source, target):
        """Runs what was prepared, in the current stream."""
        count, scratch = prepared.scratch_bytes, 0
        if count:
            # It may be another's as soon as the call is queued, as its library keeps the order of the stream.
            lent = self.scratch(count)
            scratch = self.address(lent)
        stream = 0 if self.device[0] == "cpu" else self.stream()
        prepared.run(self.address(source), self.address(target), stream, scratch)

    def describe(self, op, shape, how):
        self._open()
        return _core.describe(op, tuple(shape), *how, self._own_device())

    def _own_device(self):
        return None if self.device[0] == "cpu" else self.device

    def _open(self):
        if self.device[0] == "cuda":
            find_compiler()


_kept = _core.kept()
_MOST_KEPT = 512


def again(key, x):
    """The result of a call of this key, if there was one lately whose plan is there still."""
    kept = None if key is None else _kept.get(key)
    return None if kept is None else kept(x)


def keep(key, library, x, result, strides=None):
    """Keeps a call that was one transform of `x` into a new array, its result."""
    ran, library.ran = library.ran, []
    if key is None or len(ran) != 1 or ran[0] is None:
        return
    source, target, prepared = ran[0]
    if source is x and target is result and target is not x:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        shape, dtype, count = tuple(target.shape), target.dtype, prepared.scratch_bytes
        empty = library.maker(shape, dtype) if strides is None else library.maker(shape, dtype, strides)
        scratch = functools.partial(library.scratch, count) if count else None
        stream = None if library.device[0] == "cpu" else library.stream_maker()
        _kept[key] = _core.Kept(prepared, empty, scratch, stream, isinstance(library, Torch))


def forget():
    """Forgets all calls."""
    _kept.clear()


_of_parent = []


def forked():
    """Forgets a parent's calls in its child, and frees nothing: a thread that is not there may hold what that takes."""
    _of_parent.append(dict(_kept))
    _kept.clear()


def signature(x, with_gradient=False):
    """What calls of an array depend on beside its numbers; `None` of arrays whose calls are not kept."""
    torch = sys.modules.get("torch")
    if torch is not None and type(x) is torch.Tensor:
        return _core.signature_of_tensor(x, with_gradient)
    if type(x).__module__ == "cupy":
        return x.dtype, x.shape, x.strides, x.device.id, x.data.ptr % 16
    return None


def backend_of(kind, name):
    if kind not in BACKENDS:
        raise NotImplementedError(f"arrays of {name} on devices of DLPack's kind {kind}: expected a CPU or CUDA")
    return BACKENDS[kind]


class Torch(Library):
    """PyTorch's tensors, on the CPU and on CUDA."""

    NAME, KEEPS_HALF = "PyTorch", True

    def __init__(self, torch, x):
        self.ran = []
        self.torch, self.array, self.default = torch, torch.Tensor, torch.get_default_dtype()
        self._device = x.device
        self.device = self.place_of(x)
        self.types = {
            torch.float16: ("f16", False), torch.bfloat16: ("bf16", False), torch.float32: ("f32", False),
            torch.float64: ("f64", False), torch.complex32: ("f16", True), torch.complex64: ("f32", True),
            torch.complex128: ("f64", True),
        }  # fmt: skip

    def place_of(self, x):
        device = x.device
        if device.type == "cuda" and self.torch.version.hip:
            raise NotImplementedError("tensors on AMD GPUs: expected a CPU or CUDA")
        if device.type not in ("cpu", "cuda"):
            raise NotImplementedError(f"tensors on {device.type}: expected a CPU or CUDA")
        return BACKENDS[1 if device.type == "cpu" else 2], device.index or 0

    def on(self, stream):
        if self._device.type == "cpu":
            raise ValueError("stream is of arrays on a device: x is on the CPU")
        if isinstance(stream, int):
            stream = self.torch.cuda.ExternalStream(stream, self._device)
        return self.torch.cuda.stream(stream)

    def stream(self):
        return self.torch.cuda.current_stream(self._device).cuda_stream

    def raw(self, x):
        # What is conjugated when it is read has other numbers in memory.
        return None if x.is_conj() or x.is_neg() else (x.data_ptr(), tuple(x.shape), x.stride())

    def address(self, x):
        return x.data_ptr()

    def item(self, x):
        return x.element_size()

    def plain(self, x):
        return x.resolve_conj().resolve_neg()

    def cast(self, x, dtype):
        return x.to(dtype)

    def conj(self, x):
        return x.conj()

    def copy(self, x):
        return self.plain(x).clone(memory_format=self.torch.contiguous_format)

    def empty(self, shape, dtype):
        return self.torch.empty(shape, dtype=dtype, device=self._device)

    def maker(self, shape, dtype, strides=None):
        """What makes such tensors, as often as it is called."""
        if strides is None:
            return functools.partial(self.torch.empty, shape, dtype=dtype, device=self._device)
        return functools.partial(self.torch.empty_strided, shape, strides, dtype=dtype, device=self._device)

    def stream_maker(self):
        # What PyTorch's own compiler calls, where there is it: a third of the time.
        raw = getattr(self.torch._C, "_cuda_getCurrentRawStream", None)
        return self.stream if raw is None else functools.partial(raw, self.device[1])

    def zeros(self, shape, dtype):
        return self.torch.zeros(shape, dtype=dtype, device=self._device)

    def scratch(self, count):
        return self.empty((count,), self.torch.uint8)


_current = threading.local()


class Standard(Library):
    """Arrays with `__cuda_array_interface__` whose library has the functions of the array API's standard."""

    KEEPS_HALF = False

    def __init__(self, xp, x):
        self.ran = []
        self.xp, self.array = xp, type(x)
        self.NAME = type(x).__module__.partition(".")[0]
        self.device, self.own_device = self.place_of(x), x.device
        self.read_stream = x.__cuda_array_interface__.get("stream")
        self.default = xp.float64
        names = {
            "float16": ("f16", False), "bfloat16": ("bf16", False), "float32": ("f32", False),
            "float64": ("f64", False), "complex64": ("f32", True), "complex128": ("f64", True),
        }  # fmt: skip
        self.types = {np.dtype(getattr(xp, name)): own for name, own in names.items() if hasattr(xp, name)}

    def place_of(self, x):
        kind, number = x.__dlpack_device__()
        return backend_of(int(kind), type(x).__module__), int(number)

    @contextlib.contextmanager
    def on(self, stream):
        before = getattr(_current, "stream", None)
        _current.stream = int(stream)
        try:
            yield
        finally:
            _current.stream = before

    def stream(self):
        """What the call says, or the interface; without either the device's own default."""
        given = getattr(_current, "stream", None)
        return given if given is not None else self.read_stream or 0

    def is_read_only(self, x):
        return x.__cuda_array_interface__["data"][1]

    def raw(self, x):
        interface = x.__cuda_array_interface__
        if interface.get("mask") is not None:
            raise NotImplementedError("arrays with a mask")
        shape, strides, item = interface["shape"], interface.get("strides"), self.item(x)
        if strides is None:
            strides, step = [], item
            for n in reversed(shape):
                strides.insert(0, step)
                step *= max(n, 1)
        if any(stride % item for stride, n in zip(strides, shape) if n > 1):
            return None
        return interface["data"][0], tuple(shape), tuple(stride // item for stride in strides)

    def address(self, x):
        return x.__cuda_array_interface__["data"][0]

    def item(self, x):
        return np.dtype(x.dtype).itemsize

    def plain(self, x):
        return x

    def cast(self, x, dtype):
        return self.xp.astype(x, dtype)

    def conj(self, x):
        return self.xp.conj(x)

    def copy(self, x):
        result = self.empty(x.shape, x.dtype)
        result[...] = x
        return result

    def empty(self, shape, dtype):
        return self.xp.empty(tuple(shape), dtype=dtype, device=self.own_device)

    def zeros(self, shape, dtype):
        return self.xp.zeros(tuple(shape), dtype=dtype, device=self.own_device)

    def scratch(self, count):
        return self.empty((count,), self.xp.uint8)


class CuPy(Standard):
    """CuPy's arrays."""

    def __init__(self, cupy, x):
        super().__init__(cupy, x)
        self.NAME = "CuPy"

    def on(self, stream):
        if isinstance(stream, int):
            stream = self.xp.cuda.ExternalStream(stream, self.device[1])
        return stream

    def maker(self, shape, dtype):
        return functools.partial(self.empty, shape, dtype)

    def stream(self):
        return self.xp.cuda.get_current_stream(self.device[1]).ptr

    def stream_maker(self):
        return self.stream

    def is_read_only(self, x):
        return False

    def address(self, x):
        return x.data.ptr

    def cast(self, x, dtype):
        return x.astype(dtype)

    def empty(self, shape, dtype):
        with self.own_device:
            return self.xp.empty(tuple(shape), dtype)

    def zeros(self, shape, dtype):
        with self.own_device:
            return self.xp.zeros(tuple(shape), dtype)
