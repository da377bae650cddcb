"""Arrays of other libraries: of one that is made up, on emulated devices, and PyTorch's on the CPU."""

import sys
from types import SimpleNamespace

import fakes
import mmafft
import numpy as np
import pytest
import scipy.fft
from fakes import FakeArray, FakeCuPyArray, allocated

RNG = np.random.default_rng(7)


@pytest.fixture(params=["emulated-nvidia", "emulated-amd"])
def device(request, monkeypatch):
    try:
        mmafft._core.device_name(request.param, 0)
    except RuntimeError as error:
        pytest.skip(f"this wheel has no emulated devices: {error}")
    monkeypatch.setitem(mmafft._others.BACKENDS, 2, request.param)
    return request.param


def numbers(shape, dtype):
    x = RNG.uniform(-1, 1, shape)
    return (x + 1j * RNG.uniform(-1, 1, shape)).astype(dtype) if np.dtype(dtype).kind == "c" else x.astype(dtype)


def same(ours, theirs, bound=None):
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    bound = bound or (2e-6 if theirs.dtype in (np.float32, np.complex64) else 4e-15)
    assert np.linalg.norm(ours - theirs) <= bound * max(np.linalg.norm(theirs), 1e-300)


CASES = [
    (name, dtype)
    for name in ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idst"]
    for dtype in [np.float32, np.complex128, np.float16, np.int16]
    if not (name in ("rfft", "ihfft") and dtype is np.complex128)
]


@pytest.mark.parametrize("name, dtype", CASES)
def test_functions(device, name, dtype):
    for n, axis in [(None, -1), (12, 0), (3, -1), (40, 1)]:
        x = (numbers((6, 5), np.float64) * 100).astype(dtype) if dtype is np.int16 else numbers((6, 5), dtype)
        ours = getattr(mmafft.fft, name)(FakeArray(x), n=n, axis=axis)
        assert type(ours) is FakeArray
        same(ours.host, getattr(scipy.fft, name)(x, n=n, axis=axis))


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "dctn", "idstn", "hfftn"])
def test_several_axes(device, name):
    real = name in ("rfftn", "dctn", "idstn")
    x = numbers((4, 6, 5), np.float32 if real else np.complex64)
    for s, axes, norm in [(None, None, None), ((8, 3), (0, 2), "ortho"), (None, (2, 1), "forward")]:
        ours = getattr(mmafft.fft, name)(FakeArray(x), s=s, axes=axes, norm=norm)
        same(ours.host, getattr(scipy.fft, name)(x, s=s, axes=axes, norm=norm))


def test_strides_and_out(device):
    base = numbers((8, 12), np.complex64)
    for view in [base[::2, ::3], base.T, base[::-1], np.broadcast_to(base[0], (3, 12))]:
        same(mmafft.fft.fft(FakeArray(view)).host, scipy.fft.fft(view))
        same(mmafft.fft.rfft(FakeArray(view.real), axis=0).host, scipy.fft.rfft(view.real, axis=0))
    expected = scipy.fft.fft(base)
    for out in [np.empty_like(base), np.empty_like(base.T).T, np.empty((8, 24), np.complex64)[:, ::-2]]:
        assert mmafft.fft.fft(FakeArray(base), out=(given := FakeArray(out))) is given
        same(out, expected)
    both = base.copy()
    mmafft.fft.fft(FakeArray(both), out=FakeArray(both))
    same(both, expected)
    overlap = np.concatenate([base, base])
    mmafft.fft.fft(FakeArray(overlap[:8]), out=FakeArray(overlap[2:10]))
    same(overlap[2:10], expected)
    part = mmafft.fft.fft(FakeArray(base), wanted={1: (2, 5)}, nonzero={1: (0, 6)})
    expected = scipy.fft.fft(base[:, :6], 12)
    expected[:, :2] = expected[:, 5:] = 0
    same(part.host, expected)


def test_nothing_is_copied(device):
    """The library is asked for the result, and for scratch where the plan has some, alone."""
    x = numbers((4, 640), np.complex64)
    for name, n in [("fft", None), ("fft", 1000), ("irfft", None)]:
        plan = mmafft.plan(FakeArray(x), name, n=n)
        allocated.clear()
        result = plan(FakeArray(x))
        assert allocated == [result.host.nbytes] + [plan.scratch_bytes] * (plan.scratch_bytes > 0)
    allocated.clear()
    both = FakeArray(x.copy())
    assert mmafft.fft.fft(both, overwrite_x=True) is both and sum(allocated) in (0, *allocated)


