"""What abstractions of concrete hands have in common, whatever they are made of: games of any size, both players alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from equipoise.abstraction.base import Pair
from equipoise.abstraction.sampled_pairs import Pairs, count_sampled
from equipoise.cards.deck import Cards
from equipoise.errors import EquipoiseError
from equipoise.games.poker.boards import BATCH, Batch, Boards
from equipoise.games.poker.canonical import CanonicalViews
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.rounds import Floats, Indices
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import views
from equipoise.numerics.device import Array


class HandBuckets(ABC):
    """Buckets of the hands of a poker game; deals over them are counted on a ``sample`` of boards, or on all.

    Attributes
    ----------
    sampling_errors
        By round, how far the probabilities of pairs of buckets, counted on a sample, are from those on all boards
        (:mod:`equipoise.abstraction.sampled_pairs`); nothing before they are counted, or if no board is left out.
    """

    sampling_errors: tuple[float, ...] = ()

    def __init__(self, game: PokerGame, sample: int | None, seed: int, method: str) -> None:
        named = views(game)
        assert isinstance(named, CanonicalViews), "poker games are seen up to symmetry"
        self._views, self._rules, self.game, self.method = named, game, game.name, method
        self.sample, self.seed = sample, seed

    def __repr__(self) -> str:
        buckets = " / ".join(f"{first:,}" for first, _ in self.buckets)
        boards = "all boards" if self.sample is None else f"{self.sample:,} boards"
        kind = type(self).__name__
        return f"<{kind} of '{self.game}' by {self.method}: {buckets} buckets, {boards}>"

    @property
    @abstractmethod
    def buckets(self) -> tuple[tuple[int, int], ...]:
        """Number of buckets of each player in each round."""

    @property
    @abstractmethod
    def parents(self) -> tuple[Pair, ...]:
        """By round and player, the bucket of the round before that each bucket extends."""

    @abstractmethod
    def bucket_of_hands(self, turn: int, hands: Cards) -> Indices:
        """Return the bucket of each hand: a row of hole cards, then the board of round ``turn``."""

    @property
    def views(self) -> tuple[tuple[int, int], ...]:
        """Number of views of each player in each round."""
        return tuple((self._views.count(r),) * 2 for r in range(self._rules.rounds))

    def bucket(self, turn: int, views: ArrayLike, player: int = 0) -> Indices:
        """Return the bucket of each of ``views``."""
        found = np.asarray(views)
        hands = self._views.hands(turn, found.ravel())
        return self.bucket_of_hands(turn, hands).reshape(found.shape)

    def _counted_on_boards(
        self,
        count: Callable[[Iterable[Batch]], Pairs],
        boards: Boards,
        batch: int = BATCH,
        get: Callable[[Array], Floats] = np.asarray,
    ) -> Pairs:
        """Return what ``count`` finds on the boards that deals are counted on, and note the error of a sample."""
        self.sampling_errors = ()
        if self.sample is None:
            return count(boards.every(batch))
        own = [first for first, _ in self.parents]
        found, self.sampling_errors = count_sampled(
            count, boards, self.sample, self.seed, batch, own, get
        )
        return found

    def check(self, game: StageGame) -> None:
        """Raise unless this is an abstraction of ``game``."""
        if not isinstance(game, PokerGame) or views(game).fingerprint != self._views.fingerprint:
            raise EquipoiseError(
                f"Buckets of '{self.game}': found the game '{game.name}', expected the one they "
                "were made for: its cards are dealt or compared in another way."
            )
