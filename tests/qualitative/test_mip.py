"""MIP Nash: matrices against support enumeration, trees against known values and certificates."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise import certify
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.signals.unroll import unroll
from equipoise.games.trees.classic import kuhn
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame, from_matrices
from equipoise.solvers.driver import Status
from equipoise.solvers.general.extreme import extreme_equilibria
from equipoise.solvers.general.nash import nash


def random_game(rng: np.random.Generator, *sizes: int) -> NormalGame:
    return from_matrices("random", *rng.normal(size=(len(sizes), *sizes)))


def three_player_kuhn() -> ExtensiveGame:
    """Four cards (Abou Risk and Szafron 2010)."""
    return unroll(poker.kuhn(4, players=3))


def equilibria(game: NormalGame) -> list[list[np.ndarray]]:
    """All equilibria of a nondegenerate game."""
    return [
        [np.asarray(vector[1:], dtype=float) for vector in found.strategy.behaviour]
        for found in extreme_equilibria(game)
    ]


@pytest.mark.parametrize("seed", range(10))
def test_matrix_games_agree_with_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(30):
        game = random_game(rng, *(int(k) for k in rng.integers(2, 5, size=2)))
        x, y = (vector[1:] for vector in nash(game).strategy.behaviour)
        distances = [max(abs(x - p).max(), abs(y - q).max()) for p, q in equilibria(game)]
        assert min(distances) <= 1e-7


@pytest.mark.parametrize("seed", range(8))
def test_weights_choose_the_best_equilibrium(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    game = random_game(rng, 3, 4)
    A, B = game.payoffs[..., 0], game.payoffs[..., 1]
    best = max(2.0 * x @ A @ y + x @ B @ y for x, y in equilibria(game))
    values = nash(game, weights=(2.0, 1.0)).values
    assert 2.0 * values[0] + values[1] == pytest.approx(best, abs=1e-7)


def test_kuhn_poker_as_a_tree() -> None:
    game = kuhn()
    answer = nash(game)
    assert answer.status is Status.CONVERGED
    assert answer.values[0] == pytest.approx(-1 / 18, abs=1e-9)
    assert max(certify(game, answer.strategy).gains) <= 1e-9


@pytest.mark.parametrize("breakpoints", [None, 3])
def test_three_player_matrix_games(breakpoints: int | None) -> None:
    rng = np.random.default_rng(9)
    for _ in range(5):
        game = random_game(rng, 2, 2, 2)
        answer = nash(game, breakpoints=breakpoints, time_limit=20.0)
        gains = certify(game, answer.strategy).gains
        assert answer.status is Status.CONVERGED
        assert max(gains) <= 1e-8
        assert answer.epsilon == pytest.approx(max(gains), abs=1e-10)


@pytest.mark.slow
def test_three_player_kuhn_poker() -> None:
    game = three_player_kuhn()
    answer = nash(game, target=1e-3, time_limit=300.0)
    assert max(certify(game, answer.strategy).gains) <= 1e-3


def test_a_time_limit_returns_the_best_profile_so_far() -> None:
    game = three_player_kuhn()
    answer = nash(game, time_limit=3.0)
    gains = certify(game, answer.strategy).gains
    assert answer.epsilon == pytest.approx(max(gains), abs=1e-9)
    assert (answer.status is Status.TIME_LIMIT) == (answer.epsilon > 1e-9)


def test_bad_weights_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(EquipoiseError, match="found 3 weights"):
        nash(random_game(rng, 2, 2), weights=(1, 1, 1))
    with pytest.raises(EquipoiseError, match="for two only"):
        nash(random_game(rng, 2, 2, 2), weights=(1, 1, 1))
