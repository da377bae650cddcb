"""The moon without its details, and its details without the moon: `python image_filter.py image_filter.png`."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import mmafft
import numpy as np

DATA = Path(__file__).parents[2] / "examples" / "data"


def main(picture):
    image = np.load(DATA / "moon.npy").astype(np.float32)
    rows, columns = image.shape
    spectrum = mmafft.fft.rfft2(image)
    v, u = mmafft.fft.fftfreq(rows)[:, None], mmafft.fft.rfftfreq(columns)[None, :]
    low_pass = np.exp(-2 * (np.pi * 4) ** 2 * (u**2 + v**2)).astype(np.float32)  # a Gaussian of 4 pixels
    smooth = mmafft.fft.irfft2(spectrum * low_pass, image.shape, overwrite_x=True)
    details = image - smooth
    print(f"the details have {100 * details.var() / image.var():.1f} % of the variance")
    assert abs(smooth.mean() - image.mean()) < 1e-2

    figure, axes = plt.subplots(1, 3, figsize=(6.4, 2.3), layout="constrained")
    for ax, part, name in zip(axes, [image, smooth, details], ["image", "smooth", "details"]):
        ax.imshow(part[::2, ::2], cmap="gray")
        ax.set_title(name, fontsize=9)
        ax.set_axis_off()
    figure.savefig(picture, dpi=80)


if __name__ == "__main__":
    main(sys.argv[1])
