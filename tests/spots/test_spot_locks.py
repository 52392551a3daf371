"""Locks are rules: the rest is solved around them, and certificates know them."""

from __future__ import annotations

import numpy as np
import pytest
from random_spots import random_spot, symmetric_spot

import equipoise
from equipoise.errors import EquipoiseError
from equipoise.games.poker import spot
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.saddle.lp import LP
from equipoise.strategy.spots import nudged

RULES = {"pot": 100, "stack": 200, "bets": "50%", "raises": "a", "cap": 2}
RANGES = ("AA,QQ,65s,KQs", "KK,88,ATs")


def _game(lock: str = "", board: str = "2c7d9hTsJc"):
    return spot(board, *RANGES, **RULES, lock=lock)


def test_what_is_locked_is_played_and_the_rest_answers() -> None:
    free = equipoise.solve(_game(), gap=0.05)
    # Player 1 bets nothing but aces: kings, which lose to them, never call (eights, a straight, raise).
    held = equipoise.solve(_game(": b50 AA; k QQ,65s,KQs"), gap=0.05)
    assert held.status.value == "converged"
    table = held.strategy.at("")
    assert table["AhAs"]["b50"] == pytest.approx(1)
    assert table["6h5h"]["k"] == pytest.approx(1)
    assert held.strategy.at("b50")["KhKs"]["c"] < 0.01
    assert held.strategy.at("b50")["8h8s"]["r200"] > 0.99
    # A rule more can only hurt who has to keep it.
    assert held.certificate.value < free.certificate.value


def test_a_lock_of_what_is_optimal_costs_nothing() -> None:
    free = equipoise.solve(_game(board="2c7d9hTs"), gap=0.05)
    lock = nudged(free.strategy, "", "k", 0.0)
    held = equipoise.solve(_game(lock, "2c7d9hTs"), gap=0.05)
    assert held.certificate.value == pytest.approx(free.certificate.value, abs=0.1)
    here, there = free.strategy.at("").probabilities, held.strategy.at("").probabilities
    np.testing.assert_allclose(here, there, atol=1e-4)


def test_a_nudge_moves_every_hand() -> None:
    free = equipoise.solve(_game(), gap=1.0)
    before = free.strategy.at("").probabilities
    with pytest.raises(EquipoiseError, match="nudged: by: found '20%', expected a probability"):
        nudged(free.strategy, "", "b50", "20%")  # type: ignore[arg-type]  # what a user might type
    held = equipoise.solve(_game(nudged(free.strategy, "", "b50", 0.2)), gap=1.0)
    after = held.strategy.at("").probabilities
    np.testing.assert_allclose(after[:, 1], np.minimum(before[:, 1] + 0.2, 1), atol=1e-4)


def test_everything_locked_leaves_nothing_to_gain() -> None:
    """The gap of the engine and of the certificate are those of players who may not choose."""
    game = spot("2c7d9hTsJc", *RANGES, 100, 200, "a", lock=": k AA,QQ,65s,KQs | k: k KK,88,ATs")
    result = equipoise.solve(game, gap=1.0)
    assert result.found.gap == pytest.approx(0, abs=1e-4)
    assert result.certificate.gap == pytest.approx(0, abs=1e-9)


def test_locks_on_later_streets_hold_on_every_board() -> None:
    game = symmetric_spot("8cTcQcQd", lock="k,K/: b50 KTs:0.25")
    result = equipoise.solve(game, gap=0.5)
    for card in ("8h", "Kd", "Ts"):
        table = result.strategy.at("k,K/", card)
        assert table["KhTh" if card[1] != "h" else "KsTs"]["b50"] == pytest.approx(0.25, abs=1e-3)
    assert result.certificate.gap == pytest.approx(result.found.gap, abs=1e-3)


def test_a_locked_spot_is_saved_and_opened(tmp_path) -> None:
    game = _game(": b50 AA:0.5")
    result = equipoise.solve(game, gap=1.0, out=tmp_path / "a.eqp")
    again = equipoise.open(tmp_path / "a.eqp")
    assert again.certificate.gap == result.certificate.gap
    assert again.game.fingerprint != _game().fingerprint


def test_a_lock_breaks_symmetries() -> None:
    from equipoise.games.poker.runouts import board_tree

    whole, broken = symmetric_spot("8cTcQc"), symmetric_spot("8cTcQc", lock=": b50 KhTh")
    assert len(board_tree(broken).streets[1]) > len(board_tree(whole).streets[1])


@pytest.mark.parametrize(
    ("lock", "sentence"),
    [
        ("k b50 AA", "lock: found 'k b50 AA', expected a history, ':'"),
        (": x AA", "lock: found 'x', expected one of k, b50"),
        (": k AA; b50 AA:0.5", "at most one, not 1.5 as for"),
        (": k AA:0.2; b50 AA:0.3", "where every action is named"),
        (": k ZZ", "found 'ZZ'"),
        ("z: k AA", "'z' cannot follow"),
        ("k,K: k AA", "somebody acts"),
        (": k AA | : k QQ", "each history once"),
    ],
)
def test_bad_locks(lock: str, sentence: str) -> None:
    with pytest.raises(EquipoiseError, match=sentence):
        _game(lock)


def test_methods_that_cannot_hold() -> None:
    with pytest.raises(EquipoiseError, match="found the method lp, expected one of regrets"):
        equipoise.solve(_game(": b50 AA"), "lp")


def test_locks_against_a_program_on_a_smaller_tree() -> None:
    """Never betting, as a lock, is the game without the bet: the program's value of that."""
    random = np.random.default_rng(11)
    game = random_spot(random, 5, hands=12, bets="50%", raises="", cap=1, stack=100)
    hands = ",".join(game.deck.text(hand) for hand in game.hands[0])
    names = {"pot": 100, "stack": 100, "raises": "", "cap": 1, "ranks": "89TJQK"}
    told = game.deck.text(game.board), *game.weights
    held = spot(*told, **names, bets="50%", lock=f": k {hands}")
    shorter = spot(*told, **names, bets="|50%")
    value = solve(build(shorter), LP()).value
    assert equipoise.solve(held, gap=0.02).certificate.value == pytest.approx(value, abs=0.05)


def test_a_hand_may_be_kept_from_an_action() -> None:
    """With a probability of nought the other actions share all of it."""
    given = ("2c7d9hTsJc", "AA,QQ", "KK,88", 100, 200, "50%,a")
    never, otherwise = (
        spot(*given, lock=text) for text in (": b50 AA:0", ": k AA:0.5; b200 AA:0.5")
    )
    assert never.locks[0].is_held.sum() == 6
    assert never.fingerprint == otherwise.fingerprint
    with pytest.raises(equipoise.EquipoiseError, match="add up to one where every action is named"):
        spot(*given, lock=": k AA:0; b50 AA:0; b200 AA:0")
