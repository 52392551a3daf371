"""Procedure SolveP1 as Gilpin 2009, section 11.4.2, writes it: v on a grid, then one linear program.

With payoffs in [0, 1], C = ceil(1/epsilon) and the grid Z(C) of all distributions whose entries are
multiples of 1/C, program P2 splits the prior over grid points:

    max sum_i alpha_i v(p^i)   subject to   sum_i alpha_i p^i <= p,   alpha a distribution.

Its value v* is a lower bound of cav v(p), and short of it by at most floor(K^2/4) / (K C) times the
range of payoffs. Gilpin claims 1/C, which is true up to K = 4 and false from K = 5 on, and proves
it by two steps that fail from K = 4 on; docs/repeated.md has the proof and the counterexamples.

The number of grid points grows like C^(K-1): this is a reference, not the method to use.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.repeated.game import RepeatedGame
from equipoise.numerics.program import Program, optimize

Floats = NDArray[np.float64]

MOST_POINTS = 2_000_000


@dataclass(frozen=True, eq=False)
class GridSolution:
    """What SolveP1 gives: ``value <= cav v(p) <= value + error``.

    Attributes
    ----------
    value
        Value of P2.
    error
        The bound on what is missing to cav v(p), in payoffs.
    weights, posteriors
        The splitting: alpha and the grid points where it is positive.
    divisions, points
        C, and the number of grid points.
    """

    value: float
    error: float
    weights: Floats
    posteriors: Floats
    divisions: int
    points: int


def solve_p1(game: RepeatedGame, epsilon: float) -> GridSolution:
    """Run SolveP1 with the accuracy ``epsilon`` (in payoffs), which fixes the grid."""
    if not 0 < epsilon < math.inf:
        raise EquipoiseError(f"SolveP1: epsilon is {epsilon}, expected a positive number.")
    # A division more than points would be too many for any number of states but one.
    divisions = math.ceil(min(game.range / epsilon, float(MOST_POINTS)))
    states = len(game.prior)
    count = math.comb(divisions + states - 1, states - 1)
    if count > MOST_POINTS:
        raise EquipoiseError(
            f"SolveP1: epsilon = {epsilon} asks for at least {count:,} grid points, expected at most "
            f"{MOST_POINTS:,}: take a larger epsilon, or solve_repeated."
        )
    points = grid(states, divisions)
    values = game.nonrevealing(points).lower
    total = np.append(game.prior, 1.0)
    program = Program(
        c=-values,
        A=np.vstack([points.T, np.ones(count)]),
        row_lower=np.append(np.full(states, -np.inf), 1.0),
        row_upper=total,
    )
    # Few rows and many columns: the primal method.
    outcome = optimize(program, "primal-simplex").require_optimal("Program P2")
    used = outcome.x > 0
    return GridSolution(
        value=float(outcome.x @ values),
        error=grid_error(states, divisions) * game.range,
        weights=outcome.x[used],
        posteriors=points[used],
        divisions=divisions,
        points=count,
    )


def grid(states: int, divisions: int) -> Floats:
    """Return Z(C): all distributions over the states with entries in multiples of 1/C."""
    # Stars and bars: the bars' places tell a point of the grid.
    bars = list(combinations(range(divisions + states - 1), states - 1))
    places = np.array(bars, dtype=np.float64).reshape(len(bars), states - 1)
    edges = np.pad(places, ((0, 0), (1, 1)), constant_values=(-1, divisions + states - 1))
    return (np.diff(edges, axis=1) - 1) / divisions


def grid_error(states: int, divisions: int) -> float:
    """Bound cav v(p) - v* for payoffs in [0, 1]: floor(K^2/4) / (K C), attained by some games."""
    return (states * states // 4) / (states * divisions)
