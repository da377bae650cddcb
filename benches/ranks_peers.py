#!/usr/bin/env python3
"""What others take for transforms over several GPUs of one host: cuFFT's own, and cuFFT with NCCL.

    benches/ranks_peers.py GPUS CSV     rows: case, peer, GPUs, milliseconds

- `cufftXt`: in place, its output permuted, by ctypes: the library is CUDA's or the one of PyTorch.
- `cufft+nccl`: PyTorch, a process a GPU: cuFFT along the axes that a rank has whole, a copy that packs, NCCL's all-to-all
  (`all_to_all_single`, grouped sends and receives), and cuFFT along the last axis. Blocks arrive in order, so that nothing
  is unpacked. The transform of slabs in and transposed slabs out, as ours.
- `copies`: every GPU copies half of 2 GiB to the others by the copy engine at once; the row says GB/s a GPU.

It takes PyTorch with CUDA and NCCL, and nothing else. NVLS is left off.
"""

import ctypes
import csv
import glob
import os
import statistics
import sys
import time

os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", "29517")

import torch  # noqa: E402

RUNS = 15
# Shapes, and whether each point is of double precision.
CASES = [
    ((256, 256, 256), False), ((256, 256, 256), True),
    ((512, 512, 512), False), ((512, 512, 512), True),
    ((1024, 1024, 1024), False), ((1024, 1024, 1024), True),
    ((1024, 1024, 512), False), ((1080, 1920, 512), False), ((1000, 1000, 1000), False),
    ((16384, 16384), False), ((32768, 32768), False),
]  # fmt: skip
COMPLEX = {False: (0x29, torch.complex64, 8), True: (0x69, torch.complex128, 16)}


def name(shape, double):
    return "x".join(map(str, shape)) + (",f64" if double else ",f32")


def fits(shape, double, gpus, arrays):
    points = 1
    for n in shape:
        points *= n
    return points * COMPLEX[double][2] / gpus * arrays < 0.9 * torch.cuda.get_device_properties(0).total_memory


def library(stem):
    """A library of CUDA's: the one that PyTorch has opened or brings, else the system's."""
    root = os.path.dirname(torch.__file__)
    places = glob.glob(f"{root}/../nvidia/*/lib/lib{stem}.so*") + glob.glob(f"/usr/local/cuda*/lib64/lib{stem}.so*")
    for path in sorted(places) + [f"lib{stem}.so"]:
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise OSError(f"lib{stem}.so was not found")


class Memory(ctypes.Structure):
    """`cudaXtDesc`."""

    _fields_ = [
        ("version", ctypes.c_int), ("count", ctypes.c_int), ("gpus", ctypes.c_int * 64),
        ("data", ctypes.c_void_p * 64), ("size", ctypes.c_size_t * 64), ("state", ctypes.c_void_p),
    ]  # fmt: skip


class Descriptor(ctypes.Structure):
    """`cudaLibXtDesc`."""

    _fields_ = [
        ("version", ctypes.c_int), ("memory", ctypes.POINTER(Memory)), ("library", ctypes.c_int),
        ("format", ctypes.c_int), ("own", ctypes.c_void_p),
    ]  # fmt: skip


def check(status, what):
    if status:
        raise RuntimeError(f"{what}: {status}")


def synchronize(gpus):
    for gpu in range(gpus):
        torch.cuda.synchronize(gpu)


def cufft_xt(shape, double, gpus):
    """The median of milliseconds of a run."""
    cufft, cudart = library("cufft"), library("cudart")
    plan, size = ctypes.c_int(), (ctypes.c_size_t * 64)()
    check(cufft.cufftCreate(ctypes.byref(plan)), "cufftCreate")
    try:
        check(cufft.cufftXtSetGPUs(plan, gpus, (ctypes.c_int * gpus)(*range(gpus))), "cufftXtSetGPUs")
        make = {2: cufft.cufftMakePlan2d, 3: cufft.cufftMakePlan3d}[len(shape)]
        check(make(plan, *shape, COMPLEX[double][0], size), "cufftMakePlan")
        descriptor = ctypes.POINTER(Descriptor)()
        # CUFFT_XT_FORMAT_INPLACE
        check(cufft.cufftXtMalloc(plan, ctypes.byref(descriptor), 2), "cufftXtMalloc")
        try:
            memory = descriptor.contents.memory.contents
            for i in range(memory.count):
                with torch.cuda.device(memory.gpus[i]):
                    noise = torch.randn(1 << 22, device=memory.gpus[i])
                    bytes_ = 4 << 22
                    for at in range(0, memory.size[i], bytes_):
                        count = min(bytes_, memory.size[i] - at)
                        to, source = memory.data[i] + at, noise.data_ptr()
                        # cudaMemcpyDeviceToDevice
                        check(cudart.cudaMemcpy(ctypes.c_void_p(to), ctypes.c_void_p(source), ctypes.c_size_t(count), 3), "cudaMemcpy")
            run = cufft.cufftXtExecDescriptorZ2Z if double else cufft.cufftXtExecDescriptorC2C
            times = []
            for i in range(RUNS + 3):
                synchronize(gpus)
                since = time.perf_counter()
                # Forward and back in turn: numbers grow by the number of points in two runs.
                check(run(plan, descriptor, descriptor, 1 if i % 2 else -1), "cufftXtExecDescriptor")
                synchronize(gpus)
                times.append((time.perf_counter() - since) * 1e3)
            return statistics.median(times[3:])
        finally:
            cufft.cufftXtFree(descriptor)
    finally:
        cufft.cufftDestroy(plan)


