"""The kernels of regret minimisation on given vectors, against the definition, set by set.

Blocks have one, two, three and four actions, whose kernels differ; some information sets have no
positive regret, or too little to count; and a stretch of the last blocks works on vectors of its own, as a tile does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from equipoise.sequence.treeplex import Treeplex
from equipoise.solvers.saddle.regret import (
    Stretch,
    blend,
    hold_blocks,
    reach_blocks,
    reach_sets,
    regret_blocks,
    regret_sets,
)

LINK = np.array([2, 0, 2, 1, 0])
ROWS = [
    (2, 3, 0, np.zeros(3, dtype=int)),
    (3, 3, 4, None),
    (4, 5, 1, LINK),
    (1, 3, 7, None),
    (2, 5, 16, None),
    (3, 5, 13, LINK),
    (4, 5, 31, None),
]
WIDE = Treeplex.from_rows(ROWS)
# The same numbers of actions, one bucket each.
SINGLE = Treeplex.from_rows([(2, 1, 0, None), (3, 1, 2, None), (4, 1, 5, None), (1, 1, 9, None), (2, 1, 1, None)])  # fmt: skip
# Blocks from here on form the stretch; sequences before it are the trunk.
SPLIT = 4
# Positive parts that add up to no more than this count as none: some do, by play that is drawn from a normal.
TIE = 0.5
SHARE = 0.3


class Case(NamedTuple):
    regret: np.ndarray
    play: np.ndarray
    gradient: np.ndarray
    average: np.ndarray


def sets(space: Treeplex) -> list[tuple[int, list[int]]]:
    """Parent and sequences of each information set."""
    own = []
    for start, actions, width in zip(*(a.tolist() for a in space.blocks[:3]), strict=True):
        own += [[start + a * width + k for a in range(actions)] for k in range(width)]
    return list(zip(space.parents().tolist(), own, strict=True))


def case(space: Treeplex, optimism: float, seed: int = 3) -> Case:
    random = np.random.default_rng(seed)
    regret, gradient = random.normal(size=space.size), random.normal(size=space.size)
    play = random.normal(size=space.size) if optimism else regret
    for place, (_, own) in enumerate(sets(space)):
        if place % 4 == 1:
            play[own] = -np.abs(play[own])
    return Case(regret, play, gradient, random.random(space.size))


def slow_plan(space: Treeplex, play: np.ndarray) -> np.ndarray:
    plan = np.ones(space.size)
    for above, own in sets(space):
        positive = np.maximum(play[own], 0.0)
        total = positive.sum()
        plan[own] = plan[above] * (positive / total if total > TIE else 1 / len(own))
    return plan


def slow_regrets(space: Treeplex, given: Case, row: np.ndarray) -> Case:
    """Regrets and play after an update; the gradient has values added from below."""
    regret, play, gradient = given.regret.copy(), given.play.copy(), given.gradient.copy()
    for above, own in reversed(sets(space)):
        positive = np.maximum(given.play[own], 0.0)
        total = positive.sum()
        behaviour = positive / total if total > TIE else np.full(len(own), 1 / len(own))
        value = behaviour @ gradient[own]
        new = regret[own] + gradient[own] - value
        regret[own] = new * np.where(new > 0, row[0], row[1])
        play[own] = regret[own] + row[2] * (gradient[own] - value)
        gradient[above] += value
    return Case(regret, play, gradient, given.average)


def whole(space: Treeplex, vector: np.ndarray) -> Stretch:
    zero, end = np.uint32(0), np.uint32(len(space.blocks.start))
    return Stretch(space.blocks, zero, end, zero, vector, vector)


def in_two(space: Treeplex, vector: np.ndarray) -> tuple[Stretch, Stretch]:
    """The trunk, and the stretch of the last blocks on a vector of its own."""
    base, zero = space.blocks.start[SPLIT], np.uint32(0)
    trunk, local = vector[:base].copy(), vector[base:].copy()
    split, end = np.uint32(SPLIT), np.uint32(len(space.blocks.start))
    return (
        Stretch(space.blocks, zero, split, zero, trunk, trunk),
        Stretch(space.blocks, split, end, base, trunk, local),
    )


@pytest.mark.parametrize("optimism", [0.0, 1.0])
@pytest.mark.parametrize("is_split", [False, True])
def test_plans_of_blocks(optimism: float, is_split: bool) -> None:
    given, scratch = case(WIDE, optimism), np.full((3, WIDE.widest), np.nan)
    expected = slow_plan(WIDE, given.play)
    average, row = given.average.copy(), np.array([1.0, 1.0, optimism, SHARE, TIE])
    start = np.full(WIDE.size, np.nan)
    start[0] = 1.0
    parts = in_two(WIDE, start) if is_split else (whole(WIDE, start),)
    for part in parts:
        reach_blocks(part, given.play, average, row, scratch[0], scratch[1:])
    found = np.concatenate([parts[0].trunk, parts[1].local]) if is_split else start
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    mean = given.average + SHARE * (expected - given.average)
    np.testing.assert_allclose(average[1:], mean[1:], rtol=1e-13)
    assert average[0] == given.average[0]


@pytest.mark.parametrize(
    "row", [(1.0, 1.0, 0.0), (0.7, 0.2, 0.0), (0.9, 0.0, 1.0), (0.6, 0.3, 0.5)]
)
@pytest.mark.parametrize("is_split", [False, True])
def test_regrets_of_blocks(row: tuple[float, ...], is_split: bool) -> None:
    numbers = np.array([*row, SHARE, TIE])
    given, scratch = case(WIDE, row[2]), np.full((3, WIDE.widest), np.nan)
    expected = slow_regrets(WIDE, given, numbers)
    gradient = given.gradient.copy()
    regret = given.regret.copy()
    play = given.play.copy() if row[2] else regret
    parts = in_two(WIDE, gradient) if is_split else (whole(WIDE, gradient),)
    for part in reversed(parts):
        regret_blocks(part, regret, play, numbers, scratch[0], scratch[1:])
    found = np.concatenate([parts[0].trunk, parts[1].local]) if is_split else gradient
    np.testing.assert_allclose(regret[1:], expected.regret[1:], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(play[1:], expected.play[1:], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found, expected.gradient, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("row", [(1.0, 1.0, 0.0), (0.7, 0.2, 0.0), (0.6, 0.3, 0.5)])
def test_trees(row: tuple[float, ...]) -> None:
    numbers = np.array([*row, SHARE, TIE])
    for seed in range(5):
        given = case(SINGLE, row[2], seed)
        plan = np.full(SINGLE.size, np.nan)
        plan[0] = 1.0
        reach_sets(SINGLE.blocks, given.play, plan, TIE)
        np.testing.assert_allclose(plan, slow_plan(SINGLE, given.play), rtol=1e-13)
        expected = slow_regrets(SINGLE, given, numbers)
        gradient, regret = given.gradient.copy(), given.regret.copy()
        play = given.play.copy() if row[2] else regret
        regret_sets(SINGLE.blocks, regret, play, gradient, numbers)
        np.testing.assert_allclose(regret, expected.regret, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(play[1:], expected.play[1:], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(gradient, expected.gradient, rtol=1e-12, atol=1e-13)


def test_some_information_sets_are_ties() -> None:
    """Of positive parts that add up to something, else the tests above would not see the rule."""
    for space, seeds in ((WIDE, [3]), (SINGLE, range(5))):
        sums = [
            np.maximum(case(space, 0.0, seed).play[own], 0.0).sum()
            for seed in seeds
            for _, own in sets(space)
        ]
        assert any(0 < total <= TIE for total in sums)
        assert any(total > TIE for total in sums)


def test_blending() -> None:
    average, plan = np.array([1.0, 0.5, 0.0]), np.array([1.0, 0.0, 1.0])
    blend(average, plan, 0.25)
    np.testing.assert_allclose(average, [1.0, 0.375, 0.25])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_no_kernel_leaves_the_precision_of_its_arrays(dtype: str) -> None:
    given, scratch = case(WIDE, 0.0), np.zeros((3, WIDE.widest), dtype)
    plan, average = np.ones(WIDE.size, dtype), np.zeros(WIDE.size, dtype)
    play, row = given.play.astype(dtype), np.array([1.0, 1.0, 0.0, 1.0, TIE], dtype)
    reach_blocks(whole(WIDE, plan), play, average, row, scratch[0], scratch[1:])
    np.testing.assert_allclose(plan, slow_plan(WIDE, play), rtol=1e-5)
    np.testing.assert_allclose(average[1:], plan[1:], rtol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_held_is_played_and_what_is_ruled_out_never(seed):
    random = np.random.default_rng(seed)
    play = random.normal(size=WIDE.size)
    held = np.full(WIDE.size, -1.0)
    for _, own in sets(WIDE):
        kind = random.integers(4)
        if kind == 0:
            held[own] = random.dirichlet(np.ones(len(own)))
        elif kind == 1:
            held[own] = np.where(random.random(len(own)) < 0.5, 0.0, -1.0)
            held[random.choice(own)] = -1.0
        elif kind == 2:
            play[own] = -random.random(len(own))
    expected, barely = np.where(held < 0, play, held), 0.25
    for _, own in sets(WIDE):
        free = [s for s in own if held[s] < 0]
        if free:
            best = max(free, key=lambda s: play[s])
            expected[best] = max(play[best], barely)
    whole = Stretch(
        WIDE.blocks, np.uint32(0), np.uint32(len(WIDE.blocks.start)), np.uint32(0), play, play
    )
    hold_blocks(whole, play, held, barely, np.empty(WIDE.widest))
    np.testing.assert_array_equal(play[1:], expected[1:])
