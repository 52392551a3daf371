"""Reverse mappings: their laws, and the examples of Gilpin (2009), section 7.4.2."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from equipoise.abstraction.mapping import MAPPINGS, mapping_called, read_bet
from equipoise.errors import EquipoiseError

AMOUNTS = st.integers(1, 10_000)


@st.composite
def bets(draw: st.DrawFn) -> tuple[float, float, float, float, float, float]:
    """Return c <= c' between d1 < d2, what is owed before, and the pot."""
    owed, pot = draw(st.integers(0, 100)), draw(st.integers(1, 1000))
    d1, c, more, d2 = sorted(owed + draw(AMOUNTS) for _ in range(4))
    assume(d1 < d2)
    return c, more, d1, d2, owed, pot


@pytest.mark.parametrize("name", MAPPINGS)
@given(bets())
def test_laws(name: str, numbers: tuple[float, ...]) -> None:
    c, more, d1, d2, owed, pot = numbers
    mapping = MAPPINGS[name]
    here = {"pot": pot, "owed": owed}
    p = mapping.lower(c, d1, d2, **here)
    assert 0 <= p <= 1
    assert mapping.lower(d1, d1, d2, **here) == 1  # its own bets are read as themselves
    assert mapping.lower(d2, d1, d2, **here) == 0
    assert mapping.lower(more, d1, d2, **here) <= p + 1e-12  # monotone
    # Powers of two scale floats exactly: no threshold moves by rounding.
    scaled = mapping.lower(4 * c, 4 * d1, 4 * d2, pot=4 * pot, owed=4 * owed)
    assert scaled == pytest.approx(p)  # the unit of chips does not matter


@given(bets())
def test_pseudo_harmonic_is_even_at_its_median(numbers: tuple[float, ...]) -> None:
    # Ganzfried and Sandholm (2013): probability 1/2 at x* = (A + B + 2AB) / (A + B + 2).
    _, _, d1, d2, owed, pot = numbers
    A, B = (d1 - owed) / (pot + owed), (d2 - owed) / (pot + owed)
    x = (A + B + 2 * A * B) / (A + B + 2)
    c = owed + x * (pot + owed)
    assert MAPPINGS["pseudo-harmonic"].lower(c, d1, d2, pot=pot, owed=owed) == pytest.approx(0.5)


# The small blind's first action with 1000 chips and blinds of 1 and 2: fold, call, half pot, pot, all-in.
POT, ALL_IN = 3, 4
ADDED = (0, 1, 3, 5, 999)


def reads(name: str, c: float) -> dict[int, float]:
    return read_bet(MAPPINGS[name], c, ADDED, pot=3, owed=1)


@pytest.mark.parametrize("chips", [500, 144])
def test_examples_of_the_text(chips: int) -> None:
    assert reads("absolute", chips) == {POT: 1.0}
    assert reads("relative", chips) == {ALL_IN: 1.0}


def test_randomised_at_500() -> None:
    assert reads("randomised", 500)[POT] == pytest.approx(0.502, abs=5e-4)


def test_relative_threshold_is_the_geometric_mean() -> None:
    threshold = math.sqrt(5 * 999)
    assert threshold == pytest.approx(70.68, abs=5e-3)
    assert reads("relative", 70.67) == {POT: 1.0}
    assert reads("relative", 70.69) == {ALL_IN: 1.0}
    # Between half pot and pot, as parts of it: 0.7071, where absolute distance has 0.75.
    for name, part in (("relative", math.sqrt(0.5)), ("absolute", 0.75)):
        assert MAPPINGS[name].lower(part - 1e-6, 0.5, 1) == 1
        assert MAPPINGS[name].lower(part + 1e-6, 0.5, 1) == 0


def test_beyond_the_ends() -> None:
    for name in MAPPINGS:
        assert read_bet(MAPPINGS[name], 2000, ADDED, pot=3, owed=1) == {ALL_IN: 1.0}
        assert read_bet(MAPPINGS[name], 1, (3, 5), pot=3, owed=1) == {0: 1.0}
        assert read_bet(MAPPINGS[name], 5, ADDED, pot=3, owed=1) == {POT: 1.0}


def test_bad_input() -> None:
    with pytest.raises(EquipoiseError, match="mapping: found 'nearest', expected one of absolute"):
        mapping_called("nearest")
    with pytest.raises(EquipoiseError, match="expected amounts in increasing order"):
        read_bet(MAPPINGS["relative"], 1, (3, 3))
