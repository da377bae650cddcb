"""Run by Python as it begins, in child processes too: SciPy's functions are by mmafft, for tests of SciPy's own."""

import mmafft
import scipy.fft

scipy.fft.set_global_backend(mmafft.scipy)
