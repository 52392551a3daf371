"""Laws of treeplexes and payoff operators, over games of every shape."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.files.rules import library, library_game
from equipoise.games.trees.classic import kuhn, leduc, liars_dice
from equipoise.games.trees.normal import from_matrices
from equipoise.sequence.build import build
from equipoise.sequence.payoffs.sparse import Sparse

PENNIES = from_matrices("pennies", [[1, -1], [-1, 1]])
FORMS = [
    build(game)
    for game in (
        PENNIES,
        kuhn(),
        kuhn(6),
        leduc(),
        liars_dice(3),
        poker.kuhn(),
        poker.leduc(),
        poker.leduc(4, 3),
        poker.rhode_island(3, 2),
        *(library_game(name) for name in library()),
    )
]
SIDES = [space for form in FORMS for space in (form.X, form.Y)]
seeds = st.integers(0, 2**32 - 1)


def random_plan(space, random):
    """A plan whose behaviour is random, with some actions never played."""
    weights = random.random(space.size) * (random.random(space.size) < 0.8)
    return space.plan(space.behaviour(weights))


@given(st.sampled_from(SIDES), seeds)
@settings(max_examples=60, deadline=None)
def test_plans_satisfy_the_constraints_and_give_back_their_behaviour(space, seed):
    plan = random_plan(space, np.random.default_rng(seed))
    E, e = space.constraints()
    np.testing.assert_allclose(E @ plan, e, atol=1e-12)
    np.testing.assert_allclose(space.plan(space.behaviour(plan)), plan, atol=1e-12)


@given(st.sampled_from(SIDES), seeds)
@settings(max_examples=60, deadline=None)
def test_best_response_is_attained_and_never_beaten(space, seed):
    random = np.random.default_rng(seed)
    gradient = random.normal(size=space.size)
    value, plan = space.best_response(gradient)
    assert plan @ gradient == pytest.approx(value, rel=1e-12, abs=1e-12)
    assert space.support(gradient) == pytest.approx(value, rel=1e-12, abs=1e-12)
    for _ in range(5):
        assert random_plan(space, random) @ gradient <= value + 1e-9


@given(st.sampled_from(FORMS), seeds)
@settings(max_examples=60, deadline=None)
def test_operators_are_adjoint_and_equal_their_matrix(form, seed):
    random = np.random.default_rng(seed)
    x, y = random.normal(size=form.X.size), random.normal(size=form.Y.size)
    matrix = form.A.matrix()
    scale = np.abs(matrix.data).sum()
    assert x @ form.A.times(y) == pytest.approx(form.A.transpose_times(x) @ y, abs=1e-10 * scale)
    np.testing.assert_allclose(form.A.times(y), matrix @ y, atol=1e-12 * scale)
    np.testing.assert_allclose(form.A.transpose_times(x), matrix.T @ x, atol=1e-12 * scale)
    assert form.A.nonzeros == matrix.nnz


@given(st.sampled_from([form for form in FORMS if not isinstance(form.A, Sparse)]), seeds)
@settings(max_examples=40, deadline=None)
def test_payoffs_as_factors_and_as_entries_give_the_same_gradients(form, seed):
    random = np.random.default_rng(seed)
    x, y = random_plan(form.X, random), random_plan(form.Y, random)
    entries = form.A.matrix().tocoo()
    sparse = Sparse.from_entries(entries.row, entries.col, entries.data, form.A.shape)
    # Terms of a sum may cancel, wins and losses of one hand among them: rounding is of their order.
    most = abs(form.A.matrix())
    for ours, theirs, terms in (
        (form.A.times(y), sparse.times(y), most @ y),
        (form.A.transpose_times(x), sparse.transpose_times(x), most.T @ x),
    ):
        assert np.abs(ours - theirs).max() <= 1e-13 * terms.max()


def test_off_the_path_behaviour_is_uniform():
    form = build(leduc())
    pure = np.zeros(form.X.size)
    pure[0] = 1.0
    behaviour = form.X.behaviour(pure)
    assert set(np.round(behaviour[1:], 12)) <= {0.5, round(1 / 3, 12)}


@given(st.sampled_from(SIDES), seeds)
@settings(max_examples=40, deadline=None)
def test_behaviour_counts_however_small_its_reach(space, seed):
    # Reaches down to 1e-100: what is hardly ever played is still played as the plan says.
    random = np.random.default_rng(seed)
    behaviour = space.behaviour(10.0 ** random.uniform(-8, 0, size=space.size))
    plan = space.plan(behaviour)
    np.testing.assert_allclose(space.behaviour(plan), behaviour, rtol=1e-12)
    np.testing.assert_allclose(space.behaviour(plan * 1e-100), behaviour, rtol=1e-12)


def test_wrong_shapes_are_refused():
    form = build(kuhn())
    with pytest.raises(EquipoiseError, match=r"shape \(2,\), expected \(13,\)"):
        form.X.plan(np.ones(2))
    with pytest.raises(EquipoiseError, match=r"expected \(13,\)"):
        form.A.times(np.ones(3))


@given(seeds, st.floats(0.05, 1.0))
@settings(max_examples=30, deadline=None)
def test_sampled_payoffs_keep_probabilities_that_sum_to_one(seed, proportion):
    deals = build(leduc()).A.deals
    factor = deals.sample(proportion, np.random.default_rng(seed))
    complete = deals.probability > 0
    assert (deals.probability * factor)[complete].sum() == pytest.approx(1.0)
    assert (factor[complete] > 0).sum() == int(np.ceil(proportion * complete.sum()))


def test_sampling_everything_changes_nothing():
    form = build(leduc())
    same = form.A.sampled(1.0, np.random.default_rng(0))
    assert abs(same.matrix() - form.A.matrix()).max() < 1e-15


def test_sampling_needs_chance_and_a_proportion():
    with pytest.raises(EquipoiseError, match="without chance moves"):
        build(PENNIES).A.sampled(0.5, np.random.default_rng(0))
    with pytest.raises(EquipoiseError, match="expected 0 < p <= 1"):
        build(kuhn()).A.sampled(0.0, np.random.default_rng(0))
