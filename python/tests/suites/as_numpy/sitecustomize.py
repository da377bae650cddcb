"""Run by Python as it begins, in child processes too: NumPy's functions are by mmafft, for tests of NumPy's own."""

import mmafft

mmafft.patch()
