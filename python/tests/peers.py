"""Calls of `mmafft.fft` beside those of others, on the CPU, in one process and on the same arrays.

    pip install scipy pyfftw ducc0 mkl_fft
    python tests/peers.py [--threads 1] [--seconds 0.2] [--only c2c,f32,1024] > rows.csv

What is installed of scipy.fft, pyFFTW (planned by MEASURE), ducc0 and mkl_fft is timed in turn with ours, in
milliseconds, the least of many turns as other work on the machine only adds. Inverses are scaled by 1/n, as NumPy's
are. Long ones write into an array that is there, where the library can; short ones make it, but for pyFFTW's plan. The
last column is the best peer's time over ours: above 1 mmafft is faster; a summary of them ends the output.
"""

import argparse
import csv
import importlib
import importlib.util
import math
import os
import sys
import time
from collections import defaultdict

import mmafft
import numpy as np

LINES = [(16, 65536), (100, 10000), (256, 4096), (1000, 1000), (1009, 1000), (1024, 1024), (4096, 256), (65536, 16),
         (1 << 20, 1)]  # fmt: skip
ARRAYS = [(512, 512), (1000, 1000), (1080, 1920), (128, 128, 128)]
SINGLE = [(64, 1), (1000, 1), (4096, 1)]
KINDS = {"c2c": "fftn", "inverse": "ifftn", "r2c": "rfftn", "c2r": "irfftn"}


def cases():
    for kind in KINDS:
        for precision in ("f32", "f64"):
            for n, batch in LINES + SINGLE:
                yield kind, precision, (n,), batch
            for shape in ARRAYS:
                yield kind, precision, shape, 1


def arrays(kind, precision, shape, batch):
    """Input and output."""
    real, point = (np.float32, np.complex64) if precision == "f32" else (np.float64, np.complex128)
    full, half = (batch, *shape), (batch, *shape[:-1], shape[-1] // 2 + 1)
    rng = np.random.default_rng(1)

    def filled(shape, dtype):
        x = rng.standard_normal(shape)
        return (x + 1j * rng.standard_normal(shape)).astype(dtype) if np.dtype(dtype).kind == "c" else x.astype(dtype)

    x = filled(half if kind == "c2r" else full, real if kind == "r2c" else point)
    return x, np.empty(half if kind == "r2c" else full, real if kind == "c2r" else point)


def into(y):
    """The result's array, where making it would count."""
    return {"out": y} if y.size > 1 << 14 else {}


def by_mmafft(kind, x, y, shape, axes, threads):
    function = getattr(mmafft.fft, KINDS[kind])
    s = shape if kind == "c2r" else None
    return lambda: function(x, s, axes, workers=threads, **into(y))


def by_scipy(kind, x, y, shape, axes, threads):
    function = getattr(importlib.import_module("scipy.fft"), KINDS[kind])
    s = shape if kind == "c2r" else None
    return lambda: function(x, s, axes, workers=threads)


def by_pyfftw(kind, x, y, shape, axes, threads):
    pyfftw = importlib.import_module("pyfftw")
    source, target = pyfftw.empty_aligned(x.shape, x.dtype), pyfftw.empty_aligned(y.shape, y.dtype)
    direction = "FFTW_BACKWARD" if kind in ("inverse", "c2r") else "FFTW_FORWARD"
    # C2R of several axes spoils its input; that costs FFTW's callers a copy, which is not counted here.
    plan = pyfftw.FFTW(source, target, axes, direction, ("FFTW_MEASURE",) if kind != "c2r" or len(axes) == 1 else
                       ("FFTW_MEASURE", "FFTW_DESTROY_INPUT"), threads, 20)  # fmt: skip
    source[...] = x
    return lambda: plan(normalise_idft=True)


def by_ducc0(kind, x, y, shape, axes, threads):
    fft = importlib.import_module("ducc0").fft
    how = {"axes": axes, "nthreads": threads, **into(y)}
    if kind == "r2c":
        return lambda: fft.r2c(x, **how)
    if kind == "c2r":
        return lambda: fft.c2r(x, lastsize=shape[-1], forward=False, inorm=2, **how)
    return lambda: fft.c2c(x, forward=kind == "c2c", inorm=2 * (kind == "inverse"), **how)


def by_mkl_fft(kind, x, y, shape, axes, threads):
    mkl_fft = importlib.import_module("mkl_fft")
    if kind == "c2r":
        return lambda: mkl_fft.irfftn(x, s=shape, axes=axes)
    function = getattr(mkl_fft, KINDS[kind])
    return lambda: function(x, axes=axes, **into(y))


PEERS = {"scipy": by_scipy, "pyfftw": by_pyfftw, "ducc0": by_ducc0, "mkl_fft": by_mkl_fft}


def least(functions, seconds):
    """The least time of each, in turns."""
    best = [math.inf] * len(functions)
    for function in functions:
        function()
    end = time.perf_counter() + seconds * len(functions)
    turns = 0
    while time.perf_counter() < end or turns < 3:
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - start)
        turns += 1
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.2, help="of each library in each case")
    parser.add_argument("--only", default="", help="words that a case has, such as c2r,f32,512x512")
    given = parser.parse_args()
    # Read when MKL is opened, which is later.
    os.environ["MKL_NUM_THREADS"] = str(given.threads)
    there = [name for name in PEERS if importlib.util.find_spec(name)]
    out = csv.writer(sys.stdout)
    out.writerow(
        ["kind", "precision", "shape", "batch", "mmafft_ms", *[name + "_ms" for name in there], "best_over_ours"]
    )
    ratios = defaultdict(list)
    words = set(filter(None, given.only.split(",")))
    for kind, precision, shape, batch in cases():
        name = "x".join(map(str, shape))
        if not words <= {kind, precision, name}:
            continue
        x, y = arrays(kind, precision, shape, batch)
        axes = tuple(range(1, x.ndim))
        makers = [by_mmafft, *[PEERS[peer] for peer in there]]
        ours, *theirs = least([make(kind, x, y, shape, axes, given.threads) for make in makers], given.seconds)
        ratio = min(theirs, default=math.nan) / ours
        ratios[kind, precision].append(ratio)
        out.writerow([kind, precision, name, batch, *[f"{1e3 * t:.4f}" for t in (ours, *theirs)], f"{ratio:.2f}"])
        sys.stdout.flush()
    for key, values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print("#", *key, f"geometric mean {mean:.2f}, least {min(values):.2f}, below 1: {sum(v < 1 for v in values)}")


if __name__ == "__main__":
    main()
