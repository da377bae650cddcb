"""Transforms over ranks: threads here, processes where mpi4py and an mpiexec are there."""

import os
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
from mmafft import distributed


def on_threads(ranks, work, **options):
    results = [None] * ranks

    def one(group):
        try:
            results[group.rank] = work(group)
        except Exception as error:
            results[group.rank] = error

    threads = [threading.Thread(target=one, args=(g,)) for g in distributed.threads(ranks, **options)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def check(group, function, expected, x, shape, **options):
    fft = distributed.plan(function, shape, group, dtype=x.dtype, **options)
    y = fft(x[fft.input_slices])
    np.testing.assert_allclose(y, expected[fft.output_slices], atol=1e-10)
    return fft


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_as_numpy(ranks):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((7, 6, 10))
    z = x + 1j * rng.standard_normal(x.shape)
    spectrum, half = np.fft.fftn(z), np.fft.rfftn(x)

    def work(group):
        fft = check(group, "fftn", spectrum, z, x.shape)
        assert "ranks" in fft.explain() or ranks == 1
        check(group, "ifftn", z, spectrum, x.shape)
        check(group, "rfftn", half, x, x.shape)
        check(group, "irfftn", x, half, x.shape)
        check(group, "fftn", spectrum, z, x.shape, input=0, output=0)
        check(group, "fftn", np.fft.fftn(z, norm="forward"), z, x.shape, norm="forward")
        check(group, "fftn", np.fft.fftn(z, axes=(0, 2), norm="ortho"), z, x.shape, axes=(0, -1), norm="ortho")

    assert on_threads(ranks, work) == [None] * ranks


def test_errors_are_on_all_ranks():
    def other_shape(group):
        distributed.plan("fftn", (4, 4 + group.rank), group)

    assert all(isinstance(e, RuntimeError) for e in on_threads(2, other_shape))

    def short(group):
        fft = distributed.plan("fftn", (4, 6), group)
        fft(fft.empty()[group.rank :])

    errors = on_threads(2, short)
    assert isinstance(errors[1], ValueError) and isinstance(errors[0], RuntimeError)
    assert "rank 1" in str(errors[0])

    wrong = [
        (ValueError, 0, lambda fft: fft(x := fft.empty(), out=x)),
        (TypeError, 0, lambda fft: fft(fft.empty(), out=[])),
        (ValueError, 1, lambda fft: fft([[1], [2, 3]])),
        # Rank 2 has nothing of the array.
        (TypeError, 2, lambda fft: fft(fft.empty() + 1j)),
    ]
    for kind, rank, call in wrong:

        def one_is_wrong(group, rank=rank, call=call):
            fft = distributed.plan("dhtn", (2, 6), group, axes=(1,), input=0, output=0)
            return call(fft) if group.rank == rank else fft(fft.empty())

        errors = on_threads(3, one_is_wrong)
        assert [type(e) for e in errors] == [kind if r == rank else RuntimeError for r in range(3)]

    def stalls(group):
        if group.rank == 0:
            distributed.plan("fftn", (4, 6), group)

    errors = on_threads(2, stalls, patience=0.2)
    assert isinstance(errors[0], TimeoutError)


def test_processes():
    """As many processes as mpiexec starts, by the group of all."""
    if shutil.which("mpiexec") is None:
        pytest.skip("needs an MPI: mpiexec is not in the path")
    program = (
        "import numpy as np; from mmafft import distributed; g = distributed.Group(patience=30);"
        "x = np.arange(80.0).reshape(8, 10); f = distributed.plan('rfftn', x.shape, g);"
        "np.testing.assert_allclose(f(x[f.input_slices]), np.fft.rfftn(x)[f.output_slices], atol=1e-9);"
        "print('well', g.size)"
    )
    more = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    command = ["mpiexec", "-n", "2", sys.executable, "-c", program]
    done = subprocess.run(command, env={**os.environ, **more}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.count("well") == 2, done.stdout + done.stderr
