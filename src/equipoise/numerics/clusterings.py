"""Clusterings of weighted points into 1, 2, 3, ... clusters: all numbers of clusters at once.

Whoever shares clusters among several sets of points (:mod:`equipoise.numerics.sharing`) needs, for each
set, the error of its best clustering into k clusters for every k. :func:`on_line` finds all of them exactly
for numbers, :func:`in_space` well for vectors, and :func:`by_linkage` cuts the longest links of a
spanning tree.

Points that are equal up to rounding are one point, so that equal things are never put apart; hence there
may be fewer clusters than asked for. Nothing is drawn at random: the same points give the same clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.condense import cells
from equipoise.numerics.refinement import levels_of, number_classes

Floats = NDArray[np.float64]
Labels = NDArray[np.uint32]

Metric = Literal["l2", "l1"]
METRICS: tuple[Metric, ...] = get_args(Metric)

# Coordinates and distances are compared to this many decimals: points are probabilities, or sums of some.
_DECIMALS = 11
# How many places for one more centre are tried out.
_TRIES = 8
_LONGEST = 100
# More points than these are put into as many cells first.
_MANY = 1024
_NOTHING = 1e-18


@dataclass(frozen=True, eq=False)
class Clusterings:
    """Clusterings of some points into k = 1, ..., ``most`` clusters.

    ``errors[k - 1]`` is the error with k clusters, and ``labels(k)`` the cluster of each point; clusters are
    numbered from 0 in the order of their first points.
    """

    errors: Floats
    cut: Callable[[int], NDArray[Any]]

    @property
    def most(self) -> int:
        """The largest number of clusters: that of distinct points, unless fewer were asked for."""
        return len(self.errors)

    def labels(self, k: int) -> Labels:
        """Return the cluster of each point."""
        if not 1 <= k <= self.most:
            raise EquipoiseError(f"Clusters: found {k}, expected 1 to {self.most}.")
        return number_classes(self.cut(k))


def on_line(values: ArrayLike, weights: ArrayLike, most: int) -> Clusterings:
    """Return the best clusterings of numbers, by the weighted sum of squared distances to the means.

    Clusters of an optimal clustering are intervals. With cost(i, j) the error of the sorted points i..j
    as one cluster, the error of the first j points in k clusters is

        D_k(j) = min_i D_{k-1}(i - 1) + cost(i, j).

    The cost satisfies the quadrangle inequality, so the best i does not decrease with j and each row is
    filled by divide and conquer in O(n log n) (Wang and Song 2011; Grønlund et al. 2017). For the same
    reason D_k(n) is convex in k (Aggarwal, Schieber and Tokuyama 1994).
    """
    points, mass = _checked(values, weights)
    level = levels_of(points, scale=float(np.abs(points).max(initial=1.0)))
    _, first, place = np.unique(level, return_index=True, return_inverse=True)
    # Weights are shares of the whole while errors are computed, and values are centred: rounding is then
    # far below any difference that counts.
    total = mass.sum()
    share = np.bincount(place, weights=mass / total)
    line = points[first] - np.average(points, weights=mass)
    sums = np.zeros((3, len(line) + 1))
    for row, power in enumerate((np.ones(len(line)), line, line * line)):
        np.cumsum(share * power, out=sums[row, 1:])

    def cut(k: int) -> NDArray[Any]:
        # The table of starts is made again, for k clusters only: kept for many sets of points, such
        # tables would fill the memory.
        start = _line_program(sums, k)[1]
        label, end = np.empty(len(line), dtype=np.int64), len(line) - 1
        for number in range(k - 1, -1, -1):
            begin = start[number, end]
            label[begin : end + 1] = number
            end = begin - 1
        return label[place]

    return Clusterings(_line_program(sums, min(most, len(line)))[0] * total, cut)


def _line_program(sums: Floats, most: int) -> tuple[Floats, NDArray[np.int32]]:
    """Return the errors with 1, ..., ``most`` clusters, and where the last of k of points 0..j starts."""
    # Compiled: Numba is loaded when it is needed.
    from equipoise.numerics.line_program import fill

    errors, start = np.empty(most), np.zeros((most, sums.shape[1] - 1), dtype=np.int32)
    fill(sums, errors, start)
    return errors, start


def in_space(
    points: ArrayLike, weights: ArrayLike, most: int, metric: Metric = "l2"
) -> Clusterings:
    """Return good clusterings of vectors; errors are weighted sums of distances to the centres.

    Centres are added one by one (the global k-means of Likas, Vlassis and Verbeek 2003): the k - 1 centres
    found before, and one of the points that would lower the error most at once, are improved by Lloyd's
    iteration (1982) and the best of the outcomes is kept. Then centres are taken away one by one in the
    same manner, and what is better than before is kept. What Lloyd minimises, the sum of squared distances
    for L2, where centres are means, and that of distances for L1, where they are medians, never rises
    with k.

    Where there are many points, all this is done for the means of cells that stand for them
    (:mod:`equipoise.numerics.condense`), one place for one more centre is tried, and errors are those of the
    means; Lloyd's iteration over all points then improves the clustering that is asked for.
    """
    if metric not in METRICS:
        raise EquipoiseError(
            f"Clusters: found the distance '{metric}', expected one of {', '.join(METRICS)}."
        )
    given, mass = _checked(points, weights)
    rounded = np.round(given.reshape(len(given), -1), _DECIMALS) + 0.0  # -0.0 is 0.0
    distinct, place = np.unique(rounded, axis=0, return_inverse=True)
    place = place.reshape(-1)
    # What never occurs is clustered too, and weighs too little to decide anything.
    share = np.maximum(np.bincount(place, weights=mass), _NOTHING * mass.sum())
    space = _Space(distinct, share, metric)
    if len(distinct) <= _MANY:
        found = space.clustered(most, _TRIES)
        return Clusterings(_errors(space, found), lambda k: found[k - 1].labels[place])
    few = _condensed(space)
    rough = few.clustered(most, 1)
    return Clusterings(
        _errors(few, rough), lambda k: space.improved(rough[k - 1].centres).labels[place]
    )


def by_linkage(distances: ArrayLike, most: int) -> Clusterings:
    """Return the clusters that are left when the longest links of a shortest spanning tree are cut.

    With all links above a threshold cut, these are the components of "no further apart than the threshold",
    chained (single linkage; Gower and Ross 1969). The error is the sum of the links that are left: who
    minimises it over several sets of points cuts the longest links of all, that is, at one threshold.
    """
    matrix = np.asarray(distances, dtype=np.float64)
    size = len(matrix)
    links = _spanning_tree(matrix)
    order = np.argsort([-length for _, _, length in links], kind="stable")
    length = np.array([links[i][2] for i in order])
    distinct = 1 + int((length > 0).sum())
    errors = length.sum() - np.concatenate(([0.0], np.cumsum(length)))

    def cut(k: int) -> NDArray[Any]:
        label = np.arange(size)
        for i in sorted(order[k - 1 :]):  # in the order in which the tree grew
            a, b, _ = links[i]
            label[label == label[b]] = label[a]
        return label

    return Clusterings(np.maximum(errors[: min(most, distinct)], 0.0), cut)


def _spanning_tree(distances: Floats) -> list[tuple[int, int, float]]:
    """Return the links (inside, outside, length) of Prim's tree (1957), grown from point 0."""
    size = len(distances)
    near, length = np.zeros(size, dtype=np.int64), distances[0].copy()
    outside, links = np.ones(size, dtype=bool), []
    outside[0] = False
    for _ in range(size - 1):
        new = int(np.where(outside, length, np.inf).argmin())
        links.append((int(near[new]), new, float(length[new])))
        outside[new] = False
        closer = distances[new] < length
        near[closer], length[closer] = new, distances[new][closer]
    return links


