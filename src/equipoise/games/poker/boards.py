"""Boards of a poker game, numbered and streamed: large games are gone through, never listed.

Of the first cards of a board only one of each class is kept, with its number of copies (in hold'em 1,755
flops instead of 22,100); every card that may follow is enumerated. So all boards have as many hands,
which are the sets of the cards left in one fixed order, and which hands share a card is the same on every
board. Work on boards is work on regular arrays, in batches, and splits by board numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.deck import Cards
from equipoise.errors import EquipoiseError
from equipoise.games.poker.canonical import hand_indexer
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.rounds import Floats

Numbers = NDArray[np.int64]

_BATCH = 128  # boards at once: in hold'em, some megabytes of hands


@dataclass(frozen=True, eq=False)
class Batch:
    """Some whole boards, all alike.

    ``boards`` has a row a board; ``copies`` says how many boards each stands for; ``left[b]`` are the cards
    left on board ``b``, in order.
    """

    boards: Cards
    copies: Floats
    left: Cards


class Boards:
    """The whole boards of ``game``, by number: the class of the first cards, then what follows."""

    def __init__(self, game: PokerGame) -> None:
        self._deck = game.deck
        first, *later = game.groups(game.rounds - 1)[1:] or (0,)
        if first:
            indexer = hand_indexer(game, (first,))
            every = np.arange(indexer.size(0))
            self._first, self._copies = indexer.unindex(0, every), indexer.orbit(0, every)
        else:
            self._first, self._copies = np.zeros((1, 0), dtype=np.uint8), np.ones(1, dtype=np.int64)
        free, self._later = game.deck.size - first, []
        for count in later:
            self._later.append(_sets(free, count))
            free -= count
        self.hands: Cards = _sets(free, game.hole)
        """Every hand on a board, as places among the cards left: the same on all boards."""

    @property
    def size(self) -> int:
        """Number of boards, classes of first cards counted once."""
        return len(self._first) * self._continuations

    @property
    def _continuations(self) -> int:
        return prod(map(len, self._later))

    def every(self, batch: int = _BATCH) -> Iterator[Batch]:
        """Yield all boards."""
        for start in range(0, self.size, batch):
            numbers = np.arange(start, min(start + batch, self.size))
            copies = self._copies[numbers // self._continuations]
            yield self._batch(numbers, copies.astype(np.float64))

    def sampled(
        self, count: int, random: np.random.Generator, batch: int = _BATCH
    ) -> Iterator[Batch]:
        """Yield ``count`` boards drawn at random, each as likely as in the game."""
        if count < 1:
            raise EquipoiseError(f"Boards: found a sample of {count}, expected at least one.")
        first = random.choice(len(self._first), count, p=self._copies / self._copies.sum())
        numbers = first * self._continuations + random.integers(self._continuations, size=count)
        for start in range(0, count, batch):
            some = numbers[start : start + batch]
            yield self._batch(some, np.ones(len(some)))

    def _batch(self, numbers: Numbers, copies: Floats) -> Batch:
        """Return the boards with these numbers."""
        rest = numbers % self._continuations
        boards = self._first[numbers // self._continuations]
        radix = self._continuations
        for sets in self._later:
            radix //= len(sets)
            chosen = sets[rest // radix % len(sets)]
            cards = np.take_along_axis(self._left(boards), chosen.astype(np.intp), axis=1)
            boards = np.concatenate([boards, cards], axis=1)
        return Batch(boards, copies, self._left(boards))

    def _left(self, boards: Cards) -> Cards:
        """Return the cards left on each board, in order."""
        is_left = np.ones((len(boards), self._deck.size), dtype=bool)
        np.put_along_axis(is_left, boards.astype(np.intp), False, axis=1)
        return np.nonzero(is_left)[1].astype(np.uint8).reshape(len(boards), -1)


def _sets(cards: int, count: int) -> Cards:
    """Return every set of ``count`` of the places 0 to ``cards - 1``, one a row."""
    return np.array(list(combinations(range(cards), count)), dtype=np.uint8).reshape(-1, count)
