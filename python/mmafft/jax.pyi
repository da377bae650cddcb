from collections.abc import Sequence
from typing import Literal

from jax import Array
from jax.typing import ArrayLike

__all__: list[str]

_Norm = Literal["backward", "ortho", "forward"] | None
_Type = Literal[1, 2, 3, 4]
_Lengths = Sequence[int] | None
_Axes = Sequence[int] | None

def fft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: _Norm = None) -> Array: ...
def ifft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: _Norm = None) -> Array: ...
def rfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: _Norm = None) -> Array: ...
def irfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: _Norm = None) -> Array: ...
def hfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: _Norm = None) -> Array: ...
def ihfft(a: ArrayLike, n: int | None = None, axis: int = -1, norm: _Norm = None) -> Array: ...
def fft2(a: ArrayLike, s: _Lengths = None, axes: Sequence[int] = (-2, -1), norm: _Norm = None) -> Array: ...
def ifft2(a: ArrayLike, s: _Lengths = None, axes: Sequence[int] = (-2, -1), norm: _Norm = None) -> Array: ...
def rfft2(a: ArrayLike, s: _Lengths = None, axes: Sequence[int] = (-2, -1), norm: _Norm = None) -> Array: ...
def irfft2(a: ArrayLike, s: _Lengths = None, axes: Sequence[int] = (-2, -1), norm: _Norm = None) -> Array: ...
def hfft2(a: ArrayLike, s: _Lengths = None, axes: Sequence[int] = (-2, -1), norm: _Norm = None) -> Array: ...
def ihfft2(a: ArrayLike, s: _Lengths = None, axes: Sequence[int] = (-2, -1), norm: _Norm = None) -> Array: ...
def fftn(a: ArrayLike, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None) -> Array: ...
def ifftn(a: ArrayLike, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None) -> Array: ...
def rfftn(a: ArrayLike, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None) -> Array: ...
def irfftn(a: ArrayLike, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None) -> Array: ...
def hfftn(a: ArrayLike, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None) -> Array: ...
def ihfftn(a: ArrayLike, s: _Lengths = None, axes: _Axes = None, norm: _Norm = None) -> Array: ...
def dct(
    x: ArrayLike,
    type: _Type = 2,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Array: ...
def dctn(
    x: ArrayLike,
    type: _Type = 2,
    s: _Lengths = None,
    axes: _Axes = None,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Array: ...
def idct(
    x: ArrayLike,
    type: _Type = 2,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Array: ...
def idctn(
    x: ArrayLike,
    type: _Type = 2,
    s: _Lengths = None,
    axes: _Axes = None,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Array: ...
def dst(
    x: ArrayLike,
    type: _Type = 2,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Array: ...
def dstn(
    x: ArrayLike,
    type: _Type = 2,
    s: _Lengths = None,
    axes: _Axes = None,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Array: ...
def idst(
    x: ArrayLike,
    type: _Type = 2,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Array: ...
def idstn(
    x: ArrayLike,
    type: _Type = 2,
    s: _Lengths = None,
    axes: _Axes = None,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Array: ...
