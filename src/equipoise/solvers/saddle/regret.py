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
# Called by kernels alone: without the ways in from Python they compile in less time.
INNER = {**KERNEL, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


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


@njit(**KERNEL)
def reach_blocks(on: Any, play: Any, average: Any, share: Any, scratch: Any) -> None:
    """Top-down: the plan of current behaviour, which is given its ``share`` in the average."""
    blocks = on.blocks
    for i in range(on.high - on.low):
        b = np.uint32(on.low + i)
        start, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
        arrives = _arrives(on, b, width, scratch[0])
        end, at = np.uint32(start + actions * width), np.uint32(start - on.base)
        own, plan, mean = play[start:end], on.local[at : at + actions * width], average[start:end]
        if actions == 2:
            _reach_two(width, arrives, own, plan, mean, share)
        elif actions == 3:
            _reach_three(width, arrives, own, plan, mean, share)
        else:
            _reach(actions, width, arrives, own, plan, mean, share, scratch[1:])


@njit(**KERNEL)
def regret_blocks(on: Any, regret: Any, play: Any, row: Any, scratch: Any) -> None:
    """Bottom-up: update regrets from the gradient, and add each set's value to its parent.

    ``row`` is (factor of positive regrets, factor of negative ones, optimism, ...): see
    :mod:`equipoise.solvers.saddle.cfr`. Without optimism ``play`` is ``regret``.
    """
    blocks = on.blocks
    for i in range(on.high - on.low):
        b = np.uint32(on.high - 1 - i)
        start, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
        end, at = np.uint32(start + actions * width), np.uint32(start - on.base)
        own, gain = regret[start:end], on.local[at : at + actions * width]
        values = scratch[0, :width]
        if row[2] != 0 or actions > 3 or actions < 2:
            _regret(actions, width, own, play[start:end], gain, values, row, scratch[1:])
        elif actions == 2:
            _regret_two(width, own, gain, values, row)
        else:
            _regret_three(width, own, gain, values, row)
        _hand_up(on, b, width, values)


@njit(**INNER)
def _arrives(on: Any, b: Any, width: Any, scratch: Any) -> Any:
    """Return the plan of the parents of block ``b``, in ``scratch`` if it has to be gathered."""
    up, link = on.blocks.parent[b], on.blocks.link[b]
    above = on.trunk[up:] if up < on.base else on.local[up - on.base :]
    if link == SAME:
        return above[:width]
    links = on.blocks.links[link : link + width]
    for k in range(width):
        scratch[k] = above[links[k]]
    return scratch[:width]


@njit(**INNER)
def _hand_up(on: Any, b: Any, width: Any, values: Any) -> None:
    """Add the values of the information sets of block ``b`` to the gradient of their parents."""
    up, link = on.blocks.parent[b], on.blocks.link[b]
    above = on.trunk[up:] if up < on.base else on.local[up - on.base :]
    if link == SAME:
        for k in range(width):
            above[k] += values[k]
    else:
        links = on.blocks.links[link : link + width]
        for k in range(width):
            above[links[k]] += values[k]


# Two and three actions, the common numbers, are done in one pass over memory. Divisors are chosen
# before they divide, never by a branch: so every loop runs on vectors.


@njit(**INNER)
def _reach_two(width: Any, arrives: Any, play: Any, plan: Any, average: Any, share: Any) -> None:
    zero, one, count = play.dtype.type(0), play.dtype.type(1), play.dtype.type(2)
    p, q = play[:width], play[width:]
    x, y = plan[:width], plan[width:]
    a, b = average[:width], average[width:]
    for k in range(width):
        first, second = max(p[k], zero), max(q[k], zero)
        total = first + second
        is_positive = total > zero
        scale = arrives[k] / (total if is_positive else count)
        u, v = (first if is_positive else one) * scale, (second if is_positive else one) * scale
        x[k], y[k] = u, v
        a[k] += share * (u - a[k])
        b[k] += share * (v - b[k])


@njit(**INNER)
def _reach_three(width: Any, arrives: Any, play: Any, plan: Any, average: Any, share: Any) -> None:
    zero, one, count = play.dtype.type(0), play.dtype.type(1), play.dtype.type(3)
    p, q, r = play[:width], play[width : 2 * width], play[2 * width :]
    x, y, z = plan[:width], plan[width : 2 * width], plan[2 * width :]
    a, b, c = average[:width], average[width : 2 * width], average[2 * width :]
    for k in range(width):
        first, second, third = max(p[k], zero), max(q[k], zero), max(r[k], zero)
        total = first + second + third
        is_positive = total > zero
        scale = arrives[k] / (total if is_positive else count)
        u, v = (first if is_positive else one) * scale, (second if is_positive else one) * scale
        w = (third if is_positive else one) * scale
        x[k], y[k], z[k] = u, v, w
        a[k] += share * (u - a[k])
        b[k] += share * (v - b[k])
        c[k] += share * (w - c[k])


@njit(**INNER)
def _reach(
    actions: Any, width: Any, arrives: Any, play: Any, plan: Any, average: Any, share: Any,
    scratch: Any,
) -> None:  # fmt: skip
    """Any number of actions: add up, choose divisors, divide."""
    zero, count = play.dtype.type(0), play.dtype.type(actions)
    scale, even = scratch[0, :width], scratch[1, :width]
    scale[:] = zero
    for a in range(actions):
        p = play[a * width : (a + 1) * width]
        for k in range(width):
            scale[k] += max(p[k], zero)
    for k in range(width):
        is_positive = scale[k] > zero
        each = arrives[k] / (scale[k] if is_positive else count)
        scale[k] = each if is_positive else zero
        even[k] = zero if is_positive else each
    for a in range(actions):
        low, high = a * width, (a + 1) * width
        p, x, mean = play[low:high], plan[low:high], average[low:high]
        for k in range(width):
            u = scale[k] * max(p[k], zero) + even[k]
            x[k] = u
            mean[k] += share * (u - mean[k])


@njit(**INNER)
def _regret_two(width: Any, regret: Any, gain: Any, values: Any, row: Any) -> None:
    positive, negative = row[0], row[1]
    zero, count = regret.dtype.type(0), regret.dtype.type(2)
    R, S = regret[:width], regret[width:]
    g, h = gain[:width], gain[width:]
    for k in range(width):
        p, q = max(R[k], zero), max(S[k], zero)
        total, earned, uniform = p + q, p * g[k] + q * h[k], g[k] + h[k]
        is_positive = total > zero
        value = (earned if is_positive else uniform) / (total if is_positive else count)
        first, second = R[k] + g[k] - value, S[k] + h[k] - value
        R[k] = first * (positive if first > zero else negative)
        S[k] = second * (positive if second > zero else negative)
        values[k] = value


@njit(**INNER)
def _regret_three(width: Any, regret: Any, gain: Any, values: Any, row: Any) -> None:
    positive, negative = row[0], row[1]
    zero, count = regret.dtype.type(0), regret.dtype.type(3)
    R, S, T = regret[:width], regret[width : 2 * width], regret[2 * width :]
    g, h, i = gain[:width], gain[width : 2 * width], gain[2 * width :]
    for k in range(width):
        p, q, r = max(R[k], zero), max(S[k], zero), max(T[k], zero)
        total, earned = p + q + r, p * g[k] + q * h[k] + r * i[k]
        is_positive = total > zero
        uniform = g[k] + h[k] + i[k]
        value = (earned if is_positive else uniform) / (total if is_positive else count)
        first, second, third = R[k] + g[k] - value, S[k] + h[k] - value, T[k] + i[k] - value
        R[k] = first * (positive if first > zero else negative)
        S[k] = second * (positive if second > zero else negative)
        T[k] = third * (positive if third > zero else negative)
        values[k] = value


@njit(**INNER)
def _regret(
    actions: Any, width: Any, regret: Any, play: Any, gain: Any, values: Any, row: Any, scratch: Any
) -> None:  # fmt: skip
    """Any number of actions, with or without optimism.

    The scratch rows are the sums of the positive parts, and what uniform play would earn.
    """
    positive, negative, optimism = row[0], row[1], row[2]
    zero, count = regret.dtype.type(0), regret.dtype.type(actions)
    totals, sums = scratch[0, :width], scratch[1, :width]
    for k in range(width):
        values[k] = totals[k] = sums[k] = zero
    for a in range(actions):
        p, g = play[a * width : (a + 1) * width], gain[a * width : (a + 1) * width]
        for k in range(width):
            q = max(p[k], zero)
            totals[k] += q
            values[k] += q * g[k]
            sums[k] += g[k]
    for k in range(width):
        total, earned, uniform = totals[k], values[k], sums[k]
        is_positive = total > zero
        values[k] = (earned if is_positive else uniform) / (total if is_positive else count)
    for a in range(actions):
        low, high = a * width, (a + 1) * width
        R, P, g = regret[low:high], play[low:high], gain[low:high]
        for k in range(width):
            new = R[k] + g[k] - values[k]
            new *= positive if new > zero else negative
            R[k] = new
            # Where play is the regret vector this is the same number again.
            P[k] = new + optimism * (g[k] - values[k])


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
