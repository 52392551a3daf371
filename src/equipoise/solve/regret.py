"""Kernels of regret minimisation on treeplex blocks.

A player's state is her regrets and what she plays from: ``play``, whose positive part, normalised in
each information set, is her behaviour (uniform where nothing is positive). Without optimism ``play``
is the regret vector itself, so nothing else has to move through memory.

Kernels work on blocks ``low .. high`` of a treeplex. Plans and gradients of sequences below
``base`` are in the ``trunk`` vectors, others at ``s - base`` in the ``local`` ones: the whole game
has base 0, a tile of a large game its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from equipoise.sequence.treeplex import SAME

# Division by zero never happens here; without the check for it, kernels are smaller and faster.
_KERNEL = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract", "reassoc", "nsz"},
}


@njit(**_KERNEL)
def regrets(
    blocks: Any, low: Any, high: Any, base: Any, regret: Any, play: Any,
    trunk: Any, local: Any, scratch: Any, row: Any,
) -> None:  # fmt: skip
    """Bottom-up: update regrets from the gradient, and add each set's value to its parent.

    ``row`` is (factor of positive regrets, factor of negative ones, optimism, ...): see
    :mod:`equipoise.solve.cfr`.
    """
    positive, negative, optimism = row[0], row[1], row[2]
    for i in range(high - low):
        b = np.uint32(high - 1 - i)
        start, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
        up = blocks.parent[b]
        if width == 1:
            if blocks.link[b] != SAME:
                up = np.uint32(up + blocks.links[blocks.link[b]])
            first = np.uint32(start - base)
            total, value = regret[0] * 0, regret[0] * 0
            for a in range(actions):
                p = max(play[np.uint32(start + a)], total * 0)
                total += p
                value += p * local[np.uint32(first + a)]
            if total > 0:
                value /= total
            else:
                for a in range(actions):
                    value += local[np.uint32(first + a)]
                value /= actions
            for a in range(actions):
                s = np.uint32(start + a)
                r = local[np.uint32(first + a)] - value
                new = regret[s] + r
                new *= positive if new > 0 else negative
                regret[s] = new
                play[s] = new + optimism * r
            if up < base:
                trunk[up] += value
            else:
                local[np.uint32(up - base)] += value
            continue
        values, totals, sums = scratch[0, :width], scratch[1, :width], scratch[2, :width]
        _values(start, actions, width, base, play, local, values, totals, sums)
        for a in range(actions):
            s = np.uint32(start + a * width)
            g, R = local[s - base : s - base + width], regret[s : s + width]
            if optimism != 0:
                P = play[s : s + width]
                for k in range(width):
                    new = R[k] + g[k] - values[k]
                    new *= positive if new > 0 else negative
                    P[k] = new + optimism * (g[k] - values[k])
            # Apart from the loop above: where play is the regret vector, one store must do.
            for k in range(width):
                new = R[k] + g[k] - values[k]
                R[k] = new * positive if new > 0 else new * negative
        if blocks.link[b] == SAME and up < base:
            for k in range(width):
                trunk[up + k] += values[k]
        elif blocks.link[b] == SAME:
            above = local[up - base : up - base + width]
            for k in range(width):
                above[k] += values[k]
        else:
            link = blocks.links[blocks.link[b] : blocks.link[b] + width]
            above = trunk if up < base else local[up - base :]
            shift = up if up < base else np.uint32(0)
            for k in range(width):
                above[np.uint32(shift + link[k])] += values[k]


@njit(**_KERNEL)
def _values(
    start: Any, actions: Any, width: Any, base: Any, play: Any, local: Any,
    values: Any, totals: Any, sums: Any,
) -> None:  # fmt: skip
    """The value of each bucket's information set under current behaviour.

    Written without branches, so that it runs along the buckets as vector operations: ``sums`` is
    what uniform play would earn, for buckets where no regret is positive.
    """
    zero = play[0] * 0
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
    count = zero + actions
    for k in range(width):
        values[k] = values[k] / totals[k] if totals[k] > 0 else sums[k] / count


@njit(**_KERNEL)
def reach(
    blocks: Any, low: Any, high: Any, base: Any, play: Any, average: Any,
    trunk: Any, local: Any, scratch: Any, share: Any,
) -> None:  # fmt: skip
    """Top-down: the plan of current behaviour, and its ``share`` in the average plan."""
    for i in range(high - low):
        b = np.uint32(low + i)
        start, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
        up = blocks.parent[b]
        if width == 1:
            if blocks.link[b] != SAME:
                up = np.uint32(up + blocks.links[blocks.link[b]])
            arrives = trunk[up] if up < base else local[np.uint32(up - base)]
            total = arrives * 0
            for a in range(actions):
                total += max(play[np.uint32(start + a)], arrives * 0)
            scale = arrives / total if total > 0 else arrives / actions
            for a in range(actions):
                s = np.uint32(start + a)
                x = scale * max(play[s], arrives * 0) if total > 0 else scale
                local[np.uint32(s - base)] = x
                average[s] += share * (x - average[s])
            continue
        scale, even, totals = scratch[0, :width], scratch[1, :width], scratch[2, :width]
        zero = share * 0
        if blocks.link[b] == SAME:
            above = trunk[up : up + width] if up < base else local[up - base : up - base + width]
            for k in range(width):
                even[k] = above[k]
        else:
            link = blocks.links[blocks.link[b] : blocks.link[b] + width]
            above = trunk if up < base else local[up - base :]
            shift = up if up < base else np.uint32(0)
            for k in range(width):
                even[k] = above[np.uint32(shift + link[k])]
        for k in range(width):
            totals[k] = zero
        for a in range(actions):
            s = np.uint32(start + a * width)
            p = play[s : s + width]
            for k in range(width):
                totals[k] += max(p[k], zero)
        count = zero + actions
        for k in range(width):
            scale[k] = even[k] / totals[k] if totals[k] > 0 else zero
            even[k] = zero if totals[k] > 0 else even[k] / count
        for a in range(actions):
            s = np.uint32(start + a * width)
            p, x = play[s : s + width], local[s - base : s - base + width]
            mean = average[s : s + width]
            for k in range(width):
                q = scale[k] * max(p[k], zero) + even[k]
                x[k] = q
                mean[k] += share * (q - mean[k])