def cufft_nccl(rank, gpus, cases, results):
    """A process of a GPU: the medians of all cases, by rank 0."""
    import torch.distributed as dist

    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=gpus, device_id=torch.device("cuda", rank))
    rows = []
    for shape, double in cases:
        n0, n1 = shape[0] // gpus, shape[1] // gpus
        rest = shape[2:]
        x = torch.randn(n0, *shape[1:], dtype=COMPLEX[double][1], device=rank)
        sent = torch.empty(gpus, n0, n1, *rest, dtype=x.dtype, device=rank)
        came = torch.empty_like(sent)

        def run(x=x, sent=sent, came=came, shape=shape, n0=n0, n1=n1, rest=rest):
            y = torch.fft.fftn(x, dim=tuple(range(1, len(shape))))
            sent.copy_(y.view(n0, gpus, n1, *rest).transpose(0, 1))
            del y
            dist.all_to_all_single(came, sent)
            return torch.fft.fft(came.view(shape[0], n1, *rest), dim=0)

        times = []
        for _ in range(RUNS + 3):
            torch.cuda.synchronize()
            dist.barrier()
            torch.cuda.synchronize()
            since = time.perf_counter()
            run()
            torch.cuda.synchronize()
            times.append((time.perf_counter() - since) * 1e3)
        slowest = torch.tensor(statistics.median(times[3:]), device=rank)
        dist.all_reduce(slowest, dist.ReduceOp.MAX)
        rows.append((name(shape, double), "cufft+nccl", gpus, round(slowest.item(), 4)))
        del x, sent, came
        torch.cuda.empty_cache()
    if rank == 0:
        results.put(rows)
    dist.destroy_process_group()


def copies(gpus, gib=2):
    """GB/s that each GPU sends while all copy to all."""
    bytes_ = gib << 30
    part = bytes_ // gpus
    full = [torch.empty(bytes_, dtype=torch.uint8, device=gpu) for gpu in range(gpus)]
    there = [torch.empty(bytes_, dtype=torch.uint8, device=gpu) for gpu in range(gpus)]
    streams = {(a, b): torch.cuda.Stream(a) for a in range(gpus) for b in range(gpus) if a != b}
    times = []
    for _ in range(RUNS):
        synchronize(gpus)
        since = time.perf_counter()
        for step in range(1, gpus):
            for a in range(gpus):
                b = (a + step) % gpus
                with torch.cuda.stream(streams[a, b]):
                    to = there[b][a * part : (a + 1) * part]
                    to.copy_(full[a][b * part : (b + 1) * part], non_blocking=True)
        synchronize(gpus)
        times.append(time.perf_counter() - since)
    return part * (gpus - 1) / statistics.median(times) / 1e9


def main():
    gpus, path = int(sys.argv[1]), sys.argv[2]
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["shape", "precision", "peer", "gpus", "ms"])

        def row(case, *rest):
            rows.writerow([*case.split(","), *rest])
            file.flush()
            print(*case.split(","), *rest, flush=True)

        row("GB/s a GPU,bytes", "copies", gpus, round(copies(gpus), 1))
        torch.cuda.empty_cache()
        for shape, double in CASES:
            if fits(shape, double, gpus, 2):
                try:
                    row(name(shape, double), "cufftXt", gpus, round(cufft_xt(shape, double, gpus), 4))
                except (RuntimeError, OSError) as error:
                    row(name(shape, double), "cufftXt", gpus, f"failed: {error}")
        torch.cuda.empty_cache()
        even = [(s, d) for s, d in CASES if s[0] % gpus == 0 and s[1] % gpus == 0 and fits(s, d, gpus, 6)]
        import torch.multiprocessing as processes

        results = processes.get_context("spawn").Queue()
        context = processes.spawn(cufft_nccl, (gpus, even, results), nprocs=gpus, join=False)
        while not context.join(timeout=5):
            pass
        for case, *rest in results.get(timeout=5):
            row(case, *rest)


if __name__ == "__main__":
    main()
