from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, TypedDict

from numpy.typing import ArrayLike, NDArray
from typing_extensions import Unpack  # of stubs: nothing is imported when a program runs

from ._plan import Plan

_Norm = Literal["backward", "ortho", "forward"] | None
_Type = Literal[1, 2, 3, 4]
_Axes = int | Sequence[int] | None
_Ranges = Mapping[int, tuple[int, int]]

class _Ours(TypedDict, total=False):
    precision: Literal["f64", "f32", "split-f16", "f16", "bf16"]
    effort: Literal["estimate", "measure", "patient"]
    nonzero: _Ranges
    wanted: _Ranges
    stream: Any

def fft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def ifft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def rfft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def irfft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def hfft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def ihfft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def fft2(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: _Axes = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def ifft2(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: _Axes = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def rfft2(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: _Axes = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def irfft2(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: _Axes = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def hfft2(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: _Axes = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def ihfft2(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: _Axes = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def fftn(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: _Axes = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def ifftn(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: _Axes = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def rfftn(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: _Axes = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def irfftn(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: _Axes = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def hfftn(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: _Axes = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def ihfftn(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: _Axes = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def dct(
    x: ArrayLike,
    type: _Type = 2,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def dctn(
    x: ArrayLike,
    type: _Type = 2,
    s: int | Sequence[int] | None = None,
    axes: _Axes = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def idct(
    x: ArrayLike,
    type: _Type = 2,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def idctn(
    x: ArrayLike,
    type: _Type = 2,
    s: int | Sequence[int] | None = None,
    axes: _Axes = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def dst(
    x: ArrayLike,
    type: _Type = 2,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def dstn(
    x: ArrayLike,
    type: _Type = 2,
    s: int | Sequence[int] | None = None,
    axes: _Axes = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def idst(
    x: ArrayLike,
    type: _Type = 2,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def idstn(
    x: ArrayLike,
    type: _Type = 2,
    s: int | Sequence[int] | None = None,
    axes: _Axes = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    plan: Plan | None = None,
    out: NDArray[Any] | None = None,
    **ours: Unpack[_Ours],
) -> NDArray[Any]: ...
def fftfreq(n: int, d: float = 1.0) -> NDArray[Any]: ...
def rfftfreq(n: int, d: float = 1.0) -> NDArray[Any]: ...
def fftshift(x: ArrayLike, axes: _Axes = None) -> NDArray[Any]: ...
def ifftshift(x: ArrayLike, axes: _Axes = None) -> NDArray[Any]: ...
def next_fast_len(target: int, real: bool = False) -> int: ...
def prev_fast_len(target: int, real: bool = False) -> int: ...
def set_workers(workers: int) -> AbstractContextManager[None]: ...
def get_workers() -> int: ...
