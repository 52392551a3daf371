"""Compiled sweeps over the hands of one street: how they stand, and what follows them on the next.

The loops behind :class:`equipoise.abstraction.street_features.CompiledFeatures`. They release the interpreter
lock: classes of first cards are worked on side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy", nogil=True)
def standing(holes: Any, ranks: Any, most: Any, out: Any) -> None:
    """For each hand on each board, ``most`` plus the hands it beats less those that beat it.

    ``ranks`` are small whole numbers, so hands are sorted by counting. Hands that share a card are taken out
    card by card, those seen so far and all of them.
    """
    boards, hands = ranks.shape
    size = int(ranks.max()) + 2
    start = np.empty(size + 1, np.int32)
    order = np.empty(hands, np.int32)
    cards = int(holes.max()) + 1
    seen, pairs = np.empty(cards, np.int32), holes.shape[1] == 2
    with_card = 0
    for h in range(hands):
        with_card += holes[h, 0] == 0 or (pairs and holes[h, 1] == 0)
    for b in range(boards):
        start[:] = 0
        for h in range(hands):
            start[ranks[b, h] + 1] += 1
        for r in range(size):
            start[r + 1] += start[r]
        for h in range(hands):
            order[start[ranks[b, h]]] = h
            start[ranks[b, h]] += 1
        seen[:] = 0
        i = 0
        while i < hands:
            j, rank = i, ranks[b, order[i]]
            while j < hands and ranks[b, order[j]] == rank:
                h = order[j]
                beaten = i - (seen[holes[h, 0]] + seen[holes[h, 1]] if pairs else 0)
                out[b, h] = most + beaten
                j += 1
            for k in range(i, j):
                for c in range(holes.shape[1]):
                    seen[holes[order[k], c]] += 1
            for k in range(i, j):
                h = order[k]
                later = hands - j
                if pairs:
                    later -= 2 * with_card - seen[holes[h, 0]] - seen[holes[h, 1]]
                out[b, h] -= later
            i = j


@njit(cache=True, error_model="numpy", nogil=True)
def histograms(place: Any, labels: Any, out: Any) -> None:
    """Count, for each hand of a street, the labels of what it becomes on the next one.

    ``labels`` is (board, deal, hand there); ``out`` is (board, hand, label).
    """
    for b in range(labels.shape[0]):
        for d in range(labels.shape[1]):
            for h in range(place.shape[1]):
                there = place[d, h]
                if there < labels.shape[2]:
                    out[b, h, labels[b, d, there]] += 1


@njit(cache=True, error_model="numpy", nogil=True)
def standings_met(
    place: Any, rows: Any, above: Any, standing: Any, deals: Any, labels: Any, out: Any
) -> None:
    """Count, in a row of ``out`` for each hand of a street, the labels of what it becomes on whole boards.

    A label is in ``labels``, by what the hand was (``above``) and by how it stands then. ``above`` and ``rows`` are
    (board, hand), ``standing`` (board and deal, hand there).
    """
    there_are = standing.shape[1]
    for b in range(above.shape[0]):
        for d in range(deals):
            stands, found = standing[b * deals + d], place[d]
            for h in range(above.shape[1]):
                there = found[h]
                if there < there_are:
                    out[rows[b, h], labels[above[b, h], stands[there]]] += 1


@njit(cache=True, error_model="numpy", nogil=True)
def sums(place: Any, values: Any, out: Any) -> None:
    """Add up, for each hand of a street, the numbers of what it becomes on the next one."""
    for b in range(values.shape[0]):
        for d in range(values.shape[1]):
            for h in range(place.shape[1]):
                there = place[d, h]
                if there < values.shape[2]:
                    out[b, h] += values[b, d, there]


@njit(cache=True, error_model="numpy", nogil=True)
def nearest(points: Any, parents: Any, centres: Any, counts: Any, is_l1: Any, out: Any) -> None:
    """Set ``out`` to the nearest centre of each point, among those of its parent."""
    for i in range(len(points)):
        p = parents[i]
        best = np.inf
        for k in range(counts[p]):
            total = 0.0
            for d in range(points.shape[1]):
                away = points[i, d] - centres[p, k, d]
                total += abs(away) if is_l1 else away * away
            if total < best:
                best = total
                out[i] = k
