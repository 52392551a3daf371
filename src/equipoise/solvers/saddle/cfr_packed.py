"""Regret minimisation over the runouts of a board, with regrets and averages of the last street in 16 bits.

A row of :mod:`equipoise.solvers.saddle.packed_rows` is an action at a decision on a board, for all hands. When a board's turn
comes, its rows are unpacked into the cache, where the arithmetic of :mod:`equipoise.solvers.saddle.cfr_boards` is
done in single precision, and packed again. Earlier streets are small, and stay in single precision.

What is fixed is not kept with the regrets: its behaviour would be the largest number of its row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.numerics.kernels import INNER, KERNEL
from equipoise.numerics.threads import spread
from equipoise.sequence.payoffs.board_sums import board_products
from equipoise.sequence.payoffs.over_runouts import Fixed, Runouts
from equipoise.sequence.treeplex import Treeplex
from equipoise.solvers.base import Plan
from equipoise.solvers.driver import Arrays
from equipoise.solvers.saddle.cfr_boards import BoardsRun, BoardSweeps
from equipoise.solvers.saddle.packed_rows import (
    SIGNED,
    UNSIGNED,
    PackedRows,
    moment,
    pack_rows,
    unpack,
    unpack_rows,
)
from equipoise.solvers.saddle.regret import reach_within, regret_within
from equipoise.solvers.saddle.tiled import APART, PLAN, REGRETS, TILES, Lane, tile_of

_ONE = np.uint64(1)


class _PackedSide:
    """One player's arrays: ``regret`` and ``average`` of the earlier streets, and rows of the last one."""

    def __init__(self, payoff: Runouts, player: int, space: Treeplex) -> None:
        trunk, slots, boards = payoff.trunk[player], payoff.last.slots[player], payoff.last.boards
        self.space, self.held = space, None
        self.regret = self.play = np.zeros(trunk, dtype=np.float32)
        self.average = np.ones(trunk, dtype=np.float32)
        size, rows = space.size - trunk, slots * boards
        self.regrets = PackedRows.of(size, rows, np.int16)
        self.averages = PackedRows.of(size, rows, np.uint16, 1)

    def state(self) -> Arrays:
        """Return what must be kept."""
        return {
            "regret": self.regret,
            "average": self.average,
            "regrets": self.regrets.numbers,
            "regrets.unit": self.regrets.unit,
            "averages": self.averages.numbers,
            "averages.unit": self.averages.unit,
        }


class _Held(NamedTuple):
    """Behaviour that is fixed on the last street: places in order, shares, and where boards begin among them."""

    places: NDArray[np.uint64]
    shares: NDArray[np.float32]
    bounds: NDArray[np.uint64]

    @classmethod
    def of(cls, fixed: Fixed | None, ends: Any) -> _Held:
        """Return what is fixed from sequence ``ends[0]`` on, where boards begin at the ``ends``."""
        places = np.zeros(0, dtype=np.int64) if fixed is None else fixed.places
        shares = np.zeros(0) if fixed is None else fixed.shares
        order = np.argsort(places, kind="stable")
        return cls(
            places[order].astype(np.uint64),
            shares[order].astype(np.float32),
            np.searchsorted(places[order], ends).astype(np.uint64),
        )


class PackedSweeps(BoardSweeps):
    """Iterations of a CFR run over the boards of a spot, in 16 bits a number."""

    def __init__(self, payoff: Runouts, sides: Any) -> None:
        self.time = moment(0)
        super().__init__(payoff, sides)
        self.held = []
        for fixed, player, bounds in zip(payoff.fixed, self.players, self.bounds, strict=True):
            ends = int(player.trunk) + int(player.slots) * bounds.astype(np.int64)
            self.held.append(_Held.of(fixed, ends))

    def go_on(self, table: Any, done: int) -> None:
        """Do one iteration for each row of ``table``, after those that are ``done``."""
        for i in range(len(table)):
            self.time = moment(done + i + 1)
            self.run(table[i : i + 1])

    def hold(self, player: int) -> None:
        """Put back the regrets of what is fixed on the earlier streets."""
        fixed, side = self.payoff.fixed[player], self.sides[player]
        if fixed is not None:
            is_early = fixed.places < len(side.regret)
            side.regret[fixed.places[is_early]] = fixed.shares[is_early]

    def _room(self, source: int, dtype: Any) -> Any:
        """Return room for a board's plan, for its sums, and for regrets and averages of either player."""
        last = self.payoff.last
        most = max(last.slots[i] * int(last.widths[i].max()) for i in (0, 1))
        return *super()._room(source, dtype), np.zeros((2, most), dtype=dtype)

    def _walk(
        self, source: int, row: Any, step: np.uint64, lane: Lane, more: Any, low: Any, high: Any
    ) -> None:
        target = 1 - source
        giver, taker = self.sides[source], self.sides[target]
        _sweep_packed(
            self.halves[source], step, low, high, row, self.players[source], self.bounds[source],
            self.players[target], self.bounds[target], lane, more,
            (giver.regrets, giver.averages, self.held[source]),
            (taker.regrets, self.held[target]), self.time,
        )  # fmt: skip

    def average(self, player: int, low: int, high: int) -> NDArray[Any]:
        """Return a player's average on the boards ``low .. high``, unpacked."""
        me, bounds = self.players[player], self.bounds[player]
        found = np.empty(int(me.slots) * int(bounds[high] - bounds[low]), dtype=np.float32)
        self._unpack(player, low, high, found)
        return found

    def _unpack(self, player: int, low: int, high: int, out: Any) -> None:
        slots, ends = np.uint64(self.players[player].slots), (np.uint64(low), np.uint64(high))
        unpack(self.sides[player].averages, slots, self.bounds[player], *ends, out)

    def whole(self, player: int) -> NDArray[Any]:
        """Return a player's average everywhere."""
        side, bounds = self.sides[player], self.bounds[player]
        trunk, slots = len(side.average), int(self.players[player].slots)
        found = np.empty(side.space.size, dtype=np.float32)
        found[:trunk] = side.average

        def work(_: int, low: int, high: int) -> None:
            self._unpack(player, low, high, found[trunk + slots * int(bounds[low]) :])

        spread(self.tiles, work)
        return found


