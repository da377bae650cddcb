#!/usr/bin/env python3
"""The tables of errors beside cuFFT of docs/performance.md, in Markdown, from the rows of a run:

    python3 benches/accuracy_table.py [benches/results/accuracy-h200.csv]

The rows (precision,shape,ours,cufft,ratio,bar) are what
`cargo test --release -p mmafft-lab --features cuda --test beside_cufft -- --nocapture` prints;
other lines in the file do no harm. Needs nothing but Python.
"""

import math
import sys
from pathlib import Path

# Bounds on the relative L2 error at 4096 points, as PRECISIONS of backend-traits has them.
PRECISIONS = {
    "f64": ("`f64`", "1.1e-15"),
    "f32": ("`f32`", "2.9e-7"),
    "split-f16": ("`split-f16` (cuFFT: f32)", "5.8e-7"),
    "f16": ("`f16`", "6e-4"),
    "bf16": ("`bf16`", "5e-3"),
}


def rows(path):
    for line in Path(path).read_text().splitlines():
        fields = line.strip().split(",")
        if len(fields) == 6 and fields[0] in PRECISIONS:
            yield (fields[0], fields[1], *map(float, fields[2:]))


def power_of_two(shape):
    return "x" not in shape and int(shape).bit_count() == 1


def label(shape):
    if power_of_two(shape) and int(shape) > 1 << 14:
        return f"2^{int(shape).bit_length() - 1}"
    return shape.replace("x", "×")


def number(x):
    if math.isnan(x):
        return "–"
    digits, exponent = f"{x:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def errors(table):
    """Ours and cuFFT's at two lengths."""
    print("| precision | bound at 4096 | ours at 4096 | cuFFT at 4096 | ours at 2^20 | cuFFT at 2^20 |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, (words, bound) in PRECISIONS.items():
        found = {r[1]: r[2:4] for r in table if r[0] == name}
        if found:
            cells = [number(x) for n in ("4096", "1048576") for x in found.get(n, (math.nan,) * 2)]
            print(f"| {words} | {bound} | {' | '.join(cells)} |")


def ratios(table):
    """Ours over cuFFT's, by family of lengths."""
    print("| error, ours / cuFFT's | cases | geometric mean | least | most | at | bar | above the bar |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in PRECISIONS:
        # Where both are exact, and where cuFFT has no such transform, there is no ratio.
        mine = [r for r in table if r[0] == name and 0 < r[4] < math.inf]
        families = [("powers of two", True), ("other lengths, 2-D, 3-D", False)]
        for words, powers in families:
            family = [r for r in mine if power_of_two(r[1]) == powers]
            if not family:
                continue
            mean = math.exp(sum(math.log(r[4]) for r in family) / len(family))
            most = max(family, key=lambda r: r[4])
            bars = sorted({r[5] for r in family if r[5] < math.inf})
            bar = " to ".join(f"{b:g}" for b in bars) or "–"
            above = [label(r[1]) for r in family if r[4] > r[5]]
            print(
                f"| `{name}`, {words} | {len(family)} | {mean:.2f} | {min(r[4] for r in family):.2f} "
                f"| {most[4]:.2f} | {label(most[1])} | {bar} | {', '.join(above) or 'none'} |"
            )


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "results/accuracy-h200.csv"
    table = list(rows(path))
    errors(table)
    print()
    ratios(table)
    shapes = {name: {r[1] for r in table if r[0] == name} for name in PRECISIONS}
    missing = [f"`{name}`" for name in PRECISIONS if not shapes[name]]
    # A run that was cut short: the 32- and 64-bit precisions have the same shapes.
    for name in ("f32", "split-f16"):
        if shapes[name] and (rest := len(shapes["f64"] - shapes[name])):
            missing.append(f"{rest} shapes of `{name}`")
    if missing:
        print(f"\nNot in this run: {', '.join(missing)}.")


if __name__ == "__main__":
    main()
