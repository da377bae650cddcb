"""`mmafft.fft` beside SciPy's own engine: values, types, shapes, strides and arguments at random."""

import itertools

import mmafft
import numpy as np
import pytest
import scipy.fft

RNG = np.random.default_rng(50)
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
COSINES = ["dct", "idct", "dst", "idst"]
TYPES = [np.float32, np.float64, np.complex64, np.complex128, np.float16, np.int16, np.bool_, ">f8", ">c8"]


def numbers(shape, dtype):
    x = RNG.uniform(-1, 1, shape)
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        x = x + 1j * RNG.uniform(-1, 1, shape)
    return (x * 100).astype(dtype) if dtype.kind in "ib" else x.astype(dtype)


def by_scipy(name, *args, **kwargs):
    with scipy.fft.set_backend("scipy", only=True):
        return getattr(scipy.fft, name)(*args, **kwargs)


def same(ours, theirs):
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    bound = 2e-6 if theirs.dtype in (np.float32, np.complex64) else 4e-15
    norm = np.linalg.norm(theirs)
    assert np.linalg.norm(ours - theirs) <= bound * max(norm, 1e-300)


def is_refused(name, dtype):
    return name in ("rfft", "ihfft", "rfftn", "ihfftn") and np.dtype(dtype).kind == "c"


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", TYPES)
def test_one_axis(name, dtype):
    if is_refused(name, dtype):
        with pytest.raises(TypeError, match="real"):
            getattr(mmafft.fft, name)(numbers(8, dtype))
        return
    for shape, axis, n, norm in itertools.product(
        [(1,), (2,), (7,), (3, 5, 4), (2, 16), (0, 6)], [0, -1], [None, 1, 6, 9, 40],
        [None, "ortho", "forward"],
    ):  # fmt: skip
        x = numbers(shape, dtype)
        length = n or (2 * (shape[axis] - 1) if name in ("irfft", "hfft") else shape[axis])
        if length < 1 or x.shape[axis] == 0:
            continue
        same(getattr(mmafft.fft, name)(x, n, axis, norm), by_scipy(name, x, n, axis, norm))


@pytest.mark.parametrize("name", [n + "n" for n in ONE] + ["fft2", "irfft2", "ihfft2"])
@pytest.mark.parametrize("dtype", TYPES[:5])
def test_several_axes(name, dtype):
    if is_refused(name.replace("2", "n"), dtype):
        return
    x = numbers((3, 4, 5, 2, 3), dtype)
    for axes in [(0,), (1, 3), (4, 0, 2), (-1, 1), (0, 1, 2, 3, 4), (3, 2, 1, 0)]:
        if name.endswith("2") and len(axes) != 2:
            continue
        for s in [None, [6] * len(axes), [3, 5, 4, 7, 2][: len(axes)]]:
            for norm in [None, "ortho", "forward"]:
                same(getattr(mmafft.fft, name)(x, s, axes, norm), by_scipy(name, x, s, axes, norm))


@pytest.mark.parametrize("name", COSINES)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("type_", [1, 2, 3, 4])
def test_cosines_and_sines(name, dtype, type_):
    ours, several = getattr(mmafft.fft, name), getattr(mmafft.fft, name + "n")
    complex_ = np.dtype(dtype).kind == "c"
    for norm, orthogonalize in itertools.product(
        [None, "ortho", "forward"], [None] if complex_ else [None, True, False]
    ):
        how = {"norm": norm, "orthogonalize": orthogonalize}
        for n, axis in itertools.product([None, 2, 5, 12], [0, -1]):
            x = numbers((4, 6), dtype)
            same(ours(x, type_, n, axis, **how), by_scipy(name, x, type_, n, axis, **how))
        x = numbers((4, 3, 6), dtype)
        for axes in [None, (0, 2), (1,)]:
            theirs = by_scipy(name + "n", x, type_, None, axes, **how)
            same(several(x, type_, None, axes, **how), theirs)


