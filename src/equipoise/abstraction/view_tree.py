"""A player's views as plain arrays, and how they are divided into buckets from the top down.

Lossy abstraction needs little of a game: how likely each view of a player is, which view of the round
before it extends, and how strong it is (the *abstraction tree* of Gilpin 2009, section 6.4). A
:class:`ViewTree` is that, without any list of deals; :func:`view_trees` makes both players' from the deals
of a game that can list them.

:func:`divide` is the part that all methods share. Round by round, the views of each bucket of the round
before are clustered in every possible number of clusters, and the number of buckets that the round may
have is shared among those parents so that the sum of errors is least (:mod:`equipoise.numerics.nested`).
A method only says how the views of one parent are clustered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.base import PLAYERS, Partition, add_up
from equipoise.abstraction.lossless import marginal
from equipoise.errors import EquipoiseError
from equipoise.games.signals.rounds import Floats, Indices, SignalRound
from equipoise.numerics.clusterings import Clusterings, on_line
from equipoise.numerics.nested import Places, nested
from equipoise.numerics.refinement import levels_of, number_classes

OPPONENTS = 8
Cluster = Callable[[int, Places, int], Clusterings]
"""Given a round, some of its views, and how many clusters at most: their clusterings."""


@dataclass(frozen=True, eq=False)
class ViewTree:
    """The views of one player, round by round.

    Attributes
    ----------
    parents
        The view of the round before that each view extends (zeros in round 0).
    weights
        Probability of each view.
    strengths
        Expected outcome of each view to the player when the rest is dealt and nobody acts any more, from 0
        (the worst outcome there is) to 1 (the best). In poker, the probability of winning, w + d/2.
    levels, outcomes
        The outcomes that occur in the last round, from 0 to 1 (in poker 0, 1/2 and 1), and how often each
        of them follows each of its views: a row a view.
    against
        Strength of each view of the last round against each of some clusters of opponents, the weakest first
        (:func:`_against`): a row a view.
    """

    parents: tuple[Indices, ...]
    weights: tuple[Floats, ...]
    strengths: tuple[Floats, ...]
    levels: Floats
    outcomes: Floats
    against: Floats

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return len(self.parents)

    def children(self, turn: int, views: Places) -> Places:
        """Return the views of round ``turn + 1`` that extend some of ``views``."""
        is_parent = np.zeros(len(self.weights[turn]), dtype=bool)
        is_parent[views] = True
        return np.flatnonzero(is_parent[self.parents[turn + 1]])

    def equals(self, other: ViewTree) -> bool:
        """Say whether two players have the same views: then they get the same buckets."""
        return all(
            mine.shape == theirs.shape and np.allclose(mine, theirs, rtol=1e-9, atol=1e-12)
            for mine, theirs in zip(self._arrays, other._arrays, strict=True)
        )

    @property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return (
            *self.parents,
            *self.weights,
            *self.strengths,
            self.levels,
            self.outcomes,
            self.against,
        )


def view_trees(rounds: Sequence[SignalRound]) -> tuple[ViewTree, ViewTree]:
    """Return the views of both players of a game whose deals are listed.

    Strengths are mean outcomes of the last round, over all kinds of outcome that may end it, each scaled
    to go from 0 to 1; those of earlier rounds are means over the views that follow.
    """
    last = rounds[-1]
    if not last.values:
        raise EquipoiseError(
            "Abstraction by strength: found no outcome in the last round that depends on the signals, "
            "expected one, such as a showdown."
        )
    scaled = np.mean([_scaled(value) for value in last.values.values()], axis=0)
    outcomes = scaled, 1.0 - scaled
    found = [_strengths(rounds, player, outcomes[player]) for player in PLAYERS]
    trees = []
    for player in PLAYERS:
        parents = tuple(signals.parents[player] for signals in rounds)
        weights = tuple(marginal(signals, player) for signals in rounds)
        strengths, levels, often = found[player]
        against = _against(rounds, player, outcomes[player], strengths[-1], found[1 - player][0][0])
        trees.append(ViewTree(parents, weights, tuple(strengths), levels, often, against))
    return trees[0], trees[1]


def _strengths(
    rounds: Sequence[SignalRound], player: int, mine: Floats
) -> tuple[list[Floats], Floats, Floats]:
    """Return a player's strengths, round by round, the outcomes that occur, and how often they do."""
    weights = [marginal(signals, player) for signals in rounds]
    levels, outcomes = _outcomes(rounds[-1], player, mine)
    strengths = [(outcomes * levels).sum(axis=1)]
    for r in range(len(rounds) - 1, 0, -1):
        up = rounds[r].parents[player]
        total = add_up(up, weights[r] * strengths[0], len(weights[r - 1]))
        strengths.insert(0, total / add_up(up, weights[r], len(weights[r - 1])))
    return strengths, levels, outcomes


