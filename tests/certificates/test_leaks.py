"""Where gains come from, round by round and hand by hand: against the explicit tree, and as sums."""

from __future__ import annotations

from typing import Any

import array_api_strict
import numpy as np
import pytest
from tests.certificates.test_agreement import strategy_of
from tests.certificates.test_public import GAMES
from tests.certificates.test_streamed import EVERY, SHORT, bucket_strategy

from equipoise.cards.deck import Deck
from equipoise.certificates.arithmetic import Floating
from equipoise.certificates.gap import certify
from equipoise.certificates.streamed import certify_streamed
from equipoise.certificates.tree import edge_probabilities, reach_of, without
from equipoise.games import poker
from equipoise.games.poker.canonical import CanonicalViews
from equipoise.games.poker.game import PokerGame, poker_game
from equipoise.games.signals.limit import limit
from equipoise.games.signals.unroll import unroll
from equipoise.games.signals.views import views
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.numerics.device import Device
from equipoise.strategy.lift import lift
from equipoise.strategy.views import on_tree

# Three rounds and two hole cards, few enough to list.
TINY = poker_game(
    "tiny hold'em",
    deck=Deck.small(7, 1),
    hole=2,
    board=(0, 2, 1),
    tree=limit(3, bets=(2, 2, 4), cap=(2, 1, 1), blinds=(1, 2), first=(0, 1, 1)),
    showdown="five-card",
)
LISTED = {**GAMES, "rhode island": poker.rhode_island(3, 2), "tiny": TINY}
DEVICES = {"compiled": None, "strict": Device(array_api_strict, None, "float64")}


def earned_from(tree: ExtensiveGame, moves: Any, player: int, first: int) -> float:
    """Return what ``player`` earns who plays as the strategy does before round ``first``, and best from it on.

    A history names its round by the slashes in it. In an information set all nodes are as deep.
    """
    others = reach_of(tree, without(tree, moves, player), Floating())[0]
    turns = np.array([label.rsplit("|", 1)[1].count("/") for label in tree.infoset_label])
    most = int(tree.action_count.max())
    worth = np.zeros(tree.nodes)
    worth[tree.terminals] = tree.payoffs[tree.outcome[tree.terminals], player]
    for level in tree.depth_levels[:0:-1]:
        above, slot = tree.parent[level], tree.slot[level]
        sets = tree.infoset[above]
        is_free = (tree.player[above] == player) & (turns[sets] >= first)
        value = np.where(np.arange(most) < tree.action_count[:, None], 0.0, -np.inf)
        at = sets[is_free], slot[is_free]
        np.add.at(value, at, (others[above] * worth[level])[is_free])
        chosen = value.argmax(axis=1)[sets] == slot
        np.add.at(worth, above, np.where(is_free, chosen, moves[0, level]) * worth[level])
    return float(worth[0])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("style", ["random", "zero-reach"])
@pytest.mark.parametrize("name", LISTED)
def test_gains_by_round_are_those_on_the_explicit_tree(name: str, style: str, device: str) -> None:
    game = LISTED[name]
    strategy = strategy_of(game, style, np.random.default_rng(11))
    found = certify_streamed(game, strategy, device=DEVICES[device])
    tree = unroll(game)
    moves = edge_probabilities(tree, on_tree(game, tree, strategy), Floating())
    for player in (0, 1):
        wanted = [earned_from(tree, moves, player, first) for first in range(game.rounds + 1)]
        assert found.earned[player].sum(axis=1) == pytest.approx(wanted, abs=1e-11)
        gains = np.array(wanted[:-1]) - wanted[-1]
        assert found.gains_by_round[player] == pytest.approx(gains, abs=1e-11)


def test_rounds_differ() -> None:
    # Else the test above could not tell one from the next.
    found = certify_streamed(TINY, strategy_of(TINY, "random", np.random.default_rng(11)))
    for gains in found.gains_by_round:
        assert np.diff(gains).max() < -0.05
        assert gains[-1] > 0.05


@pytest.mark.parametrize("first", [0, 1])
def test_gains_by_hand_are_those_in_the_first_information_sets(first: int) -> None:
    # Who acts first comes to one information set with each hand, whatever the other one has.
    game = poker_game(
        "who is first",
        deck=Deck.small(4, 2),
        hole=2,
        board=(0, 3),
        tree=limit(2, bets=(2, 4), cap=1, blinds=(1, 1), first=(first, first)),
        showdown="five-card",
    )
    strategy = strategy_of(game, "random", np.random.default_rng(4))
    found = certify_streamed(game, strategy)
    named = views(game)
    assert isinstance(named, CanonicalViews)
    wanted = np.zeros(named.count(0))
    detailed = certify(game, strategy, infosets=True).infosets
    assert detailed is not None
    for label in detailed.game.infoset_label:
        told, history = label.rsplit("|", 1)
        if not history:
            there = detailed[label]
            cards = game.deck.parse(told.strip("|"))
            held = int(named.numbers(0, np.sort(cards)[None])[0])
            wanted[held] += there.reach * (there.best_response - there.value)
    assert found.gains_by_hand[first] == pytest.approx(wanted, abs=1e-12)
    assert wanted.min() < wanted.max()


@pytest.mark.parametrize("name", EVERY)
def test_parts_add_up_and_beginning_earlier_is_no_worse(name: str) -> None:
    game: PokerGame = EVERY[name]
    strategy = bucket_strategy(game, (2, 3, 2, 2)[: game.rounds], seed=3)
    found = certify_streamed(game, strategy)
    for player, own in enumerate(found.earned):
        assert len(own) == game.rounds + 1
        assert own[0].sum() == pytest.approx(found.best_responses[player], abs=1e-12)
        # Of both players each is counted apart: what one earns the other loses.
        assert own[-1].sum() == pytest.approx(found.values[player], abs=1e-12)
        assert found.by_hand[player].sum() == pytest.approx(found.best_responses[player])
        assert found.gains_by_hand[player].sum() == pytest.approx(found.gains[player], abs=1e-12)
        assert found.gains_by_round[player][0] == pytest.approx(found.gains[player], abs=1e-12)
        # With every hand, not only over all of them.
        assert np.diff(own, axis=0).max() < 1e-12


def test_buckets_gain_by_round_as_their_lifted_strategy() -> None:
    strategy = bucket_strategy(SHORT, (2, 3, 2), seed=7)
    assert strategy.abstraction is not None
    mine = certify_streamed(SHORT, strategy)
    theirs = certify_streamed(SHORT, lift(strategy, strategy.abstraction))
    on_arrays = certify_streamed(SHORT, strategy, device=DEVICES["strict"])
    for player in (0, 1):
        assert mine.earned[player] == pytest.approx(theirs.earned[player], abs=1e-12)
        assert mine.earned[player] == pytest.approx(on_arrays.earned[player], abs=1e-12)


def test_a_sample_tells_where_its_own_gains_come_from() -> None:
    found = certify_streamed(SHORT, bucket_strategy(SHORT, (2, 3, 2), seed=7), sample=5)
    for player, own in enumerate(found.gains_by_round):
        assert own[0] == pytest.approx(found.gains[player])
        assert np.diff(own).max() < 1e-6
