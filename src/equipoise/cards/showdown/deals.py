"""Deals of two and three hands: how many each pair or triple of classes has.

Renaming the suits of a deal changes nothing at a showdown. Of the pairs ``(a, b)`` it is enough to take
one from each orbit of the 24 renamings, as often as the orbit is large; with every third hand ``c`` it
stands for all the triples.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.deck import STANDARD
from equipoise.cards.showdown.classes import CARD_BITS, CLASS_OF, FIRST, HANDS

_AT_ONCE = 4096  # pairs beside each of which all third hands are looked at


class Pairs(NamedTuple):
    """One pair of disjoint hands from each orbit, classes not descending, and the orbit's size."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    times: NDArray[np.int64]


@lru_cache(maxsize=1)
def disjoint() -> NDArray[np.bool_]:
    """Return which of the 1,326 hands share no card."""
    return np.asarray((CARD_BITS[:, None] & CARD_BITS) == 0)


@lru_cache(maxsize=1)
def canonical_pairs() -> Pairs:
    """Return one pair from each orbit of pairs ``(a, b)`` with classes ``i <= j``, by ``(i, j)``."""
    number = np.zeros((STANDARD.size, STANDARD.size), dtype=np.int64)
    number[HANDS[:, 0], HANDS[:, 1]] = number[HANDS[:, 1], HANDS[:, 0]] = np.arange(len(HANDS))
    suit = np.array(list(permutations(range(4))))
    renamed = 4 * STANDARD.rank_of(HANDS) + suit[:, STANDARD.suit_of(HANDS)]
    images = number[renamed[..., 0], renamed[..., 1]]
    first, second = np.nonzero((CLASS_OF[:, None] <= CLASS_OF) & disjoint())
    # One renaming at a time: all 24 beside each other would take half a gigabyte.
    smallest = first * len(HANDS) + second
    for image in images:
        np.minimum(smallest, image[first] * len(HANDS) + image[second], out=smallest)
    pair, times = np.unique(smallest, return_counts=True)
    first, second = np.divmod(pair, len(HANDS))
    order = np.lexsort((CLASS_OF[second], CLASS_OF[first]))
    return Pairs(first[order], second[order], times[order].astype(np.int64))


@lru_cache(maxsize=1)
def count_triples() -> NDArray[np.int64]:
    """Return how many triples of hands without a common card each triple of classes has."""
    pairs = canonical_pairs()
    third = np.empty((len(pairs.times), len(FIRST) - 1), dtype=np.int64)
    for start in range(0, len(third), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        free = disjoint()[pairs.first[part]] & disjoint()[pairs.second[part]]
        third[part] = np.add.reduceat(free, FIRST[:-1], axis=1, dtype=np.int64)
    third *= pairs.times[:, None]
    classes = 169 * CLASS_OF[pairs.first] + CLASS_OF[pairs.second]
    starts = np.flatnonzero(np.diff(classes, prepend=-1))
    triples = np.zeros((169, 169, 169), dtype=np.int64)
    triples[np.divmod(classes[starts], 169)] = np.add.reduceat(third, starts, axis=0)
    mirrored = np.triu(np.ones((169, 169), dtype=bool), 1).T
    triples[mirrored] = triples.transpose(1, 0, 2)[mirrored]
    return triples
