"""The compiled loops of :mod:`equipoise.cards.evaluate`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from equipoise.cards.evaluate import HIGH, MASK, SUITS
from equipoise.numerics.kernels import EXACT, EXACT_INNER


@njit(**EXACT)
def rank_hands(hands: Any, tables: Any, start: Any, ranks: Any) -> Any:
    """Fill ``ranks``; return the first hand that holds a card twice, or -1."""
    keys = tables.keys
    for h in range(hands.shape[0]):
        total, held, twice = start, np.uint64(0), np.uint64(0)
        for i in range(hands.shape[1]):
            card = np.uintp(hands[h, i])
            total += keys[card, 0]
            twice |= held & keys[card, 1]
            held |= keys[card, 1]
        if twice:
            return h
        ranks[h] = rank_of(tables, total, held)
    return -1


@njit(**EXACT)
def rank_boards(boards: Any, left: Any, hands: Any, tables: Any, start: Any, ranks: Any) -> None:
    """Fill ``ranks[b, h]`` for every hand on every board: ``hands`` are places among the cards ``left``."""
    keys = tables.keys
    for b in range(boards.shape[0]):
        shared, board = start, np.uint64(0)
        for i in range(boards.shape[1]):
            card = np.uintp(boards[b, i])
            shared += keys[card, 0]
            board |= keys[card, 1]
        for h in range(hands.shape[0]):
            total, held = shared, board
            for i in range(hands.shape[1]):
                card = np.uintp(left[b, np.uintp(hands[h, i])])
                total += keys[card, 0]
                held |= keys[card, 1]
            ranks[b, h] = rank_of(tables, total, held)


@njit(**EXACT_INNER)
def rank_of(tables: Any, total: Any, held: Any) -> Any:
    """Return the rank of a hand from the sum of its cards' keys, and the masks of its suits."""
    low_bits = np.uint64((1 << HIGH) - 1)
    low, high = total & low_bits, (total >> np.uint64(HIGH)) & low_bits
    rank = tables.best[tables.row[low] + tables.column[high]]
    if total & np.uint64(0x8888 << SUITS):
        suit_bits = np.uint64((1 << MASK) - 1)
        for suit in range(4):
            rank = max(rank, tables.flush[(held >> np.uint64(MASK * suit)) & suit_bits])
    return rank
