#!/usr/bin/env python3
"""Makes docs/performance.md, and the tables of the README, from the rows in benches/results:

    python3 benches/performance.py            # writes both
    python3 benches/performance.py --check    # fails, and writes nothing, where one is stale

Needs nothing but Python's standard library.
"""

import argparse
import contextlib
import csv
import io
import math
import re
import sys
import textwrap
from pathlib import Path

import accuracy_table
import kinds_table

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benches/results"
PAGE = ROOT / "docs/performance.md"
README = ROOT / "README.md"
DEVICES = {"H200": "h200", "H100": "h100"}
CLASSES = {
    "pow2": "powers of two to 2^27",
    "smooth": "products of small primes",
    "prime": "primes",
    "2d": "2-D",
    "3d": "3-D",
    "r2c": "R2C",
    "c2r": "C2R",
    "launch": "one small transform",
    "graph": "one small transform, by a graph",
}


def rows(name):
    """The comments at the file's head, and its rows."""
    lines = (RESULTS / name).read_text(encoding="utf-8").splitlines()
    comments = [line[1:].strip() for line in lines if line.startswith("#")]
    return comments, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def groups(table, *columns):
    found = {}
    for row in table:
        found.setdefault(tuple(row[column] for column in columns), []).append(row)
    return found


def ratios(table):
    return [float(row["ratio"]) for row in table if row["ratio"]]


def spread(table):
    """Geometric mean, and the least in parentheses."""
    numbers = ratios(table)
    return f"{mean(numbers):.2f} ({min(numbers):.2f})" if numbers else "–"


def shape(text):
    return kinds_table.name(kinds_table.lengths(text))


def table(head, body):
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def printed(function, *arguments):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*arguments)
    return out.getvalue().strip()


def prose(text):
    paragraphs = textwrap.dedent(text).strip().split("\n\n")
    fill = lambda words: textwrap.fill(" ".join(words.split()), 100, break_on_hyphens=False, break_long_words=False)
    return "\n\n".join(p if p.lstrip().startswith(("|", "#", "```", "- ")) else fill(p) for p in paragraphs)


def command(line):
    return f"```sh\n{line}\n```"


def today(line):
    """A command as it is now: rows keep the line that made them, some from before there was a lab."""
    line = re.sub(r"^mmafft bench", "mmafft-lab bench", line)
    earlier = "cargo test --release --features cuda,peers --test device accuracy"
    return line.replace(earlier, "cargo test --release -p mmafft-lab --features cuda --test beside_cufft")


def measured(name):
    """A caption: where the rows are, when they were timed, and by which command."""
    comments, _ = rows(name)
    date = re.search(r"\d{4}-\d{2}-\d{2}", " ".join(comments))
    found = re.search(r"((?:[A-Z_]+=\w+ )?mmafft(?:-lab)? bench .*|cargo .*?)( \(|$)", "\n".join(comments), re.M)
    when = f", {date.group()}" if date else ""
    text = f"Rows: [{name}](../benches/results/{name}){when}."
    return text + ("\n\n" + command(today(found.group(1))) if found else "")


# The CPU.


def cpu_summary():
    _, table_of = rows("cpu-xeon-2-threads.csv")
    _, real = rows("r2r-epyc-1-thread.csv")
    lines = [
        ("C2C, 1-D", "RustFFT", [r for r in table_of if r["class"].startswith("lines")]),
        ("R2C, 1-D", "FFTW", [r for r in table_of if r["class"].startswith("r2c")]),
        ("C2R, 1-D", "FFTW", [r for r in table_of if r["class"].startswith("c2r")]),
    ]
    for threads in "12":
        own = [r for r in table_of if r["class"].startswith("nd") and r["class"].endswith(f"{threads}t")]
        words = "one thread" if threads == "1" else "two threads"
        lines.append((f"C2C, 2-D and 3-D, {words}", "FFTW", own))
    for rank in ("1-D", "2-D"):
        own = [r for r in real if rank in r["class"]]
        lines.append((f"DCT, DST, DHT and half-complex, {rank}", "FFTW", own))
    body = []
    for what, peer, own in lines:
        by = [[r for r in own if f" {p}" in r["class"]] for p in ("f32", "f64")]
        body.append([what, peer, len(by[0]), *map(spread, by)])
    return table(["transform", "beside", "cases", "`f32`", "`f64`"], body)