def layouts():
    """Views of every kind of stride, of 6 by 4 by 5 elements."""
    base = numbers((12, 8, 10), np.complex128)
    yield base[::2, ::2, ::2]
    yield base[:6, :4, :5][::-1, ::-1, ::-1]
    yield np.asfortranarray(base[:6, :4, :5])
    yield base.transpose(2, 1, 0)[:6, :4, :5]
    yield np.broadcast_to(base[0, :4, :1], (6, 4, 5))
    raw = np.zeros(6 * 4 * 5 * 16 + 1, np.uint8)
    unaligned = raw[1:].view(np.complex128).reshape(6, 4, 5)
    unaligned[...] = base[:6, :4, :5]
    yield unaligned
    x = base[:6, :4, :5].copy()
    x.flags.writeable = False
    yield x


@pytest.mark.parametrize("case", range(7))
def test_strides(case):
    x = list(layouts())[case]
    before = x.copy()
    for axis in range(3):
        for n in [None, 3, 11]:
            same(mmafft.fft.fft(x, n, axis), by_scipy("fft", x, n, axis))
            same(mmafft.fft.rfft(x.real, n, axis), by_scipy("rfft", x.real, n, axis))
            same(mmafft.fft.irfft(x, n, axis), by_scipy("irfft", x, n, axis))
            same(mmafft.fft.dct(x.imag, 2, n, axis), by_scipy("dct", x.imag, 2, n, axis))
    for axes in [(0, 1), (2, 0), None]:
        same(mmafft.fft.fftn(x, axes=axes), by_scipy("fftn", x, axes=axes))
        same(mmafft.fft.rfftn(x.real, axes=axes), by_scipy("rfftn", x.real, axes=axes))
    assert np.array_equal(x, before)


def test_ranks():
    x = numbers((2,) * 12, np.complex128)
    same(mmafft.fft.fftn(x), by_scipy("fftn", x))
    same(mmafft.fft.fft(x, axis=5), by_scipy("fft", x, axis=5))
    x = numbers((1,) * 60 + (2, 3), np.float64)
    same(mmafft.fft.dctn(x), by_scipy("dctn", x))
    z = x + 1j * x
    for name, data in [("fftn", z), ("rfftn", x), ("irfftn", z)]:
        same(getattr(mmafft.fft, name)(data), by_scipy(name, data))
    z = numbers((2,) * 5 + (1,) * 10 + (2, 2, 3), np.complex128)
    s = (1,) * 3 + (2,) * 5 + (1,) * 8 + (3, 4)
    same(mmafft.fft.fftn(z, s), by_scipy("fftn", z, s))
    same(mmafft.fft.rfftn(z.real, s), by_scipy("rfftn", z.real, s))
    same(mmafft.fft.irfftn(z, s), by_scipy("irfftn", z, s))
    same(mmafft.fft.fft(np.ones((3, 1, 4))[:, 0, :]), by_scipy("fft", np.ones((3, 4))))


@pytest.mark.parametrize("n", [1, 2, 3, 97, 1009, 4096, 60000, 65537, 100003])
def test_lengths(n):
    x = numbers(n, np.complex128)
    for workers in [1, 2, -1]:
        same(mmafft.fft.fft(x, workers=workers), by_scipy("fft", x))
        same(mmafft.fft.rfft(x.real, workers=workers), by_scipy("rfft", x.real))
        same(mmafft.fft.dst(x.real, 4, workers=workers), by_scipy("dst", x.real, 4))


