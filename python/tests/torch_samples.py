"""PyTorch's own samples of every operator of `torch.fft`, and of `stft` and `istft`, with the patch and without."""

import mmafft
import pytest

TYPES = ["float32", "float64", "complex64", "complex128", "int32"]


def samples(torch, device):
    pytest.importorskip("expecttest", reason="PyTorch's samples need expecttest: pip install expecttest")
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.opinfo.definitions.fft import op_db as transforms

    for op in [*transforms, *(op for op in op_db if op.name in ("stft", "istft"))]:
        for dtype in map(lambda name: getattr(torch, name), TYPES):
            gradients = (False, True) if dtype.is_floating_point or dtype.is_complex else (False,)
            for gradient in gradients if op.supports_dtype(dtype, device) else ():
                for sample in op.sample_inputs(device, dtype, requires_grad=gradient):
                    yield op, sample, gradient


def as_promised(torch, stride, function, x, *args, **kwargs):
    """Whether these are the strides that PyTorch promises its compiler; older releases have others when they run."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode() as mode:
        return function(mode.from_tensor(x), *args, **kwargs).stride() == stride


def outcome(torch, op, sample, gradient):
    """The result and its gradient, or the kind of error."""
    try:
        result = op(sample.input, *sample.args, **sample.kwargs)
        if not gradient:
            return [result]
        return [result, torch.autograd.grad(result.abs().square().sum(), sample.input)[0]]
    except Exception as error:
        return [type(error)]


def check(torch, device):
    """That both have the same values, gradients, types, shapes, strides, and kinds of errors."""
    count = 0
    for op, sample, gradient in samples(torch, device):
        theirs = outcome(torch, op, sample, gradient)
        with mmafft.torch.patch(device):
            ours = outcome(torch, op, sample, gradient)
        count += 1
        for a, b in zip(ours, theirs):
            if isinstance(b, type):
                assert a is b
                continue
            assert (a.dtype, a.shape) == (b.dtype, b.shape), op.name
            if a.stride() != b.stride() and a is ours[0]:
                assert as_promised(torch, a.stride(), op, sample.input, *sample.args, **sample.kwargs), op.name
            near = 1e-3 if b.dtype in (torch.float32, torch.complex64) else 1e-9
            torch.testing.assert_close(a, b, rtol=near, atol=near, equal_nan=True)
    assert count > 500
