"""`mmafft.jax` beside `jax.numpy.fft` on the CPU: values, gradients, `vmap`, and under `jit`."""

import mmafft
import numpy as np
import pytest
import scipy.fft

# It is some hundred megabytes: nothing installs it for the tests.
jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
RNG = np.random.default_rng(5)
NAMES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]


def numbers(shape, dtype):
    x = RNG.uniform(-1, 1, shape) + (1j * RNG.uniform(-1, 1, shape) if np.dtype(dtype).kind == "c" else 0)
    return jnp.asarray(x.astype(dtype))


def same(ours, theirs):
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    bound = 2e-6 if theirs.dtype in (np.float32, np.complex64) else 1e-13
    assert np.linalg.norm(ours - theirs) <= bound * np.linalg.norm(theirs) + 1e-30


def input_of(name, single=False):
    real, complex_ = (np.float32, np.complex64) if single else (np.float64, np.complex128)
    return numbers((4, 3, 6), real if name.startswith(("rfft", "ihfft")) else complex_)


@pytest.mark.parametrize("name", [base + end for base in NAMES for end in ("", "2", "n")])
def test_values(name):
    ours, theirs = getattr(mmafft.jax, name), getattr(scipy.fft, name)
    for single in (False, True):
        x = input_of(name, single)
        for norm in (None, "ortho", "forward"):
            same(ours(x, norm=norm), theirs(np.asarray(x), norm=norm))
            same(jax.jit(lambda x, norm=norm: ours(x, norm=norm))(x), theirs(np.asarray(x), norm=norm))
        if name in NAMES:
            for n, axis in [(5, 0), (9, 2), (2, -1)]:
                same(ours(x, n, axis), theirs(np.asarray(x), n, axis))
        else:
            same(ours(x, (5, 8), (0, 2)), theirs(np.asarray(x), (5, 8), (0, 2)))


@pytest.mark.parametrize("name", [base + end for base in ("dct", "idct", "dst", "idst") for end in ("", "n")])
@pytest.mark.parametrize("type_", [1, 2, 3, 4])
def test_cosines(name, type_):
    ours, theirs = getattr(mmafft.jax, name), getattr(scipy.fft, name)
    x = numbers((4, 3, 6), np.float64)
    for norm, orthogonalize in [(None, None), ("ortho", None), ("forward", True), ("ortho", False)]:
        how = {"norm": norm, "orthogonalize": orthogonalize}
        same(ours(x, type_, **how), theirs(np.asarray(x), type_, **how))


CASES = [(base + end, {}) for base in NAMES for end in ("", "n")]
CASES += [(base, {"n": n, "axis": 1}) for base in NAMES for n in (2, 7)]
TYPES = [{"type": t, "norm": norm} for t in (1, 2, 3, 4) for norm in (None, "ortho")]
CASES += [(base, how) for base in ("dct", "idst") for how in TYPES]


@pytest.mark.parametrize("name, how", CASES, ids=str)
def test_gradients(name, how):
    from jax.test_util import check_grads

    real = name.startswith(("rfft", "ihfft", "d", "id"))
    x = numbers((2, 3, 4), np.float64 if real else np.complex128)
    check_grads(lambda x: getattr(mmafft.jax, name)(x, **how), (x,), order=2, modes=["fwd", "rev"])


def test_gradients_are_jaxs():
    x = input_of("rfft")
    for ours, theirs in [(mmafft.jax.rfft, jnp.fft.rfft), (mmafft.jax.fft, jnp.fft.fft)]:
        loss = [jax.grad(lambda x, f=f: (jnp.abs(f(x)[..., 1]) ** 3).sum())(x) for f in (ours, theirs)]
        same(*loss)
    z = input_of("irfft")
    loss = [jax.grad(lambda z, f=f: (f(z) ** 3).sum())(z) for f in (mmafft.jax.irfftn, jnp.fft.irfftn)]
    same(*loss)


def test_vmap():
    x = input_of("fft")
    for in_axes, out_axes in [(0, 0), (1, 2), (2, 0)]:
        for ours, theirs in [(mmafft.jax.fftn, jnp.fft.fftn), (mmafft.jax.irfft, jnp.fft.irfft)]:
            same(jax.vmap(ours, in_axes, out_axes)(x), jax.vmap(theirs, in_axes, out_axes)(x))
    same(jax.jacobian(mmafft.jax.dct)(jnp.zeros(4)), scipy.fft.dct(np.eye(4)).T)


def test_types_and_errors():
    assert mmafft.jax.fft(jnp.ones(4, jnp.bfloat16)).dtype == jnp.complex64
    same(mmafft.jax.fft(jnp.arange(5)), np.fft.fft(np.arange(5)))
    assert mmafft.jax.fft(jnp.zeros((0, 4))).shape == (0, 4)
    assert mmafft.jax.fftn(jnp.ones(3), axes=()).shape == (3,)
    x = input_of("fft")
    for error, call in [
        (TypeError, lambda: mmafft.jax.rfft(x)),
        (ValueError, lambda: mmafft.jax.fft(x, axis=3)),
        (ValueError, lambda: mmafft.jax.fft(x, 0)),
        (ValueError, lambda: mmafft.jax.fft(x, axis=(0, 1))),
        (ValueError, lambda: mmafft.jax.fft2(x, axes=(0,))),
        (ValueError, lambda: mmafft.jax.fft(x, norm="none")),
        (ValueError, lambda: mmafft.jax.irfft(jnp.ones(1))),
        (ValueError, lambda: mmafft.jax.dct(x.real, 5)),
        (ValueError, lambda: mmafft.jax.rfftn(x.real, axes=())),
    ]:
        with pytest.raises(error):
            call()


def test_an_error_inside_of_xla():
    """What the compiled part refuses comes out of a compiled program, and the next call runs."""
    with pytest.raises(jax.errors.JaxRuntimeError, match="another type"):
        mmafft.jax._apply(jnp.ones((2, 3)), 0, [0], [2], 0).block_until_ready()
    same(mmafft.jax.fft(jnp.ones(4)), np.fft.fft(np.ones(4)))


def test_threads_at_once():
    x = numbers((64, 4096), np.complex64)
    function = jax.jit(lambda x: sum(mmafft.jax.ifft(mmafft.jax.fft(x * k)) / k for k in range(1, 6)))
    assert np.allclose(function(x), 5 * np.asarray(x), atol=1e-4)
