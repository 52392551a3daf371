"""How large trees may grow: limits that are said early, and memory that lasts."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from tests.games.random_trees import PLAIN, trees

from equipoise.errors import EquipoiseError
from equipoise.games.base import load
from equipoise.games.poker import leduc as leduc_signals
from equipoise.games.signals.unroll import SignalRules, unroll
from equipoise.games.trees.builder import from_rules
from equipoise.games.trees.classic import Kuhn, Leduc, LiarsDice, liars_dice
from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame
from equipoise.games.trees.growth import estimate, growth
from equipoise.games.trees.questions import Questions
from equipoise.road.verbs import solve


class Replayed:
    """A tree as rules, whose states are its nodes."""

    def __init__(self, game: ExtensiveGame) -> None:
        self.game, self.players = game, game.players
        self.children: dict[int, list[int]] = {node: [] for node in range(game.nodes)}
        for node, parent in enumerate(game.parent.tolist()):
            if parent >= 0:
                self.children[parent].append(node)

    def initial(self) -> Any:
        return (0,)

    def player(self, state: Any) -> int:
        return int(self.game.player[state[0]])

    def actions(self, state: Any) -> Any:
        return self.game.infoset_actions[self.game.infoset[state[0]]]

    def chance(self, state: Any) -> Any:
        below = self.children[state[0]]
        return [(str(v), self.game.numbers[self.game.probability[v]]) for v in below]

    def next(self, state: Any, index: int) -> Any:
        return (self.children[state[0]][index],)

    def information(self, state: Any) -> Any:
        return int(self.game.infoset[state[0]])

    def payoffs(self, state: Any) -> Any:
        row = self.game.payoff[self.game.outcome[state[0]]]
        return [self.game.numbers[place] for place in row]


def test_the_estimate_is_exact_where_like_nodes_have_like_subtrees() -> None:
    """The bids that are left decide how liar's dice goes on."""
    rules = LiarsDice(4)
    assert estimate(Questions(rules, "game"), 3) == (from_rules(rules).nodes, 0.0)


@pytest.mark.parametrize("rules", [Kuhn(4), Leduc(), SignalRules(leduc_signals())])
def test_the_estimate_of_poker_is_near(rules: Any) -> None:
    found = estimate(Questions(rules, "game"), 200)
    assert abs(found.nodes - from_rules(rules).nodes) <= 5 * found.error
    assert found.error < 0.1 * found.nodes


@settings(deadline=None, max_examples=15)
@given(trees(PLAIN, most_depth=4))
def test_the_estimate_has_the_number_of_nodes_as_its_mean(game: ExtensiveGame) -> None:
    found = estimate(Questions(Replayed(game), "game"), 500)
    assert abs(found.nodes - game.nodes) <= 6 * found.error + 1e-9


def test_a_tree_that_will_be_too_large_is_refused_before_it_is_built() -> None:
    """With s sides there are 1 + s + s^2 (2^(2s + 1) - 1) nodes: building these would never end."""
    nodes = 1 + 20 + 20**2 * (2**41 - 1)
    with pytest.raises(EquipoiseError, match=rf"about {nodes:,} nodes, estimated"):
        from_rules(LiarsDice(20))
    with pytest.raises(EquipoiseError, match=r"about 294,883 nodes.*at most 100,000; --nodes N"):
        from_rules(LiarsDice(), nodes=100_000)
    # Games of the library know their sizes.
    with pytest.raises(EquipoiseError, match=rf"its tree has {nodes:,} nodes"):
        liars_dice(20)
    with pytest.raises(EquipoiseError, match=r"has 294,883 nodes.*at most 100,000; --nodes N"):
        load("liars_dice", nodes=100_000)


def test_the_limit_is_exact_and_can_be_raised() -> None:
    assert load("kuhn", nodes=58).nodes == 58
    with pytest.raises(EquipoiseError, match="its tree has 58 nodes, expected at most 57"):
        load("kuhn", nodes=57)
    with growth(57):
        assert from_rules(Kuhn(), nodes=58).nodes == 58
        with pytest.raises(EquipoiseError, match="more than 57 nodes"):
            from_rules(Kuhn())
    for wrong in (0, -1, True, 1.5, "9"):
        with pytest.raises(EquipoiseError, match=r"nodes: found .*, expected a whole number >= 1"):
            load("kuhn", nodes=wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_a_tree_has_no_longer_than_it_is_given() -> None:
    over = r"found 32,768 of about 294,883 nodes of its tree when the time was over.*longer --time"
    with growth(seconds=0):
        assert load("kuhn").nodes == 58  # done before anybody looks
        with pytest.raises(EquipoiseError, match=over):
            load("liars_dice", nodes=300_000)
        with growth(seconds=1e9):
            assert load("liars_dice").nodes == 294_883
    with pytest.raises(EquipoiseError, match=over):
        solve("liars_dice", time=0)


def test_a_game_with_signals_is_counted_from_its_factors_first() -> None:
    with (
        growth(9000),
        pytest.raises(EquipoiseError, match=r"its tree has 9,457 nodes, expected at"),
    ):
        unroll(leduc_signals())


def test_who_watches_is_told_how_many_nodes_to_expect_and_when_it_is_over() -> None:
    seen: list[tuple[int, float]] = []
    with growth(monitor=lambda nodes, expected: seen.append((nodes, expected))):
        liars_dice(6)
    assert len(seen) == 294_883 // 2**15 + 1
    assert {expected for _, expected in seen} == {294_883.0}
    assert [nodes for nodes, _ in seen] == sorted({nodes for nodes, _ in seen})
    assert seen[-1] == (294_883, 294_883)


class Fan:
    """Nature deals one of many cards to a player without a choice: few sets, many nodes."""

    players = 1
    width = 100

    def initial(self) -> Any:
        return ()

    def player(self, state: Any) -> int:
        return (CHANCE, CHANCE, TERMINAL)[len(state)]

    def chance(self, state: Any) -> Any:
        return [(str(i), 1 / self.width) for i in range(self.width)]

    def next(self, state: Any, index: int) -> Any:
        return (*state, index)

    def payoffs(self, state: Any) -> Any:
        return (state[0],)


def test_a_node_costs_no_more_than_fifty_bytes() -> None:
    """Six integers a node, two more for a labelled one, and what lists of them keep in reserve."""
    tracemalloc.start()
    try:
        game = from_rules(Fan())
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert game.nodes == 1 + 100 + 100**2
    assert held < 50 * game.nodes
    assert peak < 60 * game.nodes
    assert game.chance_label[2] == "0"
    assert game.chance_label.get(0) is None
    assert len(game.chance_label) == game.nodes - 1
