"""Sums over the opponent's hands on a known board, in linear time.

Hands are one or two private cards with a strength. Against a vector of numbers over the opponent's
hands (how likely she plays to some point with each), the hands that a hand can meet, and those that it
beats less those that beat it, are found in one pass over the hands sorted by strength; hands that
share a card are taken out by inclusion and exclusion (Johanson, Waugh, Bowling and Zinkevich 2011).

``holes`` has a row of cards a hand, ``order`` the numbers of the hands from weak to strong (those left out do
not take part), ``cards`` is scratch with a column for every card of the deck.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.numerics.kernels import EXACT

COLUMNS = 64
"""Columns at a time, where there are many."""


@njit(**EXACT)
def compatible(holes: Any, order: Any, reach: Any, cards: Any, out: Any) -> None:
    """For each hand, the total reach of the opponent's hands that share no card with it."""
    total = 0.0
    for h in order:
        total += reach[h]
    if holes.shape[1] == 1:
        for h in order:
            out[h] = total - reach[h]
        return
    for c in range(len(cards)):
        cards[c] = 0.0
    for h in order:
        cards[holes[h, 0]] += reach[h]
        cards[holes[h, 1]] += reach[h]
    for h in order:
        # The same hand was taken out twice, once for each card.
        out[h] = total - cards[holes[h, 0]] - cards[holes[h, 1]] + reach[h]


@njit(**EXACT)
def showdown(holes: Any, order: Any, rank: Any, reach: Any, cards: Any, out: Any) -> None:
    """For each hand, the opponent's reach of weaker hands minus that of stronger ones.

    One sweep over the hands sorted by strength, group by group of equal ones. A hand shares a card
    with hands of other groups only if there are two: those are taken out card by card.
    """
    pairs = holes.shape[1] == 2
    below, seen = 0.0, cards[0]
    total, every = 0.0, cards[1]
    for h in order:
        total += reach[h]
    if pairs:
        for c in range(len(seen)):
            seen[c] = every[c] = 0.0
        for h in order:
            every[holes[h, 0]] += reach[h]
            every[holes[h, 1]] += reach[h]
    i = 0
    while i < len(order):
        j, strength = i, rank[order[i]]
        above = below
        while j < len(order) and rank[order[j]] == strength:
            h = order[j]
            out[h] = below - (seen[holes[h, 0]] + seen[holes[h, 1]] if pairs else 0.0)
            above += reach[h]
            j += 1
        below = above
        for k in range(i, j):
            h = order[k]
            if pairs:
                seen[holes[h, 0]] += reach[h]
                seen[holes[h, 1]] += reach[h]
        for k in range(i, j):
            h = order[k]
            stronger = total - below
            if pairs:
                stronger -= every[holes[h, 0]] - seen[holes[h, 0]]
                stronger -= every[holes[h, 1]] - seen[holes[h, 1]]
            out[h] -= stronger
        i = j


@njit(cache=True, error_model="numpy")
def between_buckets(
    holes: Any, order: Any, rank: Any, bucket: Any, cards: Any, met: Any, won: Any
) -> None:
    """Add, for pairs of buckets, the pairs of hands that meet, and those in which the first one wins.

    The sums of the other two functions at once, against the hands of every bucket: ``cards`` is scratch
    with two tables of a row for every card and one more, in which row -1 is all hands, and a column for
    every bucket.
    """
    pairs, every, seen = holes.shape[1] == 2, cards[0], cards[1]
    every[:] = 0
    seen[:] = 0
    for h in order:
        _put(every, holes[h], bucket[h], pairs)
    i = 0
    while i < len(order):
        j, strength = i, rank[order[i]]
        while j < len(order) and rank[order[j]] == strength:
            h = order[j]
            own = bucket[h]
            _add_compatible(every, holes[h], pairs, met[own])
            _add_compatible(seen, holes[h], pairs, won[own])
            if pairs:
                # The same hand was taken out twice, once for each card.
                met[own, own] += 1
            j += 1
        for k in range(i, j):
            h = order[k]
            _put(seen, holes[h], bucket[h], pairs)
        i = j


