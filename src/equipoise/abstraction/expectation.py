"""Expectation-based abstraction: buckets of views that win alike often (Gilpin 2009, section 6.4).

The views below each bucket are clustered by their probability of winning, w + d/2 after a roll-out, or by
a power of it: with the square, strong views are told apart more finely (section 6.7). Where the thesis
runs k-means from several starting points, the clusterings here are the best there are
(:func:`equipoise.numerics.clusterings.on_line`), weighted by the probabilities of the views.

Views that win alike often are one to it, however differently they should be played: it may find fewer
buckets than it is allowed.
"""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.abstraction.base import Partition
from equipoise.abstraction.view_tree import Cluster, ViewTree, abstraction_by
from equipoise.games.signals.rounds import SignalRound
from equipoise.numerics.clusterings import Clusterings, on_line
from equipoise.numerics.nested import Places


def expectation(
    rounds: Sequence[SignalRound],
    buckets: Sequence[int],
    *,
    power: float = 1.0,
    game: str = "",
    method: str = "expectation",
    refine: Partition | None = None,
) -> Partition:
    """Return buckets of views by their strength to the ``power``, at most ``buckets[r]`` in round r."""
    return abstraction_by(
        rounds,
        buckets,
        lambda tree, _: by_strength(tree, power),
        game=game,
        method=method,
        refine=refine,
    )


def by_strength(tree: ViewTree, power: float = 1.0) -> Cluster:
    """Return how to cluster views of ``tree`` by their strength to the ``power``."""

    def cluster(turn: int, views: Places, most: int) -> Clusterings:
        return on_line(tree.strengths[turn][views] ** power, tree.weights[turn][views], most)

    return cluster
