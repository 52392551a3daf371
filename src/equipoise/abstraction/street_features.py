"""What can be said of poker hands without listing them: how they stand, and what may become of them.

On a whole board a hand *stands* at ``most`` plus the hands it beats less those that beat it, of the
``most`` hands that it can meet: a whole number from 0 to ``2 most``, which is ``2 most`` times its probability
w + d/2 of winning against any hand. On an earlier street it has a histogram: how often it becomes each kind
of hand on the next one (Gilpin, Sandholm and Sørensen 2007).

Everything is worked out for one class of first common cards at a time
(:mod:`equipoise.games.poker.streets`), on arrays (board, hand), by one of two backends with one contract:
compiled loops, and arrays of any library on any device.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from math import comb
from typing import Any

import numpy as np

from equipoise.cards.board_sums import Meetings, SignedShowdowns, SortedShowdowns
from equipoise.errors import EquipoiseError
from equipoise.games.poker.board_strength import board_strength
from equipoise.games.poker.game import PokerGame
from equipoise.games.poker.streets import Streets
from equipoise.numerics.device import Array, Device

_AT_ONCE = 1 << 29  # numbers in a matrix of signs


class StreetFeatures(ABC):
    """Features of the hands of ``game``, after one class of first common cards at a time.

    Attributes
    ----------
    most
        The number of hands that a hand can meet on a whole board.
    ranks
        What ranks every hand on whole boards.
    """

    def __init__(self, game: PokerGame, xp: Any, device: Device | None = None) -> None:
        self.game, self.streets, self.xp = game, Streets(game), xp
        if game.players != 2 or game.hole > 2 or not self.streets.streets:
            raise EquipoiseError(
                f"{game.name}: found {game.players} players with {game.hole} private cards and "
                f"{sum(game.public)} common ones, expected two players with one or two, and some."
            )
        left = game.deck.size - sum(game.public)
        self.most = comb(left - game.hole, game.hole)
        self.ranks = board_strength(game, self.streets, device)

    @property
    def last(self) -> int:
        """The last street."""
        return len(self.streets.streets) - 1

    def standing(self, number: int) -> Array:
        """Return how every hand stands on every whole board after class ``number``."""
        first, which = self.streets.alike
        distinct = self.standing_of(self.ranks(self.streets.after(number, self.last)[first]))
        return self.rows(distinct, which)

    @abstractmethod
    def standing_of(self, ranks: Array) -> Array:
        """Return how every hand stands on whole boards where hands have ``ranks``."""

    def against(self, ranks: Array, clusters: Array, count: int) -> Array:
        """Return the equity of every hand against each cluster of opponents, on whole boards.

        Where a hand leaves no opponent of a cluster, its equity against all of them stands. Sums are of whole numbers,
        so hands alike have the very same equities.
        """
        xp, met = self.xp, self._meetings
        columns = [xp.astype(clusters == k, xp.float32) for k in range(count)]
        reach = xp.stack(columns, axis=2)
        margins, totals = self._margins(ranks, reach), met.totals(reach)
        whole = xp.astype(self.standing_of(ranks), xp.float32) / (2.0 * self.most)
        own = 0.5 + 0.5 * margins / xp.clip(totals, 1.0, None)
        return xp.where(totals > 0, own, whole[:, :, None])

    @cached_property
    def _meetings(self) -> Meetings:
        """Which hands of the last street can meet."""
        return Meetings(self.streets.streets[-1].hands, self.xp, self.xp.float32, self._at)

    def kept(self, array: Any) -> Array:
        """Return a NumPy array as this backend keeps it, put there once."""
        if id(array) not in self._kept:
            self._kept[id(array)] = array, self.put(array)
        return self._kept[id(array)][1]

    @cached_property
    def _kept(self) -> dict[int, tuple[Any, Array]]:
        return {}

    @property
    def _at(self) -> Any:
        """The device of the arrays."""
        return None

    @abstractmethod
    def _margins(self, ranks: Array, reach: Array) -> Array:
        """Return, for each hand, the reach of the hands it beats less that of those that beat it."""

    @abstractmethod
    def histograms(self, place: int, labels: Array, count: int) -> Array:
        """Return how often each hand of street ``place`` gets each of ``count`` labels on the next."""

    def standing_histograms(self, above: Array, standing: Array, table: Any, count: int) -> Array:
        """Return histograms over ``count`` labels of what each hand of the last street but one becomes.

        The label is in ``table``, by what the hand was (``above``) and by how it stands on the last street.
        """
        place = self.last - 1
        labels = self.look_up(self.put(table), self.down(place, above), standing)
        return self.histograms(place, labels, count)

    def moved(self, histograms: Array, above: Array, gaps: Any) -> Array:
        """Return points whose L1 distances are the earth mover's between ``histograms``.

        Clusters are in order, and ``gaps`` apart, by what hands were (:func:`equipoise.numerics.histograms.for_earth_mover`).
        """
        xp = self.xp
        apart = xp.take(self.put(gaps), xp.reshape(above, (-1,)), axis=0)
        apart = xp.reshape(xp.astype(apart, histograms.dtype), (*above.shape, gaps.shape[1]))
        return xp.cumulative_sum(histograms, axis=-1)[..., :-1] * apart

    def standings_met(self, above: Array, standing: Array, parents: int) -> Any:
        """Return how often hands that were one of ``parents`` stand in each way on the last street."""
        ways = 2 * self.most + 1
        cell = self.get(self.down(self.last - 1, above)).astype(np.int64) * ways
        cell += self.get(standing)
        return np.bincount(cell.reshape(-1), minlength=parents * ways).reshape(parents, ways)

    @abstractmethod
    def means(self, place: int, values: Array) -> Array:
        """Return the mean of ``values`` over what each hand of street ``place`` becomes on the next."""

    @abstractmethod
    def down(self, place: int, values: Array) -> Array:
        """Return, for each hand of street ``place + 1``, the value it had on street ``place``."""

    @abstractmethod
    def nearest(self, points: Array, parents: Array, centres: Array, is_l1: bool) -> Array:
        """Return the nearest of the centres of each point's parent (padded with infinities)."""

    @abstractmethod
    def look_up(self, table: Any, rows: Array, columns: Array) -> Array:
        """Return entries of a matrix of whole numbers."""

    @abstractmethod
    def rows(self, table: Any, numbers: Any) -> Array:
        """Return rows of a matrix, by a NumPy array of numbers."""

    @abstractmethod
    def follow(self, values: Array, places: Any) -> Array:
        """Return entries of each row, by a NumPy array of as many rows of places."""

    @abstractmethod
    def put(self, numbers: Any) -> Array:
        """Return an array as this backend keeps it."""

    @abstractmethod
    def get(self, array: Array) -> Any:
        """Return a NumPy array."""

    def _next(self, place: int) -> tuple[int, int, int]:
        """Return the deals and hands of the street after ``place``, and how many deals leave a hand."""
        after = self.streets.streets[place + 1]
        there = int((after.place[:, 0] < len(after.hands)).sum())
        return len(after.dealt), len(after.hands), there


