"""One transform over many ranks: processes of mpi4py, of mpiexec or of PyTorch, or threads.

    from mpi4py import MPI
    from mmafft import distributed

    group = distributed.Group(MPI.COMM_WORLD)
    fft = distributed.plan("fftn", (1024, 1024, 1024), group, dtype="complex64")
    x = fft.empty()                      # this rank's part: a slab of axis 0
    x[...] = field[fft.input_slices]     # of an array that has all
    y = fft(x)                           # a slab of axis 1: spectrum[fft.output_slices]

Planning and calling are collective: every rank does both, and every rank gets a result, or every rank an error. A part
is an array in rows. On a device (`device=("cuda", 0)`, or a group of NCCL's) it is PyTorch's or CuPy's where it lies, and
NumPy's through copies.
"""

import ctypes
import datetime
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _core
from ._others import find_compiler, library_of

__all__ = ["Group", "plan", "threads"]

# Kind, whether it is the inverse of c2c, and whether input and output are complex.
_FUNCTIONS = {
    "fftn": ("c2c", False, True, True),
    "ifftn": ("c2c", True, True, True),
    "rfftn": ("r2c", False, False, True),
    "irfftn": ("c2r", False, True, False),
    "dhtn": ("dht", False, False, False),
    **{f"dctn{i}": (f"dct{i}", False, False, False) for i in (1, 2, 3, 4)},
    **{f"dstn{i}": (f"dst{i}", False, False, False) for i in (1, 2, 3, 4)},
}
_PRECISIONS = {"f": "f32", "d": "f64", "F": "f32", "D": "f64"}


class Group:
    """The ranks of a communicator of mpi4py's or of a process group of PyTorch's, or all that mpiexec started.

    A communicator is duplicated, so that messages never mix. Of a process group of NCCL's another communicator of NCCL's is
    made, on `device` (PyTorch's current one); of any other one, as Gloo's, messages go through the host. A rank that does
    not come within `patience` seconds is lost: every call raises `TimeoutError` from then on.
    """

    rank: int
    size: int
    engine: str

    def __init__(self, communicator: Any = None, *, device: Any = None, patience: float = 60.0) -> None:
        self._messages, self._device = None, None
        if _is_torch(communicator):
            self._set(_of_torch(self, communicator, device, patience))
            return
        if device is not None:
            raise ValueError("a device is of a process group of PyTorch's NCCL: give others' to distributed.plan")
        handle = None
        if communicator is not None:
            from mpi4py import MPI

            address = MPI._addressof(communicator)
            handle = ctypes.c_void_p.from_address(address).value
        self._set(_core.Group.mpi(handle, patience))

    def _set(self, group):
        self._group = group
        self.rank, self.size, self.engine = group.station()

    def __repr__(self):
        return f"<mmafft.distributed.Group: rank {self.rank} of {self.size}, {self.engine}>"


def _is_torch(communicator):
    torch = sys.modules.get("torch")
    available = torch is not None and torch.distributed.is_available()
    return available and isinstance(communicator, torch.distributed.ProcessGroup)


def _device(device):
    """A backend's name and a number: `("cuda", 1)`, `"cuda:1"`, `torch.device("cuda", 1)`, or a number of CUDA's."""
    if device is None or isinstance(device, tuple):
        return device
    if isinstance(device, int):
        return ("cuda", device)
    name, _, number = str(device).partition(":")
    return (name, int(number or 0))


def _of_torch(group, process_group, device, patience):
    """A group of the ranks of a process group of PyTorch's."""
    import torch
    import torch.distributed as dist

    rank, ranks = dist.get_rank(process_group), dist.get_world_size(process_group)
    name = dist.get_backend(process_group)
    device = _device(device)
    # PyTorch's own choice, where none was made, is both: Gloo on the host and NCCL on GPUs.
    if "nccl" not in name or not torch.cuda.is_available() or device == ("cpu", 0):
        if device not in (None, ("cpu", 0)):
            raise ValueError(f"messages of {name} go through the host: give the device to distributed.plan")
        group._messages = _Messages(process_group)
        agree, exchange = group._messages.agree, group._messages.exchange
        return _core.Group.joined((rank, ranks), f"PyTorch's {name}", agree, exchange, patience)
    device = group._device = device or ("cuda", torch.cuda.current_device())
    find_compiler()
    said = [None]
    if rank == 0:
        try:
            said = [_core.Group.nccl_id(device)]
        except Exception as error:
            said = [str(error)]
    root, there = dist.get_global_rank(process_group, 0), torch.device(*device)
    dist.broadcast_object_list(said, src=root, group=process_group, device=there)
    if isinstance(said[0], str):
        raise RuntimeError(f"rank 0: {said[0]}")
    return _core.Group.nccl(device, said[0], rank, ranks, patience)


