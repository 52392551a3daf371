"""Fewer actions: the smaller game by several roads, and what its strategies do in the whole one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equipoise
from equipoise.abstraction.actions import ActionAbstraction, abstract_actions, read_actions
from equipoise.cards.deck import Deck
from equipoise.certificates.match import expected_values
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.signals.bet_sizes import betting_model
from equipoise.games.signals.betting import TERMINAL, BettingTree
from equipoise.games.signals.chips import chips
from equipoise.games.signals.limit import limit
from equipoise.games.signals.no_limit import no_limit
from equipoise.games.signals.stage_game import StageGame
from equipoise.sequence.build import build
from equipoise.sequence.reductions.restrict import restrict
from equipoise.solvers import LP, solve
from equipoise.strategy.profile import Strategy
from equipoise.strategy.translate import translate
from equipoise.strategy.views import view_layout


def same(first: BettingTree, second: BettingTree) -> bool:
    arrays = ("parent", "round", "player", "base", "scale", "kind")
    return first.action == second.action and all(
        np.array_equal(getattr(first, name), getattr(second, name)) for name in arrays
    )


def random_strategy(game: StageGame, seed: int) -> Strategy:
    """Return a strategy that mixes all actions of ``game``."""
    layout, random = view_layout(game), np.random.default_rng(seed)
    vectors = []
    for player in (0, 1):
        vector = np.ones(int(layout.starts(player)[-1]))
        starts = layout.starts(player)
        for (_, actions), begin, end in zip(
            layout.nodes[player], starts[:-1], starts[1:], strict=True
        ):
            block = random.uniform(0.05, 1, (actions, (end - begin) // actions))
            vector[begin:end] = (block / block.sum(axis=0)).reshape(-1)
        vectors.append(vector)
    fingerprint = build(game).fingerprint
    return Strategy(game.name, fingerprint, tuple(vectors), layout, game)


def cut(tree: BettingTree, text: str) -> ActionAbstraction:
    return abstract_actions(tree, *read_actions(text))


@pytest.mark.parametrize("cap", [1, 2, 3])
def test_a_cap_gives_the_tree_that_limit_betting_with_it_has(cap: int) -> None:
    # Rhode Island's betting: Gilpin (2009), section 7.3, limits it to 1, 2 or 3 bets a round.
    rules = {"bets": (1000, 2000, 2000), "antes": 500}
    whole = limit(3, cap=3, **rules)  # type: ignore[arg-type]
    assert same(cut(whole, f"cap={cap}").small, limit(3, cap=cap, **rules))  # type: ignore[arg-type]


def test_caps_by_round_and_blinds() -> None:
    whole = poker.limit_holdem().tree
    rules = {"bets": (2, 2, 4, 4), "blinds": (1, 2), "first": (0, 1, 1, 1)}
    assert same(cut(whole, "cap=4-3-2-1").small, limit(4, cap=(4, 3, 2, 1), **rules))  # type: ignore[arg-type]


def test_sizes_give_the_tree_that_no_limit_betting_with_them_has() -> None:
    rules = {"stacks": 30, "blinds": (2, 1), "first": (1, 0), "chip": 1}
    whole = no_limit(2, bets=["min", "50%", "100%", "200%", "all-in"], cap=3, **rules)  # type: ignore[arg-type]
    model = betting_model("pot", bets=["100%", "all-in"], commit=0.5, cap=3, is_strict=False)
    small = no_limit(2, model=model, **rules)  # type: ignore[arg-type]
    assert same(abstract_actions(whole, model).small, small)


def test_chips_are_read_off_the_leaves() -> None:
    tree = no_limit(2, stacks=30, bets=["100%", "all-in"], blinds=(1, 2), antes=1, chip=1)
    pot = chips(tree)
    start, call, bet = (tree.find(text) for text in ("", "c", "c,R8"))
    assert (pot.matched[start], pot.paid[start], pot.owed(start), pot.pot(start)) == (3, 2, 1, 5)
    assert (pot.matched[call], pot.owed(call)) == (3, 0)
    assert (pot.matched[bet], pot.owed(bet), pot.pot(bet)) == (9, 6, 12)
    assert pot.added(call, bet) == 6
    assert [pot.bets[tree.find(text)] for text in ("", "c", "c,R8", "c,K/")] == [1, 1, 2, 0]
    with pytest.raises(EquipoiseError, match="expected fold"):
        chips(equipoise.load("auction").tree)  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["cap=1", "cap=1-2"])
def test_the_smaller_game_is_the_restriction_of_the_sequence_form(text: str) -> None:
    game = poker.leduc()
    own = cut(game.tree, text)
    value = solve(build(own.game(game)), LP()).value
    form = build(game)
    layout, keep = view_layout(game), np.zeros(len(game.tree.parent), dtype=bool)
    keep[own.nodes] = True
    masks = []
    for player in (0, 1):
        parts = [np.ones(1, dtype=bool)]
        for node in np.flatnonzero(game.tree.player == player).tolist():
            width = layout.buckets[int(game.tree.round[node])][player]
            # What the model never comes to may stay: the sequences before it are dropped.
            kept = (
                keep[game.tree.children(node)]
                if keep[node]
                else np.ones(len(game.tree.children(node)), dtype=bool)
            )
            parts.append(np.repeat(kept, width))
        masks.append(np.concatenate(parts))
    small = restrict(form, masks[0], masks[1])
    assert solve(small.form, LP()).value == pytest.approx(value, abs=1e-9)


def test_a_model_of_everything_changes_nothing() -> None:
    game = poker.leduc()
    own = cut(game.tree, "cap=2")
    strategy = random_strategy(own.game(game), 1)
    found, defaults = translate(strategy, own, game)
    assert all(map(np.array_equal, found.behaviour, strategy.behaviour))
    assert defaults.called == (0, 0)


def test_what_the_model_knows_is_played_as_in_the_model() -> None:
    game = poker.leduc()
    own = cut(game.tree, "cap=1")
    small = own.game(game)
    strategy = random_strategy(small, 2)
    found, defaults = translate(strategy, own, game)
    for node in np.flatnonzero(small.tree.player != TERMINAL).tolist():
        history = small.tree.histories[node]
        known, there = strategy.of(small).at(history), found.at(history)
        for label in known.labels:
            assert there[label] == dict.fromkeys(there.actions, 0.0) | known[label]
    # After "bR" the model thinks that the raise was a call: player 1 calls, whatever she holds.
    assert all(found.at("bR")[hand] == {"f": 0.0, "c": 1.0} for hand in found.at("bR").labels)
    # In the next round she plays as after the call.
    for label in (text for text in found if text.endswith("|bRc/")):
        same_hand = label.replace("|bRc/", "|bC/")
        assert found[label] == found[same_hand]
    called = sum(1 for text in found if found[text].get("c") == 1.0)
    assert called >= sum(defaults.called) > 0


class Fixed:
    """A mapping that reads every bet in between as the smaller with probability ``p``."""

    name = "fixed"

    def __init__(self, p: float) -> None:
        self.p = p

    def lower(
        self, c: float, d1: float, d2: float, *, pot: float = 1.0, owed: float = 0.0
    ) -> float:
        """Return p."""
        return self.p


def test_drawing_a_reading_and_remembering_it_is_a_behaviour() -> None:
    # Bets in between are on offer in the first round alone, and once: so whoever draws readings with
    # probability p earns p times what she earns who always takes the smaller, and the rest of the other.
    bets = [["100%", "200%", "400%"], ["100%"]]
    tree = no_limit(2, stacks=40, antes=1, bets=bets, cap=1, chip=1)
    game = poker.poker_game(
        "two sizes", deck=Deck.small(3, 2), hole=1, board=(0, 1), tree=tree, showdown="pair"
    )
    model, _ = read_actions("bets=100%+400%")
    own = abstract_actions(tree, model)
    assert [tree.action[own.nodes[v]] for v in own.small.children(0)] == ["k", "b2", "b8"]
    strategy = random_strategy(own.game(game), 3)
    agents = {
        p: translate(strategy, replace(own, mapping=Fixed(p)), game)[0] for p in (0.0, 0.3, 1.0)
    }
    for seed in range(5):
        other = random_strategy(game, seed)
        for seats in (lambda a, b: (a, b), lambda a, b: (b, a)):
            low, mixed, high = (
                expected_values(game, seats(agents[p], other))[0] for p in (1.0, 0.3, 0.0)
            )
            assert mixed == pytest.approx(0.3 * low + 0.7 * high, abs=1e-12)
            assert abs(low - high) > 1e-6


@pytest.mark.parametrize("mapping", ["absolute", "randomised", "relative", "pseudo-harmonic"])
def test_through_the_road_in_a_no_limit_game(mapping: str) -> None:
    game = poker.no_limit_leduc()
    result = equipoise.solve(game, gap=1e-6, actions=f"bets=all-in,mapping={mapping}")
    assert result.found.details["actions"]["decisions"] == {"kept": 8, "of": 48}
    assert result.certificate.gap > 0.1  # a model that bets all-in alone is no equilibrium
    whole = equipoise.solve(game, gap=1e-6, actions="bets=100%+all-in")
    assert whole.certificate.gap <= 1e-6


@pytest.mark.parametrize(
    ("mapping", "read"), [("absolute", "r6"), ("relative", "r1000"), ("randomised", "r6 or r1000")]
)
def test_the_bets_of_the_text_in_a_real_tree(mapping: str, read: str) -> None:
    # Gilpin (2009), section 7.4.2: the small blind adds 144 or 500 chips to the one that he has posted.
    sizes = ["50%", "100%", "143c", "499c", "all-in"]
    tree = no_limit(1, stacks=1000, bets=sizes, cap=2, blinds=(2, 1), first=1, chip=1)
    own = cut(tree, f"bets=50%+100%+all-in,mapping={mapping}")
    on_offer = [tree.action[own.nodes[v]] for v in own.small.children(0)]
    assert on_offer == ["f", "c", "r4", "r6", "r1000"]
    for history in ("R145", "R501"):
        reading = own.readings(0)[tree.find(history)]
        assert " or ".join(own.small.action[place] for place in sorted(reading)) == read
        if mapping == "randomised" and history == "R501":
            assert reading[own.small.find("R6")] == pytest.approx(0.502, abs=5e-4)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cap=", "actions: found 'cap=', expected each of cap, bets"),
        ("cap=x", "actions: cap: found 'x', expected 2, or 1-2-3"),
        ("cap=0", "cap: found 0, expected a whole number from 1"),
        ("cap=1-2-3", "betting model 'cap=1-2-3': found 3 rounds, expected 1 or the game's 2"),
        ("nobody", "betting model 'nobody': unknown"),
        ("cap=1,cap=2", "actions: found 'cap=2', expected each"),
        ("mapping=relative", "actions: found a mapping alone"),
        ("cap=1,mapping=best", "mapping: found 'best'"),
        ("tartanian,cap=1", "actions: found a model and parts of one"),
        ("bets=50", "found the size '50'"),
        ("commit=half", "actions: commit: found 'half'"),
    ],
)
def test_bad_input(text: str, sentence: str) -> None:
    with pytest.raises(EquipoiseError) as error:
        equipoise.solve(poker.leduc(), actions=text)
    assert str(error.value).startswith(sentence)


def test_a_tree_has_no_betting_model() -> None:
    with pytest.raises(EquipoiseError, match="actions: 'kuhn' is not given by its rounds"):
        equipoise.solve("kuhn", actions="cap=1")
