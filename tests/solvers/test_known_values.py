"""Published values, by every method of the spine; and laws of the solve loop."""

import dataclasses
import itertools

import numpy as np
import pytest

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.signals.views import signal_rounds
from equipoise.games.trees.classic import kuhn, leduc, liars_dice
from equipoise.games.trees.normal import from_matrices
from equipoise.sequence.build import build
from equipoise.solvers.base import Context, measure, next_check, solve
from equipoise.solvers.driver import Gap, Iterations, Status, Stop, Time
from equipoise.solvers.saddle import lp_dense
from equipoise.solvers.saddle.cfr import CFR, DCFR, TABLE
from equipoise.solvers.saddle.lp import LP
from equipoise.solvers.saddle.lp_dense import DenseLP

KUHN, LEDUC = -1 / 18, -0.085606424078  # Kuhn 1950; OpenSpiel's tests


@pytest.mark.parametrize("solver", ["dual-simplex", "primal-simplex", "ipx"])
@pytest.mark.parametrize(("game", "value"), [(kuhn(), KUHN), (leduc(), LEDUC)])
def test_linear_programs_find_the_published_values(solver, game, value):
    solution = solve(build(game), LP(solver), Gap(1e-9))
    assert solution.status is Status.CONVERGED
    assert solution.value == pytest.approx(value, abs=1e-9)


@pytest.mark.slow
def test_liars_dice_by_linear_program():
    # OpenSpiel's tests: liar's dice, one die of six sides each.
    solution = solve(build(liars_dice()), LP("ipx"), Gap(1e-9))
    assert solution.value == pytest.approx(-0.027131782945736, abs=1e-9)


@pytest.mark.parametrize(("game", "value"), [(poker.kuhn(), KUHN), (poker.leduc(), LEDUC)])
def test_factored_games_have_the_same_value(game, value):
    solution = solve(build(game), LP(), Gap(1e-9))
    assert solution.value == pytest.approx(value, abs=1e-9)


# Plain and linear CFR fall about like 1/sqrt(T): 1e-6 would take them days (docs/algorithms.md).
REACH = {("cfr", "leduc"): 2e-3, ("linear", "leduc"): 2e-3}


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize(("game", "value"), [(kuhn(), KUHN), (leduc(), LEDUC)])
def test_regret_minimisers_bracket_the_published_values(name, game, value):
    target = REACH.get((name, game.name), 1e-6)
    solution = solve(build(game), TABLE[name], Gap(target) | Iterations(20_000_000))
    assert solution.gap <= target
    assert solution.lower - 1e-12 <= value <= solution.upper + 1e-12


def test_single_precision_is_measured_as_an_exact_strategy():
    solution = solve(build(poker.leduc()), DCFR("float32"), Iterations(300))
    assert solution.x.dtype == np.float64
    E, e = solution.form.X.constraints()
    np.testing.assert_allclose(E @ solution.x, e, atol=1e-12)
    assert solution.lower - 1e-12 <= LEDUC <= solution.upper + 1e-12


def test_signals_with_more_than_one_tile_were_tested():
    form = build(poker.rhode_island(5, 3))
    assert len(form.A.last.cut.tile) > 2
    assert sum(signals.views[0] for signals in signal_rounds(poker.rhode_island(5, 3))) > 300


@pytest.mark.parametrize("method", [TABLE["cfr+"], TABLE["pdcfr+"], DCFR("float32")])
@pytest.mark.parametrize("game", [leduc(), poker.rhode_island(3, 2)])
def test_resume_is_bit_for_bit(method, game):
    form = build(game)
    whole = solve(form, method, Iterations(60))
    kept = []
    solve(form, method, Iterations(23), checkpoint=lambda state: kept.append(copied(state)))
    resumed = solve(form, method, Iterations(60), resume=kept[-1])
    assert np.array_equal(whole.x, resumed.x)
    assert np.array_equal(whole.y, resumed.y)
    strip = [dataclasses.replace(row, seconds=0, cpu_seconds=0) for row in whole.log]
    assert strip == [dataclasses.replace(row, seconds=0, cpu_seconds=0) for row in resumed.log]


def copied(state):
    return {name: np.array(array) for name, array in state.items()}


def test_measurements_are_scheduled_by_iterations_alone():
    checks = list(itertools.takewhile(lambda n: n < 1000, iterate(next_check, 0)))
    assert checks[:4] == [1, 2, 3, 4]
    assert all(next_check(n) == later for n, later in itertools.pairwise(checks))


def iterate(step, value):
    while True:
        value = step(value)
        yield value


def test_stop_rules_combine_and_refuse_nonsense():
    assert Gap(1e-3) | Iterations(5) | Time(2.0) == Stop(1e-3, 5, 2.0)
    with pytest.raises(EquipoiseError, match="gap is -1"):
        Gap(-1)
    with pytest.raises(EquipoiseError, match="seconds is nan"):
        Time(float("nan"))


def test_limits_end_a_solve_with_their_status():
    form = build(leduc())
    assert solve(form, DCFR(), Iterations(3)).status is Status.ITERATION_LIMIT
    assert solve(form, DCFR(), Time(0.05)).status is Status.TIME_LIMIT
    assert solve(form, LP(), Time(0.0)).gap > 0


@pytest.mark.parametrize("method", [LP(), LP("ipx"), DenseLP()], ids=lambda method: method.name)
def test_a_program_that_is_stopped_is_not_exhausted(method):
    """Time passes while HiGHS is at work: it is stopped, and could do better with more."""
    form = build(leduc())
    assert form.X.size + form.Y.size > lp_dense._MOST_SEQUENCES
    run = method.start(form, Context(should_stop=lambda: True))
    run.advance(1)
    assert not run.finished
    x, y = run.point()
    lower, upper = measure(form, x, y)
    assert upper - lower > 1e-6
    whole = method.start(form, Context())
    whole.advance(1)
    assert whole.finished


def test_a_method_says_what_is_wrong_with_its_parameters():
    with pytest.raises(EquipoiseError, match="dtype is float16, expected float32 or float64"):
        CFR(dtype="float16")


def test_games_that_are_not_zero_sum_are_refused():
    with pytest.raises(EquipoiseError, match=r"pay 1 and 1, 3 and 3, expected a zero-sum"):
        build(from_matrices("dilemma", [[3, 0], [5, 1]], [[3, 5], [0, 1]]))
