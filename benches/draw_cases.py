#!/usr/bin/env python3
"""Draws cases that nobody has tuned for `mmafft-lab bench --cases`: a seed decides them.

    benches/draw_cases.py SEED lines|arrays|any COUNT > cases.csv

- `lines`: lengths from 16 to 2^22 with no prime factor above 13, drawn by their logarithm, C2C, R2C and C2R.
- `arrays`: two axes of 8 to 4096 such points, or three of 8 to 512, 2^12 to 2^24 together, C2C, R2C and C2R.
- `any`: lengths from 16 to 2^20 as they come, primes among them, C2C.

Half of the cases are of each precision. Real lengths are even where it is the last axis, as most users' are.
"""

import csv
import math
import random
import sys


def smooth(n):
    for prime in (2, 3, 5, 7, 11, 13):
        while n % prime == 0:
            n //= prime
    return n == 1


def length(draw, least, most, wanted):
    while True:
        n = round(math.exp(draw.uniform(math.log(least), math.log(most))))
        if wanted(n):
            return n


def shape(draw, what, kind):
    last = (lambda n: smooth(n) and n % 2 == 0) if kind != "c2c" else smooth
    if what == "any":
        return [length(draw, 16, 1 << 20, lambda n: True)]
    if what == "lines":
        return [length(draw, 16, 1 << 22, last)]
    while True:
        axes = draw.choice([2, 3])
        most = 4096 if axes == 2 else 512
        dims = [length(draw, 8, most, smooth) for _ in range(axes - 1)] + [length(draw, 8, most, last)]
        if 1 << 12 <= math.prod(dims) <= 1 << 24:
            return dims


def main():
    if len(sys.argv) != 4 or sys.argv[2] not in ("lines", "arrays", "any"):
        sys.exit(__doc__)
    seed, what, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    draw = random.Random(f"{seed} {what}")
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(["class", "kind", "precision", "shape"])
    for i in range(count):
        kind = "c2c" if what == "any" else draw.choice(["c2c", "c2c", "r2c", "c2r"])
        precision = ("f32", "f64")[i % 2]
        rows.writerow([what, kind, precision, "x".join(map(str, shape(draw, what, kind)))])


if __name__ == "__main__":
    main()
