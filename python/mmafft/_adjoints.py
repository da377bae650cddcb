"""The transposes of real transforms, for gradients."""

from ._arguments import COSINE, SINE

#: Of the types of cosine and sine transforms that are not their own transposes: the operation that is, and factors of
#: other points and of edges before and after it. Orthogonal matrices have the edges' factors in them.
TRANSPOSES = {
    COSINE: (COSINE, (0.5, {0: 1.0, -1: 1.0}), (2.0, {0: 1.0, -1: 1.0})),
    COSINE + 1: (COSINE + 2, (1.0, {0: 2.0}), None),
    COSINE + 2: (COSINE + 1, None, (1.0, {0: 0.5})),
    SINE + 1: (SINE + 2, (1.0, {-1: 2.0}), None),
    SINE + 2: (SINE + 1, None, (1.0, {-1: 0.5})),
}


def transpose_of(op, scale):
    """The operation of a transform's transpose, and what to multiply before and after it, or `None`."""
    other, before, after = TRANSPOSES.get(op, (op, None, None))
    return (other, None, None) if scale == 1 else (other, before, after)


def edges(n):
    """The points of a half spectrum of n reals that stand for themselves alone: the others stand for two."""
    return {0: 1.0} if n % 2 else {0: 1.0, -1: 1.0}
