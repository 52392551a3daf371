"""The minimax kernel against linear programs solved by HiGHS."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.numerics.minimax import matrix_game, minimax
from equipoise.numerics.program import Program, optimize


def reference(M: np.ndarray, b: np.ndarray, blocks: int) -> float:
    """min t subject to M y + b <= t and every block of y a distribution."""
    rows, columns = M.shape
    sums = np.kron(np.eye(blocks), np.ones(columns // blocks))
    A = np.block([[M, -np.ones((rows, 1))], [sums, np.zeros((blocks, 1))]])
    program = Program(
        c=np.append(np.zeros(columns), 1.0),
        A=A,
        row_lower=np.append(np.full(rows, -np.inf), np.ones(blocks)),
        row_upper=np.append(-b, np.ones(blocks)),
        lower=np.append(np.zeros(columns), -np.inf),
    )
    return optimize(program).require_optimal("reference").objective


@given(seed=st.integers(0, 2**32), m=st.integers(1, 7), n=st.integers(1, 7), coarse=st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_matrix_game_is_solved_to_rounding(seed: int, m: int, n: int, coarse: bool) -> None:
    rng = np.random.default_rng(seed)
    # Small integers make ties and degenerate vertices.
    A = rng.integers(-1, 2, (m, n)) * 10.0 if coarse else rng.normal(size=(m, n))
    saddle = matrix_game(A)
    scale = np.ptp(A) or 1.0
    assert saddle.upper - saddle.lower <= 1e-12 * scale
    assert abs(saddle.value - reference(A, np.zeros(m), 1)) <= 1e-8 * scale
    for strategy in (saddle.x, saddle.y):
        assert strategy.min() >= 0
        assert strategy.sum() == pytest.approx(1, abs=1e-14)


@given(seed=st.integers(0, 2**32), blocks=st.integers(1, 4), width=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_several_blocks_and_offsets(seed: int, blocks: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    M, b = rng.random((3, 6, blocks * width)), rng.normal(size=(3, 6))
    solved = minimax(M, b, blocks)
    for s in range(3):
        assert solved.upper[s] - solved.lower[s] <= 1e-12
        assert solved.upper[s] == pytest.approx(reference(M[s], b[s], blocks), abs=1e-8)


def test_known_games() -> None:
    # Matching pennies, rock-paper-scissors, and a saddle point in pure strategies.
    assert matrix_game([[1, -1], [-1, 1]]).x == pytest.approx([0.5, 0.5])
    rps = matrix_game([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    assert rps.value == pytest.approx(0, abs=1e-15)
    assert rps.y == pytest.approx([1 / 3] * 3)
    assert matrix_game([[3, 2], [1, 0]]).value == 2


def test_constant_and_large_payoffs() -> None:
    assert matrix_game(np.full((3, 4), 7.0)).value == pytest.approx(7)
    assert matrix_game([[1e9, 0], [0, 1e9]]).value == pytest.approx(5e8)


def test_no_problems_at_all() -> None:
    assert minimax(np.empty((0, 2, 2))).lower.shape == (0,)


@pytest.mark.parametrize("bad", [[[np.nan, 1]], [], [1.0, 2.0], [[np.inf]]])
def test_bad_matrices_are_refused(bad: object) -> None:
    with pytest.raises(EquipoiseError, match="Matrix game: found"):
        matrix_game(bad)  # type: ignore[arg-type]  # that is the point
