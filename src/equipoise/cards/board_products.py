"""Sums over the opponent's hands as products of matrices, with reach looked up by bucket.

The matrices are those of :mod:`equipoise.cards.board_sums`: the signs of showdowns, and which hands have a card. Their
entries are -1, 0 and 1, which every floating-point format has exactly. So a GPU may multiply in bfloat16, its
fastest format, and lose nothing but the last digits of the reach: of its 24 bits one such number keeps 8, and the
sum of two (the nearest, and what is left) 16. Sums are in single precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.board_sums import Meetings, SignedShowdowns
from equipoise.cards.deck import Cards
from equipoise.numerics.device import Array, Device

PAD = 64
"""Sizes of matrices that a GPU is fast with are multiples of this."""


class BoardProducts:
    """Products in the precision of ``device``, for hands that are places among the cards left on a board."""

    def __init__(self, hands: Cards, device: Device) -> None:
        self._device, self._xp, self._hands = device, device.xp, len(hands)
        self._meetings = Meetings(hands, device.xp, device.floats, device.device)
        # Row 0 is all hands, the others those with each card.
        every = np.ones((1, len(hands)))
        self._holds = device.put(np.concatenate([every, self._meetings.holds]))
        self._cards = [device.put(cards.astype(np.int64) + 1) for cards in hands.T]

    def table(self, reach: NDArray[np.float64]) -> Array:
        """Put reach by bucket and column on the device."""
        return self._device.put(reach)

    def near(self, table: Array, buckets: Array) -> Array:
        """Return the reach of each hand on each board: an array to multiply with."""
        return rows(self._xp, table, buckets)

    def signs(self, ranks: Array) -> Array:
        """Return what compares hands on boards where they have ``ranks``: a matrix to multiply with."""
        return SignedShowdowns(self._meetings, ranks, self._xp, self._device.floats).signs

    def margins(self, signs: Array, near: Array) -> Array:
        """For each hand, the reach of the hands it beats less that of those that beat it."""
        return self._xp.matmul(signs, near)

    def by_card(self, near: Array) -> Array:
        """Return the reach of all hands, and of those with each card."""
        return self._xp.matmul(self._holds, near)

    def own(self, near: Array) -> Array:
        """Return the reach of each hand as a number."""
        return near

    def totals(self, by_card: Array, own: Array) -> Array:
        """For each hand, the reach of the hands that it can meet, from that of all by card and its own."""
        found = by_card[:, :1, :] + (len(self._cards) - 1) * own
        for cards in self._cards:
            found = found - self._xp.take(by_card, cards, axis=1)
        return found


class HalfProducts(BoardProducts):
    """Products of PyTorch in bfloat16, of one or two ``parts`` of the reach, with sums in single precision.

    Parts are one after another, as rows of one array and as columns of one matrix, so that one product
    does. Both are filled up with zeros.
    """

    def __init__(self, hands: Cards, device: Device, parts: int) -> None:
        super().__init__(hands, device)
        self._parts, self._more = parts, -len(hands) % PAD
        self._holds = self._matrix(self._holds[None])
        self._signs = device.fused(self._signed)

    def table(self, reach: NDArray[np.float64]) -> Array:
        """Put reach by bucket and column on the device: all first parts, all second ones, and a row of zeros."""
        xp, left = self._xp, self._device.put(reach)
        found = []
        for _ in range(self._parts):
            found.append(left.to(xp.bfloat16))
            left = left - found[-1].to(xp.float32)
        return xp.concat([*found, xp.zeros_like(found[0][:1])], axis=0)

    def near(self, table: Array, buckets: Array) -> Array:
        """Return the reach of each hand on each board: an array to multiply with."""
        size = (len(table) - 1) // self._parts
        nothing = buckets.new_full((len(buckets), self._more), len(table) - 1)
        parts = [array for part in range(self._parts) for array in (buckets + part * size, nothing)]
        return rows(self._xp, table, self._xp.concat(parts, axis=1))

    def signs(self, ranks: Array) -> Array:
        """Return what compares hands on boards where they have ``ranks``: a matrix to multiply with."""
        found: Array = self._signs(ranks)
        return found

    def _signed(self, ranks: Array) -> Array:
        exact = ranks.to(self._xp.float32)
        signs = self._xp.sign(exact[:, :, None] - exact[:, None, :])
        return self._matrix(signs * self._meetings.meets)

    def margins(self, signs: Array, near: Array) -> Array:
        """For each hand, the reach of the hands it beats less that of those that beat it."""
        if near.is_cuda:
            return self._xp.bmm(signs, near, out_dtype=self._xp.float32)
        return self._xp.bmm(signs.to(self._xp.float32), near.to(self._xp.float32))

    def by_card(self, near: Array) -> Array:
        """Return the reach of all hands, and of those with each card."""
        return self.margins(self._holds.expand(len(near), -1, -1), near)

    def own(self, near: Array) -> Array:
        """Return the reach of each hand as a number."""
        size = self._hands + self._more
        found = near[:, : self._hands].to(self._xp.float32)
        for part in range(1, self._parts):
            found = found + near[:, part * size : part * size + self._hands]
        return found

    def _matrix(self, whole: Array) -> Array:
        """Return a matrix on each board once for each part, filled up with columns of zeros."""
        half = whole.to(self._xp.bfloat16)
        blank = half.new_zeros((*half.shape[:2], self._more))
        return self._xp.concat([half, blank] * self._parts, axis=2)


def rows(xp: Any, table: Array, places: Array) -> Array:
    """Return rows of ``table``, for an array of places."""
    flat = xp.take(table, xp.reshape(places, (-1,)), axis=0)
    return xp.reshape(flat, (*places.shape, table.shape[1]))
