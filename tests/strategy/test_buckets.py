"""Strategies of abstractions answer by bucket: for listed games as if they were lifted, in Hold'em without lifting."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from equipoise.abstraction.bucket_table import random_table
from equipoise.abstraction.gameshrink import gameshrink
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.views import views
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Iterations
from equipoise.solvers.saddle.cfr import TABLE
from equipoise.strategy.lift import lift
from equipoise.strategy.profile import Strategy
from equipoise.strategy.store import load_strategy, save_strategy
from equipoise.strategy.table import decisions, infosets


def random_strategy(game: PokerGame, abstraction) -> Strategy:
    """Some strategy in which no two buckets are alike."""
    found = solve(build(game, abstraction), TABLE["cfr+"], Iterations(1)).strategy
    chance = np.random.default_rng(0)
    return replace(found, behaviour=tuple(chance.random(len(own)) for own in found.behaviour))


SMALL = [
    (poker.leduc(), gameshrink(poker.leduc())),
    (poker.leduc(4, 3), random_table(poker.leduc(4, 3), (2, 2))),
    (poker.rhode_island(3, 2), gameshrink(poker.rhode_island(3, 2), "histogram")),
    (poker.rhode_island(3, 2), random_table(poker.rhode_island(3, 2), (2, 2, 2))),
]


@pytest.mark.parametrize(("game", "abstraction"), SMALL, ids=repr)
def test_a_hand_is_played_as_its_bucket(game, abstraction) -> None:
    """Two roads: by bucket, and lifted to every view."""
    strategy = random_strategy(game, abstraction)
    lifted = lift(strategy, abstraction).of(game)
    for label in list(lifted)[::29]:
        assert strategy[label] == lifted[label]
        hand, _, history = label.rpartition("|")
        assert strategy.at(history)[hand] == lifted[label]


@pytest.mark.parametrize(("game", "abstraction"), SMALL, ids=repr)
def test_what_is_listed_is_what_is_looked_up(game, abstraction) -> None:
    """A line a hand, as summaries print them, though the vectors have an entry a bucket."""
    strategy = random_strategy(game, abstraction)
    found = list(decisions(game, strategy))
    assert len(found) == infosets(game)
    for line in found[::29]:
        assert dict(zip(line.actions, line.probabilities, strict=True)) == strategy[line.infoset]


@pytest.mark.parametrize(("game", "abstraction"), SMALL[:2], ids=repr)
def test_buckets_have_labels_of_their_own(game, abstraction) -> None:
    strategy = random_strategy(game, abstraction)
    labels = list(strategy)
    tree = game.tree
    acting = [(tree.round[v], tree.player[v]) for v in np.flatnonzero(tree.player >= 0)]
    assert len(set(labels)) == sum(abstraction.buckets[turn][player] for turn, player in acting)
    frame = strategy.to_frame()
    assert list(dict.fromkeys(frame["infoset"])) == labels
    for label in labels[::7]:
        own = frame[frame["infoset"] == label]
        assert dict(zip(own["action"], own["probability"], strict=True)) == strategy[label]


def test_cards_may_be_named_as_they_are_dealt() -> None:
    game = poker.rhode_island(3, 2)
    strategy = random_strategy(game, gameshrink(game))
    assert strategy["KcQd|kK/"] == strategy["KdQc|kK/"] == strategy["KaQb|kK/"]
    assert strategy["2|KcQd|kK/k"] == strategy["KaQb|kK/k"]
    for wrong in ("KcKc|kK/", "Kc|kK/", "#99|kK/", "#x|kK/", "hand|kK/"):
        with pytest.raises(EquipoiseError, match="expected"):
            strategy[wrong]


def test_a_stored_strategy_is_given_its_abstraction(tmp_path) -> None:
    game = poker.leduc()
    abstraction = gameshrink(game)
    strategy = solve(build(game, abstraction), TABLE["cfr+"], Iterations(5)).strategy
    save_strategy(tmp_path / "s.eqp", strategy)
    found = load_strategy(tmp_path / "s.eqp")
    with pytest.raises(EquipoiseError, match="lift it first"):
        found.of(game)
    assert found.of(game, abstraction)["K|"] == strategy["K|"]
    with pytest.raises(EquipoiseError, match="expected one of 'leduc'"):
        found.of(game, random_table(game, (2, 2)))


def test_holdem_is_looked_up_and_never_lifted() -> None:
    game = poker.limit_holdem()
    table = random_table(game, (3, 2, 1, 1), sample=3)
    strategy = random_strategy(game, table)
    named = views(game)
    cards = game.deck.parse("AsKd7c8c9cTd2h")
    tracemalloc.start()
    for turn, history in enumerate(("", "cK/", "cK/Kk/", "cK/Kk/Kk/")):
        count = sum(game.groups(turn))
        hand = game.deck.text(cards[:count])
        view = named.number(turn, cards[:count].tolist())
        label = f"#{table.bucket(turn, [view])[0]}|{history}"
        assert strategy[f"{hand}|{history}"] == strategy[label]
        assert strategy[f"{named.label(turn, view)}|{history}"] == strategy[label]
        assert strategy.at(history)[hand] == strategy[label]
        assert len(strategy.at(history)) == table.buckets[turn][0]
    assert tracemalloc.get_traced_memory()[1] < 4e6
    tracemalloc.stop()
    for line in islice(decisions(game, strategy), 0, 169, 12):
        assert dict(zip(line.actions, line.probabilities, strict=True)) == strategy[line.infoset]
    with pytest.raises(EquipoiseError, match="looks hands up by their buckets"):
        lift(strategy, table)
