"""Ranks of all hands on many boards, with arrays of any library on any device.

The look-ups of :mod:`equipoise.cards.evaluate`, whole boards at a time: sums over the cards of a board and
over those of a hand are made apart, and added.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.deck import Cards
from equipoise.cards.evaluate import HIGH, MASK, Evaluator

Array = Any


class BoardRanks:
    """Ranks hands of ``evaluator`` on boards; ``xp`` is an array library's namespace."""

    def __init__(self, evaluator: Evaluator, xp: Any, device: Any = None) -> None:
        self._xp, self._device = xp, device
        tables = evaluator.tables
        codes = tables.keys[:, 0] & np.uint64((1 << 2 * HIGH) - 1)
        self._codes, self._bits = self._put(codes), self._put(tables.keys[:, 1])
        self._row, self._column = self._put(tables.row), self._put(tables.column)
        self._best, self._flush = self._put(tables.best), self._put(tables.flush)
        self._suits = len(evaluator.deck.suits)

    def __call__(self, boards: Cards, left: Cards, hands: Cards) -> Array:
        """Return the rank of every hand on every board: ``hands`` are places among the cards ``left``."""
        codes, held = (
            self._summed(keys, boards, left, hands) for keys in (self._codes, self._bits)
        )
        xp, low = self._xp, (1 << HIGH) - 1
        number = self._look_up(self._row, codes & low) + self._look_up(self._column, codes >> HIGH)
        ranks = self._look_up(self._best, number)
        for suit in range(self._suits):
            mask = (held >> (MASK * suit)) & ((1 << MASK) - 1)
            ranks = xp.maximum(ranks, self._look_up(self._flush, mask))
        return ranks

    def _summed(self, keys: Array, boards: Cards, left: Cards, hands: Cards) -> Array:
        """Return the sum of ``keys`` over the board and the hand, for every hand on every board."""
        xp = self._xp
        total = xp.sum(self._look_up(keys, self._put(boards)), axis=1)[:, None]
        beside = self._look_up(keys, self._put(left))
        for place in range(hands.shape[1]):
            total = total + xp.take(beside, self._put(hands[:, place]), axis=1)
        return total

    def _look_up(self, table: Array, places: Array) -> Array:
        xp = self._xp
        return xp.reshape(xp.take(table, xp.reshape(places, (-1,)), axis=0), places.shape)

    def _put(self, numbers: NDArray[Any]) -> Array:
        plain = np.ascontiguousarray(numbers.astype(np.int64))
        return self._xp.asarray(plain, device=self._device)
