"""SolveP1 as written; and why two steps of its proof, and from K = 5 on its claim, do not hold."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_games import random_game

from equipoise.errors import EquipoiseError
from equipoise.games.repeated.game import EXAMPLES, RepeatedGame
from equipoise.solvers.repeated.cav import solve_repeated
from equipoise.solvers.repeated.cav_grid import grid, grid_error, solve_p1


@pytest.mark.parametrize(("states", "divisions"), [(1, 4), (2, 7), (3, 5), (4, 4), (5, 1)])
def test_the_grid_is_z_of_c(states: int, divisions: int) -> None:
    # Lemma 14: binomial(C + K - 1, K - 1) points.
    points = grid(states, divisions)
    assert len(points) == len(np.unique(points, axis=0))
    assert len(points) == math.comb(divisions + states - 1, states - 1)
    assert points.sum(axis=1) == pytest.approx(np.ones(len(points)))
    assert points.min() >= 0
    assert points * divisions == pytest.approx(np.round(points * divisions))


@pytest.mark.parametrize("name", ["unrevealing", "revealing", "partial"])
def test_the_examples_on_a_grid_that_holds_their_splittings(name: str) -> None:
    game = EXAMPLES[name]
    solution = solve_p1(game, game.range / 4)
    assert solution.value == pytest.approx(solve_repeated(game).value, abs=1e-6)
    assert solution.weights @ solution.posteriors == pytest.approx(game.prior)


@pytest.mark.parametrize(("states", "divisions"), [(2, 20), (3, 12), (4, 6)])
@pytest.mark.parametrize("seed", range(4))
def test_the_value_is_within_the_grids_own_bound(states: int, divisions: int, seed: int) -> None:
    game = random_game(seed, states, 4)
    on_grid, certified = solve_p1(game, game.range / divisions), solve_repeated(game, 1e-3)
    assert on_grid.value <= certified.upper + 1e-9
    assert certified.lower <= on_grid.value + on_grid.error + 1e-9


def smallest_entries(states: int, count: int) -> RepeatedGame:
    """v(q) = the sum of the ``count`` smallest entries of q: one row, a column for every subset."""
    subsets = list(combinations(range(states), count))
    payoffs = [[[float(k in subset) for subset in subsets]] for k in range(states)]
    return RepeatedGame(payoffs, np.full(states, 1 / states))


def test_lemma_11_fails_at_four_states() -> None:
    """Payoffs in [0, 1], points 1/4 apart in every coordinate, values 1/2 apart."""
    game = RepeatedGame([[[1]], [[1]], [[0]], [[0]]], np.full(4, 0.25))
    p, q = np.array([0.5, 0.5, 0, 0]), np.full(4, 0.25)
    difference = game.values(p)[0] - game.values(q)[0]
    assert difference == pytest.approx(0.5)
    assert np.abs(p - q).max() == 0.25
    assert difference <= 0.5 * np.abs(p - q).sum()


@given(seed=st.integers(0, 10**6), states=st.integers(1, 6))
@settings(max_examples=50, deadline=None)
def test_v_is_lipschitz_with_one_half_in_the_l1_norm(seed: int, states: int) -> None:
    game = random_game(seed, states, 4)
    p, q = np.random.default_rng(seed).dirichlet(np.full(states, 0.5), 2)
    difference = np.ptp(game.values([p, q])) / game.range
    assert difference <= 0.5 * np.abs(p - q).sum() + 1e-12
    if states <= 3:
        # There the two norms agree: one sign has a single entry.
        assert difference <= np.abs(p - q).max() + 1e-12


def test_rounding_a_splitting_leaves_the_feasible_set_of_p2() -> None:
    """Theorem 13 moves each point to the nearest grid point and keeps the weights."""
    game, divisions = EXAMPLES["irrational"], 10
    splitting = solve_repeated(game, 1e-8).splitting
    rounded = np.round(splitting.posteriors * divisions) / divisions
    excess = splitting.weights @ rounded - game.prior
    assert excess.max() > 1e-3


@pytest.mark.parametrize(("states", "divisions"), [(5, 2), (5, 7), (6, 3)])
def test_theorem_13_fails_from_five_states_on(states: int, divisions: int) -> None:
    """The grid misses the uniform prior by as much as it can, and v peaks there."""
    game = smallest_entries(states, (states + 1) // 2)
    on_grid = solve_p1(game, 1 / divisions)
    missing = solve_repeated(game).value - on_grid.value
    assert missing > 1 / divisions + 0.02
    assert missing == pytest.approx(grid_error(states, divisions), abs=1e-6)


def test_up_to_four_states_its_claim_holds_by_another_proof() -> None:
    assert [grid_error(k, 1) for k in (1, 2, 3, 4, 5)] == pytest.approx([0, 1 / 2, 2 / 3, 1, 6 / 5])


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_a_point_splits_over_its_grid_cell(seed: int, states: int, divisions: int) -> None:
    """The repaired step: round entries up or down at random, keeping sum and means (docs)."""
    rng = np.random.default_rng(seed)
    q = rng.dirichlet(np.ones(states)) * divisions
    down = np.floor(q)
    up = q - down
    # Systematic sampling: entry k is rounded up when a grid of unit spacing hits its stretch.
    ends = np.concatenate([[0.0], np.cumsum(up)])
    ends[-1] = np.round(ends[-1])
    starts = np.unique(np.concatenate([[0.0], ends % 1.0, [1.0]]))
    lengths, middles = np.diff(starts), 0.5 * (starts[1:] + starts[:-1])
    counts = np.floor(ends[1:, None] - middles) - np.floor(ends[:-1, None] - middles)
    corners = (down[:, None] + counts).T / divisions
    assert corners.sum(axis=1) == pytest.approx(np.ones(len(corners)))
    assert corners.min() >= 0
    assert lengths @ corners == pytest.approx(q / divisions, abs=1e-9)
    distance = lengths @ np.abs(corners - q / divisions).sum(axis=1)
    assert 0.5 * distance <= grid_error(states, divisions) + 1e-9


def test_payoffs_near_the_largest_ask_for_too_many_points() -> None:
    game = RepeatedGame([[[1e300, 4], [0, 4]], [[0, 1], [1, -1e300]]], [0.5, 0.5])
    with pytest.raises(EquipoiseError, match="asks for at least 2,000,001 grid points"):
        solve_p1(game, 0.5)


@pytest.mark.parametrize(("epsilon", "message"), [(0, "epsilon is 0"), (1e-9, "grid points")])
def test_bad_epsilon(epsilon: float, message: str) -> None:
    with pytest.raises(EquipoiseError, match=message):
        solve_p1(EXAMPLES["partial"], epsilon)
