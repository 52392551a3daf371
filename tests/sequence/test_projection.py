"""Projections onto treeplexes: optimal, in any weights, and the two players as one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.trees.classic import kuhn, leduc
from equipoise.games.trees.normal import from_matrices
from equipoise.numerics.simplex import project
from equipoise.sequence.build import build
from equipoise.sequence.pair import Pair
from equipoise.sequence.payoffs.norms import absolute_sums, spectral_norm
from equipoise.sequence.projection import Projection
from equipoise.solvers.base import measure

RANDOM_MATRIX = from_matrices(
    "random", np.random.default_rng(1).uniform(-1, 1, (40, 30)).round(3).tolist()
)
FORMS = [
    build(game)
    for game in (RANDOM_MATRIX, kuhn(), leduc(2, 2), poker.leduc(), poker.rhode_island(3, 2))
]
SPACES = [space for form in FORMS for space in (form.X, Pair(form).space)]
seeds = st.integers(0, 2**32 - 1)


@given(st.sampled_from(SPACES), seeds, st.floats(0.01, 100), st.booleans())
@settings(max_examples=60, deadline=None)
def test_projection_onto_a_treeplex_is_optimal(space, seed, scale, is_weighted):
    require_optimal(space, seed, scale, is_weighted)


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
def test_projection_onto_the_plans_of_kuhn_is_optimal(scale):
    for seed in range(8):
        require_optimal(SPACES[2], seed, scale, seed % 2 == 0)


def require_optimal(space, seed, scale, is_weighted):
    random = np.random.default_rng(seed)
    g = random.normal(size=space.size) * scale
    weight = random.uniform(0.01, 10, space.size) if is_weighted else np.ones(space.size)
    plan = Projection(space, weight).minimise(g)
    E, e = space.constraints()
    np.testing.assert_allclose(E @ plan, e, atol=1e-9)
    assert plan.min() >= 0
    # Variational inequality: no plan lies downhill.
    downhill = g - weight * plan
    downhill[0] = 0.0
    assert space.support(downhill) <= downhill @ plan + 1e-8 * (1 + scale)


def test_projection_onto_a_simplex_is_the_simplex_projection():
    space = build(from_matrices("matrix", np.eye(50).tolist())).X
    for seed in range(20):
        point = np.random.default_rng(seed).normal(size=51)
        np.testing.assert_allclose(Projection(space)(point)[1:], project(point[1:]), atol=1e-12)


def test_equal_levels_share_alike():
    space = build(from_matrices("matrix", np.eye(30).tolist())).X
    np.testing.assert_allclose(Projection(space)(np.zeros(31))[1:], 1 / 30, atol=1e-15)


def test_what_does_not_fit_is_refused():
    space = build(kuhn()).X
    with pytest.raises(EquipoiseError, match="expected 13 numbers > 0"):
        Projection(space, np.zeros(space.size))
    with pytest.raises(EquipoiseError, match=r"shape \(3,\), expected \(13,\)"):
        Projection(space).minimise(np.zeros(3))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_two_players_are_one_treeplex_with_a_skew_operator(form):
    pair, random = Pair(form), np.random.default_rng(0)
    z, w = (pair.space.plan(pair.space.behaviour(random.random(pair.space.size))) for _ in "zw")
    x, y = pair.split(z)
    for space, plan in ((form.X, x), (form.Y, y)):
        E, e = space.constraints()
        np.testing.assert_allclose(E @ plan, e, atol=1e-12)
    np.testing.assert_array_equal(pair.join(x, y), z)
    assert pair.gains(z) @ w == pytest.approx(-(z @ pair.gains(w)), abs=1e-9)
    lower, upper = measure(form, x, y)
    gap = form.units.unit * pair.space.support(pair.gains(z))
    assert gap == pytest.approx(upper - lower, rel=1e-9)


@pytest.mark.parametrize("form", FORMS[:3], ids=lambda form: form.name)
def test_norms(form):
    matrix = form.A.matrix().toarray()
    assert spectral_norm(form.A) == pytest.approx(np.linalg.norm(matrix, 2), rel=2e-3)
    rows, columns = absolute_sums(form.A)
    np.testing.assert_allclose(rows, np.abs(matrix).sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(columns, np.abs(matrix).sum(axis=0), atol=1e-12)
    # Pock and Chambolle 2011, Lemma 2: these weights make the norm at most one.
    weights = np.maximum(rows, 1e-3), np.maximum(columns, 1e-3)
    scaled = weights[0][:, None] ** -0.5 * matrix * weights[1] ** -0.5
    assert np.linalg.norm(scaled, 2) <= 1 + 1e-12
    assert spectral_norm(form.A, weights) == pytest.approx(np.linalg.norm(scaled, 2), rel=2e-3)
