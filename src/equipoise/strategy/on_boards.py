"""What a strategy tells apart on the boards of a poker game: its buckets, or the game's own views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.street_buckets import StreetLookup
from equipoise.cards.deck import Cards
from equipoise.errors import EquipoiseError
from equipoise.games.poker.canonical import CanonicalViews
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.views import views
from equipoise.numerics.device import Device
from equipoise.strategy.profile import Strategy
from equipoise.strategy.views import require_buckets, require_views


class BoardBuckets:
    """What a strategy tells apart: its buckets, or the game's own views."""

    def __init__(self, game: PokerGame, strategy: Strategy) -> None:
        named = views(game)
        assert isinstance(named, CanonicalViews)
        self._game, self._views, self._coarse = game, named, strategy.abstraction
        if not strategy.is_abstract:
            self._coarse = None
            require_views(game, strategy)
        elif self._coarse is None:
            raise EquipoiseError(
                f"Strategy of '{strategy.game}': found one of an abstraction that is not at hand, "
                "expected strategy.of(game, abstraction)."
            )
        else:
            require_buckets(game, strategy)

    @property
    def lookup(self) -> Callable[[Device | None], StreetLookup] | None:
        """What tells buckets by the numbers of boards, for a device, where they are kept so."""
        return getattr(self._coarse, "lookup", None)

    def parents(self, player: int) -> list[NDArray[Any]]:
        """Return, for each round, the bucket of the round before of each bucket."""
        if self._coarse is not None:
            return [np.asarray(pair[player]) for pair in self._coarse.parents]
        every = [np.arange(self._views.count(turn, player)) for turn in range(self._game.rounds)]
        return [self._views.parent(turn, own, player) for turn, own in enumerate(every)]

    def count(self, turn: int, player: int) -> int:
        """Return the number of buckets in a round."""
        if self._coarse is None:
            return self._views.count(turn, player)
        return self._coarse.buckets[turn][player]

    @property
    def is_shared(self) -> bool:
        """Whether both players tell apart the same."""
        return self._coarse is None or hasattr(self._coarse, "bucket_of_hands")

    def of(self, turn: int, held: Cards, boards: Cards, player: int) -> NDArray[np.int64]:
        """Return the bucket of each hand that is held on each board."""
        shape = held.shape[:2]
        beside = np.broadcast_to(boards[:, None], (*shape, boards.shape[1]))
        hands = np.concatenate([held, beside], axis=2).reshape(-1, held.shape[2] + boards.shape[1])
        by_cards = getattr(self._coarse, "bucket_of_hands", None)
        if by_cards is not None:
            found = by_cards(turn, hands)
        elif self._coarse is not None:
            found = self._coarse.bucket(turn, self._views.numbers(turn, hands), player)
        else:
            found = self._views.numbers(turn, hands)
        return np.asarray(found, dtype=np.int64).reshape(shape)
