"""Abstractions: which views a player may tell apart, round by round.

An abstraction is an *information filter* (Gilpin and Sandholm 2007, Definition 2.2): maps view ->
bucket, one for each round and player. Of the three conditions there, truthfulness and independence
hold because the maps are functions; *information preservation* (what is known in one round is still
known in the next, hence perfect recall) means that views in one bucket extend views in one bucket, so
every bucket has a parent.

:class:`Abstraction` is what the rest of the library asks: the bucket of a view, and what nature deals
when players see buckets. A :class:`Partition` keeps its maps, view by view, for games whose views can be
listed; :class:`equipoise.abstraction.bucket_table.BucketTable` works them out, for poker of any size.

Nothing here says how the maps were found or whether they lose anything. Lossless or lossy, every
method for listed games ends in :meth:`Partition.of`, and :func:`coarsen` applies its result to a game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import EquipoiseError, require_type
from equipoise.games.files.fields import Fields
from equipoise.games.signals.rounds import Floats, Indices, SignalRound, fingerprint
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import signal_rounds

PLAYERS = (0, 1)
Pair = tuple[Indices, Indices]


@runtime_checkable
class Abstraction(Protocol):
    """What players may tell apart in a game: buckets instead of views."""

    @property
    def game(self) -> str:
        """Name of the game."""

    @property
    def method(self) -> str:
        """How the buckets were made."""

    @property
    def digest(self) -> str:
        """Names the maps, for the fingerprints of strategies that speak of these buckets."""

    @property
    def parents(self) -> tuple[Pair, ...]:
        """By round and player, the bucket of the round before that each bucket extends."""

    @property
    def views(self) -> tuple[tuple[int, int], ...]:
        """Number of views of each player in each round."""

    @property
    def buckets(self) -> tuple[tuple[int, int], ...]:
        """Number of buckets of each player in each round."""

    def bucket(self, turn: int, views: ArrayLike, player: int = 0) -> Indices:
        """Return the bucket of each of ``views``, numbered as in the game's own views."""

    def check(self, game: StageGame) -> None:
        """Raise unless this is an abstraction of ``game``."""

    def deals(self, game: StageGame) -> tuple[SignalRound, ...]:
        """Return what nature deals in each round of ``game`` when players see buckets."""


