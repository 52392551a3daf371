"""Buckets of poker hands, kept street by street: abstractions of games of any size that are looked up at once.

Up to the last street but one, the bucket of every hand on every board is in a table over classes of first
common cards (:mod:`equipoise.games.poker.streets`): for hold'em 2 million numbers on the flop and 97 million
on the turn. On the last street, where the table would be the longest by far, a bucket follows from the one
before and from how the hand fares (:mod:`equipoise.abstraction.street_river`).
Every bucket has a parent, so players forget nothing.

Hands and boards as cards are first turned, by a renaming of suits, to the class that is in the tables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.base import Pair
from equipoise.abstraction.hand_buckets import HandBuckets
from equipoise.abstraction.pairs_file import PairsFile
from equipoise.abstraction.street_features import StreetFeatures, street_features
from equipoise.abstraction.street_river import HandsThere, LastStreet, last_street
from equipoise.cards.deck import Cards
from equipoise.errors import EquipoiseError
from equipoise.games.poker.boards import Batch, Boards
from equipoise.games.poker.game import PokerGame
from equipoise.games.poker.streets import Streets, set_numbers
from equipoise.games.signals.rounds import Floats, Indices, SignalRound
from equipoise.games.signals.stage_game import StageGame
from equipoise.numerics.device import Array, Device

Numbers = NDArray[np.int64]


class StreetBuckets(HandBuckets):
    """An abstraction of a two-player poker game by tables over its streets.

    Parameters
    ----------
    game
        The poker game; suits must matter in it.
    parents
        By round, the bucket of the round before of each bucket; the children of a bucket are numbered one
        after another, bucket by bucket.
    quiet
        For each round before the first common cards, the bucket of each view.
    tables
        For each street but the last, buckets by class of first common cards, board and hand.
    last
        What tells the buckets of the last street.
    sample, seed
        How many boards :meth:`deals` draws, and from which seed; all boards unless told otherwise.
    device
        Where they are counted; by compiled loops unless told otherwise.

    Attributes
    ----------
    pairs
        A file to keep what is counted in, or to find it in; none unless one is named.
    """

    def __init__(
        self,
        game: PokerGame,
        parents: Sequence[Indices],
        quiet: Sequence[Indices],
        tables: Sequence[NDArray[Any]],
        last: LastStreet,
        *,
        sample: int | None = None,
        seed: int = 0,
        device: Device | None = None,
        method: str = "streets",
    ) -> None:
        if not game.suited:
            raise EquipoiseError(
                f"{game.name}: found hands that are compared without their suits, expected a game in "
                "which suits matter."
            )
        super().__init__(game, sample, seed, method)
        self.streets, self.device = Streets(game), device
        self.quiet, self.tables, self.last = tuple(quiet), tuple(tables), last
        self.pairs: PairsFile | None = None
        self._parents: tuple[Pair, ...] = tuple((own, own) for own in parents)
        self._require_shapes()

    @property
    def parents(self) -> tuple[Pair, ...]:
        """By round and player, the bucket of the round before that each bucket extends."""
        return self._parents

    @property
    def buckets(self) -> tuple[tuple[int, int], ...]:
        """Number of buckets of each player in each round."""
        return tuple((len(own), len(own)) for own, _ in self.parents)

    @cached_property
    def digest(self) -> str:
        """A digest of all tables."""
        digest = hashlib.sha256()
        parts = (*(own for own, _ in self.parents), *self.quiet, *self.tables)
        for array in (*parts, *self.last.arrays.values()):
            kind = "<f8" if array.dtype.kind == "f" else "<u4"
            digest.update(np.ascontiguousarray(array, dtype=kind).data)
        return digest.hexdigest()[:16]

    def bucket_of_hands(self, turn: int, hands: Cards) -> Indices:
        """Return the bucket of each hand: a row of hole cards, then the board of round ``turn``."""
        if turn < self.streets.quiet:
            return np.asarray(self.quiet[turn][self._views.numbers(turn, hands)], dtype=np.uint32)
        place = turn - self.streets.quiet
        number, hand, turned = self._located(place, hands)
        if place < len(self.tables):
            table = self.tables[place].reshape(-1, self.tables[place].shape[2])
            return np.asarray(table[number, hand], dtype=np.uint32)
        numbers, first, row = np.unique(number, return_index=True, return_inverse=True)
        boards, lookup = turned[first, self._rules.hole :], self.lookup()
        found = lookup.on_boards(place, numbers, lookup.features.ranks(boards))
        return np.asarray(found[row, hand], dtype=np.uint32)

    def classes(self, holes: Cards) -> Numbers:
        """Return the class of each row of hole cards."""
        return self._views.numbers(0, holes)

    def lookup(self, device: Device | None = None) -> StreetLookup:
        """Return what tells the buckets of whole boards by their numbers, on ``device``."""
        if device not in self._lookups:
            self._lookups[device] = StreetLookup(self, street_features(self._rules, device))
        return self._lookups[device]

    @cached_property
    def _lookups(self) -> dict[Device | None, StreetLookup]:
        return {}

    def deals(self, game: StageGame) -> tuple[SignalRound, ...]:
        """Return what nature deals in each round of ``game``, counted board by board."""
        from equipoise.abstraction.signal_pairs import BucketPairs, rounds_of_pairs

        self.check(game)
        own = [first for first, _ in self.parents]
        if self.device is None:
            return rounds_of_pairs(game.tree, own, *self._kept(self._counted))
        there = replace(self.device, dtype="float64")
        met, won = self._kept(lambda: self._counted_on(there), there)
        return BucketPairs(met, won, there).rounds(game.tree, own)

    def _kept(
        self, count: Callable[[], tuple[Array, Array]], there: Device | None = None
    ) -> tuple[Array, Array]:
        """Return what is counted, or was and is in the file :attr:`pairs`, on a device."""
        if self.pairs is None:
            return count()
        boards = "all boards" if self.sample is None else f"{self.sample} boards from {self.seed}"
        identity = f"{self.digest} on {boards}"
        before = self.pairs.load(identity, self.buckets[-1][0])
        if before is not None:
            met, won = before
            self.sampling_errors = self.pairs.errors
            return (met, won) if there is None else (there.put(met), there.put(won))
        found = count()
        met, won = found if there is None else (there.get(own) for own in found)
        self.pairs.save(identity, met, won, self.sampling_errors)
        return found

    def _counted(self) -> tuple[Floats, Floats]:
        """Return how often buckets of the last round meet and win, by compiled loops."""
        from equipoise.abstraction.bucket_pairs import count_pairs

        boards, lookup = Boards(self._rules), self.lookup()

        def bucket(batch: Batch, hands: Cards, ranks: NDArray[Any]) -> Indices:
            found = lookup.on_boards(len(self.tables), batch.numbers, ranks)
            return np.asarray(found, dtype=np.uint32)

        def count(batches: Iterable[Batch]) -> tuple[Floats, Floats]:
            return count_pairs(self._rules, boards, batches, bucket, self.buckets[-1][0])

        return self._counted_on_boards(count, boards)

    def _counted_on(self, device: Device) -> tuple[Array, Array]:
        """Return the same on ``device``, where they stay."""
        from equipoise.abstraction.pairs_on_device import BATCH, MANY, count_pairs_on_device

        at_once = MANY if device.is_cuda else BATCH
        there = self.lookup(device)

        def count(batches: Iterable[Batch]) -> tuple[Array, Array]:
            return count_pairs_on_device(there, batches, self.buckets[-1][0])

        return self._counted_on_boards(count, Boards(self._rules), at_once, device.get)

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return what a file keeps of these buckets."""
        arrays = dict(self.last.arrays)
        named = (("parents", [own for own, _ in self.parents]), ("quiet", self.quiet))
        for name, own in (*named, ("tables", self.tables)):
            arrays.update({f"{name}.{i}": array for i, array in enumerate(own)})
        known = {"game": self.game, "method": self.method, "sample": self.sample, "seed": self.seed}
        return arrays, {**known, "form": "streets"}

    @classmethod
    def from_arrays(
        cls, game: PokerGame, arrays: Mapping[str, NDArray[Any]], known: Mapping[str, Any]
    ) -> StreetBuckets:
        """Return the buckets of ``game`` that :meth:`to_arrays` wrote down."""
        parts = {
            name: [arrays[f"{name}.{i}"] for i in range(len(arrays)) if f"{name}.{i}" in arrays]
            for name in ("parents", "quiet", "tables")
        }
        return cls(
            game,
            parts["parents"],
            parts["quiet"],
            parts["tables"],
            last_street(arrays),
            sample=known.get("sample"),
            seed=int(known.get("seed", 0)),
            method=str(known.get("method", "streets")),
        )

    def _located(self, place: int, hands: Cards) -> tuple[Numbers, Numbers, Cards]:
        """Return, for each hand with its board, the numbers of board and hand on a street, and the cards.

        The cards are turned to the class of their first common cards.
        """
        rules, streets = self._rules, self.streets
        hole, count = rules.hole, streets.first.shape[1]
        first = np.sort(hands[:, hole : hole + count], axis=1).astype(np.intp)
        kind, turn = (own[set_numbers(first, rules.deck.size)] for own in self._classes)
        suits = len(rules.deck.suits)
        cards = hands.astype(np.intp)
        turned = cards // suits * suits + self._renamings[turn[:, None], cards % suits]
        number, gone = kind, turned[:, hole : hole + count]
        for street in streets.streets[1 : place + 1]:
            dealt = turned[:, gone.shape[1] + hole :][:, : street.dealt.shape[1]]
            places = _places(dealt, gone)
            number = number * len(street.dealt) + set_numbers(
                np.sort(places, axis=1), rules.deck.size - gone.shape[1]
            )
            gone = np.concatenate([gone, dealt], axis=1)
        held = np.sort(_places(turned[:, :hole], gone), axis=1)
        left = rules.deck.size - gone.shape[1]
        return number, set_numbers(held, left), turned.astype(np.uint8)

    @cached_property
    def _renamings(self) -> Numbers:
        """Every renaming of the suits."""
        return np.array(list(permutations(range(len(self._rules.deck.suits)))), dtype=np.int64)

    @cached_property
    def _classes(self) -> tuple[Numbers, Numbers]:
        """For every set of first common cards, its class and a renaming that leads to it."""
        from equipoise.games.poker.streets import sets

        deck, first = self._rules.deck, self.streets.first.astype(np.intp)
        suits = len(deck.suits)
        every = sets(deck.size, first.shape[1]).astype(np.intp)
        known = np.full(len(every), -1, dtype=np.int64)
        known[set_numbers(np.sort(first, axis=1), deck.size)] = np.arange(len(first))
        kind, renaming = np.full(len(every), -1, dtype=np.int64), np.zeros(len(every), np.int64)
        for i, own in enumerate(self._renamings):
            turned = np.sort(every // suits * suits + own[every % suits], axis=1)
            reached = known[set_numbers(turned, deck.size)]
            new = (kind < 0) & (reached >= 0)
            kind[new], renaming[new] = reached[new], i
        return kind, renaming

    def _require_shapes(self) -> None:
        """Raise unless every table is as large as the game and the number of buckets say."""
        streets = self.streets
        shapes: list[tuple[int, ...]] = [(self._views.count(r),) for r in range(streets.quiet)]
        for place, street in enumerate(streets.streets[:-1]):
            shapes.append((len(streets.first), streets.ways(place), len(street.hands)))
        found = [*self.quiet, *self.tables]
        if len(self.parents) != self._rules.rounds or [a.shape for a in found] != shapes:
            raise EquipoiseError(
                f"Buckets of '{self.game}': found tables of shapes {[a.shape for a in found]} for "
                f"{len(self.parents)} rounds, expected {shapes} for {self._rules.rounds}."
            )
        counts = [len(own) for own, _ in self.parents]
        for turn, table in enumerate(found):
            if (
                table.dtype.kind not in "iu"
                or not 0 <= int(table.min()) <= int(table.max()) < counts[turn]
            ):
                raise EquipoiseError(
                    f"Buckets of '{self.game}', round {turn + 1}: found {table.dtype} from "
                    f"{table.min()} to {table.max()}, expected whole numbers below {counts[turn]}."
                )
        before = counts[-2] if len(counts) > 1 else 1
        self.last.check(self.game, before, counts[-1], self._views.count(0))


class StreetLookup:
    """The buckets of all hands on boards that are given by their numbers, by one backend of features."""

    def __init__(self, buckets: StreetBuckets, features: StreetFeatures) -> None:
        self._buckets, self.features = buckets, features
        self._tables = [own.reshape(-1, own.shape[2]) for own in buckets.tables]

    def on_boards(self, place: int, numbers: Numbers, ranks: Array = None) -> Array:
        """Return the bucket of every hand on boards of a street.

        On the last street the ``ranks`` of the hands are needed.
        """
        features = self.features
        if place < len(self._tables):
            return features.rows(features.kept(self._tables[place]), numbers)
        assert ranks is not None, "hands of the last street are told apart by their ranks"
        if place == 0:
            before = self._first(self._before, numbers)
        else:
            deals = len(features.streets.streets[place].dealt)
            above = self.on_boards(place - 1, numbers // deals)
            before = self._extended(place, above, numbers)

        def carried(known: NDArray[Any]) -> Array:
            return self._carried(place, numbers, known)

        return self._buckets.last.buckets(features, HandsThere(before, ranks, carried))

    def _carried(self, place: int, numbers: Numbers, known: NDArray[Any]) -> Array:
        """Return what is ``known`` of classes of hole cards, for every hand on boards of a street."""
        if place == 0:
            return self._first(lambda holes: known[self._buckets.classes(holes)], numbers)
        deals = len(self.features.streets.streets[place].dealt)
        above = self._carried(place - 1, numbers // deals, known)
        return self._extended(place, above, numbers)

    def _extended(self, place: int, above: Array, numbers: Numbers) -> Array:
        """Return what is known of hands on a street, from what is known of the boards before theirs."""
        street = self.features.streets.streets[place]
        return self.features.follow(above, street.back[numbers % len(street.dealt)])

    def _first(self, of: Callable[[Cards], NDArray[Any]], numbers: Numbers) -> Array:
        """Return what a function says of the hole cards of each hand on boards of the first street."""
        streets = self.features.streets
        rows = [of(streets.holes[streets.hole_numbers(number)]) for number in numbers.tolist()]
        return self.features.put(np.stack(rows).astype(np.int64))

    def _before(self, holes: Cards) -> NDArray[Any]:
        """Return the buckets of hole cards before the first street."""
        return self._buckets.bucket_of_hands(self.features.streets.quiet - 1, holes)


def _places(cards: Numbers, gone: Numbers) -> Numbers:
    """Return the place of each card among those that are not ``gone``."""
    return np.asarray(cards - (cards[:, :, None] > gone[:, None, :]).sum(axis=2))