@njit(cache=True, error_model="numpy")
def _put(table: Any, hole: Any, bucket: Any, pairs: Any) -> None:
    """Count a hand of a bucket among all, and with each of its cards."""
    table[-1, bucket] += 1
    table[hole[0], bucket] += 1
    if pairs:
        table[hole[1], bucket] += 1


@njit(cache=True, error_model="numpy")
def _add_compatible(table: Any, hole: Any, pairs: Any, out: Any) -> None:
    """Add the hands in ``table`` that have no card of ``hole``, by bucket."""
    total, first, second = table[-1], table[hole[0]], table[hole[-1]]
    if pairs:
        for b in range(len(out)):
            out[b] += total[b] - first[b] - second[b]
    else:
        for b in range(len(out)):
            out[b] += total[b] - first[b]


@njit(cache=True, nogil=True, error_model="numpy")
def half_margins(signs: Any, reach: Any, out: Any) -> None:
    """Add the margins by pairs: ``signs[b]`` says of hands i < j, row by row, which one wins on board b."""
    boards, hands, columns = reach.shape
    for b in range(boards):
        pair = 0
        for i in range(hands):
            for j in range(i + 1, hands):
                sign = signs[b, pair]
                pair += 1
                if sign != 0:
                    for c in range(columns):
                        out[b, i, c] += sign * reach[b, j, c]
                        out[b, j, c] -= sign * reach[b, i, c]


def table_rows(holes: NDArray[Any]) -> tuple[NDArray[np.uint32], int]:
    """Return, for each hand, the rows of its cards in a table of :func:`see`, and the number of rows.

    Row 0 is all hands, the others those with each card; the last one is that of a second card where there
    is none. The numbers have no sign: compiled loops need no check then whether to count from the end.
    """
    count = int(holes.max(initial=0)) + 3
    rows = np.full((len(holes), 2), count - 1, dtype=np.uint32)
    rows[:, : holes.shape[1]] = holes + np.uint32(1)
    return rows, count


@njit(cache=True, nogil=True, error_model="numpy")
def see(
    table: Any, x: Any, y: Any, pairs: Any, reach: Any, hand: Any, first: Any, count: Any
) -> None:
    """Add the reach of a hand with cards in rows ``x`` and ``y`` to that of all and of those with each card."""
    if pairs:
        for c in range(count):
            own = reach[hand, first + c]
            table[0, c] += own
            table[x, c] += own
            table[y, c] += own
    else:
        for c in range(count):
            own = reach[hand, first + c]
            table[0, c] += own
            table[x, c] += own


@njit(cache=True, nogil=True, error_model="numpy")
def margins(rows: Any, size: Any, orders: Any, ranks: Any, reach: Any, out: Any) -> None:
    """:func:`showdown` on every board and for every column: ``reach`` and ``out`` are (board, hand, column).

    With f(T) = T[all] - T[first card] - T[second card], linear in a table T of sums, a hand beats
    f(seen before its group), and is beaten by f(every) - f(seen after its group): its own reach is counted
    once in either of these, and goes. So one table does, that of both seen less every. The inner loops are
    over columns, which lie side by side, few enough at a time for the table to stay near.
    """
    boards, hands, columns = reach.shape
    pairs = rows[0, 1] < size - 1
    table = np.zeros((size, min(columns, COLUMNS)), reach.dtype)
    for b in range(boards):
        order, rank, own = orders[b], ranks[b], reach[b]
        for start in range(0, columns, COLUMNS):
            first, count = np.uint64(start), np.uint64(min(columns - start, COLUMNS))
            table[:] = 0.0
            for h in range(hands):
                see(table, rows[h, 0], rows[h, 1], pairs, own, h, first, count)
            for row in range(size):
                for c in range(count):
                    table[row, c] = -table[row, c]
            i = 0
            while i < hands:
                j = i
                while j < hands and rank[order[j]] == rank[order[i]]:
                    h = order[j]
                    see(table, rows[h, 0], rows[h, 1], pairs, own, h, first, count)
                    j += 1
                for k in range(i, j):
                    h = order[k]
                    x, y = rows[h, 0], rows[h, 1]
                    for c in range(count):
                        out[b, h, first + c] = table[0, c] - table[x, c] - table[y, c]
                for k in range(i, j):
                    h = order[k]
                    see(table, rows[h, 0], rows[h, 1], pairs, own, h, first, count)
                i = j
