"""The certified value: published answers, hand-derived ones, and laws over random games."""

from __future__ import annotations

import math

import numpy as np
import pytest
from random_games import random_game, value_by_lp

import equipoise
from equipoise.errors import EquipoiseError
from equipoise.games.repeated.game import EXAMPLES, RepeatedGame
from equipoise.numerics.minimax import minimax
from equipoise.numerics.separation import bisect, control_nets, edges_to_cut
from equipoise.solvers.driver import Status
from equipoise.solvers.repeated.cav import RepeatedSolution, solve_repeated


def check(solution: RepeatedSolution, tolerance: float) -> None:
    """What every solution must satisfy, recomputed from its strategies."""
    game, splitting, z = solution.game, solution.splitting, solution.hyperplane
    slack = 1e-9 * game.range
    assert solution.status is Status.CONVERGED
    assert 0 <= solution.gap <= tolerance
    assert solution.lower <= solution.value <= solution.upper
    assert z @ game.prior == pytest.approx(solution.upper, abs=1e-12 * game.range)
    # The splitting averages to the prior, and its worth is the lower bound.
    assert splitting.weights @ splitting.posteriors == pytest.approx(game.prior, abs=1e-12)
    assert splitting.weights @ splitting.values == pytest.approx(solution.lower, abs=slack)
    assert len(splitting.weights) <= len(game.states)
    # The lottery is one, state by state, and Bayes' rule gives the posteriors back.
    lottery = solution.informed.lottery
    assert lottery.sum(axis=1) == pytest.approx(np.ones(len(game.prior)), abs=1e-12)
    joint = lottery.T * game.prior
    assert joint / joint.sum(axis=1, keepdims=True) == pytest.approx(splitting.posteriors, abs=1e-9)
    # z majorises v, by linear programs that share no code with the solver.
    rng = np.random.default_rng(0)
    for q in np.vstack([splitting.posteriors, rng.dirichlet(np.ones(len(z)), 5)]):
        assert z @ q >= value_by_lp(game.average(q)) - slack


