"""Thresholds as columns of a mixed-integer program: where they are, and which is lower.

Player i's *cut* k is the threshold between her regions k - 1 and k; cut 0 is the low end of the
signal line and the last one its high end.

*Consistency* (Ganzfried and Sandholm 2010, sections 6.1, 7.1, 7.2). A cut is a vector of fills w_m, the
fraction of cell m below it; fills are filled in order. For any masses p of the cells, Σ_m p_m w_m is
then the probability of a signal below the cut: F_j(t) for the masses of player j, and the conditional
probability q of section 7.2 for a row of the joint masses. One encoding serves finite, continuous,
independent and dependent signals.

*Order.* Cuts of different players that the models leave unordered get a 0-1 column that says which is
lower; the probability of a signal below both of two cuts is linear given those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from equipoise.games.bayesian.distributions import Signals
from equipoise.numerics.encodings import Model
from equipoise.numerics.polynomial import Polynomial, total

Floats = NDArray[np.float64]
Cut = tuple[int, int]
Expression = Polynomial | float


@dataclass(frozen=True)
class Edge:
    """The fixed point of the signal line below which ``cells`` cells lie."""

    cells: int


Point = Cut | Edge


class Cuts:
    """The cuts of all players: ``counts[i]`` regions of player i, ``order`` pairs known to be a ≤ b."""

    def __init__(
        self,
        model: Model,
        signals: Signals,
        counts: Sequence[int],
        order: frozenset[tuple[Cut, Cut]],
    ) -> None:
        self.model = model
        self.signals = signals
        self.counts = tuple(counts)
        self._reached: dict[Cut, list[Polynomial]] = {}
        self._beyond: dict[Cut, list[Polynomial]] = {}
        self._fills: dict[Cut, list[Polynomial]] = {}
        for player, count in enumerate(self.counts):
            self._lay(player, count)
        self._lower: dict[tuple[Cut, Cut], Expression] = {}
        self._relate(order)
        self.below = cache(self._below)
        self.below_both = cache(self._below_both)

    def inner(self, player: int) -> list[Cut]:
        """Return the cuts of ``player`` between regions."""
        return [(player, k) for k in range(1, self.counts[player])]

    def fills(self, cut: Cut) -> list[Polynomial]:
        """Return the fraction of every cell that lies below ``cut``."""
        return self._fills[cut]

    def at(self, cut: Cut, x: Floats) -> float:
        """Return where ``cut`` lies if the columns have the values ``x``."""
        low, high = self.signals.line
        widths = np.diff(self.signals.edges)
        below = sum(f.at(x) * w for f, w in zip(self._fills[cut], widths, strict=True))
        return float(np.clip(low + below, low, high))

    def _lay(self, player: int, count: int) -> None:
        """Add the cuts of ``player``, in order."""
        cells = self.signals.cells
        tell = self.signals.finite or self.signals.joint is not None
        self._fills[player, 0] = [Polynomial.of(0.0)] * cells
        self._fills[player, count] = [Polynomial.of(1.0)] * cells
        for cut in self.inner(player):
            fills, reached, beyond = self.model.ordered_fills(cells, tell_edges=tell)
            self._fills[cut], self._reached[cut], self._beyond[cut] = fills, reached, beyond
        for k in range(count):
            self._require_lower((player, k), (player, k + 1), 0.0)

    def _require_lower(self, a: Cut, b: Cut, room: Expression) -> None:
        """Require a ≤ b, unless ``room`` is 1."""
        for s, t in zip(self._fills[a], self._fills[b], strict=True):
            self.model.at_least(t - s + room)

    def _relate(self, order: frozenset[tuple[Cut, Cut]]) -> None:
        """Say which of any two players' cuts is lower, by the known order or by a 0-1 column."""
        for i in range(len(self.counts)):
            for a in (cut for j in range(i) for cut in self.inner(j)):
                for b in self.inner(i):
                    self._lower[a, b] = self._relation(a, b, order)
        for (a, b), lower in self._lower.items():
            for c, d in (((a[0], a[1] + 1), b), (a, (b[0], b[1] - 1))):
                if (c, d) in self._lower:
                    self.model.at_least(Polynomial.of(lower) - self._lower[c, d])

    def _relation(self, a: Cut, b: Cut, order: frozenset[tuple[Cut, Cut]]) -> Expression:
        """Return 1 if a ≤ b is known, 0 if b ≤ a, else a column that may be 1 or 0 only then."""
        if (a, b) in order:
            self._require_lower(a, b, 0.0)
            return 1.0
        if (b, a) in order:
            self._require_lower(b, a, 0.0)
            return 0.0
        column = self.model.binary()
        self._require_lower(a, b, 1.0 - column)
        self._require_lower(b, a, column)
        return column

    def lower(self, a: Cut, b: Cut) -> Expression:
        """Return 1 where cut ``a`` is at most cut ``b``, as a number or as a 0-1 expression."""
        if a[0] == b[0]:
            return float(a[1] <= b[1])
        if a[1] == 0 or b[1] == self.counts[b[0]]:
            return 1.0
        if b[1] == 0 or a[1] == self.counts[a[0]]:
            return 0.0
        return self._lower[a, b] if (a, b) in self._lower else 1.0 - self._lower[b, a]

    def reached(self, cut: Cut, edge: int) -> Expression:
        """Return 0 if ``cut`` lies below ``edge``, 1 if above, either if on it."""
        return self._passed(self._reached, cut, edge)

    def beyond(self, cut: Cut, edge: int) -> Expression:
        """Return the same as :meth:`reached`, which is at least as large on the edge."""
        return self._passed(self._beyond, cut, edge)

    def _passed(self, columns: dict[Cut, list[Polynomial]], cut: Cut, edge: int) -> Expression:
        if edge in (0, self.signals.cells):
            return float(edge == 0)
        return columns[cut][edge - 1] if cut in columns else float(cut[1] > 0)

    def _below(self, masses: tuple[float, ...], cut: Cut) -> Polynomial:
        """Return the probability of a signal below ``cut`` where the cells have ``masses``."""
        expression = total(f * p for f, p in zip(self._fills[cut], masses, strict=True))
        if len(masses) == 1 or expression.degree == 0:
            return expression
        return self.model.define(expression)

    def _below_both(self, masses: tuple[float, ...], cut: Cut, point: Point) -> Polynomial:
        """Return the probability of a signal below both ``cut`` and ``point``."""
        if isinstance(point, Edge):
            if point.cells == len(masses):
                return self.below(masses, cut)
            fills = self._fills[cut][: point.cells]
            return total(f * p for f, p in zip(fills, masses, strict=False))
        lower = self.lower(cut, point)
        if not isinstance(lower, Polynomial):
            return self.below(masses, cut if lower else point)
        if point < cut:
            return self.below_both(masses, point, cut)
        least = self.model.variable()
        for one, room in ((cut, 1.0 - lower), (point, lower)):
            expression = self.below(masses, one)
            self.model.at_least(expression - least)
            self.model.at_least(least - expression + room)
        return least
