"""Plans as objects, and the program."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import mmafft
import numpy as np
import pytest


def test_a_plan():
    x = np.ones((8, 1000), np.float32)
    for like in [x, x.shape]:
        plan = mmafft.plan(like, "rfft", n=1024, norm="ortho")
        assert "1024" in plan.explain() and 0 < plan.error_bound < 1e-6
        assert plan.scratch_bytes >= 0 and "rfft" in repr(plan)
        assert np.array_equal(plan(x), mmafft.fft.rfft(x, 1024, norm="ortho"))
        out = np.empty((8, 513), np.complex64)
        assert plan(x, out=out) is out
        assert np.array_equal(mmafft.fft.rfft(x, 1024, norm="ortho", plan=plan), out)
    with pytest.raises(ValueError, match="shape"):
        plan(x[:3])
    with pytest.raises(TypeError, match="dtype"):
        plan(x.astype(np.float64))
    with pytest.raises(ValueError, match="stream"):
        plan(x, stream=0)
    with pytest.raises(ValueError, match="does not do"):
        mmafft.fft.fft(x, plan=plan)


@pytest.mark.parametrize("name", [n for n in mmafft.fft.__all__ if n.rstrip("2n").endswith(("fft", "ct", "st"))])
def test_every_function_has_a_plan(name):
    real = name.rstrip("2n") not in ("fft", "ifft", "irfft", "hfft")
    x = np.ones((6, 5), np.float32 if real else np.complex64)
    plan = mmafft.plan(x, name)
    assert np.array_equal(plan(x), getattr(mmafft.fft, name)(x))


def test_plans_in_error():
    for name in ["fftshift", "nothing", "set_workers"]:
        with pytest.raises(ValueError, match="no transform"):
            mmafft.plan(8, name)
    with pytest.raises(ValueError, match="data points"):
        mmafft.plan(8, n=0)
    with pytest.raises(TypeError):
        mmafft.plan(8, unknown=3)


def test_the_cache_is_bounded():
    mmafft.clear_cache()
    assert mmafft._core.cached() == 0
    for n in range(100, 400):
        mmafft.fft.fft(np.ones(n, np.complex64))
    assert 0 < mmafft._core.cached() <= 128
    mmafft.clear_cache()


def test_info():
    text = subprocess.run([sys.executable, "-m", "mmafft", "info"], capture_output=True, text=True, check=True)
    assert "mmafft" in text.stdout and "cpu:" in text.stdout


@pytest.mark.parametrize("stub", ["fft.pyi", "_core.pyi", "jax.pyi", "torch/__init__.pyi"])
def test_stubs_are_as_the_functions(stub):
    name = stub.split(".")[0].split("/")[0]
    if name in ("jax", "torch"):
        pytest.importorskip(name)
    module = importlib.import_module(f"mmafft.{name}")
    tree = ast.parse((Path(mmafft.__file__).parent / stub).read_text())
    stubs = {f.name: f.args for f in tree.body if isinstance(f, ast.FunctionDef)}
    classes = {c.name for c in tree.body if isinstance(c, ast.ClassDef) and not c.name.startswith("_")}
    public = getattr(module, "__all__", [n for n in dir(module) if not n.startswith("__")])
    assert {*stubs, *classes} == set(public)
    for name, args in stubs.items():
        own = inspect.signature(getattr(module, name)).parameters
        named = [a.arg for a in args.args + args.kwonlyargs] + ([args.kwarg.arg] if args.kwarg else [])
        assert named == list(own), name


def test_types_are_what_a_checker_sees(tmp_path):
    pytest.importorskip("mypy")
    sample = Path(__file__).parent / "typed.py"
    # From elsewhere, as a user's program has the installed package.
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(sample)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
