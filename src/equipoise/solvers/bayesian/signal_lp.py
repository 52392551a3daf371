"""Zero-sum Bayesian games with finite signals, by linear programming.

Player 1's program: maximise Σ_m v_m where v_m, the value to her of player 2's signal m (weighted with
its probability), is at most what each plan of player 2 leaves her there. What a plan leaves depends
on how much of player 1's arrival at a leaf has a better signal than m, and how much a worse one:
prefix sums over her signals. Kept as columns they make the program sparse, of a size linear in the
number of signals, where the sequence form has a nonzero for every pair.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.bayesian.game import BayesianGame
from equipoise.numerics.encodings import Model
from equipoise.numerics.polynomial import Polynomial, total
from equipoise.numerics.powers import power_below

Floats = NDArray[np.float64]


def zero_sum(
    game: BayesianGame, player: int = 0, tremble: float = 0.0, time_limit: float = np.inf
) -> tuple[float, Floats]:
    """Return the value of ``game`` to ``player`` and a strategy of hers that secures it.

    The strategy is a mixture of plans (columns) for every signal (rows). With ``tremble`` everybody
    plays every plan with at least that probability, which settles what to do where nothing is at
    stake: the value is then that of the trembling game.
    """
    _check(game)
    # Tolerances of the program are for payments of about one.
    unit = power_below(game.spread[player])
    game = replace(game, round=game.round.scaled(1.0 / unit))
    model = Model()
    mixture = [
        [model.variable(tremble, 1.0) for _ in game.plans[player]]
        for _ in range(game.signals.cells)
    ]
    for row in mixture:
        model.equal(total(row), 1.0)
    secured = guarantee(model, game, player, mixture, tremble)
    outcome = model.solve(-secured, time_limit).require_optimal("Signal game")
    strategy = np.array([[x.at(outcome.x) for x in row] for row in mixture])
    return -outcome.objective * unit, np.clip(strategy, 0.0, 1.0)


def guarantee(
    model: Model,
    game: BayesianGame,
    player: int,
    mixture: list[list[Polynomial]],
    tremble: float = 0.0,
) -> Polynomial:
    """Add to ``model`` what ``mixture`` secures ``player`` in ``game``: an expression no larger."""
    betting, other = game.round, 1 - player
    arrivals = _Arrivals(model, game, player, mixture)
    values = []
    for m in range(game.signals.cells):
        worth = [arrivals.worth(k, m) for k in range(len(betting.leaves))]
        plans = [total(worth[k] for k in np.flatnonzero(row)) for row in betting.reach[other]]
        # A trembling opponent takes her best plan with what the other plans leave of one.
        rest = total(plans) * tremble
        value = model.variable(-np.inf, np.inf)
        for plan in plans:
            model.at_least(plan * (1.0 - tremble * len(plans)) + rest - value)
        values.append(value)
    return total(values)


class _Arrivals:
    """How likely ``player`` comes to every leaf, against every signal of the other player."""

    def __init__(
        self, model: Model, game: BayesianGame, player: int, mixture: list[list[Polynomial]]
    ) -> None:
        self.model = model
        self.game = game
        self.player = player
        self.mixture = mixture
        signals = game.signals
        if signals.joint is None:
            self.joint = np.outer(signals.mass[player], signals.mass[1 - player])
            self.factors: tuple[Floats, ...] = signals.mass[player], signals.mass[1 - player]
        else:
            self.joint = signals.joint if player == 0 else signals.joint.T
            self.factors = _constant(self.joint)
        self.arrival = cache(self._arrival)
        self._sums: dict[int, list[Polynomial]] = {}

    def worth(self, leaf: int, m: int) -> Polynomial:
        """Return what ``player`` gets at ``leaf`` against signal ``m``, times their probabilities."""
        end = self.game.round.leaves[leaf]
        lose = end.lose[self.player]
        win = end.win[self.player] if self.player in end.contenders else lose
        under, at, over = self._split(leaf, m)
        better, worse = (under, over) if self.game.round.better == "low" else (over, under)
        return better * win + at * (0.5 * (win + lose)) + worse * lose

    def _arrival(self, leaf: int, cell: int) -> Polynomial:
        """Return the probability of coming to ``leaf`` with signal ``cell``, if the other allows it."""
        reach = self.game.round.reach[self.player][:, leaf]
        return total(x for x, comes in zip(self.mixture[cell], reach, strict=True) if comes)

    def below(self, leaf: int, cell: int) -> Polynomial:
        """Return the weight of arrivals at ``leaf`` with one of the first ``cell`` signals."""
        sums = self._sums.setdefault(leaf, [Polynomial()])
        while len(sums) <= cell:
            k = len(sums) - 1
            last = self.arrival(leaf, k) * float(self.factors[0][k])
            sums.append(self.model.define(sums[-1] + last, 0.0, np.inf))
        return sums[cell]

    def _split(self, leaf: int, m: int) -> tuple[Polynomial, Polynomial, Polynomial]:
        """Return the weights of arrivals with a signal below, at and above ``m``."""
        cells = len(self.mixture)
        column = self.joint[:, m]
        at = self.arrival(leaf, m) * float(column[m])
        if self.factors:
            seen = float(self.factors[1][m])
            over = self.below(leaf, cells) - self.below(leaf, m + 1)
            return self.below(leaf, m) * seen, at, over * seen
        under = total(self.arrival(leaf, j) * float(column[j]) for j in range(m))
        over = total(self.arrival(leaf, j) * float(column[j]) for j in range(m + 1, cells))
        return under, at, over


def _constant(joint: Floats) -> tuple[Floats, ...]:
    """Return factors of ``joint`` off its diagonal if it is constant there, as with a deck of cards."""
    away = joint[~np.eye(len(joint), dtype=bool)]
    if not away.size or np.ptp(away) > 1e-14 * away.max():
        return ()
    ones = np.ones(len(joint))
    return ones, ones * away[0]


def _check(game: BayesianGame) -> None:
    if game.players != 2 or game.round.constant_sum is None:
        raise EquipoiseError(
            "Linear program of a signal game: expected two players whose payments have a constant sum."
        )
    if not game.signals.finite:
        raise EquipoiseError(
            "Linear program of a signal game: found continuous signals, expected finite."
        )
