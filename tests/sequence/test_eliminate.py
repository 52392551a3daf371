"""Elimination of dominated actions in any form: the value stays, and what is left is right for the whole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.random_duels import random_duel

from equipoise.games import poker
from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.classic import kuhn, leduc
from equipoise.games.trees.normal import from_matrices
from equipoise.sequence.build import build
from equipoise.sequence.reductions.eliminate import eliminate
from equipoise.solvers.base import measure, solve
from equipoise.solvers.driver import Status, Stop
from equipoise.solvers.methods import method
from equipoise.solvers.saddle.lp import LP


def test_a_matrix_is_eliminated_step_by_step():
    # Row 3 is dominated; without it column 3 is; without that row 2, and then column 2.
    form = build(from_matrices("steps", [[3, 2, 4], [2, 1, 5], [1, 0, 3]]))
    small = eliminate(form)
    assert (small.kept[0].tolist(), small.kept[1].tolist()) == ([0, 1], [0, 2])
    assert solve(form, method("eliminate:lp")).value == pytest.approx(2)


def test_of_actions_that_are_alike_one_stays():
    form = build(from_matrices("alike", [[1, -1], [1, -1], [-1, 1]]))
    assert eliminate(form).form.X.size == 3


def test_matching_pennies_has_nothing_to_eliminate():
    form = build(from_matrices("pennies", [[1, -1], [-1, 1]]))
    small = eliminate(form)
    assert small.form.A.shape == form.A.shape
    plans = form.X.plan(form.X.uniform()), form.Y.plan(form.Y.uniform())
    for before, after in zip(plans, small.lift(*plans), strict=True):
        np.testing.assert_array_equal(before, after)


def test_kuhn_is_left_without_folding_the_king_and_calling_with_the_jack():
    # By hand (Kuhn 1950): the king never folds, the jack never calls, player 2 never checks the king. Then a
    # bet with the queen meets folds of the jack and calls of the king alone: to check (and to call a bet)
    # is as good for either player. That is 3 and 4 of 12 sequences.
    small = eliminate(build(kuhn()))
    assert (small.form.X.size, small.form.Y.size) == (1 + 12 - 3, 1 + 12 - 4)


def centipede(moves):
    """Stop and take what is there, or go on: one look at all sets eliminates the last move alone."""
    tree = TreeBuilder("centipede", ["A", "B"])
    place = tree.root
    for move in range(moves):
        take, place = tree.decide(place, move % 2, move, ["take", "go on"])
        tree.end(take, (move + 2, -move - 2) if move % 2 == 0 else (-move - 2, move + 2))
    tree.end(place, (0, 0))
    return tree.build()


def test_stopped_at_any_moment_an_equilibrium_of_what_is_left_is_one_of_the_whole():
    form, sizes = build(centipede(8)), set()
    for looks in range(0, 200, 9):
        left = iter(range(looks))
        small = eliminate(form, lambda left=left: next(left, None) is None)
        sizes.add(small.form.X.size + small.form.Y.size)
        inner = solve(small.form, LP())
        lower, upper = measure(form, *small.lift(inner.x, inner.y))
        assert upper - lower <= 1e-9
    assert len(sizes) > 2


def test_elimination_keeps_to_the_time():
    # It would take a thousand looks at a thousand levels.
    outcome = solve(build(centipede(2000)), method("eliminate:lp"), Stop(seconds=0.2))
    assert outcome.status is Status.TIME_LIMIT


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_equilibria_of_what_is_left_are_those_of_a_random_tree(seed):
    form = build(random_duel(seed))
    small = eliminate(form)
    inner = solve(small.form, LP())
    lower, upper = measure(form, *small.lift(inner.x, inner.y))
    assert upper - lower <= 1e-7 * form.units.stake + 1e-12
    assert eliminate(small.form).form.A.shape == small.form.A.shape


@pytest.mark.parametrize(
    ("game", "exact"),
    [(leduc(), -0.085606424078), (poker.leduc(), -0.085606424078)],  # OpenSpiel's tests
    ids=["tree", "signals"],
)
def test_elimination_is_a_wrapper_for_trees_and_signals_alike(game, exact):
    form = build(game)
    solution = solve(form, method("eliminate:lp"))
    assert solution.gap < 1e-9
    assert solution.value == pytest.approx(exact, abs=1e-9)
