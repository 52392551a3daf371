"""Two states: the pieces of v, and where the line over the prior touches them.

Along q = (t, 1 - t) the average game A(t) changes linearly, and v is made of finitely many pieces.
On each, optimal strategies have the same supports I and J, and solve (Shapley and Snow's kernel)

    A_IJ(t) y = v 1,   1·y = 1,       x A_IJ(t) = v 1,   x·1 = 1,

so v is a rational function of t there, with slope x (A^1 - A^2) y. :func:`pieces` follows a kernel
until its strategies stop being optimal; :func:`tangent` finds the line over the prior that
touches v from above, by the roots of the slope on each piece, to the last digits.

What is found here starts the general method off at its goal; the certificate is the same as for any
number of states, and would stand, with more work, without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equipoise.numerics.separation import solve_at

Floats = NDArray[np.float64]

_FEASIBLE = 1e-11
"""How negative a probability or a slack may be for a kernel to count as optimal."""
_STEP = 1e-7
"""A kernel is read off this far to the right of where a piece begins."""
_SUPPORT = 1e-10
_SAMPLES = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 9))
"""Where slopes are sampled in a piece, as shares of its length: Chebyshev's points."""
_ROUNDS = 50
_GAIN = 1e-15
"""A point less than this above the line does not move it."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """The supports of both players' strategies on a piece of v."""

    matrices: Floats
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]

    @classmethod
    def at(cls, matrices: Floats, t: float) -> Kernel:
        """Return the kernel of an optimal pair of strategies at t."""
        saddle = solve_at(matrices, np.array([[t, 1.0 - t]]))
        rows, columns = (np.flatnonzero(s[0] > _SUPPORT) for s in (saddle.x, saddle.y))
        return cls(matrices, rows, columns)

    def solve(self, t: float) -> tuple[Floats, Floats, float] | None:
        """Solve the kernel's equations: (x, y, v), or None where they have no one solution."""
        A = self._average(t)[np.ix_(self.rows, self.columns)]
        size = len(A)
        if A.shape != (size, size):
            return None
        bordered = np.block([[A, -np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]])
        one = np.append(np.zeros(size), 1.0)
        mirrored = bordered.copy()
        mirrored[:size, :size] = A.T
        try:
            y, x = np.linalg.solve(np.stack([bordered, mirrored]), np.stack([one, one])[..., None])
        except np.linalg.LinAlgError:
            return None
        return x[:size, 0], y[:size, 0], float(y[size, 0])

    def conditions(self, t: float) -> Floats:
        """Return what must not be negative for the kernel to be optimal at t.

        First its probabilities, then how much worse every other action is.
        """
        solved = self.solve(t)
        A = self._average(t)
        if solved is None:
            return np.full(sum(A.shape), -np.inf)
        x, y, v = solved
        rows = np.delete(v - A[:, self.columns] @ y, self.rows)
        columns = np.delete(x @ A[self.rows] - v, self.columns)
        return np.concatenate([x, y, rows, columns])

    def is_optimal(self, t: float) -> bool:
        """Whether the kernel's strategies are optimal at t, up to rounding."""
        return bool(self.conditions(t).min() >= -_FEASIBLE)

    def slope(self, t: float) -> float:
        """Return the derivative of v at t, x (A^1 - A^2) y; NaN where there is no solution."""
        solved = self.solve(t)
        if solved is None:
            return np.nan
        difference = self.matrices[0] - self.matrices[1]
        return float(solved[0] @ difference[np.ix_(self.rows, self.columns)] @ solved[1])

    def _average(self, t: float) -> Floats:
        return np.asarray(t * self.matrices[0] + (1.0 - t) * self.matrices[1])


@dataclass(frozen=True, eq=False)
class Piece:
    """An interval of t on which v is one rational function, with its slope at a few points."""

    start: float
    stop: float
    kernel: Kernel

    @cached_property
    def samples(self) -> Floats:
        """Chebyshev's points of the interval, its ends among them."""
        return self.start + (self.stop - self.start) * _SAMPLES

    @cached_property
    def slopes(self) -> Floats:
        """The derivative of v at the samples."""
        return np.array([self.kernel.slope(t) for t in self.samples])

    def peaks(self, slope: float) -> list[float]:
        """Return the points inside where v minus a line of this slope has a local maximum."""
        excess = self.slopes - slope
        falls = np.flatnonzero((excess[:-1] > 0) & (excess[1:] < 0))
        return [
            _last(lambda t: self.kernel.slope(t) > slope, self.samples[i], self.samples[i + 1])
            for i in falls
        ]


