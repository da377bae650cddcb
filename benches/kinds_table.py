#!/usr/bin/env python3
"""The tables of real-to-real transforms of docs/performance.md, in Markdown, from the rows of a run:

    python3 benches/kinds_table.py [benches/results/kinds-h200.csv]
    python3 benches/kinds_table.py --classes benches/results/kinds-others-h100.csv

Each number is a row's `fraction`: of the copy beside it, in the same memory. Complex transforms, in the column `c2c`, are of
half the length along the last axis: of the bytes of the reals. Some copies are slower than others, by
where that memory lies, and it depends on the transform whether it is too: the last line says how many. With
`--classes` a line is a class of the file: each kind's geometric mean, the least of all with its shape, and how many are
below 0.85, our goal for one pass.
"""

import argparse
import csv
import statistics
import sys
from pathlib import Path

# How far lengths of type I are from those of the table: of 1000 DCT-I has 1001, DST-I 999.
BESIDE = {"dct1": 1, "dst1": -1}


def shape_of(kind, shape):
    """The shape that a kind's row has in the table's line of this shape."""
    if kind == "c2c":
        return (*shape[:-1], shape[-1] // 2)
    return tuple(n + BESIDE.get(kind, 0) for n in shape)


def lengths(shape):
    return tuple(int(length) for length in shape.split("x"))


def name(shape):
    def of(length):
        power = length.bit_length() - 1
        return f"2^{power}" if length == 1 << power and power > 14 else str(length)

    return "×".join(of(length) for length in shape)


def read(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    for row in rows:
        if not row["fraction"]:
            sys.exit(f"{path}: {row['kind']} of {row['shape']} in {row['precision']} was not timed: {row['failure']}")
    return rows


def classes(rows):
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    print("| | cases |", " | ".join(kinds), "| least | below 0.85 |")
    print("| --- | --- |" + " --- |" * (len(kinds) + 2))
    groups = {}
    for row in rows:
        groups.setdefault((row["precision"], row["class"]), []).append(row)
    for (precision, group), own in groups.items():
        fractions = {kind: [float(r["fraction"]) for r in own if r["kind"] == kind] for kind in kinds}
        # A file need not have every kind in every class.
        of = lambda values: f"{statistics.geometric_mean(values):.2f}" if values else "–"
        means = " | ".join(of(fractions[kind]) for kind in kinds)
        least = min(own, key=lambda r: float(r["fraction"]))
        below = sum(float(r["fraction"]) < 0.85 for r in own)
        shape = f"{float(least['fraction']):.2f} ({least['kind']} of {name(lengths(least['shape']))})"
        print(f"| `{precision}` {group} | {len(own)} | {means} | {shape} | {below} |")


def table(rows):
    found = {(r["precision"], r["kind"], lengths(r["shape"])): float(r["fraction"]) for r in rows}
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    # Shapes in the order of the file; of type I and of complex transforms those alone that are another kind's.
    shapes = list(dict.fromkeys(shape for _, kind, shape in found if kind not in ("c2c", *BESIDE)))
    print("| |", " | ".join(kinds), "|")
    print("| --- |" + " --- |" * len(kinds))
    for precision in dict.fromkeys(row["precision"] for row in rows):
        for shape in shapes:
            values = [found[precision, kind, shape_of(kind, shape)] for kind in kinds]
            print(f"| `{precision}` {name(shape)} |", " | ".join(f"{v:.2f}" for v in values), "|")
    # Bytes a second of copies.
    copies = [float(r["bytes"]) / float(r["ours_us"]) / float(r["fraction"]) for r in rows]
    median = statistics.median(copies)
    slow = [copy / median for copy in copies if copy < 0.97 * median]
    least = 1 - min(slow, default=1)
    print(f"\nCopies beside {len(slow)} of {len(rows)} rows were slower than the median by up to {least:.0%}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", action="store_true", help="a line for each class of the file")
    parser.add_argument("rows", nargs="?", default=Path(__file__).parent / "results/kinds-h200.csv")
    arguments = parser.parse_args()
    (classes if arguments.classes else table)(read(arguments.rows))
