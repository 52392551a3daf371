"""Sums over the opponent's hands, on many boards and for many columns of numbers at once.

``reach[b, k, c]`` says how likely the opponent plays to point ``c`` with hand ``k`` on board ``b``. A hand can
meet those that share no card with it; of these it beats some, and loses to some. Hands are places among
the cards left on a board, so which hands meet is the same on all boards.

Three ways to the sums over showdowns, with one contract: a product with the matrix of signs, for arrays of
any library (on a GPU the faster by far); its half, since what one hand wins the other loses; and a sweep
over the sorted hands in linear time. The last two are compiled (:mod:`equipoise.cards.ranked`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.deck import Cards

Array = Any


class Meetings:
    """Which of ``hands`` (rows of one or two places) can meet, and sums over those."""

    def __init__(self, hands: Cards, xp: Any, dtype: Any, device: Any = None) -> None:
        self.hands, self._xp = hands, xp
        # Hands with each card; two hands share as many cards as the product of their columns says.
        holds = (hands[None, :, :] == np.arange(int(hands.max(initial=0)) + 1)[:, None, None]).any(
            2
        )
        shared = holds.T.astype(np.int64) @ holds
        self.holds = holds.astype(np.float64)
        self._holds = xp.asarray(self.holds, dtype=dtype, device=device)
        self.meets = xp.asarray((shared == 0).astype(np.float64), dtype=dtype, device=device)
        self._cards = hands.shape[1]

    def totals(self, reach: Array) -> Array:
        """For each hand, the total reach of the hands that it can meet.

        All, less those with its cards; of two cards, the hand itself was taken out twice.
        """
        xp = self._xp
        by_card = xp.matmul(self._holds, reach)
        with_cards = xp.matmul(xp.permute_dims(self._holds, (1, 0)), by_card)
        return xp.sum(reach, axis=-2, keepdims=True) - with_cards + (self._cards - 1) * reach


class SignedShowdowns:
    """Showdowns on boards where hands have ``ranks``, as a product with the matrix of signs."""

    def __init__(self, meetings: Meetings, ranks: Array, xp: Any, dtype: Any) -> None:
        # Ranks are whole numbers, so their differences cut off at one are the signs.
        exact = xp.astype(ranks, dtype)
        self._xp = xp
        self.signs = xp.clip(exact[:, :, None] - exact[:, None, :], -1.0, 1.0)
        self.signs *= meetings.meets

    def margins(self, reach: Array) -> Array:
        """For each hand, the reach of the hands it beats less that of those that beat it."""
        return self._xp.matmul(self.signs, reach)


class HalfShowdowns:
    """The same with each pair of hands looked up once: the matrix of signs is antisymmetric (Muench 2015).

    NumPy arrays of double precision.
    """

    def __init__(self, meetings: Meetings, ranks: NDArray[np.integer]) -> None:
        first, second = np.triu_indices(ranks.shape[1], 1)
        meets = np.asarray(meetings.meets)[first, second]
        exact = ranks.astype(np.int64)
        self._signs = (np.sign(exact[:, first] - exact[:, second]) * meets).astype(np.int8)

    def margins(self, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each hand, the reach of the hands it beats less that of those that beat it."""
        from equipoise.cards.ranked import half_margins

        out = np.zeros_like(reach)
        half_margins(self._signs, np.ascontiguousarray(reach), out)
        return out


class SortedShowdowns:
    """The same by a sweep over the sorted hands; NumPy arrays of either precision."""

    def __init__(self, meetings: Meetings, ranks: NDArray[np.integer]) -> None:
        self._hands = meetings.hands
        self._ranks = ranks.astype(np.int64)
        self._order = np.argsort(self._ranks, axis=1).astype(np.uint32)

    def margins(self, reach: NDArray[np.floating]) -> NDArray[np.floating]:
        """For each hand, the reach of the hands it beats less that of those that beat it."""
        from equipoise.cards.ranked import margins, table_rows

        out = np.empty_like(reach, order="C")
        rows, size = table_rows(self._hands)
        margins(rows, size, self._order, self._ranks, np.ascontiguousarray(reach), out)
        return out
