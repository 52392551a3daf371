"""Kernels of regret minimisation on treeplexes.

A player's state is her regrets and what she plays from: ``play``, whose positive part, normalised in
each information set, is her behaviour (uniform where it adds up to no more than a tie). Without optimism
``play`` is the regret vector itself, so nothing else has to move through memory.

An iteration is told its ``factors``, a row of :meth:`equipoise.solvers.saddle.cfr.CFR.schedule`: those of
positive and negative regrets, optimism, the share of the plan in the average, and what is a tie.

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

from equipoise.numerics.kernels import INNER, KERNEL, PART
from equipoise.sequence.backends.compiled import parent_of
from equipoise.sequence.treeplex import SAME, Blocks

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@njit(**KERNEL)
def blend(average: Any, plan: Any, share: Any) -> None:
    """Give ``plan`` its ``share`` in the average."""
    for s in range(len(average)):
        average[s] += share * (plan[s] - average[s])


class Stretch(NamedTuple):
    """Blocks ``low .. high`` of a treeplex, and where the plans and gradients of their sequences are.

    Those of sequences below ``base`` are in ``trunk``, others at ``s - base`` in ``local``. Regrets and averages
    of sequence s are at ``s - origin`` in theirs.
    """

    blocks: Blocks
    low: np.uint32
    high: np.uint32
    base: np.uint32
    trunk: NDArray[Any]
    local: NDArray[Any]
    origin: np.uint32 = np.uint32(0)


# ``row`` is scratch as wide as a block. Two and three actions, the common numbers, are done in one pass over
# memory; other numbers, and optimism, need two rows more in ``scratch``: where a caller knows that neither
# comes up it gives None, and they are not compiled. Divisors are chosen before they divide, never
# by a branch: so every loop runs on vectors. Plain unsigned indices compile in half the time of slices,
# kernels written in one piece in less than those put together from parts, and tuples taken apart once in less
# than those whose fields are named in loops.


@njit(**PART)
def reach_within(on: Any, play: Any, average: Any, factors: Any, row: Any, scratch: Any) -> None:
    """Top-down: the plan of current behaviour, which is given its share in the average."""
    (start, choices, buckets, parent, offset, links), low, high, base, trunk, plan, origin = on
    zero, one, share, tie = play.dtype.type(0), play.dtype.type(1), factors[3], factors[4]
    at = base - origin
    for b in range(low, high):
        i, actions, width = start[b] - origin, choices[b], buckets[b]
        is_local = parent[b] >= base
        above = plan if is_local else trunk
        up, link = parent[b] - (base if is_local else _ZERO), offset[b]
        if link == SAME:
            for k in range(width):
                row[k] = above[up + k]
        else:
            for k in range(width):
                row[k] = above[up + links[link + k]]
        j, count = i + width, play.dtype.type(actions)
        if actions == 2:
            for k in range(width):
                p, q = max(play[i + k], zero), max(play[j + k], zero)
                is_positive = p + q > tie
                scale = row[k] / (p + q if is_positive else count)
                u, v = (p if is_positive else one) * scale, (q if is_positive else one) * scale
                plan[i - at + k], plan[j - at + k] = u, v
                average[i + k] += share * (u - average[i + k])
                average[j + k] += share * (v - average[j + k])
        elif actions == 3:
            n = j + width
            for k in range(width):
                p, q, r = max(play[i + k], zero), max(play[j + k], zero), max(play[n + k], zero)
                total = p + q + r
                is_positive = total > tie
                scale = row[k] / (total if is_positive else count)
                u, v = (p if is_positive else one) * scale, (q if is_positive else one) * scale
                w = (r if is_positive else one) * scale
                plan[i - at + k], plan[j - at + k], plan[n - at + k] = u, v, w
                average[i + k] += share * (u - average[i + k])
                average[j + k] += share * (v - average[j + k])
                average[n + k] += share * (w - average[n + k])
        elif scratch is not None:
            _reach(i, at, actions, width, row, play, plan, average, factors, scratch[0])


@njit(**PART)
def regret_within(on: Any, regret: Any, play: Any, factors: Any, row: Any, scratch: Any) -> None:
    """Bottom-up: update regrets from the gradient, and add each set's value to its parent.

    Without optimism ``play`` is ``regret``.
    """
    (start, choices, buckets, parent, offset, links), low, high, base, trunk, gain, origin = on
    positive, negative, is_plain, tie = factors[0], factors[1], factors[2] == 0, factors[4]
    zero = regret.dtype.type(0)
    at = base - origin
    for step in range(high - low):
        b = high - _ONE - step
        i, actions, width = start[b] - origin, choices[b], buckets[b]
        j, count = i + width, regret.dtype.type(actions)
        if actions == 2 and is_plain:
            for k in range(width):
                R, S, g, h = regret[i + k], regret[j + k], gain[i - at + k], gain[j - at + k]
                p, q = max(R, zero), max(S, zero)
                total, earned, uniform = p + q, p * g + q * h, g + h
                is_positive = total > tie
                value = (earned if is_positive else uniform) / (total if is_positive else count)
                first, second = R + g - value, S + h - value
                regret[i + k] = first * (positive if first > zero else negative)
                regret[j + k] = second * (positive if second > zero else negative)
                row[k] = value
        elif actions == 3 and is_plain:
            n = j + width
            for k in range(width):
                R, S, T = regret[i + k], regret[j + k], regret[n + k]
                g, h, f = gain[i - at + k], gain[j - at + k], gain[n - at + k]
                p, q, r = max(R, zero), max(S, zero), max(T, zero)
                total, earned, uniform = p + q + r, p * g + q * h + r * f, g + h + f
                is_positive = total > tie
                value = (earned if is_positive else uniform) / (total if is_positive else count)
                first, second, third = R + g - value, S + h - value, T + f - value
                regret[i + k] = first * (positive if first > zero else negative)
                regret[j + k] = second * (positive if second > zero else negative)
                regret[n + k] = third * (positive if third > zero else negative)
                row[k] = value
        elif scratch is not None:
            _regret(i, at, actions, width, regret, play, gain, row, factors, scratch[0], scratch[1])
        hand_up(parent[b], base, offset[b], links, trunk, gain, width, row)


@njit(**KERNEL)
def reach_blocks(on: Any, play: Any, average: Any, factors: Any, row: Any, scratch: Any) -> None:
    """:func:`reach_within`, for callers in Python."""
    reach_within(on, play, average, factors, row, scratch)


@njit(**KERNEL)
def regret_blocks(on: Any, regret: Any, play: Any, factors: Any, row: Any, scratch: Any) -> None:
    """:func:`regret_within`, for callers in Python."""
    regret_within(on, regret, play, factors, row, scratch)


@njit(**KERNEL)
def hold_blocks(on: Any, play: Any, held: Any, barely: Any, row: Any) -> None:
    """Take from a player what is not hers to choose: where ``held`` is not negative, it is the behaviour.

    So a set is fixed, or some of its actions are ruled out by zeros. For these not to be played where no other
    has a regret, the best of the others has at least ``barely`` one, more than a tie: bounds on regrets do
    not mind (clipping from below overestimates, Tammelin 2014).
    """
    blocks, zero = on.blocks, play.dtype.type(0)
    least = play.dtype.type(-np.inf)
    for b in range(on.low, on.high):
        i, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
        for k in range(width):
            row[k] = least
        for a in range(actions):
            s = i + a * width
            for k in range(width):
                row[k] = max(row[k], play[s + k] if held[s + k] < zero else least)
        for a in range(actions):
            s = i + a * width
            for k in range(width):
                p, h, top = play[s + k], held[s + k], row[k]
                play[s + k] = (max(p, barely) if p == top else p) if h < zero else h


@njit(**INNER)
def hand_up(
    parent: Any, base: Any, link: Any, links: Any, trunk: Any, local: Any, width: Any, values: Any
) -> None:
    """Add the values of a block's information sets to the gradient of their parents."""
    above = local if parent >= base else trunk
    up = parent - (base if parent >= base else _ZERO)
    if link == SAME:
        for k in range(width):
            above[up + k] += values[k]
    else:
        for k in range(width):
            above[up + links[link + k]] += values[k]


