"""Sums over the opponent's hands on one board, for many betting leaves at once.

The sums of :mod:`equipoise.cards.ranked` with a column for every leaf: hands are rows, sorted by strength, and
a leaf's reach is a column of the matrix P. One pass over the rows then serves all leaves, and its inner
loops run along the columns. With T and S_c the totals over all rows, and over the rows with card c,

    met[h]      =  T - S_a - S_b + P[the same hand]                for a hand h of cards a and b;
    stronger - weaker rows:  start at -T and -S_c; add each group of equally strong rows before its hands
    are looked at, and once more after them: then T - S_a - S_b is what h beats less what beats it.

Since a group is added once before and once after, rows that tie with a hand count one half less one
half, nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from equipoise.numerics.kernels import INNER, KERNEL


@njit(**KERNEL)
def board_product(half: Any, b: Any, plan: Any, begin: Any, out: Any, to: Any, room: Any) -> None:
    """Add to ``out`` what every sequence of the target earns on board ``b`` against the source's plan.

    The sequences of the board begin at ``begin`` in ``plan`` and at ``to`` in ``out``.
    """
    packed, every, seen, row = room
    leaves = half.leaves
    columns = len(leaves.slot)
    if columns == 0:
        return
    cards = len(every) - 1
    _pack(half, b, plan, begin, packed, columns)
    _totals(half, b, packed, every, cards, columns)
    if leaves.met < columns:
        _pay_met(half, b, packed, every, cards, columns, out, to, row)
    if leaves.shown > 0:
        _pay_shown(half, b, packed, every, seen, cards, out, to, row)


@njit(**INNER)
def _pack(half: Any, b: Any, plan: Any, begin: Any, packed: Any, columns: Any) -> None:
    """Write the reach of every row in every column; a last row of zeros stands for no hand."""
    source, slot = half.source, half.leaves.slot
    start, width = source.start[b], np.uint64(half.source_width[b])
    count = source.start[b + 1] - start
    for i in range(count):
        weight = source.weight[start + i]
        place = np.uint64(begin) + source.bucket[start + i]
        for j in range(columns):
            packed[i, j] = weight * plan[place + slot[j] * width]
    for j in range(columns):
        packed[count, j] = 0


@njit(**INNER)
def _totals(half: Any, b: Any, packed: Any, every: Any, cards: Any, columns: Any) -> None:
    """Add up all rows, and those with each card; the last row of ``every`` is the total."""
    source = half.source
    start = source.start[b]
    every[:] = 0
    for i in range(source.start[b + 1] - start):
        low, high = source.low[start + i], source.high[start + i]
        for j in range(columns):
            p = packed[i, j]
            every[cards, j] += p
            every[low, j] += p
            every[high, j] += p


@njit(**INNER)
def _pay_met(
    half: Any,
    b: Any,
    packed: Any,
    every: Any,
    cards: Any,
    columns: Any,
    out: Any,
    to: Any,
    row: Any,
) -> None:
    """Pay whatever the hands: all rows that share no card with a hand."""
    target, leaves = half.target, half.leaves
    start, width = target.start[b], np.uint64(half.target_width[b])
    for i in range(target.start[b + 1] - start):
        low, high, same = target.low[start + i], target.high[start + i], target.same[start + i]
        for j in range(leaves.met, columns):
            row[j] = every[cards, j] - every[low, j] - every[high, j] + packed[same, j]
        weight = target.weight[start + i] * half.factor[b]
        place = np.uint64(to) + target.bucket[start + i]
        for k in range(len(leaves.paid)):
            out[place + leaves.paid_slot[k] * width] += (
                weight * leaves.base[k] * row[leaves.paid[k]]
            )


@njit(**INNER)
def _pay_shown(
    half: Any, b: Any, packed: Any, every: Any, seen: Any, cards: Any, out: Any, to: Any, row: Any
) -> None:
    """Pay by strength: the sweep of the module's docstring."""
    source, target, leaves = half.source, half.target, half.leaves
    shown = leaves.shown
    for c in range(cards + 1):
        for j in range(shown):
            seen[c, j] = -every[c, j]
    width = np.uint64(half.target_width[b])
    one, two = source.first[b], target.first[b]
    for g in range(source.first[b + 1] - one - 1):
        begin, end = source.bounds[one + g], source.bounds[one + g + 1]
        _add_rows(source, source.start[b], begin, end, packed, seen, cards, shown)
        for i in range(target.bounds[two + g], target.bounds[two + g + 1]):
            h = target.start[b] + i
            low, high = target.low[h], target.high[h]
            weight = target.weight[h] * half.factor[b]
            for j in range(shown):
                row[j] = seen[cards, j] - seen[low, j] - seen[high, j]
            place = np.uint64(to) + target.bucket[h]
            for j in range(shown):
                out[place + leaves.shown_slot[j] * width] += weight * leaves.scale[j] * row[j]
        _add_rows(source, source.start[b], begin, end, packed, seen, cards, shown)


@njit(**INNER)
def _add_rows(
    source: Any, start: Any, begin: Any, end: Any, packed: Any, seen: Any, cards: Any, shown: Any
) -> None:
    """Add the rows of a group to the sums."""
    for i in range(begin, end):
        low, high = source.low[start + i], source.high[start + i]
        for j in range(shown):
            p = packed[i, j]
            seen[cards, j] += p
            seen[low, j] += p
            seen[high, j] += p


@njit(**KERNEL)
def board_products(
    half: Any, low: Any, high: Any, plan: Any, begin: Any, out: Any, to: Any, room: Any
) -> None:
    """The products of boards ``low .. high``, whose sequences begin at ``begin`` and ``to``."""
    for b in range(low, high):
        board_product(half, b, plan, begin[b - low], out, to[b - low], room)


@njit(**KERNEL)
def add_equities(one: Any, two: Any, low: Any, high: Any, up: Any, factor: Any, out: Any) -> None:
    """Add what the hands of boards ``low .. high`` win less what they lose, by buckets one board up.

    ``up`` are for both players the buckets, on the board before, of each row.
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
                        out[up[0][h], up[1][k]] += paid if j < tie else -paid
