"""Small minimax problems over products of simplices, by a dense simplex method.

    min over y in Δ x ... x Δ  of  max over rows r of  (M y + b)_r            (one Δ per block)

A matrix game is the case of one block and b = 0. The method runs on the dual,

    max  b·x + sum_l s_l   subject to   s_l <= (x M)_c  for c in block l,   x in Δ,

in Chvatal's dictionary form: the free s_l are eliminated at the start, and a pure x is a feasible
basis, so there is no first phase. A call to a general solver costs a millisecond; games of ten
actions cost microseconds here, and repeated games ask for many thousands of them.

The method only *proposes* strategies: bounds are evaluated from them afterwards, so that a badly
conditioned problem can cost tightness, never truth. Entries of M should be of order one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.dictionary import maximise

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Saddle:
    """Strategies of both players in a matrix game, and what each of them guarantees.

    The value lies in ``[lower, upper]``: the two ends are the worst payoffs of ``x`` and of ``y``.
    """

    x: Floats
    y: Floats
    lower: float
    upper: float

    @property
    def value(self) -> float:
        """The middle of the two guarantees."""
        return 0.5 * (self.lower + self.upper)


@dataclass(frozen=True)
class Saddles:
    """Solutions of a stack of minimax problems, one a row: the arrays of :class:`Saddle`."""

    x: Floats
    y: Floats
    lower: Floats
    upper: Floats


def matrix_game(payoffs: ArrayLike) -> Saddle:
    """Solve the zero-sum game in which the row player receives ``payoffs[i, j]``."""
    A = np.ascontiguousarray(payoffs, dtype=np.float64)
    if A.ndim != 2 or A.size == 0 or not np.isfinite(A).all():
        raise EquipoiseError(
            f"Matrix game: found an array of shape {A.shape}, expected a finite, non-empty matrix."
        )
    shift, scale = unit_scale(A)
    one = minimax((A[None] - shift) / scale)
    x, y = one.x[0], one.y[0]
    return Saddle(x, y, float((x @ A).min()), float((A @ y).max()))


def unit_scale(payoffs: Floats) -> tuple[float, float]:
    """Shift and scale that bring ``payoffs`` into [0, 1]; a constant game keeps its scale."""
    low, high = float(payoffs.min()), float(payoffs.max())
    return low, (high - low) or 1.0


def minimax(M: Floats, b: Floats | None = None, blocks: int = 1) -> Saddles:
    """Solve the stack of problems ``M[s], b[s]`` whose y has ``blocks`` blocks of equal length.

    ``lower`` and ``upper`` are what the strategies guarantee, and enclose each optimum.
    """
    count, rows, columns = M.shape
    offsets = np.zeros((count, rows)) if b is None else b
    x, y = np.full((count, rows), 1 / rows), np.full((count, columns), blocks / columns)
    _simplex(np.ascontiguousarray(M), np.ascontiguousarray(offsets), blocks, x, y)
    columns_worth = (x[:, None] @ M).reshape(count, blocks, columns // blocks)
    lower = columns_worth.min(axis=2).sum(axis=1) + (x * offsets).sum(axis=1)
    upper = ((M @ y[..., None])[..., 0] + offsets).max(axis=1)
    return Saddles(x, y, lower, upper)


@njit(cache=True)
def _simplex(problems: Floats, offsets: Floats, blocks: int, X: Floats, Y: Floats) -> None:
    """Solve every problem; write its maximiser into ``X`` and its minimiser into ``Y``.

    Both arrays hold strategies on entry, which stay where rounding has left nothing better.
    """
    R, N = problems.shape[1:]
    width = N // blocks
    rows, cols = N - blocks + 1, R - 1 + blocks
    D = np.empty((rows + 1, cols + 1))
    basic, nonbasic = np.empty(rows, np.int64), np.empty(cols, np.int64)
    weights, prices = np.empty(R), np.empty(N)
    for s in range(problems.shape[0]):
        _first_dictionary(problems[s], offsets[s], blocks, D, basic, nonbasic)
        maximise(D, basic, nonbasic)
        weights[:], prices[:] = 0.0, 0.0
        for i in range(rows):
            if basic[i] < R:
                weights[basic[i]] = max(D[i + 1, 0], 0.0)
        for k in range(cols):
            if nonbasic[k] >= R:
                prices[nonbasic[k] - R] = max(-D[0, k + 1], 0.0)
        _normalise(weights, X[s], 0, R)
        for block in range(blocks):
            _normalise(prices, Y[s], block * width, (block + 1) * width)


@njit(cache=True)
def _first_dictionary(
    M: Floats, b: Floats, blocks: int, D: Floats, basic: Integers, nonbasic: Integers
) -> None:
    """Write the dictionary of the best pure x, with s_l = min of its row over block l.

    Variables are numbered x_r -> r and the slack of column c -> R + c. Row 0 of ``D`` is the
    objective, column 0 the constants.
    """
    R, N = M.shape
    width = N // blocks
    D[:] = 0.0
    best, r0 = -np.inf, 0
    for r in range(R):
        total = b[r]
        for block in range(blocks):
            least = np.inf
            for c in range(block * width, (block + 1) * width):
                least = min(least, M[r, c])
            total += least
        if total > best:
            best, r0 = total, r
    least_column = np.empty(blocks, np.int64)
    for block in range(blocks):
        least = np.inf
        for c in range(block * width, (block + 1) * width):
            if M[r0, c] < least:
                least, least_column[block] = M[r0, c], c
        nonbasic[R - 1 + block] = R + least_column[block]
        D[0, R + block] = -1.0
    D[0, 0], D[1, 0], basic[0] = best, 1.0, r0
    k = 0
    for r in range(R):
        if r == r0:
            continue
        nonbasic[k] = r
        k += 1
        D[1, k] = -1.0
        D[0, k] = b[r] - b[r0]
        i = 1
        for c in range(N):
            c0 = least_column[c // width]
            if c == c0:
                D[0, k] += M[r, c] - M[r0, c]
                continue
            i += 1
            D[i, k] = M[r, c] - M[r0, c] - M[r, c0] + M[r0, c0]
    i = 1
    for c in range(N):
        block = c // width
        c0 = least_column[block]
        if c != c0:
            basic[i] = R + c
            i += 1
            D[i, 0] = M[r0, c] - M[r0, c0]
            D[i, R + block] = 1.0


@njit(cache=True)
def _normalise(weights: Floats, out: Floats, start: int, stop: int) -> None:
    """Copy a stretch of ``weights`` scaled to sum one, unless rounding has destroyed it."""
    total = 0.0
    for i in range(start, stop):
        total += weights[i]
    if abs(total - 1.0) < 0.5:
        for i in range(start, stop):
            out[i] = weights[i] / total
