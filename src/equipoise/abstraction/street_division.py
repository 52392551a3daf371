"""Abstractions of poker of any size: hands are divided from the top down, street by street.

The methods of :mod:`equipoise.abstraction.expectation` and :mod:`equipoise.abstraction.potential`, for games
whose hands can be gone through but not listed (Gilpin and Sandholm 2007; Gilpin, Sandholm and Sørensen
2007). The hands below each bucket are clustered in 1, 2, 3, ... clusters, and the buckets that a round may have
are shared among the parents so that the sum of errors is least (:mod:`equipoise.numerics.sharing`).

What differs from small games is that clusters have centres, found from some hands after some classes of
first common cards; every other hand then goes to the nearest centre of its parent. (With all of them, the
centres are those of the whole game.) Hands differ by

* *expectation*: the mean of how they stand when the rest is dealt;
* *threshold*: the same, but clusters are chains of small differences, as many as are left when the longest are cut;
* *potential*: the histogram over clusters of what they become on the next street, where those clusters are
  found in the same way, from the bottom up, below each bucket that is to be divided. Histograms are compared
  by L2 or L1, or by the earth mover's distance, where the clusters lie on a line by how they win.

On the last street all look at how a hand stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.street_centres import (
    Centres,
    Distance,
    by_strength,
    centres_below,
    clusterings,
    labels_of,
    moved,
    shared,
    some_below,
)
from equipoise.abstraction.street_features import CompiledFeatures, StreetFeatures
from equipoise.abstraction.street_river import ByOpponents, ByStanding, LastStreet
from equipoise.abstraction.view_tree import OPPONENTS
from equipoise.games.poker.canonical import CanonicalViews
from equipoise.games.signals.rounds import Floats, Indices
from equipoise.games.signals.views import views
from equipoise.numerics.device import Array
from equipoise.numerics.threads import cores

Leaves = Literal["strength", "opponents"]
Feature = Literal["expectation", "potential", "threshold"]
FEATURES: tuple[Feature, ...] = get_args(Feature)
Each = Callable[[str, int, int], None]

_BOARDS = 64  # whole boards after a class by which centres of the last street are found, where all are too many
_POINTS = 2_000  # hands by which the centres of one parent are found
_SPARE = 4  # no parent gets more than so many times its even share of buckets
_HOLES, _ROOT = -1, -2  # levels before the first street: of hole cards, and of nothing


@dataclass(eq=False)
class _Sheet:
    """One class of first common cards: how hands stand, and their buckets on each level so far."""

    number: int
    standing: Array
    buckets: dict[int, Array] = field(default_factory=dict)


@dataclass(eq=False, kw_only=True)
class StreetDivision:
    """The division of the hands of a game into ``buckets[r]`` buckets in round r.

    ``classes`` are those of first common cards whose hands the centres are found by, and ``weights`` how many
    boards each stands for.
    """

    features: StreetFeatures
    buckets: Sequence[int]
    feature: Feature
    power: float
    temporary: int
    metric: Distance
    leaves: Leaves
    given: Indices | None
    classes: NDArray[Any]
    weights: Floats
    seed: int
    each: Each

    def __post_init__(self) -> None:
        self.how = "chain" if self.feature == "threshold" else self.metric
        named = views(self.features.game)
        assert isinstance(named, CanonicalViews), "poker games are seen up to symmetry"
        self.kinds = named.numbers(0, self.features.streets.holes)
        self.copies = np.bincount(self.kinds).astype(np.float64)
        self.last = self.features.last
        self.rules: dict[int, Centres] = {}
        # Temporary clusters of a level, below the buckets of another.
        self.below: dict[tuple[int, int], Centres] = {}
        self._tables: dict[Centres, NDArray[Any]] = {}
        self.holes: Indices = np.zeros(len(self.copies), dtype=np.uint32)
        self.parents: list[Indices] = []
        self.sheets = self._map("equities", self.classes.tolist(), self._sheet)

    def run(self) -> None:
        """Find all rules, from the first round to the last."""
        self._keep_holes(self._hole_labels() if self.given is None else self.given)
        for level in range(self.last + 1):
            self._prepare(level - 1)
            found = self._fit(
                f"round {self._turn(level) + 1}",
                level,
                level - 1,
                len(self.parents[-1]),
                self.buckets[self._turn(level)],
            )
            self.rules[level] = found
            self.parents.append(found.parents)
            for sheet in self.sheets if level < self.last else ():
                self._assign(sheet, level)

    def tables(self) -> list[NDArray[Any]]:
        """Return the buckets of all hands on all streets but the last, class by class."""
        streets = self.features.streets
        tables = [
            np.empty(
                (len(streets.first), streets.ways(level), len(street.hands)),
                dtype=np.min_scalar_type(self.rules[level].count - 1),
            )
            for level, street in enumerate(streets.streets[:-1])
        ]

        def fill(number: int) -> None:
            sheet = self._sheet(number)
            for level, table in enumerate(tables):
                table[number] = self.features.get(self._assign(sheet, level))

        if tables:
            self._map("tables", range(len(streets.first)), fill)
        return tables

    def last_street(self) -> LastStreet:
        """Return what tells the buckets of the last street."""
        rule = self.rules[self.last]
        if self.leaves == "opponents":
            return ByOpponents(self.opponents.astype(np.uint32), rule.centres, rule.first)
        return ByStanding(np.asarray(self._table(rule) + rule.first[:, None], dtype=np.uint32))

    def _table(self, rule: Centres) -> NDArray[Any]:
        """Return the nearest centre of the last street by parent and by how a hand stands: in few ways."""
        if rule not in self._tables:
            values = self._scaled(np.arange(2 * self.features.most + 1))
            self._tables[rule] = rule.nearest_on_line(values)
        return self._tables[rule]

    def _turn(self, level: int) -> int:
        """Return the round of a level."""
        return self.features.streets.quiet + level

    def _sheet(self, number: int) -> _Sheet:
        return _Sheet(number, self.features.standing(number))

    def _scaled(self, standing: Any) -> Any:
        """Return the probability of winning, to a power."""
        return (standing / (2.0 * self.features.most)) ** self.power

    def _hole_labels(self) -> Indices:
        """Return the bucket of each class of hole cards."""
        self._prepare(_ROOT)
        if self.buckets[0] >= len(self.copies):
            return np.arange(len(self.copies), dtype=np.uint32)
        if self.feature == "potential":
            points, seen = self._over_holes(
                lambda sheet: np.eye(self.temporary)[
                    self.features.get(self._labels(sheet, 0, _ROOT))[0]
                ]
            )
            points = moved(points, self.below[0, _ROOT], self.metric)
        else:
            points, seen = self._over_holes(lambda sheet: self._points(sheet, 0, _ROOT)[0])
        return labels_of(points, seen, self.copies, self.buckets[0], self.how)

    def _over_holes(self, of: Callable[[_Sheet], Floats]) -> tuple[Floats, NDArray[Any]]:
        """Return the mean of vectors of the first street by class of hole cards, and which have some."""
        points, mass = np.zeros((0, 0)), np.zeros(len(self.copies))
        for sheet, weight in zip(self.sheets, self.weights, strict=True):
            own, found = self.kinds[self.features.streets.hole_numbers(sheet.number)], of(sheet)
            if not len(points):
                points = np.zeros((len(self.copies), found.shape[1]))
            np.add.at(points, own, weight * found)
            np.add.at(mass, own, weight)
        seen = mass > 0
        points[seen] /= mass[seen, None]
        return points, seen

    def _keep_holes(self, labels: Indices) -> None:
        """Keep the buckets of the rounds before the first common cards."""
        self.holes, count = labels, int(labels.max()) + 1
        self.parents.append(np.zeros(count, dtype=np.uint32))
        for _ in range(1, self.features.streets.quiet):
            self.parents.append(np.arange(count, dtype=np.uint32))
        for sheet in self.sheets:
            self._assign(sheet, _HOLES)

    @cached_property
    def opponents(self) -> NDArray[np.int64]:
        """The cluster of opponents of each class of hole cards, by how often they win: the weakest first."""
        points, seen = self._over_holes(lambda sheet: self._expected(sheet, 0)[0])
        return by_strength(points[:, 0], seen, self.copies, OPPONENTS)

    def _prepare(self, base: int) -> None:
        """Find the temporary clusters below the buckets of level ``base``, from the bottom up."""
        if self.feature != "potential":
            return
        parents = 1 if base == _ROOT else len(self.parents[-1])
        for level in range(self.last, base + 1, -1):
            name = f"round {max(self._turn(base) + 2, 1)}, from the bottom up"
            self.below[level, base] = self._fit(name, level, base, parents, None)

    def _assign(self, sheet: _Sheet, level: int) -> Array:
        """Return, and keep, the bucket of every hand on a level: ``sheet`` knows those of the one before."""
        if level not in sheet.buckets:
            if level == _HOLES:
                own = self.kinds[self.features.streets.hole_numbers(sheet.number)]
                found = self.features.put(self.holes[own][None].astype(np.int64))
            else:
                found = self._nearest(sheet, level, level - 1, self.rules[level])
            sheet.buckets[level] = found
        return sheet.buckets[level]

    def _above(self, sheet: _Sheet, level: int, base: int) -> Array:
        """Return the bucket on level ``base`` of every hand of ``level``."""
        if base == _ROOT:
            shape = (
                self.features.streets.ways(level),
                len(self.features.streets.streets[level].hands),
            )
            return self.features.put(np.zeros(shape, dtype=np.int64))
        found, at = self._assign(sheet, base), max(base, 0)
        while at < level:
            found = self.features.down(at, found)
            at += 1
        return found

    def _features(self, sheet: _Sheet, level: int, base: int) -> Array:
        """Return a vector for every hand of ``level``, by what may follow below the buckets of ``base``."""
        if level == self.last:
            return sheet.standing[:, :, None]
        if self.feature == "potential":
            return self._histograms(sheet, level, base)
        return self._expected(sheet, level)

    def _expected(self, sheet: _Sheet, level: int) -> Array:
        """Return how every hand of ``level`` is expected to stand, as vectors of one number."""
        values = sheet.standing
        for place in range(self.last - 1, level - 1, -1):
            values = self.features.means(place, values)
        return values[:, :, None]

    def _histograms(self, sheet: _Sheet, level: int, base: int) -> Array:
        """Return the histogram of every hand of ``level`` over clusters of the next, as points to compare."""
        features, below = self.features, self.below[level + 1, base]
        above = self._above(sheet, level, base)
        if level + 1 == self.last:
            table = self._table(below)
            found = features.standing_histograms(above, sheet.standing, table, self.temporary)
        else:
            labels = self._labels(sheet, level + 1, base)
            found = features.histograms(level, labels, self.temporary)
        return features.moved(found, above, below.gaps) if self.metric == "emd" else found

    def _labels(self, sheet: _Sheet, level: int, base: int) -> Array:
        """Return the temporary cluster of every hand of ``level``, below the buckets of ``base``."""
        return self._nearest(sheet, level, base, self.below[level, base], is_temporary=True)

    def _nearest(
        self, sheet: _Sheet, level: int, base: int, rule: Centres, is_temporary: bool = False
    ) -> Array:
        """Return the bucket, or the cluster, of every hand of ``level``."""
        parents, features = self._above(sheet, level, base), self.features
        if level == self.last:
            label = features.look_up(features.put(self._table(rule)), parents, sheet.standing)
        else:
            points = self._features(sheet, level, base)
            if self._is_line(level):
                points = self._scaled(points)
            is_l1, centres = self.metric != "l2", features.put(rule.centres)
            label = features.nearest(points, parents, centres, is_l1)
            label = label if rule.each == 1 else label // rule.each
        if is_temporary:
            return label
        first = features.put(rule.first[:, None].astype(np.int64))
        return label + features.look_up(first, parents, parents * 0)

    def _points(self, sheet: _Sheet, level: int, base: int) -> Floats:
        """Return the vectors of the hands of ``level``, here and in double precision."""
        found = np.asarray(self.features.get(self._features(sheet, level, base)), dtype=np.float64)
        return np.asarray(self._scaled(found)) if self._is_line(level) else found

    def _is_line(self, level: int) -> bool:
        """Whether hands of a level differ by a number alone."""
        return level == self.last or self.feature != "potential"

    def _fit(self, name: str, level: int, base: int, parents: int, total: int | None) -> Centres:
        """Return centres of the hands of ``level`` below each bucket of ``base``, ``total`` in all.

        Without a total each parent gets as many as there are temporary clusters.
        """
        even = self.temporary if total is None else -(-total // parents)
        most = self.temporary if total is None else min(total - parents + 1, _SPARE * even)
        is_standing = level == self.last and (total is None or self.leaves != "opponents")
        gathered = self._standings if is_standing else self._sampled
        found = [
            clusterings(points, mass, most, self.how)
            for points, mass in gathered(name, level, base, parents)
        ]
        if total is None:
            counts, width = np.array([len(own.centres) for own in found]), self.temporary
        else:
            counts = shared(found, total)
            width = int(counts.max())
        strengths = None if self._is_line(level) else self.below[level + 1, base].strengths
        return centres_below(found, self.how, counts, width, strengths)

    def _standings(
        self, name: str, level: int, base: int, parents: int
    ) -> list[tuple[Floats, Floats]]:
        """Return all ways to stand on the last street below each bucket of ``base``, and how often each is met."""

        def count(i: int) -> Floats:
            return np.asarray(self._met(self.sheets[i], base, parents) * self.weights[i])

        total = np.zeros((parents, 2 * self.features.most + 1))
        for met in self._map(name, [*range(len(self.sheets))], count):
            total += met
        values = self._scaled(np.arange(total.shape[1]))[:, None]
        return [(values[own > 0], own[own > 0]) for own in total]

    def _sampled(
        self, name: str, level: int, base: int, parents: int
    ) -> list[tuple[Floats, Floats]]:
        """Return points and weights of some hands of ``level`` after each class, below each bucket of ``base``."""
        share_of = max(1, _POINTS // len(self.sheets))

        def some(i: int) -> tuple[Floats, NDArray[Any], Floats]:
            sheet = self.sheets[i]
            random = np.random.default_rng((self.seed, sheet.number, level, base + 2))
            above = self.features.get(self._above(sheet, level, base))
            if level == self.last:
                boards = random.permutation(len(above))[:_BOARDS]
                points, above = self._equities(sheet, boards), above[boards]
            else:
                points = self._points(sheet, level, base)
            above = above.reshape(-1)
            own, stands_for = some_below(above, share_of, random)
            mass = self.weights[i] * stands_for
            return points.reshape(-1, points.shape[2])[own], above[own], mass

        points, above, mass = (
            np.concatenate(parts)
            for parts in zip(*self._map(name, [*range(len(self.sheets))], some), strict=True)
        )
        order = np.argsort(above, kind="stable")
        bounds = np.searchsorted(above[order], np.arange(parents + 1))
        return [
            (points[order[low:high]], mass[order[low:high]])
            for low, high in pairwise(bounds.tolist())
        ]

    def _equities(self, sheet: _Sheet, boards: NDArray[Any]) -> Floats:
        """Return the equities of all hands on some whole boards against each cluster of opponents."""
        features, streets = self.features, self.features.streets
        clusters = features.put(
            self.opponents[self.kinds[streets.hole_numbers(sheet.number)]][None]
        )
        for place in range(self.last):
            clusters = features.down(place, clusters)
        ranks = features.ranks(streets.after(sheet.number, self.last)[boards])
        count = int(self.opponents.max()) + 1
        own = features.rows(clusters, boards)
        return np.asarray(features.get(features.against(ranks, own, count)), dtype=np.float64)

    def _met(self, sheet: _Sheet, base: int, parents: int) -> NDArray[Any]:
        """Return how often hands below each bucket of ``base`` stand in each way on the last street."""
        if self.last:
            above = self._above(sheet, self.last - 1, base)
            return np.asarray(self.features.standings_met(above, sheet.standing, parents))
        ways, get = 2 * self.features.most + 1, self.features.get
        cell = get(self._above(sheet, 0, base)).astype(np.int64) * ways + get(sheet.standing)
        met = np.bincount(cell.reshape(-1), minlength=parents * ways)
        return np.asarray(met.reshape(parents, ways))

    def _map(self, name: str, numbers: Sequence[int], work: Callable[[int], Any]) -> list[Any]:
        """Do ``work`` for each class: on all cores where loops are compiled."""
        threads = cores() if isinstance(self.features, CompiledFeatures) else 1
        found = []
        with ThreadPoolExecutor(threads) as pool:
            for done, result in enumerate(pool.map(work, numbers)):
                found.append(result)
                self.each(name, done + 1, len(numbers))
        return found
