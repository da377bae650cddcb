"""What a call costs beside its transform, in microseconds: `python tests/cost.py`.

The least of many short turns, as other work on the machine only adds. The last column is what NumPy takes to make the
result's array, of which no call can do without.
"""

import timeit

import mmafft
import numpy as np
import scipy.fft


def least(function, turns=300, calls=200):
    return min(timeit.repeat(function, number=calls, repeat=turns)) / calls * 1e6


def main():
    print(f"{'call':24}{'mmafft':>9}{'scipy':>9}{'numpy':>9}{'empty':>9}")
    for dtype in (np.complex64, np.complex128):
        z = np.ones(64, dtype)
        for name, x in [("fft", z), ("rfft", z.real.copy()), ("irfft", z), ("fft2", z.reshape(8, 8))]:
            row = [getattr(module, name) for module in (mmafft.fft, scipy.fft, np.fft)]
            row = [least(lambda call=call, x=x: call(x)) for call in row]
            row.append(least(lambda dtype=dtype: np.empty(64, dtype)))
            print(f"{name + ' ' + x.dtype.name:24}" + "".join(f"{time:9.2f}" for time in row))


if __name__ == "__main__":
    main()
