"""Bayesian games with one private signal a player (Ganzfried and Sandholm 2010, Definition 6).

A :class:`BayesianGame` is a betting round over private signals: payments depend on the public actions
and on who has the better signal. A :class:`UtilityGame` is paid by any function of actions and
signals, tabulated over finite signals. What pays is an ability that a game says itself that it has: its
``round``, or its ``tables``; the other one is None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.bayesian.betting_round import BettingRound
from equipoise.games.bayesian.distributions import Cdf, Signals
from equipoise.games.trees.extensive import are_payoffs

__all__ = ["BayesianGame", "Cdf", "SignalGame", "Signals", "UtilityGame"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BayesianGame:
    """A betting round played over private signals."""

    round: BettingRound
    signals: Signals
    tables: ClassVar[None] = None
    error: ClassVar[float] = 0.0
    family: ClassVar[str] = "bayesian"

    def __post_init__(self) -> None:
        if self.round.players != self.signals.players:
            raise EquipoiseError(
                f"Bayesian game: found signals for {self.signals.players} players, expected "
                f"{self.round.players}."
            )

    def __repr__(self) -> str:
        return _short(self)

    @property
    def players(self) -> int:
        """Number of players."""
        return self.round.players

    @property
    def plans(self) -> tuple[tuple[str, ...], ...]:
        """Every player's actions: the names of her reduced plans."""
        return self.round.plans

    def plan(self, player: int, name: str) -> int:
        """Return the number of the plan called ``name``."""
        return _find(self.plans, player, name)

    @cached_property
    def spread(self) -> tuple[float, ...]:
        """Largest minus smallest payment of every player."""
        both = np.concatenate([self.round.win, self.round.lose])
        return tuple(np.ptp(both, axis=0).tolist())

    def discretized(self, cells: int) -> BayesianGame:
        """Return the game with ``cells`` finite signals, or itself if its signals are finite."""
        if self.signals.finite:
            return self
        return BayesianGame(self.round, self.signals.discretized(cells))


@dataclass(frozen=True)
class UtilityGame:
    """Two players with finite signals, paid by tables: ``tables[i][p, q, j, m]`` is what player i gets.

    Player 1 follows plan p with signal j, player 2 plan q with signal m. ``error`` is how far a
    payment may be off because signals were made finite.
    """

    plans: tuple[tuple[str, ...], ...]
    tables: tuple[Floats, Floats]
    signals: Signals
    error: float = 0.0
    round: ClassVar[None] = None
    family: ClassVar[str] = "bayesian"

    def __repr__(self) -> str:
        return _short(self)

    @classmethod
    def from_function(
        cls,
        actions: Sequence[Sequence[str]],
        utility: Callable[[tuple[str, ...], tuple[float, ...]], Sequence[float]],
        signals: Signals,
        cells: int = 32,
    ) -> UtilityGame:
        """Tabulate ``utility(actions, signals) -> payments``.

        Continuous signals are first cut into ``cells`` parts and stand at their middles; ``error`` is
        the largest difference between a payment there and at the corners of a part.
        """
        finite = signals if signals.finite else signals.discretized(cells)
        if finite.players != 2 or len(actions) != 2:
            raise EquipoiseError("Utilities as code: expected two players.")
        low, high = finite.edges[:-1], finite.edges[1:]
        # Signal j of a finite game is the number j, the upper edge of its cell.
        at = high if signals.finite else 0.5 * (low + high)
        shape = (len(actions[0]), len(actions[1]))
        middle = _tabulate(utility, actions, shape, at, at)
        error = 0.0
        if not signals.finite:
            corners = [
                _tabulate(utility, actions, shape, x, y) for x in (low, high) for y in (low, high)
            ]
            error = max(float(np.abs(corner - middle).max()) for corner in corners)
        plans = tuple(tuple(own) for own in actions)
        return cls(plans, (middle[0], middle[1]), finite, error)

    @property
    def players(self) -> int:
        """Number of players."""
        return 2

    def plan(self, player: int, name: str) -> int:
        """Return the number of the action called ``name``."""
        return _find(self.plans, player, name)

    @cached_property
    def spread(self) -> tuple[float, ...]:
        """Largest minus smallest payment of every player."""
        return tuple(float(np.ptp(table)) for table in self.tables)

    def discretized(self, cells: int) -> UtilityGame:
        """Return the game itself: its signals are finite."""
        return self


SignalGame = BayesianGame | UtilityGame


def _short(game: SignalGame) -> str:
    plans = " x ".join(str(len(own)) for own in game.plans)
    kind = "signals" if game.signals.finite else "cells of signals"
    return f"<{type(game).__name__}: {plans} plans, {game.signals.cells} {kind}>"


def _find(plans: tuple[tuple[str, ...], ...], player: int, name: str) -> int:
    """Return the place of ``name`` among a player's plans, or raise naming the plans there are."""
    try:
        return plans[player].index(name)
    except ValueError:
        known = ", ".join(plans[player])
        raise EquipoiseError(
            f"P{player + 1}: found the plan '{name}', expected one of {known}."
        ) from None


def _tabulate(
    utility: Any, actions: Sequence[Sequence[str]], shape: tuple[int, int], x: Floats, y: Floats
) -> Floats:
    """Return the payments of both players for every pair of actions and signals."""
    table = np.empty((2, *shape, len(x), len(y)))
    for p, q, j, m in np.ndindex(*table.shape[1:]):
        pay = utility((actions[0][p], actions[1][q]), (float(x[j]), float(y[m])))
        if len(pay) != 2 or not are_payoffs(pay):
            raise EquipoiseError(
                f"Utility of ({actions[0][p]}, {actions[1][q]}) at ({x[j]:g}, {y[m]:g}): found {pay}, "
                "expected two finite payments between -1e300 and 1e300."
            )
        table[:, p, q, j, m] = pay
    return table
