"""The compiled loop of :mod:`equipoise.cards.evaluate`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from equipoise.cards.evaluate import HIGH, MASK, SUITS
from equipoise.numerics.kernels import EXACT


@njit(**EXACT)
def rank_hands(hands: Any, tables: Any, start: Any, ranks: Any) -> Any:
    """Fill ``ranks``; return the first hand that holds a card twice, or -1."""
    keys, row, column, best, flush = tables
    low_bits = np.uint64((1 << HIGH) - 1)
    full_suit = np.uint64(0x8888 << SUITS)
    suit_bits = np.uint64((1 << MASK) - 1)
    for h in range(hands.shape[0]):
        total, held, twice = start, np.uint64(0), np.uint64(0)
        for i in range(hands.shape[1]):
            card = np.uintp(hands[h, i])
            total += keys[card, 0]
            twice |= held & keys[card, 1]
            held |= keys[card, 1]
        if twice:
            return h
        low, high = total & low_bits, (total >> np.uint64(HIGH)) & low_bits
        rank = best[row[low] + column[high]]
        if total & full_suit:
            for suit in range(4):
                rank = max(rank, flush[(held >> np.uint64(MASK * suit)) & suit_bits])
        ranks[h] = rank
    return -1
