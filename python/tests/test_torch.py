"""`mmafft.torch` beside `torch.fft` on the CPU: values, gradients, `vmap`, `torch.compile` and the patch."""

import mmafft
import numpy as np
import pytest
import scipy.fft
import torch_samples

# It is a gigabyte: nothing installs it for the tests.
torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
RNG = np.random.default_rng(3)
NAMES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]


def numbers(shape, dtype):
    x = RNG.uniform(-1, 1, shape) + (1j * RNG.uniform(-1, 1, shape) if "complex" in dtype else 0)
    return torch.from_numpy(np.asarray(x, dtype))


def same(ours, theirs):
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    bound = 2e-6 if theirs.dtype in (torch.float32, torch.complex64) else 1e-14
    assert torch.linalg.norm(ours - theirs) <= bound * torch.linalg.norm(theirs) + 1e-30


def input_of(name, precision=64):
    return numbers((4, 3, 6), f"float{precision}" if name.startswith(("rfft", "ihfft")) else f"complex{2 * precision}")


@pytest.mark.parametrize("name", [base + end for base in NAMES for end in ("", "2", "n")])
def test_values(name):
    ours, theirs = getattr(mmafft.torch, name), getattr(torch.fft, name)
    for precision in (32, 64):
        x = input_of(name, precision)
        for norm in (None, "backward", "ortho", "forward"):
            same(ours(x, norm=norm), theirs(x, norm=norm))
        if name in NAMES:
            for n, dim in [(5, 0), (9, 2), (2, -1)]:
                same(ours(x, n, dim), theirs(x, n, dim))
        else:
            same(ours(x, (5, 8), dim=(0, 2)), theirs(x, (5, 8), dim=(0, 2)))
            same(ours(x, dim=(2, 1)), theirs(x, dim=(2, 1)))
    if name.startswith(("fft", "irfft")):
        x = input_of("rfft")
        same(ours(x), theirs(x))


@pytest.mark.parametrize("name", [base + end for base in ("dct", "idct", "dst", "idst") for end in ("", "n")])
@pytest.mark.parametrize("type_", [1, 2, 3, 4])
def test_cosines(name, type_):
    ours, theirs = getattr(mmafft.torch, name), getattr(scipy.fft, name)
    x = numbers((4, 3, 6), "float64")
    for norm, orthogonalize in [(None, None), ("ortho", None), ("forward", True), ("ortho", False)]:
        how = {"norm": norm, "orthogonalize": orthogonalize}
        same(ours(x, type_, **how), torch.from_numpy(theirs(x.numpy(), type_, **how)))
    z = numbers((3, 5), "complex128")
    same(ours(z, type_), torch.from_numpy(theirs(z.numpy(), type_)))


CASES = [(base + end, {}) for base in NAMES for end in ("", "2", "n")]
CASES += [(base, {"n": n, "dim": 1}) for base in NAMES for n in (2, 7)]
TYPES = [{"type": t, "norm": norm} for t in (1, 2, 3, 4) for norm in (None, "ortho")]
CASES += [(base, how) for base in ("dct", "idst") for how in TYPES]
CASES += [("dstn", {"type": t, "s": (3, 5), "dim": (0, 2)}) for t in (1, 2, 3, 4)]


@pytest.mark.parametrize("name, how", CASES, ids=str)
def test_gradients(name, how):
    real = name.startswith(("rfft", "ihfft", "d", "id"))
    x = numbers((2, 3, 4), "float64" if real else "complex128").requires_grad_()
    function = getattr(mmafft.torch, name)
    assert torch.autograd.gradcheck(lambda x: function(x, **how), x)
    assert torch.autograd.gradgradcheck(lambda x: function(x, **how), x)


def test_vmap():
    x = input_of("fft")
    for in_dims, out_dims in [(0, 0), (1, 2), (2, 0)]:
        over = {"in_dims": in_dims, "out_dims": out_dims}
        same(torch.vmap(mmafft.torch.fftn, **over)(x), torch.vmap(torch.fft.fftn, **over)(x))
        same(torch.vmap(mmafft.torch.irfft, **over)(x), torch.vmap(torch.fft.irfft, **over)(x))
        same(torch.vmap(mmafft.torch.dct, **over)(x.real), torch.func.vmap(mmafft.torch.dct, **over)(x.real))
    jacobian = torch.func.jacrev(mmafft.torch.dct)(torch.zeros(4, dtype=torch.float64))
    same(jacobian, torch.from_numpy(scipy.fft.dct(np.eye(4)).T.copy()))


def test_forward_mode():
    x, tangent = input_of("fft"), input_of("fft")
    for function in (mmafft.torch.fft, mmafft.torch.irfftn):
        value, along = torch.func.jvp(function, (x,), (tangent,))
        same(value, function(x))
        same(along, function(tangent))


