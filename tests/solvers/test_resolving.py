"""Re-solving the last round: safe gadgets keep their promises, in the full game, and margins are what they say."""

from __future__ import annotations

import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.certificates.gap import certify
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import load
from equipoise.games.bayesian.betting_round import river
from equipoise.games.poker.canonical import board_classes
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.solvers.saddle.resolving import promised, resolve, situations
from equipoise.strategy.lift import lift

sys.path.append(str(Path(__file__).parents[2] / "experiments"))
import resolving as experiment
import resolving_qualitative as models


@pytest.fixture(scope="module")
def coarse():
    """A strategy of a small deck that an abstraction, and a short solve, leave beatable."""
    game = poker.rhode_island(4, 2)
    model = gameshrink(game, "histogram")
    base = lift(solve(build(game, model), DCFR(), Gap(100.0)).strategy, model)
    form = build(game)
    return game, form, base, experiment.plans_of(form, base)


@pytest.mark.parametrize("gadget", ["resolve", "maxmargin"])
def test_safe_gadgets_lose_nothing(coarse, gadget: str) -> None:
    game, form, base, plans = coarse
    before = certify(game, base)
    new = []
    for keeper in (0, 1):
        publics = experiment.public_situations(game, form, 1 - keeper)
        plan = resolve(form, keeper, plans, gadget, 600, publics)
        after = promised(form, keeper, plan) - promised(form, keeper, plans[keeper])
        assert form.units.unit * np.maximum(after, 0.0).sum() < 1.0
        new.append(plan)
    proof = certify(game, experiment.strategy_of(form, tuple(new), base))
    for found, was in zip(proof.best_responses, before.best_responses, strict=True):
        assert found < was + 1.0
    assert proof.gap < before.gap


def test_the_trunk_stays_as_it_is(coarse) -> None:
    _, form, _, plans = coarse
    plan = resolve(form, 0, plans, "unsafe", 20)
    trunk = form.A.tiled.last.trunk[0]
    np.testing.assert_allclose(plan[:trunk], plans[0][:trunk], atol=1e-12)
    assert np.abs(plan[trunk:] - plans[0][trunk:]).max() > 0.01


def test_promises_add_up_to_the_best_response(coarse) -> None:
    """With the promises at the leaves of the trunk, its best response is that of the whole game."""
    _, form, _, plans = coarse
    gain = -form.A.transpose_times(plans[0])
    whole = form.Y.support(gain)
    trunk = form.A.tiled.last.trunk[1]
    shorter = gain.copy()
    shorter[:trunk] += promised(form, 0, plans[0])
    shorter[trunk:] = 0
    assert form.Y.support(shorter) == pytest.approx(whole, abs=1e-12)


def test_public_situations_are_those_of_betting_and_board(coarse) -> None:
    game, form, _, _ = coarse
    publics = experiment.public_situations(game, form, 1)
    assert len(publics) == len(situations(form, 1))
    # Seven ways to bet through each of two rounds; a flop of each of four ranks, suits being alike.
    assert len(np.unique(publics)) == 7 * 7 * 4


def test_what_cannot_be_resolved(coarse) -> None:
    _, form, _, plans = coarse
    with pytest.raises(EquipoiseError, match="found 'x', expected one of unsafe"):
        resolve(form, 0, plans, "x", 1)
    with pytest.raises(EquipoiseError, match="expected a number for each"):
        resolve(form, 0, plans, "maxmargin", 1)
    kuhn = build(load("kuhn"))
    with pytest.raises(EquipoiseError, match="expected a last round in tiles"):
        promised(kuhn, 0, np.ones(kuhn.X.size))


@pytest.fixture(scope="module")
def rivers():
    """The last rounds of a tiny deck, and a strategy that leads to them."""
    game = models.river_island(3, 2, cap=1)
    return models.LastRounds(game, solve(build(game), DCFR(), Gap(500.0)).strategy)


def test_qualitative_models_fit_every_last_round(rivers) -> None:
    base = rivers.base
    found, went = models.solve_qualitatively(rivers.game, base)
    assert sum(went.values()) == 9 * 15
    assert all(status.startswith(("converged", "never")) for status in went), went
    changed = []
    for player in (0, 1):
        was, now = base.behaviour[player], found.behaviour[player]
        np.testing.assert_allclose(base.layout.sums(player, now), 1.0, atol=1e-9)
        starts = base.layout.starts(player)
        for (turn, _), low, high in zip(
            base.layout.nodes[player], starts, starts[1:], strict=False
        ):
            if turn < models.LAST:
                np.testing.assert_array_equal(now[low:high], was[low:high])
            else:
                changed.append(np.abs(now[low:high] - was[low:high]).max())
    assert max(changed) > 0.5
    assert certify(rivers.game, found).gap > 0


def test_beliefs_are_those_of_bayes_rule(rivers) -> None:
    """Two roads: by views of the round before, and by the labels of what each hand did, one after the other."""
    game, tree = rivers.game, rivers.game.tree
    for root in rivers.roots:
        for cards, board in zip(
            board_classes(game, 2)[0], models.boards(game, rivers.seen), strict=True
        ):
            holes = np.setdiff1d(np.arange(game.deck.size), cards)
            truth = np.zeros(2 * (int(board.strength.max()) + 1,))
            for (i, one), (j, two) in permutations(enumerate(holes.tolist()), 2):
                chance, node = 1.0, root
                while tree.parent[node] >= 0:
                    child, node = node, int(tree.parent[node])
                    turn, player = int(tree.round[node]), int(tree.player[node])
                    hand = ((one, two)[player], *cards[:turn].tolist())
                    view = rivers.seen.label(turn, rivers.seen.number(turn, hand))
                    play = rivers.base[f"{view}|{tree.histories[node]}"]
                    chance *= play[tree.action[child]]
                truth[board.strength[i], board.strength[j]] += chance
            np.testing.assert_allclose(rivers.beliefs(root, board), truth, atol=1e-12)


def test_the_round_of_one_raise_is_that_of_the_models() -> None:
    game = models.river_island(3, 2)
    rounds = models.LastRounds(game, solve(build(game), DCFR(), Gap(500.0)).strategy)
    assert len(rounds.roots) == 7 * 7
    tree = game.tree
    for root in rounds.roots:
        paid = {leaf.history: leaf for leaf in river(rounds.pot(root)).leaves}
        below = [n for n, h in enumerate(tree.histories) if h.startswith(tree.histories[root])]
        ends = [n for n in below if tree.player[n] < 0]
        assert len(ends) == len(paid)
        for history, leaf in paid.items():
            node = root
            for action in history:
                node = next(
                    c for c in tree.successors[node] if tree.action[c] == models.PLAYED[action]
                )
            # The pot belongs to nobody in the models: here each has put half of it in.
            half, bet = rounds.pot(root) / 2, models.BETS[models.LAST]
            for share, first in ((1, leaf.win[0]), (-1, leaf.lose[0])):
                own = tree.base[node][0] + share * tree.scale[node]
                assert own == pytest.approx(bet * (first - half))
