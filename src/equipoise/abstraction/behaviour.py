"""Strategy-based abstraction: buckets of views that are played alike in equilibrium.

GS4 first solved a shorter game with all views of the first round told apart, then put those together whose
strategy vectors are close in L1, and went on by potential (Gilpin 2009, section 6.6). What the source leaves open is
settled so: the vector of a view is its part of the realization plan, so that decisions which are never
reached do not count; where both players have the same views, the vectors of both are put side by side, and the
buckets are common; clusters have medians for centres.

Nothing is solved here: vectors come from outside, as plain arrays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.abstraction.base import Partition
from equipoise.abstraction.potential import by_potential
from equipoise.abstraction.view_tree import Cluster, ViewTree, abstraction_by, view_trees
from equipoise.errors import EquipoiseError
from equipoise.games.poker.canonical import CanonicalViews
from equipoise.games.poker.game import PokerGame
from equipoise.games.poker.streets import Streets
from equipoise.games.signals.rounds import Floats, Indices, SignalRound
from equipoise.games.signals.views import views
from equipoise.numerics.clusterings import Clusterings, in_space
from equipoise.numerics.nested import Places


def strategy_based(
    rounds: Sequence[SignalRound],
    buckets: Sequence[int],
    *,
    vectors: Sequence[tuple[Floats, Floats]],
    game: str = "",
    method: str = "strategy",
    refine: Partition | None = None,
) -> Partition:
    """Return buckets by ``vectors`` in the first rounds, and by potential in those that follow.

    ``vectors[r][i]`` has a row for each view of player i in round r: how she plays it.
    """
    for r, (signals, pair) in enumerate(zip(rounds, vectors, strict=False)):
        found = tuple(len(own) for own in pair)
        if found != signals.views:
            raise EquipoiseError(
                f"Strategy-based abstraction, round {r + 1}: found vectors for {found} views, expected "
                f"{signals.views}."
            )
    first, second = view_trees(rounds)
    is_common = first.equals(second)

    def cluster(tree: ViewTree, player: int) -> Cluster:
        own = [np.hstack(pair) if is_common else pair[player] for pair in vectors]
        return by_behaviour(tree, own, by_potential(tree, list(buckets)))

    return abstraction_by(rounds, buckets, cluster, game=game, method=method, refine=refine)


def by_behaviour(tree: ViewTree, vectors: Sequence[Floats], later: Cluster) -> Cluster:
    """Return how to cluster views by their ``vectors``, and where there are none, as ``later`` does."""

    def cluster(turn: int, views: Places, most: int) -> Clusterings:
        if turn >= len(vectors):
            return later(turn, views, most)
        return in_space(vectors[turn][views], tree.weights[turn][views], most, "l1")

    return cluster


def alike(vectors: Floats, game: PokerGame, most: int) -> Indices:
    """Return buckets of the classes of hole cards of ``game``, a row of ``vectors`` each, weighted by their deals."""
    named = views(game)
    assert isinstance(named, CanonicalViews), "poker games are seen up to symmetry"
    copies = np.bincount(named.numbers(0, Streets(game).holes)).astype(np.float64)
    found = in_space(vectors, copies, most, "l1")
    return np.asarray(found.labels(found.most), dtype=np.uint32)
