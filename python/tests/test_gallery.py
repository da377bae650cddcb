"""The programs of docs/gallery.md run, and what they assert holds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "python" / "examples").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_program(program, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install matplotlib")
    picture = tmp_path / "picture.png"
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    command = [sys.executable, str(program), str(picture)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = done.stdout.strip()
    assert picture.stat().st_size > 1000
    # The page says what the program prints, and shows lines that it has.
    page = (ROOT / "docs" / "gallery.md").read_text()
    assert said in " ".join(page.split())
    code = program.read_text()
    block = page.partition(f"examples/{program.name})")[2].partition("```python\n")[2].partition("```")[0]
    assert block and all(line.strip() in code for line in block.splitlines())


def test_six_programs():
    assert len(PROGRAMS) == 6
