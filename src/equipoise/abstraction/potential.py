"""Potential-aware abstraction: buckets of views that lead to the same futures alike often.

A view with rounds to come is described by a histogram: how often each cluster of views of the next round
follows it (Gilpin 2009, section 6.5). The clusters of the next round come from histograms of their own, and
those of the last round from the probability of winning, so a histogram tells not only how often a view
wins, but when that will be known.

Every bucket gets a bottom-up pass of its own, over the views that can follow it and no others: its
clusters are made for telling its own views apart. They are temporary. The buckets of the next round are
made from the top down, by passes of theirs, and those of the last round by strength alone
(:func:`equipoise.abstraction.view_tree.divide`).

What the thesis leaves open is settled so: a pass for round r has at most as many temporary clusters in
every later round as round r has buckets (``temporary`` says otherwise), which keeps the thesis's rule that
a round has at least as many as the next; clustering is of the views themselves, weighted by their
probabilities; the error that the sharing of buckets minimises is the weighted sum of distances. Distances
are L2 as in the thesis, L1 as in the slides that go with it, or the earth mover's (``emd``; Ganzfried and
Sandholm 2014): clusters in the order of their strength, moved by the difference of their strengths.

In the last round the thesis clusters by strength alone. Views that win as often as they lose and views that
always tie are then one. With ``leaves="outcomes"`` they are told apart there, by histograms over outcomes,
and a large enough abstraction is that of GameShrink by counts of outcomes (``histogram``). With
``leaves="opponents"`` they are clustered by their strengths against clusters of opponents (Johanson et al. 2013), which
tells apart what beats the strong from what beats the weak, and more than ``histogram`` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from equipoise.abstraction.base import Partition
from equipoise.abstraction.expectation import by_strength
from equipoise.abstraction.view_tree import Cluster, ViewTree, abstraction_by
from equipoise.errors import EquipoiseError
from equipoise.games.signals.rounds import Floats, SignalRound
from equipoise.numerics.clusterings import Clusterings, Metric, in_space, on_line
from equipoise.numerics.histograms import for_earth_mover, histograms
from equipoise.numerics.nested import Places

Distance = Literal["l2", "l1", "emd"]
DISTANCES: tuple[Distance, ...] = get_args(Distance)
Leaves = Literal["strength", "outcomes", "opponents"]
LEAVES: tuple[Leaves, ...] = get_args(Leaves)


def potential(
    rounds: Sequence[SignalRound],
    buckets: Sequence[int],
    *,
    distance: Distance = "l2",
    temporary: int | None = None,
    leaves: Leaves = "strength",
    game: str = "",
    method: str = "potential",
    refine: Partition | None = None,
) -> Partition:
    """Return buckets of views by their histograms, at most ``buckets[r]`` in round r."""
    for what, found, known in (("distance", distance, DISTANCES), ("leaves", leaves, LEAVES)):
        if found not in known:
            raise EquipoiseError(
                f"Potential-aware abstraction: found the {what} '{found}', expected one of "
                f"{', '.join(known)}."
            )
    if temporary is not None and temporary < 1:
        raise EquipoiseError(
            f"Potential-aware abstraction: found {temporary} temporary clusters, expected at least 1."
        )
    sizes = [temporary or count for count in buckets]
    return abstraction_by(
        rounds,
        buckets,
        lambda tree, _: by_potential(tree, sizes, distance, leaves),
        game=game,
        method=method,
        refine=refine,
    )


def by_potential(
    tree: ViewTree,
    sizes: Sequence[int],
    distance: Distance = "l2",
    leaves: Leaves = "strength",
) -> Cluster:
    """Return how to cluster views of ``tree`` by their histograms.

    A pass for round r has at most ``sizes[r]`` temporary clusters in every later round.
    """
    by_last = by_strength(tree)

    def cluster(turn: int, views: Places, most: int) -> Clusterings:
        is_last = turn == tree.rounds - 1
        if is_last and leaves == "strength":
            return by_last(turn, views, most)
        if is_last:
            points = (tree.outcomes if leaves == "outcomes" else tree.against)[views]
        else:
            points = _histograms(tree, turn, views, sizes[turn], distance)
        return in_space(points, tree.weights[turn][views], most, _metric(distance))

    return cluster


def _metric(distance: Distance) -> Metric:
    """Return the distance between points: earth mover's distances are L1 distances of other points."""
    return "l2" if distance == "l2" else "l1"


def _histograms(tree: ViewTree, turn: int, views: Places, size: int, distance: Distance) -> Floats:
    """Return, for each of ``views``, the probability of each cluster of views that may follow it.

    The clusters, ``size`` at most and in the order of their strength, are those of a bottom-up pass over
    what follows ``views``. For the earth mover's distance they become points whose L1 distances it is.
    """
    later = tree.children(turn, views)
    weights, strengths = tree.weights[turn + 1][later], tree.strengths[turn + 1][later]
    if turn + 1 == tree.rounds - 1:
        found = on_line(strengths, weights, size)
    else:
        points = _histograms(tree, turn + 1, later, size, distance)
        found = in_space(points, weights, size, _metric(distance))
    label = found.labels(found.most)
    mass = np.bincount(label, weights=weights)
    centre = np.bincount(label, weights=weights * strengths) / mass
    order = np.argsort(np.round(centre, 12), kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    row = np.zeros(len(tree.weights[turn]), dtype=np.int64)
    row[views] = np.arange(len(views))
    histogram = histograms(
        row[tree.parents[turn + 1][later]], rank[label], weights, (len(views), len(order))
    )
    return for_earth_mover(histogram, centre[order]) if distance == "emd" else histogram
