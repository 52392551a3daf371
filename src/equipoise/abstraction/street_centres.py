"""Centres of the hands below each bucket, by which every other hand finds its own.

Hands are clustered below each parent by one of the methods of small games, from some of them: by k-means
(:mod:`equipoise.abstraction.expectation`, :mod:`equipoise.abstraction.potential`), or by chains of small
differences (:mod:`equipoise.abstraction.threshold`). A cluster is kept as one or two points, and a hand goes to the
nearest. On a line a chain is an interval, and two points, its ends, are all of it: what is inside is never nearer
to an end of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from equipoise.games.signals.rounds import Floats, Indices
from equipoise.numerics.clusterings import on_line
from equipoise.numerics.histograms import for_earth_mover
from equipoise.numerics.lloyd import CentreSets, centres_of
from equipoise.numerics.refinement import number_classes
from equipoise.numerics.sharing import share

Distance = Literal["l2", "l1", "emd"]
DISTANCES: tuple[Distance, ...] = get_args(Distance)


@dataclass(frozen=True, eq=False)
class Centres:
    """The clusters below each parent, as points padded with infinities.

    Attributes
    ----------
    centres
        By parent, the points: ``each`` of them stand for one cluster, one after another.
    strengths
        By parent, the probability of winning of each cluster, from the weakest to the strongest; empty where
        nobody asks for it.
    first
        By parent, the number of its first cluster.
    count
        How many clusters there are.
    """

    centres: Floats
    strengths: Floats
    first: NDArray[np.int64]
    count: int
    each: int = 1

    @property
    def most(self) -> int:
        """The largest number of clusters of a parent."""
        return int(self.centres.shape[1]) // self.each

    @cached_property
    def parents(self) -> Indices:
        """The parent of each cluster."""
        ends = np.append(self.first[1:], self.count)
        return np.repeat(np.arange(len(self.first), dtype=np.uint32), ends - self.first)

    @property
    def gaps(self) -> Floats:
        """By parent, how far each cluster is from the next, as the earth mover's distance counts it."""
        return np.diff(self.strengths, axis=1)

    def nearest_on_line(self, values: Floats) -> NDArray[Any]:
        """Return the nearest cluster of each of ``values`` below each parent: a row a parent."""
        # Parent by parent: all at once would need much memory.
        near = [np.abs(values - own[:, :1]).argmin(axis=0) // self.each for own in self.centres]
        return np.array(near, dtype=np.min_scalar_type(self.most - 1))


def clusterings(points: Floats, weights: Floats, most: int, how: str) -> CentreSets:
    """Return clusters of ``points``: for a distance, by k-means; for ``chain``, by single linkage on a line."""
    if not len(weights):
        # Where no hand of the sample is in a bucket, whatever comes goes to its one child.
        return CentreSets(np.zeros(1), [np.zeros((2 if how == "chain" else 1, points.shape[1]))])
    if how == "chain":
        return _chains(points[:, 0], most)
    return centres_of(points, weights, most, "l2" if how == "l2" else "l1")


def centres_below(
    found: Sequence[CentreSets],
    how: str,
    counts: NDArray[np.int64],
    width: int,
    strengths: Floats | None,
) -> Centres:
    """Return ``counts[i]`` clusters of each parent, in order, with room for ``width`` of them.

    Without ``strengths`` points are strengths; with them, they are points of the earth mover's distance between
    histograms over clusters of these strengths.
    """
    each = 2 if how == "chain" else 1
    size = found[0].centres[0].shape[1]
    centres = np.full((len(found), width * each, size), np.inf)
    order = np.zeros((len(found), width))
    for i, (own, count) in enumerate(zip(found, counts.tolist(), strict=True)):
        points = own.centres[count - 1]
        if how == "emd" and strengths is not None:
            # A distribution's mean is its largest value less all that is moved below it.
            mean = strengths[i][-1] - points.sum(axis=1)
            points, mean = points[np.argsort(mean, kind="stable")], np.sort(mean)
        else:
            points = points[np.lexsort(points.T[::-1])]
            mean = points[::each, 0]
        centres[i, : count * each] = points
        order[i] = np.append(mean, np.full(width - count, mean[-1]))
    first = np.concatenate(([0], np.cumsum(counts)[:-1]))
    return Centres(centres, order, first, int(counts.sum()), each)


def shared(found: Sequence[CentreSets], total: int) -> NDArray[np.int64]:
    """Return how many clusters each parent gets of ``total``, so that the sum of errors is least."""
    return share([own.errors for own in found], total)


def moved(histograms: Floats, below: Centres, distance: str) -> Floats:
    """Return rows of histograms over the clusters below the root, as points of ``distance``."""
    return for_earth_mover(histograms, below.strengths[0]) if distance == "emd" else histograms


def labels_of(points: Floats, seen: NDArray[Any], weights: Floats, count: int, how: str) -> Indices:
    """Return clusters of a few points that are all at hand; those that were not seen go to the nearest."""
    found = clusterings(points[seen], weights[seen], count, how)
    away = np.abs(points[:, None] - found.centres[-1])
    far = (away * away if how == "l2" else away).sum(axis=2).argmin(axis=1)
    own = far // 2 if how == "chain" else far
    return np.asarray(np.unique(own, return_inverse=True)[1], dtype=np.uint32)


def by_strength(
    values: Floats, seen: NDArray[Any], weights: Floats, most: int
) -> NDArray[np.int64]:
    """Return the best clusters of numbers, the smallest first; those that were not seen are in the first."""
    found = on_line(values[seen], weights[seen], most)
    labels, order = np.zeros(len(seen), dtype=np.int64), np.argsort(values[seen], kind="stable")
    labels[np.flatnonzero(seen)[order]] = number_classes(found.labels(found.most)[order])
    return labels


def some_below(
    above: NDArray[Any], count: int, random: np.random.Generator
) -> tuple[NDArray[np.int64], Floats]:
    """Return ``count`` hands at random of each bucket in ``above``, and how many each stands for."""
    order = random.permutation(len(above))
    order = order[np.argsort(above[order], kind="stable")]
    own = above[order]
    first = np.searchsorted(own, own, side="left")
    size = np.searchsorted(own, own, side="right") - first
    kept = np.arange(len(own)) - first < count
    return order[kept], size[kept] / np.minimum(size[kept], count)


def _chains(values: Floats, most: int) -> CentreSets:
    """Return intervals of numbers that are left when the longest gaps are cut, given by their ends.

    A link between two hands weighs the square of their difference, and the error is the sum of those left
    (:func:`equipoise.numerics.clusterings.by_linkage`).
    """
    line = np.unique(values)
    gaps = np.diff(line) ** 2
    longest = np.argsort(-gaps, kind="stable")[: max(0, min(most, len(line)) - 1)]
    errors = gaps.sum() - np.concatenate(([0.0], np.cumsum(gaps[longest])))
    ends = []
    for k in range(len(longest) + 1):
        cuts = np.sort(longest[:k])
        starts, stops = np.append(0, cuts + 1), np.append(cuts, len(line) - 1)
        ends.append(np.stack([line[starts], line[stops]], axis=1).reshape(-1, 1))
    return CentreSets(np.maximum(errors, 0.0), ends)
