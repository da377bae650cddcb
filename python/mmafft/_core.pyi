from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

_Range = tuple[int, int, int]
# An address, a shape, and strides in elements.
_Raw = tuple[int, tuple[int, ...], tuple[int, ...]]

class Prepared:
    scratch_bytes: int
    def run(self, input: int, output: int, stream: int, scratch: int) -> None: ...

class Kept:
    def __init__(self, prepared: Prepared, empty: Any, scratch: Any, stream: Any, tensors: bool) -> None: ...
    def __call__(self, x: Any) -> Any | None: ...

_Spread = tuple[str, list[int]] | None

class Group:
    @staticmethod
    def mpi(communicator: int | None, patience: float) -> Group: ...
    @staticmethod
    def threads(ranks: int, patience: float) -> list[Group]: ...
    @staticmethod
    def nccl_id(device: tuple[str, int]) -> list[int]: ...
    @staticmethod
    def nccl(device: tuple[str, int], id: list[int], rank: int, ranks: int, patience: float) -> Group: ...
    @staticmethod
    def joined(
        place: tuple[int, int],
        engine: str,
        agree: Callable[[bytes, float], list[bytes]],
        exchange: Callable[[int, list[int], int, list[int], float], None],
        patience: float,
    ) -> Group: ...
    def station(self) -> tuple[int, int, str]: ...

class Distributed:
    def __init__(
        self,
        group: Group,
        kind: str,
        inverse: bool,
        shape: list[int],
        axes: list[int],
        norm: str,
        precision_name: str,
        spreads: tuple[_Spread, _Spread],
        workers: int,
        device: tuple[str, int] | None,
    ) -> None: ...
    def explain(self) -> str: ...
    def error_bound(self) -> float: ...
    def parts(self) -> list[list[tuple[int, int]]]: ...
    def run(self, input: tuple[int, int], output: tuple[int, int]) -> None: ...
    def run_there(self, input: tuple[int, int], output: tuple[int, int], stream: int) -> None: ...

def kept() -> dict[Any, Kept]: ...
def key_of(
    what: tuple[int, bool], x: Any, lengths: Any, axes: Any, norm: Any, workers: Any
) -> tuple[Any, ...] | None: ...
def signature_of_tensor(x: Any, known: bool) -> tuple[Any, ...] | None: ...
def quick(op: int, x: Any, n: Any, axis: Any, norm: Any, workers: Any, out: Any) -> NDArray[Any] | None: ...
def quick_axes(op: int, x: Any, s: Any, axes: Any, norm: Any, workers: Any, out: Any) -> NDArray[Any] | None: ...
def execute(
    op: int,
    x: NDArray[Any],
    out: NDArray[Any],
    axes: list[int],
    lengths: list[int],
    scale: int,
    precision_name: str,
    workers: int | None,
    nonzero: list[_Range],
    wanted: list[_Range],
    effort: str | None,
) -> None: ...
def prepare(
    op: int,
    x: _Raw,
    out: _Raw,
    axes: list[int],
    lengths: list[int],
    scale: int,
    precision_name: str,
    workers: int | None,
    nonzero: list[_Range],
    wanted: list[_Range],
    effort: str | None,
    device: tuple[str, int] | None,
) -> Prepared: ...
def describe(
    op: int,
    shape: tuple[int, ...],
    axes: list[int],
    lengths: list[int],
    scale: int,
    precision_name: str,
    workers: int | None,
    nonzero: list[_Range],
    wanted: list[_Range],
    effort: str | None,
    device: tuple[str, int] | None = None,
) -> tuple[str, float, int]: ...
def mirror(out: NDArray[Any], axis: int, inverse: bool) -> None: ...
def fits(x: NDArray[Any], written: bool) -> bool: ...
def fits_at(x: _Raw, item: int, written: bool) -> bool: ...
def xla_handler(cuda: bool, minor: int) -> int: ...
def device_name(name: str, ordinal: int) -> str: ...
def good_size(target: int) -> int: ...
def device() -> str: ...
def cached() -> int: ...
def clear_cache() -> None: ...
def default_workers() -> int: ...
def set_default_workers(argument: int) -> None: ...
def forked() -> None: ...
