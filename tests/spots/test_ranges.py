"""Ranges in text and in numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.cards.deck import Deck
from equipoise.cards.starting import starting_hands
from equipoise.errors import EquipoiseError
from equipoise.games.poker.ranges import all_hands, parse_range, range_text, read_range


def count(text: str) -> float:
    return float(parse_range(text).sum())


@pytest.mark.parametrize(
    ("text", "hands"),
    [
        ("AA", 6),
        ("AKs", 4),
        ("AKo", 12),
        ("AK", 16),
        ("AhKd", 1),
        ("KdAh", 1),
        ("66+", 9 * 6),
        ("A8s+", 6 * 4),
        ("AJo+", 3 * 12),
        ("QQ-22", 11 * 6),
        ("22-QQ", 11 * 6),
        ("A5s-A4s", 2 * 4),
        ("JTs-54s", 7 * 4),
        ("96s+", 3 * 4),
        ("AA:0.5, KK:0.25", 4.5),
        ("AA,AA:0.5", 3.0),
        ("", 0),
    ],
)
def test_tokens_stand_for_so_many_hands(text: str, hands: float) -> None:
    assert count(text) == hands


def test_random_is_every_hand() -> None:
    assert parse_range("random").sum() == 1326
    assert parse_range("random:0.5,AA").sum() == 0.5 * 1320 + 6


def test_all_kinds_are_all_hands() -> None:
    ranks = "AKQJT98765432"
    kinds = [high + low for i, high in enumerate(ranks) for low in ranks[i:]]
    assert count(",".join(kinds)) == 1326


def test_numbers_are_in_the_order_of_the_hands() -> None:
    weights = parse_range("AKs:0.5,72o")
    (found,) = np.nonzero(weights)
    hands = {tuple(row) for row in all_hands()[found].tolist()}
    expected = {tuple(row) for kind in ("AKs", "72o") for row in starting_hands(kind).tolist()}
    assert hands == expected
    assert sorted(set(weights[found])) == [0.5, 1.0]


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 100]), st.booleans())
@settings(max_examples=30, deadline=None)
def test_text_and_numbers_round_trip(seed: int, levels: int, small: bool) -> None:
    deck = Deck("789TJQ", "cdh") if small else Deck()
    random = np.random.default_rng(seed)
    hands = len(all_hands(deck))
    weights = random.integers(0, levels + 1, size=hands) / levels
    if seed % 2:  # whole kinds of hands, which are written as runs
        weights = np.zeros(hands)
        for kind in random.permutation(["77+", "99-88", "Q8s+", "J9o-J7o", "T9s:0.3"])[:3]:
            weights = np.maximum(weights, parse_range(str(kind), deck))
    assert np.array_equal(parse_range(range_text(weights, deck), deck), weights)


@pytest.mark.parametrize(
    "token",
    ["AKx", "6", "66-A5s", "AKs:2", "AA-KQs", "AhAh", "A5s-K2s", "AAs+", "AK:", "A1s", "AKs:x"],
)
def test_what_is_no_range_is_named(token: str) -> None:
    with pytest.raises(EquipoiseError, match=f"found '{token}'".replace("+", r"\+")):
        parse_range(f"KK,{token},22")


def test_numbers_must_be_weights() -> None:
    with pytest.raises(EquipoiseError, match="1,326 numbers"):
        read_range([1.0, 2.0])
    with pytest.raises(EquipoiseError, match="from 0 to 1"):
        read_range(np.full(1326, 1.5))
