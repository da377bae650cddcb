"""Short-time transforms, power spectra and convolutions by mmafft's plans, for NumPy's arrays.

`stft`, `istft`, `welch`, `fftconvolve` and `oaconvolve` have the arguments and results of :mod:`scipy.signal`'s
functions of these names, and :class:`ShortTimeFFT` those of its class that most programs use. All frames of a signal
are one call of a plan, and padding is not copied. Single precision stays single.

Units: times are in units of 1/`fs`, frequencies in units of `fs`. Windows are an array, or a name: ``"hann"``,
``"hamming"``, ``"blackman"`` and ``"boxcar"``; others, and tuples, are `scipy.signal.get_window`'s, where SciPy is
installed.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from . import fft as _fft
from ._arguments import integers

__all__ = ["ShortTimeFFT", "fftconvolve", "istft", "oaconvolve", "stft", "welch"]

_Window = str | tuple[Any, ...] | ArrayLike
_Detrend = Literal["constant", "linear", False] | Callable[[NDArray[Any]], NDArray[Any]]
_Boundary = Literal["even", "odd", "constant", "zeros"] | None
_Mode = Literal["full", "same", "valid"]

# Windows that are sums of cosines.
_COSINES = {"boxcar": [1.0], "hann": [0.5, -0.5], "hamming": [0.54, -0.46], "blackman": [0.42, -0.5, 0.08]}


def _window(window, count):
    """A window of `count` points, periodic where it is named."""
    if isinstance(window, str) and window in _COSINES:
        angles = 2 * np.pi * np.arange(count) / count
        return sum(a * np.cos(k * angles) for k, a in enumerate(_COSINES[window]))
    if isinstance(window, (str, tuple)):
        try:
            from scipy.signal import get_window
        except ImportError as error:
            raise ValueError(f"the window {window!r} is SciPy's, which is not installed: give an array") from error
        return get_window(window, count)
    window = np.asarray(window)
    if window.ndim != 1:
        raise ValueError("window must be 1-D")
    return window


def _as_signal(x):
    x = np.asarray(x)
    return x if x.dtype in (np.float32, np.complex64) or x.dtype.kind == "c" else x.astype(np.float64)


class _Frames:
    """The arguments of a short-time transform, read."""

    def __init__(self, fs, window, nperseg, noverlap, nfft, length=None):
        if nperseg is not None and int(nperseg) < 1:
            raise ValueError("nperseg must be a positive integer")
        if not isinstance(window, (str, tuple)):
            own = len(_window(window, 0))
            if nperseg not in (None, own):
                raise ValueError(f"nperseg is {nperseg}: the window has {own} points")
            nperseg = own
        count = 256 if nperseg is None else int(nperseg)
        if length is not None and count > length:
            if not isinstance(window, (str, tuple)):
                raise ValueError(f"window is longer than the signal: {count} and {length} points")
            count = length
        self.count = count
        self.window = _window(window, count)
        overlap = count // 2 if noverlap is None else int(noverlap)
        if overlap >= count:
            raise ValueError("noverlap must be less than nperseg.")
        self.step = count - overlap
        self.nfft = count if nfft is None else int(nfft)
        if self.nfft < count:
            raise ValueError("nfft must be greater than or equal to nperseg.")
        self.fs = fs

    def scale(self, scaling, density):
        """What the magnitude of a spectrum is multiplied by; `density` is what callers name a scale to densities."""
        if scaling == "spectrum":
            return 1 / self.window.sum()
        if scaling == density:
            return 1 / math.sqrt(self.fs * (self.window**2).sum())
        raise ValueError(f"Unknown scaling: {scaling!r}, expected 'spectrum' or {density!r}")

    def spectra(self, x, onesided, detrend):
        """The spectra of all frames along the last axis: (…, frames, frequencies)."""
        frames = sliding_window_view(x, self.count, -1)[..., :: self.step, :]
        if detrend:
            frames = detrend(frames)
        frames = frames * self.window.astype(x.real.dtype)
        return _fft.rfft(frames, self.nfft) if onesided else _fft.fft(frames, self.nfft)

    def frequencies(self, onesided):
        return (_fft.rfftfreq if onesided else _fft.fftfreq)(self.nfft, 1 / self.fs)


def _overlapped(frames, step):
    """The sum of frames (…, frames, points) that begin `step` apart."""
    count, points = frames.shape[-2:]
    parts = -(-points // step)
    out = np.zeros((*frames.shape[:-2], count + parts - 1, step), frames.dtype)
    for part in range(parts):
        piece = frames[..., part * step : (part + 1) * step]
        out[..., part : part + count, : piece.shape[-1]] += piece
    return out.reshape(*out.shape[:-2], -1)[..., : (count - 1) * step + points]


def _extended(x, boundary, count):
    if boundary is None:
        return x
    pad = [(0, 0)] * (x.ndim - 1) + [(count, count)]
    modes = {
        "zeros": {}, "constant": {"mode": "edge"}, "even": {"mode": "reflect"},
        "odd": {"mode": "reflect", "reflect_type": "odd"},
    }  # fmt: skip
    if boundary not in modes:
        raise ValueError(f"Unknown boundary option {boundary!r}, must be one of: {[*modes, None]}")
    return np.pad(x, pad, **modes[boundary])


def _detrender(detrend):
    if not detrend:
        return None
    if callable(detrend):
        return detrend
    if detrend == "constant":
        return lambda frames: frames - frames.mean(-1, keepdims=True)
    if detrend == "linear":
        return _without_line
    raise ValueError(f"Unknown detrend: {detrend!r}")


def _without_line(frames):
    """Frames less their straight lines of least squares."""
    ramp = np.arange(frames.shape[-1], dtype=frames.real.dtype)
    ramp -= ramp.mean()
    slope = (frames * ramp).sum(-1, keepdims=True) / max((ramp**2).sum(), 1)
    return frames - frames.mean(-1, keepdims=True) - slope * ramp


def stft(
    x: ArrayLike,
    fs: float = 1.0,
    window: _Window = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: _Detrend = False,
    return_onesided: bool = True,
    boundary: _Boundary = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: Literal["spectrum", "psd"] = "spectrum",
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Frequencies, times, and the short-time transform, with a new last axis of times: see `scipy.signal.stft`."""
    x = _as_signal(x)
    if x.size == 0:
        return np.empty(x.shape), np.empty(x.shape), np.empty(x.shape)
    axis = normalize_axis_index(axis, x.ndim)
    x = np.moveaxis(x, axis, -1)
    onesided = return_onesided and x.dtype.kind != "c"
    frames = _Frames(fs, window, nperseg, noverlap, nfft, x.shape[-1])
    x = _extended(x, boundary, frames.count // 2)
    if padded:
        missing = -(x.shape[-1] - frames.count) % frames.step % frames.count
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, missing)])
    spectra = frames.spectra(x, onesided, _detrender(detrend))
    spectra *= spectra.real.dtype.type(frames.scale(scaling, "psd"))
    times = np.arange(frames.count / 2, x.shape[-1] - frames.count / 2 + 1, frames.step) / float(fs)
    if boundary is not None:
        times -= frames.count / 2 / fs
    return frames.frequencies(onesided), times, np.moveaxis(spectra, -1, axis)