class _Outcome(NamedTuple):
    """Where Lloyd's iteration ended: what it minimises, centres, and the cluster of each point."""

    total: float
    centres: Floats
    labels: NDArray[Any]


def _total(outcome: _Outcome) -> float:
    return outcome.total


def _errors(space: _Space, outcomes: list[_Outcome]) -> Floats:
    return np.array([space.error(outcome) for outcome in outcomes])


def _condensed(space: _Space) -> _Space:
    """Return the weighted means of cells that stand for the points of ``space``."""
    cell = cells(space.points, space.weights, _MANY)
    mass = np.bincount(cell, weights=space.weights).astype(np.float64)
    part = space.weights / mass[cell]
    means = [np.bincount(cell, weights=part * column) for column in space.points.T]
    return _Space(np.stack(means, axis=1), mass, space.metric)


class _Space:
    """Distinct weighted points with a distance."""

    def __init__(self, points: Floats, weights: Floats, metric: Metric) -> None:
        self.points, self.weights, self.metric = points, weights, metric

    def clustered(self, most: int, tries: int) -> list[_Outcome]:
        """Return what Lloyd's iteration ends with for 1, ..., ``most`` centres."""
        found = [self.improved(self.points[:1])]
        while len(found) < min(most, len(self.points)):
            found.append(self.grown(found[-1].centres, tries))
        for k in range(len(found) - 1, 1, -1):
            found[k - 1] = min(found[k - 1], self.thinned(found[k].centres, tries), key=_total)
        return found

    @cached_property
    def pairs(self) -> Floats:
        """The distance of every point from every other."""
        return self.distances(self.points)

    def distances(self, centres: Floats) -> Floats:
        """Return the distance of every point from every centre; squared for L2."""
        found = np.empty((len(self.points), len(centres)))
        for j, centre in enumerate(centres):
            away = self.points - centre
            found[:, j] = (np.abs(away) if self.metric == "l1" else away * away).sum(axis=1)
        return np.round(found, _DECIMALS)

    def centres(self, labels: NDArray[Any], before: Floats) -> Floats:
        """Return the centre of every cluster; an empty one keeps its own."""
        found = before.copy()
        for k in range(len(before)):
            own = np.flatnonzero(labels == k)
            if len(own) == 0:
                continue
            points, weights = self.points[own], self.weights[own]
            if self.metric == "l1":
                found[k] = _medians(points, weights)
            else:
                found[k] = (weights[:, None] * points).sum(axis=0) / weights.sum()
        return found

    def error(self, outcome: _Outcome) -> float:
        """Return the weighted sum of distances."""
        away = self.points - outcome.centres[outcome.labels]
        if self.metric == "l1":
            return float(self.weights @ np.abs(away).sum(axis=1))
        return float(self.weights @ np.sqrt((away * away).sum(axis=1)))

    def improved(self, centres: Floats) -> _Outcome:
        """Return what Lloyd's iteration makes of ``centres``."""
        distances = self.distances(centres)
        labels = distances.argmin(axis=1)
        for _ in range(_LONGEST):
            centres = self.centres(labels, centres)
            distances = self.distances(centres)
            found = distances.argmin(axis=1)
            if np.array_equal(found, labels):
                break
            labels = found
        total = float(self.weights @ distances[np.arange(len(labels)), labels])
        return _Outcome(round(total, _DECIMALS), centres, labels)

    def grown(self, centres: Floats, tries: int) -> _Outcome:
        """Return an outcome with one centre more."""
        nearest = self.distances(centres).min(axis=1)
        gain = self.weights @ np.maximum(nearest[:, None] - self.pairs, 0.0)
        best = np.argsort(-np.round(gain, _DECIMALS), kind="stable")[:tries]
        return min((self.improved(np.vstack([centres, self.points[i]])) for i in best), key=_total)

    def thinned(self, centres: Floats, tries: int) -> _Outcome:
        """Return an outcome with one centre less."""
        distances = self.distances(centres)
        nearest = distances.argmin(axis=1)
        rows = np.arange(len(nearest))
        own = distances[rows, nearest]
        distances[rows, nearest] = np.inf
        loss = np.bincount(
            nearest, weights=self.weights * (distances.min(axis=1) - own), minlength=len(centres)
        )
        least = np.argsort(np.round(loss, _DECIMALS), kind="stable")[:tries]
        return min((self.improved(np.delete(centres, i, axis=0)) for i in least), key=_total)


def _medians(points: Floats, weights: Floats) -> Floats:
    """Return the weighted median of each coordinate, the lower one where there are two."""
    order = np.argsort(points, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0) >= weights.sum() / 2 - 1e-15
    middle = order[reached.argmax(axis=0), np.arange(points.shape[1])]
    return np.asarray(points[middle, np.arange(points.shape[1])])


def _checked(points: ArrayLike, weights: ArrayLike) -> tuple[Floats, Floats]:
    """Return points and weights as arrays, after checking them."""
    found, mass = np.asarray(points, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if len(found) == 0 or mass.shape != (len(found),):
        raise EquipoiseError(
            f"Clusters: found {len(found)} points and weights of shape {mass.shape}, expected at "
            "least one point and a weight for each."
        )
    if not np.isfinite(found).all() or not np.isfinite(mass).all() or mass.min() < 0:
        raise EquipoiseError(
            "Clusters: found points or weights that are negative or not finite, expected finite "
            "points with weights from zero up."
        )
    if mass.sum() <= 0:
        raise EquipoiseError("Clusters: found weights that sum to zero, expected some above zero.")
    return found, mass