@pytest.mark.parametrize("name", ONE + COSINES)
def test_out(name):
    real_in, real_out = name not in ("fft", "ifft", "irfft", "hfft"), name in (
        "irfft", "hfft", *COSINES,
    )  # fmt: skip
    x = numbers((6, 8), np.float64 if real_in else np.complex128)
    ours = getattr(mmafft.fft, name)
    expected = by_scipy(name, x)
    for out in [
        np.empty_like(expected),
        np.empty_like(expected.T).T,
        np.empty((12, 2 * expected.shape[1]), expected.dtype)[::2, ::-2],
    ]:
        assert ours(x, out=out) is out
        same(out, expected)
    if real_in == real_out:
        for data in [x.copy(), np.asfortranarray(x)]:
            ours(data, out=data)
            same(data, expected)
            part = np.concatenate([x, x])
            ours(part[:6], out=part[2:8])
            same(part[2:8], expected)
    with pytest.raises(ValueError, match="shape"):
        ours(x, out=np.empty((6, 77), expected.dtype))
    with pytest.raises(TypeError, match="dtype"):
        ours(x, out=np.empty(expected.shape, np.int32))
    with pytest.raises(TypeError, match="array"):
        ours(x, out=[])
    frozen = np.zeros_like(expected)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ours(x, out=frozen)
    assert not frozen.any()


def test_overwrite():
    x = numbers(64, np.complex64)
    expected = by_scipy("fft", x)
    same(mmafft.fft.fft(x, overwrite_x=True), expected)
    x = numbers((4, 8), np.float64)
    before = x.copy()
    mmafft.fft.dct(x), mmafft.fft.rfft(x), mmafft.fft.fft(x), mmafft.fft.dctn(x)
    assert np.array_equal(x, before)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        mmafft.fft.dct(x, overwrite_x=True)


def test_ranges():
    x = numbers((3, 64), np.complex128)
    zeroed = x.copy()
    zeroed[:, 20:] = 0
    wanted = {1: (4, 10)}
    y = mmafft.fft.fft(x, nonzero={-1: (0, 20)}, wanted=wanted)
    expected = by_scipy("fft", zeroed)
    expected[:, :4] = expected[:, 10:] = 0
    same(y, expected)
    same(mmafft.fft.rfft(x.real, nonzero={1: (0, 20)}), by_scipy("rfft", zeroed.real))
    same(mmafft.fft.fft(x.real, nonzero={1: (0, 20)}), by_scipy("fft", zeroed.real))
    with pytest.raises(ValueError, match="nonzero"):
        mmafft.fft.fft(x, nonzero={5: (0, 2)})
    with pytest.raises(ValueError, match="range"):
        mmafft.fft.fft(x, wanted={1: (0, 65)})


def test_sixteen_bits():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = numbers(256, np.float64)
    for dtype, name in [(np.float16, "f16"), (bfloat16, "bf16")]:
        half = x.astype(dtype)
        wide = half.astype(np.float32)
        same(mmafft.fft.fft(half), by_scipy("fft", wide))
        same(mmafft.fft.dct(half), by_scipy("dct", wide))
        y = mmafft.fft.dct(half, precision=name)
        assert y.dtype == dtype
        error = np.linalg.norm(y.astype(np.float32) - by_scipy("dct", wide))
        assert error < 5e-3 * np.linalg.norm(by_scipy("dct", wide))
        with pytest.raises(NotImplementedError, match="16|NumPy"):
            mmafft.fft.fft(half, precision=name)
    split = mmafft.fft.fft(x.astype(np.complex64), precision="split-f16")
    same(split, by_scipy("fft", x.astype(np.complex64)))


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="longdouble is double here")
def test_longdouble_is_by_scipy():
    x = numbers((4, 8), np.longdouble)
    for name in ["fft", "rfft", "irfft", "dct", "idst", "hfft"]:
        ours = getattr(mmafft.fft, name)(x)
        assert np.array_equal(ours, by_scipy(name, x)) and ours.dtype.itemsize >= 16
    assert np.array_equal(mmafft.fft.fftn(x, norm="ortho"), by_scipy("fftn", x, norm="ortho"))
    assert np.array_equal(mmafft.fft.dctn(x, 3), by_scipy("dctn", x, 3))


