"""Regret minimisation over the runouts of a board: one pass over memory for each player and iteration.

The tiles of :mod:`equipoise.solvers.saddle.tiled` are the boards of the last street: on each one the plan of
the player who gives is finished, all betting leaves are paid in one sweep over the sorted hands, and the
regrets of the player who takes are updated, before anything leaves the cache.

The gap is measured the same way, in the precision of the run: the average plan is multiplied board by
board, and best responses are taken where they arise, so that measuring needs no room of its own. The certificate
of a spot, which is computed from its rules, has the last word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.numerics.kernels import KERNEL
from equipoise.numerics.threads import LANES, spread
from equipoise.sequence.payoffs.board_sums import board_products
from equipoise.sequence.payoffs.over_runouts import Runouts
from equipoise.solvers.base import Plan
from equipoise.solvers.saddle.cfr_compiled import CFRRun
from equipoise.solvers.saddle.regret import Stretch, hand_up, reach_within, regret_within
from equipoise.solvers.saddle.tiled import PLAN, REGRETS, TILES, WHOLE, Lane, TileSweeps, tile_of

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_BATCH = 400_000  # sequences of boards whose best responses are taken at once, by the kernels of other products


class BoardSweeps(TileSweeps):
    """Iterations of a CFR run over the boards of a spot."""

    def __init__(self, payoff: Runouts, sides: Any) -> None:
        last, dtype = payoff.last, sides[0].regret.dtype
        self.bounds = [
            np.concatenate([[0], np.cumsum(widths)]).astype(np.uint32) for widths in last.widths
        ]
        self.payoff = payoff
        self.starts = [starts.astype(np.uint64) for starts in last.starts]
        widest = max(last.slots[i] * int(last.widths[i].max()) for i in (0, 1))
        self.batch = max(1, _BATCH // widest)
        self.halves = [last.half(source, dtype) for source in (0, 1)]
        spaces = [[self._room(source, dtype) for source in (0, 1)] for _ in range(LANES)]
        super().__init__(sides, payoff.trunk, last.slots, self.bounds, spaces)
        self.fixed = [self._fixed(0), self._fixed(1)]
        for player in (0, 1):
            self.hold(player)

    def hold(self, player: int) -> None:
        """Put back the regrets of what is fixed: play in proportion to them is the fixed behaviour."""
        fixed, side = self.payoff.fixed[player], self.sides[player]
        if fixed is not None:
            side.regret[fixed.places] = fixed.shares
            side.play[fixed.places] = fixed.shares

    def _fixed(self, player: int) -> Any:
        """Return the fixed behaviour as a vector, -1 where a player is free, or None if she is everywhere."""
        fixed, side = self.payoff.fixed[player], self.sides[player]
        return None if fixed is None else fixed.vector(side.space.size, side.regret.dtype)

    def _room(self, source: int, dtype: Any) -> Any:
        """Return room for a board's plan, and for its sums."""
        last = self.payoff.last
        most = last.slots[source] * int(last.widths[source].max())
        return np.zeros(most, dtype=dtype), last.scratch(source, dtype)

    def _walk(
        self, source: int, row: Any, step: np.uint64, lane: Lane, more: Any, low: Any, high: Any
    ) -> None:
        target = 1 - source
        _sweep_boards(
            self.halves[source], step, low, high, row, self.players[source], self.bounds[source],
            self.players[target], self.bounds[target], lane, more,
        )  # fmt: skip

    def _add_trunk(self, player: int, plan: Any, gradient: Any) -> None:
        self.payoff.add_trunk(1 - player, plan, gradient)

    def average(self, player: int, low: int, high: int) -> NDArray[Any]:
        """Return a player's average on the boards ``low .. high``."""
        me, bounds = self.players[player], self.bounds[player]
        ends = (int(me.trunk) + int(me.slots) * int(bounds[p]) for p in (low, high))
        part: NDArray[Any] = self.sides[player].average[slice(*ends)]
        return part

    def respond(self, player: int) -> tuple[float, float]:
        """Return what ``player`` could earn against the other's average, and what her average earns.

        The latter is computed only where payments do not cancel, and is zero otherwise.
        """
        source, trunk = 1 - player, self.trunk[player]
        above = self.sides[source].average[: self.players[source].trunk]
        trunk.lanes[:] = 0
        earned = np.zeros(LANES)
        is_raked = self.payoff.is_raked

        def work(lane: int, low: int, high: int) -> None:
            for first in range(low, high, self.batch):
                earned[lane] += self._respond(player, lane, first, min(first + self.batch, high))

        spread(self.tiles, work)
        # What the boards add to the trunk are best responses; what a plan earns there was added up.
        own = np.zeros(trunk.size, dtype=trunk.plan.dtype)
        self._add_trunk(player, above, own)
        value = earned.sum() + float(self.sides[player].average[: trunk.size] @ own)
        own += trunk.lanes.sum(axis=0)
        best_blocks(trunk.stretch(own), self.rows[0], self.fixed[player])
        return float(own[0]), value if is_raked else 0.0

    def _respond(self, player: int, lane: int, low: int, high: int) -> float:
        """Add the best responses on boards ``low .. high`` to the trunk; return what the average earns."""
        source, me, bounds = 1 - player, self.players[player], self.bounds[player]
        count = (len(me.blocks.start) - int(me.first)) // self.tiles
        ends = np.uint32(me.first + low * count), np.uint32(me.first + high * count)
        base, size = int(self.starts[player][low]), int(me.slots) * int(bounds[high] - bounds[low])
        gain = np.zeros(size, dtype=me.regret.dtype)
        room, begin = self.spaces[lane][source][1], self.starts[source][low]
        theirs, boards = self.average(source, low, high), (np.uint64(low), np.uint64(high))
        board_products(self.halves[source], *boards, theirs, begin, gain, np.uint64(base), room)
        earned = float(self.average(player, low, high) @ gain) if self.payoff.is_raked else 0.0
        below = self.trunk[player].lanes[lane]
        onto = Stretch(me.blocks, *ends, np.uint32(base), below, gain)
        best_blocks(onto, self.rows[lane], self.fixed[player])
        return earned


