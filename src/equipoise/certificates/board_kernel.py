"""Columns over hands on boards, by compiled loops: one pass over the sorted hands does all of it.

The two ways to the same sums are told in :mod:`equipoise.cards.board_sums`; this is the sweep of
:func:`equipoise.cards.ranked.margins` with what comes before it (reach by bucket) and after it (the steps to
the entries' values, and the sum over the cards dealt) in the same pass, so that nothing as large as hands times
columns is ever written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.cards.deck import Cards
from equipoise.cards.ranked import see, table_rows
from equipoise.certificates.columns import ADD, MAX, RoundColumns, StreetDeals

Floats = NDArray[np.float64]

_BYTES = (
    256  # a slot's columns of one row: enough for vectors, few enough for tables to stay in caches
)


class _Group(NamedTuple):
    """Columns with slots and entries in one axis; sizes without a sign, for the reason in ``table_rows``."""

    reach: Any
    scale: Any
    own: Any
    carried: Any
    steps: Any
    entries: Any
    shown: Any
    paid: Any
    result: int


class CompiledRound:
    """A round as both players see it; ``dtype`` is the precision of sums on one board."""

    def __init__(
        self, columns: Iterable[Iterable[RoundColumns]], hands: Cards, dtype: str = "float64"
    ) -> None:
        self.entries: list[list[int]] = [[], []]
        (self._rows, self._size), self._dtype = table_rows(hands), np.dtype(dtype)
        self._groups: list[list[tuple[int, _Group]]] = [[], []]
        for player, views in enumerate(columns):
            for group in views:
                first = len(self.entries[player])
                self._groups[player].append((first, self._flat(group)))
                self.entries[player].extend(group.entries)
        self.has_showdowns = any(group.shown for groups in self._groups for _, group in groups)

    @staticmethod
    def most(dtype: str) -> int:
        """Return how many entries to take at a time."""
        return _BYTES // np.dtype(dtype).itemsize

    def add(
        self,
        out: list[Floats],
        ranks: NDArray[Any] | None,
        buckets: list[NDArray[Any]],
        carried: list[Floats] | None,
        deals: StreetDeals,
    ) -> list[Floats]:
        """Add both players' values (:class:`RoundValues`)."""
        shape = buckets[0].shape
        if ranks is None:
            ranks = np.zeros(shape, dtype=np.int64)
        orders = np.argsort(ranks, axis=1).astype(np.uint32)
        near = [own.astype(np.uint32) for own in buckets]
        onto, earned = deals.back.astype(np.uint32), [np.zeros(shape) for _ in self._groups]
        for player, groups in enumerate(self._groups):
            up = np.zeros((0, 0, 0)) if carried is None else carried[player]
            for first, group in groups:
                _respond(
                    group, self._rows, self._size, orders, ranks, near[1 - player], near[player], up,
                    onto, out[player], np.uint64(first), earned[player],
                )  # fmt: skip
        return earned

    def _flat(self, group: RoundColumns) -> _Group:
        def flat(array: NDArray[Any]) -> NDArray[Any]:
            shape = (len(array), array.shape[1] * array.shape[2])
            return np.ascontiguousarray(array.reshape(shape), dtype=self._dtype)

        entries = len(group.entries)
        return _Group(
            flat(group.reach),
            group.scale.reshape(-1).astype(self._dtype),
            flat(group.own),
            group.carried.astype(np.uint32),
            group.steps.astype(np.uint32),
            np.uint64(entries),
            np.uint64(group.shown * entries),
            np.uint64(group.paid * entries),
            group.result,
        )


@njit(cache=True, nogil=True, error_model="numpy")
def _respond(
    group: Any, rows: Any, size: Any, orders: Any, ranks: Any, other: Any, mine: Any, carried: Any,
    onto: Any, out: Any, first: Any, earned: Any,
) -> None:  # fmt: skip
    """Add the responder's values to ``out``, and to ``earned`` what her own strategy earns at the leaves."""
    reach, scale, own = group.reach, group.scale, group.own
    columns, shown, paid = np.uint64(reach.shape[1]), group.shown, group.paid
    skip, leaves, nothing = columns - paid, shown + paid, np.uint64(0)
    boards, hands = orders.shape
    pairs = rows[0, 1] < size - 1
    twice = reach.dtype.type(1.0 if pairs else 0.0)
    every = np.zeros((size, columns), reach.dtype)
    seen = np.zeros((size, shown), reach.dtype)
    slots = (len(scale) // group.entries) + len(group.carried)
    values = np.empty((slots, group.entries), reach.dtype)
    flat = values.reshape(-1)
    for b in range(boards):
        every[:] = 0.0
        for h in range(hands):
            see(every, rows[h, 0], rows[h, 1], pairs, reach, other[b, h], nothing, columns)
        for row in range(size):
            for c in range(shown):
                seen[row, c] = -every[row, c]
        i = 0
        while i < hands:
            j = i
            while j < hands and ranks[b, orders[b, j]] == ranks[b, orders[b, i]]:
                h = orders[b, j]
                see(seen, rows[h, 0], rows[h, 1], pairs, reach, other[b, h], nothing, shown)
                j += 1
            for k in range(i, j):
                h = orders[b, k]
                x, y, bucket = rows[h, 0], rows[h, 1], other[b, h]
                for c in range(shown):
                    flat[c] = (seen[0, c] - seen[x, c] - seen[y, c]) * scale[c]
                for c in range(paid):
                    # All, less those with her cards; of two cards, the hand itself was taken out twice.
                    p = skip + c
                    met = every[0, p] - every[x, p] - every[y, p] + twice * reach[bucket, p]
                    flat[shown + c] = met * scale[shown + c]
                earned[b, h] += _product(flat, own, mine[b, h], leaves)
                _carry(values, group.carried, carried, b, h)
                _step(values, group.steps)
                before = onto[b % len(onto), h]
                for c in range(group.entries):
                    out[b // len(onto), before, first + c] += values[group.result, c]
            for k in range(i, j):
                h = orders[b, k]
                see(seen, rows[h, 0], rows[h, 1], pairs, reach, other[b, h], nothing, shown)
            i = j


# Added up in any order: in vectors, that is.
@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _product(values: Any, matrix: Any, row: Any, columns: Any) -> Any:
    """Return the inner product of some values with a row of a matrix."""
    total = values.dtype.type(0.0)
    for c in range(columns):
        total += values[c] * matrix[row, c]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _carry(values: Any, places: Any, carried: Any, b: Any, h: Any) -> None:
    """Put what comes up from the next round into the last slots."""
    first = len(values) - len(places)
    for slot in range(len(places)):
        for c in range(places.shape[1]):
            values[first + slot, c] = carried[b, h, places[slot, c]]


@njit(cache=True, nogil=True, error_model="numpy")
def _step(values: Any, steps: Any) -> None:
    """Make the steps of a program (:mod:`equipoise.certificates.columns`) on one row of values."""
    columns = np.uint64(values.shape[1])
    for s in range(len(steps)):
        kind, one, two = steps[s, 0], steps[s, 1], steps[s, 2]
        if kind == ADD:
            for c in range(columns):
                values[one, c] += values[two, c]
        elif kind == MAX:
            for c in range(columns):
                values[one, c] = max(values[one, c], values[two, c])
        else:
            for c in range(columns):
                values[one, c] = max(values[one, c], values.dtype.type(0.0))
