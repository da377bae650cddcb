"""Three echoes that noise hides, found by their shape: `python matched_filter.py matched_filter.png`."""

import sys

import matplotlib.pyplot as plt
import mmafft
import numpy as np


def main(picture):
    rng = np.random.default_rng(1)
    t = np.arange(2000) / 2000
    pulse = np.cos(2 * np.pi * (100 * t + 150 * t**2)) * np.hanning(len(t))
    delays = [12_000, 40_000, 77_000]
    echoes = np.zeros(100_000)
    for delay in delays:
        echoes[delay : delay + len(pulse)] += 0.4 * pulse
    received = echoes + rng.standard_normal(len(echoes))

    # Convolved with the pulse backwards, block by block, each echo is one peak.
    score = mmafft.signal.oaconvolve(received, pulse[::-1], mode="valid")
    found = []
    rest = score.copy()
    for _ in delays:
        found.append(int(rest.argmax()))
        rest[max(0, found[-1] - 1000) : found[-1] + 1000] = 0
    print("echoes begin at", sorted(found))
    assert np.abs(np.sort(found) - delays).max() < 20

    figure, axes = plt.subplots(2, figsize=(6.4, 3.4), layout="constrained", sharex=True)
    axes[0].plot(received[::20], linewidth=0.4)
    axes[0].set(ylabel="received")
    axes[1].plot(score[: len(score) // 20 * 20].reshape(-1, 20).max(axis=1), linewidth=0.6)
    axes[1].set(xlabel="time (20 samples)", ylabel="matched")
    figure.savefig(picture, dpi=80)


if __name__ == "__main__":
    main(sys.argv[1])
