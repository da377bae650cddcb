"""`mmafft.signal` beside `scipy.signal`."""

import itertools

import mmafft
import numpy as np
import pytest
import scipy.signal

RNG = np.random.default_rng(11)
TYPES = [np.float32, np.float64, np.complex64, np.complex128]


def numbers(shape, dtype=np.float64):
    x = RNG.standard_normal(shape)
    return (x + 1j * RNG.standard_normal(shape)).astype(dtype) if np.dtype(dtype).kind == "c" else x.astype(dtype)


def same(ours, theirs, single=False):
    assert ours.shape == theirs.shape
    bound = 3e-5 if single or ours.dtype in (np.float32, np.complex64) else 1e-12
    assert np.linalg.norm(ours - theirs) <= bound * max(np.linalg.norm(theirs), 1e-300)


FRAMES = [
    {}, {"nperseg": 64, "noverlap": 48}, {"nperseg": 50, "nfft": 81, "window": "hamming"},
    {"window": "boxcar", "nperseg": 33, "noverlap": 0}, {"window": ("kaiser", 8.0), "nperseg": 40, "noverlap": 30},
    {"window": np.hanning(31) + 0.1, "nperseg": 31, "noverlap": 20}, {"nperseg": 5000},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:nperseg", "ignore:Input data")
@pytest.mark.parametrize("how", FRAMES, ids=range(7))
@pytest.mark.parametrize("dtype", TYPES)
def test_stft(how, dtype):
    x = numbers((3, 700), dtype)
    for fs, boundary, padded, scaling in [(1.0, "zeros", True, "spectrum"), (8.0, None, True, "psd"),
                                          (2.0, "even", False, "spectrum"), (1.0, "odd", True, "psd")]:  # fmt: skip
        args = {"fs": fs, "boundary": boundary, "padded": padded, "scaling": scaling, **how}
        ours, theirs = mmafft.signal.stft(x, **args), scipy.signal.stft(x, **args)
        assert ours[2].dtype == (np.complex64 if dtype in TYPES[::2] else np.complex128)
        for a, b in zip(ours, theirs):
            same(a, b)
    same(mmafft.signal.stft(x.T, axis=0, **how)[2], scipy.signal.stft(x.T, axis=0, **how)[2])


@pytest.mark.filterwarnings("ignore:Input data")
@pytest.mark.parametrize("how", FRAMES[:6], ids=range(6))
def test_istft(how):
    for dtype in TYPES:
        x = numbers((2, 700), dtype)
        _, _, z = scipy.signal.stft(x, 4.0, **how)
        back = {"input_onesided": np.dtype(dtype).kind != "c", **how}
        ours, theirs = mmafft.signal.istft(z, 4.0, **back), scipy.signal.istft(z, 4.0, **back)
        # SciPy counts the times along the first axis.
        same(ours[0], np.arange(theirs[1].shape[-1]) / 4)
        assert np.allclose(ours[1], theirs[1], atol=1e-4 if dtype in TYPES[::2] else 1e-10)
        assert np.allclose(ours[1][:, :700], x, atol=1e-4)


@pytest.mark.filterwarnings("ignore:nperseg")
@pytest.mark.parametrize("how", FRAMES, ids=range(7))
@pytest.mark.parametrize("dtype", TYPES)
def test_welch(how, dtype):
    x = numbers((2, 900), dtype) + np.linspace(0, 3, 900, dtype=np.dtype(dtype).type(0).real.dtype)
    for detrend, scaling, average in [("constant", "density", "mean"), (False, "spectrum", "median"),
                                      ("linear", "density", "mean")]:  # fmt: skip
        args = {"fs": 10.0, "detrend": detrend, "scaling": scaling, "average": average, **how}
        ours, theirs = mmafft.signal.welch(x, **args), scipy.signal.welch(x, **args)
        same(ours[0], theirs[0])
        if average == "mean" or np.dtype(dtype).kind != "c":
            assert np.allclose(ours[1], theirs[1], rtol=2e-3 if dtype in TYPES[::2] else 1e-9, atol=1e-5)


@pytest.mark.parametrize("mode", ["twosided", "centered", "onesided"])
@pytest.mark.parametrize("count, hop, mfft", [(32, 8, None), (31, 7, 40), (20, 20, None), (16, 3, 64)])
def test_short_time_fft(mode, count, hop, mfft):
    window = np.hanning(count) + 0.2
    for scale_to, shift, n in itertools.product([None, "magnitude", "psd"], [0, None, 3], [100, 117]):
        how = {"fs": 4.0, "fft_mode": mode, "mfft": mfft, "scale_to": scale_to, "phase_shift": shift}
        ours, theirs = mmafft.signal.ShortTimeFFT(window, hop, **how), scipy.signal.ShortTimeFFT(window, hop, **how)
        assert (ours.p_min, ours.p_max(n)) == (theirs.p_min, theirs.p_max(n))
        same(ours.f, theirs.f)
        same(ours.t(n), theirs.t(n))
        x = numbers((2, n), np.float64 if mode == "onesided" else np.complex128)
        z = ours.stft(x)
        same(z, theirs.stft(x))
        same(ours.spectrogram(x), abs(z) ** 2)
        same(ours.istft(z, n), x)
        same(ours.istft(z), theirs.istft(z))
        same(ours.stft(x.T, axis=0), theirs.stft(x.T, axis=0))


@pytest.mark.parametrize("function", ["fftconvolve", "oaconvolve"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions(function, mode):
    ours, theirs = getattr(mmafft.signal, function), getattr(scipy.signal, function)
    for n, m in [((100,), (7,)), ((5,), (5,)), ((3000,), (20,)), ((20,), (3000,)), ((40, 300), (5, 6)), ((1,), (9,)),
                 ((2, 3000), (1, 31)), ((700, 4, 5), (9, 4, 1))]:  # fmt: skip
        for a, b in itertools.product([np.float32, np.float64, np.complex64, np.int16], [np.float64, np.float32]):
            x, y = numbers(n) * 5, numbers(m)
            x, y = (x + 0j if a is np.complex64 else x).astype(a), y.astype(b)
            # SciPy transforms each input in its own precision.
            same(ours(x, y, mode), theirs(x, y, mode), single=True)
    x, y = numbers((6, 500)), numbers((6, 9))
    same(ours(x, y, mode, axes=1), theirs(x, y, mode, axes=1))
    same(ours(x, y[:1], mode, axes=[-1]), theirs(x, y[:1], mode, axes=[-1]))
    assert ours(np.zeros((0,)), np.ones(3), mode).size == 0


def test_blocks_are_used():
    assert mmafft.signal._block(100000, 50) < 5000
    assert mmafft.signal._block(100, 100) == 0


def test_errors():
    x = np.ones(300)
    for call in [
        lambda: mmafft.signal.stft(x, nperseg=16, noverlap=16),
        lambda: mmafft.signal.stft(x, nperseg=16, nfft=8),
        lambda: mmafft.signal.stft(x, window="nothing"),
        lambda: mmafft.signal.stft(x, boundary="some"),
        lambda: mmafft.signal.stft(x, scaling="some"),
        lambda: mmafft.signal.stft(x, window=np.ones((2, 2))),
        lambda: mmafft.signal.stft(x, window=np.ones(301)),
        lambda: mmafft.signal.stft(x, nperseg=0),
        lambda: mmafft.signal.istft(np.ones((129, 4)), noverlap=0),
        lambda: mmafft.signal.istft(np.ones(129)),
        lambda: mmafft.signal.welch(x, average="none"),
        lambda: mmafft.signal.welch(x, detrend="none"),
        lambda: mmafft.signal.fftconvolve(x, np.ones((2, 2))),
        lambda: mmafft.signal.fftconvolve(x, x, "most"),
        lambda: mmafft.signal.fftconvolve(np.ones((2, 3)), np.ones((3, 2)), "valid"),
        lambda: mmafft.signal.fftconvolve(np.ones((2, 3)), np.ones((5, 3)), axes=1),
        lambda: mmafft.signal.fftconvolve(x, x, axes=[]),
        lambda: mmafft.signal.oaconvolve(x, x, axes=1),
        lambda: mmafft.signal.ShortTimeFFT(np.ones(4), 0, 1.0),
        lambda: mmafft.signal.ShortTimeFFT(np.ones(4), 5, 1.0).dual_win,
        lambda: mmafft.signal.ShortTimeFFT(np.ones(4), 2, 1.0).stft(np.ones(9, complex)),
        lambda: mmafft.signal.ShortTimeFFT(np.ones(4), 2, 1.0, mfft=3),
        lambda: mmafft.signal.ShortTimeFFT(np.ones(4), 2, 1.0, fft_mode="none"),
        lambda: mmafft.signal.ShortTimeFFT(np.ones(4), 2, 1.0, scale_to="none"),
        lambda: mmafft.signal.ShortTimeFFT(np.ones(4), 2, 1.0).stft(np.ones(1)),
    ]:
        with pytest.raises(ValueError, match=r"\w"):
            call()
