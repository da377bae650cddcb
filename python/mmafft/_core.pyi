from typing import Any

from numpy.typing import NDArray

_Range = tuple[int, int, int]
# An address, a shape, and strides in elements.
_Raw = tuple[int, tuple[int, ...], tuple[int, ...]]

class Prepared:
    scratch_bytes: int
    def run(self, input: int, output: int, stream: int, scratch: int) -> None: ...

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
