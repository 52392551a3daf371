"""Sums over the opponent's hands as products of matrices, with reach looked up by bucket.

The matrices are those of :mod:`equipoise.cards.board_sums`: which hands meet, and the signs of showdowns. Their
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


class Products:
    """Products in the precision of ``device``, for hands that are places among the cards left on a board."""

    def __init__(self, hands: Cards, device: Device) -> None:
        self._device, self._xp = device, device.xp
        self._meetings = Meetings(hands, device.xp, device.floats, device.device)

    def table(self, reach: NDArray[np.float64]) -> Array:
        """Put reach by bucket and column on the device."""
        return self._device.put(reach)

    def signs(self, ranks: Array) -> Any:
        """Return what compares hands on boards where they have ``ranks``."""
        return SignedShowdowns(self._meetings, ranks, self._xp, self._device.floats)

    def margins(self, signs: Any, table: Array, buckets: Array) -> Array:
        """For each hand, the reach of the hands it beats less that of those that beat it."""
        found: SignedShowdowns = signs
        return found.margins(rows(self._xp, table, buckets))

    def totals(self, table: Array, buckets: Array) -> Array:
        """For each hand, the reach of the hands that it can meet."""
        return self._meetings.totals(rows(self._xp, table, buckets))


class HalfProducts(Products):
    """Products of PyTorch in bfloat16, of one or two ``parts`` of the reach, with sums in single precision.

    Parts are one after another, as rows of one table and as columns of one matrix, so that one product
    does. Both are filled up with zeros.
    """

    def __init__(self, hands: Cards, device: Device, parts: int) -> None:
        super().__init__(hands, device)
        self._parts, self._more = parts, -len(hands) % PAD
        self._meets = self._matrix(self._meetings.meets[None])

    def table(self, reach: NDArray[np.float64]) -> Array:
        """Put reach by bucket and column on the device: all first parts, all second ones, and a row of zeros."""
        xp, left = self._xp, self._device.put(reach)
        found = []
        for _ in range(self._parts):
            found.append(left.to(xp.bfloat16))
            left = left - found[-1].to(xp.float32)
        return xp.concat([*found, xp.zeros_like(found[0][:1])], axis=0)

    def signs(self, ranks: Array) -> Any:
        """Return what compares hands on boards where they have ``ranks``."""
        exact = ranks.to(self._xp.float32)
        signs = self._xp.sign(exact[:, :, None] - exact[:, None, :])
        return self._matrix(signs * self._meetings.meets)

    def margins(self, signs: Any, table: Array, buckets: Array) -> Array:
        """For each hand, the reach of the hands it beats less that of those that beat it."""
        return self._product(signs, table, buckets)

    def totals(self, table: Array, buckets: Array) -> Array:
        """For each hand, the reach of the hands that it can meet."""
        meets = self._meets.expand(len(buckets), -1, -1)
        return self._product(meets, table, buckets)

    def _matrix(self, whole: Array) -> Array:
        """Return a matrix on each board once for each part, filled up with columns of zeros."""
        half = whole.to(self._xp.bfloat16)
        blank = half.new_zeros((*half.shape[:2], self._more))
        return self._xp.concat([half, blank] * self._parts, axis=2)

    def _product(self, matrix: Array, table: Array, buckets: Array) -> Array:
        size = (len(table) - 1) // self._parts
        nothing = buckets.new_full((len(buckets), self._more), len(table) - 1)
        parts = [array for part in range(self._parts) for array in (buckets + part * size, nothing)]
        near = rows(self._xp, table, self._xp.concat(parts, axis=1))
        if near.is_cuda:
            return self._xp.bmm(matrix, near, out_dtype=self._xp.float32)
        return self._xp.bmm(matrix.to(self._xp.float32), near.to(self._xp.float32))


def rows(xp: Any, table: Array, places: Array) -> Array:
    """Return rows of ``table``, for an array of places."""
    flat = xp.take(table, xp.reshape(places, (-1,)), axis=0)
    return xp.reshape(flat, (*places.shape, table.shape[1]))