@njit(**PART)
def _reach(
    start: Any, at: Any, actions: Any, width: Any, even: Any, play: Any, plan: Any, average: Any,
    factors: Any, scale: Any,
) -> None:  # fmt: skip
    """Any number of actions: add up, choose divisors, divide. ``even`` is the arrivals at first.

    The plan of sequence s of ``play`` is at ``s - at``.
    """
    zero, count, share, tie = play.dtype.type(0), play.dtype.type(actions), factors[3], factors[4]
    for k in range(width):
        scale[k] = zero
    for a in range(actions):
        s = start + a * width
        for k in range(width):
            scale[k] += max(play[s + k], zero)
    for k in range(width):
        is_positive = scale[k] > tie
        each = even[k] / (scale[k] if is_positive else count)
        scale[k] = each if is_positive else zero
        even[k] = zero if is_positive else each
    for a in range(actions):
        s = start + a * width
        for k in range(width):
            u = scale[k] * max(play[s + k], zero) + even[k]
            plan[s - at + k] = u
            average[s + k] += share * (u - average[s + k])


@njit(**PART)
def _regret(
    start: Any, at: Any, actions: Any, width: Any, regret: Any, play: Any, gain: Any, values: Any,
    factors: Any, totals: Any, sums: Any,
) -> None:  # fmt: skip
    """Any number of actions, with or without optimism.

    The scratch rows are the sums of the positive parts, and what uniform play would earn; gains of sequence s of
    ``regret`` are at ``s - at``.
    """
    positive, negative, optimism, tie = factors[0], factors[1], factors[2], factors[4]
    zero, count = regret.dtype.type(0), regret.dtype.type(actions)
    for k in range(width):
        values[k] = totals[k] = sums[k] = zero
    for a in range(actions):
        s = start + a * width
        for k in range(width):
            p, g = max(play[s + k], zero), gain[s - at + k]
            totals[k] += p
            values[k] += p * g
            sums[k] += g
    for k in range(width):
        total, earned, uniform = totals[k], values[k], sums[k]
        is_positive = total > tie
        values[k] = (earned if is_positive else uniform) / (total if is_positive else count)
    for a in range(actions):
        s = start + a * width
        for k in range(width):
            new = regret[s + k] + gain[s - at + k] - values[k]
            regret[s + k] = new * (positive if new > zero else negative)
        # Without optimism play is the regret vector: one loop with both would run on no vectors.
        if optimism != zero:
            for k in range(width):
                play[s + k] = regret[s + k] + optimism * (gain[s - at + k] - values[k])


@njit(**KERNEL)
def reach_sets(blocks: Any, play: Any, plan: Any, tie: Any) -> None:
    """Top-down: the plan of current behaviour, on a tree."""
    zero, zeroth = play.dtype.type(0), np.uint32(0)
    for i in range(len(blocks.start)):
        b = np.uint32(i)
        start, actions = blocks.start[b], blocks.actions[b]
        total = zero
        for a in range(actions):
            total += max(play[np.uint32(start + a)], zero)
        arrives = plan[parent_of(blocks, b, zeroth)]
        scale = arrives / total if total > tie else arrives / play.dtype.type(actions)
        for a in range(actions):
            s = np.uint32(start + a)
            plan[s] = scale * max(play[s], zero) if total > tie else scale


@njit(**KERNEL)
def regret_sets(blocks: Any, regret: Any, play: Any, gradient: Any, factors: Any) -> None:
    """Bottom-up, on a tree: see :func:`regret_blocks`."""
    positive, negative, optimism, tie = factors[0], factors[1], factors[2], factors[4]
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
        if total > tie:
            value /= total
        else:
            value = zero
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
