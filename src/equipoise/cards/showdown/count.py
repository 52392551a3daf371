"""Counting showdowns between classes of hands, two at a time and three at a time.

On a board every hand has a rank, or none if it shares a card with the board. Fix hands ``a`` and ``b``
and go through the boards: the ranks of a third hand ``c`` fall above, on, between or below theirs, so
five comparisons of ``c`` (three if ``a`` and ``b`` tie) place it. They run along ``c``, over all
hands at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from equipoise.cards.deck import STANDARD, Cards
from equipoise.cards.equity import subsets
from equipoise.cards.evaluate import FIVE_CARD, Ranks, evaluator
from equipoise.cards.isomorphism import HandIndexer
from equipoise.cards.showdown.classes import CARD_BITS, CLASS_OF, FIRST, HANDS
from equipoise.cards.showdown.deals import canonical_pairs, disjoint
from equipoise.numerics.threads import spread

Counts = NDArray[np.int64]

BOARDS = 2_598_960
"""Boards of a whole deck, C(52, 5)."""

TILE = 512
"""Boards compared at a time: their ranks stay in the cache, and counts fit 16 bits."""


def boards() -> Cards:
    """Return every board."""
    return subsets(STANDARD.size, 5)


def hand_ranks(board: Cards) -> Ranks:
    """Return the rank of each of the 1,326 hands on each board; 0 if they share a card."""
    taken = (np.uint64(1) << board.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    row, hand = np.nonzero((taken[:, None] & CARD_BITS) == 0)
    ranks = np.zeros((len(board), len(HANDS)), dtype=np.uint16)
    ranks[row, hand] = evaluator(FIVE_CARD, 7)(np.hstack([HANDS[hand], board[row]]))
    return ranks


def count_two_way(kinds: ArrayLike | None = None) -> tuple[Counts, Counts, Counts]:
    """Count pairs of hands for each pair of classes, and wins and ties over pairs and boards.

    ``kinds`` numbers boards up to a renaming of suits, of which there are 134,459; by default all
    count. They are taken in groups that stand for equally many boards.
    """
    indexer = HandIndexer((5,))
    chosen = np.arange(indexer.size(0)) if kinds is None else np.asarray(kinds)
    board, weight = indexer.unindex(0, chosen), indexer.orbit(0, chosen)
    below, equal = np.zeros((2, len(HANDS), len(HANDS)), dtype=np.int64)
    for times in np.unique(weight):
        for ranks in _tiles(board[weight == times]):
            _on_all_cores(np.arange(len(HANDS) + 1), _tally_pairs, ranks, times, below, equal)
    pairs, win, tie = (_by_class(table * disjoint()) for table in (1, below, equal))
    return pairs, win, tie


def count_three_way(board: Cards, counts: Counts) -> None:
    """Add to ``counts`` the showdowns of every triple of classes, by order, on these boards."""
    pairs = canonical_pairs()
    # Pairs with the same classes stay together: no two lanes add to one entry.
    classes = CLASS_OF[pairs.first] * 169 + CLASS_OF[pairs.second]
    starts = np.append(np.flatnonzero(np.diff(classes, prepend=-1)), len(classes))
    tables = (*pairs, FIRST, CLASS_OF, CARD_BITS)
    for ranks in _tiles(board):
        _on_all_cores(starts, _tally_triples, ranks, *tables, counts)


def _on_all_cores(bounds: NDArray[np.int64], kernel: Any, *arguments: Any) -> None:
    """Run ``kernel`` from some bound to another on each core."""
    spread(
        len(bounds) - 1,
        lambda _, low, high: kernel(*arguments, int(bounds[low]), int(bounds[high])),
    )


def _tiles(board: Cards) -> Iterator[Ranks]:
    """Yield the ranks of all hands on some boards at a time."""
    for begin in range(0, len(board), TILE):
        yield hand_ranks(board[begin : begin + TILE])


def _by_class(table: Counts) -> Counts:
    """Add up a table over hands within classes."""
    rows: Counts = np.add.reduceat(table, FIRST[:-1], axis=0)
    return np.ascontiguousarray(np.add.reduceat(rows, FIRST[:-1], axis=1))


@njit(cache=True, nogil=True)
def _tally_pairs(ranks: Any, times: Any, below: Any, equal: Any, low: Any, high: Any) -> None:
    """Add ``times`` the boards on which hand ``b`` is below, or equal to, each hand ``a``."""
    boards, hands = ranks.shape
    above = np.empty((3, hands), dtype=np.uint16)
    for a in range(low, high):
        above[:] = 0
        for t in range(boards):
            if ranks[t, a]:
                _place_tied(ranks[t], ranks[t, a], above)
        for b in range(hands):
            below[a, b] += times * (np.int64(above[0, b]) - above[1, b])
            equal[a, b] += times * (np.int64(above[1, b]) - above[2, b])


@njit(cache=True, nogil=True)
def _tally_triples(
    ranks: Any,
    first: Any,
    second: Any,
    times: Any,
    start: Any,
    class_of: Any,
    bits: Any,
    counts: Any,
    low: Any,
    high: Any,
) -> None:
    """Add the orders of ``a``, ``b`` and every ``c`` of no smaller class, for a range of pairs."""
    boards, hands = ranks.shape
    above = np.empty((3, 5, hands), dtype=np.uint16)
    for p in range(low, high):
        a, b = first[p], second[p]
        begin = start[class_of[b]]
        above[:] = 0
        for t in range(boards):
            x, y = ranks[t, a], ranks[t, b]
            if x == 0 or y == 0:
                continue
            if x > y:
                _place(ranks[t, begin:], y, x, above[0])
            elif x < y:
                _place(ranks[t, begin:], x, y, above[1])
            else:
                _place_tied(ranks[t, begin:], x, above[2])
        i, j = class_of[a], class_of[b]
        taken = bits[a] | bits[b]
        for c in range(begin, hands):
            if bits[c] & taken:
                above[:, :, c - begin] = 0
        for k in range(j, len(start) - 1):
            row = counts[k * (k + 1) * (k + 2) // 6 + j * (j + 1) // 2 + i]
            for case in range(3):
                steps = 5 if case < 2 else 3
                beyond = 0
                for step in range(steps - 1, -1, -1):
                    number = 0
                    for c in range(start[k] - begin, start[k + 1] - begin):
                        number += above[case, step, c]
                    row[5 * case + step] += times[p] * (number - beyond)
                    beyond = number


@njit(cache=True, nogil=True)
def _place(ranks: Any, lower: Any, upper: Any, above: Any) -> None:
    """Count the hands that are live, not below the lower, above it, not below the upper, above it."""
    # Plain vectors and sums of 16 bits: in this form the compiler compares 16 or 32 hands at once.
    live, at_lower, above_lower = above[0], above[1], above[2]
    at_upper, above_upper = above[3], above[4]
    for c in range(np.uint32(len(ranks))):
        z = ranks[c]
        live[c] += np.uint16(z > 0)
        at_lower[c] += np.uint16(z >= lower)
        above_lower[c] += np.uint16(z > lower)
        at_upper[c] += np.uint16(z >= upper)
        above_upper[c] += np.uint16(z > upper)


@njit(cache=True, nogil=True)
def _place_tied(ranks: Any, rank: Any, above: Any) -> None:
    """Count the hands that are live, not below the rank, above it."""
    live, at_rank, above_rank = above[0], above[1], above[2]
    for c in range(np.uint32(len(ranks))):
        z = ranks[c]
        live[c] += np.uint16(z > 0)
        at_rank[c] += np.uint16(z >= rank)
        above_rank[c] += np.uint16(z > rank)
