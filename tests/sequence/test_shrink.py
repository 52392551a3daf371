"""Merging what plays the same part: sizes that are known, and the gap that must not change."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.games.trees.classic import kuhn, leduc, liars_dice
from equipoise.games.trees.normal import from_matrices
from equipoise.sequence.build import build
from equipoise.sequence.reductions.merge import shrink
from equipoise.solvers.auto import choose
from equipoise.solvers.base import measure, solve
from equipoise.solvers.driver import Gap
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.solvers.saddle.lp import LP
from equipoise.solvers.saddle.reduced import Reduced


def infosets(form):
    return form.X.infosets + form.Y.infosets


def test_suit_symmetry_of_leduc_is_found():
    # 936 information sets, 288 after suit isomorphism (OpenSpiel).
    form = build(leduc())
    assert (infosets(form), infosets(shrink(form).form)) == (936, 288)
    # With three suits the ranks stay the same, so nothing more is left.
    assert infosets(shrink(build(leduc(3, 3))).form) == 288


def test_kuhn_has_no_symmetry():
    assert infosets(shrink(build(kuhn())).form) == 12


@given(st.sampled_from([leduc(), leduc(2, 3), kuhn(4), liars_dice(3)]), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_lifted_plans_have_the_same_gap(game, seed):
    form = build(game)
    small = shrink(form)
    random = np.random.default_rng(seed)
    plans = [s.plan(s.behaviour(random.random(s.size))) for s in (small.form.X, small.form.Y)]
    lifted = small.lift(*plans)
    for space, plan in zip((form.X, form.Y), lifted, strict=True):
        E, e = space.constraints()
        np.testing.assert_allclose(E @ plan, e, atol=1e-12)
    np.testing.assert_allclose(measure(form, *lifted), measure(small.form, *plans), atol=1e-12)


def test_repeated_rows_and_columns_of_a_matrix_are_merged():
    form = build(from_matrices("copies", [[1, -1, -1], [1, -1, -1], [-1, 1, 1]]))
    # Actions keep their numbers, so copies within one information set stay apart.
    assert shrink(form).form.X.size == 4


@pytest.mark.parametrize("method", [LP(), LP("ipx"), DCFR()])
def test_methods_on_the_merged_form_solve_the_full_one(method):
    solution = solve(build(leduc()), Reduced(method), Gap(1e-4))
    assert solution.gap <= 1e-4
    assert solution.lower - 1e-12 <= -0.085606424078 <= solution.upper + 1e-12


def test_choice_names_its_reason():
    method, why = choose(build(leduc()), 1e-6)
    assert method.name == "shrink:lp"
    assert "4,920 payoff entries, 966 after merging" in why


@pytest.mark.parametrize(
    ("payoffs", "words"),
    [
        ([[5]], "no payoff entries: "),
        ([[1, 0]], "1 payoff entry: "),
        ([[1, 2, 0]], "2 payoff entries: "),
    ],
)
def test_few_entries_are_counted_in_words(payoffs, words):
    _, why = choose(build(from_matrices("few", payoffs)), 0)
    assert why.startswith(words)
