"""Sampling nature's moves around other methods (Gilpin 2009, chapter 9)."""

import numpy as np
import pytest

from equipoise.games.trees.classic import leduc
from equipoise.sequence.build import build
from equipoise.solvers.base import Context, measure, solve
from equipoise.solvers.driver import Gap, Iterations, Status
from equipoise.solvers.methods import method
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.solvers.saddle.egt import EGT
from equipoise.solvers.saddle.iterated import IteratedSmoothing
from equipoise.solvers.saddle.lp import LP
from equipoise.solvers.saddle.sampling import DynamicSampling, Sampled


@pytest.mark.parametrize("around", [EGT(), DCFR(), IteratedSmoothing()])
def test_dynamic_sampling_ends_at_the_full_game(around):
    form = build(leduc(2, 3))
    solution = solve(form, DynamicSampling(around, 0.2), Gap(0.05) | Iterations(5_000), seed=1)
    assert solution.gap <= 0.05


def test_a_method_that_finishes_on_a_sample_goes_on_with_a_larger_one():
    # A linear program ends at once; the sample once stayed as it was for ever.
    solution = solve(build(leduc(2, 3)), DynamicSampling(LP(), 0.1), Gap(1e-9) | Iterations(500))
    assert solution.status is Status.CONVERGED
    run = DynamicSampling(LP(), 0.1).start(build(leduc(2, 3)), Context())
    run.advance(100)
    assert run.finished
    assert run.proportion == 1.0


def test_static_sampling_overfits():
    form = build(leduc())
    exact = solve(form, DCFR(), Iterations(500)).gap
    sampled = solve(form, Sampled(DCFR(), 0.3), Iterations(500), seed=1).gap
    assert sampled > 10 * exact


@pytest.mark.parametrize("around", [DCFR(), EGT(), EGT("euclidean"), IteratedSmoothing()])
def test_resume_is_bit_for_bit_after_the_sample_has_grown(around):
    form, wrapped, kept = build(leduc(2, 3)), DynamicSampling(around, 0.1), []

    def keep(state):
        kept.append({name: np.array(array) for name, array in state.items()})

    whole = solve(form, wrapped, Iterations(900), seed=5)
    solve(form, wrapped, Iterations(700), seed=5, checkpoint=keep)
    # Otherwise the prox centres would be the uniform ones, and nothing were tested.
    assert kept[-1]["run.sampling"][0] > 0
    resumed = solve(form, wrapped, Iterations(900), seed=5, resume=kept[-1])
    assert np.array_equal(whole.x, resumed.x)
    assert np.array_equal(whole.y, resumed.y)
    assert resumed.gradients == whole.gradients


@pytest.mark.parametrize("name", ["double-oracle(default=uniform)", "dcfr(device=numpy)"])
def test_bounds_of_a_sample_are_not_told_as_those_of_the_game(name):
    """Methods that measure themselves measure the sample; what is logged is the full game's."""
    form = build(leduc())
    found = solve(form, Sampled(method(name)), Iterations(20))
    for row in found.log:
        assert row.lower < -0.0856 < row.upper  # OpenSpiel's tests
    assert (found.lower, found.upper) == pytest.approx(measure(form, *found.plans))


def test_seeds_make_the_sample():
    form = build(leduc())
    first, again, other = (
        solve(form, Sampled(DCFR(), 0.3), Iterations(20), seed=seed).gap for seed in (1, 1, 2)
    )
    assert first == again != other
