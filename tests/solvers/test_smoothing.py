"""Smoothing and iterated smoothing: known values, and who needs less (Gilpin 2009, sections 8.4 to 8.6)."""

import math
from functools import cache

import numpy as np
import pytest
from tests.solvers.reference_smoothing import Matrix, adaptive, iterated_plain

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.trees.classic import kuhn, leduc
from equipoise.games.trees.normal import from_matrices
from equipoise.numerics.simplex import project
from equipoise.sequence.build import build
from equipoise.sequence.reductions.merge import shrink
from equipoise.solvers.base import Context, measure, solve
from equipoise.solvers.driver import Gap, Iterations
from equipoise.solvers.methods import method

KUHN, LEDUC = -1 / 18, -0.085606424078  # Kuhn 1950; OpenSpiel's tests
NAMES = ["smoothing", "iterated-smoothing"]
GAPS = (1e-2, 1e-3, 1e-4)


@cache
def merged(game):
    """The merged form of a game."""
    return shrink(build({"kuhn": kuhn, "leduc": leduc}[game]())).form


@cache
def run_to(game, name, gap):
    """A run on a merged game that has just reached ``gap``, by its own account."""
    target = gap / merged(game).units.unit
    run = method(name).start(merged(game), Context(target=target))
    while run.best_gap > target:
        run.advance(1)
    return run


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("game", "value"), [("kuhn", KUHN), ("leduc", LEDUC)])
def test_known_values_are_bracketed_to_1e_4(name, game, value):
    lower, upper = measure(merged(game), *run_to(game, name, 1e-4).point())
    assert upper - lower <= 1e-4 + 1e-12
    assert lower - 1e-12 <= value <= upper + 1e-12


@pytest.mark.parametrize("name", ["smoothing-plain", "iterated-smoothing-plain"])
def test_the_published_algorithms_reach_their_targets(name):
    solution = solve(build(kuhn()), method(name), Gap(1e-3) | Iterations(10_000))
    assert solution.gap <= 1e-3
    assert solution.lower - 1e-12 <= KUHN <= solution.upper + 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_payoffs_that_are_not_written_out_are_smoothed_too(name):
    solution = solve(build(poker.leduc()), method(name), Gap(3e-2) | Iterations(20_000))
    assert solution.gap <= 3e-2
    assert solution.lower - 1e-12 <= LEDUC <= solution.upper + 1e-12


def gradients(form, made, gap):
    """How many gradients it takes to the first point with at most this gap."""
    run = made.start(form, Context(target=gap))
    while run.best_gap > gap:
        run.advance(1)
    return run.gradients


def random_matrix(size, seed):
    payoffs = np.random.default_rng([size, seed]).uniform(-1, 1, (size, size))
    return build(from_matrices("random", payoffs.tolist()))


def lead(names, forms, gaps):
    """Gradients of the first method over those of the second, medians over ``forms``, by gap."""
    first, second = (
        np.array([np.median([gradients(f, method(name), gap) for f in forms]) for gap in gaps])
        for name in names
    )
    return first / second


@pytest.mark.parametrize(("size", "gaps"), [(10, GAPS), (30, GAPS[:2])])
def test_iterated_smoothing_needs_fewer_gradients_and_the_more_so_the_finer(size, gaps):
    # Gilpin 2009, Figure 8.6: random matrices with payoffs uniform in [-1, 1].
    found = lead(NAMES, [random_matrix(size, seed) for seed in range(10)], gaps)
    assert found[0] > 1
    assert (np.diff(found) > 0).all()


def test_the_lead_on_leduc_grows_as_well():
    first, second = (
        np.array([run_to("leduc", name, gap).gradients for gap in GAPS]) for name in NAMES
    )
    assert first[0] > second[0]
    assert (np.diff(first / second) > 0).all()


def test_the_lead_of_the_published_algorithms_grows_as_well():
    names = [f"{name}-plain" for name in NAMES]
    found = lead(names, [random_matrix(10, seed) for seed in range(10)], GAPS[:2])
    assert found[1] > max(found[0], 1)


@pytest.mark.parametrize(
    "name",
    [
        "smoothing(epsilon=0.01)",
        "smoothing(epsilon=0.01,backtrack=False)",
        "smoothing-plain",
        "iterated-smoothing",
        "iterated-smoothing-plain",
        "iterated-smoothing(recentre=False)",
    ],
)
def test_resume_is_bit_for_bit(name):
    form, kept = build(leduc(2, 2)), []
    whole = solve(form, method(name), Iterations(170))

    def keep(state):
        kept.append({name: np.array(array) for name, array in state.items()})

    # Stops everywhere, so also in the middle of calls of smoothing.
    for stop in (1, 33, 71, 120):
        solve(form, method(name), Iterations(stop), checkpoint=keep)
        resumed = solve(form, method(name), Iterations(170), resume=kept[-1])
        assert np.array_equal(whole.x, resumed.x)
        assert np.array_equal(whole.y, resumed.y)
        assert resumed.gradients == whole.gradients