@dataclass(frozen=True, eq=False)
class Tangent:
    """The line z·q over the prior, and the points (t, 1 - t), one or two, where it touches v."""

    points: Floats
    z: Floats


def pieces(matrices: Floats) -> Iterator[Piece]:
    """Follow v from t = 0 to t = 1, piece by piece.

    Stretches where degenerate strategies leave no kernel to follow are passed over.
    """
    start, step = 0.0, _STEP
    while start < 1.0:
        inside = min(start + 0.5 * step, 1.0)
        kernel = Kernel.at(matrices, inside)
        stop = _end(kernel, inside)
        if stop > start + step:
            yield Piece(start, stop, kernel)
            start, step = stop, _STEP
        else:
            start, step = min(start + step, 1.0), 2.0 * step


def _end(kernel: Kernel, start: float) -> float:
    """Return where the kernel stops being optimal, to the right of ``start``."""
    if not kernel.is_optimal(start):
        return start
    good, bad, step = start, start, 1e-4
    while good == bad:
        if good == 1.0:
            return 1.0
        bad = min(good + step, 1.0)
        if kernel.is_optimal(bad):
            good, step = bad, 2.0 * step
    end = _last(kernel.is_optimal, good, bad)
    # The condition that fails next was zero a little earlier, by the tolerance of is_optimal.
    first = int(kernel.conditions(np.nextafter(end, 2.0)).argmin())
    if kernel.conditions(start)[first] <= 0:
        return end
    return _last(lambda t: bool(kernel.conditions(t)[first] >= 0), start, end)


def _last(holds: Callable[[float], bool], good: float, bad: float) -> float:
    """Return the last number from ``good`` on, where ``holds`` is true, before it fails at ``bad``."""
    while bad - good > 1e-16 and good < (middle := 0.5 * (good + bad)) < bad:
        if holds(middle):
            good = middle
        else:
            bad = middle
    return float(good)


def tangent(matrices: Floats, prior: Floats) -> Tangent:
    """Return the lowest line over the prior that is nowhere below v.

    Between the ends of its pieces, v minus a line can only peak where the slopes agree; every peak
    above the line lifts it, until there is none.
    """
    p = float(prior[0])
    found = list(pieces(matrices))
    t = np.unique([0.0, p, 1.0, *(t for piece in found for t in piece.samples)])
    v = _values(matrices, t)
    for _ in range(_ROUNDS):
        left, right, slope = _line(t, v, p, found)
        peaks = np.array([peak for piece in found for peak in piece.peaks(slope)])
        heights = _values(matrices, peaks)
        is_above = heights > v[left] + slope * (peaks - t[left]) + _GAIN
        if not is_above.any():
            break
        t, v = np.append(t, peaks[is_above]), np.append(v, heights[is_above])
    touching = np.unique([t[left], t[right]])
    ends = v[left] + slope * (np.array([1.0, 0.0]) - t[left])
    return Tangent(np.column_stack([touching, 1.0 - touching]), ends)


def _line(t: Floats, v: Floats, p: float, found: list[Piece]) -> tuple[int, int, float]:
    """Return the line over p that is lowest above all points (t, v): where it touches, its slope."""
    at = int(np.flatnonzero(t == p)[0])
    lefts, rights = np.flatnonzero(t < p), np.flatnonzero(t > p)
    a, b = t[lefts, None], t[rights]
    heights = (v[lefts, None] * (b - p) + v[rights] * (p - a)) / (b - a)
    if heights.max(initial=-np.inf) > v[at]:
        best = np.unravel_index(heights.argmax(), heights.shape)
        left, right = int(lefts[best[0]]), int(rights[best[1]])
        return left, right, float((v[right] - v[left]) / (t[right] - t[left]))
    # It touches at p alone, where any slope between the steepest chords to either side will do:
    # that of v itself, if it has one.
    low = ((v[rights] - v[at]) / (t[rights] - p)).max(initial=-np.inf)
    high = ((v[at] - v[lefts]) / (p - t[lefts])).min(initial=np.inf)
    own = [piece.kernel.slope(p) for piece in found if piece.start <= p <= piece.stop]
    return at, at, float(np.clip(np.nan_to_num(own[0]) if own else 0.0, low, high))


def _values(matrices: Floats, t: Floats) -> Floats:
    """Return lower bounds of v at (t, 1 - t)."""
    return solve_at(matrices, np.column_stack([t, 1.0 - t])).lower
