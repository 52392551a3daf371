"""The mixed-integer feasibility program of a Bayesian game and its candidate parametric models.

Ganzfried and Sandholm (2010), sections 6.1 and 7.1-7.4, in three parts: where thresholds are and how
they are ordered (:mod:`equipoise.solvers.bayesian.cuts`), what plans are worth (:mod:`equipoise.solvers.bayesian.plan_values`),
and, here, what is demanded of the regions between the thresholds.

*Preference.* Ganzfried and Sandholm demand indifference at every threshold and prove the result an
equilibrium if all best responses satisfy the model (Theorem 2). Here the premise is not assumed but
required: where a region is not empty, its plan is worth at least as much as every other plan at both of
its ends and at every cut of the others inside it. At a cut between two regions this says indifference.
With two players what a plan is worth is linear in the other's distribution function between her cuts, so
what holds at these points holds everywhere, and every feasible point is an equilibrium. An empty region
asks nothing, so a model also covers its sub-models.

*Several models.* Regions are those of a common refinement; ζ_m chooses model m, whose regions alone
may be non-empty and whose order then holds (section 7.4). As preferences are required, Ganzfried and
Sandholm's condition that the refinement be a US-refinement (Theorem 4) is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.games.bayesian.game import SignalGame
from equipoise.games.bayesian.parametric import ParametricModel, common_refinement
from equipoise.numerics.encodings import Model
from equipoise.numerics.polynomial import Polynomial, total
from equipoise.numerics.program import ProgramResult
from equipoise.solvers.bayesian.cuts import Cut, Cuts, Edge, Expression, Point
from equipoise.solvers.bayesian.plan_values import worth_of
from equipoise.strategy.regions import Regions

Floats = NDArray[np.float64]
Stage = Literal["full", "empty", "elastic"]
STAGES: tuple[Stage, ...] = ("full", "empty", "elastic")


@dataclass(frozen=True)
class Demand:
    """A plan must be best at ``point`` if all the 0-1 expressions ``holds`` are 1.

    ``seen`` is the cell whose conditional masses apply there.
    """

    point: Point
    seen: int
    holds: tuple[Expression, ...]

    @property
    def can_hold(self) -> bool:
        """Whether no expression is the number 0."""
        return all(isinstance(h, Polynomial) or h > 0.0 for h in self.holds)


class Milfp:
    """The program of ``game`` and ``models``.

    Stage ``full`` demands that every region of the chosen model be best at its ends, as in Ganzfried and
    Sandholm 2010, which leaves equalities and is much faster to solve; ``empty`` lets regions be empty,
    as above; ``elastic`` also lets every preference fail by a common slack, and minimises it. ``mip`` is
    the empty model to fill: it decides what becomes of products.
    """

    def __init__(
        self,
        game: SignalGame,
        models: Sequence[ParametricModel],
        stage: Stage = "empty",
        mip: Model | None = None,
    ) -> None:
        self.game = game
        self.models = tuple(models)
        self.regions = common_refinement(models)
        self.places = tuple(_embed(m, self.regions) for m in models)
        self.mip = Model() if mip is None else mip
        self.slack = self.mip.variable(0.0, max(game.spread)) if stage == "elastic" else None
        self.chosen = self._choose()
        orders = [_order(m, at) for m, at in zip(self.models, self.places, strict=True)]
        counts = [len(plans) for plans in self.regions]
        self.cuts = Cuts(self.mip, game.signals, counts, frozenset.intersection(*orders))
        for order, chosen in zip(orders, self.chosen, strict=True):
            for a, b in order:
                self.mip.at_least(Polynomial.of(self.cuts.lower(a, b)) - chosen)
        self.worth = worth_of(game, self.cuts, self.regions)
        for player, plans in enumerate(self.regions):
            for region in range(len(plans)):
                self._demand(player, region, stage)

    def solve(self, time_limit: float) -> ProgramResult:
        """Solve the program."""
        return self.mip.solve(self.slack, time_limit)

    def read(self, x: Floats) -> tuple[Regions, int]:
        """Return the regions that the columns ``x`` describe, and the number of the chosen model."""
        cuts = []
        for player in range(self.game.players):
            at = [self.cuts.at(cut, x) for cut in self.cuts.inner(player)]
            cuts.append(tuple(np.maximum.accumulate(at).tolist()) if at else ())
        model = int(np.argmax([Polynomial.of(z).at(x) for z in self.chosen]))
        return Regions(self.regions, tuple(cuts)), model

    def named(self, regions: Regions, model: int) -> dict[str, float]:
        """Return the thresholds of model number ``model`` by name, from cuts of all ``regions``."""
        places = self.places[model]
        return {
            name: regions.cuts[i][places[i][k]]
            for i, own in enumerate(self.models[model].thresholds)
            for k, name in enumerate(own)
        }

    def _choose(self) -> list[Expression]:
        """Return ζ, one a model."""
        if len(self.models) == 1:
            return [1.0]
        chosen = [self.mip.binary() for _ in self.models]
        self.mip.equal(total(chosen), 1.0)
        return list(chosen)

    def _demand(self, player: int, region: int, stage: Stage) -> None:
        """Require the plan of ``region`` to be best wherever it is played."""
        low, high = (player, region), (player, region + 1)
        used = self._used(low, high, stage)
        own = self.game.plan(player, self.regions[player][region])
        others = [p for p in range(len(self.game.plans[player])) if p != own]
        find = self._signals if self.game.signals.finite else self._ends
        for demand in find(low, high):
            if demand.can_hold:
                missing = total(1.0 - Polynomial.of(h) for h in (used, *demand.holds))
                room = missing * self.game.spread[player] + (self.slack or 0.0)
                for plan in others:
                    more = self.worth.advantage(player, own, plan, demand.point, demand.seen)
                    self.mip.at_least(more + room)

    def _used(self, low: Cut, high: Cut, stage: Stage) -> Polynomial:
        """Return a 0-1 expression that is 1 if the region from ``low`` to ``high`` may hold a signal."""
        player, region = low
        choices = zip(self.chosen, self.places, strict=True)
        allowed = total(Polynomial.of(z) for z, at in choices if region in at[player])
        used = allowed if stage == "full" else self.mip.binary()
        self.mip.at_least(allowed - used)
        for a, b in zip(self.cuts.fills(low), self.cuts.fills(high), strict=True):
            self.mip.at_least(used - (b - a))
        return used

    def _signals(self, low: Cut, high: Cut) -> Iterator[Demand]:
        """Yield the finite signals that a region holds a part of."""
        for cell in range(self.game.signals.cells):
            yield Demand(Edge(cell), cell, self._overlap(low, high, cell))

    def _overlap(self, low: Cut, high: Cut, cell: int) -> tuple[Expression, Expression]:
        """Return 0-1 expressions that are both 1 if the region from ``low`` to ``high`` meets ``cell``."""
        return 1.0 - self.cuts.reached(low, cell + 1), self.cuts.beyond(high, cell)

    def _ends(self, low: Cut, high: Cut) -> Iterator[Demand]:
        """Yield the ends of a region and the other players' cuts inside it, in a continuous game.

        What a plan is worth jumps at the edges of cells if signals are dependent; then the demands are
        those of the region's part in each cell.
        """
        lower, reached, beyond = self.cuts.lower, self.cuts.reached, self.cuts.beyond
        others = (j for j in range(self.game.players) if j != low[0])
        inside = [
            (cut, (lower(low, cut), lower(cut, high))) for j in others for cut in self.cuts.inner(j)
        ]
        if self.game.signals.joint is None:
            yield Demand(low, 0, ())
            yield Demand(high, 0, ())
            yield from (Demand(cut, 0, holds) for cut, holds in inside)
            return
        for cell in range(self.game.signals.cells):
            part = self._overlap(low, high, cell)
            yield Demand(low, cell, (*part, reached(low, cell)))
            yield Demand(Edge(cell), cell, (*part, 1.0 - reached(low, cell)))
            yield Demand(high, cell, (*part, 1.0 - beyond(high, cell + 1)))
            yield Demand(Edge(cell + 1), cell, (*part, beyond(high, cell + 1)))
            for cut, holds in inside:
                here = (reached(cut, cell), 1.0 - beyond(cut, cell + 1))
                yield Demand(cut, cell, (*part, *holds, *here))


def _embed(model: ParametricModel, regions: Sequence[Sequence[str]]) -> tuple[tuple[int, ...], ...]:
    """Return, for every player, where the regions of ``model`` stand among ``regions``."""
    places = []
    for short, long in zip(model.regions, regions, strict=True):
        at: list[int] = []
        for plan in short:
            at.append(list(long).index(plan, at[-1] + 1 if at else 0))
        places.append(tuple(at))
    return tuple(places)


def _order(
    model: ParametricModel, places: tuple[tuple[int, ...], ...]
) -> frozenset[tuple[Cut, Cut]]:
    """Return the pairs of different players' cuts that ``model`` orders."""
    cut = {
        name: (i, places[i][k] + 1)
        for i, own in enumerate(model.thresholds)
        for k, name in enumerate(own)
    }
    return frozenset((cut[a], cut[b]) for a, b in model.closure if cut[a][0] != cut[b][0])
