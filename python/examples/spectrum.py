"""The solar cycle, from three centuries of yearly sunspot numbers: `python spectrum.py spectrum.png`."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import mmafft
import numpy as np

DATA = Path(__file__).parents[2] / "examples" / "data"


def main(picture):
    numbers = np.load(DATA / "sunspots.npy")
    # Padding makes the curve smooth; its zeros are not read.
    n = 8 * len(numbers)
    power = abs(mmafft.fft.rfft(numbers - numbers.mean(), n)) ** 2
    frequency = mmafft.fft.rfftfreq(n)  # in cycles per year
    peak = frequency[power.argmax()]
    print(f"the strongest period is {1 / peak:.1f} years")

    figure, axes = plt.subplots(2, figsize=(6.4, 4), layout="constrained")
    axes[0].plot(1700 + np.arange(len(numbers)), numbers, linewidth=0.8)
    axes[0].set(xlabel="year", ylabel="sunspots")
    axes[1].plot(frequency, power / power.max(), linewidth=0.8)
    axes[1].set(xlabel="frequency (cycles per year)", ylabel="power", xlim=(0, 0.25))
    axes[1].axvline(peak, color="tab:red", linewidth=0.8, linestyle=":")
    figure.savefig(picture, dpi=80)


if __name__ == "__main__":
    main(sys.argv[1])
