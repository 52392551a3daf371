"""The 169 classes of starting hands, and the 13 ways three hands can rank.

Classes are numbered along the rows of the usual grid, ranks from ace down to deuce: ``13 * row +
column``, pairs on the diagonal, suited hands above it, offsuit hands below.

Among three hands ``a``, ``b``, ``c`` at a showdown there are 13 weak orders, strict or with ties.
Unordered triples of classes are numbered by their sorted form, ``i <= j <= k``, in colexicographic
order: C(k + 2, 3) + C(j + 1, 2) + i.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.cards.deck import STANDARD, Cards
from equipoise.errors import EquipoiseError

_GRID = STANDARD.ranks[::-1]

CLASSES: tuple[str, ...] = tuple(
    high + low if row == column else high + low + "s" if row < column else low + high + "o"
    for row, high in enumerate(_GRID)
    for column, low in enumerate(_GRID)
)
"""Names of the classes: ``AA``, ``AKs``, ..., ``22``."""

ORDERS: tuple[str, ...] = (
    *("a>b>c", "a>b=c", "a>c>b", "a=c>b", "c>a>b"),
    *("b>a>c", "b>a=c", "b>c>a", "b=c>a", "c>b>a"),
    *("a=b>c", "a=b=c", "c>a=b"),
)
"""The weak orders of three hands, best hand first."""

PLACES: NDArray[np.int64] = np.array(
    [
        [next(i for i, tied in enumerate(order.split(">")) if hand in tied) for hand in "abc"]
        for order in ORDERS
    ]
)
"""``PLACES[order, hand]``: how many groups of equal hands are better than this hand, 0 to 2."""

TRIPLES = 818_805
"""Number of unordered triples of classes, C(171, 3)."""

_SORTINGS = tuple(permutations(range(3)))


def _hands() -> tuple[Cards, NDArray[np.int64]]:
    """Return the 1,326 hands in order of class, and the class of each."""
    low, high = np.triu_indices(STANDARD.size, 1)
    rank = 12 - STANDARD.rank_of(np.stack([high, low]))
    suited = STANDARD.suit_of(low) == STANDARD.suit_of(high)
    row, column = np.where(suited, rank, rank[::-1])
    classes = 13 * row + column
    order = np.argsort(classes, kind="stable")
    return np.stack([high, low], axis=1)[order].astype(np.uint8), classes[order]


HANDS, CLASS_OF = _hands()
"""The 1,326 concrete hands, higher card first, in order of class; and the class of each."""

COMBOS: NDArray[np.int64] = np.bincount(CLASS_OF)
"""Number of hands in each class: 6 for a pair, 4 suited, 12 offsuit."""

FIRST: NDArray[np.int64] = np.concatenate([[0], np.cumsum(COMBOS)])
"""``HANDS[FIRST[i] : FIRST[i + 1]]`` are the hands of class ``i``."""

CARD_BITS: NDArray[np.uint64] = (np.uint64(1) << HANDS.astype(np.uint64)).sum(
    axis=1, dtype=np.uint64
)
"""The cards of each hand as a set of bits."""


def class_number(name: str) -> int:
    """Return the number of the class called ``name``.

    >>> class_number("AKs"), class_number("AKo"), class_number("22")
    (1, 13, 168)
    """
    if name not in CLASSES:
        raise EquipoiseError(
            f"Starting hand '{name}': expected one of the 169 classes, such as AA, AKs or AKo."
        )
    return CLASSES.index(name)


def triple_number(i: ArrayLike, j: ArrayLike, k: ArrayLike) -> NDArray[np.int64]:
    """Return the number of the unordered triple of classes, for classes in any order.

    >>> int(triple_number(0, 0, 0)), int(triple_number(168, 168, 168))
    (0, 818804)
    """
    low, middle, high = np.sort(np.stack(np.broadcast_arrays(i, j, k)).astype(np.int64), axis=0)
    return np.asarray(high * (high + 1) * (high + 2) // 6 + middle * (middle + 1) // 2 + low)


def sorted_triples() -> NDArray[np.int64]:
    """Return the classes ``i <= j <= k`` of every unordered triple, in order of number."""
    k, j = np.repeat(np.arange(169), np.arange(1, 170)), _counting(np.arange(1, 170))
    rows = j + 1
    return np.stack([_counting(rows), np.repeat(j, rows), np.repeat(k, rows)], axis=1)


def _counting(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 0, 1, ... up to each of the lengths, one after the other."""
    ends = np.cumsum(lengths)
    return np.arange(int(ends[-1])) - np.repeat(ends - lengths, lengths)


def sorting(i: ArrayLike, j: ArrayLike, k: ArrayLike) -> NDArray[np.int64]:
    """Return the row of :data:`PERMUTED` that serves the classes of hands ``a``, ``b``, ``c``.

    It is the place of the sorting permutation in lexicographic order; equal classes keep theirs.
    """
    i, j, k = np.broadcast_arrays(i, j, k)
    # How many classes stand before each hand's own in the sorted triple.
    a = (j < i).astype(np.int64) + (k < i)
    b = (i <= j).astype(np.int64) + (k < j)
    return np.asarray(2 * a + (b > (3 - a - b)))


def _permuted() -> NDArray[np.int64]:
    """For each permutation ``slot``: the order of the sorted hands that is order ``o`` of a, b, c."""
    table = np.empty((len(_SORTINGS), len(ORDERS)), dtype=np.int64)
    for row, slot in enumerate(_SORTINGS):
        for order, places in enumerate(PLACES):
            ranked = np.empty(3, dtype=np.int64)
            ranked[list(slot)] = places
            table[row, order] = int(np.flatnonzero((ranked == PLACES).all(axis=1))[0])
    return table


PERMUTED: NDArray[np.int64] = _permuted()
"""``PERMUTED[sorting(i, j, k), order]``: where the table of the sorted triple has this order."""
