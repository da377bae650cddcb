"""A library of arrays on a device that is emulated, to test what calls ask of one: its memory is the host's."""

import contextlib
from types import SimpleNamespace

import numpy as np


class FakeArray:
    """An array with the interface of a device's, and nothing by which NumPy could read it."""

    def __init__(self, data, device=0, stream=None):
        self.host, self.number, self.own_stream = data, device, stream
        self.shape, self.dtype, self.ndim = data.shape, data.dtype, data.ndim

    @property
    def device(self):
        return f"fake:{self.number}"

    @property
    def __cuda_array_interface__(self):
        pointer = (self.host.ctypes.data, not self.host.flags.writeable)
        # As other libraries do, without strides where it is contiguous.
        strides = None if self.host.flags.c_contiguous else self.host.strides
        return {
            "shape": self.shape, "typestr": self.dtype.str, "data": pointer, "strides": strides,
            "version": 3, "stream": self.own_stream,
        }  # fmt: skip

    def __dlpack_device__(self):
        return (2, self.number)

    def __array_namespace__(self, api_version=None):
        return namespace

    def __array__(self, dtype=None, copy=None):
        raise TypeError("a device's array does not go to the host by itself")

    def __getitem__(self, key):
        return FakeArray(self.host[key], self.number)

    def __setitem__(self, key, value):
        self.host[key] = value.host if isinstance(value, FakeArray) else value

    def __imul__(self, factor):
        self.host *= factor
        return self

    @property
    def real(self):
        return FakeArray(self.host.real, self.number)

    @property
    def imag(self):
        return FakeArray(self.host.imag, self.number)


class FakeCuPyArray(FakeArray):
    """The same as CuPy's arrays are: with what calls ask of that library."""

    __module__ = "cupy"

    @property
    def data(self):
        return SimpleNamespace(ptr=self.host.ctypes.data)

    @property
    def strides(self):
        return self.host.strides

    @property
    def device(self):
        return FakeCuPyDevice(self.number)

    def __array_namespace__(self, api_version=None):
        raise AttributeError("older releases have none")

    def astype(self, dtype):
        return FakeCuPyArray(self.host.astype(dtype))

    def __getitem__(self, key):
        return FakeCuPyArray(self.host[key], self.number)

    @property
    def real(self):
        return FakeCuPyArray(self.host.real, self.number)

    @property
    def imag(self):
        return FakeCuPyArray(self.host.imag, self.number)


class FakeCuPyDevice(contextlib.nullcontext):
    def __init__(self, number):
        super().__init__()
        self.id = number


def number_of(device):
    return int(device.partition(":")[2])


#: The bytes of arrays that the library was asked for.
allocated = []


def _empty(shape, dtype, device):
    allocated.append(int(np.prod(shape)) * np.dtype(dtype).itemsize)
    return FakeArray(np.full(shape, 77).astype(dtype), number_of(device))


namespace = SimpleNamespace(
    empty=_empty,
    zeros=lambda shape, dtype, device: FakeArray(np.zeros(shape, dtype), number_of(device)),
    astype=lambda x, dtype: FakeArray(x.host.astype(dtype), x.number),
    conj=lambda x: FakeArray(x.host.conj(), x.number),
    uint8=np.uint8, float16=np.float16, float32=np.float32, float64=np.float64, complex64=np.complex64,
    complex128=np.complex128,
)  # fmt: skip


#: The streams in which CuPy's calls ran.
streams = []


def _current_stream(number):
    streams.append(number)
    return SimpleNamespace(ptr=0)


def _cupy_empty(shape, dtype):
    return FakeCuPyArray(_empty(shape, dtype, "fake:0").host)


cupy = SimpleNamespace(
    empty=_cupy_empty,
    zeros=lambda shape, dtype: FakeCuPyArray(np.zeros(shape, dtype)),
    conj=lambda x: FakeCuPyArray(x.host.conj()),
    cuda=SimpleNamespace(
        get_current_stream=_current_stream,
        ExternalStream=lambda handle, number: contextlib.nullcontext(),
    ),
    uint8=np.uint8, float16=np.float16, float32=np.float32, float64=np.float64, complex64=np.complex64,
    complex128=np.complex128,
)  # fmt: skip
