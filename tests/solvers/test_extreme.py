"""All equilibria of degenerate games: against brute force, and points drawn from all of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from equipoise.games.trees.normal import NormalGame, from_matrices
from equipoise.solvers.general.extreme import components, extreme_equilibria

F = Fraction


def random_game(rng: np.random.Generator, spread: int) -> NormalGame:
    shape = tuple(int(k) for k in rng.integers(1, 5, size=2))
    return from_matrices("random", *rng.integers(-spread, spread + 1, (2, *shape)))


def solve_exactly(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Gauss-Jordan; ``None`` if the matrix is singular."""
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i, row in enumerate(rows):
            if i != k and row[k]:
                rows[i] = [a - row[k] * b for a, b in zip(row, rows[k], strict=True)]
    return [row[-1] for row in rows]


def vertices(payoffs: np.ndarray) -> list[tuple[tuple[Fraction, ...], set[int], set[int]]]:
    """Vertices of {z >= 0, payoffs z <= 1}: every choice of tight inequalities is tried.

    Returns mixed strategies, the strategies not played, and the best responses.
    """
    height, width = payoffs.shape
    positive = payoffs - payoffs.min() + 1
    sides = [[F(int(i == j)) for j in range(width)] for i in range(width)]
    sides += [[F(int(entry)) for entry in row] for row in positive]
    found = {}
    for tight in combinations(range(width + height), width):
        z = solve_exactly([sides[i] for i in tight], [F(int(i >= width)) for i in tight])
        if z is None or min(z) < 0 or not any(z):
            continue
        slack = [1 - sum(a * b for a, b in zip(row, z, strict=True)) for row in sides[width:]]
        if min(slack) < 0:
            continue
        unplayed = {i for i in range(width) if z[i] == 0}
        best = {i for i in range(height) if slack[i] == 0}
        found[tuple(v / sum(z) for v in z)] = (unplayed, best)
    return [(mixed, *labels) for mixed, labels in found.items()]


def brute_force(game: NormalGame) -> set:
    A, B = (game.payoff[..., player].astype(int) for player in (0, 1))
    rows, columns = A.shape
    return {
        (x, y)
        for x, x_unplayed, x_best in vertices(B.T)
        for y, y_unplayed, y_best in vertices(A)
        if len(x_unplayed | y_best) == rows and len(y_unplayed | x_best) == columns
    }


@pytest.mark.parametrize("spread", [1, 2, 50])
def test_extreme_equilibria_are_those_of_brute_force(spread: int) -> None:
    rng = np.random.default_rng(spread)
    for _ in range(40):
        game = random_game(rng, spread)
        found = extreme_equilibria(game)
        assert len(found) == len({(point.x, point.y) for point in found})
        assert {(point.x, point.y) for point in found} == brute_force(game)


def draw(payoffs: np.ndarray, own: tuple, other: tuple, cost: np.ndarray) -> np.ndarray | None:
    """Return a mix of ``other`` to which all of ``own`` are best responses, the one of least cost."""
    width = payoffs.shape[1]
    differences = payoffs[:, None, :] - payoffs[list(own)][None, :, :]
    result = linprog(
        cost,
        A_ub=differences.reshape(-1, width),
        b_ub=np.zeros(differences.shape[0] * differences.shape[1]),
        A_eq=np.ones((1, width)),
        b_eq=[1.0],
        bounds=[(0, 1 if j in other else 0) for j in range(width)],
    )
    return result.x if result.success else None


def is_mixture(point: np.ndarray, corners: tuple) -> bool:
    columns = np.array([[float(w) for w in corner] for corner in corners]).T
    count = columns.shape[1]
    fit = linprog(
        np.zeros(count),
        A_eq=np.vstack((columns, np.ones(count))),
        b_eq=np.append(point, 1.0),
        bounds=[(0, None)] * count,
        options={"primal_feasibility_tolerance": 1e-9},
    )
    return bool(fit.success)


def subsets(count: int) -> list[tuple[int, ...]]:
    return list(chain(*(combinations(range(count), k) for k in range(1, count + 1))))


def test_every_equilibrium_is_in_a_maximal_nash_subset() -> None:
    """Whatever pair of supports an equilibrium has, equal in size or not."""
    rng = np.random.default_rng(7)
    for _ in range(12):
        shape = (2, 3) if rng.random() < 0.5 else (3, 2)
        game = from_matrices("degenerate", *rng.integers(-1, 2, (2, *shape)))
        A, B = (game.payoffs[..., player] for player in (0, 1))
        parts = components(game)
        assert parts
        for own in subsets(A.shape[0]):
            for other in subsets(A.shape[1]):
                y = draw(A, own, other, rng.normal(size=A.shape[1]))
                x = draw(B.T, other, own, rng.normal(size=A.shape[0]))
                if x is not None and y is not None:
                    assert any(
                        is_mixture(x, subset.x) and is_mixture(y, subset.y)
                        for part in parts
                        for subset in part.subsets
                    )


def test_components_do_not_touch_and_subsets_are_interchangeable() -> None:
    rng = np.random.default_rng(9)
    for _ in range(40):
        game = random_game(rng, 1)
        parts = components(game)
        for player in "xy":
            corners = [{getattr(point, player) for point in part.extreme} for part in parts]
            assert sum(map(len, corners)) == len(set().union(*corners))
        for part in parts:
            inside = {(x, y) for subset in part.subsets for x in subset.x for y in subset.y}
            assert inside == {(point.x, point.y) for point in part.extreme}


def test_a_degenerate_game_by_hand() -> None:
    """By hand: against row 1 player 2 is indifferent, and row 1 is best where 3 >= 5 - 3 y_1.

    Rows 2 and 3 mix where 2x_2 + 3x_3 = 6x_2 + x_3 and 5 - 3y_1 = 6 - 6y_1, at 3.0 or more for row 1.
    """
    game = from_matrices("degenerate", [[3, 3], [2, 5], [0, 6]], [[3, 3], [2, 6], [3, 1]])
    segment, point = components(game)
    (subset,) = segment.subsets
    assert subset.x == ((1, 0, 0),)
    assert set(subset.y) == {(1, 0), (F(2, 3), F(1, 3))}
    assert not segment.is_single
    assert point.is_single
    assert (point.extreme[0].x, point.extreme[0].y) == ((0, F(1, 3), F(2, 3)), (F(1, 3), F(2, 3)))


def test_a_game_of_nothing_is_all_one_set() -> None:
    (whole,) = components(from_matrices("nothing", np.zeros((3, 4), int), np.zeros((3, 4), int)))
    assert len(whole.extreme) == 12
    (subset,) = whole.subsets
    assert (len(subset.x), len(subset.y)) == (3, 4)
