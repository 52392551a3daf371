"""Iterates, not only limits: every member of the CFR family against a slow reference, step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr as openspiel
from tests.games.conftest import lopsided
from tests.games.random_duels import random_duel
from tests.solvers.reference_cfr import ReferenceCFR, members

from equipoise.games import poker
from equipoise.games.files.gambit.write import efg_lines
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.unroll import unroll
from equipoise.games.trees.classic import kuhn
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.numerics import threads
from equipoise.sequence.build import SequenceForm, build, units_of
from equipoise.sequence.payoffs import tiling
from equipoise.solvers.base import Context
from equipoise.solvers.saddle import tiled
from equipoise.solvers.saddle.cfr import TABLE, member
from equipoise.solvers.saddle.cfr_compiled import CFRRun
from equipoise.strategy.profile import Layout, Strategy
from equipoise.strategy.views import on_tree

Plans = tuple[np.ndarray, np.ndarray]

ITERATIONS, HORIZON = 20, 15
# Behaviour divides by positive regrets: where they are this large, rounding stays far below 1e-10.
MARGIN = 1e-4


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", TABLE)
def test_every_row_iterates_on_trees_as_its_paper_says(name: str, seed: int) -> None:
    game = random_duel(seed)
    run = member(name, horizon=HORIZON).start(build(game), Context())
    assert_iterates(run, ReferenceCFR(game, members(HORIZON)[name]))


@pytest.mark.parametrize("name", TABLE)
def test_every_row_iterates_on_kuhn_poker_as_its_paper_says(name: str) -> None:
    # From uniform play, Kuhn poker's regrets tie at once; from a random start they never do.
    game = kuhn()
    form = build(game)
    start = random_start(form)
    run = member(name, horizon=HORIZON).start(form, Context(start=start))
    assert_iterates(run, reference(name, game, behaviours(form, start)))


# One suit: no two cards look alike, so the views are the information sets of the tree.
@pytest.mark.parametrize("game", [poker.leduc(4, 1), lopsided()], ids=lambda game: game.name)
@pytest.mark.parametrize("through", ["tiles", "operator"])
@pytest.mark.parametrize("name", TABLE)
def test_every_row_iterates_on_blocks_as_its_paper_says(
    name: str, through: str, game: StageGame
) -> None:
    form, tree = build(game), unroll(game)
    start, method = random_start(form), member(name, horizon=HORIZON)
    slow = reference(name, tree, on_the_tree(game, tree, form, start))
    run = method.start(form if through == "tiles" else plain(form), Context(start=start))

    def as_plans(plans: Plans) -> Plans:
        X, Y = build(tree).X, build(tree).Y
        x, y = on_the_tree(game, tree, form, plans)
        return X.plan(x), Y.plan(y)

    assert_iterates(run, slow, as_plans, iterations=8)


@pytest.mark.parametrize("name", ["cfr+", "dcfr", "pdcfr+"])
def test_trees_iterate_alike_through_any_operator(name: str) -> None:
    game = random_duel(4)
    run = member(name).start(plain(build(game)), Context(horizon=HORIZON))
    assert_iterates(run, ReferenceCFR(game, members(HORIZON)[name]))


def test_many_iterations_at_once_are_as_many_single_ones() -> None:
    form = build(random_duel(5))
    at_once, singly = (member("hs-dcfr", horizon=HORIZON).start(form, Context()) for _ in "ab")
    at_once.advance(ITERATIONS)
    for _ in range(ITERATIONS):
        singly.advance(1)
    for one, other in zip(at_once.point(), singly.point(), strict=True):
        assert np.array_equal(one, other)
    assert at_once.iterations == singly.iterations == ITERATIONS
    assert at_once.gradients == singly.gradients == 2 * ITERATIONS


@pytest.mark.parametrize("seed", [6, 7, 8])
@pytest.mark.parametrize("name", ["cfr", "cfr+"])
def test_cfr_iterates_as_openspiel_does(name: str, seed: int) -> None:
    # OpenSpiel counts player 1's plan before her update, we count it after: her first plan is
    # uniform there, and the others come one iteration later with the weight of the iteration before.
    game = random_duel(seed)
    run = member(name).start(build(game), Context())
    theirs = pyspiel.load_efg_game("\n".join(efg_lines(game)) + "\n")
    solver = {"cfr": openspiel.CFRSolver, "cfr+": openspiel.CFRPlusSolver}[name](theirs)
    forms = build(game).X, build(game).Y
    total, weights = np.zeros(forms[0].size), 0.0
    slow = ReferenceCFR(game, members(HORIZON)[name])
    for t in range(1, ITERATIONS + 1):
        run.advance(1)
        slow.step()
        solver.evaluate_and_update_policy()
        weight = float(t) if name == "cfr+" else 1.0
        total += weight * forms[0].plan(openspiel_behaviour(game, solver.current_policy(), 0))
        weights += weight
        x, y = run.point()
        average = openspiel_behaviour(game, solver.average_policy(), 1)
        np.testing.assert_allclose(x, total / weights, rtol=0, atol=1e-10)
        np.testing.assert_allclose(y, forms[1].plan(average), rtol=0, atol=1e-10)
    assert slow.margin > MARGIN


def assert_iterates(
    run: CFRRun,
    slow: ReferenceCFR,
    as_plans: Callable[[Plans], Plans] = lambda plans: plans,
    iterations: int = ITERATIONS,
) -> None:
    """Compare averages after every iteration, where no tie is near."""
    for t in range(1, iterations + 1):
        run.advance(1)
        slow.step()
        assert slow.margin > MARGIN
        for fast, expected in zip(as_plans(run.point()), slow.averages(), strict=True):
            np.testing.assert_allclose(fast, expected, rtol=0, atol=1e-10, err_msg=f"at {t}")


def random_start(form: SequenceForm, seed: int = 5) -> Plans:
    """Plans whose behaviour is random and positive everywhere."""
    random = np.random.default_rng(seed)
    x, y = (
        space.plan(space.behaviour(0.1 + random.random(space.size))) for space in (form.X, form.Y)
    )
    return x, y


def behaviours(form: SequenceForm, plans: Plans) -> Plans:
    return form.X.behaviour(plans[0]), form.Y.behaviour(plans[1])


def on_the_tree(game: Any, tree: ExtensiveGame, form: SequenceForm, plans: Plans) -> Plans:
    """Behaviours of ``plans``, in the order of the unrolled tree."""
    assert form.canonical is not None
    assert form.tree is not None
    ordered = tuple(q[form.canonical(i)] for i, q in enumerate(behaviours(form, plans)))
    layout = Layout.of(form.tree, form.buckets)
    found = on_tree(game, tree, Strategy(form.name, form.fingerprint, ordered, layout))
    return found.behaviour[0], found.behaviour[1]


def reference(name: str, game: ExtensiveGame, start: Plans) -> ReferenceCFR:
    """The slow road from the behaviours ``start``."""
    sets = {}
    for i, (player, first) in enumerate(zip(game.infoset_player, game.first_sequence, strict=True)):
        sets[i] = start[player][first : first + game.action_count[i]].tolist()
    # Regrets start as behaviours in the units of the form, in which about one is at stake.
    return ReferenceCFR(game, members(HORIZON)[name], sets, units_of(game).unit)


def plain(form: SequenceForm) -> SequenceForm:
    """The same form, of whose payoffs nothing is known but their products."""

    class Plain:
        shape, nonzeros = form.A.shape, form.A.nonzeros
        stored = tiled = runouts = None
        times, transpose_times, matrix = form.A.times, form.A.transpose_times, form.A.matrix

    return SequenceForm(form.X, form.Y, Plain(), form.name, form.fingerprint)


def openspiel_behaviour(game: ExtensiveGame, policy: Any, player: int) -> np.ndarray:
    """A policy of OpenSpiel's as a behaviour vector of ours."""
    own = np.flatnonzero(game.infoset_player == player)
    vector = np.ones(game.sequences(player))
    for key in policy.state_lookup:
        # "player-player-number-label": the number is that of the .efg file.
        who, _, number, _ = key.split("-", 3)
        if int(who) == player:
            i = own[int(number) - 1]
            first, count = game.first_sequence[i], game.action_count[i]
            vector[first : first + count] = policy.policy_for_key(key)[:count]
    return vector


@pytest.mark.parametrize("name", ["dcfr", "pdcfr+"])
@pytest.mark.parametrize("game", [poker.leduc(4, 1), lopsided()], ids=lambda game: game.name)
def test_many_tiles_iterate_as_one_does(
    name: str, game: StageGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = build(game)
    monkeypatch.setattr(tiling, "_TILE_SEQUENCES", 1)
    # Few tiles leave some of the usual lanes idle: of two, each has several to walk.
    for module in (threads, tiled):
        monkeypatch.setattr(module, "LANES", 2)
    form, tree = build(game), unroll(game)
    assert form.A.tiled is not None
    assert len(form.A.tiled.last.cut.tile) > len(whole.A.tiled.last.cut.tile) == 2
    start = random_start(form)
    slow = reference(name, tree, on_the_tree(game, tree, form, start))
    run = member(name, horizon=HORIZON).start(form, Context(start=start))

    def as_plans(plans: Plans) -> Plans:
        x, y = on_the_tree(game, tree, form, plans)
        return build(tree).X.plan(x), build(tree).Y.plan(y)

    assert_iterates(run, slow, as_plans, iterations=8)