@dataclass(frozen=True)
class Partition:
    """Stored maps from views to buckets, for each round and each of two players.

    Attributes
    ----------
    game, fingerprint
        Name of the game and :func:`fingerprint` of its signals: which views these maps speak of.
    method
        How the maps were made.
    maps
        ``maps[r][i][v]`` is the bucket of view ``v`` of player ``i`` in round ``r``. Buckets are
        numbered from 0 without holes.
    parents
        ``parents[r][i][b]`` is the bucket of round ``r - 1`` that bucket ``b`` extends (zeros in
        round 0).
    """

    game: str
    fingerprint: str
    method: str
    maps: tuple[Pair, ...]
    parents: tuple[Pair, ...]

    def __repr__(self) -> str:
        buckets = " / ".join(
            " and ".join(f"{count:,}" for count in dict.fromkeys(pair)) for pair in self.buckets
        )
        return f"<Partition of '{self.game}' by {self.method or 'hand'}: {buckets} buckets>"

    @classmethod
    def of(
        cls,
        rounds: Sequence[SignalRound],
        maps: Sequence[Sequence[NDArray[Any]]],
        *,
        game: str = "",
        method: str = "",
    ) -> Partition:
        """Check ``maps`` against the signals in ``rounds`` and return them as an abstraction."""
        if len(maps) != len(rounds):
            raise EquipoiseError(
                f"Abstraction: found maps for {len(maps)} rounds, expected {len(rounds)}."
            )
        checked: list[Pair] = []
        parents: list[Pair] = []
        for r, (signals, pair) in enumerate(zip(rounds, maps, strict=True)):
            first, second = (
                _checked_map(pair[i], signals.views[i], f"round {r + 1}, player {i + 1}")
                for i in PLAYERS
            )
            checked.append((first, second))
            earlier = checked[r - 1] if r else None
            up = [_bucket_parents(signals, checked[r], earlier, r, i) for i in PLAYERS]
            parents.append((up[0], up[1]))
        return cls(game, fingerprint(rounds), method, tuple(checked), tuple(parents))

    @classmethod
    def identity(cls, rounds: Sequence[SignalRound], *, game: str = "") -> Partition:
        """Return the abstraction that gives every view a bucket of its own."""
        maps = [[np.arange(n) for n in signals.views] for signals in rounds]
        return cls.of(rounds, maps, game=game, method="identity")

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return len(self.maps)

    @property
    def views(self) -> tuple[tuple[int, int], ...]:
        """Number of views of each player in each round."""
        return tuple((len(pair[0]), len(pair[1])) for pair in self.maps)

    @property
    def buckets(self) -> tuple[tuple[int, int], ...]:
        """Number of buckets of each player in each round."""
        return tuple((len(up[0]), len(up[1])) for up in self.parents)

    @cached_property
    def digest(self) -> str:
        """A digest of the maps."""
        digest = hashlib.sha256()
        for pair in self.maps:
            for buckets in pair:
                digest.update(np.ascontiguousarray(buckets).tobytes())
        return digest.hexdigest()[:16]

    def bucket(self, turn: int, views: ArrayLike, player: int = 0) -> Indices:
        """Return the bucket of each of ``views``."""
        return np.asarray(self.maps[turn][player][np.asarray(views)])

    def check(self, game: StageGame) -> None:
        """Raise unless this is an abstraction of ``game``."""
        self.require(signal_rounds(game))

    def deals(self, game: StageGame) -> tuple[SignalRound, ...]:
        """Return the deals of ``game``, which must be the one the maps speak of, over buckets."""
        return coarsen(signal_rounds(game), self)

    def refines(self, coarser: Partition) -> bool:
        """Say whether every bucket lies within one bucket of ``coarser``."""
        self._require_same_signals(coarser)
        return all(
            len(np.unique(_joined(fine, coarse))) == count
            for fine, coarse, count in self._matched(coarser)
        )

    def facing(self, other: Partition) -> Partition:
        """Return the abstraction in which player 1 sees these buckets, and player 2 those of ``other``.

        If the opponent's lose nothing, player 1's equilibrium strategy there is the best of all that these buckets
        can express, by what it guarantees in the full game; so it guarantees no less where these are refined.
        """
        self._require_same_signals(other)
        return replace(
            self,
            method=f"{self.method}|{other.method}",
            maps=tuple((a[0], b[1]) for a, b in zip(self.maps, other.maps, strict=True)),
            parents=tuple((a[0], b[1]) for a, b in zip(self.parents, other.parents, strict=True)),
        )

    def require(self, rounds: Sequence[SignalRound]) -> None:
        """Raise unless this abstraction was made for the signals in ``rounds``."""
        name = f"Abstraction '{self.method}' of '{self.game}'"
        if len(rounds) != self.rounds:
            raise EquipoiseError(
                f"{name}: found {self.rounds} rounds, expected the game's {len(rounds)}."
            )
        for r, (signals, pair) in enumerate(zip(rounds, self.maps, strict=True)):
            for i in PLAYERS:
                if len(pair[i]) != signals.views[i]:
                    raise EquipoiseError(
                        f"{name}, round {r + 1}, player {i + 1}: found a map of {len(pair[i])} "
                        f"views, expected the game's {signals.views[i]}."
                    )
        expected = fingerprint(rounds)
        if expected != self.fingerprint:
            raise EquipoiseError(
                f"{name}: found fingerprint {self.fingerprint}, expected {expected}; it was made "
                "for a game with other deals or outcomes."
            )
        for r, (signals, pair) in enumerate(zip(rounds, self.maps, strict=True)):
            for i in PLAYERS:
                above = _bucket_parents(signals, pair, self.maps[r - 1] if r else None, r, i)
                if not np.array_equal(above, self.parents[r][i]):
                    raise EquipoiseError(
                        f"{name}, round {r + 1}, player {i + 1}: found buckets with other parents "
                        "than their views have, expected those."
                    )

    def to_arrays(self) -> tuple[dict[str, Indices], dict[str, Any]]:
        """Return arrays and JSON-able metadata that :meth:`from_arrays` turns back into this."""
        arrays = {}
        for r in range(self.rounds):
            for i in PLAYERS:
                arrays[f"map_{r}_{i}"] = self.maps[r][i]
                arrays[f"parent_{r}_{i}"] = self.parents[r][i]
        meta = {
            "game": self.game,
            "fingerprint": self.fingerprint,
            "method": self.method,
            "rounds": self.rounds,
        }
        return arrays, meta

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> Partition:
        """Rebuild an abstraction from what :meth:`to_arrays` returned."""
        maps: list[Pair] = []
        parents: list[Pair] = []
        known = Fields(meta, "Stored abstraction")
        try:
            for r in range(known.whole("rounds", least=1)):
                pair = [_checked_map(arrays[f"map_{r}_{i}"], None, f"map_{r}_{i}") for i in PLAYERS]
                up = [_checked_parents(arrays[f"parent_{r}_{i}"], r, i) for i in PLAYERS]
                maps.append((pair[0], pair[1]))
                parents.append((up[0], up[1]))
        except KeyError as missing:
            raise EquipoiseError(f"Stored abstraction: found no entry {missing}.") from None
        found = cls(
            known.text("game"),
            known.text("fingerprint"),
            known.text("method"),
            tuple(maps),
            tuple(parents),
        )
        for r, (pair_r, up_r) in enumerate(zip(found.maps, found.parents, strict=True)):
            for i in PLAYERS:
                above = len(found.parents[r - 1][i]) if r else 1
                if len(up_r[i]) != count(pair_r[i]) or up_r[i].max(initial=0) >= above:
                    raise EquipoiseError(
                        f"Stored abstraction, parent_{r}_{i}: found {len(up_r[i])} entries up to "
                        f"{up_r[i].max(initial=0)}, expected {count(pair_r[i])} below {above}."
                    )
        return found

    def _require_same_signals(self, other: Partition) -> None:
        if self.fingerprint != other.fingerprint:
            raise EquipoiseError(
                f"Abstractions '{self.method}' and '{other.method}': found fingerprints "
                f"{self.fingerprint} and {other.fingerprint}, expected one game."
            )

    def _matched(self, other: Partition) -> Iterator[tuple[Indices, Indices, int]]:
        """Yield this map, the other's map and this bucket count, for each round and player."""
        for mine, theirs, counts in zip(self.maps, other.maps, self.buckets, strict=True):
            for i in PLAYERS:
                yield mine[i], theirs[i], counts[i]