def test_operators_keep_their_word():
    """What PyTorch asks of an operator: schema, fake tensors, gradients, and tracing with shapes that vary."""
    ops = torch.ops.mmafft
    z, x = numbers((3, 8), "complex128").requires_grad_(), numbers((3, 8), "float64").requires_grad_()
    torch.library.opcheck(ops.c2c, (z, [1], [8], 1, True))
    torch.library.opcheck(ops.r2c, (x, [0, 1], [3, 9], 0))
    torch.library.opcheck(ops.c2r, (z, [1], [14], 2))
    torch.library.opcheck(ops.r2r, (x, [1], [8], 0, 5))


def test_compile():
    def loss(x):
        return (mmafft.torch.rfft(x * 2, norm="ortho").abs() ** 2).sum()

    x = numbers((4, 32), "float64").requires_grad_()
    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    value = compiled(x)
    (gradient,) = torch.autograd.grad(value, x)
    same(value, loss(x))
    same(gradient, torch.autograd.grad(loss(x), x)[0])


def test_errors():
    x = input_of("fft")
    for error, call in [
        (TypeError, lambda: mmafft.torch.rfft(x)),
        (TypeError, lambda: mmafft.torch.fft(np.ones(3))),
        (IndexError, lambda: mmafft.torch.fft(x, dim=3)),
        (ValueError, lambda: mmafft.torch.fft(x, 0)),
        (ValueError, lambda: mmafft.torch.fft(x, norm="none")),
        (ValueError, lambda: mmafft.torch.irfft(torch.ones(1))),
        (ValueError, lambda: mmafft.torch.dct(x.real, 5)),
        (ValueError, lambda: mmafft.torch.patch("mps")),
    ]:
        with pytest.raises(error):
            call()


@pytest.mark.parametrize("name", [base + end for base in NAMES for end in ("", "2", "n")])
def test_patch(name):
    function = getattr(torch.fft, name)
    views = [lambda x: x, lambda x: x.transpose(0, 2), lambda x: x[::2]]
    views += [] if name.startswith(("rfft", "ihfft")) else [lambda x: x.conj(), lambda x: x.real]
    for view in views:
        for precision, norm in [(32, None), (64, "ortho")]:
            x = view(input_of(name, precision))
            theirs = function(x, norm=norm)
            with mmafft.torch.patch("cpu"):
                mmafft.clear_cache()
                ours = function(x, norm=norm)
                assert mmafft._core.cached() > 0
                into = torch.empty(0, dtype=theirs.dtype)
                function(x, norm=norm, out=into)
            same(ours, theirs)
            same(into, theirs)
            if ours.stride() != theirs.stride():
                assert torch_samples.as_promised(torch, ours.stride(), function, x, norm=norm)


def kind_of(call):
    """The shape of a result, or the kind of an error: some releases refuse tensors without points."""
    try:
        return call().shape
    except RuntimeError as error:
        return type(error)


def test_patched_gradients_and_undo():
    x = input_of("fft").requires_grad_()
    empty = kind_of(lambda: torch.fft.fft(torch.zeros(0, 4)))
    patched = mmafft.torch.patch("cpu")
    try:
        mmafft.clear_cache()
        assert torch.autograd.gradcheck(lambda x: torch.fft.irfftn(torch.fft.fftn(x)), x)
        assert mmafft._core.cached() >= 2
        # What is not ours is PyTorch's still.
        assert kind_of(lambda: torch.fft.fft(torch.zeros(0, 4))) == empty
        with pytest.raises(RuntimeError, match=r"data points"):
            torch.fft.fft(x, 0)
        same(torch.stft(x.real.reshape(-1), 16, window=torch.ones(16), return_complex=True).detach(),
             torch.stft(x.real.reshape(-1), 16, window=torch.ones(16), return_complex=True).detach())  # fmt: skip
    finally:
        patched.undo()
    mmafft.clear_cache()
    torch.fft.fft(x)
    assert mmafft._core.cached() == 0


@pytest.mark.filterwarnings("ignore")
def test_patch_by_pytorchs_samples():
    torch_samples.check(torch, "cpu")


def test_calls_that_were_made_before_are_no_others():
    x = torch.randn(4, 8, dtype=torch.complex64)
    for _ in range(2):
        assert torch.allclose(mmafft.fft.fft2(x), torch.fft.fft2(x), atol=1e-4)
        assert torch.allclose(mmafft.fft.fft(x, n=8), torch.fft.fft(x), atol=1e-4)
        assert mmafft.fft.fftn(x, axes=()) is x
    for wrong in ({"axis": (-2, -1)}, {"axis": None}, {"n": 8.0}, {"axis": -1.0}):
        with pytest.raises(TypeError):
            mmafft.fft.fft(x, **wrong)
    n = torch.tensor(8)
    assert mmafft.fft.fft(x, n).shape == (4, 8)
    n.fill_(4)
    assert mmafft.fft.fft(x, n).shape == (4, 4)