# Gilpin 2009, section 11.3: value, share revealed, posteriors of state A.
PUBLISHED = {
    "unrevealing": (0.25, 0.0, [0.5]),
    "revealing": (0.0, 1.0, [0.0, 1.0]),
    "partial": (1.0, 1 - 0.8112781244591328, [0.25, 0.75]),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_examples_of_gilpin_2009(name: str) -> None:
    value, revealed, posteriors = PUBLISHED[name]
    solution = equipoise.solve_repeated(EXAMPLES[name], 1e-9)
    check(solution, 1e-9)
    assert solution.value == pytest.approx(value, abs=1e-9)
    assert solution.informed.share_revealed == pytest.approx(revealed, abs=1e-9)
    assert sorted(solution.splitting.posteriors[:, 0]) == pytest.approx(posteriors, abs=1e-9)


def test_the_strategies_of_the_examples() -> None:
    # 11.3.1: ignore the state and mix half and half.
    unrevealing = solve_repeated(EXAMPLES["unrevealing"], 1e-9).informed
    assert unrevealing.actions == pytest.approx(np.array([[0.5, 0.5]]), abs=1e-9)
    # 11.3.2: always D in state A, always U in state B.
    revealing = solve_repeated(EXAMPLES["revealing"], 1e-9).informed
    assert revealing.lottery @ revealing.actions == pytest.approx(np.array([[0, 1], [1, 0]]))
    # 11.3.3: U for ever with probability 3/4 in state A and 1/4 in state B.
    partial = solve_repeated(EXAMPLES["partial"], 1e-9).informed
    assert partial.lottery @ partial.actions[:, 0] == pytest.approx([0.75, 0.25], abs=1e-9)


def test_an_irrational_splitting() -> None:
    # docs/repeated.md: tangent from (1, 1/2) to t (1 - t) at t = 1 - 1/sqrt(2), value t as well.
    t = 1 - math.sqrt(0.5)
    solution = solve_repeated(EXAMPLES["irrational"], 1e-8)
    check(solution, 1e-8)
    assert solution.lower <= t <= solution.upper
    assert sorted(solution.splitting.posteriors[:, 0]) == pytest.approx([t, 1], abs=1e-8)
    assert sorted(solution.splitting.weights) == pytest.approx([t, 1 - t], abs=1e-8)
    assert solution.hyperplane == pytest.approx([0.5, 1.5 - math.sqrt(2)], abs=1e-8)


def diagonal_with_exit(states: int, reward: float) -> RepeatedGame:
    """State k pays 1 at (k, k), and a last row pays ``reward`` in state 1 and -1 in the others."""
    payoffs = np.zeros((states, states + 1, states))
    payoffs[range(states), range(states), range(states)] = 1.0
    payoffs[:, states] = -1.0
    payoffs[0, states] = reward
    return RepeatedGame(payoffs, np.full(states, 1 / states))


@pytest.mark.parametrize(("states", "tolerance"), [(2, 1e-8), (3, 1e-8), (4, 1e-4)])
def test_a_tangent_in_more_dimensions(states: int, tolerance: float) -> None:
    """docs/repeated.md: the tangent from state 1 touches at (t, s, ..., s).

    v is the harmonic 1 / sum 1/q_k where the last row is not used; along (t, s, ..., s) that is
    f(t) = t (1 - t) / (1 + c t), c = K (K - 2), and f(t) + (1 - t) f'(t) = ((1 - t) / (1 + c t))^2.
    """
    reward, c = 0.5, states * (states - 2)
    t = (1 - math.sqrt(reward)) / (1 + c * math.sqrt(reward))
    contact = t * (1 - t) / (1 + c * t)
    weight = (1 - 1 / states) / (1 - t)
    value = weight * contact + (1 - weight) * reward
    solution = solve_repeated(diagonal_with_exit(states, reward), tolerance)
    check(solution, tolerance)
    assert solution.lower <= value <= solution.upper


@pytest.mark.parametrize(
    ("states", "most", "tolerance"), [(2, 6, 1e-6), (3, 4, 1e-3), (4, 4, 1e-3)]
)
@pytest.mark.parametrize("seed", range(6))
def test_random_games(states: int, most: int, tolerance: float, seed: int) -> None:
    game = random_game(seed, states, most)
    check(solve_repeated(game, tolerance), tolerance)


@pytest.mark.parametrize("seed", range(4))
def test_no_splitting_beats_the_upper_bound(seed: int) -> None:
    game = random_game(seed, 3, 4)
    solution = solve_repeated(game, 1e-6)
    rng = np.random.default_rng(seed)
    for _ in range(50):
        # A random lottery by type; what it makes of the prior is a splitting.
        joint = (rng.dirichlet(np.full(4, 0.5), 3) * game.prior[:, None]).T
        weights = joint.sum(axis=1)
        worth = weights @ game.values(joint / weights[:, None])
        assert worth <= solution.upper


@pytest.mark.parametrize("seed", range(6))
def test_a_state_cut_in_two_changes_nothing(seed: int) -> None:
    """Two states go by exact pieces, three by branch and bound alone: two roads to one value."""
    game = random_game(seed, 2, 5)
    twin = RepeatedGame(game.matrices[[0, 1, 1]], game.prior[[0, 1, 1]] * [1, 0.3, 0.7])
    exact, general = solve_repeated(game, 1e-9), solve_repeated(twin, 1e-7)
    assert general.status is Status.CONVERGED
    assert general.lower <= exact.upper
    assert exact.lower <= general.upper


@pytest.mark.parametrize("seed", range(4))
def test_units_and_names_of_states_do_not_matter(seed: int) -> None:
    game = random_game(seed, 3, 4)
    order = [2, 0, 1]
    other = RepeatedGame(1000 * game.matrices[order] - 5, game.prior[order])
    value, scaled = solve_repeated(game, 1e-6), solve_repeated(other, 1e-3)
    assert (scaled.value + 5) / 1000 == pytest.approx(value.value, abs=2e-6)


def test_more_information_never_hurts_the_informed_player() -> None:
    """Cav v is concave and above v: a mixture of priors is worth at least the mixture of values."""
    game = random_game(1, 3, 4)
    rng = np.random.default_rng(5)
    p, q = rng.dirichlet(np.ones(3), 2)
    values = [solve_repeated(RepeatedGame(game.matrices, at), 1e-6) for at in (p, q, 0.5 * (p + q))]
    assert values[2].upper >= 0.5 * (values[0].lower + values[1].lower)
    assert all(one.upper >= game.values(one.game.prior)[0] for one in values)


def test_one_state_is_a_matrix_game() -> None:
    solution = solve_repeated(RepeatedGame([[[1, -1], [-1, 1]]], [1]))
    check(solution, 1e-6)
    assert solution.value == pytest.approx(0, abs=1e-12)
    assert solution.informed.bits_revealed == 0
    assert solution.informed.share_revealed == 0


@pytest.mark.parametrize("prior", [[0.5, 0, 0.5], [0, 1, 0], [0.25, 0.75, 0]])
def test_states_that_never_occur(prior: list[float]) -> None:
    game = random_game(2, 3, 4)
    occurs = np.array(prior) > 0
    there = RepeatedGame(game.matrices[occurs], np.array(prior)[occurs])
    solution = solve_repeated(RepeatedGame(game.matrices, prior), 1e-7)
    check(solution, 1e-7)
    assert solution.value == pytest.approx(solve_repeated(there, 1e-7).value, abs=1e-7)


def test_constant_games_and_equal_states() -> None:
    flat = solve_repeated(RepeatedGame(np.full((3, 2, 2), 7.0), [0.2, 0.3, 0.5]))
    assert flat.value == pytest.approx(7, abs=1e-9)
    assert flat.informed.bits_revealed == pytest.approx(0, abs=1e-9)
    A = [[0, 1], [2, 0]]
    same = solve_repeated(RepeatedGame([A, A, A], [0.2, 0.3, 0.5]), 1e-9)
    assert same.value == pytest.approx(2 / 3, abs=1e-9)
    assert len(same.splitting.weights) == 1


def test_limits_end_the_search_with_bounds_that_hold() -> None:
    game = random_game(1, 4, 4)
    whole = solve_repeated(game, 1e-5)
    short = solve_repeated(game, 1e-9, cells=20)
    assert short.status is Status.EXHAUSTED
    assert short.lower <= whole.upper
    assert whole.lower <= short.upper
    none = solve_repeated(game, 1e-9, seconds=0)
    assert none.status is Status.TIME_LIMIT
    assert none.lower <= whole.upper
    assert whole.lower <= none.upper
    assert (none.iterations, len(none.log)) == (0, 1)


@pytest.mark.parametrize("limit", ["tolerance", "seconds", "cells"])
def test_bad_limits_are_refused(limit: str) -> None:
    with pytest.raises(EquipoiseError, match=f"{limit} is nan"):
        solve_repeated(EXAMPLES["partial"], **{limit: math.nan})


@pytest.mark.parametrize("seed", range(5))
def test_control_nets_bound_v_from_above(seed: int) -> None:
    """On a random cell, no sampled point exceeds the bound; and the bound closes in like h^2."""
    rng = np.random.default_rng(seed)
    matrices, z = rng.random((3, 4, 4)), rng.random(3)
    game = RepeatedGame(matrices, [1, 0, 0])
    cell = rng.dirichlet(np.ones(3), 3)
    inside = rng.dirichlet(np.ones(3), 200) @ cell
    scaled, shift = game.unit_matrices, game.shift
    bound = control_nets(scaled, cell[None], z)[0].upper[0]
    exceed = (game.values(inside) - shift) / game.range - inside @ z
    assert exceed.max() <= bound + 1e-12


@pytest.mark.parametrize("h", [0.2, 0.1, 0.05])
def test_the_error_of_control_nets_is_of_second_order(h: float) -> None:
    """v = t (1 - t) under its tangent at 0.4: the true maximum on a cell around it is 0.

    The middle Bernstein coefficient of -(t - 0.4)^2 is h^2 / 4, which optimal strategies give and the
    best may lower; one y for the whole cell gives a bound that falls with h only.
    """
    game = EXAMPLES["unrevealing"]
    ends = np.array([0.4 - h / 2, 0.4 + h / 2])
    cell = np.column_stack([ends, 1 - ends])
    z = np.array([0.36, 0.16])
    assert 0 < control_nets(game.matrices, cell[None], z)[0].upper[0] <= h**2 / 4
    rows = np.tensordot(cell, game.matrices, 1).reshape(1, 4, 2)
    one_y = minimax(rows, np.repeat(-cell @ z, 2)[None]).upper[0]
    assert 0.1 * h < one_y < h


def test_bisection_covers_the_cell() -> None:
    rng = np.random.default_rng(0)
    cells = rng.dirichlet(np.ones(4), (5, 4))
    edges = edges_to_cut(cells, np.full((5, 4), 0.25))
    children, middles = bisect(cells, edges)
    volumes = np.abs(np.linalg.det(cells))
    halves = np.abs(np.linalg.det(children)).reshape(2, 5)
    assert halves == pytest.approx(np.stack([volumes, volumes]) / 2)
    # With equal shares it is the longest edge that is cut: the middle is half of it from an end.
    lengths = np.linalg.norm(cells[:, :, None] - cells[:, None], axis=3).max(axis=(1, 2))
    halfway = np.abs(np.linalg.norm(cells - middles[:, None], axis=2) - lengths[:, None] / 2)
    assert np.sort(halfway, axis=1)[:, :2] == pytest.approx(np.zeros((5, 2)), abs=1e-12)
