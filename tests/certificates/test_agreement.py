"""Three roads to the same numbers: the public tree, the explicit tree, the form's own measure."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.random_rules import random_game

from equipoise.certificates import gap
from equipoise.certificates.gap import certify
from equipoise.certificates.public import certify_public
from equipoise.certificates.tree import certify_tree
from equipoise.games import poker
from equipoise.games.files.rules import parse_rules
from equipoise.games.poker import PokerGame
from equipoise.games.signals.chance import Joint
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.unroll import unroll
from equipoise.sequence.build import build, game_fingerprint
from equipoise.solvers.base import measure
from equipoise.strategy.profile import Strategy
from equipoise.strategy.views import on_tree, view_layout

STYLES = ("uniform", "random", "pure", "zero-reach")


def strategy_of(game: StageGame, style: str, random: np.random.Generator) -> Strategy:
    """Return a strategy: uniform, inside, at a corner, or with some actions that are never taken."""
    layout = view_layout(game)
    vectors = []
    for player in (0, 1):
        parts = [np.ones(1)]
        for turn, actions in layout.nodes[player]:
            block = np.ones((actions, layout.buckets[turn][player]))
            if style != "uniform":
                block = random.random(block.shape) + 1e-3
            if style == "pure":
                block = (block == block.max(axis=0)).astype(float)
            if style == "zero-reach":
                block[1:] *= random.random(block[1:].shape) < 0.5
            parts.append((block / block.sum(axis=0)).reshape(-1))
        vectors.append(np.concatenate(parts))
    return Strategy(game.name, game_fingerprint(game), tuple(vectors), layout)


def assert_roads_agree(game: StageGame, strategy: Strategy) -> None:
    tree = unroll(game)
    slow = certify_tree(tree, on_tree(game, tree, strategy))
    roads = [certify(game, strategy), certify(game, strategy, rigorous=True)]
    if isinstance(game, PokerGame):
        # Decks with few hands take arrays by default; the kernels of the public tree must agree.
        roads.append(certify_public(game, strategy))
    for road in roads:
        for name in ("values", "best_responses", "gains"):
            assert getattr(road, name) == pytest.approx(getattr(slow, name), rel=1e-9, abs=1e-9)
    form = build(game)
    plans = []
    for player, space in enumerate((form.X, form.Y)):
        assert form.canonical is not None
        behaviour = np.empty(space.size)
        behaviour[form.canonical(player)] = strategy.behaviour[player]
        plans.append(space.plan(behaviour))
    x, y = plans
    shift, unit = form.units.shift, form.units.unit
    lower, upper = (shift + bound for bound in measure(form, x, y))
    assert (upper, -lower) == pytest.approx(slow.best_responses, rel=1e-9, abs=1e-9)
    for product in (form.A.times(y), form.A.matrix() @ y):
        value = shift + unit * float(x @ product)
        assert value == pytest.approx(slow.value, rel=1e-9, abs=1e-9)


def drawn(game: StageGame) -> set[str]:
    """Name what is special about ``game``."""
    tree, last = game.tree, game.rounds - 1
    acts = {int(turn) for turn, player in zip(tree.round, tree.player, strict=True) if player >= 0}
    rounds = list(zip(tree.round, tree.parent, strict=True))[1:]
    unequal = any(len(set(row)) > 1 for row in game.private)
    names = {
        f"{game.rounds} rounds": True,
        "a round that all skip": last == 2 and acts == {0, 2},
        "a node that skips a round": any(turn - tree.round[parent] > 1 for turn, parent in rounds),
        "a showdown before the last round": (tree.kind[tree.round < last] >= 0).any(),
        "an outcome beside the showdown": "prize" in tree.kinds,
        "hands of unequal size": unequal,
        "private signals in a late round": any(any(row) for row in game.private[1:]),
        "two hole cards": isinstance(game, PokerGame) and game.hole == 2,
        "one hole card": isinstance(game, PokerGame) and game.hole == 1,
        "signals that depend on each other": isinstance(game.chance, Joint),
    }
    return {name for name, is_so in names.items() if is_so}


def test_random_games_have_all_that_rules_can_say() -> None:
    seen = Counter(name for seed in range(250) for name in drawn(random_game(Random(seed))))
    assert len(seen) == 12, seen
    assert min(seen.values()) >= 3


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(STYLES))
def test_every_road_leads_to_the_same_certificate(seed: int, style: str) -> None:
    game = random_game(Random(seed))
    assert_roads_agree(game, strategy_of(game, style, np.random.default_rng(seed)))


def test_plain_and_fast_is_the_default_and_many_hands_take_the_public_tree(monkeypatch) -> None:
    game = random_game(Random(3))
    strategy = strategy_of(game, "random", np.random.default_rng(3))
    assert certify(unroll(game), on_tree(game, unroll(game), strategy)).rigorous is False
    poker_game = poker.rhode_island(3, 2)
    own = strategy_of(poker_game, "random", np.random.default_rng(4))
    few = certify(poker_game, own)
    monkeypatch.setattr(gap, "_FEW_HANDS", 0)
    many = certify(poker_game, own)
    assert (few.rigorous, many.rigorous) == (False, False)
    assert many.gains == pytest.approx(few.gains, rel=1e-9, abs=1e-9)
    assert many.values == pytest.approx(few.values, rel=1e-9, abs=1e-9)


SKIPPED = """
ante = 1
deck = { ranks = "2345", suits = "cd", showdown = "three-card" }
[[round]]
private = 1
bet = 1
cap = 1
[[round]]
public = 1
stage = {}
[[round]]
public = 1
bet = 2
cap = 1
"""


TWO_HOLE_CARDS = """
ante = 1
stacks = 4
deck = { ranks = "2345678", suits = "c", showdown = "five-card" }
[[round]]
private = 2
bets = ["all-in"]
[[round]]
public = 3
stage = { player = 1, actions = { k = {}, f = { fold = 1 } } }
"""


def test_all_ins_with_two_hole_cards() -> None:
    # Hands that share cards meet on no board: inclusion and exclusion over the cards.
    game = parse_rules(TWO_HOLE_CARDS)
    assert_roads_agree(game, strategy_of(game, "random", np.random.default_rng(2)))


NOTHING_HELD = """
ante = 1
ordered = false
signals = { names = ["ace", "king", "ten"] }
ranking = { order = ["ten", "king", "ace"] }
[[round]]
private = [0, 1]
bet = 1
cap = 1
"""


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("rules", [SKIPPED, NOTHING_HELD])
def test_rules_that_certificates_once_got_wrong(rules: str, style: str) -> None:
    # The public tree kept the values of the last board of a round that play skips; and the view of no
    # signals was read as one signal without a name, where names differ in length.
    game = parse_rules(rules)
    assert_roads_agree(game, strategy_of(game, style, np.random.default_rng(5)))
