"""The matrices of :mod:`equipoise.sequence.payoffs.by_board` on a device, and products with them.

Everything is dense and batched over boards. Hands are compared with hands, pairs that share a card are struck
out, and both sides are added up to buckets by products with matrices of zeros and ones; the equities of a board
are those of the boards after it, added up the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from equipoise.numerics.device import Array, Device
from equipoise.sequence.backends.levels import Ints
from equipoise.sequence.payoffs.by_board import MET, ByBoard, PaddedHands

_PAIRS = 20_000_000  # pairs of hands, over boards, that are compared at once


class BoardMatrices:
    """Matrices of a street's boards, made when they are asked for: boards x buckets x buckets."""

    def __init__(self, payoff: ByBoard, device: Device) -> None:
        self.payoff, self.device = payoff, device
        self._known: dict[tuple[int, str], Array] = {}

    def of(self, street: int, kind: str) -> Array:
        """Return the matrices of one kind."""
        if (street, kind) not in self._known:
            is_early = street < len(self.payoff.inner.streets) - 1 and kind != MET
            make = self._equities if is_early else self._compared
            self._known[street, kind] = make(street, kind)
        return self._known[street, kind]

    def times(self, street: int, kind: str, towards: int) -> Callable[[Array], Array]:
        """Return the function that multiplies rows of one player's buckets, to rows x boards x the other's."""
        xp, matrix = self.device.xp, self.of(street, kind)
        factor = matrix if towards == 1 else xp.permute_dims(matrix, (0, 2, 1))
        boards, wide, _ = factor.shape

        def product(rows: Array) -> Array:
            spread = xp.permute_dims(xp.reshape(rows, (-1, boards, wide)), (1, 0, 2))
            return xp.permute_dims(xp.matmul(spread, factor), (1, 0, 2))

        return product

    def _compared(self, street: int, kind: str) -> Array:
        """Compare the hands on every board, some boards at a time."""
        payoff, own = self.payoff, self.payoff.inner.streets[street]
        rooms, device = payoff.rooms[street], self.device
        found = device.zeros((own.boards, *rooms))
        batch = max(1, _PAIRS // (rooms[0] * rooms[1]))
        for low in range(0, own.boards, batch):
            high = min(low + batch, own.boards)
            one, two = (payoff.padded(street, player, low, high) for player in (0, 1))
            factor = device.put(own.factor[low:high])
            pairs = self._pairs(one, two, kind) * factor[:, None, None]
            first, second = self._summing(one.bucket, rooms[0]), self._summing(two.bucket, rooms[1])
            found[low:high, :, :] = self._added_up(pairs, first, second)
        return found

    def _pairs(self, one: PaddedHands, two: PaddedHands, kind: str) -> Array:
        """Return the weights of all pairs of hands that share no card, signed by strength if asked for."""
        xp, put = self.device.xp, self.device.put
        pairs = put(one.weight)[:, :, None] * put(two.weight)[:, None, :]
        cards = [[put(own.low), put(own.high)] for own in (one, two)]
        for mine in cards[0]:
            for theirs in cards[1]:
                differs = mine[:, :, None] != theirs[:, None, :]
                pairs = pairs * xp.astype(differs, self.device.floats)
        if kind == MET:
            return pairs
        ahead = put(one.strength)[:, :, None] - put(two.strength)[:, None, :]
        return pairs * xp.astype(xp.sign(ahead), self.device.floats)

    def _equities(self, street: int, kind: str) -> Array:
        """Add up the matrices of the boards that follow each board."""
        payoff, rooms = self.payoff, self.payoff.rooms[street]
        below, parent = self.of(street + 1, kind), payoff.parents[street + 1]
        boards = payoff.inner.streets[street].boards
        found = self.device.zeros((boards, *rooms))
        for board in range(boards):
            low, high = np.searchsorted(parent, [board, board + 1]).tolist()
            first, second = (
                self._summing(payoff.links[street + 1][i][low:high], rooms[i]) for i in (0, 1)
            )
            parts = self._added_up(below[low:high, :, :], first, second)
            found[board, :, :] = self.device.xp.sum(parts, axis=0)
        return found

    def _summing(self, into: Ints, room: int) -> Array:
        """Return for each board the matrix that adds entries up to the places ``into`` of a row."""
        xp = self.device.xp
        places = xp.arange(room, dtype=xp.int64, device=self.device.device)
        is_there = self.device.put(into)[:, :, None] == places[None, None, :]
        return xp.astype(is_there, self.device.floats)

    def _added_up(self, matrices: Array, first: Array, second: Array) -> Any:
        """Return the matrices with rows and columns added up."""
        xp = self.device.xp
        return xp.matmul(xp.permute_dims(first, (0, 2, 1)), xp.matmul(matrices, second))
