"""The potential of two charges in a grounded box, in three dimensions: `python poisson.py poisson.png`.

On the walls the potential is zero, as the sines of a DST-I are, which makes the Laplacian of a grid diagonal.
"""

import sys

import matplotlib.pyplot as plt
import mmafft
import numpy as np


def main(picture):
    n = 63  # inner points along each axis
    charge = np.zeros((n, n, n))
    charge[20, 31, 31], charge[42, 31, 31] = 1, -1

    k = np.arange(1, n + 1)
    eigenvalue = 2 - 2 * np.cos(np.pi * k / (n + 1))
    laplacian = eigenvalue[:, None, None] + eigenvalue[None, :, None] + eigenvalue[None, None, :]
    potential = mmafft.fft.idstn(mmafft.fft.dstn(charge, 1) / laplacian, 1)

    padded = np.pad(potential, 1)
    neighbours = sum(np.roll(padded, s, axis) for axis in range(3) for s in (-1, 1))
    residual = abs((6 * padded - neighbours)[1:-1, 1:-1, 1:-1] - charge).max()
    assert residual < 1e-14
    print("the equation holds in all points to 1e-14")

    figure, axes = plt.subplots(figsize=(3.6, 3.2), layout="constrained")
    limit = 0.02
    axes.contourf(potential[:, :, 31].clip(-limit, limit).T, np.linspace(-limit, limit, 21), cmap="RdBu_r")
    axes.set(title="potential in the middle plane", aspect="equal")
    figure.savefig(picture, dpi=80)


if __name__ == "__main__":
    main(sys.argv[1])
