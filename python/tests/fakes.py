"""A library of arrays on a device that is emulated, to test what calls ask of one: its memory is the host's."""

from types import SimpleNamespace

import numpy as np


class FakeArray:
    """An array with the interface of a device's, and nothing by which NumPy could read it."""

    def __init__(self, data, device=0, stream=None):
        self.data, self.number, self.own_stream = data, device, stream
        self.shape, self.dtype, self.ndim = data.shape, data.dtype, data.ndim

    @property
    def device(self):
        return f"fake:{self.number}"

    @property
    def __cuda_array_interface__(self):
        pointer = (self.data.ctypes.data, not self.data.flags.writeable)
        # As other libraries do, without strides where it is contiguous.
        strides = None if self.data.flags.c_contiguous else self.data.strides
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
        return FakeArray(self.data[key], self.number)

    def __setitem__(self, key, value):
        self.data[key] = value.data if isinstance(value, FakeArray) else value

    def __imul__(self, factor):
        self.data *= factor
        return self

    @property
    def real(self):
        return FakeArray(self.data.real, self.number)

    @property
    def imag(self):
        return FakeArray(self.data.imag, self.number)


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
    astype=lambda x, dtype: FakeArray(x.data.astype(dtype), x.number),
    conj=lambda x: FakeArray(x.data.conj(), x.number),
    uint8=np.uint8, float16=np.float16, float32=np.float32, float64=np.float64, complex64=np.complex64,
    complex128=np.complex128,
)  # fmt: skip