def cpu_cases():
    """Every case: a table for each family of classes."""
    _, all_rows = rows("cpu-xeon-2-threads.csv")
    out = []
    families = [("lines", "C2C in 1-D, beside RustFFT"), ("r2c", "R2C, beside FFTW"), ("c2r", "C2R, beside FFTW")]
    for family, title in families:
        own = [r for r in all_rows if r["class"].split()[0] == family]
        out.append((title, ["points"], own))
    out.append(("C2C in 2-D and 3-D, beside FFTW", ["array"], [r for r in all_rows if r["class"].startswith("nd")]))
    text = []
    for title, head, own in out:
        classes = list(dict.fromkeys(r["class"] for r in own))
        found = {(r["class"], r["case"]): float(r["ratio"]) for r in own}
        words = [c.split(" ", 1)[1].replace("1t", "1 thread").replace("2t", "2 threads") for c in classes]
        body = []
        for case in dict.fromkeys(r["case"] for r in own):
            ends = [found.get((c, case)) for c in classes]
            body.append([case.replace("x", "×"), *(f"{x:.2f}" if x else "–" for x in ends)])
        text.append(f"### {title}\n\n" + table(head + words, body))
    return "\n\n".join(text)


def real_to_real(name):
    _, own = rows(name)
    kinds = list(dict.fromkeys(r["class"].split()[0] for r in own))
    body = []
    for precision in ("f32", "f64"):
        for rank in ("1-D", "2-D"):
            of = lambda kind: [r for r in own if r["class"].startswith(f"{kind} {precision} {rank}")]
            body.append([f"`{precision}`, {rank}", *(spread(of(kind)) for kind in kinds)])
    return table(["mean (least)", *kinds], body)


# GPUs.


def gpu_summary():
    by = {}
    for device, name in DEVICES.items():
        for key, own in groups(rows(f"speed-{name}.csv")[1], "class", "precision").items():
            by[(device, *key)] = spread(own)
    body = []
    for name, words in CLASSES.items():
        cells = [by.get((d, name, p), "–") for d in DEVICES for p in ("f32", "f64")]
        body.append([words, *cells])
    for precision in ("f16", "bf16", "split-f16"):
        cells = [x for d in DEVICES for x in (by.get((d, "pow2", precision), "–"), "")]
        body.append([f"powers of two, `{precision}`", *cells])
    head = [f"{device}, `{p}`" for device in DEVICES for p in ("f32", "f64")]
    return table(["class", *head], body)


def classes(own):
    body = []
    for (name, precision), part in groups(own, "class", "precision").items():
        timed = [r for r in part if r["ratio"]]
        if not timed:
            # What cuFFT lacks is in the tables of real-to-real transforms.
            continue
        ends = [f(timed, key=lambda r: float(r["ratio"])) for f in (min, max)]
        least, most = (f"{float(r['ratio']):.2f} ({shape(r['shape'])})" for r in ends)
        fractions = [[float(r[c]) for r in timed if r[c]] for c in ("fraction", "peer_fraction")]
        cells = [f"{mean(f):.2f}" if f else "–" for f in fractions]
        slower = sum(float(r["ratio"]) < 0.97 for r in timed)
        body.append([f"{name} `{precision}`", len(timed), f"{mean(ratios(timed)):.2f}", least, most, *cells, slower])
    head = ["class", "cases", "ratio, geometric mean", "least", "most", "of copy, ours", "of copy, cuFFT"]
    return table([*head, "slower by more than 3 %"], body)


def slower(own):
    found = [r for r in own if r["ratio"] and float(r["ratio"]) < 0.995]
    found.sort(key=lambda r: float(r["ratio"]))
    words = [f"{r['class']} `{r['precision']}` {shape(r['shape'])} {float(r['ratio']):.2f}" for r in found]
    said = f"Slower than cuFFT: {len(found)} of {sum(bool(r['ratio']) for r in own)}. " + "; ".join(words) + "."
    return textwrap.fill(said, 100, break_on_hyphens=False, break_long_words=False)