class _Messages:
    """What a process group of PyTorch's carries of bytes in host memory."""

    # What a rank says in one go: a length, and so many bytes at most.
    CARD = 512

    def __init__(self, process_group):
        import torch
        import torch.distributed as dist

        self.torch, self.dist, self.group = torch, dist, process_group
        self.ranks = dist.get_world_size(process_group)

    def _wait(self, work, seconds):
        work.wait(datetime.timedelta(seconds=max(seconds, 0.001)))

    def _gather(self, mine, size, seconds):
        card = self.torch.zeros(size, dtype=self.torch.uint8)
        card[:8] = self.torch.frombuffer(bytearray(len(mine).to_bytes(8, "little")), dtype=self.torch.uint8)
        rest = mine[: size - 8]
        if rest:
            card[8 : 8 + len(rest)] = self.torch.frombuffer(bytearray(rest), dtype=self.torch.uint8)
        cards = [self.torch.empty_like(card) for _ in range(self.ranks)]
        self._wait(self.dist.all_gather(cards, card, group=self.group, async_op=True), seconds)
        cards = [card.numpy().tobytes() for card in cards]
        return cards, [int.from_bytes(card[:8], "little") for card in cards]

    def agree(self, mine, seconds):
        cards, lengths = self._gather(mine, self.CARD, seconds)
        if max(lengths) > self.CARD - 8:
            cards, lengths = self._gather(mine, max(lengths) + 8, seconds)
        return [card[8 : 8 + length] for card, length in zip(cards, lengths)]

    def exchange(self, sent, to, received, come, seconds):
        def tensor(address, count):
            if count == 0:
                return self.torch.empty(0, dtype=self.torch.uint8)
            return self.torch.frombuffer((ctypes.c_uint8 * count).from_address(address), dtype=self.torch.uint8)

        sent, received = tensor(sent, sum(to)), tensor(received, sum(come))
        # Bytes on their way are no rank that is late.
        seconds += (sent.numel() + received.numel()) / 1e8
        work = self.dist.all_to_all_single(received, sent, come, to, group=self.group, async_op=True)
        self._wait(work, seconds)


def threads(ranks: int, *, patience: float = 60.0) -> list[Group]:
    """Groups of as many ranks as threads of this process, one for each."""
    groups = []
    for group in _core.Group.threads(ranks, patience):
        one = Group.__new__(Group)
        one._messages, one._device = None, None
        one._set(group)
        groups.append(one)
    return groups


def _named(spread):
    """A spread: the number of an axis, `"batch"`, `"scrambled"`, or the ranks along each axis."""
    if spread is None:
        return None
    if isinstance(spread, str):
        return (spread, [])
    if isinstance(spread, int):
        return ("slab", [spread])
    return ("grid", list(spread))


