"""Restrictions that grow: identity, order, bounds and payoffs, in trees and in games with signals."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.random_duels import random_duel
from tests.games.random_rules import random_game

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.trees.classic import kuhn, leduc
from equipoise.sequence.build import build
from equipoise.sequence.reductions.grow import Restriction
from equipoise.solvers.base import measure, solve
from equipoise.solvers.driver import Relative
from equipoise.solvers.saddle.lp import LP

FIXED = [build(kuhn()), build(leduc(2, 2)), build(poker.kuhn()), build(poker.leduc())]


@st.composite
def forms(draw):
    """A library game, a random tree, or a random game with signals."""
    seed = draw(st.integers(0, 10**6))
    kind = draw(st.integers(0, 2))
    if kind == 0:
        return FIXED[seed % len(FIXED)]
    return build(random_duel(seed, 4) if kind == 1 else random_game(Random(seed)))


def random_plan(space, random):
    """A plan that leaves some actions out."""
    behaviour = random.random(space.size) * (random.random(space.size) < 0.7)
    return space.plan(space.behaviour(behaviour))


def some(space, random, share):
    return np.flatnonzero(random.random(space.size) < share)


def random_restriction(form, random, share=0.2):
    default = random_plan(form.X, random), random_plan(form.Y, random)
    return Restriction.of(form, some(form.X, random, share), some(form.Y, random, share), default)


def assert_same(one, other):
    """The two restrictions have the same sequences, constraints and payoffs."""
    for player, name in enumerate("XY"):
        np.testing.assert_array_equal(one.numbers[player], other.numbers[player])
        for a, b in zip(
            getattr(one.form, name).blocks, getattr(other.form, name).blocks, strict=True
        ):
            np.testing.assert_array_equal(a, b)
    difference = abs(one.form.A.matrix() - other.form.A.matrix())
    assert difference.max() <= 1e-13 if difference.nnz else True


@given(forms(), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_lifted_plans_are_plans_that_earn_the_same(form, seed):
    random = np.random.default_rng(seed)
    small = random_restriction(form, random)
    plans = random_plan(small.form.X, random), random_plan(small.form.Y, random)
    lifted = small.lift(*plans)
    for space, plan in zip((form.X, form.Y), lifted, strict=True):
        E, e = space.constraints()
        np.testing.assert_allclose(E @ plan, e, atol=1e-12)
    x, y = lifted
    assert plans[0] @ small.form.A.times(plans[1]) == pytest.approx(x @ form.A.times(y), abs=1e-12)


@given(forms(), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_what_is_gathered_is_earned_by_what_is_extended(form, seed):
    random = np.random.default_rng(seed)
    for side in random_restriction(form, random).sides:
        plan, gain = random_plan(side.space, random), random.normal(size=side.sequences.space.size)
        assert side.gather(gain) @ plan == pytest.approx(gain @ side.extend(plan), abs=1e-9)
        # What is held is played by every extended plan that comes there; what is kept is free.
        behaviour, held = side.sequences.space.behaviour(side.extend(plan)), side.held
        assert ((held < 0) == side.kept).all()
        comes = side.extend(plan)[side.sequences.parent] > 0
        fixed = (held >= 0) & comes
        np.testing.assert_allclose(behaviour[fixed], held[fixed], atol=1e-12)


@given(forms(), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_restricting_to_everything_is_the_identity(form, seed):
    random = np.random.default_rng(seed)
    small = random_restriction(form, random).grow(np.arange(form.X.size), np.arange(form.Y.size))
    rows, columns = small.numbers
    assert (len(rows), len(columns)) == form.A.shape
    difference = abs(small.form.A.matrix() - form.A.matrix()[rows][:, columns])
    assert difference.max() <= 1e-13 if difference.nnz else True
    plans = random_plan(form.X, random), random_plan(form.Y, random)
    for plan, lifted in zip(plans, small.lift(plans[0][rows], plans[1][columns]), strict=True):
        np.testing.assert_allclose(lifted, plan, atol=1e-15)
    np.testing.assert_allclose(
        measure(small.form, plans[0][rows], plans[1][columns]), measure(form, *plans), atol=1e-9
    )


@given(forms(), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_growing_in_any_order_ends_in_the_same_form(form, seed):
    random = np.random.default_rng(seed)
    default = random_plan(form.X, random), random_plan(form.Y, random)
    rows = [some(form.X, random, 0.1) for _ in range(3)]
    columns = [some(form.Y, random, 0.1) for _ in range(3)]
    at_once = Restriction.of(form, np.concatenate(rows), np.concatenate(columns), default)
    for order in ((0, 1, 2), (2, 0, 1)):
        small = Restriction.of(form, default=default)
        for step in order:
            small = small.grow(rows[step]).grow((), columns[step])
        assert_same(small, at_once)
        assert_same(small.grow(rows[0], columns[1]), small)
    both = Restriction.of(form, default=default)
    for more in zip(rows, columns, strict=True):
        both = both.grow(*more)
    assert_same(both, at_once)


@given(forms(), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_restricted_values_bracket_the_value(form, seed):
    random = np.random.default_rng(seed)
    small = random_restriction(form, random)
    every = np.arange(form.X.size), np.arange(form.Y.size)
    exact = solve(form, LP(), Relative(1e-9))
    slack = 1e-7 * form.units.stake
    # Player 1 restricted earns no more than in the whole game, player 2 restricted loses no less.
    assert solve(small.grow((), every[1]).form, LP()).upper <= exact.upper + slack
    assert solve(small.grow(every[0], ()).form, LP()).lower >= exact.lower - slack
    # Extended equilibria of the restricted game give bounds, with its value between them.
    inner = solve(small.form, LP())
    lower, upper = (form.units.shift + end for end in measure(form, *small.lift(inner.x, inner.y)))
    assert lower <= exact.upper + slack
    assert upper >= exact.lower - slack
    assert lower - slack <= inner.value <= upper + slack


@given(forms(), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_carried_plans_play_on_as_before(form, seed):
    random = np.random.default_rng(seed)
    small = random_restriction(form, random)
    plans = random_plan(small.form.X, random), random_plan(small.form.Y, random)
    # With all that the default plays kept, nothing that was played is lost.
    lifted = small.lift(*plans)
    larger = small.grow(*(np.flatnonzero(plan > 0) for plan in lifted))
    for before, after in zip(lifted, larger.lift(*larger.carry(small, *plans)), strict=True):
        np.testing.assert_allclose(after, before, atol=1e-12)


def test_without_sequences_both_play_their_defaults():
    form = FIXED[0]
    small = Restriction.of(form)
    assert small.form.A.shape == (1, 1)
    x, y = (space.plan(space.uniform()) for space in (form.X, form.Y))
    assert small.form.A.matrix()[0, 0] == pytest.approx(x @ form.A.times(y))
    assert repr(small) == "<Restriction of 'kuhn': 1 of 13 x 1 of 13 sequences>"


def test_a_small_step_leaves_other_payoffs_alone():
    form = FIXED[1]
    small = Restriction.of(form, [5], [7])
    larger = small.grow(more_columns=[9])
    assert larger.sides[0] is small.sides[0]
    assert small.grow([5], [7]).sides == small.sides
    # Payoffs are computed when they are asked for, and from then on kept up to date.
    assert "entries" not in vars(larger)
    assert_same(small.grow(more_columns=[9]), larger)
    assert small.form.A.shape < larger.form.A.shape
    grown = small.grow(more_columns=[9])
    assert "entries" in vars(grown)
    assert_same(grown, larger)


@pytest.mark.parametrize("form", FIXED, ids=lambda form: f"{form.name} {type(form.A).__name__}")
def test_adding_best_responses_ends_in_an_equilibrium(form):
    """The double oracle, written out: the loop that restrictions are for."""
    small, target = Restriction.of(form), 1e-9 * form.units.stake
    for _ in range(200):
        inner = solve(small.form, LP())
        x, y = small.lift(inner.x, inner.y)
        lower, upper = measure(form, x, y)
        if upper - lower <= target:
            break
        best = (
            form.X.best_response(form.A.times(y))[1],
            form.Y.best_response(-form.A.transpose_times(x))[1],
        )
        small = small.grow(*(np.flatnonzero(plan) for plan in best))
    assert upper - lower <= target
    assert small.form.X.size < form.X.size  # it ended before everything was in
    assert inner.value == pytest.approx(solve(form, LP()).value, abs=1e-8)


@pytest.mark.parametrize("numbers", [[13], [-1], [0.5], [[1]]])
def test_refuses_what_are_no_sequences(numbers):
    with pytest.raises(
        EquipoiseError, match=r"rows: found .* expected numbers of sequences from 0 to 12"
    ):
        Restriction.of(FIXED[0], numbers)
    with pytest.raises(EquipoiseError, match="columns: found"):
        Restriction.of(FIXED[0]).grow((), numbers)
