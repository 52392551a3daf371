"""Threshold GameShrink: buckets of views whose matched futures differ little (Gilpin 2009, algorithm 3).

How much two views differ is found from the last round up. There it is the weight of a minimum-weight
perfect matching between what the opponents of the one and of the other may hold, an edge weighing the
squared difference of the outcomes; earlier, of such a matching between the views that extend the one and
the other, an edge weighing how much those differ. Matchings are between probabilities, so that views need
not have equally many children (:mod:`equipoise.numerics.transport`), and all opponents' signals may be
matched with all. Outcomes go from 0 to 1: the thesis averages squared utilities over all ends of the
betting, which is the same up to a factor for each round.

From the top down, views of one bucket are merged if they differ by no more than the threshold of the
round, and so are those that a chain of such views connects. That is single linkage: the number of buckets
falls as the threshold rises, and :func:`threshold` finds the one that leaves as many as asked for, by
cutting the longest links (:func:`equipoise.numerics.clusterings.by_linkage`); among links of the same
length, as many as it takes. With thresholds of zero it is GameShrink by counts of outcomes (``histogram``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.base import Partition
from equipoise.abstraction.view_tree import Cluster, ViewTree, abstraction_by
from equipoise.errors import EquipoiseError
from equipoise.games.signals.rounds import Floats, SignalRound
from equipoise.numerics.clusterings import Clusterings, by_linkage
from equipoise.numerics.histograms import histograms
from equipoise.numerics.nested import Places
from equipoise.numerics.transport import common_units, squared_on_line, transport_cost

_DECIMALS = 11


def threshold(
    rounds: Sequence[SignalRound],
    buckets: Sequence[int] | None = None,
    *,
    thresholds: Sequence[float] | None = None,
    game: str = "",
    method: str = "threshold",
    refine: Partition | None = None,
) -> Partition:
    """Return buckets of views that chains of small differences connect.

    Either ``buckets[r]`` are at most left in round r, or chains may have links up to ``thresholds[r]``.
    """
    if (buckets is None) == (thresholds is None):
        raise EquipoiseError(
            "Threshold GameShrink: found both buckets and thresholds, or neither, expected one of them."
        )
    if thresholds is not None and (
        len(thresholds) != len(rounds) or not all(0 <= each < np.inf for each in thresholds)
    ):
        raise EquipoiseError(
            f"Threshold GameShrink: found the thresholds {tuple(thresholds)}, expected {len(rounds)} "
            "finite numbers from zero up, one for each round."
        )
    wanted = [min(signals.views) for signals in rounds] if buckets is None else buckets
    return abstraction_by(
        rounds,
        wanted,
        lambda tree, _: by_difference(tree, thresholds),
        game=game,
        method=method,
        refine=refine,
    )


def by_difference(tree: ViewTree, thresholds: Sequence[float] | None = None) -> Cluster:
    """Return how to cluster views of ``tree`` by their differences, cut at ``thresholds`` if given."""
    types, differences = view_differences(tree)

    def cluster(turn: int, views: Places, most: int) -> Clusterings:
        kinds, place = np.unique(types[turn][views], return_inverse=True)
        between = differences[turn][np.ix_(kinds, kinds)]
        if thresholds is not None:
            # Beyond the threshold nothing is merged, whatever the number of buckets.
            between = np.where(between <= thresholds[turn] + 1e-12, 0.0, between)
        found = by_linkage(between, most)
        return Clusterings(found.errors, lambda k: found.labels(k)[place])

    return cluster


def view_differences(tree: ViewTree) -> tuple[list[NDArray[np.int64]], list[Floats]]:
    """Return, round by round, the type of each view, and how much each pair of types differs.

    Views of one type do not differ: they are followed by outcomes, or types, alike often.
    """
    type_of, distributions = _types(tree.outcomes)
    # Pairs are taken row by row: all at once would need much memory.
    matrix = np.stack([squared_on_line(tree.levels, row, distributions) for row in distributions])
    types, differences = [type_of], [_symmetric(matrix)]
    for turn in range(tree.rounds - 2, -1, -1):
        type_of, distributions = _types(
            histograms(
                tree.parents[turn + 1],
                types[0],
                tree.weights[turn + 1],
                (len(tree.weights[turn]), len(differences[0])),
            )
        )
        matrix = np.zeros((len(distributions), len(distributions)))
        units = common_units(distributions)
        for i, a in enumerate(distributions):
            for j, b in enumerate(distributions[:i]):
                here, there = np.flatnonzero(a), np.flatnonzero(b)
                cost = differences[0][np.ix_(here, there)]
                matrix[i, j] = matrix[j, i] = transport_cost(cost, a[here], b[there], units)
        types.insert(0, type_of)
        differences.insert(0, _symmetric(matrix))
    return types, differences


def _types(distributions: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return the type of each row, and the distinct rows."""
    distinct, place = np.unique(np.round(distributions, _DECIMALS), axis=0, return_inverse=True)
    return place.reshape(-1), distinct / distinct.sum(axis=1, keepdims=True)


def _symmetric(matrix: Floats) -> Floats:
    """Return differences without what rounding adds to them."""
    found: Floats = np.round(np.maximum(matrix, matrix.T), _DECIMALS).astype(np.float64)
    np.fill_diagonal(found, 0.0)
    return found
