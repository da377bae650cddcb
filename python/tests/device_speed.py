"""Calls of mmafft beside `torch.fft` and `cupy.fft` on an NVIDIA device: `python tests/device_speed.py`.

Times are of the device, the median of several turns in which all libraries run one after another on the same tensor.
The last lines are what one call of a small transform takes the caller, in microseconds of the host.
"""

import argparse
import math
import time

import mmafft
import mmafft.torch
import torch

LENGTHS = [64, 128, 256, 512, 1024, 2048, 4096, 8192]


def device_times(functions, turns=9):
    """The median milliseconds of each."""
    times = [[] for _ in functions]
    for turn in range(turns):
        for function, own in zip(functions, times):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            function()
            end.record()
            end.synchronize()
            if turn > 1:
                own.append(start.elapsed_time(end))
    return [sorted(own)[len(own) // 2] for own in times]


def by_cupy(name, x):
    """CuPy's function on the same memory."""
    import cupy

    y = cupy.from_dlpack(x)
    return lambda: getattr(cupy.fft, name)(y)


def compare(name, points, peers):
    ratios = {peer: [] for peer in peers}
    for n in LENGTHS:
        length = n // 2 + 1 if name == "irfft" else n
        x = torch.randn((points // n, length), dtype=torch.complex64, device="cuda")
        if name == "rfft":
            x = torch.randn((points // n, n), device="cuda")
        functions = [lambda x=x: getattr(mmafft.fft, name)(x)]
        functions += [lambda x=x: getattr(torch.fft, name)(x)]
        if "cupy" in peers:
            functions.append(by_cupy(name, x))
        ours, *theirs = device_times(functions)
        line = f"{name:6} {n:6} mmafft {ours:8.3f} ms"
        for peer, their in zip(peers, theirs):
            ratios[peer].append(their / ours)
            line += f"  {peer} {their:8.3f} ms ({their / ours:.2f})"
        print(line, flush=True)
        del x, functions
    for peer, own in ratios.items():
        print(f"# {name} beside {peer}: mean {math.exp(sum(map(math.log, own)) / len(own)):.2f}, least {min(own):.2f}")


def host_time(function, calls=2000):
    for _ in range(100):
        function()
    torch.cuda.synchronize()
    best = math.inf
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        best = min(best, (time.perf_counter() - start) / calls)
        torch.cuda.synchronize()
    return 1e6 * best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gibibytes", type=float, default=1.0)
    given = parser.parse_args()
    points = int(given.gibibytes * 2**30) // 8
    try:
        import cupy  # noqa: F401

        peers = ["torch", "cupy"]
    except ImportError:
        peers = ["torch"]
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__, "mmafft", mmafft.__version__)
    for name in ("fft", "ifft", "rfft", "irfft"):
        compare(name, points, peers)
    x = torch.randn(64, dtype=torch.complex64, device="cuda")
    plan = mmafft.plan(x)
    own = torch.fft.fft
    rows = [("torch.fft.fft", lambda: own(x)), ("mmafft.fft.fft", lambda: mmafft.fft.fft(x)), ("plan", lambda: plan(x))]
    rows += [("mmafft.torch.fft", lambda: mmafft.torch.fft(x))]
    if "cupy" in peers:
        rows.append(("cupy.fft.fft", by_cupy("fft", x)))
    for name, function in rows:
        print(f"# one call of 64 points: {name:18} {host_time(function):6.1f} us")
    with mmafft.torch.patch():
        print(f"# one call of 64 points: {'torch.fft, patched':18} {host_time(lambda: own(x)):6.1f} us")


if __name__ == "__main__":
    main()
