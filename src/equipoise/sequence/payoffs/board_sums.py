"""Sums over the opponent's hands on one board, for many betting leaves at once.

The sums of :mod:`equipoise.cards.ranked` with a column for every leaf: hands are rows, sorted by strength, and
a leaf's reach is a column of the matrix P. One pass over the rows then serves all leaves, and its inner
loops run along the columns. With T and S_c the totals over all rows, and over the rows with card c,

    met[h]      =  T - S_a - S_b + P[the same hand]                for a hand h of cards a and b;
    weaker - stronger rows:  start at -T and -S_c; add each group of equally strong rows before its hands
    are looked at, and once more, with the next one, after them: then T - S_a - S_b is what h beats less what
    beats it.

Since a group is added once before and once after, rows that tie with a hand count one half less one
half, nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from equipoise.numerics.kernels import INNER, KERNEL

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@njit(**KERNEL)
def board_products(
    half: Any, low: Any, high: Any, plan: Any, begin: Any, out: Any, to: Any, room: Any
) -> None:
    """Add to ``out`` what every sequence of the target earns on the boards ``low .. high``.

    ``plan`` is the source's, from sequence ``begin`` on, and ``out`` begins at the target's sequence ``to``.
    """
    # Tuples are taken apart once: a compiler copies them field by field wherever they are named.
    packed, every, seen, row = room
    source, target, leaves, sources, targets, factor = half
    start, one, two, weight, bucket, _, first, bounds = source
    starts, low_card, high_card, weights, buckets, same, firsts, edges = target
    slot, shown, met, shown_slot, scale, paid, paid_slot, base = leaves
    columns, cards = np.uint64(len(slot)), np.uint64(len(every) - 1)
    for b in range(low, high if columns else low):
        at, count = start[b], start[b + _ONE] - start[b]
        place, width = np.uint64(sources[b, 0]) - begin, np.uint64(sources[b, 1])
        # The reach of every row in every column; a last row of zeros stands for no hand.
        for i in range(count):
            for j in range(columns):
                packed[i, j] = weight[at + i] * plan[place + bucket[at + i] + slot[j] * width]
        for j in range(columns):
            packed[count, j] = 0
        every[:] = 0
        _add_rows(one, two, at, _ZERO, count, packed, every, cards, columns)
        onto, wide = np.uint64(targets[b, 0]) - to, np.uint64(targets[b, 1])
        # Whatever the hands: all rows that share no card with a hand.
        for h in range(starts[b], starts[b + _ONE] if met < columns else starts[b]):
            c, d, share = low_card[h], high_card[h], weights[h] * factor[b]
            for j in range(met, columns):
                row[j] = every[cards, j] - every[c, j] - every[d, j] + packed[same[h], j]
            for k in range(np.uint64(len(paid))):
                out[onto + buckets[h] + paid_slot[k] * wide] += share * base[k] * row[paid[k]]
        # By strength: the sweep of the module's docstring.
        for c in range(cards + _ONE):
            for j in range(shown):
                seen[c, j] = -every[c, j]
        group, groups = first[b], first[b + _ONE] - first[b] - _ONE
        for g in range(groups if shown > 0 else _ZERO):
            before = bounds[group + g - (_ONE if g else _ZERO)]
            _add_rows(one, two, at, before, bounds[group + g + _ONE], packed, seen, cards, shown)
            for i in range(edges[firsts[b] + g], edges[firsts[b] + g + _ONE]):
                h = starts[b] + i
                c, d, share = low_card[h], high_card[h], weights[h] * factor[b]
                for j in range(shown):
                    row[j] = seen[cards, j] - seen[c, j] - seen[d, j]
                for j in range(shown):
                    out[onto + buckets[h] + shown_slot[j] * wide] += share * scale[j] * row[j]


@njit(**INNER)
def _add_rows(
    one: Any, two: Any, at: Any, begin: Any, end: Any, packed: Any, sums: Any, cards: Any, columns: Any
) -> None:  # fmt: skip
    """Add rows to the sums over all, and over those with each card."""
    for i in range(begin, end):
        c, d = one[at + i], two[at + i]
        for j in range(columns):
            p = packed[i, j]
            sums[cards, j] += p
            sums[c, j] += p
            sums[d, j] += p


@njit(**KERNEL)
def add_equities(
    one: Any, two: Any, low: Any, high: Any, up: Any, factor: Any, joint: Any, out: Any
) -> None:
    """Add what the hands of boards ``low .. high`` win less what they lose, by buckets one board up.

    ``up`` are for both players the buckets, on the board before, of each row; ``joint`` is None, or what pairs count
    for beside both weights, and the places of the rows there.
    """
    for b in range(low, high):
        groups = one.first[b + 1] - one.first[b] - 1
        for g in range(groups):
            for i in range(one.bounds[one.first[b] + g], one.bounds[one.first[b] + g + 1]):
                h = one.start[b] + i
                weight = factor[b] * one.weight[h]
                tie, above = two.bounds[two.first[b] + g], two.bounds[two.first[b] + g + 1]
                for j in range(two.start[b + 1] - two.start[b]):
                    k = two.start[b] + j
                    is_met = (
                        one.low[h] != two.low[k]
                        and one.low[h] != two.high[k]
                        and one.high[h] != two.low[k]
                        and one.high[h] != two.high[k]
                    )
                    if is_met and (j < tie or j >= above):
                        paid = weight * two.weight[k]
                        if joint is not None:
                            paid *= joint[0][joint[1][h], joint[2][k]]
                        out[up[0][h], up[1][k]] += paid if j < tie else -paid
