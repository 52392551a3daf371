"""Undiscounted decision processes: minimal solutions, policy iteration, value iteration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from equipoise.errors import EquipoiseError
from equipoise.games.tournaments.stochastic import ExplicitGame
from equipoise.numerics.mdp import minimal_solution, policy_iteration, value_iteration


def test_circling_for_ever_earns_nothing() -> None:
    # Node 0 ends with 1 half of the time; nodes 1 and 2 circle; 3 goes to 0 or into the circle.
    Q = csr_matrix([[0.5, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0.25, 0.75, 0, 0]])
    assert minimal_solution(Q, np.array([0.5, 0, 0, 0])) == pytest.approx([1, 0, 0, 0.25])
    assert minimal_solution(Q, np.zeros(4)) == pytest.approx(np.zeros(4))


def test_random_chains_against_powers() -> None:
    rng = np.random.default_rng(1)
    P = rng.dirichlet(np.ones(7), 6) * (rng.random((6, 7)) < 0.7)
    P /= P.sum(axis=1, keepdims=True)
    Q, r = P[:, :6], 3 * P[:, 6]
    values = np.zeros(6)
    for _ in range(5000):
        values = Q @ values + r
    assert minimal_solution(csr_matrix(Q), r) == pytest.approx(values)


# Two players: in state 0 the first stops for (3, 0) or goes on to state 1, where the second stops for
# (4, 2), goes back to state 0, or ends all with nothing.
WAITING = [[[[3, 0]] * 3, [1] * 3], [[[4, 2], 0, [0, 0]]] * 2]


def test_policy_and_value_iteration_agree() -> None:
    game = ExplicitGame.of(WAITING, [2, 3])
    profile = game.uniform()
    induced = game.induced(profile)
    by_policy = policy_iteration(induced, profile, 1e-12)
    pessimistic = minimal_solution(*induced.chain(profile))
    by_value = value_iteration(induced, profile, pessimistic, 1e-12)
    assert by_policy.values == pytest.approx(by_value.values)
    # Against a uniform second player, going on is worth (4 + v + 0) / 3, less than 3.
    assert by_policy.values[0] == pytest.approx(3)
    # He stops for 2, whatever the first does.
    assert by_policy.values[3] == pytest.approx(2)
    assert (by_policy.values >= pessimistic - 1e-12).all()


def test_optimistic_values_mislead_value_iteration() -> None:
    game = ExplicitGame.of([[0, [1]]], [2])
    induced = game.induced(game.uniform())
    assert value_iteration(induced, game.uniform(), np.array([2.0]), 1e-9).values == [2]
    assert value_iteration(induced, game.uniform(), np.array([0.0]), 1e-9).values == [1]
    assert policy_iteration(induced, game.uniform(), 1e-9).values == [1]


def test_bad_tables() -> None:
    with pytest.raises(EquipoiseError, match="found next state 3"):
        ExplicitGame.of([[[3, [1, 1]]]], [1, 2])
    with pytest.raises(EquipoiseError, match="expected a state or 2 prizes"):
        ExplicitGame.of([[[0, [1]]]], [1, 2])
    game = ExplicitGame.of(WAITING, [2, 3])
    with pytest.raises(EquipoiseError, match="found shape"):
        game.require(np.ones((2, 2, 1)))
    with pytest.raises(EquipoiseError, match="do not sum to one"):
        game.require(np.ones((2, 5, 1)))
