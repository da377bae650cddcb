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


def test_devices():
    """Ranks on emulated devices that store to each other, of NumPy's arrays and of arrays where they lie."""
    fakes = pytest.importorskip("fakes")
    rng = np.random.default_rng(5)
    z = (rng.standard_normal((6, 5, 8)) + 1j * rng.standard_normal((6, 5, 8))).astype(np.complex64)
    expected = np.fft.fftn(z)

    def work(group):
        device = f"emulated-nvidia:{group.rank}"
        fft = distributed.plan("fftn", z.shape, group, dtype=z.dtype, device=device)
        assert "to the devices of all ranks" in fft.explain()
        part, right = np.ascontiguousarray(z[fft.input_slices]), expected[fft.output_slices]
        np.testing.assert_allclose(fft(part), right, atol=1e-3)
        there = fft(fakes.FakeArray(part))
        assert isinstance(there, fakes.FakeArray)
        np.testing.assert_allclose(there.host, right, atol=1e-3)
        with pytest.raises(RuntimeError, match="100"):
            distributed.plan("fftn", (4, 4), group, dtype=z.dtype, device=("emulated-nvidia", 100))

    results = on_threads(3, work)
    if any("emulate" in str(error) and "feature" in str(error) for error in results):
        pytest.skip("needs a build with the feature emulate")
    assert results == [None] * 3


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    z = torch.randn(6, 4, 8, dtype=torch.complex128)
    expected = torch.fft.fftn(z)

    def work(group):
        fft = distributed.plan("fftn", z.shape, group, dtype=np.complex128)
        y = fft(z[fft.input_slices])
        assert isinstance(y, torch.Tensor)
        torch.testing.assert_close(y, expected[fft.output_slices])
        out = torch.empty_like(y)
        assert fft(z[fft.input_slices], out=out) is out
        torch.testing.assert_close(out, y)

    assert on_threads(2, work) == [None] * 2

    def one_is_wrong(group):
        fft = distributed.plan("fftn", z.shape, group, dtype=np.complex128)
        part = z[fft.input_slices]
        fft(part.to(torch.complex64) if group.rank else part)

    errors = on_threads(2, one_is_wrong)
    assert isinstance(errors[1], TypeError) and isinstance(errors[0], RuntimeError)


GLOO = """
import datetime, sys, numpy as np, torch, torch.distributed as dist
from mmafft import distributed
rank, path = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
g = distributed.Group(dist.group.WORLD, patience=5)
assert (g.rank, g.size, g.engine) == (rank, 2, "PyTorch's gloo"), g
x = torch.arange(8 * 9 * 5, dtype=torch.float64).reshape(8, 9, 5)
f = distributed.plan("rfftn", x.shape, g)
assert "gloo carries messages" in f.explain(), f.explain()
torch.testing.assert_close(f(x[f.input_slices]), torch.fft.rfftn(x)[f.output_slices], atol=1e-8, rtol=0)
y = torch.arange(4000, dtype=torch.float64).to(torch.complex128).reshape(40, 100)
f = distributed.plan("fftn", y.shape, g, dtype="complex128", input=0, output=0)
torch.testing.assert_close(f(y[f.input_slices]), torch.fft.fftn(y)[f.output_slices], atol=1e-5, rtol=0)
try:
    distributed.plan("fftn", (4 + rank, 4), g)
except RuntimeError as error:
    assert "rank" in str(error)
else:
    raise AssertionError("other shapes")
if rank == 0:
    try:
        f(y[f.input_slices])
    except TimeoutError:
        print("well")
else:
    import time; time.sleep(8)
print("well", flush=True)
import os; os._exit(0)
"""


def test_process_groups_of_torch(tmp_path):
    """Two processes of PyTorch's Gloo, of which one does not come in the end."""
    torch = pytest.importorskip("torch")
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("needs PyTorch's Gloo")
    command = [sys.executable, "-c", GLOO]
    ends = [
        subprocess.Popen([*command, str(rank), str(tmp_path / "store")], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for rank in range(2)
    ]
    said = [end.communicate(timeout=120) for end in ends]
    assert [out.count(b"well") for out, _ in said] == [2, 1], said


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
