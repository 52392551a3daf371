"""MIP Nash: matrices against support enumeration, trees against known values and certificates."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from reference_nash import equilibria

from equipoise import certify
from equipoise.errors import EquipoiseError
from equipoise.games.classic import kuhn
from equipoise.games.extensive import CHANCE, TERMINAL, ExtensiveGame
from equipoise.games.normal import NormalGame, from_matrices
from equipoise.games.tree import from_rules
from equipoise.solve.mip import nash


def random_game(rng: np.random.Generator, *sizes: int) -> NormalGame:
    return from_matrices("random", *rng.normal(size=(len(sizes), *sizes)))


class KuhnForMany:
    """Kuhn poker for n players with n + 1 cards (Abou Risk and Szafron 2010; OpenSpiel's rules)."""

    def __init__(self, players: int) -> None:
        self.players = players

    def initial(self) -> tuple[tuple[int, ...], str]:
        return (), ""

    def player(self, state: tuple[tuple[int, ...], str]) -> int:
        dealt, history = state
        if len(dealt) < self.players:
            return CHANCE
        # Everybody passes once, or everybody answers the first bet.
        end = self.players + (history.index("b") if "b" in history else 0)
        return TERMINAL if len(history) == end else len(history) % self.players

    def actions(self, state: tuple[tuple[int, ...], str]) -> tuple[str, str]:
        return "p", "b"

    def _left(self, dealt: tuple[int, ...]) -> list[int]:
        return [card for card in range(self.players + 1) if card not in dealt]

    def chance(self, state: tuple[tuple[int, ...], str]) -> list[tuple[str, Fraction]]:
        left = self._left(state[0])
        return [(str(card), Fraction(1, len(left))) for card in left]

    def next(self, state: tuple[tuple[int, ...], str], index: int) -> tuple[tuple[int, ...], str]:
        dealt, history = state
        if len(dealt) < self.players:
            return (*dealt, self._left(dealt)[index]), history
        return dealt, history + "pb"[index]

    def information(self, state: tuple[tuple[int, ...], str]) -> str:
        dealt, history = state
        return f"{dealt[len(history) % self.players]}{history}"

    def payoffs(self, state: tuple[tuple[int, ...], str]) -> list[int]:
        dealt, history = state
        everybody = range(self.players)
        live = [k % self.players for k, a in enumerate(history) if a == "b"] or list(everybody)
        paid = [1 + ("b" in history and i in live) for i in everybody]
        winner = max(live, key=lambda i: dealt[i])
        return [sum(paid) * (i == winner) - paid[i] for i in everybody]


def three_player_kuhn() -> ExtensiveGame:
    return from_rules(KuhnForMany(3), "kuhn with three players")


def test_the_rules_for_many_players_are_kuhns_for_two() -> None:
    ours, theirs = from_rules(KuhnForMany(2), "two"), kuhn()
    assert ours.fingerprint == theirs.fingerprint
    np.testing.assert_array_equal(
        ours.payoffs[ours.outcome[ours.terminals]], theirs.payoffs[theirs.outcome[theirs.terminals]]
    )


@pytest.mark.parametrize("seed", range(10))
def test_matrix_games_agree_with_support_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(30):
        game = random_game(rng, *(int(k) for k in rng.integers(2, 5, size=2)))
        A, B = game.payoffs[..., 0], game.payoffs[..., 1]
        answer = nash(game)
        x, y = (vector[1:] for vector in answer.strategy.behaviour)
        distances = [max(abs(x - p).max(), abs(y - q).max()) for p, q in equilibria(A, B)]
        assert min(distances) <= 1e-7


@pytest.mark.parametrize("seed", range(8))
def test_weights_choose_the_best_equilibrium(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    game = random_game(rng, 3, 4)
    A, B = game.payoffs[..., 0], game.payoffs[..., 1]
    best = max(2.0 * x @ A @ y + x @ B @ y for x, y in equilibria(A, B))
    values = nash(game, weights=(2.0, 1.0)).values
    assert 2.0 * values[0] + values[1] == pytest.approx(best, abs=1e-7)


def test_kuhn_poker_as_a_tree() -> None:
    game = kuhn()
    answer = nash(game)
    assert answer.status == "equilibrium"
    assert answer.values[0] == pytest.approx(-1 / 18, abs=1e-9)
    assert max(certify.gap(game, answer.strategy).gains) <= 1e-9


@pytest.mark.parametrize("breakpoints", [None, 3])
def test_three_player_matrix_games(breakpoints: int | None) -> None:
    rng = np.random.default_rng(9)
    for _ in range(5):
        game = random_game(rng, 2, 2, 2)
        answer = nash(game, breakpoints=breakpoints, time_limit=20.0)
        gains = certify.gap(game, answer.strategy).gains
        assert answer.status == "equilibrium"
        assert max(gains) <= 1e-8
        assert answer.epsilon == pytest.approx(max(gains), abs=1e-10)


@pytest.mark.slow
def test_three_player_kuhn_poker() -> None:
    game = three_player_kuhn()
    answer = nash(game, target=1e-3, time_limit=300.0)
    assert max(certify.gap(game, answer.strategy).gains) <= 1e-3


def test_a_time_limit_returns_the_best_profile_so_far() -> None:
    game = three_player_kuhn()
    answer = nash(game, time_limit=3.0)
    gains = certify.gap(game, answer.strategy).gains
    assert answer.epsilon == pytest.approx(max(gains), abs=1e-9)
    assert (answer.status == "limit") == (answer.epsilon > 1e-9)


def test_bad_weights_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(EquipoiseError, match="found 3 weights"):
        nash(random_game(rng, 2, 2), weights=(1, 1, 1))
    with pytest.raises(EquipoiseError, match="for two only"):
        nash(random_game(rng, 2, 2, 2), weights=(1, 1, 1))