class CompiledFeatures(StreetFeatures):
    """By compiled loops on the processor, with NumPy arrays; several classes may be in work at once."""

    def __init__(self, game: PokerGame) -> None:
        import array_api_compat.numpy as xp

        super().__init__(game, xp)

    def standing_of(self, ranks: Array) -> Array:
        """Return how every hand stands on whole boards where hands have ``ranks``."""
        from equipoise.abstraction.street_kernels import standing

        out = np.empty(ranks.shape, dtype=np.int16 if self.most < 1 << 14 else np.int32)
        standing(self.streets.streets[-1].hands, ranks.astype(np.int32, copy=False), self.most, out)
        return out

    def _margins(self, ranks: Array, reach: Array) -> Array:
        """Return, for each hand, the reach of the hands it beats less that of those that beat it."""
        return SortedShowdowns(self._meetings, ranks).margins(reach)

    def standing_histograms(self, above: Array, standing: Array, table: Any, count: int) -> Array:
        """Return histograms over labels in ``table``, without a list of the labels."""
        every = np.arange(above.size).reshape(above.shape)
        found = self._met(every, above, standing, table, (above.size, count), np.float32)
        return found.reshape(*above.shape, count) / np.float32(self._next(self.last - 1)[2])

    def standings_met(self, above: Array, standing: Array, parents: int) -> Any:
        """Return how often hands that were one of ``parents`` stand in each way on the last street."""
        shape = parents, 2 * self.most + 1
        every = np.broadcast_to(np.arange(shape[1]), shape)
        return self._met(above, above, standing, every, shape, np.int64)

    def _met(
        self, rows: Array, above: Array, standing: Array, labels: Any, shape: Any, kind: Any
    ) -> Any:
        """Return how often each row of hands of the last street but one gets each label on the last."""
        from equipoise.abstraction.street_kernels import standings_met

        out = np.zeros(shape, dtype=kind)
        deals, place = self._next(self.last - 1)[0], self.streets.streets[self.last].place
        standings_met(place, rows, above, standing, deals, labels, out)
        return out

    def histograms(self, place: int, labels: Array, count: int) -> Array:
        """Return how often each hand of street ``place`` gets each of ``count`` labels on the next."""
        from equipoise.abstraction.street_kernels import histograms

        deals, hands, there = self._next(place)
        after = self.streets.streets[place + 1]
        split = np.ascontiguousarray(labels).reshape(-1, deals, hands)
        out = np.zeros((len(split), after.place.shape[1], count), dtype=np.float32)
        histograms(after.place, split, out)
        return out / np.float32(there)

    def means(self, place: int, values: Array) -> Array:
        """Return the mean of ``values`` over what each hand of street ``place`` becomes on the next."""
        from equipoise.abstraction.street_kernels import sums

        deals, hands, there = self._next(place)
        after = self.streets.streets[place + 1]
        split = np.ascontiguousarray(values).reshape(-1, deals, hands)
        out = np.zeros((len(split), after.place.shape[1]))
        sums(after.place, split, out)
        return out / there

    def down(self, place: int, values: Array) -> Array:
        """Return, for each hand of street ``place + 1``, the value it had on street ``place``."""
        back = self.streets.streets[place + 1].back
        return np.asarray(values[:, back].reshape(-1, back.shape[1]))

    def nearest(self, points: Array, parents: Array, centres: Array, is_l1: bool) -> Array:
        """Return the nearest of the centres of each point's parent (padded with infinities)."""
        from equipoise.abstraction.street_kernels import nearest

        out = np.empty(parents.shape, dtype=np.int32)
        counts = np.isfinite(centres[:, :, 0]).sum(axis=1)
        flat = points.reshape(-1, centres.shape[2])
        nearest(flat, parents.reshape(-1), centres, counts, is_l1, out.reshape(-1))
        return out

    def look_up(self, table: Any, rows: Array, columns: Array) -> Array:
        """Return entries of a matrix of whole numbers."""
        return table[rows, columns]

    def rows(self, table: Any, numbers: Any) -> Array:
        """Return rows of a matrix."""
        return table[numbers]

    def follow(self, values: Array, places: Any) -> Array:
        """Return entries of each row."""
        return np.take_along_axis(values, places, axis=1)

    def put(self, numbers: Any) -> Array:
        """Return the array itself."""
        return np.asarray(numbers)

    def get(self, array: Array) -> Any:
        """Return the array itself."""
        return array


