"""How often two buckets meet on the boards of a poker game, and how often each wins.

On a known board, with n hands of which some are in bucket b, the hands that each hand can meet in b, and
those it beats there less those that beat it, are two sums in linear time (:mod:`equipoise.cards.ranked`).
Counts are whole numbers, exact in double precision, and no list of deals is made: memory is two
matrices, buckets by buckets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numba import njit

from equipoise.cards.deck import Cards
from equipoise.cards.ranked import compatible, showdown
from equipoise.games.poker.boards import Batch, Boards
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.rounds import Floats, Indices


def count_pairs(
    game: PokerGame,
    boards: Boards,
    batches: Iterable[Batch],
    bucket: Callable[[Cards], Indices],
    buckets: int,
) -> tuple[Floats, Floats]:
    """Return, for each pair of buckets, the deals in which they meet, and those won less those lost.

    Deals are counted over ``batches`` of ``boards``; ``bucket`` sends hands (rows of hole cards, then the
    board) to one of ``buckets``.
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
            bucket(hands).reshape(ranks.shape),
            batch.copies,
            np.zeros((2, cards)),
            met,
            won,
        )
    return met, won


@njit(cache=True, error_model="numpy")
def _count(
    holes: Any, orders: Any, ranks: Any, buckets: Any, copies: Any, cards: Any, met: Any, won: Any
) -> None:
    """Add what happens on each board to ``met`` and ``won``, one bucket of the opponent at a time."""
    hands = len(holes)
    reach, out = np.zeros(hands), np.zeros(hands)
    for b in range(len(orders)):
        own, order, rank = buckets[b], orders[b], ranks[b]
        members = np.argsort(own)
        i = 0
        while i < hands:
            j, other = i, own[members[i]]
            while j < hands and own[members[j]] == other:
                reach[members[j]] = copies[b]
                j += 1
            compatible(holes, order, reach, cards[0], out)
            for h in range(hands):
                met[own[h], other] += out[h]
            showdown(holes, order, rank, reach, cards, out)
            for h in range(hands):
                won[own[h], other] += out[h]
            for k in range(i, j):
                reach[members[k]] = 0.0
            i = j
