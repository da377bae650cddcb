"""A program as type checkers see it: what `test_types_are_what_a_checker_sees` gives to mypy."""

from typing import Any, assert_type

import mmafft
import mmafft.distributed
import mmafft.signal
import numpy as np
from numpy.typing import NDArray

x = np.ones((4, 16))
assert_type(mmafft.fft.rfft(x, 16, norm="ortho", workers=2), NDArray[Any])
assert_type(mmafft.fft.fftn(x, precision="f32", nonzero={0: (0, 2)}), NDArray[Any])
assert_type(mmafft.fft.next_fast_len(17), int)

plan = mmafft.plan(x, "rfft", effort="estimate")
assert_type(plan, mmafft.Plan)
assert_type(plan.error_bound, float)
assert_type(plan.explain(), str)

frequencies, power = mmafft.signal.welch(x[0], nperseg=8)
assert_type(power, NDArray[Any])
assert_type(mmafft.signal.ShortTimeFFT(np.ones(8), 4, 1.0).stft(x[0]), NDArray[Any])
assert_type(mmafft.signal.fftconvolve(x, x, "same", axes=0), NDArray[Any])

(group,) = mmafft.distributed.threads(1)
assert_type(group.rank, int)
spread = mmafft.distributed.plan("fftn", (4, 4), group, dtype="complex64", output=0)
assert_type(spread.explain(), str)

with mmafft.patch():
    np.fft.fft(x)
