"""Restricted sequence forms: constraints, payoffs and plans against the whole form."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.abstraction.dominated import eliminate
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.signals.views import signal_rounds
from equipoise.games.trees.classic import kuhn, leduc
from equipoise.sequence.build import build
from equipoise.sequence.reductions.restrict import restrict
from equipoise.solvers.base import solve
from equipoise.solvers.saddle.lp import LP
from equipoise.solvers.saddle.reduced import Reduced

FORMS = [build(kuhn()), build(kuhn(5)), build(leduc(2, 2))]


def random_mask(space, random):
    """Drop actions at random, at least one a set stays."""
    E, _ = space.constraints()
    keep = random.random(space.size) < 0.7
    keep[0] = True
    for row in E[1:].toarray():
        own = np.flatnonzero(row > 0)
        if not keep[own].any():
            keep[random.choice(own)] = True
    return keep


@given(st.sampled_from(FORMS), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_lifted_plans_are_plans_that_earn_the_same(form, seed):
    random = np.random.default_rng(seed)
    small = restrict(form, random_mask(form.X, random), random_mask(form.Y, random))
    plans = []
    for space in (small.form.X, small.form.Y):
        weights = space.uniform() * random.uniform(0.5, 1.5, size=space.size)
        plans.append(space.plan(space.behaviour(space.plan(weights))))
    lifted = small.lift(*plans)
    for whole, plan in zip((form.X, form.Y), lifted, strict=True):
        E, e = whole.constraints()
        np.testing.assert_allclose(E @ plan, e, atol=1e-12)
    (x, y), (whole_x, whole_y) = plans, lifted
    assert x @ small.form.A.times(y) == pytest.approx(whole_x @ form.A.times(whole_y), abs=1e-12)


def test_keeping_everything_changes_nothing():
    form = FORMS[2]
    same = restrict(form, np.ones(form.X.size, bool), np.ones(form.Y.size, bool))
    assert (same.form.X.size, same.form.Y.size) == (form.X.size, form.Y.size)
    assert same.form.A.nonzeros == form.A.nonzeros
    exact, found = (solve(f, LP()).value for f in (form, same.form))
    assert found == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(
    ("game", "exact"),
    [(poker.kuhn(), -1 / 18), (poker.leduc(), -0.085606424078)],  # Kuhn 1950; OpenSpiel's tests
    ids=["kuhn", "leduc"],
)
def test_what_elimination_leaves_solves_the_game(game, exact):
    form = build(game)
    left = eliminate(game.tree, signal_rounds(game))
    small = restrict(form, left.sequences(0), left.sequences(1))
    assert small.form.X.size < form.X.size
    assert small.form.Y.size < form.Y.size
    solution = solve(form, Reduced.to(small, LP()))
    assert solution.gap < 1e-9  # in the whole form
    assert solution.value == pytest.approx(exact, abs=1e-9)


def test_a_player_with_fewer_actions_earns_no_more():
    form = build(kuhn())
    fold_only = np.ones(form.X.size, bool)
    E, _ = form.X.constraints()
    for row in E[1:].toarray():
        own = np.flatnonzero(row > 0)
        fold_only[own[1:]] = False  # the first action of every set: check, fold
    small = restrict(form, fold_only, np.ones(form.Y.size, bool))
    assert solve(small.form, LP()).upper < -1 / 18


def test_refuses_masks_that_leave_no_action():
    form = FORMS[0]
    every = np.ones(form.X.size, bool)
    with pytest.raises(EquipoiseError, match="rows: found no action kept after sequence 0"):
        restrict(form, np.arange(form.X.size) == 0, every)
    with pytest.raises(EquipoiseError, match=r"columns: found a mask of shape \(2,\)"):
        restrict(form, every, np.ones(2, bool))
    with pytest.raises(EquipoiseError, match="empty sequence kept"):
        restrict(form, np.arange(form.X.size) > 0, every)
