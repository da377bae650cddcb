"""Arrays of PyTorch, CuPy and JAX on an NVIDIA device, where there is one: beside their own transforms."""

import threading

import mmafft
import numpy as np
import pytest
import torch_samples

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
if not torch.cuda.is_available():
    pytest.skip("no device", allow_module_level=True)
RNG = np.random.default_rng(2)
NAMES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]


def numbers(shape, dtype):
    x = RNG.uniform(-1, 1, shape) + (1j * RNG.uniform(-1, 1, shape) if "complex" in dtype else 0)
    return torch.from_numpy(np.asarray(x, dtype)).cuda()


def same(ours, theirs, bound=None):
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype and ours.is_cuda
    bound = bound or (2e-6 if theirs.dtype in (torch.float32, torch.complex64) else 1e-14)
    assert torch.linalg.norm(ours - theirs) <= bound * torch.linalg.norm(theirs) + 1e-30


def input_of(name, shape, precision):
    return numbers(shape, f"float{precision}" if name.startswith(("rfft", "ihfft")) else f"complex{2 * precision}")


@pytest.mark.parametrize("name", [base + end for base in NAMES for end in ("", "2", "n")])
@pytest.mark.parametrize("precision", [32, 64])
def test_torch(name, precision):
    for shape in [(3, 4, 64), (2, 100, 97), (5, 1, 4096)]:
        x = input_of(name, shape, precision)
        for view in [x, x.transpose(0, 1), x[:, :, ::2]]:
            for norm in (None, "ortho"):
                theirs = getattr(torch.fft, name)(view, norm=norm)
                same(getattr(mmafft.fft, name)(view, norm=norm), theirs)
                same(getattr(mmafft.torch, name)(view, norm=norm), theirs)


def test_memory_that_begins_anywhere():
    x = numbers((165,), "float64")
    for function in (mmafft.fft.rfft, mmafft.torch.rfft):
        for begin in (0, 25, 25):
            view = x.narrow(0, begin, 100)
            same(function(view), torch.fft.rfft(view))


def test_axes_in_any_order():
    x = numbers((4, 5, 6), "complex128")
    for dim in [(1, 0), (0, 2), (2, 0, 1)]:
        for name in ("fftn", "ifftn", "irfftn", "hfftn"):
            theirs = getattr(torch.fft, name)(x, dim=dim)
            with mmafft.torch.patch():
                same(getattr(torch.fft, name)(x, dim=dim), theirs)
            same(getattr(mmafft.torch, name)(x, dim=dim), theirs)


def test_sixteen_bits():
    x = numbers((64, 1000), "float32")
    expected = torch.fft.rfft(x.half().float())
    half = mmafft.fft.rfft(x.half())
    assert half.dtype == torch.complex32
    assert torch.linalg.norm(half.to(torch.complex64) - expected) < 1e-3 * torch.linalg.norm(expected)
    back = mmafft.fft.irfft(half, 1000)
    assert back.dtype == torch.float16 and torch.linalg.norm(back.float() - x) < 2e-3 * torch.linalg.norm(x)
    assert mmafft.fft.dct(x.bfloat16()).dtype == torch.bfloat16


def test_nothing_is_copied():
    x = numbers((1024, 4096), "complex64")
    for name in ("fft", "ifft", "irfft"):
        plan = mmafft.plan(x, name)
        plan(x)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        y = plan(x)
        peak = torch.cuda.max_memory_allocated() - before
        assert peak <= y.nbytes + plan.scratch_bytes + (2 << 20), name


def test_streams():
    x = numbers((256, 4096), "complex64")
    expected = torch.fft.fft(x * 3)
    other = torch.cuda.Stream()
    torch.cuda.synchronize()
    # What runs in the other stream before it is what it reads.
    with torch.cuda.stream(other):
        torch.cuda._sleep(50_000_000)
        y = x * 3
    z = mmafft.fft.fft(y, stream=other)
    handle = mmafft.fft.fft(y, stream=other.cuda_stream)
    other.synchronize()
    same(z, expected)
    same(handle, expected)


