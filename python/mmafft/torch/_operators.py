"""The operators `torch.ops.mmafft`: what PyTorch differentiates, maps and compiles.

Each transforms along axes `dim`, of which `lengths` are transformed (of the real side, where one is real): what an
input has more of is cropped, what it has less of is zero. `scale` is 0 for none, 1 for 1/sqrt(N), 2 for 1/N.
"""

import torch
from torch.autograd import forward_ad
from torch.library import custom_op

from .. import _others
from .._adjoints import edges, transpose_of
from .._arguments import C2R, COSINE, FORWARD, INVERSE, R2C, Options
from .._job import Job


def run(op, x, dim, lengths, scale, out=None):
    """A transform of a tensor, without a gradient."""
    library = _others.Torch(torch, x)
    precision = library.precision_of(x, None, op >= COSINE)
    return library, Job(library, op, x, dim, lengths, scale, precision, Options(out), None).run(library.plain(x))


def again(op, x, dim, lengths, scale):
    """The same into a new tensor, faster where such a tensor was transformed so before."""
    signature = _others.signature(x, with_gradient=True)
    key = None if signature is None else (op, signature, tuple(dim), tuple(lengths), scale)
    result = _others.again(key, x)
    if result is not None:
        return result
    library, result = run(op, x, dim, lengths, scale)
    _others.keep(key, library, x, result)
    return result


@custom_op("mmafft::c2c", mutates_args=())
def _c2c(x: torch.Tensor, dim: list[int], lengths: list[int], scale: int, forward: bool) -> torch.Tensor:
    """The spectrum of complex numbers, or what undoes it."""
    return again(FORWARD if forward else INVERSE, x, dim, lengths, scale)


@custom_op("mmafft::r2c", mutates_args=())
def _r2c(x: torch.Tensor, dim: list[int], lengths: list[int], scale: int) -> torch.Tensor:
    """The half of a spectrum of reals that tells the rest; the last axis of `dim` is halved."""
    return again(R2C, x, dim, lengths, scale)


@custom_op("mmafft::c2r", mutates_args=())
def _c2r(x: torch.Tensor, dim: list[int], lengths: list[int], scale: int) -> torch.Tensor:
    """Reals of such a half."""
    return again(C2R, x, dim, lengths, scale)


@custom_op("mmafft::r2r", mutates_args=())
def _r2r(x: torch.Tensor, dim: list[int], lengths: list[int], scale: int, op: int) -> torch.Tensor:
    """A cosine or sine transform, by its number."""
    return again(op, x, dim, lengths, scale)


def _shaped(x, dim, lengths, dtype):
    shape = list(x.shape)
    for axis, n in zip(dim, lengths):
        shape[axis] = n
    return torch.empty(shape, dtype=dtype, device=x.device)


@_c2c.register_fake
def _(x, dim, lengths, scale, forward):
    return _shaped(x, dim, lengths, x.dtype)


