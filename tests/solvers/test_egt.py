"""The excessive gap technique: its prox functions, its condition, and known values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import xlogy

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.trees.classic import kuhn, leduc
from equipoise.games.trees.normal import from_matrices
from equipoise.numerics.simplex import project, softmax
from equipoise.sequence.build import build
from equipoise.sequence.prox import Prox
from equipoise.sequence.reductions.merge import shrink
from equipoise.solvers.base import Context, solve
from equipoise.solvers.driver import Gap, Iterations
from equipoise.solvers.saddle.egt import EGT
from equipoise.solvers.saddle.reduced import Reduced

KUHN, LEDUC = -1 / 18, -0.085606424078  # Kuhn 1950; OpenSpiel's tests
SCHEMES = ["unit", "kroer", "dge"]
KINDS = ["entropy", "euclidean"]
vectors = st.lists(st.floats(-50, 50), min_size=1, max_size=8).map(np.array)


@given(vectors)
@settings(deadline=None)
def test_projection_is_the_nearest_point_of_the_simplex(point):
    nearest = project(point)
    assert nearest.min() >= 0
    assert nearest.sum() == pytest.approx(1.0)
    # Optimality: no vertex lies in the direction of the point.
    residual = point - nearest
    assert residual.max() <= residual @ nearest + 1e-9


def test_projection_ends_where_rounding_sits_on_the_level():
    # Components that leave and come back by one unit in the last place once made it endless.
    for last in np.nextafter(-1.0, 0) + np.arange(-2, 3) * 2.0**-53:
        assert project([0.0, last]).sum() == pytest.approx(1.0)


@given(vectors)
@settings(deadline=None)
def test_softmax_attains_the_smoothed_maximum(scores):
    q = softmax(scores)
    assert q.sum() == pytest.approx(1.0)
    value = scores @ q - (q * np.log(np.maximum(q, 1e-300))).sum()
    assert value == pytest.approx(np.log(np.exp(scores - scores.max()).sum()) + scores.max())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_smoothed_best_response_on_a_treeplex_is_attained_and_never_beaten(kind, scheme):
    space = build(kuhn()).X
    prox, random = Prox(space, kind, scheme), np.random.default_rng(3)
    gain = random.normal(size=space.size) * 3
    found = prox.maximum(gain)

    def objective(behaviour):
        plan = space.plan(behaviour)
        return gain @ plan - dilated(space, prox, plan, behaviour)

    best = space.behaviour(found.plan)
    assert objective(best) == pytest.approx(found.value, abs=1e-9)
    for near in np.geomspace(1e-4, 1.0, 200):
        other = space.behaviour(random.random(space.size))
        assert objective((1 - near) * best + near * other) <= found.value + 1e-9


def dilated(space, prox, plan, behaviour):
    """d(x) from its definition, information set by information set."""
    total, parents = 0.0, space.parents()
    for i, (start, actions) in enumerate(zip(*space.blocks[:2], strict=True)):
        q, c = behaviour[start : start + actions], prox.centre[start : start + actions]
        psi = xlogy(q, q / c).sum() if prox.kind == "entropy" else 0.5 * ((q - c) ** 2).sum()
        total += prox.weight[i] * plan[parents[i]] * psi
    return total


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_simplex_the_moduli_are_gilpins(kind):
    # Examples 8.3.1 and 8.3.2: strong convexity 1, in the l1 norm and in the l2 norm.
    prox = Prox(build(from_matrices("matrix", np.eye(4).tolist())).X, kind, "unit")
    assert prox.modulus == 1
    assert prox.modulus_l1 == 1
    assert prox.diameter == pytest.approx(np.log(4) if kind == "entropy" else 0.5 * (1 - 1 / 4))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_prox_functions_are_as_strongly_convex_as_they_say(kind, scheme):
    # Midpoint form of (8.2) in the l2 norm, at random pairs of interior plans.
    space, random = build(leduc(2, 2)).X, np.random.default_rng(0)
    prox = Prox(space, kind, scheme)
    for _ in range(200):
        plans = [space.plan(space.behaviour(random.random(space.size) ** 3)) for _ in range(2)]
        middle = 0.5 * (plans[0] + plans[1])
        ends = [dilated(space, prox, plan, space.behaviour(plan)) for plan in plans]
        bulge = 0.125 * prox.modulus * ((plans[0] - plans[1]) ** 2).sum()
        assert (
            dilated(space, prox, middle, space.behaviour(middle)) <= sum(ends) / 2 - bulge + 1e-12
        )


@pytest.mark.parametrize("kind", KINDS)
def test_wide_blocks_and_single_ones_smooth_alike(kind):
    # The same game with its buckets in blocks, and as a tree of single information sets.
    wide = build(poker.leduc())
    coo = wide.A.matrix().tocoo()
    gain = np.zeros(wide.X.size)
    np.add.at(gain, coo.row, coo.data)
    prox = Prox(wide.X, kind, "dge")
    plan = prox.sargmax(gain)
    E, e = wide.X.constraints()
    np.testing.assert_allclose(E @ plan, e, atol=1e-12)
    for _ in range(20):
        other = wide.X.behaviour(np.random.default_rng(_).random(wide.X.size))
        other_plan = wide.X.plan(other)
        parents = wide.X.parents()
        cost, first = 0.0, 0
        for s, a, k in zip(*wide.X.blocks[:3], strict=True):
            q, c = (v[s : s + a * k].reshape(a, k) for v in (other, prox.centre))
            psi = xlogy(q, q / c).sum(0) if kind == "entropy" else 0.5 * ((q - c) ** 2).sum(0)
            cost += (
                prox.weight[first : first + k] * other_plan[parents[first : first + k]] * psi
            ).sum()
            first += k
        assert gain @ other_plan - cost <= prox.smax(gain) + 1e-9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("aggressive", "growth"), [(True, 1.0), (True, 1.2), (False, 1.0)])
def test_the_excessive_gap_condition_holds_throughout(kind, scheme, aggressive, growth):
    form = build(leduc(2, 2))
    run = EGT(kind, scheme, aggressive, 7 if aggressive else 0, growth).start(form, Context())
    for _ in range(40):
        run.advance(1)
        assert run.smoothed_gap() <= 1e-9
        upper = form.X.support(form.A.times(run.point()[1]))
        lower = -form.Y.support(-form.A.transpose_times(run.point()[0]))
        assert upper - lower <= run.bound() + 1e-9


@pytest.mark.parametrize(
    ("game", "value", "method", "target"),
    [
        (kuhn(), KUHN, EGT(), 1e-4),
        (kuhn(), KUHN, EGT("euclidean", "kroer"), 1e-4),
        (leduc(), LEDUC, Reduced(EGT()), 1e-4),
        (leduc(), LEDUC, Reduced(EGT(growth=1.0)), 1e-3),
    ],
    ids=["kuhn", "kuhn-euclidean", "leduc", "leduc-as-published"],
)
def test_known_values_are_bracketed(game, value, method, target):
    solution = solve(build(game), method, Gap(target) | Iterations(60_000))
    assert solution.gap <= target
    assert solution.lower - 1e-12 <= value <= solution.upper + 1e-12


def test_heuristics_help():
    form = build(kuhn())
    gaps = [
        solve(form, EGT(aggressive=h, balance=100 * h), Iterations(1000)).gap for h in (True, False)
    ]
    assert gaps[0] < gaps[1] / 3


def test_heuristic_2_helps_without_heuristic_1():
    # Gilpin 2009, Figure 8.3. Steps once were held down to what is safe for the mu that it had lowered.
    form = shrink(build(leduc())).form
    gaps = [
        solve(form, EGT(aggressive=False, balance=b), Iterations(500)).gap for b in (0, 10, 100)
    ]
    assert max(gaps[1:]) < gaps[0] / 3


def test_a_step_that_may_grow_again_helps():
    form = shrink(build(leduc())).form
    gaps = [solve(form, EGT(growth=growth), Iterations(4000)).gap for growth in (1.0, 1.2)]
    assert gaps[1] < gaps[0] / 1.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_warm", [False, True])
def test_resume_is_bit_for_bit(kind, is_warm):
    form = build(leduc(2, 2))
    pure = (form.X.best_response(np.arange(form.X.size))[1], form.Y.plan(form.Y.uniform()))
    context = Context(start=pure if is_warm else None)
    whole, first = (EGT(kind).start(form, context) for _ in range(2))
    whole.advance(150)
    first.advance(101)
    # As the solve loop does: the run that continues knows nothing of where the first one began.
    second = EGT(kind).start(form, Context())
    second.restore({name: np.array(array) for name, array in first.state().items()})
    second.iterations, second.gradients = first.iterations, first.gradients
    second.advance(49)
    for one, other in zip(whole.point(), second.point(), strict=True):
        assert np.array_equal(one, other)
    assert whole.gradients == second.gradients


def test_rhode_island_payoffs_smooth_in_tiles():
    form = build(poker.rhode_island(3, 2))
    first = solve(form, EGT(), Iterations(5)).gap
    assert solve(form, EGT(), Iterations(200)).gap < first / 5


def test_a_matrix_without_stakes_is_solved_at_once():
    assert solve(build(from_matrices("nothing", [[0, 0], [0, 0]])), EGT(), Iterations(3)).gap == 0


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_iterates_on_matrices_are_nesterovs(seed):
    # Nesterov 2005, with the entropy on simplices, where every subproblem is a softmax: step by step.
    A = np.random.default_rng(seed).normal(size=(4, 5))
    form = build(from_matrices("matrix", A.tolist()))
    run = EGT("entropy", "unit", aggressive=False, balance=0).start(form, Context())
    norm = min(np.linalg.norm(A, 2), np.abs(A).max())
    gain = (lambda y: A @ y), (lambda x: -A.T @ x)
    mu = [np.sqrt(2) * norm] * 2
    x = softmax(A @ np.full(5, 1 / 5) / mu[0])
    plans = [x, softmax(gain[1](x) / mu[1])]
    for k in range(30):
        for plan, found in zip(plans, run.point(), strict=True):
            np.testing.assert_allclose(found[1:], plan, rtol=0, atol=1e-10)
            assert found[0] == pytest.approx(1.0, abs=1e-12)
        # mu_2 shrinks first, then mu_1, in turns; "other" is the player whose mu stays.
        player, other, tau = 1 - k % 2, k % 2, 2 / (k + 3)
        mine, yours = plans[player], plans[other]
        slope = gain[player](yours) / mu[player]
        between = (1 - tau) * mine + tau * softmax(slope)
        reply = softmax(gain[other](between) / mu[other])
        step = tau / ((1 - tau) * mu[player])
        moved = softmax(slope + step * gain[player](reply))
        plans[player] = (1 - tau) * mine + tau * moved
        plans[other] = (1 - tau) * yours + tau * reply
        mu[player] *= 1 - tau
        run.advance(1)
    assert run.iterations == 30
    assert np.multiply(form.units.unit, run.current.mu) == pytest.approx(mu)


@pytest.mark.parametrize("numbers", [(-1.0, 0.1, 0.5), (0.1, 1e200, 0.5), (0.1, 0.1, 1.0)])
def test_a_state_that_no_run_reaches_is_refused(numbers):
    run = EGT().start(build(kuhn()), Context())
    state = {**run.state(), "mu_tau": np.array(numbers)}
    with pytest.raises(EquipoiseError, match=r"Checkpoint: .* is .*, expected a number > 0"):
        run.restore(state)
