"""Buckets of concrete hands: abstractions of poker games of any size.

A bucket is a small child number under its parent: in round r a hand is in bucket

    b_r = b_{r-1} * children_r + child_r(hand),        b_{-1} = 0,

where child_r is read from an array over the game's views of the round, or worked out from the cards by a
function (Gilpin and Sandholm 2006 and after: the children of a bucket are clusters of the hands that
extend it). Nothing as long as the number of deals is made: what nature deals over buckets is counted by
going through the boards, all of them or a sample.

Only the last round is counted: a sample of boards is a game of its own, the same in all rounds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.base import Pair
from equipoise.abstraction.hand_buckets import HandBuckets
from equipoise.cards.deck import Cards
from equipoise.errors import EquipoiseError
from equipoise.games.poker.boards import Batch, Boards
from equipoise.games.poker.canonical import CanonicalViews
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.rounds import Floats, Indices, SignalRound
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import views

Level = NDArray[Any] | Callable[[Cards], NDArray[Any]]
"""Child numbers of one round: by view, or from rows of hole cards followed by the board."""

_PROBES = 1000  # hands of a round by which functions are told apart


class BucketTable(HandBuckets):
    """An abstraction of a two-player poker game by child numbers.

    Parameters
    ----------
    game
        The poker game.
    children
        For each round, the number of children of a bucket of the round before.
    levels
        For each round, the children: an array over the views of the round, or a function of hands (rows
        of cards). A function must not depend on the names of suits, nor on the order of cards that come
        together.
    sample, seed
        How many boards :meth:`deals` draws, and from which seed; all boards unless told otherwise.
    """

    def __init__(
        self,
        game: PokerGame,
        children: Sequence[int],
        levels: Sequence[Level],
        *,
        sample: int | None = None,
        seed: int = 0,
        method: str = "table",
    ) -> None:
        super().__init__(game, sample, seed, method)
        self.children = tuple(int(count) for count in children)
        if not len(self.children) == len(levels) == game.rounds or min(self.children) < 1:
            raise EquipoiseError(
                f"Buckets of '{game.name}': found {len(levels)} rounds with children "
                f"{self.children}, expected {game.rounds} rounds with at least one child each."
            )
        self.levels = tuple(self._checked_level(r, level) for r, level in enumerate(levels))

    @property
    def buckets(self) -> tuple[tuple[int, int], ...]:
        """Number of buckets of each player in each round."""
        return tuple((count, count) for count in accumulate(self.children, mul))

    @cached_property
    def parents(self) -> tuple[Pair, ...]:
        """By round and player, the bucket of the round before that each bucket extends."""
        counts = [count for count, _ in self.buckets]
        above = [np.zeros(counts[0], dtype=np.uint32)] + [
            np.arange(count, dtype=np.uint32) // children
            for count, children in zip(counts[1:], self.children[1:], strict=True)
        ]
        return tuple((up, up) for up in above)

    @cached_property
    def digest(self) -> str:
        """A digest of arrays, and of what functions say of some hands."""
        digest = hashlib.sha256(repr(self.children).encode())
        for r, level in enumerate(self.levels):
            if not isinstance(level, np.ndarray):
                level = self._child(r, self._views.hands(r, self._probes(r)))
            digest.update(np.asarray(level, dtype="<u4").tobytes())
        return digest.hexdigest()[:16]

    def bucket_of_hands(self, turn: int, hands: Cards) -> Indices:
        """Return the bucket of each hand: a row of hole cards, then the board of round ``turn``."""
        bucket = np.zeros(len(hands), dtype=np.uint32)
        for r in range(turn + 1):
            cards = hands[:, : sum(self._rules.groups(r))]
            bucket = bucket * np.uint32(self.children[r]) + self._child(r, cards)
        return bucket

    def deals(self, game: StageGame) -> tuple[SignalRound, ...]:
        """Return what nature deals in each round of ``game``, counted board by board."""
        from equipoise.abstraction.bucket_pairs import count_pairs
        from equipoise.abstraction.signal_pairs import rounds_of_pairs

        self.check(game)
        rules, last = self._rules, len(self.children) - 1
        boards = Boards(rules)

        def count(batches: Iterable[Batch]) -> tuple[Floats, Floats]:
            return count_pairs(
                rules,
                boards,
                batches,
                lambda _, hands, __: self.bucket_of_hands(last, hands),
                self.buckets[-1][0],
            )

        counted = self._counted_on_boards(count, boards)
        return rounds_of_pairs(game.tree, [own for own, _ in self.parents], *counted)

    def _checked_level(self, r: int, level: Level) -> Level:
        """Return the children of a round after checking those that are given as an array."""
        if not isinstance(level, np.ndarray):
            return level
        if level.shape != (self._views.count(r),):
            raise EquipoiseError(
                f"Buckets of '{self.game}', round {r + 1}: found an array of shape {level.shape}, "
                f"expected ({self._views.count(r)},), a child number for each view."
            )
        self._check_children(r, level)
        return level

    def _child(self, r: int, hands: Cards) -> Indices:
        """Return the child number of each hand in a round."""
        level = self.levels[r]
        if isinstance(level, np.ndarray):
            return np.asarray(level[self._views.numbers(r, hands)], dtype=np.uint32)
        found = np.asarray(level(hands))
        if found.shape != (len(hands),):
            raise EquipoiseError(
                f"Buckets of '{self.game}', round {r + 1}: found children of shape {found.shape}, "
                f"expected ({len(hands)},), one for each hand."
            )
        self._check_children(r, found)
        return found.astype(np.uint32)

    def _check_children(self, r: int, found: NDArray[Any]) -> None:
        if found.dtype.kind not in "iu" or (
            len(found) and not 0 <= int(found.min()) <= int(found.max()) < self.children[r]
        ):
            raise EquipoiseError(
                f"Buckets of '{self.game}', round {r + 1}: found children of type {found.dtype} "
                f"from {found.min()} to {found.max()}, expected whole numbers from 0 to "
                f"{self.children[r] - 1}."
            )

    def _probes(self, turn: int) -> NDArray[np.int64]:
        """Return some views of a round, spread evenly."""
        size = self._views.count(turn)
        return np.arange(0, size, max(1, size // _PROBES))


def random_table(
    game: PokerGame, children: Sequence[int], *, sample: int | None = None, seed: int = 0
) -> BucketTable:
    """Return buckets at random: the child of a view is a hash of its number, and nothing is stored.

    The hash is the finalizer of SplitMix64 (Steele, Lea and Flood 2014). As a model of the game it is
    useless; it shows what buckets as many as these cost.
    """
    named = views(game)
    assert isinstance(named, CanonicalViews), "poker games are seen up to symmetry"

    def level(turn: int, count: int) -> Callable[[Cards], NDArray[Any]]:
        salt = np.uint64((seed * game.rounds + turn + 1) * 0x9E3779B97F4A7C15 % 2**64)

        def child(hands: Cards) -> NDArray[Any]:
            mixed = named.numbers(turn, hands).astype(np.uint64) + salt
            mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            return (mixed ^ (mixed >> np.uint64(31))) % np.uint64(count)

        return child

    levels = [level(turn, count) for turn, count in enumerate(children)]
    return BucketTable(game, children, levels, sample=sample, seed=seed, method="random")
