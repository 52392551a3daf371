"""Kernels of regret minimisation on treeplexes.

A player's state is her regrets and what she plays from: ``play``, whose positive part, normalised in
each information set, is her behaviour (uniform where nothing is positive). Without optimism ``play``
is the regret vector itself, so nothing else has to move through memory.

There are two kernels of each kind. Those of *blocks* run along the buckets as vector operations, and
work on blocks ``low .. high``: plans and gradients of sequences below ``base`` are in the ``trunk``
vectors, others at ``s - base`` in the ``local`` ones (the whole game has base 0, a tile of a large
game its own). Those of *sets* are for trees, whose blocks are single information sets.

Constants take the type of the arrays: a plain 0 or 2 would turn single precision into double.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from equipoise.sequence.backends.compiled import parent_of
from equipoise.sequence.treeplex import SAME

# Division by zero never happens here; without the check for it, kernels are smaller and faster.
KERNEL = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract", "reassoc", "nsz"},
}


@njit(**KERNEL)
def blend(average: Any, plan: Any, share: Any) -> None:
    """Give ``plan`` its ``share`` in the average."""
    for s in range(len(average)):
        average[s] += share * (plan[s] - average[s])


@njit(**KERNEL)
def reach_blocks(
    blocks: Any, low: Any, high: Any, base: Any, play: Any, trunk: Any, local: Any, scratch: Any
) -> None:
    """Top-down: the plan of current behaviour.

    Divisors are chosen before they divide, never by a branch: so every loop runs on vectors.
    """
    zero = play.dtype.type(0)
    for i in range(high - low):
        b = np.uint32(low + i)
        start, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
        up = blocks.parent[b]
        scale, even, totals = scratch[0, :width], scratch[1, :width], scratch[2, :width]
        if blocks.link[b] == SAME:
            above = trunk[up : up + width] if up < base else local[up - base : up - base + width]
            for k in range(width):
                scale[k] = above[k]
        else:
            link = blocks.links[blocks.link[b] : blocks.link[b] + width]
            above = trunk if up < base else local[up - base :]
            shift = up if up < base else np.uint32(0)
            for k in range(width):
                scale[k] = above[np.uint32(shift + link[k])]
        for k in range(width):
            totals[k] = zero
        for a in range(actions):
            p = play[start + a * width : start + (a + 1) * width]
            for k in range(width):
                totals[k] += max(p[k], zero)
        count = play.dtype.type(actions)
        for k in range(width):
            total = totals[k]
            is_positive = total > zero
            each = scale[k] / (total if is_positive else count)
            scale[k] = each if is_positive else zero
            even[k] = zero if is_positive else each
        for a in range(actions):
            s = np.uint32(start + a * width)
            p, x = play[s : s + width], local[s - base : s - base + width]
            for k in range(width):
                x[k] = scale[k] * max(p[k], zero) + even[k]


@njit(**KERNEL)
def regret_blocks(
    blocks: Any, low: Any, high: Any, base: Any, regret: Any, play: Any,
    trunk: Any, local: Any, scratch: Any, row: Any,
) -> None:  # fmt: skip
    """Bottom-up: update regrets from the gradient, and add each set's value to its parent.

    ``row`` is (factor of positive regrets, factor of negative ones, optimism, ...): see
    :mod:`equipoise.solvers.saddle.cfr`.
    """
    positive, negative, optimism = row[0], row[1], row[2]
    zero = regret.dtype.type(0)
    for i in range(high - low):
        b = np.uint32(high - 1 - i)
        start, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
        values, totals, sums = scratch[0, :width], scratch[1, :width], scratch[2, :width]
        _values(start, actions, width, base, play, local, values, totals, sums)
        for a in range(actions):
            s = np.uint32(start + a * width)
            g, R = local[s - base : s - base + width], regret[s : s + width]
            if optimism != zero:
                P = play[s : s + width]
                for k in range(width):
                    new = R[k] + g[k] - values[k]
                    new *= positive if new > zero else negative
                    P[k] = new + optimism * (g[k] - values[k])
            # Apart from the loop above: where play is the regret vector, one store must do.
            for k in range(width):
                new = R[k] + g[k] - values[k]
                R[k] = new * (positive if new > zero else negative)
        up = blocks.parent[b]
        if blocks.link[b] == SAME:
            above = trunk[up : up + width] if up < base else local[up - base : up - base + width]
            for k in range(width):
                above[k] += values[k]
        else:
            link = blocks.links[blocks.link[b] : blocks.link[b] + width]
            above = trunk if up < base else local[up - base :]
            shift = up if up < base else np.uint32(0)
            for k in range(width):
                above[np.uint32(shift + link[k])] += values[k]


@njit(**KERNEL)
def _values(
    start: Any, actions: Any, width: Any, base: Any, play: Any, local: Any,
    values: Any, totals: Any, sums: Any,
) -> None:  # fmt: skip
    """The value of each bucket's information set under current behaviour.

    ``sums`` is what uniform play would earn, for buckets where no regret is positive.
    """
    zero = play.dtype.type(0)
    for k in range(width):
        values[k] = totals[k] = sums[k] = zero
    for a in range(actions):
        s = np.uint32(start + a * width)
        p, g = play[s : s + width], local[s - base : s - base + width]
        for k in range(width):
            q = max(p[k], zero)
            totals[k] += q
            values[k] += q * g[k]
            sums[k] += g[k]
    count = play.dtype.type(actions)
    for k in range(width):
        total, earned, uniform = totals[k], values[k], sums[k]
        is_positive = total > zero
        values[k] = (earned if is_positive else uniform) / (total if is_positive else count)


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
