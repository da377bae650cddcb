from collections.abc import Sequence
from typing import Literal

from torch import Tensor
from typing_extensions import Self  # of stubs: nothing is imported when a program runs

__all__: list[str]

_Norm = Literal["backward", "ortho", "forward"] | None
_Type = Literal[1, 2, 3, 4]
_Lengths = Sequence[int] | None
_Axes = int | Sequence[int] | None

def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: _Norm = None) -> Tensor: ...
def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: _Norm = None) -> Tensor: ...
def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: _Norm = None) -> Tensor: ...
def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: _Norm = None) -> Tensor: ...
def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: _Norm = None) -> Tensor: ...
def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: _Norm = None) -> Tensor: ...
def fft2(input: Tensor, s: _Lengths = None, dim: _Axes = (-2, -1), norm: _Norm = None) -> Tensor: ...
def ifft2(input: Tensor, s: _Lengths = None, dim: _Axes = (-2, -1), norm: _Norm = None) -> Tensor: ...
def rfft2(input: Tensor, s: _Lengths = None, dim: _Axes = (-2, -1), norm: _Norm = None) -> Tensor: ...
def irfft2(input: Tensor, s: _Lengths = None, dim: _Axes = (-2, -1), norm: _Norm = None) -> Tensor: ...
def hfft2(input: Tensor, s: _Lengths = None, dim: _Axes = (-2, -1), norm: _Norm = None) -> Tensor: ...
def ihfft2(input: Tensor, s: _Lengths = None, dim: _Axes = (-2, -1), norm: _Norm = None) -> Tensor: ...
def fftn(input: Tensor, s: _Lengths = None, dim: _Axes = None, norm: _Norm = None) -> Tensor: ...
def ifftn(input: Tensor, s: _Lengths = None, dim: _Axes = None, norm: _Norm = None) -> Tensor: ...
def rfftn(input: Tensor, s: _Lengths = None, dim: _Axes = None, norm: _Norm = None) -> Tensor: ...
def irfftn(input: Tensor, s: _Lengths = None, dim: _Axes = None, norm: _Norm = None) -> Tensor: ...
def hfftn(input: Tensor, s: _Lengths = None, dim: _Axes = None, norm: _Norm = None) -> Tensor: ...
def ihfftn(input: Tensor, s: _Lengths = None, dim: _Axes = None, norm: _Norm = None) -> Tensor: ...
def dct(
    input: Tensor,
    type: _Type = 2,
    n: int | None = None,
    dim: int = -1,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Tensor: ...
def dctn(
    input: Tensor,
    type: _Type = 2,
    s: _Lengths = None,
    dim: _Axes = None,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Tensor: ...
def idct(
    input: Tensor,
    type: _Type = 2,
    n: int | None = None,
    dim: int = -1,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Tensor: ...
def idctn(
    input: Tensor,
    type: _Type = 2,
    s: _Lengths = None,
    dim: _Axes = None,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Tensor: ...
def dst(
    input: Tensor,
    type: _Type = 2,
    n: int | None = None,
    dim: int = -1,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Tensor: ...
def dstn(
    input: Tensor,
    type: _Type = 2,
    s: _Lengths = None,
    dim: _Axes = None,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Tensor: ...
def idst(
    input: Tensor,
    type: _Type = 2,
    n: int | None = None,
    dim: int = -1,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Tensor: ...
def idstn(
    input: Tensor,
    type: _Type = 2,
    s: _Lengths = None,
    dim: _Axes = None,
    norm: _Norm = None,
    orthogonalize: bool | None = None,
) -> Tensor: ...

class _Patched:
    def undo(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

def patch(devices: str | Sequence[str] = ("cuda",)) -> _Patched: ...
