"""Joint beliefs: spots in which pairs of hands have weights of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from random_spots import (
    RANKS,
    SUITS,
    random_spot,
    random_strategy,
    require_certified_as_written_out,
    require_measured_as_certified,
)

import equipoise
from equipoise.cards.deck import Deck
from equipoise.certificates.spot_hands import report
from equipoise.certificates.spots import certify_spot
from equipoise.errors import EquipoiseError
from equipoise.games.poker import Spot, spot
from equipoise.games.poker.ranges import all_hands
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.saddle.lp import LP

DECK = Deck(RANKS, SUITS)
HANDS = len(all_hands(DECK))
KINDS = {
    "river": (5, {}),
    "turn": (4, {"hands": 3}),
    "flop": (3, {"hands": 3, "suits": "cd", "bets": "a", "raises": "", "cap": 1}),
    "river, raked": (5, {"rake": 0.05}),
    "river, promised": (5, {"keeper": "oop", "gadget": "maxmargin"}),
}


def believing(kind: str, seed: int = 1) -> Spot:
    """A random spot with beliefs about pairs that are no product, some of them nought."""
    random = np.random.default_rng(seed)
    cards, rules = KINDS[kind]
    count = HANDS if kind != "flop" else len(all_hands(Deck(RANKS, "cd")))
    joint = random.random((count, count)) * (random.random((count, count)) < 0.8)
    if "keeper" in rules:
        rules = {**rules, "promised": random.uniform(20.0, 80.0, count)}
    return random_spot(random, cards, joint=joint, **({"hands": 6} | rules))


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_is_that_of_the_game_written_out(kind: str) -> None:
    game = believing(kind)
    require_certified_as_written_out(game, random_strategy(game, np.random.default_rng(2)))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "raked" not in kind])
def test_the_form_measures_what_the_certificate_says(kind: str) -> None:
    game = believing(kind)
    require_measured_as_certified(game, random_strategy(game, np.random.default_rng(2)))


@pytest.mark.parametrize("kind", ["river", "turn", "river, promised"])
def test_regrets_agree_with_programs(kind: str) -> None:
    game = believing(kind, seed=3)
    found, exact = equipoise.solve(game, gap=0.2), solve(build(game), LP())
    assert found.certificate.gap <= 0.2
    assert found.certificate.value == pytest.approx(exact.value, abs=0.2)


def test_products_are_ranges() -> None:
    """Weights of pairs that are products of two are the same spot, and hands are worth the same in it."""
    random = np.random.default_rng(4)
    plain = random_spot(random, 4, hands=5, cap=1)
    ones = [(own > 0).astype(float) for own in plain.weights]
    rules = {"pot": 100, "stack": 100, "bets": "50%", "ranks": RANKS, "suits": SUITS}
    board = DECK.text(plain.board)
    product = spot(board, *ones, **rules, joint=np.outer(*plain.weights))
    ranges = spot(board, *plain.weights, **rules)
    strategy = random_strategy(product, random)
    proofs = [
        certify_spot(game, type(strategy)(game, strategy.behaviour)) for game in (product, ranges)
    ]
    assert proofs[0].values == pytest.approx(proofs[1].values, abs=1e-9)
    assert proofs[0].gains == pytest.approx(proofs[1].gains, abs=1e-9)
    tables = [report(type(strategy)(game, strategy.behaviour)) for game in (product, ranges)]
    for one, two in zip(tables[0].players, tables[1].players, strict=True):
        np.testing.assert_allclose(one.value, two.value, atol=1e-9)
        np.testing.assert_allclose(one.equity, two.equity, atol=1e-9)


def test_beliefs_in_a_file_are_found_again(tmp_path: Path) -> None:
    game = believing("river")
    place = tmp_path / "beliefs.npy"
    np.save(place, game.joint)
    rules = {"pot": 100, "stack": 60, "bets": "a", "ranks": RANKS, "suits": SUITS}
    board = DECK.text(game.board)
    result = equipoise.solve(spot(board, *game.weights, **rules, joint=str(place)), gap=5.0)
    result.save(tmp_path / "spot.eqp")
    again = equipoise.open(tmp_path / "spot.eqp")
    assert again.certificate.gap == pytest.approx(result.certificate.gap)


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        ("missing.npy", "joint: found 'missing.npy', expected an array or a file"),
        (np.ones((HANDS, HANDS), dtype=complex), "joint: found no numbers"),
        ([[1.0, 2.0], [3.0]], "joint: found no numbers"),
        (np.ones((2, 3)), r"joint: found an array of shape \(2, 3\), expected \(276, 276\)"),
        (-np.ones((HANDS, HANDS)), "joint: found a weight that is no number from zero up"),
        (np.zeros((HANDS, HANDS)), "every two hands share a card"),
    ],
)
def test_beliefs_that_mean_nothing(joint: object, message: str) -> None:
    with pytest.raises(EquipoiseError, match=message):
        spot("8c9cQdKh", "QQ,KQ", "TT,JJ", 50, 60, "a", ranks=RANKS, suits=SUITS, joint=joint)


def test_files_without_an_array_are_named(tmp_path: Path) -> None:
    empty, text = tmp_path / "empty.npy", tmp_path / "text.npy"
    empty.touch()
    text.write_text("no array")
    for place in (empty, text, tmp_path):
        with pytest.raises(EquipoiseError, match="expected an array or a file of NumPy's"):
            spot("8c9cQdKh", "QQ", "TT", 50, 60, ranks=RANKS, suits=SUITS, joint=str(place))


def test_what_joint_beliefs_cannot_be_with() -> None:
    game = believing("river")
    with pytest.raises(
        EquipoiseError, match=r"joint: found the method .*, expected one on the processor"
    ):
        equipoise.solve(game, "dcfr(device=numpy)", gap=1.0)
    rules = {"pot": 50, "stack": 60, "bets": "a", "ranks": RANKS, "suits": SUITS}
    locked = spot(
        "8c9cQdKh", "QQ,KQ", "TT,JJ", **rules, lock=": k QQ", joint=np.ones((HANDS, HANDS))
    )
    with pytest.raises(EquipoiseError, match="joint: found locks beside it"):
        equipoise.solve(locked, gap=1.0)