def test_without_deviations_a_step_is_gilpins():
    # Steps (a), (b), (d) of Gilpin 2009, written out for a matrix game with simplices.
    A = np.random.default_rng(4).uniform(-1, 1, (5, 5))
    form = build(from_matrices("random", A.tolist()))
    run = method("smoothing-plain(epsilon=0.5)").start(form, Context())
    c = np.full(10, 0.2)
    # Pure strategies are farthest from the centre: |(u, v) - c|^2 = 2 (1 - 1/5).
    mu = 0.5 / (2 * (1 - 1 / 5))
    L = run.lipschitz
    assert pytest.approx(np.linalg.norm(A, 2) ** 2 / mu, rel=3e-3) == L

    def both(z):
        return np.concatenate((project(z[:5]), project(z[5:])))

    def gain(z):
        return np.concatenate((A @ z[5:], -A.T @ z[:5]))

    x = w = c
    total = np.zeros(10)
    for k in range(6):
        u = 2 / (k + 2) * w + k / (k + 2) * x
        descent = gain(both(c + gain(u) / mu))
        total += 0.5 * (k + 1) * descent
        x, w = both(u + descent / L), both(c + total / L)
        run.advance(1)
        got = np.concatenate([plan[1:] for plan in run.pair.split(run.current)])
        np.testing.assert_allclose(got, x, atol=1e-12)


def random_game(seed, metric):
    """A random matrix as a form, and in the same units as the reference has it."""
    A = np.random.default_rng(seed).uniform(-1, 1, (4, 6))
    form = build(from_matrices("random", A.tolist()))
    A = A / form.units.unit
    r = (
        np.ones(10)
        if metric == "unit"
        else np.concatenate([abs(A).sum(axis=1), abs(A).sum(axis=0)])
    )
    return form, A, r


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_iterated_smoothing_iterates_as_published(seed):
    form, A, r = random_game(seed, "unit")
    run = method("iterated-smoothing-plain").start(form, Context())
    assert run._square == pytest.approx(np.linalg.norm(A, 2) ** 2, rel=3e-3)
    slow = iterated_plain(Matrix(A, r, run._square), math.e, 120)
    assert len({target for _, target in slow}) > 2  # several calls
    for x, target in slow:
        run.advance(1)
        got = np.concatenate([plan[1:] for plan in run.pair.split(run.current)])
        np.testing.assert_allclose(got, x, atol=1e-9)
        assert run.epsilon == pytest.approx(target)


@pytest.mark.parametrize("metric", ["unit", "payoff"])
@pytest.mark.parametrize("seed", [0, 1])
def test_steps_that_adapt_are_tsengs(seed, metric):
    form, A, r = random_game(seed, metric)
    target = 0.02
    name = f"smoothing(epsilon={target},metric={metric})"
    run = method(name).start(form, Context())
    slow = adaptive(Matrix(A, r, run._square), target / form.units.unit, 32.0, 60)
    for x in slow:
        run.advance(1)
        got = np.concatenate([plan[1:] for plan in run.pair.split(run.current)])
        np.testing.assert_allclose(got, x, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_a_game_without_stakes_is_solved_at_once(name):
    form = build(from_matrices("nothing", [[0, 0], [0, 0]]))
    assert solve(form, method(name), Iterations(3)).gap == 0


@pytest.mark.parametrize("name", NAMES)
def test_pure_solutions_are_found(name):
    # A saddle point at the first row and column.
    form = build(from_matrices("saddle", [[2, 3], [1, 4]]))
    solution = solve(form, method(name), Gap(1e-9) | Iterations(2000))
    assert solution.gap <= 1e-9
    assert solution.value == pytest.approx(2)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("entry", [(1, 0.0), (2, -1.0), (3, -1.0), (0, 1e200)])
def test_a_state_that_no_run_reaches_is_refused(name, entry):
    run = method(name).start(build(kuhn()), Context(target=1e-3))
    state = run.state()
    place, number = entry
    state["numbers"][place] = number
    with pytest.raises(EquipoiseError, match=r"Checkpoint: .* is .*, expected a number >"):
        run.restore(state)