def gpu(device, name, peer="speed"):
    own = rows(f"{peer}-{name}.csv")[1]
    titles = {"speed": "the default list", "others": "other lengths", "drawn": "lengths and arrays drawn by a seed"}
    title = titles[peer]
    return "\n\n".join([f"### {device}, {title}", measured(f"{peer}-{name}.csv"), classes(own), slower(own)])


def kinds(device, name):
    file = RESULTS / f"kinds-{name}.csv"
    others = f"kinds-others-{name}.csv"
    return "\n\n".join(
        [
            f"### {device}, real-to-real",
            measured(file.name),
            printed(kinds_table.table, kinds_table.read(file)),
            f"### {device}, real-to-real, many more lengths and arrays",
            measured(others),
            printed(kinds_table.classes, kinds_table.read(RESULTS / others)),
        ]
    )


def drawn_at_random(device, name):
    return [
        f"### {device}, shapes drawn at random",
        prose("Shapes drawn at random, which no measured rule was made for."),
        measured(name),
        printed(kinds_table.classes, kinds_table.read(RESULTS / name)),
    ]


# Errors.


def accuracy_summary():
    own = list(accuracy_table.rows(RESULTS / "accuracy-h200.csv"))
    said = {
        "f64": ("f64", "3e-16·√(1 + log2 N)"),
        "f32": ("f32", "8e-8·√(1 + log2 N)"),
        "split-f16": ("f32", "1.6e-7·√(1 + log2 N)"),
        "f16": ("f16", "6e-4"),
        "bf16": ("bf16", "5e-3"),
    }
    body = []
    for precision, (memory, bound) in said.items():
        found = {r[1]: r[2:4] for r in own if r[0] == precision}
        ours, theirs = map(accuracy_table.number, found["4096"])
        at = accuracy_table.PRECISIONS[precision][1]
        body.append([f"`{precision}`", memory, bound, at, ours, theirs])
    return table(["precision", "in memory", "bound", "bound at 4096", "error at 4096", "cuFFT's"], body)


def report_of_2019():
    own = rows("accuracy-cpu.csv")[1]
    body = []
    for r in own:
        number = lambda column: accuracy_table.number(float(r[column])) if r[column] else "–"
        points = "×".join([r["length"]] * int(r["dimensions"])) if r["length"].isdigit() else r["length"]
        columns = ("relative_l2", "f32_relative_l2", "f16_relative_l2", "papers_measure", "paper_error")
        body.append([r["table"], r["radix"], points, r["batch"], *map(number, columns)])
    head = ["table", "radix", "points", "batch", "`split-f16`", "`f32`", "`f16`", "by the report's measure"]
    return table([*head, "the report's error"], body)