def test_a_plan_and_a_stream(device):
    x = numbers((3, 48), np.float32)
    plan = mmafft.plan(FakeArray(x), "rfft", norm="ortho")
    assert device in plan.explain() and plan.error_bound > 0
    same(plan(FakeArray(x), stream=5).host, scipy.fft.rfft(x, norm="ortho"))
    same(mmafft.fft.fft(FakeArray(x), stream=1).host, scipy.fft.fft(x))
    with pytest.raises(ValueError, match="shape"):
        plan(FakeArray(x[:2]))
    seen = []
    library = mmafft._others.Standard(fakes.namespace, FakeArray(x, stream=9))
    with library.on(4):
        seen.append(library.stream())
    assert [*seen, library.stream()] == [4, 9]


def test_cupy(device, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", fakes.cupy)
    x = numbers((6, 20), np.complex64)
    for name in ["fft", "ifft", "irfft", "hfft", "fftn", "rfft2", "dct", "ihfft"]:
        given = x if name in ("fft", "ifft", "irfft", "hfft", "fftn") else x.real.copy()
        # The second call is one that was made before.
        for view in [given, given, given.T, given[::-1]]:
            fakes.streams.clear()
            ours = getattr(mmafft.fft, name)(FakeCuPyArray(view))
            assert type(ours) is FakeCuPyArray and fakes.streams == [0]
            same(ours.host, getattr(scipy.fft, name)(view))
    assert len(mmafft._others._kept) >= 6
    # The cache of plans, which bounds their memory, may let go of one that a kept call is of.
    mmafft._core.clear_cache()
    same(mmafft.fft.fft(FakeCuPyArray(x)).host, scipy.fft.fft(x))
    assert mmafft._core.cached() == 1
    out = FakeCuPyArray(np.empty_like(x))
    assert mmafft.fft.fft(FakeCuPyArray(x), out=out, stream=7) is out
    same(out.host, scipy.fft.fft(x))
    same(mmafft.fft.fft(FakeCuPyArray(x.real.astype(np.float16))).host, scipy.fft.fft(x.real.astype(np.float16)))
    mmafft.clear_cache()
    assert not mmafft._others._kept


def test_the_scipy_backend(device):
    x = numbers((3, 48), np.complex64)
    with scipy.fft.set_backend(mmafft.scipy, only=True):
        same(scipy.fft.ifft(FakeArray(x)).host, mmafft.fft.ifft(x))


def test_bad_input(device):
    x = numbers((4, 6), np.complex64)
    frozen = x.copy()
    frozen.flags.writeable = False
    whole = FakeArray(np.zeros_like(x))
    for error, words, call in [
        (ValueError, "data points", lambda: mmafft.fft.fft(FakeArray(x), 0)),
        (ValueError, "shape", lambda: mmafft.fft.fft(FakeArray(x), out=FakeArray(np.zeros((4, 7), np.complex64)))),
        (TypeError, "dtype", lambda: mmafft.fft.fft(FakeArray(x), out=FakeArray(np.zeros((4, 6))))),
        (TypeError, "same device", lambda: mmafft.fft.fft(FakeArray(x), out=np.zeros_like(x))),
        (TypeError, "same device", lambda: mmafft.fft.fft(FakeArray(x), out=FakeArray(whole.host, 1))),
        (ValueError, "read-only", lambda: mmafft.fft.fft(FakeArray(x), out=FakeArray(frozen))),
        (ValueError, "read-only", lambda: mmafft.fft.fft(FakeArray(frozen), overwrite_x=True)),
        (TypeError, "real", lambda: mmafft.fft.rfft(FakeArray(x))),
        (NotImplementedError, "f16", lambda: mmafft.fft.fft(FakeArray(x), precision="f16")),
        (ValueError, "precision", lambda: mmafft.fft.fft(FakeArray(x), precision="f8")),
        (ValueError, "axes", lambda: mmafft.fft.fftn(FakeArray(x), axes=(0, 2))),
        (ValueError, "stream", lambda: mmafft.fft.fft(x, stream=1)),
    ]:
        with pytest.raises(error, match=words):
            call()
    assert not whole.host.any()


def test_what_is_no_device_of_ours(monkeypatch):
    class Elsewhere(FakeArray):
        def __dlpack_device__(self):
            return (10, 0)

    with pytest.raises(NotImplementedError, match="kind 10"):
        mmafft.fft.fft(Elsewhere(np.ones(4)))
    bare = SimpleNamespace(__cuda_array_interface__={})
    with pytest.raises(TypeError, match="no library"):
        mmafft.fft.fft(bare)
    with pytest.raises(RuntimeError, match="."):
        # No machine has so many devices.
        mmafft.fft.fft(FakeArray(np.ones(4), 977))


def test_nvrtc_is_found_by_cuda_pathfinder(monkeypatch):
    asked = []
    finder = SimpleNamespace(load_nvidia_dynamic_lib=asked.append)
    monkeypatch.setitem(sys.modules, "cuda", SimpleNamespace(pathfinder=finder))
    monkeypatch.setattr(mmafft._others, "_seen", set())
    for _ in range(2):
        mmafft._others.find_compiler()
    assert asked == ["nvrtc"]


class TestTorch:
    """PyTorch's tensors on the CPU: on CUDA they take the same way, which a device tests."""

    @pytest.fixture(autouse=True)
    def _torch(self):
        # It is a gigabyte: nothing installs it for the tests.
        self.torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

    @pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "rfftn", "irfftn"])
    def test_as_torch_fft(self, name):
        real = name in ("rfft", "ihfft", "rfftn")
        for dtype in ["float32", "float64"] if real else ["complex64", "complex128", "float32"]:
            x = self.torch.from_numpy(numbers((5, 4, 6), dtype))
            for view in [x, x.transpose(0, 2), x[::2], x.conj()]:
                for norm in [None, "ortho", "forward"]:
                    ours = getattr(mmafft.fft, name)(view, norm=norm)
                    theirs = getattr(self.torch.fft, name)(view, norm=norm)
                    assert ours.dtype == theirs.dtype
                    same(ours.resolve_conj().numpy(), theirs.resolve_conj().numpy())

    def test_sixteen_bits(self):
        torch = self.torch
        x = torch.from_numpy(numbers((3, 100), np.float32))
        half = mmafft.fft.rfft(x.half())
        assert half.dtype == torch.complex32
        expected = torch.fft.rfft(x.half().float())
        assert torch.linalg.norm(half.to(torch.complex64) - expected) < 1e-3 * torch.linalg.norm(expected)
        assert mmafft.fft.irfft(half).dtype == torch.float16
        assert mmafft.fft.fft(x.bfloat16()).dtype == torch.complex64
        y = mmafft.fft.dct(x.bfloat16())
        assert y.dtype == torch.bfloat16
        expected = scipy.fft.dct(x.bfloat16().float().numpy())
        assert np.linalg.norm(y.float().numpy() - expected) < 5e-3 * np.linalg.norm(expected)

    def test_arguments(self):
        torch = self.torch
        x = torch.from_numpy(numbers((4, 8), np.complex64))
        out = torch.empty_like(x)
        assert mmafft.fft.fft(x, out=out) is out
        same(out.numpy(), scipy.fft.fft(x.numpy()))
        conjugated = torch.empty_like(x).conj()
        mmafft.fft.fft(x, out=conjugated)
        same(conjugated.resolve_conj().numpy(), scipy.fft.fft(x.numpy()))
        same(mmafft.fft.fft(torch.arange(6)).numpy(), scipy.fft.fft(np.arange(6, dtype=np.float32)))
        assert np.allclose(mmafft.plan(x, "ifft")(x).numpy(), scipy.fft.ifft(x.numpy()))
        with pytest.raises(NotImplementedError, match="gradient"):
            mmafft.fft.fft(torch.ones(4, requires_grad=True))
        with torch.no_grad():
            mmafft.fft.fft(torch.ones(4, requires_grad=True))
        with pytest.raises(NotImplementedError, match="meta"):
            mmafft.fft.fft(torch.ones(4, device="meta"))
        with pytest.raises(ValueError, match="stream"):
            mmafft.fft.fft(x, stream=0)
        with pytest.raises(TypeError, match="real"):
            mmafft.fft.rfft(x)