class BoardsRun(CFRRun):
    """A member of the CFR family at work on a spot.

    It measures itself, and returns the average as it is at the end: a copy of the best one would take as much
    memory as all the rest again, and with discounts the last is as good as any.
    """

    def _engine(self) -> Callable[[Any], None]:
        payoff = self.form.A.runouts
        assert payoff is not None
        self.sweeps = BoardSweeps(payoff, self.sides)
        return self.sweeps.run

    def bounds(self) -> tuple[float, float]:
        """Return what the average plans prove, in the form's units.

        Where payments cancel these are bounds of the value; otherwise only their difference, what both
        players could gain, has a meaning.
        """
        first, second = self.sweeps.respond(0), self.sweeps.respond(1)
        upper, gap = first[0], first[0] + second[0] - first[1] - second[1]
        return upper - gap, upper

    keeps_nothing = True

    def keep(self) -> None:
        """Keep nothing but the average itself."""

    def kept(self) -> tuple[Plan, Plan]:
        """Return the average plans."""
        return self.point()


@njit(**KERNEL)
def _sweep_boards(
    half: Any, step: Any, low: Any, high: Any, row: Any, giver: Any, from_: Any, taker: Any,
    to: Any, lane: Any, more: Any,
) -> None:  # fmt: skip
    """Boards ``low .. high``: finish the giver's plan, pay all leaves, update the taker's regrets."""
    tiles, (plan, room) = np.uint64(len(from_) - 1), lane.space
    for p in range(low, high):
        tile = tile_of(giver, from_, p, tiles, lane.above, plan, step, WHOLE)
        onto = tile_of(taker, to, p, tiles, lane.below, lane.gradient, step, WHOLE)
        if step != REGRETS:
            reach_within(tile, giver.play, giver.average, row, lane.row, more)
        if step == TILES:
            onto.local[:] = 0
            begin, into = np.uint64(tile.base), np.uint64(onto.base)
            board_products(half, p, p + _ONE, plan, begin, lane.gradient, into, room)
        if step != PLAN:
            regret_within(onto, taker.regret, taker.play, row, lane.row, more)


@njit(**KERNEL)
def best_blocks(on: Any, row: Any, fixed: Any) -> None:
    """Bottom-up: the best action of every information set, its value added to the parent.

    Where ``fixed`` is not negative, it is the behaviour instead.
    """
    (start_of, choices, buckets, parent, offset, links), low, high, base, trunk, local, _ = on
    for i in range(high - low):
        b = high - _ONE - i
        start, actions, width = start_of[b] - base, choices[b], buckets[b]
        for k in range(width):
            row[k] = local[start + k]
        for a in range(1, actions):
            for k in range(width):
                row[k] = max(row[k], local[start + a * width + k])
        if fixed is not None:
            for k in range(width):
                if fixed[base + start + k] >= 0:
                    row[k] = 0
                    for a in range(actions):
                        s = start + a * width + k
                        row[k] += fixed[base + s] * local[s]
        hand_up(parent[b], base, offset[b], links, trunk, local, width, row)
