"""One transform over many ranks: processes of mpi4py or of mpiexec, or threads.

    from mpi4py import MPI
    from mmafft import distributed

    group = distributed.Group(MPI.COMM_WORLD)
    fft = distributed.plan("fftn", (1024, 1024, 1024), group, dtype="complex64")
    x = fft.empty()                      # this rank's part: a slab of axis 0
    x[...] = field[fft.input_slices]     # of an array that has all
    y = fft(x)                           # a slab of axis 1: spectrum[fft.output_slices]

Planning and calling are collective: every rank does both, and every rank gets a result, or every rank an error. A part
is a NumPy array in rows. Only the CPU transforms over ranks from Python.
"""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core

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
    """The ranks of a communicator of mpi4py's, or all that mpiexec started.

    The communicator is duplicated, so that messages never mix. A rank that does not come within `patience` seconds is
    lost: every call raises `TimeoutError` from then on.
    """

    rank: int
    size: int
    engine: str

    def __init__(self, communicator: Any = None, *, patience: float = 60.0) -> None:
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


def threads(ranks: int, *, patience: float = 60.0) -> list[Group]:
    """Groups of as many ranks as threads of this process, one for each."""
    groups = []
    for group in _core.Group.threads(ranks, patience):
        one = Group.__new__(Group)
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

    def __init__(self, function, shape, group, dtype, axes, norm, spreads, workers):
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
        self._plan = _core.Distributed(
            group._group, kind, inverse, list(shape), list(axes), norm, _PRECISIONS[char],
            (_named(spreads[0]), _named(spreads[1])), workers,
        )  # fmt: skip
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

    def __call__(self, x: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Transforms this rank's part of the input into its part of the output."""
        wrong = None
        try:
            x, out = self._checked(x, out)
            sides = [(a.ctypes.data, a.nbytes) for a in (x, out)]
        except Exception as error:
            # The others wait for this rank: a part of another size is an error on all.
            wrong = error
            part = np.empty(16 if 0 in self.input_shape else 0, np.uint8)
            sides = [(part.ctypes.data, part.nbytes), (0, 0)]
        try:
            self._plan.run(*sides)
        except Exception as error:
            if wrong is not None:
                raise wrong from error
            raise
        return out

    def __repr__(self):
        return f"<mmafft.distributed.Plan of {self.function} of {self.shape}, {self.group.rank} of {self.group.size}>"


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
) -> Plan:
    """A transform of a whole array of this shape over the ranks of a group; collective.

    `function` is fftn, ifftn, rfftn, irfftn (`shape` is that of the reals), dhtn, dctn1 to dctn4 or dstn1 to dstn4.
    `input` and `output` say how the array is spread: the number of the axis that ranks share, the number of ranks along
    each axis, or `"scrambled"` of a single line; by default slabs of axis 0 in and what comes out of the fewest exchanges.
    """
    if function not in _FUNCTIONS:
        raise ValueError(f"no transform over ranks is named {function!r}")
    return Plan(function, shape, group, dtype, axes, norm, (input, output), workers)