def page():
    parts = [
        "# Performance",
        "<!-- made by benches/performance.py from benches/results; edit that -->",
        prose(
            """
            How fast and how accurate mmafft is beside other libraries, on which machine, and how to repeat
            it. The page is made of the rows in [benches/results](../benches/results) by

            ```sh
            python3 benches/performance.py
            ```

            A *ratio* is the other library's time over ours: above 1 mmafft is faster. *Of copy* is the
            speed as a fraction of that of a copy of the same bytes, read once and written once; no
            transform that reads and writes memory once can be faster than 1, but for the copies' own spread. Means are geometric. How a
            case is timed is in the guide's [measuring speed](guide.md#measuring-speed); why something is
            slow, and what was tried, is in the [notebooks](lab/README.md). Rates on shared machines vary
            by tens of per cent, so repeat a case before trusting it.
            """
        ),
        "## CPU",
        prose(
            """
            Two cores of an Intel Xeon (model 207, AVX-512), 2026-11-30; real-to-real kinds of an AMD EPYC
            (family 26, AVX-512), which are older. FFTW 3.3.10 is planned with MEASURE and has as many
            threads as mmafft; RustFFT is 6.4.1. Mean, and in parentheses the least.
            """
        ),
        cpu_summary(),
        prose("To repeat it (`apt-get install libfftw3-bin`):"),
        command("cargo bench -p mmafft-lab --bench peers -- --csv rows.csv"),
        prose("Rows: [cpu-xeon-2-threads.csv](../benches/results/cpu-xeon-2-threads.csv). Every case:"),
        cpu_cases(),
        "### Real-to-real, beside FFTW",
        prose(
            """
            One array, out of place, one thread of the EPYC; in 1-D nine lengths from 1350 to 65536, in
            2-D 512×512, 1000×1000, 1350×1350 and 2048×2048. FFTW has no shortcut for type I of even
            lengths. Rows:
            [r2r-epyc-1-thread.csv](../benches/results/r2r-epyc-1-thread.csv).
            """
        ),
        command("cargo bench -p mmafft-lab --bench peers -- r2r r2r-nd --threads 1 --csv rows.csv"),
        real_to_real("r2r-epyc-1-thread.csv"),
        prose(
            """
            The same on two cores of an EPYC without AVX-512 (family 25). Rows:
            [r2r-epyc-family-25-1-thread.csv](../benches/results/r2r-epyc-family-25-1-thread.csv).
            """
        ),
        real_to_real("r2r-epyc-family-25-1-thread.csv"),
        "## GPUs",
        prose(
            """
            Beside cuFFT 12.0.0 of CUDA 13.0 in one run, 1 GiB of data a case; of `launch` and `graph` one
            small transform of 2.5 to 9 µs. `split-f16` stands beside cuFFT's `f32`. Mean, and in
            parentheses the least. The default list is of lengths that were tuned; of the others most were
            not, and with `MMAFFT_RULES=none` none were. No AMD device has been timed.
            """
        ),
        gpu_summary(),
        *(gpu(device, name) for device, name in DEVICES.items()),
        *(gpu(device, name, "others") for device, name in DEVICES.items()),
        gpu("H200", "h200", "drawn"),
        "## Real-to-real transforms on GPUs",
        prose(
            """
            cuFFT has none of these, so the figures are fractions of the speed of a copy of the same bytes.
            An array's type I is of one real more (DCT) or less (DST) along each axis. The column `c2c` is
            of complex transforms of the same bytes, half as long along the last axis.
            """
        ),
        *(kinds(device, name) for device, name in DEVICES.items()),
        *drawn_at_random("H100", "held-out-h100.csv"),
        *drawn_at_random("H200", "held-out-h200.csv"),
        "## Accuracy",
        prose(
            """
            Relative L2 error beside a reference in higher precision, on uniform random input in [−1, 1).
            The bounds are part of every plan, and the tests hold each of them.
            """
        ),
        "### H200, beside cuFFT on the same input",
        measured("accuracy-h200.csv"),
        printed(accuracy_table.errors, list(accuracy_table.rows(RESULTS / "accuracy-h200.csv"))),
        printed(accuracy_table.ratios, list(accuracy_table.rows(RESULTS / "accuracy-h200.csv"))),
        "### CPU, beside a report of 2019 on tensor cores",
        prose(
            """
            Tables 1 to 9 of the report, on the CPU by the matrix engine. Rows:
            [accuracy-cpu.csv](../benches/results/accuracy-cpu.csv).
            """
        ),
        command("mmafft accuracy --csv rows.csv"),
        report_of_2019(),
    ]
    return "\n\n".join(parts) + "\n"


def readme(text):
    """The README with its marked tables made anew."""
    made = {"cpu": cpu_summary, "gpu": gpu_summary, "accuracy": accuracy_summary}
    for name, make in made.items():
        begin, end = f"<!-- benches/performance.py: {name} -->\n", "\n<!-- to here -->"
        if text.count(begin) != 1:
            sys.exit(f"README.md: expected one table marked {begin.strip()}")
        head, rest = text.split(begin)
        _, mark, tail = rest.partition(end)
        if not mark:
            sys.exit(f"README.md: expected {end.strip()} after the table of {name}")
        text = head + begin + make() + end + tail
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail where a table is stale")
    check = parser.parse_args().check
    stale = []
    for path, text in ((PAGE, page()), (README, readme(README.read_text(encoding="utf-8")))):
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(str(path.relative_to(ROOT)))
        if not check:
            path.write_text(text, encoding="utf-8")
    if check and stale:
        sys.exit(f"stale: {', '.join(stale)}; python3 benches/performance.py makes them anew")


if __name__ == "__main__":
    main()