class Plan:
    """A transform over the ranks of a group, made by :func:`plan`.

    ``input_slices`` and ``output_slices`` say which part of the whole arrays this rank has, ``input_shape`` and
    ``output_shape`` how large it is.
    """

    def __init__(self, function, shape, group, dtype, axes, norm, spreads, workers, device):
        kind, inverse, *complexes = _FUNCTIONS[function]
        char = np.dtype(dtype).char
        if char not in _PRECISIONS:
            raise TypeError(f"ranks transform single and double precision, not {np.dtype(dtype)}")
        real = "f" if char in "fF" else "d"
        self._dtypes = [np.dtype(real.upper() if is_complex else real) for is_complex in complexes]
        axes = range(len(shape)) if axes is None else [range(len(shape))[axis] for axis in axes]
        norm = {"backward": "backward", "forward": "forward", "ortho": "ortho", None: "backward"}[norm]
        if norm != "ortho" and inverse | (kind == "c2r"):
            # NumPy's words are of the forward transform.
            norm = {"backward": "backward", "forward": "none"}[norm]
        elif norm == "backward":
            norm = "none"
        device = _device(device)
        if device is not None and device[0] == "cuda":
            find_compiler()
        self._plan = _core.Distributed(
            group._group, kind, inverse, list(shape), list(axes), norm, _PRECISIONS[char],
            (_named(spreads[0]), _named(spreads[1])), workers, device,
        )  # fmt: skip
        self._device = device or group._device
        self.function, self.shape, self.group = function, tuple(shape), group
        self.error_bound = self._plan.error_bound()
        self.input_slices, self.output_slices = (
            tuple(slice(*ends) for ends in part) for part in self._plan.parts()
        )
        self.input_shape, self.output_shape = (
            tuple(s.stop - s.start for s in part) for part in (self.input_slices, self.output_slices)
        )

    def explain(self) -> str:
        """What each stage does, and what is exchanged between, as text."""
        return self._plan.explain()

    def empty(self) -> NDArray[Any]:
        """An array for this rank's part of the input."""
        return np.empty(self.input_shape, self._dtypes[0])

    def _checked(self, x, out):
        """Both sides as the run takes them: arrays in rows of their types, apart from each other."""
        taken, given = self._dtypes
        x = np.asarray(x)
        if not np.can_cast(x.dtype, taken, "same_kind"):
            raise TypeError(f"{self.function} takes {taken}, and {x.dtype} would lose what that has not")
        x = np.ascontiguousarray(x, taken)
        if out is None:
            out = np.empty(self.output_shape, given)
        if not isinstance(out, np.ndarray):
            raise TypeError(f"`out` is an array of NumPy's, not {type(out).__name__}")
        right = x.shape == self.input_shape and out.shape == self.output_shape
        if not (right and out.dtype == given and out.flags.carray):
            raise ValueError(
                f"expected {taken} {self.input_shape} and for `out` {given} {self.output_shape} in rows, "
                f"got {x.shape} and {out.dtype} {out.shape}"
            )
        if np.may_share_memory(x, out):
            raise ValueError("`out` shares memory with the input: no transform over ranks is in place")
        return x, out

    def _checked_there(self, library, x, out):
        """The same of arrays of PyTorch, CuPy and others, on a device or not."""
        taken, given = (
            next(own for own, named in library.types.items() if named == (_PRECISIONS[d.char], d.kind == "c"))
            for d in self._dtypes
        )
        if x.dtype != taken:
            raise TypeError(f"{self.function} takes {taken}, not {x.dtype}")
        if tuple(x.shape) != self.input_shape:
            raise ValueError(f"expected {self.input_shape}, got {tuple(x.shape)}")
        if out is None:
            out = library.empty(self.output_shape, given)
        library.check_out(out, self.output_shape, given)
        if not self._in_rows(library, x):
            x = library.copy(x)
        if not self._in_rows(library, out):
            raise ValueError("`out` is expected in rows")
        if library.may_share(x, out):
            raise ValueError("`out` shares memory with the input: no transform over ranks is in place")
        return x, out

    @staticmethod
    def _in_rows(library, x):
        raw = library.raw(x)
        if raw is None:
            return False
        stride = 1
        for n, step in zip(reversed(raw[1]), reversed(raw[2])):
            if n > 1 and step != stride:
                return False
            stride *= n
        return True

    def __call__(self, x: Any, out: Any = None) -> Any:
        """Transforms this rank's part of the input into its part of the output."""
        wrong, stream = None, None
        try:
            library = library_of(x)
            if library is None:
                x, out = self._checked(x, out)
                sides = [(a.ctypes.data, a.nbytes) for a in (x, out)]
            else:
                there = self._device or ("cpu", 0)
                # An emulated device has the host's memory, and no arrays of its own.
                foreign = library.device != there and not there[0].startswith("emulated")
                if library.device[0] != "cpu" and foreign:
                    raise TypeError(f"x is on {library.device}: the plan is on {there}")
                x, out = self._checked_there(library, x, out)
                sides = [(library.address(a), library.item(a) * _points(a.shape)) for a in (x, out)]
                if library.device[0] != "cpu":
                    stream = library.stream()
        except Exception as error:
            # The others wait for this rank: a part of another size is an error on all.
            wrong = error
            part = np.empty(16 if 0 in self.input_shape else 0, np.uint8)
            sides = [(part.ctypes.data, part.nbytes), (0, 0)]
        try:
            if stream is None:
                self._plan.run(*sides)
            else:
                self._plan.run_there(*sides, stream)
        except Exception as error:
            if wrong is not None:
                raise wrong from error
            raise
        return out

    def __repr__(self):
        return f"<mmafft.distributed.Plan of {self.function} of {self.shape}, {self.group.rank} of {self.group.size}>"


def _points(shape):
    count = 1
    for n in shape:
        count *= int(n)
    return count


def plan(
    function: str,
    shape: Sequence[int],
    group: Group,
    *,
    dtype: DTypeLike = np.float64,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    input: str | int | Sequence[int] | None = None,
    output: str | int | Sequence[int] | None = None,
    workers: int = 1,
    device: Any = None,
) -> Plan:
    """A transform of a whole array of this shape over the ranks of a group; collective.

    `function` is fftn, ifftn, rfftn, irfftn (`shape` is that of the reals), dhtn, dctn1 to dctn4 or dstn1 to dstn4.
    `input` and `output` say how the array is spread: the number of the axis that ranks share, the number of ranks along
    each axis, or `"scrambled"` of a single line; by default slabs of axis 0 in and what comes out of the fewest exchanges.
    `device` is this rank's, such as `("cuda", 1)` or `"cuda:1"`; by default the group's, or the CPU.
    """
    if function not in _FUNCTIONS:
        raise ValueError(f"no transform over ranks is named {function!r}")
    return Plan(function, shape, group, dtype, axes, norm, (input, output), workers, device)
