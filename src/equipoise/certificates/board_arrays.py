"""Columns over hands on boards, with arrays of any library: products with matrices, many boards at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.board_products import PAD, HalfProducts, Products, rows
from equipoise.cards.deck import Cards
from equipoise.certificates.columns import ADD, MAX, Deals, RoundColumns
from equipoise.numerics.device import Array, Device


class _Group(NamedTuple):
    """Columns on a device, slots and entries in one axis; what is at stake is in the reach."""

    shown: Array
    paid: Array
    own: Array
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
        self._device, self._multiple = device, PAD if parts else 1
        self._products = HalfProducts(hands, device, parts) if parts else Products(hands, device)
        self.entries: list[list[int]] = [[], []]
        self._groups: list[list[tuple[int, _Group]]] = [[], []]
        self.width = len(hands)
        for player, views in enumerate(columns):
            for group in views:
                first = len(self.entries[player])
                self._groups[player].append((first, self._put(group)))
                self.entries[player].extend(group.entries)
                self.width = max(self.width, group.slots * self._groups[player][-1][1].width)
        self.has_showdowns = any(
            group.shown.shape[1] for groups in self._groups for _, group in groups
        )

    def add(
        self,
        out: list[Array],
        ranks: Array | None,
        buckets: list[Array],
        carried: list[Array] | None,
        deals: Deals,
    ) -> Any:
        """Add both players' values (:class:`RoundValues`)."""
        device = self._device
        signs = None if ranks is None else self._products.signs(ranks)
        profit: Any = 0.0
        for player, groups in enumerate(self._groups):
            for first, group in groups:
                slots, earned = self._leaves(group, signs, buckets[1 - player], buckets[player])
                profit += earned
                if carried is not None:
                    slots += [device.xp.take(carried[player], at, axis=2) for at in group.carried]
                values = _stepped(device.xp, slots, group)[:, :, : group.entries]
                out[player][:, :, first : first + group.entries] += self._before(values, deals)
        return profit

    def _leaves(
        self, group: _Group, signs: Any, other: Array, mine: Array
    ) -> tuple[list[Array], Any]:
        """Return the values at the leaves, slot by slot, and what the responder's own strategy earns there."""
        xp, found = self._device.xp, list[Array]()
        if group.shown.shape[1]:
            found.append(self._products.margins(signs, group.shown, other))
        if group.paid.shape[1]:
            found.append(self._products.totals(group.paid, other))
        slots, first = list[Array](), 0
        profit: Any = 0.0
        for values in found:
            count = values.shape[2]
            if group.own.shape[0]:
                # Own reach times value, over every hand: what the profile earns at these leaves.
                own = rows(xp, group.own[:, first : first + count], mine)
                profit = profit + xp.sum(own * values, dtype=xp.float64)
            first += count
            slots += [values[:, :, at : at + group.width] for at in range(0, count, group.width)]
        return slots, profit

    def _before(self, values: Array, deals: Deals) -> Array:
        """Return the values on the boards before, in double precision: the sums over what was dealt."""
        xp, device = self._device.xp, self._device
        ways, before = deals.place.shape
        hands, columns = values.shape[1:]
        # A hand that holds a dealt card is not there: a row of zeros stands for it.
        at = device.put((deals.place + np.arange(ways)[:, None] * (hands + 1)).reshape(-1))
        parted = xp.reshape(values, (-1, ways, hands, columns))
        blank = device.zeros((parted.shape[0], ways, 1, columns))
        flat = xp.reshape(xp.concat([parted, blank], axis=2), (-1, ways * (hands + 1), columns))
        there = xp.reshape(xp.take(flat, at, axis=1), (-1, ways, before, columns))
        return xp.sum(there, axis=1, dtype=xp.float64)

    def _put(self, group: RoundColumns) -> _Group:
        entries = len(group.entries)
        more = -entries % self._multiple

        def filled(array: NDArray[Any]) -> NDArray[Any]:
            wide = np.pad(array, [(0, 0), (0, 0), (0, more)])
            return wide.reshape(len(array), wide.shape[1] * wide.shape[2])

        put = self._device.put
        shown = group.reach[:, : group.shown] * group.scale[: group.shown]
        paid = group.reach[:, group.reach.shape[1] - group.paid :] * group.scale[group.shown :]
        return _Group(
            shown=self._products.table(filled(shown)),
            paid=self._products.table(filled(paid)),
            own=put(filled(group.own)),
            carried=[put(np.pad(at, (0, more))) for at in group.carried],
            steps=group.steps.tolist(),
            result=group.result,
            entries=entries,
            width=entries + more,
        )


def _stepped(xp: Any, slots: list[Array], group: _Group) -> Array:
    """Make the steps of a program (:mod:`equipoise.certificates.columns`), and return the entries' values."""
    for kind, one, two in group.steps:
        if kind == ADD:
            slots[one] = slots[one] + slots[two]
        elif kind == MAX:
            slots[one] = xp.maximum(slots[one], slots[two])
        else:
            slots[one] = xp.clip(slots[one], 0.0, None)
    return slots[group.result]
