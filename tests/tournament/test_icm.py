"""The Independent Chip Model against the formula written out over all finishing orders."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.games.tournaments.icm import icm


def by_orders(stacks: list[float], prizes: list[float]) -> np.ndarray:
    """Sum over every order of finish: each place is taken in proportion to the stacks left."""
    values = np.zeros(len(stacks))
    for order in permutations(range(len(stacks))):
        chance, left = 1.0, float(sum(stacks))
        for player in order:
            chance *= stacks[player] / left
            left -= stacks[player]
        for player, prize in zip(order, prizes, strict=False):
            values[player] += chance * prize
    return values


def test_published_example() -> None:
    # Issue and any ICM calculator: stacks 50/30/20, prizes 70/30.
    assert icm([50, 30, 20], [70, 30]) == pytest.approx([45.179, 32.250, 22.571], abs=5e-4)


@given(
    st.lists(st.integers(1, 1000), min_size=2, max_size=5),
    st.lists(st.integers(0, 100), min_size=1, max_size=5),
)
def test_it_is_the_sum_over_orders(stacks: list[int], amounts: list[int]) -> None:
    prizes = sorted((float(a) for a in amounts[: len(stacks)]), reverse=True)
    prizes[0] += 1
    values = icm(stacks, prizes)
    assert values == pytest.approx(by_orders([float(s) for s in stacks], prizes))
    assert values.sum() == pytest.approx(sum(prizes))


def test_equal_stacks_and_a_winner_takes_all() -> None:
    assert icm([7] * 10, [5, 3, 2]) == pytest.approx([1.0] * 10)
    assert icm([1, 2, 5], [80]) == pytest.approx([10, 20, 50])


@pytest.mark.parametrize(
    ("stacks", "prizes", "message"),
    [
        ([50], [70], "found 1 players"),
        ([50, 0], [70], "expected positive"),
        ([50, 30], [30, 70], "none below the next"),
        ([50, 30], [], "expected positive numbers"),
        ([50, 30], [70, 20, 10], "found 3 of them for 2 players"),
        ([1] * 21, [1], "from 2 to 20"),
    ],
)
def test_bad_input(stacks: list[float], prizes: list[float], message: str) -> None:
    with pytest.raises(EquipoiseError, match=message):
        icm(stacks, prizes)