@_r2c.register_fake
def _(x, dim, lengths, scale):
    return _shaped(x, dim, [*lengths[:-1], lengths[-1] // 2 + 1], x.dtype.to_complex())


@_c2r.register_fake
def _(x, dim, lengths, scale):
    return _shaped(x, dim, lengths, x.dtype.to_real())


@_r2r.register_fake
def _(x, dim, lengths, scale, op):
    return _shaped(x, dim, lengths, x.dtype)


def _resized(x, shape):
    """`x` cropped, or with zeros behind, as the gradient of what did the other."""
    for axis, n in enumerate(shape):
        if x.shape[axis] > n:
            x = x.narrow(axis, 0, n)
    padding = [edge for n, own in zip(reversed(shape), reversed(x.shape)) for edge in (0, n - own)]
    return torch.nn.functional.pad(x, padding) if any(padding) else x


def _weighted(x, axis, others, at_edges):
    """`x` with points along an axis multiplied: by `at_edges[index]`, and all others by `others`."""
    factors = torch.full((x.shape[axis],), others, dtype=x.dtype.to_real(), device=x.device)
    for index, factor in at_edges.items():
        factors[index] = factor
    shape = [1] * x.ndim
    shape[axis] = -1
    return x * factors.reshape(shape)


def _keep(ctx, inputs, output):
    x, *ctx.rest = inputs
    ctx.shape = x.shape


def _c2c_gradient(ctx, gradient):
    dim, lengths, scale, forward = ctx.rest
    return (_resized(c2c(gradient, dim, lengths, scale, not forward), ctx.shape), *[None] * 4)


def _r2c_gradient(ctx, gradient):
    dim, lengths, scale = ctx.rest
    half = _weighted(gradient, dim[-1], 0.5, edges(lengths[-1]))
    return (_resized(c2r(half, dim, lengths, scale), ctx.shape), *[None] * 3)


def _c2r_gradient(ctx, gradient):
    dim, lengths, scale = ctx.rest
    half = _weighted(r2c(gradient, dim, lengths, scale), dim[-1], 2.0, edges(lengths[-1]))
    return (_resized(half, ctx.shape), *[None] * 3)


def _r2r_gradient(ctx, gradient):
    dim, lengths, scale, op = ctx.rest
    other, before, after = transpose_of(op, scale)
    for axis in dim if before else ():
        gradient = _weighted(gradient, axis, *before)
    gradient = r2r(gradient, dim, lengths, scale, other)
    for axis in dim if after else ():
        gradient = _weighted(gradient, axis, *after)
    return (_resized(gradient, ctx.shape), *[None] * 4)


def _mapped(info, in_dims, function, x, dim, *rest):
    """A transform of tensors that are mapped along one more axis."""
    if in_dims[0] is None:
        return function(x, dim, *rest), None
    return function(x.movedim(in_dims[0], 0), [axis + 1 for axis in dim], *rest), 0


def is_plain(x):
    """Whether nobody but the caller wants to know of a transform: no gradient, mapping, mode or tracing."""
    return (
        type(x) is torch.Tensor
        and not (x.requires_grad and torch.is_grad_enabled())
        and not torch._C._are_functorch_transforms_active()
        and not torch._C._len_torch_dispatch_stack()
        and not torch._C._len_torch_function_stack()
        and forward_ad._current_level < 0
    )


def _differentiated(own, plain, gradient):
    """The function of an operator that is differentiated in both modes, and mapped, by `torch.func` too."""

    class Transform(torch.autograd.Function):
        @staticmethod
        def forward(x, *rest):
            return own(x, *rest)

        setup_context = staticmethod(_keep)
        backward = staticmethod(gradient)

        @staticmethod
        def jvp(ctx, tangent, *_):
            return Transform.apply(tangent, *ctx.rest)

        @staticmethod
        def vmap(info, in_dims, *inputs):
            return _mapped(info, in_dims, Transform.apply, *inputs)

    def transform(*inputs):
        # A compiler takes the operator, and does not look into it.
        if torch.compiler.is_compiling():
            return own(*inputs)
        return plain(*inputs) if is_plain(inputs[0]) else Transform.apply(*inputs)

    own.register_autograd(gradient, setup_context=_keep)
    own.register_vmap(lambda info, in_dims, *inputs: _mapped(info, in_dims, own, *inputs))
    return transform


c2c = _differentiated(
    _c2c, lambda x, dim, n, scale, forward: again(FORWARD if forward else INVERSE, x, dim, n, scale), _c2c_gradient
)
r2c = _differentiated(_r2c, lambda x, dim, n, scale: again(R2C, x, dim, n, scale), _r2c_gradient)
c2r = _differentiated(_c2r, lambda x, dim, n, scale: again(C2R, x, dim, n, scale), _c2r_gradient)
r2r = _differentiated(_r2r, lambda x, dim, n, scale, op: again(op, x, dim, n, scale), _r2r_gradient)