def _against(
    rounds: Sequence[SignalRound], player: int, mine: Floats, strengths: Floats, theirs: Floats
) -> Floats:
    """Return the strength of each view of the last round against each cluster of opponents.

    Opponents are clustered by the strengths ``theirs`` of their views in the first round, into eight clusters at
    most (Johanson et al. 2013, who cluster their hands by potential). Where a view leaves no opponent of a
    cluster, its strength against all of them stands.
    """
    last, other = rounds[-1], 1 - player
    found = on_line(theirs, marginal(rounds[0], other), OPPONENTS)
    order = np.argsort(theirs, kind="stable")
    cluster = np.empty(len(theirs), dtype=np.int64)
    cluster[order] = number_classes(found.labels(found.most)[order])  # the weakest first
    for signals in rounds[1:]:
        cluster = cluster[signals.parents[other]]
    cell = last.pairs[player].astype(np.int64) * found.most + cluster[last.pairs[other]]
    size = last.views[player] * found.most
    met, won = add_up(cell, last.weight, size), add_up(cell, last.weight * mine, size)
    whole = np.repeat(strengths, found.most)
    return np.where(met > 0, won / np.where(met > 0, met, 1.0), whole).reshape(-1, found.most)


def _outcomes(last: SignalRound, player: int, mine: Floats) -> tuple[Floats, Floats]:
    """Return the distinct outcomes ``mine`` of the last deals, and how often each follows each view."""
    level = levels_of(mine, scale=1.0)
    _, first, place = np.unique(level, return_index=True, return_inverse=True)
    cell = last.pairs[player].astype(np.int64) * len(first) + place
    met = add_up(cell, last.weight, last.views[player] * len(first))
    met = met.reshape(-1, len(first))
    return mine[first], met / np.maximum(met.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def _scaled(value: Floats) -> Floats:
    """Return outcomes moved to the range from 0 to 1; poker's loss, tie and win to 0, 1/2 and 1."""
    size = np.abs(value).max(initial=0.0) or 1.0
    return (1.0 + value / size) / 2.0


def abstraction_by(
    rounds: Sequence[SignalRound],
    buckets: Sequence[int],
    cluster: Callable[[ViewTree, int], Cluster],
    *,
    game: str = "",
    method: str = "",
    refine: Partition | None = None,
) -> Partition:
    """Return the abstraction whose buckets ``cluster(tree, player)`` makes, for both players.

    There are at most ``buckets[r]`` buckets in round r: fewer where fewer views can be told apart. With
    ``refine``, every bucket lies within one of that abstraction's.
    """
    trees = view_trees(rounds)
    found: list[list[Indices]] = []
    for player in PLAYERS:
        coarse = None if refine is None else [pair[player] for pair in refine.maps]
        same = player == 1 and trees[1].equals(trees[0])
        if same and (refine is None or all(np.array_equal(*pair) for pair in refine.maps)):
            found.append(found[0])
        else:
            found.append(divide(trees[player], buckets, cluster(trees[player], player), coarse))
    maps = list(zip(found[0], found[1], strict=True))
    return Partition.of(rounds, maps, game=game, method=method)


def divide(
    tree: ViewTree,
    buckets: Sequence[int],
    cluster: Cluster,
    coarse: Sequence[Indices] | None = None,
) -> list[Indices]:
    """Return the bucket of each view in each round, at most ``buckets[r]`` in round r.

    With ``coarse`` maps, views of different buckets there are kept apart.
    """
    require_buckets(tree, buckets)
    maps: list[Indices] = []
    for turn, total in enumerate(buckets):
        above = maps[-1][tree.parents[turn]] if turn else np.zeros(len(tree.weights[0]), np.uint32)
        key = above.astype(np.int64)
        if coarse is not None:
            key = key * (int(coarse[turn].max()) + 1) + coarse[turn]
        group = number_classes(key)
        groups = int(group.max()) + 1
        if total < groups:
            raise EquipoiseError(
                f"Buckets of round {turn + 1}: found {total}, expected at least {groups}, one for "
                "each bucket that is to be refined."
            )
        bucket = nested(group, total, partial(cluster, turn))
        maps.append(bucket)
    return maps


def require_buckets(tree: ViewTree, buckets: Sequence[int]) -> None:
    """Raise unless ``buckets`` are numbers of buckets that the rounds of ``tree`` can have."""
    text = "-".join(map(str, buckets))
    views = [len(weights) for weights in tree.weights]
    if len(buckets) != tree.rounds:
        raise EquipoiseError(
            f"Buckets {text}: found numbers for {len(buckets)} rounds, expected {tree.rounds}."
        )
    before = 1
    for turn, count in enumerate(buckets):
        if count < before:
            raise EquipoiseError(
                f"Buckets {text}: found {count} in round {turn + 1}, expected at least {before}: "
                "every bucket of the round before has one."
            )
        if count > views[turn]:
            raise EquipoiseError(
                f"Buckets {text}: found {count} in round {turn + 1}, expected at most its "
                f"{views[turn]} views."
            )
        before = count
