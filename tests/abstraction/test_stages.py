"""Stage abstraction: truncated games by two roads, and later behaviour fitted to self-play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.strategy.test_translate import random_strategy

import equipoise
from equipoise.abstraction.self_play import (
    WIDTH,
    Habits,
    follow,
    hand_values,
    points,
    self_play,
)
from equipoise.abstraction.stages import Behaviour, truncate
from equipoise.certificates.gap import certify
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import TERMINAL, subtree
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.unroll import unroll
from equipoise.games.signals.views import signal_rounds, views
from equipoise.sequence.build import build
from equipoise.solvers import LP, solve
from equipoise.strategy.profile import Strategy
from equipoise.strategy.stages import behaviour_of, prolong
from equipoise.strategy.views import view_layout


@pytest.fixture(scope="module")
def small() -> PokerGame:
    """Rhode Island hold'em with a deck of 8 cards: three rounds."""
    return poker.rhode_island(ranks=4, suits=2)


def uniform(game: StageGame) -> Behaviour:
    tree, named = game.tree, views(game)
    return {
        node: np.full(
            (len(tree.children(node)), named.count(int(tree.round[node]), int(tree.player[node]))),
            1 / len(tree.children(node)),
        )
        for node in np.flatnonzero(tree.player != TERMINAL).tolist()
    }


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_roll_out_is_the_game_in_which_nobody_bets_later(small: PokerGame, rounds: int) -> None:
    cut = truncate(small, rounds)
    tree = small.tree
    above = np.maximum(tree.parent, 0)
    keep = np.array([label in ("k", "c") for label in tree.action]) | (tree.round[above] < rounds)
    passive, _ = subtree(tree, keep)
    other = equipoise.solve(poker.poker_game(
        "passive", deck=small.deck, hole=1, board=(0, 1, 1), tree=passive, showdown="three-card"
    ), "lp", abstraction="none")  # fmt: skip
    found = solve(build(cut.short), LP())
    assert found.value == pytest.approx(other.certificate.values[0], abs=1e-6)


def earned(game: StageGame, strategy: Strategy) -> float:
    """Return what player 1 earns, from the sequence form."""
    form = build(game)
    assert form.canonical is not None
    plans = []
    for player, space in enumerate((form.X, form.Y)):
        behaviour = np.empty(space.size)
        behaviour[form.canonical(player)] = strategy.behaviour[player]
        plans.append(space.plan(behaviour))
    return form.units.shift + form.units.unit * float(plans[0] @ form.A.times(plans[1]))


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_profile_earns_the_same_cut_off_and_played_on(small: PokerGame, rounds: int) -> None:
    strategy = random_strategy(small, 4)
    cut = truncate(small, rounds, behaviour_of(strategy, small))
    trunk = random_strategy(cut.short, 5)
    values = certify(small, prolong(trunk, cut)).values
    assert earned(cut.short, trunk) == pytest.approx(values[0])


def test_the_short_game_as_an_explicit_tree() -> None:
    # Outcomes asked deal by deal, with suits told apart, and by pairs of views.
    game = poker.leduc()
    cut = truncate(game, 1, uniform(game))
    by_views = solve(build(cut.short), LP()).value
    assert solve(build(unroll(cut.short)), LP()).value == pytest.approx(by_views, abs=1e-9)


def test_later_behaviour_of_an_equilibrium_keeps_the_value() -> None:
    game = poker.leduc()
    solved = equipoise.solve(game, "lp")
    cut = truncate(game, 1, behaviour_of(solved.strategy, game))
    again = equipoise.solve(game, "lp", stages=cut)
    # -0.0856064: OpenSpiel's value of Leduc poker.
    assert again.certificate.values[0] == pytest.approx(-0.085606424078, abs=1e-9)
    assert again.found.details["stages"] == {"kept": 1, "of": 2}


def test_games_that_are_not_poker() -> None:
    # In the standoff nobody checks or calls; any behaviour may follow the first round all the same.
    game = equipoise.load("standoff")
    assert isinstance(game, StageGame)
    assert game.tree.rounds == 2
    with pytest.raises(EquipoiseError, match="expected fold"):
        truncate(game, 1)
    strategy = random_strategy(game, 8)
    cut = truncate(game, 1, behaviour_of(strategy, game))
    trunk = random_strategy(cut.short, 9)
    values = certify(game, prolong(trunk, cut)).values
    assert certify(cut.short, trunk).values == pytest.approx(values)


def test_through_the_road_by_roll_out_and_by_habits(tmp_path: Path) -> None:
    game, file = poker.leduc(), tmp_path / "leduc.eqp"
    equipoise.solve(game, "lp", out=file)
    rolled = equipoise.solve(game, "lp", stages="1").certificate.gap
    followed = equipoise.solve(game, "lp", stages=f"1:{file}").certificate.gap
    # What GS2 gained over a roll-out (Gilpin 2009, Table 6.1, last rows): the opponent's later bets count.
    assert followed < rolled - 0.5