BAD = [
    ("fft", ([],), {}),
    ("fft", ([1.0], 0), {}),
    ("fft", ([1.0], -3), {}),
    ("fft", ([1.0], 2.5), {}),
    ("fft", ([1.0], None, 1), {}),
    ("fft", ([1.0],), {"norm": "none"}),
    ("fft", ([1.0],), {"norm": 3}),
    ("fft", ([1.0],), {"workers": 0}),
    ("fft", ([1.0],), {"workers": -1000}),
    ("fft", ([1.0],), {"plan": object()}),
    ("fft", (["a"],), {}),
    ("fft", ([object()],), {}),
    ("fft", (1.0,), {}),
    ("rfft", ([1j],), {}),
    ("irfft", ([1.0],), {}),
    ("fftn", (np.ones((2, 2)), (2, 2, 2)), {}),
    ("fftn", (np.ones((2, 2)), (2, 2), (0,)), {}),
    ("fftn", (np.ones((2, 2)), None, (0, 0)), {}),
    ("fftn", (np.ones((2, 2)), None, (0, 2)), {}),
    ("fftn", (np.ones((2, 2)), None, (0.5,)), {}),
    ("fftn", (np.ones((2, 0)),), {}),
    ("rfftn", (np.ones((2, 2)), None, ()), {}),
    ("irfftn", (np.ones((2, 2)), None, ()), {}),
    ("dct", ([1.0], 1), {}),
    ("dct", ([1.0], 5), {}),
    ("dctn", (np.ones((2, 2)), 2, (0, 1)), {}),
]


@pytest.mark.parametrize("name, args, kwargs", BAD, ids=str)
def test_bad_input(name, args, kwargs):
    with pytest.raises(Exception) as theirs:
        by_scipy(name, *args, **kwargs)
    with pytest.raises(Exception) as ours:
        getattr(mmafft.fft, name)(*args, **kwargs)
    kinds = (ValueError, TypeError, NotImplementedError, IndexError, RuntimeError)
    kind = next(kind for kind in kinds if issubclass(theirs.type, kind))
    # What SciPy's engine calls a runtime error is a value.
    kind = ValueError if kind is RuntimeError else kind
    assert issubclass(ours.type, kind), (theirs.value, ours.value)
    assert str(ours.value)


def test_unknown_words():
    for given in [{"effort": "some"}, {"precision": "f8"}, {"nonzero": 3}]:
        with pytest.raises(ValueError, match=r"effort|precision|nonzero"):
            mmafft.fft.fft(np.ones(8), **given)
    with pytest.raises(TypeError):
        mmafft.fft.fft(np.ones(8), other=1)


def test_empty_axes_and_arrays():
    x = np.ones((2, 3))
    assert mmafft.fft.fftn(x, axes=()) is x
    assert mmafft.fft.fft(np.ones((0, 4))).shape == (0, 4)
    assert not mmafft.fft.rfft(np.ones((2, 0)), 4).any()


def test_helpers():
    for n in [*range(1, 300), 1021, 10**9 + 1]:
        assert mmafft.fft.prev_fast_len(n) <= n <= mmafft.fft.next_fast_len(n)
    smooth = [n for n in range(1, 300) if mmafft.fft.next_fast_len(n) == n]
    assert smooth[:12] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14]
    for n in range(1, 290):
        assert mmafft.fft.prev_fast_len(n) == max(m for m in smooth if m <= n)
    with mmafft.fft.set_workers(2):
        assert mmafft.fft.get_workers() == 2
        with mmafft.fft.set_workers(-1):
            assert mmafft.fft.get_workers() >= 1
    assert mmafft.fft.get_workers() == 1
    with pytest.raises(ValueError, match="zero"), mmafft.fft.set_workers(0):
        pass
    assert np.array_equal(mmafft.fft.fftfreq(5, 0.1), np.fft.fftfreq(5, 0.1))
