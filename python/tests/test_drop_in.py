"""SciPy's backend and NumPy's patch beside what they stand in for."""

import mmafft
import numpy as np
import pytest
import scipy.fft
import scipy.signal


def test_scipy_functions_use_it():
    x = np.random.default_rng(0).standard_normal((5, 300))
    expected = scipy.signal.fftconvolve(x, x, axes=1)
    with scipy.fft.set_backend(mmafft.scipy, only=True):
        mmafft.clear_cache()
        assert np.allclose(scipy.signal.fftconvolve(x, x, axes=1), expected)
        assert mmafft._core.cached() > 0
        assert scipy.fft.fft(x.astype(np.longdouble)).dtype == np.clongdouble
        assert np.isfinite(scipy.fft.fht(np.ones(8), 0.1, 0.5)).all()
        with scipy.fft.set_workers(2):
            assert np.allclose(scipy.fft.rfft(x), np.fft.rfft(x))
        with pytest.raises(ValueError, match="data points"):
            scipy.fft.fft(x, 0)


@pytest.mark.parametrize("name", mmafft._patch._NAMES)
def test_types_are_numpys(name):
    for dtype in "?bBhHiIlLqQefdFD":
        if dtype in "FD" and name.startswith(("rfft", "ihfft")):
            continue
        x = np.ones((4, 6), dtype)
        expected = getattr(np.fft, name)(x)
        with mmafft.patch():
            assert getattr(np.fft, name)(x).dtype == expected.dtype


def test_patch():
    before = np.fft.fft
    x = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)
    expected = {name: getattr(np.fft, name)(x) for name in ["fft", "rfft2", "irfftn", "hfft"]}
    with mmafft.patch():
        assert np.fft.fft is not before
        mmafft.clear_cache()
        for name, value in expected.items():
            ours = getattr(np.fft, name)(x)
            assert ours.dtype == value.dtype and np.allclose(ours, value, atol=1e-5)
        assert mmafft._core.cached() == 4
        with mmafft.patch():
            pass
        assert np.fft.fft is not before
        with pytest.raises(ValueError, match="Invalid number of FFT data points"):
            np.fft.fft(x, 0)
        assert np.fft.fftn(x, axes=(0, 0)).shape == x.shape
    assert np.fft.fft is before
    patched = mmafft.patch()
    assert np.fft.fft is not before
    patched.undo()
    assert np.fft.fft is before
