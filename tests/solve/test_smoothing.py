"""Smoothing, iterated smoothing and sampling: projections, known values, and who needs less."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.classic import kuhn, leduc
from equipoise.games.normal import from_matrices
from equipoise.numerics.simplex import project
from equipoise.sequence.build import build
from equipoise.sequence.projection import Projection
from equipoise.solve.base import Gap, Iterations, solve
from equipoise.solve.cfr import DCFR
from equipoise.solve.egt import EGT
from equipoise.solve.iterated import IteratedSmoothing
from equipoise.solve.methods import METHODS, method
from equipoise.solve.sampling import DynamicSampling, Sampled
from equipoise.solve.smoothing import Smoothing

SPACES = [build(game).X for game in (kuhn(), leduc(2, 2), poker.leduc(), poker.rhode_island(3, 2))]


@given(st.sampled_from(SPACES), st.integers(0, 2**32 - 1), st.floats(0.01, 10))
@settings(max_examples=40, deadline=None)
def test_projection_onto_a_treeplex_is_optimal(space, seed, scale):
    point = np.random.default_rng(seed).normal(size=space.size) * scale
    plan = Projection(space)(point)
    E, e = space.constraints()
    np.testing.assert_allclose(E @ plan, e, atol=1e-9)
    assert plan.min() >= -1e-12
    # Variational inequality: no plan lies in the direction of the point.
    residual = point - plan
    residual[0] = 0.0
    assert space.support(residual) <= residual @ plan + 1e-8 * (1 + scale)


def test_projection_onto_a_simplex_is_the_simplex_projection():
    space = build(from_matrices("matrix", np.eye(5).tolist())).X
    point = np.random.default_rng(0).normal(size=6)
    np.testing.assert_allclose(Projection(space)(point)[1:], project(point[1:]), atol=1e-12)


@pytest.mark.parametrize("name", ["smoothing", "iterated-smoothing"])
def test_kuhn_is_bracketed_to_1e_4(name):
    solution = solve(build(kuhn()), method(name), Gap(1e-4) | Iterations(200_000))
    assert solution.gap <= 1e-4
    assert solution.lower - 1e-12 <= -1 / 18 <= solution.upper + 1e-12


def random_matrix(size, seed):
    return build(
        from_matrices("random", np.random.default_rng(seed).uniform(-1, 1, (size, size)).tolist())
    )


def test_iterated_smoothing_needs_fewer_gradients_and_the_more_so_the_finer():
    # Figure 8.6 in small: the ratio of gradients falls with the gap.
    ratios = []
    for target in (1e-2, 1e-3, 1e-4):
        counts = [
            sum(
                solve(random_matrix(10, seed), m, Gap(target) | Iterations(100_000)).gradients
                for seed in range(3)
            )
            for m in (IteratedSmoothing(), Smoothing())
        ]
        ratios.append(counts[0] / counts[1])
    assert ratios[0] < 1
    assert ratios[2] < ratios[1] < ratios[0]


@pytest.mark.parametrize("around", [EGT(), DCFR(), IteratedSmoothing()])
def test_dynamic_sampling_ends_at_the_full_game(around):
    form = build(leduc(2, 3))
    wrapped = DynamicSampling(around, 0.2)
    solution = solve(form, wrapped, Gap(0.05) | Iterations(5_000), seed=1)
    assert solution.gap <= 0.05


def test_static_sampling_overfits():
    form = build(leduc())
    exact = solve(form, DCFR(), Iterations(500)).gap
    sampled = solve(form, Sampled(DCFR(), 0.3), Iterations(500), seed=1).gap
    assert sampled > 10 * exact


@pytest.mark.parametrize(
    "wrapped",
    [Smoothing(1e-2), IteratedSmoothing(), DynamicSampling(DCFR(), 0.1), Sampled(EGT(), 0.4)],
)
def test_resume_is_bit_for_bit(wrapped):
    form, kept = build(leduc(2, 2)), []
    whole = solve(form, wrapped, Iterations(170), seed=5)

    def keep(state):
        kept.append({name: np.array(array) for name, array in state.items()})

    solve(form, wrapped, Iterations(120), seed=5, checkpoint=keep)
    resumed = solve(form, wrapped, Iterations(170), seed=5, resume=kept[-1])
    assert np.array_equal(whole.x, resumed.x)
    assert np.array_equal(whole.y, resumed.y)


@pytest.mark.parametrize("name", [*METHODS, "sampling:egt", "static(proportion=0.5):dcfr"])
def test_every_named_method_runs(name):
    solution = solve(build(kuhn()), method(name), Gap(1e-3) | Iterations(30))
    assert solution.lower <= -1 / 18 + 1e-9
    assert solution.upper >= -1 / 18 - 1e-9


def test_parameters_are_checked():
    with pytest.raises(EquipoiseError, match="epsilon is -1"):
        Smoothing(-1)
    with pytest.raises(EquipoiseError, match="gamma is 1"):
        IteratedSmoothing(gamma=1.0)
    with pytest.raises(EquipoiseError, match="proportion is 0"):
        Sampled(DCFR(), 0.0)