def coarsen(rounds: Sequence[SignalRound], abstraction: Partition) -> tuple[SignalRound, ...]:
    """Return the signals of the filtered game, in which players see buckets instead of views.

    Deals that fall into one pair of buckets become one deal: weights add up, and an outcome is the
    mean over the deals, weighted by their probability (Gilpin and Sandholm 2007, after
    Proposition 2.3).
    """
    require_type("coarsen", abstraction, Partition, "an abstraction")
    abstraction.require(rounds)
    return tuple(
        _coarsen_round(signals, pair, up)
        for signals, pair, up in zip(rounds, abstraction.maps, abstraction.parents, strict=True)
    )


def count(buckets: NDArray[Any]) -> int:
    """Return the number of buckets that a map without holes uses."""
    return int(buckets.max()) + 1 if len(buckets) else 0


def add_up(place: NDArray[Any], amount: Floats, size: int) -> Floats:
    """Return, for each of ``size`` places, the sum of the amounts that fall there."""
    return np.bincount(place, weights=amount, minlength=size).astype(np.float64, copy=False)


def _coarsen_round(signals: SignalRound, maps: Pair, parents: Pair) -> SignalRound:
    """Aggregate the deals of one round into pairs of buckets."""
    width = len(parents[1])
    cell = maps[0][signals.pairs[0]].astype(np.int64) * width + maps[1][signals.pairs[1]]
    cells, deal = np.unique(cell, return_inverse=True)
    weight = add_up(deal, signals.weight, len(cells))
    values = {
        kind: add_up(deal, signals.weight * value, len(cells)) / weight
        for kind, value in signals.values.items()
    }
    pairs = (cells // width).astype(np.uint32), (cells % width).astype(np.uint32)
    return SignalRound(parents, pairs, weight, values)


def _checked_map(buckets: NDArray[Any], views: int | None, place: str) -> Indices:
    """Return ``buckets`` as unsigned indices after checking length, sign and holes."""
    found = np.asarray(buckets)
    if found.ndim != 1 or (views is not None and len(found) != views):
        raise EquipoiseError(
            f"Abstraction, {place}: found a map of shape {found.shape}, expected ({views},)."
        )
    if found.dtype.kind not in "iu" or (len(found) and found.min() < 0):
        raise EquipoiseError(
            f"Abstraction, {place}: found buckets of type {found.dtype}, expected indices from 0."
        )
    size = count(found)
    used = np.zeros(size, dtype=bool) if size <= len(found) else None
    if used is not None:
        used[found] = True
    if used is None or not used.all():
        raise EquipoiseError(
            f"Abstraction, {place}: found buckets numbered up to {size - 1} with holes, expected "
            "every number from 0 to be used."
        )
    return np.ascontiguousarray(found, dtype=np.uint32)


def _checked_parents(parents: NDArray[Any], r: int, i: int) -> Indices:
    """Return stored parents as unsigned indices after checking type and sign."""
    if parents.ndim != 1 or parents.dtype.kind not in "iu" or parents.min(initial=0) < 0:
        raise EquipoiseError(
            f"Stored abstraction, parent_{r}_{i}: found type {parents.dtype} and shape "
            f"{parents.shape}, expected a vector of indices from 0."
        )
    return np.ascontiguousarray(parents, dtype=np.uint32)


def _bucket_parents(
    signals: SignalRound, maps: Pair, earlier: Pair | None, r: int, i: int
) -> Indices:
    """Return the parent of each bucket, or raise where views of one bucket have two parents."""
    parents = np.zeros(count(maps[i]), dtype=np.uint32)
    if earlier is None:
        return parents
    above = earlier[i][signals.parents[i]]
    parents[maps[i]] = above
    torn = np.flatnonzero(parents[maps[i]] != above)
    if len(torn):
        view = int(torn[0])
        bucket = int(maps[i][view])
        raise EquipoiseError(
            f"Abstraction, round {r + 1}, player {i + 1}: found views of round-{r} buckets "
            f"{parents[bucket]} and {above[view]} together in bucket {bucket}, expected one parent "
            "(a player may not forget what she knew)."
        )
    return parents


def _joined(fine: Indices, coarse: Indices) -> NDArray[np.int64]:
    """Number the pairs (fine bucket, coarse bucket)."""
    return fine.astype(np.int64) * (count(coarse) or 1) + coarse
