"""The public tree against the explicit one, on games small enough to do without a compiler."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.certificates.test_agreement import SKIPPED, TWO_HOLE_CARDS, strategy_of

from equipoise.certificates.certificate import Certificate
from equipoise.certificates.public import certify_public
from equipoise.certificates.tree import certify_tree
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.files.rules import parse_rules
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.unroll import unroll
from equipoise.strategy.profile import Strategy
from equipoise.strategy.views import on_tree

# A call pays by strength and a check pays at once; player 2 may end the game by a payment of her own.
PAYMENTS = """
ante = 1
deck = { ranks = "234", suits = "c", showdown = "high-card" }
[[round]]
private = 1
[round.stage]
player = 2
actions.leave = { pay = 3, over = true }
actions.stay = { player = 1, actions = { fold = { fold = 1 }, show = { stake = 2 } } }
"""


def small(text: str) -> PokerGame:
    game = parse_rules(text)
    assert isinstance(game, PokerGame)
    return game


GAMES = {
    "kuhn": poker.kuhn(),
    "leduc": poker.leduc(2, 2),
    "payments": small(PAYMENTS),
    "a round skipped": small(SKIPPED.replace("2345", "234")),
    "two hole cards": small(TWO_HOLE_CARDS),
}


def slow(game: PokerGame, strategy: Strategy) -> Certificate:
    tree = unroll(game)
    return certify_tree(tree, on_tree(game, tree, strategy))


@pytest.mark.parametrize("style", ["random", "zero-reach"])
@pytest.mark.parametrize("name", GAMES)
def test_both_trees_agree(name: str, style: str) -> None:
    game = GAMES[name]
    strategy = strategy_of(game, style, np.random.default_rng(3))
    found, expected = certify_public(game, strategy), slow(game, strategy)
    for field in ("values", "best_responses", "gains"):
        assert getattr(found, field) == pytest.approx(getattr(expected, field), abs=1e-12)


def test_weights_count_as_the_distributions_they_are_in_proportion_to() -> None:
    game = GAMES["leduc"]
    strategy = strategy_of(game, "random", np.random.default_rng(3))
    twice = replace(strategy, behaviour=(strategy.behaviour[0] * 2, strategy.behaviour[1] * 3))
    found = certify_public(game, twice)
    assert found.gains == pytest.approx(slow(game, strategy).gains, abs=1e-12)
    np.testing.assert_array_equal(twice.behaviour[0], strategy.behaviour[0] * 2)


@pytest.mark.parametrize("player", [0, 1])
def test_one_view_without_weight_is_refused(player: int) -> None:
    game = GAMES["kuhn"]
    strategy = strategy_of(game, "random", np.random.default_rng(3))
    assert strategy.layout is not None
    views = strategy.layout.buckets[0][player]
    strategy.behaviour[player][strategy.layout.starts(player)[0] :: views] = 0.0
    with pytest.raises(EquipoiseError, match=f"player {player + 1} has a view without a positive"):
        certify_public(game, strategy)


THREE_PLAYERS = "players = 3\n" + PAYMENTS.partition("[round.stage]")[0] + "bet = 1\ncap = 1\n"


def test_two_players_alone() -> None:
    strategy = strategy_of(GAMES["kuhn"], "uniform", np.random.default_rng(3))
    with pytest.raises(EquipoiseError, match="found 3 players with 1 private cards, expected two"):
        certify_public(small(THREE_PLAYERS), strategy)
