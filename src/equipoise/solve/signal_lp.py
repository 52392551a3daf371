"""Zero-sum Bayesian games with finite signals, by linear programming.

Player 1's program: maximise Σ_m v_m where v_m, the value to her of player 2's signal m (weighted with
its probability), is at most what each plan of player 2 leaves her there. What a plan leaves depends
on how much of player 1's arrival at a leaf has a better signal than m, and how much a worse one:
prefix sums over her signals. Kept as columns they make the program sparse, of a size linear in the
number of signals, where the sequence form has a nonzero for every pair.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.bayesian import BayesianGame
from equipoise.numerics.encodings import Model, Polynomial, total
from equipoise.numerics.program import optimize

Floats = NDArray[np.float64]


def zero_sum(game: BayesianGame, player: int = 0, tremble: float = 0.0, time_limit: float = np.inf) -> tuple[float, Floats]:
    """Return the value of ``game`` to ``player`` and a strategy of hers that secures it.

    The strategy is a mixture of plans (columns) for every signal (rows). With ``tremble`` everybody
    plays every plan with at least that probability, which settles what to do where nothing is at
    stake: the value is then that of the trembling game.
    """
    _check(game)
    model = Model()
    mixture = [[model.variable(tremble, 1.0) for _ in game.plans[player]] for _ in range(game.signals.cells)]
    for row in mixture:
        model.equal(total(row), 1.0)
    secured = guarantee(model, game, player, mixture, tremble)
    outcome = optimize(model.program(-secured), time_limit=time_limit).require_optimal("Signal game")
    strategy = np.array([[x.at(outcome.x) for x in row] for row in mixture])
    return -outcome.objective, np.clip(strategy, 0.0, 1.0)


def guarantee(model: Model, game: BayesianGame, player: int, mixture: list[list[Polynomial]], tremble: float = 0.0) -> Polynomial:
    """Add to ``model`` what ``mixture`` secures ``player`` in ``game``: a column no larger than that."""
    signals, betting, other = game.signals, game.round, 1 - player
    cells = signals.cells
    weight = _weights(game, player)

    def arrival(leaf: int, cell: int) -> Polynomial:
        return total(x for p, x in enumerate(mixture[cell]) if betting.reach[player][p, leaf])

    @cache
    def below(leaf: int, cell: int) -> Polynomial:
        """Arrivals at ``leaf`` with one of the first ``cell`` signals, where weights are constant."""
        if cell == 0:
            return Polynomial()
        return model.define(below(leaf, cell - 1) + arrival(leaf, cell - 1) * float(mass[cell - 1]), 0.0, np.inf)

    mass, seen = weight.factors if weight.factors is not None else (np.ones(cells), np.ones(cells))

    def split(leaf: int, m: int) -> tuple[Polynomial, Polynomial, Polynomial]:
        """Arrivals of ``player`` at ``leaf`` with a signal below, at and above the other's signal ``m``."""
        at = arrival(leaf, m) * float(weight.table(m)[m])
        if weight.factors is not None:
            under, over = below(leaf, m), below(leaf, cells) - below(leaf, m + 1)
            return under * float(seen[m]), at, over * float(seen[m])
        column = weight.table(m)
        under = total(arrival(leaf, j) * float(column[j]) for j in range(m))
        over = total(arrival(leaf, j) * float(column[j]) for j in range(m + 1, cells))
        return under, at, over

    values = []
    low_wins = betting.better == "low"
    for m in range(cells):
        worth = []
        for k, leaf in enumerate(betting.leaves):
            under, at, over = split(k, m)
            better, worse = (under, over) if low_wins else (over, under)
            win, lose = leaf.win[player], leaf.lose[player]
            worth.append(better * win + at * (0.5 * (win + lose)) + worse * lose)
        leaves = [total(w * float(r) for w, r in zip(worth, row, strict=True) if r) for row in betting.reach[other]]
        value = model.variable(-np.inf, np.inf)
        # A trembling opponent takes her best plan with what the other plans leave of one.
        rest = total(leaves) * tremble
        for plan in leaves:
            model.at_least(plan * (1.0 - tremble * len(leaves)) + rest - value)
        values.append(value)
    return total(values)


class _weights:
    """Probabilities of pairs of signals, as player ``player`` (rows) and the other (columns)."""

    def __init__(self, game: BayesianGame, player: int) -> None:
        signals = game.signals
        self.factors: tuple[Floats, Floats] | None = None
        if signals.joint is None:
            self._joint = np.outer(signals.mass[player], signals.mass[1 - player])
            self.factors = signals.mass[player], signals.mass[1 - player]
            return
        self._joint = signals.joint if player == 0 else signals.joint.T
        away = self._joint[~np.eye(signals.cells, dtype=bool)]
        if away.size and np.ptp(away) <= 1e-14 * away.max():
            ones = np.ones(signals.cells)
            self.factors = ones, ones * away[0]

    def table(self, m: int) -> Floats:
        return np.asarray(self._joint[:, m])


def _check(game: BayesianGame) -> None:
    if game.players != 2 or game.round.constant_sum is None:
        raise EquipoiseError("Linear program of a signal game: expected two players whose payments have a constant sum.")
    if not game.signals.finite:
        raise EquipoiseError("Linear program of a signal game: found continuous signals, expected finite ones (discretize them).")
