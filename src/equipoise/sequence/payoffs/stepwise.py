"""Matrices that are cheap to multiply by: few steps in every row, and few exceptions.

On a known board the better hand wins. With the opponent's hands sorted by strength, the row of a hand
in the matrix of showdowns is +1, then 0, then -1, times how many hands each bucket stands for; cards
that both players cannot hold are exceptions. So, with v, w the weights of rows and columns,

    M[t, s] = v[t] w[s] F[t, s] + rest[t, s],      F constant in s but for a few steps,

and M x is a combination of the running sums S[b] = sum of w[s] x[s] over the first b columns: for a step
of F after column b - 1, row t takes F[t, b-1] - F[t, b] times S[b]. A row costs its steps instead of its
length. Nothing here knows of cards: weights, order and steps are found from the numbers, and
:func:`stepwise` keeps what it cannot explain as exceptions, so its answer is always right and may merely
be long.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TINY = 1e-13  # relative to the largest entry: what rounding leaves of a zero


class Stepwise(NamedTuple):
    """Matrices of one shape as in the module's docstring; the first dimension counts matrices.

    ``order`` sorts the columns; ``weight`` are theirs, in that order. ``jump[c, t, b]`` multiplies the
    sum of the first ``b + 1`` sorted columns, ``rest`` is in the columns' own order.
    """

    order: NDArray[np.int64]
    weight: Floats
    jump: Floats
    rest: Floats

    def entries(self) -> int:
        """Return how many multiplications a product needs, running sums included."""
        count = np.count_nonzero(self.jump) + np.count_nonzero(self.rest)
        return int(count) + 2 * self.order.size


def weights(size: Floats) -> tuple[Floats, Floats]:
    """Return v, w with ``size[c] = v[c] w[c]'`` wherever half of every row and column allows it.

    Each is a median of ratios, so that exceptions do not count. Zeros of ``size`` are left out.
    """
    known = np.where(size > 0, size, np.nan)
    row = np.argmax(np.count_nonzero(size, axis=2), axis=1)
    w = np.take_along_axis(known, row[:, None, None], axis=1)
    v = _median(known / w, axis=2)
    w = _median(known / v, axis=1)
    return v[:, :, 0], w[:, 0, :]


def stepwise(matrices: Floats, v: Floats, w: Floats) -> Stepwise:
    """Return ``matrices`` (any number, of one shape) with these weights, found by :func:`weights`."""
    outer = v[:, :, None] * w[:, None, :]
    factor = matrices / outer
    order = np.argsort((v[:, :, None] * factor).sum(axis=1), axis=1, kind="stable")
    factor = np.take_along_axis(factor, order[:, None, :], axis=2)
    smooth = factor.copy()
    # The median of three neighbours keeps steps and drops single exceptions.
    low, middle, high = factor[:, :, :-2], factor[:, :, 1:-1], factor[:, :, 2:]
    smooth[:, :, 1:-1] = np.maximum(
        np.minimum(low, middle), np.minimum(np.maximum(low, middle), high)
    )
    jump = smooth.copy()
    jump[:, :, :-1] -= smooth[:, :, 1:]
    limit = _TINY * np.abs(factor).max(axis=(1, 2), initial=1e-300)[:, None, None]
    jump[np.abs(jump) <= limit] = 0.0
    rest = factor - np.cumsum(jump[:, :, ::-1], axis=2)[:, :, ::-1]
    rest[np.abs(rest) <= limit] = 0.0
    back = np.argsort(order, axis=1)
    rest = np.take_along_axis(rest, back[:, None, :], axis=2) * outer
    return Stepwise(order, np.take_along_axis(w, order, axis=1), jump * v[:, :, None], rest)


def written_out(found: Stepwise) -> Floats:
    """Return the matrices that ``found`` stands for."""
    factor = np.cumsum(found.jump[:, :, ::-1], axis=2)[:, :, ::-1] * found.weight[:, None, :]
    back = np.argsort(found.order, axis=1)
    return np.take_along_axis(factor, back[:, None, :], axis=2) + found.rest


def _median(values: Any, axis: int) -> Any:
    """Return medians of what is known, one where nothing is."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = np.nanmedian(values, axis=axis, keepdims=True)
    return np.where(np.isfinite(found) & (found > 0), found, 1.0)
