"""Directed rounding against exact rationals: bounds hold where rounding goes the wrong way, and are tight."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from equipoise.certificates.arithmetic import Floating, Outward, Values
from equipoise.certificates.certificate import Certificate

RANDOM = np.random.default_rng(20)
ULP = 2.0**-52


def points(size: int, low: float = -1.0) -> np.ndarray:
    """Floats of many magnitudes; some of them are zero."""
    sizes = 2.0 ** RANDOM.integers(-20, 20, size=size)
    return RANDOM.uniform(low, 1.0, size=size) * sizes * (RANDOM.random(size) < 0.95)


def intervals(size: int, low: float = -1.0) -> Values:
    """Intervals of all signs, about a third of them single points."""
    start = points(size, low)
    width = np.abs(points(size)) * (RANDOM.random(size) < 0.7)
    return np.stack([start, start + width])


def ends(values: Values, i: int) -> tuple[Fraction, Fraction]:
    return Fraction(values[0, i]), Fraction(values[1, i])


def assert_tight_enclosures(found: Values, exact: list[tuple[Fraction, Fraction]]) -> None:
    """Each exact interval lies within what was found, which is at most two units wider at each end."""
    for i, (low, high) in enumerate(exact):
        lower, upper = ends(found, i)
        slack = Fraction(2 * ULP) * max(abs(low), abs(high)) + Fraction(5e-324)
        assert low - slack <= lower <= low
        assert high <= upper <= high + slack


OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "multiply": lambda a, b: a * b,
    "add": lambda a, b: a + b,
    "divide": lambda a, b: a / b,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_enclose_the_exact_result(name: str) -> None:
    of = OPERATIONS[name]
    if name == "divide":
        a, b = intervals(400, low=0.0), intervals(400, low=0.01) + 1e-3
    else:
        a, b = intervals(400), intervals(400)
    corners = [[of(x, y) for x in ends(a, i) for y in ends(b, i)] for i in range(400)]
    if name == "add":
        corners = [[c[0], c[-1]] for c in corners]
    exact = [(min(c), max(c)) for c in corners]
    assert_tight_enclosures(getattr(Outward(), name)(a, b), exact)
    near = getattr(Floating(), name)(a[:1], b[:1])
    assert near.shape == (1, 400)
    expected = [float(of(Fraction(x), Fraction(y))) for x, y in zip(a[0], b[0], strict=True)]
    np.testing.assert_allclose(near[0], expected, rtol=1e-15, atol=0)


def test_rationals_are_enclosed_and_floats_are_exact() -> None:
    exact = [Fraction(n, d) for n in range(-7, 8) for d in range(1, 12)]
    found = Outward().numbers(exact)
    assert found.shape == (2, len(exact))
    for number, lower, upper in zip(exact, *found, strict=True):
        assert Fraction(lower) <= number <= Fraction(upper)
        # One point where a float says it, and neighbours where none does.
        is_float = Fraction(float(number)) == number
        assert upper == (lower if is_float else np.nextafter(lower, np.inf))
    assert Floating().numbers(exact).tolist() == [[float(number) for number in exact]]
    assert Outward().numbers([]).shape == (2, 0)
    assert Floating().numbers([]).shape == (1, 0)
    single = np.array([0.1, -2.0], dtype=np.float32)
    assert Outward().floats(single).tolist() == [single.tolist()] * 2
    assert Floating().floats(single).tolist() == [single.tolist()]
    assert Outward().floats(single).dtype == Floating().floats(single).dtype == np.float64


@pytest.mark.parametrize("is_cancelling", [False, True])
def test_sums_by_place_enclose_the_exact_sums(is_cancelling: bool) -> None:
    for size in (1, 2, 3, 50):
        index = RANDOM.integers(0, 9, size=size).astype(np.int32)
        index[index == 4] = 5  # a place that nothing falls on
        values = intervals(size)
        if is_cancelling:
            index, values = np.tile(index, 2), np.concatenate([values, -values[::-1]], axis=1)
        found = Outward().collect(index, values, 12)
        assert found.shape == (2, 12)
        for place in range(12):
            own = np.flatnonzero(index == place)
            low, high = (sum((ends(values, i)[e] for i in own), Fraction(0)) for e in (0, 1))
            lower, upper = ends(found, place)
            size_of = sum((max(map(abs, ends(values, i))) for i in own), Fraction(0))
            # The bound of Higham (2002), section 4.2, with a slack of two for its own rounding.
            slack = Fraction(ULP) * (len(own) + 2) * size_of + Fraction(5e-324)
            assert low - slack <= lower <= low
            assert high <= upper <= high + slack
        plain = Floating().collect(index, values[:1], 12)
        exact = np.zeros(12)
        np.add.at(exact, index, values[0])
        np.testing.assert_allclose(plain, exact[None], rtol=1e-12, atol=1e-9)


def test_a_sum_that_loses_its_small_terms_is_still_enclosed() -> None:
    # 1 + n * 2^-53 rounds to 1 from left to right, whatever n: one unit outward is not enough.
    values = np.array([1.0, *[2.0**-53] * 1000])
    index = np.zeros(1001, np.int32)
    found = Outward().collect(index, np.stack([values, values]), 1)
    exact = 1 + 1000 * Fraction(1, 2**53)
    assert Fraction(found[0, 0]) <= exact <= Fraction(found[1, 0])
    assert found[1, 0] < 1 + 1e-12
    # Each end by the magnitudes of its own row.
    zeros = np.zeros_like(values)
    assert Fraction(Outward().collect(index, np.stack([zeros, values]), 1)[1, 0]) >= exact
    assert Fraction(Outward().collect(index, np.stack([-values, zeros]), 1)[0, 0]) <= -exact


def test_rigorous_gains_and_gaps_are_rounded_up() -> None:
    wrong = 0
    for players in (2, 3, 4):
        for _ in range(100):
            value, extra = RANDOM.uniform(-1, 1, players), RANDOM.uniform(0, 9, players)
            values = np.stack([value, value + 1e-16], axis=1)
            responses = np.stack([value, value + extra], axis=1)
            proof = Certificate.from_bounds(values, responses, rigorous=True)
            assert proof.rigorous
            assert proof.best_responses == tuple(responses[:, 1])
            exact = [
                Fraction(r) - Fraction(v)
                for r, v in zip(responses[:, 1], values[:, 0], strict=True)
            ]
            for gain, true in zip(proof.gains, exact, strict=True):
                assert true <= Fraction(gain) <= true * (1 + Fraction(2 * ULP))
            assert Fraction(proof.gap) >= sum(Fraction(g) for g in proof.gains)
            assert proof.gap == pytest.approx(sum(proof.gains), rel=1e-15)
            wrong += Fraction(float(responses[0, 1] - values[0, 0])) < exact[0]
    assert wrong > 50  # plain subtraction would have been too small


def test_a_rigorous_gap_of_many_players_adds_up_rounding_once() -> None:
    # From left to right every addition of 2^-53 to 1 is lost, and one unit does not bring them back.
    proof = Certificate((0.0,) * 9, (0.0,) * 9, (1.0, *[2.0**-53] * 8), rigorous=True)
    assert Fraction(proof.gap) >= 1 + 8 * Fraction(1, 2**53)


def test_plain_certificates_say_what_was_computed() -> None:
    proof = Certificate.from_bounds(np.array([[0.25], [-0.25]]), np.array([[1.0], [0.5]]), False)
    assert proof == Certificate((0.25, -0.25), (1.0, 0.5), (0.75, 0.75), False)
    assert not Certificate((), (), ()).rigorous
    assert not Certificate((), (), ()).forgetful
    assert proof.value == 0.25
    assert proof.gap == 1.5
