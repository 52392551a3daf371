"""Kernels of regret minimisation on treeplexes.

A player's state is her regrets and what she plays from: ``play``, whose positive part, normalised in
each information set, is her behaviour (uniform where nothing is positive). Without optimism ``play``
is the regret vector itself, so nothing else has to move through memory.

There are two kernels of each kind. Those of *blocks* run along the buckets as vector operations, over
the whole game or one tile of it (a :class:`Stretch`). Those of *sets* are for trees, whose blocks are
single information sets.

Constants take the type of the arrays: a plain 0 or 2 would turn single precision into double.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.sequence.backends.compiled import parent_of
from equipoise.sequence.treeplex import SAME, Blocks

# Division by zero never happens here; without the check for it, kernels are smaller and faster.
KERNEL = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract", "reassoc", "nsz"},
}
# Parts of kernels are put in their places before anything is typed, and so compiled and optimised once.
INNER = {**KERNEL, "inline": "always"}

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@njit(**KERNEL)
def blend(average: Any, plan: Any, share: Any) -> None:
    """Give ``plan`` its ``share`` in the average."""
    for s in range(len(average)):
        average[s] += share * (plan[s] - average[s])


class Stretch(NamedTuple):
    """Blocks ``low .. high`` of a treeplex, and where the plans and gradients of their sequences are.

    Those of sequences below ``base`` are in ``trunk``, others at ``s - base`` in ``local``.
    """

    blocks: Blocks
    low: np.uint32
    high: np.uint32
    base: np.uint32
    trunk: NDArray[Any]
    local: NDArray[Any]


# ``row`` is scratch as wide as a block. Two and three actions, the common numbers, are done in one pass over
# memory; other numbers, and optimism, need two rows more in ``scratch``: where a caller knows that neither
# comes up it gives None, and they are not compiled. Divisors are chosen before they divide, never
# by a branch: so every loop runs on vectors. Plain unsigned indices compile in half the time of slices.


@njit(**KERNEL)
def reach_blocks(on: Any, play: Any, average: Any, share: Any, row: Any, scratch: Any) -> None:
    """Top-down: the plan of current behaviour, which is given its ``share`` in the average."""
    blocks = on.blocks
    for b in range(on.low, on.high):
        start, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
        _arrive(on, b, width, row)
        if actions == 2:
            _reach_two(start, on.base, width, row, play, on.local, average, share)
        elif actions == 3:
            _reach_three(start, on.base, width, row, play, on.local, average, share)
        elif scratch is not None:
            _reach(start, on.base, actions, width, row, play, on.local, average, share, scratch[0])


@njit(**KERNEL)
def regret_blocks(on: Any, regret: Any, play: Any, factors: Any, row: Any, scratch: Any) -> None:
    """Bottom-up: update regrets from the gradient, and add each set's value to its parent.

    ``factors`` are (of positive regrets, of negative ones, optimism, ...): see
    :mod:`equipoise.solvers.saddle.cfr`. Without optimism ``play`` is ``regret``.
    """
    blocks = on.blocks
    for i in range(on.high - on.low):
        b = on.high - _ONE - i
        start, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
        is_plain = factors[2] == 0
        if actions == 2 and is_plain:
            _regret_two(start, on.base, width, regret, on.local, row, factors)
        elif actions == 3 and is_plain:
            _regret_three(start, on.base, width, regret, on.local, row, factors)
        elif scratch is not None:
            _regret(
                start, on.base, actions, width, regret, play, on.local, row, factors, scratch[0],
                scratch[1],
            )  # fmt: skip
        hand_up(on, b, width, row)


@njit(**INNER)
def _arrive(on: Any, b: Any, width: Any, out: Any) -> None:
    """Write the plan of the parents of block ``b`` into ``out``."""
    link, links = on.blocks.link[b], on.blocks.links
    is_local = on.blocks.parent[b] >= on.base
    above = on.local if is_local else on.trunk
    up = on.blocks.parent[b] - (on.base if is_local else _ZERO)
    if link == SAME:
        for k in range(width):
            out[k] = above[up + k]
    else:
        for k in range(width):
            out[k] = above[up + links[link + k]]


@njit(**INNER)
def hand_up(on: Any, b: Any, width: Any, values: Any) -> None:
    """Add the values of the information sets of block ``b`` to the gradient of their parents."""
    link, links = on.blocks.link[b], on.blocks.links
    is_local = on.blocks.parent[b] >= on.base
    above = on.local if is_local else on.trunk
    up = on.blocks.parent[b] - (on.base if is_local else _ZERO)
    if link == SAME:
        for k in range(width):
            above[up + k] += values[k]
    else:
        for k in range(width):
            above[up + links[link + k]] += values[k]


@njit(**INNER)
def _reach_two(
    start: Any, base: Any, width: Any, arrives: Any, play: Any, plan: Any, average: Any, share: Any
) -> None:
    zero, one, count = play.dtype.type(0), play.dtype.type(1), play.dtype.type(2)
    for k in range(width):
        i, j = start + k, start + width + k
        p, q = max(play[i], zero), max(play[j], zero)
        is_positive = p + q > zero
        scale = arrives[k] / (p + q if is_positive else count)
        u, v = (p if is_positive else one) * scale, (q if is_positive else one) * scale
        plan[i - base], plan[j - base] = u, v
        average[i] += share * (u - average[i])
        average[j] += share * (v - average[j])


@njit(**INNER)
def _reach_three(
    start: Any, base: Any, width: Any, arrives: Any, play: Any, plan: Any, average: Any, share: Any
) -> None:
    zero, one, count = play.dtype.type(0), play.dtype.type(1), play.dtype.type(3)
    for k in range(width):
        i = start + k
        j = i + width
        h = j + width
        p, q, r = max(play[i], zero), max(play[j], zero), max(play[h], zero)
        total = p + q + r
        is_positive = total > zero
        scale = arrives[k] / (total if is_positive else count)
        u, v = (p if is_positive else one) * scale, (q if is_positive else one) * scale
        w = (r if is_positive else one) * scale
        plan[i - base], plan[j - base], plan[h - base] = u, v, w
        average[i] += share * (u - average[i])
        average[j] += share * (v - average[j])
        average[h] += share * (w - average[h])


@njit(**INNER)
def _regret_two(
    start: Any, base: Any, width: Any, regret: Any, gain: Any, values: Any, factors: Any
) -> None:
    zero, count = regret.dtype.type(0), regret.dtype.type(2)
    positive, negative = factors[0], factors[1]
    for k in range(width):
        i, j = start + k, start + width + k
        R, S, g, h = regret[i], regret[j], gain[i - base], gain[j - base]
        p, q = max(R, zero), max(S, zero)
        total, earned, uniform = p + q, p * g + q * h, g + h
        is_positive = total > zero
        value = (earned if is_positive else uniform) / (total if is_positive else count)
        first, second = R + g - value, S + h - value
        regret[i] = first * (positive if first > zero else negative)
        regret[j] = second * (positive if second > zero else negative)
        values[k] = value


@njit(**INNER)
def _regret_three(
    start: Any, base: Any, width: Any, regret: Any, gain: Any, values: Any, factors: Any
) -> None:
    zero, count = regret.dtype.type(0), regret.dtype.type(3)
    positive, negative = factors[0], factors[1]
    for k in range(width):
        i = start + k
        j = i + width
        n = j + width
        R, S, T = regret[i], regret[j], regret[n]
        g, h, f = gain[i - base], gain[j - base], gain[n - base]
        p, q, r = max(R, zero), max(S, zero), max(T, zero)
        total, earned, uniform = p + q + r, p * g + q * h + r * f, g + h + f
        is_positive = total > zero
        value = (earned if is_positive else uniform) / (total if is_positive else count)
        first, second, third = R + g - value, S + h - value, T + f - value
        regret[i] = first * (positive if first > zero else negative)
        regret[j] = second * (positive if second > zero else negative)
        regret[n] = third * (positive if third > zero else negative)
        values[k] = value


@njit(**INNER)
def _reach(
    start: Any, base: Any, actions: Any, width: Any, even: Any, play: Any, plan: Any, average: Any,
    share: Any, scale: Any,
) -> None:  # fmt: skip
    """Any number of actions: add up, choose divisors, divide. ``even`` is the arrivals at first."""
    zero, count = play.dtype.type(0), play.dtype.type(actions)
    for k in range(width):
        scale[k] = zero
    for a in range(actions):
        s = start + a * width
        for k in range(width):
            scale[k] += max(play[s + k], zero)
    for k in range(width):
        is_positive = scale[k] > zero
        each = even[k] / (scale[k] if is_positive else count)
        scale[k] = each if is_positive else zero
        even[k] = zero if is_positive else each
    for a in range(actions):
        s = start + a * width
        for k in range(width):
            u = scale[k] * max(play[s + k], zero) + even[k]
            plan[s - base + k] = u
            average[s + k] += share * (u - average[s + k])


@njit(**INNER)
def _regret(
    start: Any, base: Any, actions: Any, width: Any, regret: Any, play: Any, gain: Any, values: Any,
    factors: Any, totals: Any, sums: Any,
) -> None:  # fmt: skip
    """Any number of actions, with or without optimism.

    The scratch rows are the sums of the positive parts, and what uniform play would earn.
    """
    positive, negative, optimism = factors[0], factors[1], factors[2]
    zero, count = regret.dtype.type(0), regret.dtype.type(actions)
    for k in range(width):
        values[k] = totals[k] = sums[k] = zero
    for a in range(actions):
        s = start + a * width
        for k in range(width):
            p, g = max(play[s + k], zero), gain[s - base + k]
            totals[k] += p
            values[k] += p * g
            sums[k] += g
    for k in range(width):
        total, earned, uniform = totals[k], values[k], sums[k]
        is_positive = total > zero
        values[k] = (earned if is_positive else uniform) / (total if is_positive else count)
    for a in range(actions):
        s = start + a * width
        for k in range(width):
            new = regret[s + k] + gain[s - base + k] - values[k]
            regret[s + k] = new * (positive if new > zero else negative)
        # Without optimism play is the regret vector: one loop with both would run on no vectors.
        if optimism != zero:
            for k in range(width):
                play[s + k] = regret[s + k] + optimism * (gain[s - base + k] - values[k])


@njit(**KERNEL)
def reach_sets(blocks: Any, play: Any, plan: Any) -> None:
    """Top-down: the plan of current behaviour, on a tree."""
    zero, zeroth = play.dtype.type(0), np.uint32(0)
    for i in range(len(blocks.start)):
        b = np.uint32(i)
        start, actions = blocks.start[b], blocks.actions[b]
        total = zero
        for a in range(actions):
            total += max(play[np.uint32(start + a)], zero)
        arrives = plan[parent_of(blocks, b, zeroth)]
        scale = arrives / total if total > zero else arrives / play.dtype.type(actions)
        for a in range(actions):
            s = np.uint32(start + a)
            plan[s] = scale * max(play[s], zero) if total > zero else scale


@njit(**KERNEL)
def regret_sets(blocks: Any, regret: Any, play: Any, gradient: Any, row: Any) -> None:
    """Bottom-up, on a tree: see :func:`regret_blocks`."""
    positive, negative, optimism = row[0], row[1], row[2]
    zero, zeroth = regret.dtype.type(0), np.uint32(0)
    for i in range(len(blocks.start)):
        b = np.uint32(len(blocks.start) - 1 - i)
        start, actions = blocks.start[b], blocks.actions[b]
        total, value = zero, zero
        for a in range(actions):
            s = np.uint32(start + a)
            p = max(play[s], zero)
            total += p
            value += p * gradient[s]
        if total > zero:
            value /= total
        else:
            for a in range(actions):
                value += gradient[np.uint32(start + a)]
            value /= regret.dtype.type(actions)
        for a in range(actions):
            s = np.uint32(start + a)
            r = gradient[s] - value
            new = regret[s] + r
            new *= positive if new > zero else negative
            regret[s] = new
            play[s] = new + optimism * r
        gradient[parent_of(blocks, b, zeroth)] += value