def test_threads_and_streams_of_one_plan():
    # Two passes, with scratch between them.
    arrays = [numbers((2, 1 << 20), "complex64") for _ in range(8)]
    plan = mmafft.plan(arrays[0])
    expected = [torch.fft.fft(x) for x in arrays]
    torch.cuda.synchronize()
    results = [None] * 8

    def work(i):
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(20):
                results[i] = plan(arrays[i])
            torch.cuda.current_stream().synchronize()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for ours, theirs in zip(results, expected):
        same(ours, theirs)


def test_arrays_go_while_work_is_in_flight():
    total = torch.zeros(1, device="cuda", dtype=torch.float64)
    for k in range(200):
        x = torch.full((64, 4096), float(k), device="cuda", dtype=torch.complex64)
        y = mmafft.fft.fft(x)
        del x
        total += y[0, 0].real.double()
        del y
    assert total.item() == 4096 * sum(range(200))


def test_a_graph():
    x = numbers((16, 1024), "complex64")
    expected = torch.fft.ifft(x * 2)
    plan = mmafft.plan(x, "ifft")
    y = plan(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = plan(x)
    x *= 2
    graph.replay()
    same(y, expected)


def test_errors():
    x = numbers((4, 8), "complex64")
    with pytest.raises(TypeError, match="same device"):
        mmafft.fft.fft(x, out=torch.empty((4, 8), dtype=torch.complex64))
    with pytest.raises(ValueError, match="shape"):
        mmafft.fft.fft(x, out=torch.empty((4, 9), dtype=torch.complex64, device="cuda"))


def test_gradients():
    x = numbers((2, 3, 4), "complex128").requires_grad_()
    for name in ("fft", "irfftn"):
        assert torch.autograd.gradcheck(getattr(mmafft.torch, name), x)
    assert torch.autograd.gradcheck(mmafft.torch.dctn, x.detach().real.clone().requires_grad_())


@pytest.mark.filterwarnings("ignore")
def test_patch_by_pytorchs_samples():
    torch_samples.check(torch, "cuda")


def test_cupy():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    # CuPy has no hfftn and no ihfftn.
    for name in [*NAMES, "fftn", "ifftn", "rfftn", "irfftn"]:
        for dtype in ("float32", "float64") if name.startswith(("rfft", "ihfft")) else ("complex64", "complex128"):
            x = cupy.asarray(numbers((6, 50, 8), dtype).cpu().numpy())
            for view in [x, x.T, x[::-1, ::2], cupy.asfortranarray(x)]:
                ours, theirs = getattr(mmafft.fft, name)(view), getattr(cupy.fft, name)(view)
                assert isinstance(ours, cupy.ndarray) and ours.shape == theirs.shape and ours.dtype == theirs.dtype
                near = 2e-6 if ours.dtype.itemsize in (4, 8) and dtype in ("float32", "complex64") else 1e-14
                assert cupy.linalg.norm((ours - theirs).ravel()) <= near * cupy.linalg.norm(theirs.ravel())
    with cupy.cuda.Stream(non_blocking=True) as stream:
        y = mmafft.fft.fft(x)
        stream.synchronize()
    assert cupy.allclose(y, cupy.fft.fft(x))


def test_jax():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no device")
    jnp = jax.numpy
    for shape in [(8, 64), (3, 1000), (1, 1 << 20)]:
        x = jnp.asarray(numbers(shape, "complex64").cpu().numpy())
        for name in ("fft", "ifft", "irfft", "fftn"):
            ours, theirs = getattr(mmafft.jax, name)(x), getattr(jnp.fft, name)(x)
            assert ours.dtype == theirs.dtype
            assert jnp.linalg.norm((ours - theirs).ravel()) <= 3e-6 * jnp.linalg.norm(theirs.ravel())
    loss = jax.jit(jax.grad(lambda x: jnp.abs(mmafft.jax.rfft(x)).sum()))
    theirs = jax.jit(jax.grad(lambda x: jnp.abs(jnp.fft.rfft(x)).sum()))
    assert jnp.allclose(loss(x.real), theirs(x.real), atol=1e-3)
