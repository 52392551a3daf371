"""How often two buckets meet on the boards of a poker game, and how often each wins.

On a known board, the hands that each hand can meet in each bucket, and those it beats there, are sums in
linear time (:mod:`equipoise.cards.ranked`).
Counts are whole numbers, exact in double precision, and no list of deals is made: memory is two
matrices, buckets by buckets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.cards.deck import Cards
from equipoise.cards.ranked import between_buckets
from equipoise.games.poker.boards import Batch, Boards
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.rounds import Floats, Indices


def count_pairs(
    game: PokerGame,
    boards: Boards,
    batches: Iterable[Batch],
    bucket: Callable[[Batch, Cards, NDArray[np.int64]], Indices],
    buckets: int,
) -> tuple[Floats, Floats]:
    """Return, for each pair of buckets, the deals in which they meet, and those won less those lost.

    Deals are counted over ``batches`` of ``boards``; ``bucket`` sends the hands of a batch (given as rows of
    hole cards, then the board, and by their ranks on each board) to one of ``buckets``.
    """
    met, won = np.zeros((buckets, buckets)), np.zeros((buckets, buckets))
    places = boards.hands.astype(np.intp)
    cards = game.deck.size - sum(game.public)
    for batch in batches:
        holes = batch.left[:, places]
        shape = *holes.shape[:2], batch.boards.shape[1]
        hands = np.concatenate([holes, np.broadcast_to(batch.boards[:, None], shape)], axis=-1)
        hands = hands.reshape(-1, hands.shape[-1])
        strength = game.strength(game.deck, hands[:, : game.hole], hands[:, game.hole :])
        ranks = strength.astype(np.int64).reshape(holes.shape[:2])
        _count(
            places,
            np.argsort(ranks, axis=1),
            ranks,
            bucket(batch, hands, ranks).reshape(ranks.shape),
            batch.copies,
            cards,
            met,
            won,
        )
    return met, won


@njit(cache=True, error_model="numpy")
def _count(
    holes: Any, orders: Any, ranks: Any, buckets: Any, copies: Any, cards: Any, met: Any, won: Any
) -> None:
    """Add what happens on each board to ``met`` and ``won``.

    On a board the buckets that occur there are numbered without gaps; they are few.
    """
    hands = len(holes)
    place, names = np.empty(hands, np.int64), np.empty(hands, np.int64)
    for b in range(len(orders)):
        own = buckets[b]
        size = 0
        for h in np.argsort(own):
            if size == 0 or own[h] != names[size - 1]:
                names[size] = own[h]
                size += 1
            place[h] = size - 1
        tables = np.empty((2, cards + 1, size), np.int32)
        meet, wins = np.zeros((size, size), np.int32), np.zeros((size, size), np.int32)
        between_buckets(holes, orders[b], ranks[b], place, tables, meet, wins)
        for i in range(size):
            for j in range(size):
                met[names[i], names[j]] += copies[b] * meet[i, j]
                won[names[i], names[j]] += copies[b] * (wins[i, j] - wins[j, i])
