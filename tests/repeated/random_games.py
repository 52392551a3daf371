"""Random repeated games, and values of average games by another road."""

from __future__ import annotations

import numpy as np

from equipoise.games.repeated.game import RepeatedGame
from equipoise.numerics.program import Program, optimize


def random_game(seed: int, states: int, most: int) -> RepeatedGame:
    """Up to ``most`` actions a player; every third game has small integers, and so many ties."""
    rng = np.random.default_rng((states, most, seed))
    shape = (states, *rng.integers(1, most + 1, 2))
    payoffs = rng.integers(-2, 3, shape).astype(float) if seed % 3 == 0 else rng.random(shape)
    return RepeatedGame(payoffs, rng.dirichlet(np.ones(states)))


def value_by_lp(A: np.ndarray) -> float:
    """Linear program (11.3) of Gilpin 2009: max z subject to z <= x A, x a distribution."""
    m, n = A.shape
    program = Program(
        c=np.append(np.zeros(m), -1.0),
        A=np.block([[A.T, -np.ones((n, 1))], [np.ones((1, m)), np.zeros((1, 1))]]),
        row_lower=np.append(np.zeros(n), 1.0),
        row_upper=np.append(np.full(n, np.inf), 1.0),
        lower=np.append(np.zeros(m), -np.inf),
    )
    return -optimize(program).require_optimal("value").objective
