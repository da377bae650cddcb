"""A rising tone and two short ones, over time and frequency: `python spectrogram.py spectrogram.png`."""

import sys

import matplotlib.pyplot as plt
import mmafft
import numpy as np


def main(picture):
    fs = 8000.0  # samples per second
    t = np.arange(0, 2, 1 / fs)
    rng = np.random.default_rng(0)
    sound = np.sin(2 * np.pi * (300 * t + 600 * t**2)) + 0.1 * rng.standard_normal(len(t))
    for start, pitch in [(0.4, 3000), (1.3, 1000)]:
        sound += np.sin(2 * np.pi * pitch * t) * ((t >= start) & (t < start + 0.2))

    frequencies, times, spectra = mmafft.signal.stft(sound, fs, nperseg=256, noverlap=192)
    loudest = frequencies[abs(spectra).argmax(axis=0)]
    print(f"at 0.25 s the loudest pitch is {loudest[np.searchsorted(times, 0.25)]:.0f} Hz, of 600 Hz")
    assert abs(loudest[np.searchsorted(times, 0.25)] - 600) < 40

    figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    decibels = 20 * np.log10(abs(spectra) + 1e-6)
    axes.pcolormesh(times, frequencies, decibels, vmin=-60, vmax=0, shading="nearest")
    axes.set(xlabel="time (s)", ylabel="frequency (Hz)")
    figure.savefig(picture, dpi=80)


if __name__ == "__main__":
    main(sys.argv[1])
