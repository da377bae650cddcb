"""SciPy's tests with mmafft as SciPy's global backend, and NumPy's with `mmafft.patch()`, of the installed releases."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SUITES = Path(__file__).parent / "suites"
sys.path.insert(0, str(SUITES))
from exclusions import NUMPY, SCIPY  # noqa: E402


def run(package, folder, tmp_path):
    """Runs a package's tests in a process that is patched as it begins, and whose children are."""
    path = os.pathsep.join(map(str, [SUITES / folder, SUITES]))
    environment = {**os.environ, "PYTHONPATH": path}
    environment.pop("SCIPY_ARRAY_API", None)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "exclusions"]
    command += ["--pyargs", package]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-5000:]
    return counts(done.stdout.strip().splitlines()[-1])


def counts(line):
    words = line.replace(",", "").split()
    return {word: int(number) for number, word in zip(words, words[1:]) if number.isdigit()}


def test_scipy(tmp_path):
    pytest.importorskip("scipy")
    result = run("scipy.fft.tests", "as_scipy", tmp_path)
    assert result["passed"] > 1000 and result["deselected"] == len(SCIPY)


def test_numpy(tmp_path):
    result = run("numpy.fft.tests", "as_numpy", tmp_path)
    assert result["passed"] > 100 and result["deselected"] == len(NUMPY)
