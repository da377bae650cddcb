"""Many threads on one plan, many shapes at once, `fork`, and the interpreter's end."""

import os
import subprocess
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor

import mmafft
import numpy as np
import pytest
import scipy.fft

RNG = np.random.default_rng(8)


def numbers(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


@pytest.mark.parametrize("shape", [(64,), (5000,), (32, 4096)])
def test_eight_threads_on_one_plan(shape):
    arrays = [numbers(*shape) for _ in range(8)]
    plan = mmafft.plan(arrays[0], workers=2)
    expected = [plan(x) for x in arrays]
    start = threading.Barrier(8)

    def work(i):
        start.wait()
        return all(np.array_equal(plan(arrays[i]), expected[i]) for _ in range(20))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_many_shapes_at_once():
    mmafft.clear_cache()
    arrays = [numbers(3, n) for n in range(900, 932)]
    start = threading.Barrier(32)

    def work(x):
        start.wait()
        return mmafft.fft.fft(x), mmafft.fft.irfft(x), mmafft.fft.dctn(x.real)

    with ThreadPoolExecutor(32) as pool:
        for x, (y, z, c) in zip(arrays, pool.map(work, arrays)):
            assert np.allclose(y, scipy.fft.fft(x), atol=1e-10)
            assert np.allclose(z, scipy.fft.irfft(x), atol=1e-10)
            assert np.allclose(c, scipy.fft.dctn(x.real), atol=1e-9)


@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="there is no lock here")
def test_the_lock_is_free_while_running():
    # Another thread counts while a long transform runs; it could not if the lock were held.
    x = numbers(1 << 21)
    mmafft.fft.fft(x)
    ticks, done = 0, threading.Event()

    def run():
        mmafft.fft.fft(x)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        ticks += 1
        done.wait(0.0005)
    thread.join()
    assert ticks > 3


def test_the_lock_stays_off():
    # Importing an extension that wants the lock would bring it back.
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("Python with the lock")
    assert not sys._is_gil_enabled()


def test_workers_of_a_thread_are_its_own():
    seen = []
    with mmafft.fft.set_workers(2):
        thread = threading.Thread(target=lambda: seen.append(mmafft.fft.get_workers()))
        thread.start()
        thread.join()
    assert seen == [1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_fork():
    x = numbers(8, 1 << 14)
    plan = mmafft.plan(x, workers=2)
    expected = plan(x)
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            mmafft.fft.fft(x, workers=2)

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                same = np.array_equal(plan(x), expected) and mmafft._core.cached() == 1
                os._exit(0 if same else 1)
            assert wait(child) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def wait(child, seconds=60):
    """The exit status of a child, which is ended where it hangs."""
    timer = threading.Timer(seconds, os.kill, (child, 9))
    timer.start()
    _, status = os.waitpid(child, 0)
    timer.cancel()
    return status


EXITS = {
    "while daemons work": """
        def work():
            while True:
                mmafft.fft.fft(x, workers=2)
        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        mmafft.fft.fft(x)
    """,
    "at exit": """
        import atexit
        atexit.register(lambda: mmafft.fft.fft(x, workers=2))
    """,
    "as objects go": """
        class Last:
            def __del__(self, fft=mmafft.fft.fft, x=x):
                fft(x)
        keep = Last()
        plan = mmafft.plan(x)
        plan(x)
    """,
}


@pytest.mark.parametrize("case", EXITS)
def test_the_interpreter_ends(case):
    import textwrap

    head = "import threading, numpy as np, mmafft\nx = np.ones((4, 1 << 15), complex)\n"
    code = head + textwrap.dedent(EXITS[case])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
