"""The dense simplex method against HiGHS and known values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.random_duels import random_duel

from equipoise.games import poker
from equipoise.games.trees.classic import kuhn, leduc, liars_dice
from equipoise.games.trees.normal import from_matrices
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.saddle.lp import LP
from equipoise.solvers.saddle.lp_dense import DenseLP, dense_plans


@pytest.mark.parametrize("game", [kuhn(), poker.kuhn()], ids=["tree", "signals"])
def test_kuhn(game):
    solution = solve(build(game), DenseLP())
    assert solution.gap < 1e-12
    assert solution.value == pytest.approx(-1 / 18, abs=1e-12)  # Kuhn 1950


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
@settings(max_examples=60, deadline=None)
def test_random_trees_have_the_value_that_highs_finds(seed, depth):
    form = build(random_duel(seed, depth))
    exact, found = solve(form, LP()), solve(form, DenseLP())
    assert found.gap <= 1e-9 * form.units.stake
    assert found.value == pytest.approx(exact.value, abs=1e-7 * form.units.stake)
    for space, plan in zip((form.X, form.Y), dense_plans(form), strict=True):
        E, e = space.constraints()
        np.testing.assert_allclose(E @ plan, e, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_matrices_full_of_ties(seed, rows, columns):
    random = np.random.default_rng(seed)
    form = build(from_matrices("ties", random.integers(-1, 2, size=(rows, columns)).tolist()))
    assert solve(form, DenseLP()).gap <= 1e-9


@pytest.mark.parametrize("game", [leduc(2, 2), liars_dice(2)], ids=lambda game: game.name)
def test_degenerate_trees(game):
    form = build(game)
    assert solve(form, DenseLP()).value == pytest.approx(solve(form, LP()).value, abs=1e-9)


def test_what_rounding_spoils_is_left_to_highs(monkeypatch):
    form = build(kuhn())
    uniform = form.X.plan(form.X.uniform()), form.Y.plan(form.Y.uniform())
    monkeypatch.setattr("equipoise.solvers.saddle.lp_dense.dense_plans", lambda form: uniform)
    assert solve(form, DenseLP()).gap < 1e-9
