"""The mixed-integer feasibility program of a Bayesian game and its candidate parametric models.

Ganzfried and Sandholm (2010), sections 6.1, 7.1-7.4. Notation: player i's *cut* k is the threshold
between her regions k - 1 and k, cut 0 the low end of the signal line and the last one its high end.

*Consistency.* A cut is a vector of fills w_m, the fraction of cell m below it; fills are filled in
order. For any masses p of the cells, Σ_m p_m w_m is then the probability of a signal below the cut:
F_j(t) for the masses of player j, and the conditional probability q of section 7.2 for a row of the
joint masses. One encoding serves finite, continuous, independent and dependent signals.

*Order.* Cuts that the models leave unordered get a 0-1 column that says which is lower; F(min(s, t))
is linear given those.

*Preference.* The seed demands indifference at every threshold and proves the result an equilibrium if
all best responses satisfy the model (Theorem 2). Here the premise is not assumed but required: where a
region is not empty, its plan is worth at least as much as every other plan at both of its ends and at
every cut of the others inside it. At a cut between two regions this says indifference. With two
players what a plan is worth is linear in the other's distribution function between her cuts, so what
holds at these points holds everywhere, and every feasible point is an equilibrium. An empty region
asks nothing, so a model also covers its sub-models.

*Several models.* Regions are those of a common refinement; ζ_m chooses model m, whose regions alone
may be non-empty and whose order then holds (section 7.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.games.bayesian import BayesianGame
from equipoise.games.parametric import ParametricModel, common_refinement
from equipoise.numerics.encodings import Encoding, Model, Polynomial, total
from equipoise.numerics.program import Program
from equipoise.strategy.regions import Regions

Floats = NDArray[np.float64]
Cut = tuple[int, int]
Stage = Literal["full", "empty", "elastic"]
STAGES: tuple[Stage, ...] = ("full", "empty", "elastic")


@dataclass(frozen=True)
class Edge:
    """The fixed point of the signal line below which ``cells`` cells lie."""

    cells: int


Demand = tuple[Cut | Edge, int, list[Polynomial | float]]


class Milfp:
    """The program of ``game`` and ``models``.

    Stage ``full`` demands that every region of the chosen model be best at its ends, as in the seed,
    which leaves equalities and is much faster to solve; ``empty`` lets regions be empty, as above;
    ``elastic`` also lets every preference fail by a common slack, and minimises it.
    """

    def __init__(
        self,
        game: BayesianGame,
        models: Sequence[ParametricModel],
        *,
        breakpoints: int = 17,
        encoding: Encoding = "logarithmic",
        stage: Stage = "empty",
    ) -> None:
        self.game = game
        self.models = tuple(models)
        self.regions = common_refinement(models)
        self.embeddings = tuple(_embed(m, self.regions) for m in models)
        self.mip = Model(breakpoints, encoding)
        self.slack = self.mip.variable(0.0, game.round.span) if stage == "elastic" else None
        self.chosen = self._choose()
        self.fills: list[list[list[Polynomial]]] = []
        self._reached: dict[Cut, list[Polynomial]] = {}
        self._beyond: dict[Cut, list[Polynomial]] = {}
        for i in range(game.players):
            self.fills.append(self._cuts(i))
        self.used = [self._use(i, stage != "full") for i in range(game.players)]
        self._lower: dict[tuple[Cut, Cut], Polynomial | float] = {}
        self._relate()
        self.below = cache(self._below)
        self.below_both = cache(self._below_both)
        self.worth = cache(self._worth)
        for i in range(game.players):
            for demand, region in self._points(i):
                self._prefer(i, region, *demand)

    def program(self) -> Program:
        """Return the program for the solver."""
        return self.mip.program(self.slack)

    def read(self, x: Floats) -> tuple[Regions, int]:
        """Return the regions that the columns ``x`` describe, and the number of the chosen model."""
        widths = np.diff(self.game.signals.edges)
        cuts = []
        for own in self.fills:
            at = [float(sum(f.at(x) * w for f, w in zip(fills, widths, strict=True))) for fills in own[1:-1]]
            ends = np.clip(np.array(at) + self.game.signals.edges[0], *self.game.signals.edges[[0, -1]])
            cuts.append(tuple(float(c) for c in np.maximum.accumulate(ends)))
        model = int(np.argmax([Polynomial.of(z).at(x) for z in self.chosen]))
        return Regions(self.regions, tuple(cuts)), model

    def named(self, regions: Regions, model: int) -> dict[str, float]:
        """Return the thresholds of model number ``model`` by name, from cuts of all ``regions``."""
        places = self.embeddings[model]
        return {
            name: regions.cuts[i][places[i][k]]
            for i, own in enumerate(self.models[model].thresholds)
            for k, name in enumerate(own)
        }

    def _choose(self) -> list[Polynomial | float]:
        """Return ζ, one a model."""
        if len(self.models) == 1:
            return [1.0]
        chosen = [self.mip.binary() for _ in self.models]
        self.mip.equal(total(chosen), 1.0)
        return list(chosen)

    def _cuts(self, player: int) -> list[list[Polynomial]]:
        """Return the fills of every cut of ``player``, ends included."""
        signals = self.game.signals
        tell = signals.finite or signals.joint is not None
        cuts = [[Polynomial.of(0.0)] * signals.cells]
        for k in range(1, len(self.regions[player])):
            fills, reached, beyond = self.mip.ordered_fills(signals.cells, tell_edges=tell)
            cuts.append(fills)
            self._reached[player, k], self._beyond[player, k] = reached, beyond
        return [*cuts, [Polynomial.of(1.0)] * signals.cells]

    def reached(self, cut: Cut, edge: int) -> Polynomial | float:
        """Return 0 if ``cut`` lies below ``edge``, 1 if above, either if on it."""
        return self._passed(self._reached, cut, edge)

    def beyond(self, cut: Cut, edge: int) -> Polynomial | float:
        """Return the same as :meth:`reached`, which is at least as large on the edge."""
        return self._passed(self._beyond, cut, edge)

    def _passed(self, columns: dict[Cut, list[Polynomial]], cut: Cut, edge: int) -> Polynomial | float:
        if edge in (0, self.game.signals.cells):
            return float(edge == 0)
        return columns[cut][edge - 1] if cut in columns else float(cut[1] > 0)

    def _use(self, player: int, may_be_empty: bool) -> list[Polynomial]:
        """Return, for every region of ``player``, a 0-1 expression that is 1 if it may hold a signal."""
        used = []
        for region in range(len(self.regions[player])):
            choices = zip(self.chosen, self.embeddings, strict=True)
            allowed = total(Polynomial.of(z) for z, at in choices if region in at[player])
            column = self.mip.binary() if may_be_empty else allowed
            self.mip.at_least(allowed - column)
            low, high = self.fills[player][region], self.fills[player][region + 1]
            for a, b in zip(low, high, strict=True):
                self.mip.at_least(b - a)
                self.mip.at_least(column - (b - a))
            used.append(column)
        return used

    def _relate(self) -> None:
        """Set up which of two players' cuts is lower, by the models' order or by a 0-1 column."""
        orders = [_order(m, at) for m, at in zip(self.models, self.embeddings, strict=True)]
        always = frozenset.intersection(*orders)
        for i in range(self.game.players):
            for j in range(i):
                for k in range(1, len(self.regions[i])):
                    for l in range(1, len(self.regions[j])):
                        self._lower[(j, l), (i, k)] = self._relation((j, l), (i, k), always)
        for order, chosen in zip(orders, self.chosen, strict=True):
            for a, b in order - always:
                self.mip.at_least(self.lower(a, b) - chosen)
        for (a, b), lower in self._lower.items():
            for c, d in (((a[0], a[1] + 1), b), (a, (b[0], b[1] - 1))):
                if (c, d) in self._lower:
                    self.mip.at_least(Polynomial.of(lower) - self._lower[c, d])

    def _relation(self, a: Cut, b: Cut, always: frozenset[tuple[Cut, Cut]]) -> Polynomial | float:
        """Return 1 or 0 if the order says so, else a new column that is 1 only if a ≤ b and 0 only if b ≤ a."""
        fills = list(zip(self.fills[a[0]][a[1]], self.fills[b[0]][b[1]], strict=True))
        if (a, b) in always or (b, a) in always:
            sign = 1.0 if (a, b) in always else -1.0
            for s, t in fills:
                self.mip.at_least((t - s) * sign)
            return 1.0 if sign > 0 else 0.0
        column = self.mip.binary()
        for s, t in fills:
            self.mip.at_least(t - s + (1.0 - column))
            self.mip.at_least(s - t + column)
        return column

    def lower(self, a: Cut, b: Cut) -> Polynomial | float:
        """Return 1 where cut ``a`` is at most cut ``b``, as a number or as a 0-1 expression."""
        if a[0] == b[0]:
            return 1.0 if a[1] <= b[1] else 0.0
        if a[1] == 0 or b[1] == len(self.regions[b[0]]):
            return 1.0
        if b[1] == 0 or a[1] == len(self.regions[a[0]]):
            return 0.0
        if (a, b) in self._lower:
            return self._lower[a, b]
        return 1.0 - self._lower[b, a]

    def _below(self, masses: tuple[float, ...], cut: Cut) -> Polynomial:
        """Return the probability of a signal below ``cut`` where the cells have ``masses``."""
        expression = total(f * p for f, p in zip(self.fills[cut[0]][cut[1]], masses, strict=True))
        return expression if len(masses) == 1 or expression.degree == 0 else self.mip.define(expression)

    def _below_both(self, masses: tuple[float, ...], cut: Cut, point: Cut | Edge) -> Polynomial:
        """Return the probability of a signal below both ``cut`` and ``point``."""
        if isinstance(point, Edge):
            fills = self.fills[cut[0]][cut[1]][: point.cells]
            return total(f * p for f, p in zip(fills, masses, strict=False))
        lower = self.lower(cut, point)
        if not isinstance(lower, Polynomial):
            return self.below(masses, cut if lower else point)
        if point < cut:
            return self.below_both(masses, point, cut)
        a, b = self.below(masses, cut), self.below(masses, point)
        least = self.mip.variable()
        for x, room in ((a, 1.0 - lower), (b, lower)):
            self.mip.at_least(x - least)
            self.mip.at_least(least - x + room)
        return least

    def _points(self, player: int) -> Iterator[tuple[Demand, int]]:
        """Yield where each region of ``player`` must be best.

        Each as (point, cell whose conditional masses apply, 0-1 expressions that must all be 1 for the
        demand to hold), with the region.
        """
        find = self._signals if self.game.signals.finite else self._ends
        for region, used in enumerate(self.used[player]):
            for point, seen, holds in find((player, region), (player, region + 1)):
                if not any(h == 0.0 for h in holds if not isinstance(h, Polynomial)):
                    yield (point, seen, [used, *holds]), region

    def _signals(self, low: Cut, high: Cut) -> Iterator[Demand]:
        """Yield the finite signals that a region holds a part of."""
        for cell in range(self.game.signals.cells):
            yield Edge(cell), cell, self._overlap(low, high, cell)

    def _overlap(self, low: Cut, high: Cut, cell: int) -> list[Polynomial | float]:
        """Return 0-1 expressions that are all 1 if the region from ``low`` to ``high`` meets ``cell``."""
        return [1.0 - self.reached(low, cell + 1), self.beyond(high, cell)]

    def _ends(self, low: Cut, high: Cut) -> Iterator[Demand]:
        """Yield the ends of a region and the other players' cuts inside it, in a continuous game.

        What a plan is worth jumps at the edges of cells if signals are dependent; then the demands are
        those of the region's part in each cell.
        """
        inside: list[tuple[Cut, list[Polynomial | float]]] = [
            ((j, k), [self.lower(low, (j, k)), self.lower((j, k), high)])
            for j in range(self.game.players)
            for k in range(1, len(self.regions[j]))
            if j != low[0]
        ]
        if self.game.signals.joint is None:
            yield low, 0, []
            yield high, 0, []
            yield from ((cut, 0, holds) for cut, holds in inside)
            return
        for cell in range(self.game.signals.cells):
            part = self._overlap(low, high, cell)
            yield low, cell, [*part, self.reached(low, cell)]
            yield Edge(cell), cell, [*part, 1.0 - self.reached(low, cell)]
            yield high, cell, [*part, 1.0 - self.beyond(high, cell + 1)]
            yield Edge(cell + 1), cell, [*part, self.beyond(high, cell + 1)]
            for cut, holds in inside:
                yield cut, cell, [*part, *holds, self.reached(cut, cell), 1.0 - self.beyond(cut, cell + 1)]

    def _prefer(self, player: int, region: int, point: Cut | Edge, seen: int, holds: list[Polynomial | float]) -> None:
        """Require the plan of ``region`` to be best at ``point`` if all of ``holds`` are 1."""
        reach = self.game.round.reach[player]
        own = self.game.plan(player, self.regions[player][region])
        spread = float(self.game.round.win[:, player].max() - self.game.round.lose[:, player].min())
        missing = total(1.0 - Polynomial.of(h) for h in holds)
        for plan in range(len(reach)):
            if plan != own:
                gain = total(
                    self.worth(player, k, point, seen) * float(reach[own, k] - reach[plan, k])
                    for k in range(reach.shape[1])
                    if reach[own, k] != reach[plan, k]
                )
                self.mip.at_least(gain + missing * spread + (self.slack or 0.0))

    def _worth(self, player: int, leaf: int, point: Cut | Edge, seen: int) -> Polynomial:
        """Return what ``leaf`` contributes to a plan of ``player`` that leads to it, at ``point``."""
        end = self.game.round.leaves[leaf]
        masses = self.game.signals.conditional(player, seen)
        arrive = {j: self._arrive(j, leaf, point, masses[j]) for j in range(self.game.players) if j != player}
        everybody = Polynomial.of(1.0)
        for anywhere, _, _ in arrive.values():
            everybody = everybody * anywhere
        worth = everybody * end.lose[player]
        if player in end.contenders:
            nodes, weights = np.polynomial.legendre.leggauss((self.game.players + 1) // 2)
            for z, weight in zip(0.5 * (nodes + 1.0), 0.5 * weights, strict=True):
                share = Polynomial.of(float(weight) * (end.win[player] - end.lose[player]))
                for j, (anywhere, worse, same) in arrive.items():
                    share = share * (worse + same * float(z) if j in end.contenders else anywhere)
                worth = worth + share
        return worth

    def _arrive(self, other: int, leaf: int, point: Cut | Edge, mass: Floats) -> tuple[Polynomial, Polynomial, Polynomial]:
        """Return how likely ``other`` comes to ``leaf``: with any, a worse, the same signal as ``point``."""
        masses = tuple(map(float, mass))
        reach = self.game.round.reach[other][:, leaf]
        regions = [r for r, plan in enumerate(self.regions[other]) if reach[self.game.plan(other, plan)]]
        anywhere = total(self.below(masses, (other, r + 1)) - self.below(masses, (other, r)) for r in regions)

        def under(place: Cut | Edge) -> Polynomial:
            return total(
                self.below_both(masses, (other, r + 1), place) - self.below_both(masses, (other, r), place)
                for r in regions
            )

        low_wins = self.game.round.better == "low"
        if not self.game.signals.finite:
            lower = under(point)
            return anywhere, (anywhere - lower if low_wins else lower), Polynomial()
        assert isinstance(point, Edge)
        lower, upto = under(point), under(Edge(point.cells + 1))
        return anywhere, (anywhere - upto if low_wins else lower), upto - lower


def _embed(model: ParametricModel, regions: Sequence[Sequence[str]]) -> tuple[tuple[int, ...], ...]:
    """Return, for every player, where the regions of ``model`` stand among ``regions``."""
    places = []
    for short, long in zip(model.regions, regions, strict=True):
        at: list[int] = []
        for plan in short:
            at.append(list(long).index(plan, at[-1] + 1 if at else 0))
        places.append(tuple(at))
    return tuple(places)


def _order(model: ParametricModel, places: tuple[tuple[int, ...], ...]) -> frozenset[tuple[Cut, Cut]]:
    """Return the pairs of different players' cuts that ``model`` orders."""
    cut = {
        name: (i, places[i][k] + 1)
        for i, own in enumerate(model.thresholds)
        for k, name in enumerate(own)
    }
    return frozenset((cut[a], cut[b]) for a, b in model.closure if cut[a][0] != cut[b][0])
