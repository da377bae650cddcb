"""The moon by the tenth part of its cosines, as JPEG does: `python dct_compression.py dct_compression.png`."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import mmafft
import numpy as np

DATA = Path(__file__).parents[2] / "examples" / "data"


def main(picture):
    image = np.load(DATA / "moon.npy").astype(np.float32)
    # A view of blocks of 8 by 8 pixels, which are transformed where they lie.
    blocks = image.reshape(64, 8, 64, 8).swapaxes(1, 2)
    cosines = mmafft.fft.dctn(blocks, axes=(-2, -1), norm="ortho")
    threshold = np.quantile(abs(cosines), 0.9)
    cosines[abs(cosines) < threshold] = 0
    again = mmafft.fft.idctn(cosines, axes=(-2, -1), norm="ortho")
    again = again.swapaxes(1, 2).reshape(image.shape)
    error = np.sqrt(((image - again) ** 2).mean())
    print(f"{100 * (cosines != 0).mean():.0f} % of the cosines, an error of {error:.1f} of 255")
    assert error < 6

    figure, axes = plt.subplots(1, 2, figsize=(5, 2.6), layout="constrained")
    for ax, part, name in zip(axes, [image, again], ["all", "the tenth part"]):
        ax.imshow(part[128:384, 128:384], cmap="gray", vmin=0, vmax=255)
        ax.set_title(name, fontsize=9)
        ax.set_axis_off()
    figure.savefig(picture, dpi=80)


if __name__ == "__main__":
    main(sys.argv[1])
