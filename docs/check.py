#!/usr/bin/env python3
"""Checks the documentation: python3 docs/check.py

- README.md has at most 150 lines;
- every relative link of every Markdown file leads to a file, and its anchor to a heading;
- lines have at most 100 characters outside of tables, code and HTML.

Needs nothing but Python's standard library and git.
"""

import re
import subprocess
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README_LINES = 150
COLUMNS = 100
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
IMAGE = re.compile(r"<img [^>]*src=\"([^\"]+)\"")


def files():
    """Markdown files that git tracks, or would."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in sorted(set(found.splitlines())) if (ROOT / name).exists()]


def prose(text):
    """Numbered lines outside of fenced code."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and fence is None:
            fence = mark.group(1)
        elif mark and mark.group(1).startswith(fence) and line.strip() == mark.group(1):
            fence = None
        elif fence is None:
            yield number, line


def anchor(heading):
    """A heading's anchor, as GitHub makes it."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    kept = (c for c in text if c in " -_" or unicodedata.category(c)[0] in "LN")
    return "".join(kept).replace(" ", "-")


def anchors(path, known={}):
    if path not in known:
        found, counts = set(), {}
        for _, line in prose(path.read_text(encoding="utf-8")):
            heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
            if heading:
                name = anchor(heading.group(1))
                count = counts.get(name, 0)
                counts[name] = count + 1
                found.add(f"{name}-{count}" if count else name)
            found.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", line))
        known[path] = found
    return known[path]


def broken(path, target):
    """What is wrong with a link, or None."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None
    name, _, fragment = target.partition("#")
    if name.startswith("/"):
        return "is not relative"
    other = (path.parent / name).resolve() if name else path
    if not other.is_relative_to(ROOT):
        return "leads out of the repository"
    if not other.exists():
        return "leads to no file"
    if fragment and other.suffix == ".md" and fragment not in anchors(other):
        return "leads to no heading"
    return None


def check(path):
    text = path.read_text(encoding="utf-8")
    said = []
    if path == ROOT / "README.md" and (count := len(text.splitlines())) > README_LINES:
        said.append(f"{count} lines: at most {README_LINES} are expected")
    for number, line in prose(text):
        # What is in code is no link.
        plain = re.sub(r"`[^`]*`", lambda code: "x" * len(code.group()), line)
        for target in LINK.findall(plain) + IMAGE.findall(plain):
            if fault := broken(path, target):
                said.append(f"line {number}: {target} {fault}")
        # Tables, HTML, indented code, and a link or a piece of code that fills a line.
        structure = line.lstrip().startswith(("|", "<")) or line.startswith("    ")
        if len(line) > COLUMNS and not structure and " " in plain.strip():
            said.append(f"line {number}: {len(line)} characters, at most {COLUMNS} are expected")
    return [f"{path.relative_to(ROOT)}: {words}" for words in said]


def main():
    found = files()
    faults = [fault for path in found for fault in check(path)]
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(found)} pages: links, anchors and lengths of lines are as they should be")


if __name__ == "__main__":
    main()
