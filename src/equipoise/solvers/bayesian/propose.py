"""Parametric models proposed by the game itself.

Ganzfried and Sandholm leave guessing the models to people (their section 9 names this as future work). Here the
signals are made coarse, the finite game that results is solved, and the regions are read off: by
linear programming if two players' payments have a constant sum, by fictitious play otherwise.
Everybody trembles a little, so that regions where nothing is at stake in equilibrium (which hands to
bluff with, how to answer a bet that is never made) come out the way they would if a rare mistake
could still matter: as regions, not as noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from equipoise.games.bayesian.game import SignalGame
from equipoise.games.bayesian.parametric import ParametricModel
from equipoise.solvers.bayesian.qualitative import PIECEWISE, Answer, ModelSearch, Products, look
from equipoise.solvers.bayesian.signal_lp import zero_sum
from equipoise.solvers.driver import Hooks, Stop
from equipoise.strategy.regions import Profile, interim

Floats = NDArray[np.float64]

TRIES: tuple[tuple[int, float], ...] = ((40, 1e-3), (100, 1e-4), (200, 1e-5), (400, 1e-6))
"""Numbers of signals and trembles, from coarse to fine: narrow regions only show in the later ones."""

NARROW = 0.03
"""A region may fill as little of a cell as this and still be seen."""


def discover(
    game: SignalGame,
    *,
    products: Products = PIECEWISE,
    target: float = 0.0,
    time_limit: float = 60.0,
    iterations: float = math.inf,
    **hooks: Unpack[Hooks],
) -> Answer:
    """Find an equilibrium of ``game`` with no model given.

    Proposals are tried from coarse to fine, each with all its regions non-empty; if none fits, the
    first one that allows it is solved with empty regions, or approached as nearly as time allows.
    Target, limits and hooks are as in :func:`qualitative`.
    """
    return look(Discovery(game, products), Stop(target, iterations, time_limit), **hooks)


class Discovery(ModelSearch):
    """A search among models that the game proposes: model number n is that of the n-th try."""

    def programs(self) -> Iterator[None]:
        """Solve the program of each proposal, strictly; then those of the first one, leniently."""
        seen: list[tuple[tuple[str, ...], ...]] = []
        for number in range(len(TRIES)):
            if seen and self.deadline.left <= 0:
                break
            model = self.model(number)
            assert model is not None
            if model.regions in seen:
                continue
            seen.append(model.regions)
            seconds = 0.5 * self.deadline.left
            if (
                yield from self.attempt(number, [model], "full", seconds, self.products)
            ) == "found":
                return
        first = self.model(0)
        assert first is not None
        yield from self.stages(0, [first])

    @cache  # noqa: B019 - a search is short-lived, and holds its proposals as long
    def model(self, number: int) -> ParametricModel | None:
        """Return the proposal of a try."""
        return propose(self.game, *TRIES[number]) if 0 <= number < len(TRIES) else None


def propose(
    game: SignalGame, cells: int = 40, tremble: float = 1e-3, apart: float = 3.0
) -> ParametricModel:
    """Return the model of ``game`` that a discretisation into ``cells`` signals suggests.

    Cuts of different players are ordered only where they are more than ``apart`` signals from each
    other: closer ones may be the discretisation's doing.
    """
    coarse = game.discretized(cells)
    if coarse.round is not None and coarse.players == 2 and coarse.round.constant_sum is not None:
        mixtures, least = [zero_sum(coarse, i, tremble)[1] for i in range(2)], NARROW
    else:
        # Averages of replies are never quite pure: only the plan that prevails counts.
        mixtures, least = fictitious_play(coarse, tremble), 0.5
    regions, names, places = [], [], {}
    for i, mixture in enumerate(mixtures):
        runs = _runs(np.maximum(mixture - tremble, 0.0), least)
        own = [f"P{i + 1}.{k}" for k in range(1, len(runs))]
        regions.append(tuple(game.plans[i][plan] for plan, _ in runs))
        names.append(tuple(own))
        places.update({name: (i, start) for name, (_, start) in zip(own, runs[1:], strict=True)})
    order = frozenset(
        (a, b)
        for a, (i, s) in places.items()
        for b, (j, t) in places.items()
        if i != j and t - s > apart
    )
    return ParametricModel(
        tuple(regions), tuple(names), order, f"proposed from {coarse.signals.cells} signals"
    )


def _runs(mixture: Floats, least: float) -> list[tuple[int, float]]:
    """Return the plans of successive regions, each with the position at which its region starts.

    A cell that mixes plans holds a threshold, or a region narrower than a cell: the plan it shares
    with the cell before comes first, the one it shares with the cell after last. Plans played with at
    most ``least`` do not count.
    """
    sets = [set(np.flatnonzero(row > least).tolist()) or {int(np.argmax(row))} for row in mixture]
    runs: list[tuple[int, float]] = []
    for cell, (before, here, after) in enumerate(
        zip([set(), *sets], sets, [*sets[1:], set()], strict=False)
    ):
        start = float(cell)
        for plan in sorted(
            here, key=lambda p: (p not in before) + (p in after and p not in before)
        ):
            if not runs or runs[-1][0] != plan:
                runs.append((plan, start))
            start += float(mixture[cell, plan])
    return runs


def fictitious_play(game: SignalGame, tremble: float = 1e-3, rounds: int = 2000) -> list[Floats]:
    """Return the players' average mixtures after ``rounds`` of best replies to the averages so far.

    Later replies weigh more (round t by t), so that early ones are forgotten.
    """
    signals = game.signals
    mixtures = [np.full((signals.cells, len(plans)), 1.0 / len(plans)) for plans in game.plans]
    for t in range(1, rounds + 1):
        profile = Profile(signals, tuple(mixtures))
        replies = []
        for i, plans in enumerate(game.plans):
            best = np.argmax(interim(game, i, profile), axis=0)
            reply = np.full((signals.cells, len(plans)), tremble)
            reply[np.arange(signals.cells), best] += 1.0 - tremble * len(plans)
            replies.append(reply)
        step = 2.0 / (t + 1.0)
        mixtures = [m + step * (r - m) for m, r in zip(mixtures, replies, strict=True)]
    return mixtures
