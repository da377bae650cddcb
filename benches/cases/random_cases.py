#!/usr/bin/env python3
"""A list of transforms that nobody chose, for `mmafft-lab bench --cases`: `python3 random_cases.py SEED COUNT > list.csv`.

A third are lines of any length to 2^20, a third lines of products of primes to 13, a third planes, volumes and real
lines of such lengths. Lengths are uniform in their logarithm.
"""

import random
import sys


def smooth(draw, most):
    n = draw.choice([2, 3, 5, 7])
    while True:
        n *= draw.choice([2, 2, 2, 3, 3, 5, 7, 11, 13])
        if n > most or (n > 16 and draw.random() < 0.25):
            return n if n <= most else smooth(draw, most)


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    draw = random.Random(seed)
    print("class,kind,precision,shape,batch")
    for i in range(count):
        precision = draw.choice(["f32", "f64"])
        if i % 3 == 0:
            row = "any", "c2c", str(round(2 ** draw.uniform(4, 20)))
        elif i % 3 == 1:
            row = "smooth", "c2c", str(smooth(draw, 1 << 20))
        else:
            kind = draw.choice(["c2c", "r2c", "c2r"])
            rank = draw.choice([1, 2, 3]) if kind != "c2c" else draw.choice([2, 3])
            lengths = [smooth(draw, (1 << 18, 2048, 256)[rank - 1]) for _ in range(rank)]
            row = ("lines", "planes", "volumes")[rank - 1], kind, "x".join(map(str, lengths))
        print(",".join([row[0], row[1], precision, row[2], ""]))


if __name__ == "__main__":
    main()