def test_hand_values() -> None:
    game = poker.leduc()
    rounds = signal_rounds(game)
    named = views(game)
    value = {
        named.label(1, view): hand_values(rounds, 1, 0)[view] for view in range(named.count(1))
    }
    paired = max(value.values())
    assert paired == pytest.approx(990)  # a pair beats whatever is left
    # A hand of one round has the mean of those that follow it.
    first = hand_values(rounds, 0, 0)
    weight = np.bincount(rounds[1].pairs[0], rounds[1].weight)
    later = hand_values(rounds, 1, 0)
    for view in range(named.count(0)):
        after = rounds[1].parents[0] == view
        assert first[view] == pytest.approx(np.average(later[after], weights=weight[after]))
    # What one player wins the other loses; draws are worth half to both.
    last = rounds[1]
    total = sum(np.bincount(last.pairs[i], last.weight) @ hand_values(rounds, 1, i) for i in (0, 1))
    assert total == pytest.approx(990 * last.weight[last.values["showdown"] == 0].sum())


def test_habits_of_who_looks_at_values_alone_are_her_behaviour() -> None:
    game = poker.leduc()
    rounds, tree = signal_rounds(game), game.tree
    behaviour = dict(uniform(game))
    for node in np.flatnonzero((tree.player != TERMINAL) & (tree.round == 1)).tolist():
        worth = hand_values(rounds, 1, int(tree.player[node]))
        actions = len(tree.children(node))
        rest = (1 - (worth > 0) * 0.8) / (actions - 1)
        behaviour[node] = np.stack([0.8 * (worth > 0), *[rest] * (actions - 1)])
    raw = self_play(game, behaviour, 1)
    for point in points(tree):
        if point is None or point[0] == 0:
            continue
        counts = raw.counts[point]
        seen = counts.sum(axis=1) > 0
        positive = raw.values[seen] > WIDTH
        frequency = (counts[seen].T / counts[seen].sum(axis=1)).T
        assert frequency[positive, 0] == pytest.approx(0.8)
        assert frequency[raw.values[seen] < -WIDTH, 0] == pytest.approx(0)


def test_sampled_games_come_near_to_exact_frequencies() -> None:
    game = poker.leduc()
    behaviour = behaviour_of(random_strategy(game, 6), game)
    exact = self_play(game, behaviour, 1)
    sampled = self_play(game, behaviour, 1, games=200_000, seed=7)
    again = self_play(game, behaviour, 1, games=200_000, seed=7)
    assert sampled.counts.keys() == exact.counts.keys()
    start = next(point for point, (_, history) in exact.labels.items() if history == "")
    assert np.array_equal(sampled.counts[start], again.counts[start])
    reached = exact.counts[start].sum()
    assert sampled.counts[start].sum() / 200_000 == pytest.approx(reached, abs=0.01)
    assert sampled.frequencies(start) == pytest.approx(exact.frequencies(start), abs=0.02)


def test_smoothing_by_hand() -> None:
    # Three bins with games, of five: frequencies 1, 0, 1/2 of the first action; the ends take the nearest.
    counts = np.array([[0, 0], [2, 0], [0, 3], [2, 2], [0, 0]], dtype=float)
    habits = Habits(np.arange(5.0), {(0, 0, (), 2): counts}, {}, 9)
    found = habits.frequencies((0, 0, (), 2))
    assert found[:, 0] == pytest.approx([1, 2 / 3, 1 / 2, 1 / 3, 1 / 2])
    assert found.sum(axis=1) == pytest.approx(1)


def test_what_was_never_played_is_uniform() -> None:
    game = poker.leduc()
    behaviour = dict(uniform(game))
    for node, block in behaviour.items():
        if game.tree.round[node] == 1:
            behaviour[node] = np.zeros_like(block)
            behaviour[node][0] = 1.0  # always check or fold
    later = follow(game, self_play(game, behaviour, 1), 1)
    raised = game.tree.find("kK/bR")
    assert (later[raised] == 0.5).all()


@pytest.mark.parametrize(
    ("stages", "sentence"),
    [
        ("0", "leduc: stages: found 0, expected 1 to 1 of the 2 rounds"),
        ("2", "leduc: stages: found 2, expected 1 to 1 of the 2 rounds"),
        ("one", "stages: found 'one', expected a number of rounds"),
        ("1:nowhere.eqp", "stages: nowhere.eqp: "),
    ],
)
def test_bad_input(stages: str, sentence: str) -> None:
    with pytest.raises(EquipoiseError) as error:
        equipoise.solve(poker.leduc(), stages=stages)
    assert str(error.value).startswith(sentence)


def test_later_behaviour_must_say_everything() -> None:
    game = poker.leduc()
    with pytest.raises(
        EquipoiseError, match="later behaviour after 'kK/': found none, expected 2 act"
    ):
        truncate(game, 1, {})
    with pytest.raises(EquipoiseError, match="expected one of this very game"):
        equipoise.solve(game, stages=truncate(poker.leduc(), 1))
    with pytest.raises(EquipoiseError, match="found 0 games, expected at least 1"):
        self_play(game, uniform(game), 1, games=0)


def test_a_strategy_of_rhode_island_with_few_cards(small: PokerGame) -> None:
    result = equipoise.solve(small, gap="1e-4r", stages="2", actions="cap=2")
    assert result.found.details["stages"] == {"kept": 2, "of": 3}
    assert result.found.details["actions"]["decisions"]["of"] > 100
    assert len(result.strategy.behaviour[0]) == int(view_layout(small).starts(0)[-1])