def istft(
    Zxx: ArrayLike,
    fs: float = 1.0,
    window: _Window = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: Literal["spectrum", "psd"] = "spectrum",
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Times, and the signal that :func:`stft` came from: see `scipy.signal.istft`.

    Warns where windows do not overlap enough to tell the signal, which is not divided there.
    """
    z = np.moveaxis(np.asarray(Zxx), (time_axis, freq_axis), (-2, -1))
    if z.ndim < 2 or normalize_axis_index(time_axis, z.ndim) == normalize_axis_index(freq_axis, z.ndim):
        raise ValueError("Zxx must have an axis of times and another of frequencies")
    whole = 2 * (z.shape[-1] - 1) if input_onesided else z.shape[-1]
    count = whole if nperseg is None else int(nperseg)
    if nfft is None:
        # An odd number of points has a half spectrum of as many frequencies.
        nfft = count if input_onesided and count == whole + 1 else whole
    if not isinstance(window, (str, tuple)) and len(np.asarray(window)) != count:
        raise ValueError(f"window must have length of {count}")
    frames = _Frames(fs, window, count, noverlap, nfft)
    signals = (_fft.irfft(z, nfft) if input_onesided else _fft.ifft(z, nfft))[..., :count]
    real = signals.real.dtype
    win = frames.window.astype(real)
    x = _overlapped(signals * (win / real.type(frames.scale(scaling, "psd"))), frames.step)
    norm = _overlapped(np.broadcast_to(win**2, (z.shape[-2], count)), frames.step)
    if boundary:
        inside = slice(count // 2, x.shape[-1] - count // 2)
        x, norm = x[..., inside], norm[inside]
    told = norm > 1e-10
    if not told.all():
        warnings.warn("NOLA condition failed, STFT may not be invertible: windows leave points untold", stacklevel=2)
    x /= np.where(told, norm, 1)
    if x.ndim > 1:
        x = np.moveaxis(x, -1, min(normalize_axis_index(time_axis, z.ndim), normalize_axis_index(freq_axis, z.ndim)))
    return np.arange(norm.shape[-1]) / float(fs), x


def welch(
    x: ArrayLike,
    fs: float = 1.0,
    window: _Window = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: _Detrend = "constant",
    return_onesided: bool = True,
    scaling: Literal["density", "spectrum"] = "density",
    axis: int = -1,
    average: Literal["mean", "median"] = "mean",
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Frequencies, and the power spectrum averaged over frames: see `scipy.signal.welch`."""
    x = _as_signal(x)
    if x.size == 0:
        return np.empty(x.shape), np.empty(x.shape)
    axis = normalize_axis_index(axis, x.ndim)
    x = np.moveaxis(x, axis, -1)
    onesided = return_onesided and x.dtype.kind != "c"
    frames = _Frames(fs, window, nperseg, noverlap, nfft, x.shape[-1])
    spectra = frames.spectra(x, onesided, _detrender(detrend))
    power = spectra.real**2 + spectra.imag**2
    power *= power.dtype.type(frames.scale(scaling, "density") ** 2)
    if onesided:
        power[..., 1 : None if frames.nfft % 2 else -1] *= 2
    if average == "mean":
        power = power.mean(-2)
    elif average == "median":
        odd = np.arange(2, 2 * ((power.shape[-2] - 1) // 2) + 1, 2)
        power = np.median(power, -2) / (1 + (1 / (odd + 1) - 1 / odd).sum())
    else:
        raise ValueError(f'average must be "median" or "mean", got {average}')
    return frames.frequencies(onesided), np.moveaxis(power, -1, axis)


class ShortTimeFFT:
    """The short-time transform of a window `win` that moves by `hop` samples: see `scipy.signal.ShortTimeFFT`.

    Slice p is centred on sample p·hop. `fft_mode` is ``"onesided"`` (of reals), ``"twosided"`` or ``"centered"``;
    `scale_to` is ``None``, ``"magnitude"`` or ``"psd"``; `phase_shift` is the sample of a slice whose phase is zero,
    or ``None`` for its first one.
    """

    def __init__(
        self,
        win: ArrayLike,
        hop: int,
        fs: float,
        *,
        fft_mode: Literal["onesided", "twosided", "centered"] = "onesided",
        mfft: int | None = None,
        scale_to: Literal["magnitude", "psd"] | None = None,
        phase_shift: int | None = 0,
    ) -> None:
        self.win, self.hop, self.fs = np.asarray(win), int(hop), fs
        if self.win.ndim != 1 or not len(self.win) or not np.isfinite(self.win).all():
            raise ValueError("win must be 1-D, with finite points")
        if self.hop < 1:
            raise ValueError(f"hop must be a positive integer: got {hop}")
        self.m_num = len(self.win)
        self.m_num_mid = self.m_num // 2
        self.mfft = self.m_num if mfft is None else int(mfft)
        if self.mfft < self.m_num:
            raise ValueError(f"mfft is {mfft}: the window has {self.m_num} points")
        if fft_mode not in ("onesided", "twosided", "centered"):
            raise ValueError(f"fft_mode is {fft_mode!r}: expected onesided, twosided or centered")
        self.fft_mode = fft_mode
        self.phase_shift = phase_shift
        self._energy = self.win.real**2 + self.win.imag**2
        if scale_to is not None:
            factors = {"magnitude": abs(self.win.sum()), "psd": math.sqrt(self._energy.sum() * fs)}
            if scale_to not in factors:
                raise ValueError(f"scale_to is {scale_to!r}: expected magnitude or psd")
            self.win = self.win / factors[scale_to]
            self._energy = self.win.real**2 + self.win.imag**2

    @property
    def f(self) -> NDArray[Any]:
        """The frequencies of a slice."""
        if self.fft_mode == "onesided":
            return _fft.rfftfreq(self.mfft, 1 / self.fs)
        frequencies = _fft.fftfreq(self.mfft, 1 / self.fs)
        return _fft.fftshift(frequencies) if self.fft_mode == "centered" else frequencies

    @property
    def f_pts(self) -> int:
        """How many frequencies a slice has."""
        return self.mfft // 2 + 1 if self.fft_mode == "onesided" else self.mfft

    @property
    def delta_t(self) -> float:
        """The time between slices."""
        return self.hop / self.fs

    @property
    def delta_f(self) -> float:
        """The distance of frequencies."""
        return self.fs / self.mfft

    @property
    def invertible(self) -> bool:
        """Whether there is a :attr:`dual_win`."""
        try:
            return self.dual_win is not None
        except ValueError:
            return False

    @property
    def p_min(self) -> int:
        """The first slice that touches a signal."""
        for p in range(self.m_num // self.hop + 2):
            begin = -self.m_num_mid - (p + 1) * self.hop
            if begin + self.m_num <= 0 or not self._energy[begin:].any():
                return -p
        raise AssertionError("a window ends")

    def p_max(self, n: int) -> int:
        """The slice behind the last one that touches a signal of `n` samples."""
        if n < self.m_num - self.m_num_mid:
            raise ValueError(f"a signal of {n} samples: expected at least {self.m_num - self.m_num_mid}")
        p = n // self.hop
        while True:
            begin = (p + 1) * self.hop - self.m_num_mid
            if begin >= n or not self._energy[: n - begin].any():
                return p + 1
            p += 1

    def t(self, n: int) -> NDArray[Any]:
        """The times of the slices of a signal of `n` samples."""
        return np.arange(self.p_min, self.p_max(n)) * self.hop / self.fs

    @property
    def dual_win(self) -> NDArray[Any]:
        """The window by which :meth:`istft` undoes :meth:`stft`; `ValueError` where there is none."""
        total = self._energy.astype(float)
        for shift in range(self.hop, self.m_num, self.hop):
            total[shift:] += self._energy[:-shift]
            total[:-shift] += self._energy[shift:]
        if self.hop > self.m_num or not (total >= np.finfo(float).resolution * total.max()).all():
            raise ValueError("Short-time Fourier Transform not invertible!")
        return self.win / total

    def _turn(self):
        """How far slices are turned around before they are transformed."""
        return 0 if self.phase_shift is None else (self.phase_shift + self.m_num_mid) % self.m_num

    def stft(self, x: ArrayLike, axis: int = -1) -> NDArray[Any]:
        """The transform of all slices that touch `x`: a new last axis of slices, and frequencies in `axis`' place."""
        x = _as_signal(x)
        axis = normalize_axis_index(axis, x.ndim)
        x = np.moveaxis(x, axis, -1)
        if self.fft_mode == "onesided" and (x.dtype.kind == "c" or self.win.dtype.kind == "c"):
            raise ValueError("of complex numbers fft_mode must be twosided or centered")
        n = x.shape[-1]
        first = self.p_min * self.hop - self.m_num_mid
        end = (self.p_max(n) - 1) * self.hop - self.m_num_mid + self.m_num
        pad = [(0, 0)] * (x.ndim - 1) + [(-min(first, 0), max(end - n, 0))]
        frames = sliding_window_view(np.pad(x, pad), self.m_num, -1)[..., :: self.hop, :]
        frames = frames[..., : self.p_max(n) - self.p_min, :] * self.win.conj().astype(
            np.result_type(x.dtype, np.complex64) if self.win.dtype.kind == "c" else x.real.dtype
        )
        if self._turn():
            pad = [(0, 0)] * (frames.ndim - 1) + [(0, self.mfft - self.m_num)]
            frames = np.roll(np.pad(frames, pad), -self._turn(), -1)
        spectra = (_fft.rfft if self.fft_mode == "onesided" else _fft.fft)(frames, self.mfft)
        if self.fft_mode == "centered":
            spectra = _fft.fftshift(spectra, axes=-1)
        return np.moveaxis(spectra, -1, axis)

    def spectrogram(self, x: ArrayLike, axis: int = -1) -> NDArray[Any]:
        """The squared magnitudes of :meth:`stft`."""
        spectra = self.stft(x, axis)
        return spectra.real**2 + spectra.imag**2

    def istft(
        self, S: ArrayLike, k0: int = 0, k1: int | None = None, *, f_axis: int = -2, t_axis: int = -1
    ) -> NDArray[Any]:
        """The samples `k0` to `k1` (by default to the last that slices reach) of what :meth:`stft` made `S` of."""
        z = np.moveaxis(np.asarray(S), (t_axis, f_axis), (-2, -1))
        if z.shape[-1] != self.f_pts:
            raise ValueError(f"S has {z.shape[-1]} frequencies: expected {self.f_pts}")
        if self.fft_mode == "centered":
            z = _fft.ifftshift(z, axes=-1)
        frames = _fft.irfft(z, self.mfft) if self.fft_mode == "onesided" else _fft.ifft(z, self.mfft)
        frames = np.roll(frames, self._turn(), -1)[..., : self.m_num]
        dual = self.dual_win
        x = _overlapped(frames * (dual if dual.dtype.kind == "c" else dual.astype(frames.real.dtype)), self.hop)
        before = self.m_num_mid - self.p_min * self.hop
        reached = x.shape[-1] - before
        k1 = reached if k1 is None else k1
        if not -before <= k0 < k1 <= reached:
            raise ValueError(f"samples {k0} to {k1} of slices that reach from {-before} to {reached}")
        x = x[..., before + k0 : before + k1]
        return np.moveaxis(x, -1, normalize_axis_index(f_axis, np.ndim(S))) if x.ndim > 1 else x


def _convolved_axes(x, y, mode, axes):
    """Both inputs, in the order in which `mode` wants them, and the axes to convolve over, by SciPy's rules."""
    x, y = np.asarray(x), np.asarray(y)
    if mode not in ("full", "same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if x.ndim != y.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    given = range(x.ndim) if axes is None else integers(axes, "axes")
    if axes is not None and not len(given):
        raise ValueError("when provided, axes cannot be empty")
    given = [normalize_axis_index(axis, x.ndim) for axis in given]
    if len(set(given)) != len(given):
        raise ValueError("all axes must be unique")
    axes = [axis for axis in given if 1 not in (x.shape[axis], y.shape[axis])]
    others = [axis for axis in range(x.ndim) if axis not in axes]
    if any(x.shape[a] != y.shape[a] and 1 not in (x.shape[a], y.shape[a]) for a in others):
        raise ValueError(f"incompatible shapes for in1 and in2: {x.shape} and {y.shape}")
    if mode == "valid":
        smaller = [x.shape[axis] < y.shape[axis] for axis in axes]
        larger = [x.shape[axis] > y.shape[axis] for axis in axes]
        if any(smaller) and any(larger):
            raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
        if any(smaller):
            x, y = y, x
    return x, y, axes


def _asked_of(mode, n, m, is_convolved=True):
    """Which points of an axis of a full convolution of n and m points are asked for."""
    if not is_convolved:
        whole = max(n, m)
        return ((whole - n) // 2, (whole + n) // 2) if mode == "same" else (0, whole)
    return {"full": (0, n + m - 1), "same": ((m - 1) // 2, (m - 1) // 2 + n), "valid": (m - 1, n)}[mode]


def _asked(mode, x, y, axes):
    """The same of all axes."""
    pairs = enumerate(zip(x.shape, y.shape))
    return tuple(slice(*_asked_of(mode, n, m, axis in axes)) for axis, (n, m) in pairs)


def _pair(x, y):
    """Whether both are real, and both as the type that their product has."""
    dtype = np.result_type(_as_signal(x[:0]), _as_signal(y[:0]))
    return dtype.kind != "c", x.astype(dtype, copy=False), y.astype(dtype, copy=False)


def fftconvolve(
    in1: ArrayLike, in2: ArrayLike, mode: _Mode = "full", axes: int | Sequence[int] | None = None
) -> NDArray[Any]:
    """The convolution of two arrays along axes, by default all: see `scipy.signal.fftconvolve`."""
    x, y, axes = _convolved_axes(in1, in2, mode, axes)
    if x.size == 0 or y.size == 0:
        return np.array([])
    asked = _asked(mode, x, y, axes)
    if not axes:
        return (x * y)[asked]
    is_real, x, y = _pair(x, y)
    # Contiguous lines last, which are the ones to halve.
    axes = sorted(axes)
    # What wraps around may fall on points that nobody asked for.
    lengths = [_least_length(asked[axis], x.shape[axis], y.shape[axis]) for axis in axes]
    forward, inverse = (_fft.rfftn, _fft.irfftn) if is_real else (_fft.fftn, _fft.ifftn)
    spectrum = forward(x, lengths, axes)
    spectrum = spectrum * forward(y, lengths, axes)
    result = inverse(spectrum, lengths, axes, overwrite_x=True)
    return result[asked]


def _least_length(asked, n, m):
    """The length of a circular convolution that has these points of the linear one."""
    return _fft.next_fast_len(max(asked.stop, n, m, n + m - 1 - asked.start))


def oaconvolve(
    in1: ArrayLike, in2: ArrayLike, mode: _Mode = "full", axes: int | Sequence[int] | None = None
) -> NDArray[Any]:
    """The convolution of a long array and a short one, block by block: see `scipy.signal.oaconvolve`."""
    x, y, axes = _convolved_axes(in1, in2, mode, axes)
    if x.size == 0 or y.size == 0:
        return np.array([])
    blocks = {axis: _block(x.shape[axis], y.shape[axis]) for axis in axes}
    if not any(blocks.values()):
        return fftconvolve(x, y, mode, axes) if axes else (x * y)[_asked(mode, x, y, axes)]
    is_real, x, y = _pair(x, y)
    splits = [_Split(n, m, blocks.get(axis)) for axis, (n, m) in enumerate(zip(x.shape, y.shape))]
    views = [_in_blocks(view, splits, i) for i, view in enumerate((x, y))]
    # Each axis that is convolved is two: of blocks, and of points in one.
    inner, lengths, at = [], [], 0
    for split in splits:
        if split.block is not None:
            inner.append(at + 1)
            lengths.append(split.block)
        at += 1 if split.block is None else 2
    forward, inverse = (_fft.rfftn, _fft.irfftn) if is_real else (_fft.fftn, _fft.ifftn)
    spectrum = forward(views[0], lengths, inner) * forward(views[1], lengths, inner)
    result = inverse(spectrum, lengths, inner, overwrite_x=True)
    for axis, split in enumerate(splits):
        if split.block is not None:
            frames = np.moveaxis(result, (axis, axis + 1), (-2, -1))
            result = np.moveaxis(_overlapped(frames, split.step), -1, axis)
    return result[_asked(mode, x, y, axes)]


class _Split:
    """How an axis of n and m points is convolved: in blocks of `block` points, each `step` of the longer input's."""

    def __init__(self, n, m, block):
        #: `None` where it is not convolved; of 0 asked all is one block.
        self.block = block if block is None or block else _fft.next_fast_len(n + m - 1)
        self.step = block - min(n, m) + 1 if block else max(n, m)
        self.longer = 0 if n >= m else 1


def _in_blocks(x, splits, number):
    """An input, the first or the second, with each axis that is convolved as two."""
    pad, shape = [(0, 0)] * x.ndim, []
    for axis, (split, n) in enumerate(zip(splits, x.shape)):
        if split.block is None:
            shape.append(n)
        elif split.longer == number:
            count = -(-n // split.step)
            pad[axis] = (0, count * split.step - n)
            shape.extend([count, split.step])
        else:
            shape.extend([1, n])
    return (np.pad(x, pad) if any(map(any, pad)) else x).reshape(shape)


def _block(n, m):
    """The length of the blocks in which the longer of two lines is convolved; 0 where one transform is less work."""
    short, whole = min(n, m), _fft.next_fast_len(n + m - 1)

    def work(block):
        return -(-max(n, m) // (block - short + 1)) * block * math.log2(block)

    candidates = [_fft.next_fast_len(short << k) for k in range(1, 8)]
    best = min((c for c in candidates if c < whole), key=work, default=0)
    return best if best and work(best) < work(whole) else 0