class PackedRun(BoardsRun):
    """A member of the CFR family at work on a spot, in 16 bits a number."""

    def _begin(self) -> tuple[Any, Any]:
        payoff = self.form.A.runouts
        assert payoff is not None
        return _PackedSide(payoff, 0, self.form.X), _PackedSide(payoff, 1, self.form.Y)

    def _engine(self) -> Callable[[Any], None]:
        payoff = self.form.A.runouts
        assert payoff is not None
        self.sweeps = self.packed = PackedSweeps(payoff, self.sides)
        return lambda table: self.packed.go_on(table, self.iterations)

    def point(self) -> tuple[Plan, Plan]:
        """Return the average plans, unpacked."""
        return self.packed.whole(0), self.packed.whole(1)

    def kept(self) -> tuple[Plan, Plan]:
        """Return the average plans, for which all else makes room: of the run nothing more is asked."""
        found = []
        for side in self.sides:
            side.regrets = PackedRows.of(0, 0, np.int16)
        for player, side in enumerate(self.sides):
            found.append(self.packed.whole(player))
            side.averages = PackedRows.of(0, 0, np.uint16)
        return found[0], found[1]


@njit(**INNER)
def _hold(held: Any, p: Any, base: Any, numbers: Any, is_played: Any) -> None:
    """Put the behaviour that is fixed on board ``p`` among its regrets, or take it out again."""
    places, shares, bounds = held
    for e in range(bounds[p], bounds[p + _ONE]):
        numbers[places[e] - base] = shares[e] if is_played else numbers.dtype.type(0)


@njit(**KERNEL)
def _sweep_packed(
    half: Any, step: Any, low: Any, high: Any, row: Any, giver: Any, from_: Any, taker: Any,
    to: Any, lane: Any, more: Any, given: Any, taken: Any, time: Any,
) -> None:  # fmt: skip
    """Boards ``low .. high``: finish the giver's plan, pay all leaves, update the taker's regrets."""
    tiles, (plan, room, numbers) = np.uint64(len(from_) - 1), lane.space
    regrets, averages, held = given
    regrets_of_taker, held_of_taker = taken
    is_tile, slots, rows = step == TILES, np.uint64(giver.slots), np.uint64(taker.slots)
    play = numbers[0] if is_tile else giver.play
    average = numbers[1] if is_tile else giver.average
    regret = numbers[0] if is_tile else taker.regret
    for p in range(low, high):
        tile = tile_of(giver, from_, p, tiles, lane.above, plan, step, APART)
        onto = tile_of(taker, to, p, tiles, lane.below, lane.gradient, step, APART)
        begin, into = np.uint64(tile.base), np.uint64(onto.base)
        at, wide = slots * np.uint64(from_[p]), np.uint64(from_[p + _ONE] - from_[p])
        if is_tile:
            unpack_rows(regrets, p * slots, at, slots, wide, play)
            unpack_rows(averages, p * slots, at, slots, wide, average)
            _hold(held, p, begin, play, True)
        if step != REGRETS:
            reach_within(tile, play, average, row, lane.row, more)
        if is_tile:
            pack_rows(averages, p * slots, at, slots, wide, average, UNSIGNED, time)
            onto.local[:] = 0
            board_products(half, p, p + _ONE, plan, begin, lane.gradient, into, room)
            at, wide = rows * np.uint64(to[p]), np.uint64(to[p + _ONE] - to[p])
            unpack_rows(regrets_of_taker, p * rows, at, rows, wide, regret)
            _hold(held_of_taker, p, into, regret, True)
        if step != PLAN:
            regret_within(onto, regret, regret, row, lane.row, more)
        if is_tile:
            _hold(held_of_taker, p, into, regret, False)
            pack_rows(regrets_of_taker, p * rows, at, rows, wide, regret, SIGNED, time)
