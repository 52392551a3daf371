"""Columns over hands on boards, with arrays of any library: products with matrices, many boards at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.board_products import PAD, BoardProducts, HalfProducts, rows
from equipoise.cards.deck import Cards
from equipoise.certificates.columns import ADD, MAX, RoundColumns, StreetDeals
from equipoise.numerics.device import Array, Device


class _Group(NamedTuple):
    """Columns on a device, slots and entries in one axis."""

    reach: Array
    scale: Array
    own: Array
    shown: int
    paid: int
    carried: list[Array]
    steps: list[list[int]]
    result: int
    entries: int
    width: int


class ArrayRound:
    """A round as both players see it, on ``device``.

    Products are made in bfloat16 if a number of ``parts`` is given (:mod:`equipoise.cards.board_products`), and
    columns filled up so that a GPU is fast with them.
    """

    def __init__(
        self,
        columns: Iterable[Iterable[RoundColumns]],
        hands: Cards,
        device: Device,
        parts: int = 0,
    ) -> None:
        self._device, self._is_half = device, parts > 0
        self._products = (
            HalfProducts(hands, device, parts) if parts else BoardProducts(hands, device)
        )
        self._finish = device.fused(self._finished) if parts else self._finished
        self.entries: list[list[int]] = [[], []]
        self._groups: list[list[tuple[int, _Group]]] = [[], []]
        self.width = len(hands)
        for player, views in enumerate(columns):
            for group in views:
                first = len(self.entries[player])
                self._groups[player].append((first, self._put(group)))
                self.entries[player].extend(group.entries)
                self.width = max(self.width, group.slots * self._groups[player][-1][1].width)
        self.has_showdowns = any(group.shown for groups in self._groups for _, group in groups)

    def add(
        self,
        out: list[Array],
        ranks: Array | None,
        buckets: list[Array],
        carried: list[Array] | None,
        deals: StreetDeals,
    ) -> list[Array]:
        """Add both players' values (:class:`RoundValues`)."""
        signs = None if ranks is None else self._products.signs(ranks)
        exact = replace(self._device, dtype="float64")
        earned = [exact.zeros(buckets[0].shape) for _ in self._groups]
        for player, groups in enumerate(self._groups):
            for first, group in groups:
                near = self._products.near(group.reach, buckets[1 - player])
                margins = by_card = None
                if group.shown:
                    margins = self._products.margins(signs, near[:, :, : group.shown])
                if group.paid:
                    by_card = self._products.by_card(near[:, :, near.shape[2] - group.paid :])
                up = None if carried is None else carried[player]
                values, own = self._finish(group, near, margins, by_card, buckets[player], up)
                if own is not None:
                    # Over the columns of a hand first: few numbers need be turned to double precision.
                    profit = self._device.xp.sum(own, axis=2)
                    earned[player] += self._device.xp.astype(profit, exact.floats)
                values = values[:, :, : group.entries]
                out[player][:, :, first : first + group.entries] += on_boards_before(
                    self._device, values, deals
                )
        return earned

    def _finished(
        self,
        group: _Group,
        near: Array,
        margins: Array | None,
        by_card: Array | None,
        mine: Array,
        carried: Array | None,
    ) -> tuple[Array, Array | None]:
        """Return the entries' values from the sums over hands, and what the responder's own strategy earns, if any.

        All of it is on arrays of one shape, boards by hands by entries, so that it can be made in one pass. Sums over
        entries are left to the caller: a pass that adds up as it goes holds a whole row of every slot in registers,
        which took a GPU twenty times as long.
        """
        xp, earned = self._device.xp, None
        slots = self._leaves(group, near, margins, by_card)
        # Own reach times value, over every hand: what the profile earns at these leaves.
        for at, values in enumerate(slots):
            own = group.own[:, at * group.width : (at + 1) * group.width]
            more = rows(xp, own, mine) * values
            earned = more if earned is None else earned + more
        if carried is not None:
            slots += [xp.take(carried, at, axis=2) for at in group.carried]
        for kind, one, two in group.steps:
            if kind == ADD:
                slots[one] = slots[one] + slots[two]
            elif kind == MAX:
                slots[one] = xp.maximum(slots[one], slots[two])
            else:
                slots[one] = xp.clip(slots[one], 0.0, None)
        return slots[group.result], earned

    def _leaves(
        self, group: _Group, near: Array, margins: Array | None, by_card: Array | None
    ) -> list[Array]:
        """Return the values at the leaves, slot by slot."""
        slots: list[Array] = []
        width = group.width
        if margins is not None:
            for at in range(0, group.shown, width):
                slots.append(margins[:, :, at : at + width] * group.scale[at : at + width])
        if by_card is not None:
            skip = near.shape[2] - group.paid
            for at in range(0, group.paid, width):
                own = self._products.own(near[:, :, skip + at : skip + at + width])
                met = self._products.totals(by_card[:, :, at : at + width], own)
                scale = group.scale[group.shown + at : group.shown + at + width]
                slots.append(met * scale)
        return slots

    def _put(self, group: RoundColumns) -> _Group:
        entries, put = len(group.entries), self._device.put
        more = -entries % PAD if self._is_half else 0

        def filled(array: NDArray[Any]) -> NDArray[Any]:
            wide = np.pad(array, [(0, 0), (0, 0), (0, more)])
            return wide.reshape(len(array), wide.shape[1] * wide.shape[2])

        width = entries + more
        return _Group(
            reach=self._products.table(filled(group.reach)),
            scale=put(filled(group.scale[None])[0]),
            own=put(filled(group.own)),
            shown=group.shown * width,
            paid=group.paid * width,
            carried=[put(np.pad(at, (0, more))) for at in group.carried],
            steps=group.steps.tolist(),
            result=group.result,
            entries=entries,
            width=width,
        )


def on_boards_before(device: Device, values: Array, deals: StreetDeals) -> Array:
    """Return the values on the boards before: the sums over what was dealt, then in double precision."""
    xp = device.xp
    ways, before = deals.place.shape
    hands, columns = values.shape[1:]
    # A hand that holds a dealt card is not there: a row of zeros stands for it.
    at = device.put((deals.place + np.arange(ways)[:, None] * (hands + 1)).reshape(-1))
    parted = xp.reshape(values, (-1, ways, hands, columns))
    blank = device.zeros((parted.shape[0], ways, 1, columns))
    flat = xp.reshape(xp.concat([parted, blank], axis=2), (-1, ways * (hands + 1), columns))
    there = xp.reshape(xp.take(flat, at, axis=1), (-1, ways, before, columns))
    return xp.astype(xp.sum(there, axis=1), xp.float64)
