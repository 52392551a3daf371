"""The certificate of a Bayesian game, cell by cell, against a fine grid of signals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.certificates.bayesian import _cell, _pieces

GRID = np.linspace(0.0, 1.0, 4001)


def drawn(seed: int, degree: int, plans: int) -> tuple[np.ndarray, np.ndarray]:
    """What plans are worth, as polynomials in the signal, and what a mixture of them gets."""
    random = np.random.default_rng(seed)
    curves = random.normal(size=(degree + 1, plans))
    return curves, curves @ random.dirichlet(np.ones(plans))


def on_grid(coefficients: np.ndarray) -> np.ndarray:
    return np.vander(GRID, len(coefficients), increasing=True) @ coefficients


@given(st.integers(0, 2**32 - 1), st.integers(0, 4), st.integers(1, 4))
def test_mean_regret_and_worst_are_those_of_a_grid(seed: int, degree: int, plans: int) -> None:
    curves, got = drawn(seed, degree, plans)
    more = on_grid(curves).max(axis=1) - on_grid(got)
    mean, regret, most = _cell(curves, got)
    assert mean == pytest.approx(np.trapezoid(on_grid(got), GRID), abs=1e-5)
    assert regret == pytest.approx(np.trapezoid(more, GRID), abs=1e-5)
    assert most == pytest.approx(more.max(), abs=1e-5)


@given(st.integers(0, 2**32 - 1), st.integers(0, 4), st.integers(1, 4))
def test_pieces_cover_the_cell_and_name_the_best_plan(seed: int, degree: int, plans: int) -> None:
    curves, _ = drawn(seed, degree, plans)
    every, end = on_grid(curves), 0.0
    for low, high, plan in _pieces(curves):
        assert low == end
        inside = (low < GRID) & (high > GRID)
        np.testing.assert_allclose(every[inside, plan], every[inside].max(axis=1), atol=1e-9)
        end = high
    assert end == 1.0


def test_the_worst_signal_may_lie_inside_a_piece() -> None:
    """Against t (1 - t) a plan that is worth nothing loses 1/4 at t = 1/2, and 1/6 on average."""
    curves = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    _, regret, most = _cell(curves, curves[:, 1])
    assert regret == pytest.approx(1 / 6)
    assert most == pytest.approx(1 / 4)