class ArrayFeatures(StreetFeatures):
    """By arrays of a library on a device."""

    def __init__(self, game: PokerGame, device: Device) -> None:
        super().__init__(game, device.xp, device)
        self.device = device
        self._meets = self.xp.astype(self._meetings.meets, self.xp.int8)
        self._ahead = device.fused(self._compared)

    def standing_of(self, ranks: Array) -> Array:
        """Return how every hand stands on whole boards where hands have ``ranks``."""
        boards, hands = ranks.shape
        at_once = max(1, _AT_ONCE // hands**2)
        starts = range(0, boards, at_once)
        found = [self._ahead(ranks[low : min(low + at_once, boards), :]) for low in starts]
        return self.xp.concat(found, axis=0) + self.most

    def _compared(self, ranks: Array) -> Array:
        """Return how many hands each one beats, less those that beat it."""
        xp, mine, theirs = self.xp, ranks[:, :, None], ranks[:, None, :]
        apart = xp.astype(mine > theirs, xp.int8) - xp.astype(mine < theirs, xp.int8)
        return xp.sum(apart * self._meets, axis=2, dtype=xp.int32)

    def _margins(self, ranks: Array, reach: Array) -> Array:
        """Return, for each hand, the reach of the hands it beats less that of those that beat it."""
        return SignedShowdowns(self._meetings, ranks, self.xp, self.xp.float32).margins(reach)

    def histograms(self, place: int, labels: Array, count: int) -> Array:
        """Return how often each hand of street ``place`` gets each of ``count`` labels on the next."""
        xp, there = self.xp, self._next(place)[2]
        moved = self._up(place, labels, count)
        columns = [
            xp.sum(xp.astype(moved == label, self.device.floats), axis=1) for label in range(count)
        ]
        return xp.stack(columns, axis=2) / there

    def means(self, place: int, values: Array) -> Array:
        """Return the mean of ``values`` over what each hand of street ``place`` becomes on the next."""
        moved = self._up(place, self.xp.astype(values, self.device.floats), 0.0)
        return self.xp.sum(moved, axis=1) / self._next(place)[2]

    def down(self, place: int, values: Array) -> Array:
        """Return, for each hand of street ``place + 1``, the value it had on street ``place``."""
        xp, back = self.xp, self.streets.streets[place + 1].back
        flat = xp.take(values, self._index("back", place, back), axis=1)
        return xp.reshape(flat, (-1, back.shape[1]))

    def nearest(self, points: Array, parents: Array, centres: Array, is_l1: bool) -> Array:
        """Return the nearest of the centres of each point's parent (padded with infinities)."""
        xp = self.xp
        flat = xp.reshape(points, (-1, centres.shape[2]))
        own = xp.reshape(parents, (-1,))
        best, label = None, None
        for k in range(centres.shape[1]):
            away = flat - xp.take(centres[:, k, :], own, axis=0)
            far = xp.sum(xp.abs(away) if is_l1 else away * away, axis=1)
            if best is None:
                best, label = far, xp.zeros_like(own)
            else:
                closer = far < best
                best = xp.where(closer, far, best)
                label = xp.where(closer, xp.full_like(own, k), label)
        return xp.reshape(label, parents.shape)

    def look_up(self, table: Any, rows: Array, columns: Array) -> Array:
        """Return entries of a matrix of whole numbers."""
        xp = self.xp
        place = xp.astype(rows, xp.int64) * table.shape[1] + xp.astype(columns, xp.int64)
        return xp.reshape(xp.take(xp.reshape(table, (-1,)), xp.reshape(place, (-1,))), place.shape)

    def rows(self, table: Any, numbers: Any) -> Array:
        """Return rows of a matrix."""
        return self.xp.take(table, self.put(numbers), axis=0)

    def follow(self, values: Array, places: Any) -> Array:
        """Return entries of each row."""
        rows = np.arange(len(places))[:, None] * values.shape[1] + places
        flat = self.xp.take(self.xp.reshape(values, (-1,)), self.put(rows.reshape(-1)))
        return self.xp.reshape(flat, places.shape)

    def put(self, numbers: Any) -> Array:
        """Copy an array to the device."""
        return self.device.put(np.asarray(numbers))

    def get(self, array: Array) -> Any:
        """Copy an array back."""
        return self.device.get(array)

    def _up(self, place: int, values: Array, filler: Any) -> Array:
        """Return (board, deal, hand) of street ``place``: values on the next, ``filler`` for cards dealt."""
        xp, (deals, hands, _) = self.xp, self._next(place)
        after = self.streets.streets[place + 1]
        split = xp.reshape(values, (-1, deals, hands))
        blank = xp.full((split.shape[0], deals, 1), filler, dtype=split.dtype, device=self._at)
        flat = xp.reshape(xp.concat([split, blank], axis=2), (split.shape[0], -1))
        rows = after.place + np.arange(deals)[:, None] * (hands + 1)
        moved = xp.take(flat, self._index("up", place, rows), axis=1)
        return xp.reshape(moved, (split.shape[0], deals, after.place.shape[1]))

    def _index(self, kind: str, place: int, rows: Any) -> Array:
        """Return places on the device, copied there once."""
        if (kind, place) not in self._indices:
            self._indices[kind, place] = self.put(rows.reshape(-1))
        return self._indices[kind, place]

    @cached_property
    def _indices(self) -> dict[tuple[str, int], Array]:
        return {}

    @property
    def _at(self) -> Any:
        return self.device.device


def street_features(game: PokerGame, device: Device | None = None) -> StreetFeatures:
    """Return features by compiled loops, or on ``device``."""
    return CompiledFeatures(game) if device is None else ArrayFeatures(game, device)
