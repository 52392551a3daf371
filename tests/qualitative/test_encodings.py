"""Piecewise-linear products and ordered cells: both encodings obey the same laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.numerics.encodings import ENCODINGS, Encoding, Model
from equipoise.numerics.polynomial import Polynomial, total


def solve_at(model: Model, fixed: dict[int, float]) -> np.ndarray:
    for column, value in fixed.items():
        model.equal(Polynomial.column(column), value)
    outcome = model.solve()
    assert outcome.status == "optimal"
    return outcome.x


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=15, deadline=None)
@given(x=st.floats(0, 1), y=st.floats(0, 1), breakpoints=st.integers(2, 12))
def test_a_product_is_off_by_no_more_than_lemma_2_says(
    encoding: Encoding, x: float, y: float, breakpoints: int
) -> None:
    model = Model(breakpoints, encoding)
    a, b = model.variable(), model.variable()
    product = model.linear(a * b)
    found = product.at(solve_at(model, {0: x, 1: y}))
    # Two squares, over ranges of length 1, of opposite signs: |error| <= (1 / (2 (k - 1)))^2.
    assert abs(found - x * y) <= (1.0 / (2 * (breakpoints - 1))) ** 2 + 1e-7


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_square_follows_the_chords(encoding: Encoding) -> None:
    points = np.linspace(0.0, 1.0, 7)
    for x in np.linspace(0.0, 1.0, 14):
        model = Model(7, encoding)
        square = model.square(model.variable())
        assert square.at(solve_at(model, {0: float(x)})) == pytest.approx(
            np.interp(x, points, points**2), abs=1e-7
        )


def test_the_logarithmic_encoding_needs_fewer_binaries() -> None:
    counts = []
    for encoding in ENCODINGS:
        model = Model(33, encoding)
        model.square(model.variable())
        counts.append(sum(model.integer))
    assert counts == [32, 5]


@settings(max_examples=25, deadline=None)
@given(cells=st.integers(1, 5), place=st.floats(0, 1), tell=st.booleans())
def test_fills_fill_in_order(cells: int, place: float, tell: bool) -> None:
    model = Model()
    fills, reached, beyond = model.ordered_fills(cells, tell_edges=tell)
    model.equal(total(fills), place * cells)
    outcome = model.solve()
    values = np.array([f.at(outcome.x) for f in fills])
    expected = np.clip(place * cells - np.arange(cells), 0.0, 1.0)
    np.testing.assert_allclose(values, expected, atol=1e-6)
    for edge, (low, high) in enumerate(zip(beyond, reached, strict=True), start=1):
        passed = place * cells - edge
        if abs(passed) > 1e-5:
            assert low.at(outcome.x) == high.at(outcome.x) == float(passed > 0)


def test_an_edge_can_be_reached_and_not_passed() -> None:
    model = Model()
    fills, reached, beyond = model.ordered_fills(2, tell_edges=True)
    model.equal(total(fills), 1.0)
    model.equal(reached[0] - beyond[0], 1.0)
    assert model.solve().status == "optimal"


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.floats(-3, 3)), max_size=5),
    st.tuples(*[st.floats(-2, 2)] * 3),
)
def test_polynomials_are_evaluated_as_written(
    terms: list[tuple[int, int, float]], point: tuple[float, ...]
) -> None:
    polynomial = total(Polynomial.column(i) * Polynomial.column(j) * c for i, j, c in terms)
    expected = sum(c * point[i] * point[j] for i, j, c in terms)
    assert (1.0 - polynomial).at(point) == pytest.approx(1.0 - expected, abs=1e-9)


def test_a_constant_that_cannot_hold_makes_the_program_infeasible() -> None:
    model = Model()
    model.variable()
    model.at_least(-1.0)
    assert model.solve().status == "infeasible"


def test_bad_breakpoints_and_encodings_are_refused() -> None:
    for wrong in (1, 1001, 10**9):
        with pytest.raises(
            EquipoiseError, match=f"found {wrong} breakpoints, expected from 2 to 1,000"
        ):
            Model(wrong)
    with pytest.raises(EquipoiseError, match=r"found 2\.5, expected a number of breakpoints"):
        Model(2.5)  # type: ignore[arg-type]  # what a user might type
    with pytest.raises(EquipoiseError, match="found 'binary', expected one of unary, logarithmic"):
        Model(5, "binary")  # type: ignore[arg-type]  # what a user might type
