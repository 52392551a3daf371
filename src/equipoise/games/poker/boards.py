"""Boards of a poker game, numbered and streamed: large games are gone through, never listed.

A whole board is the class of its first cards, then what follows (:mod:`equipoise.games.poker.streets`); its
number says which. Work on boards comes in batches, and splits by board numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.deck import Cards
from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.games.poker.streets import Streets
from equipoise.games.signals.rounds import Floats

Numbers = NDArray[np.int64]

BATCH = 128
"""Boards at once: in hold'em, some megabytes of hands."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Some whole boards, all alike.

    ``numbers`` are theirs; ``boards`` has a row a board; ``copies`` says how many boards each stands for;
    ``left[b]`` are the cards left on board ``b``, in order.
    """

    numbers: Numbers
    boards: Cards
    copies: Floats
    left: Cards


class Boards:
    """The whole boards of ``game``, by number: the class of the first cards, then what follows."""

    def __init__(self, game: PokerGame) -> None:
        self._streets = Streets(game)
        self._later = [street.dealt for street in self._streets.streets[1:]]
        last = self._streets.streets[-1:]
        self.hands: Cards = last[0].hands if last else self._streets.holes
        """Every hand on a board, as places among the cards left: the same on all boards."""

    @property
    def size(self) -> int:
        """Number of boards, classes of first cards counted once."""
        return self._streets.boards

    @property
    def _continuations(self) -> int:
        return prod(map(len, self._later))

    def every(self, batch: int = BATCH) -> Iterator[Batch]:
        """Yield all boards."""
        for start in range(0, self.size, batch):
            numbers = np.arange(start, min(start + batch, self.size))
            yield self._batch(numbers, self._streets.copies[numbers // self._continuations])

    def sampled(
        self, count: int, random: np.random.Generator, batch: int = BATCH
    ) -> Iterator[Batch]:
        """Yield ``count`` boards drawn at random, each as likely as in the game."""
        if count < 1:
            raise EquipoiseError(f"Boards: found a sample of {count}, expected at least one.")
        copies = self._streets.copies
        first = random.choice(len(copies), count, p=copies / copies.sum())
        numbers = first * self._continuations + random.integers(self._continuations, size=count)
        for start in range(0, count, batch):
            some = numbers[start : start + batch]
            yield self._batch(some, np.ones(len(some)))

    def _batch(self, numbers: Numbers, copies: Floats) -> Batch:
        """Return the boards with these numbers."""
        rest = numbers % self._continuations
        boards = self._streets.first[numbers // self._continuations]
        radix = self._continuations
        for dealt in self._later:
            radix //= len(dealt)
            chosen = dealt[rest // radix % len(dealt)]
            left = self._streets.left(boards)
            cards = np.take_along_axis(left, chosen.astype(np.intp), axis=1)
            boards = np.concatenate([boards, cards], axis=1)
        return Batch(numbers, boards, copies, self._streets.left(boards))
