"""Regret minimisation on a tiled game: one pass over memory for each player and iteration.

A *sweep* from player s to player t walks the tiles of the last round. In each tile it finishes the
plan of s (from the trunk's plan down), adds it to the average, multiplies it by the tile's payoffs,
and updates the regrets of t: plan and gradient live in a buffer that never leaves the cache. Then the
trunk of t is updated and its new plan laid down, and the sweep goes back the other way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from equipoise.numerics.threads import LANES, spread
from equipoise.sequence.payoffs.factored import Factored
from equipoise.sequence.payoffs.tiles import packing, tile_product
from equipoise.solvers.saddle.regret import KERNEL, blend, reach_blocks, regret_blocks


class TiledIteration:
    """Iterations of a CFR run on a payoff with a tiled last round."""

    def __init__(self, payoff: Factored, sides: Any) -> None:
        assert payoff.last is not None
        self.payoff, self.sides = payoff, sides
        last, dtype = payoff.last, sides[0].regret.dtype
        self.halves = [last.half(source, dtype) for source in (0, 1)]
        self.trunk = [_Trunk(sides[i], last.trunk[i], dtype) for i in (0, 1)]
        self.slots = [np.uint32(len(slots.start)) for slots in last.slots]
        self.tiles = len(last.cut.tile) - 1
        widest = max(side.space.widest for side in sides)
        places = max(int(np.diff(last.cut.bounds(i)).max()) for i in (0, 1))
        most = max(int(slots) for slots in self.slots) * places
        # For each lane: a tile's plan and gradient, and rows of scratch for kernels.
        self.buffers = np.zeros((LANES, 2, most), dtype=dtype)
        self.scratch = np.zeros((LANES, 3, widest), dtype=dtype)
        self.packed = [[packing(half) for half in self.halves] for _ in range(LANES)]

    def run(self, table: Any) -> None:
        """Do one iteration for each row of ``table``."""
        for row in table:
            for source in (1, 0):
                self._trunk_plan(source, row)
                self._sweep(source, row)
                self._trunk_regrets(1 - source, row)

    def _trunk_plan(self, player: int, row: Any) -> None:
        """Lay down the plan of the earlier rounds."""
        side, trunk = self.sides[player], self.trunk[player]
        trunk.plan[0] = 1
        none = np.uint32(0)
        reach_blocks(
            side.space.blocks, none, trunk.blocks, none, side.play,
            trunk.plan, trunk.plan, side.scratch,
        )  # fmt: skip
        blend(side.average[: trunk.size], trunk.plan, row[3])

    def _sweep(self, source: int, row: Any) -> None:
        """Walk the tiles, on all cores."""
        target = 1 - source
        half, giver, taker = self.halves[source], self.sides[source], self.sides[target]
        above, below = self.trunk[source], self.trunk[target]
        below.lanes[:] = 0
        sign = row.dtype.type(1 if target == 0 else -1)

        def work(lane: int, low: int, high: int) -> None:
            _sweep_tiles(
                half, low, high, sign, row, below.lanes[lane], self.buffers[lane],
                self.scratch[lane], self.packed[lane][source],
                (giver.space.blocks, giver.play, giver.average, above.plan, above.blocks,
                 np.uint32(above.size), self.slots[source]),
                (taker.space.blocks, taker.regret, taker.play, below.blocks,
                 np.uint32(below.size), self.slots[target]),
            )  # fmt: skip

        spread(self.tiles, work)

    def _trunk_regrets(self, player: int, row: Any) -> None:
        """Add up the lanes and the earlier rounds' payoffs, and update the trunk's regrets."""
        side, trunk, other = self.sides[player], self.trunk[player], self.trunk[1 - player]
        gradient = np.zeros(trunk.size, dtype=trunk.plan.dtype)
        self.payoff.add_terms(1 - player, other.plan, gradient)
        if player == 1:
            np.negative(gradient, gradient)
        gradient += trunk.lanes.sum(axis=0)
        none = np.uint32(0)
        regret_blocks(
            side.space.blocks, none, trunk.blocks, none, side.regret, side.play,
            gradient, gradient, side.scratch, row,
        )  # fmt: skip


class _Trunk:
    """The earlier rounds of one player: their plan, and what the last round adds to their gradient."""

    def __init__(self, side: Any, size: int, dtype: Any) -> None:
        self.size = size
        self.blocks = np.uint32(np.searchsorted(side.space.blocks.start, size))
        self.plan = np.ones(size, dtype=dtype)
        self.lanes = np.zeros((LANES, size), dtype=dtype)


@njit(**KERNEL)
def _sweep_tiles(
    half: Any, low: Any, high: Any, sign: Any, row: Any, lane: Any, buffers: Any, scratch: Any,
    packed: Any, giver: Any, taker: Any,
) -> None:  # fmt: skip
    """Tiles ``low .. high``: finish the giver's plan, multiply, update the taker's regrets."""
    blocks1, play1, average1, plan, trunk_blocks1, trunk1, slots1 = giver
    blocks2, regret2, play2, trunk_blocks2, trunk2, slots2 = taker
    tiles = len(half.places.tile_source) - 1
    count1 = np.uint32((len(blocks1.start) - trunk_blocks1) // tiles)
    count2 = np.uint32((len(blocks2.start) - trunk_blocks2) // tiles)
    for p in range(low, high):
        size1 = slots1 * (half.places.tile_source[p + 1] - half.places.tile_source[p])
        size2 = slots2 * (half.places.tile_target[p + 1] - half.places.tile_target[p])
        base1 = np.uint32(trunk1 + slots1 * half.places.tile_source[p])
        base2 = np.uint32(trunk2 + slots2 * half.places.tile_target[p])
        b1 = np.uint32(trunk_blocks1 + p * count1)
        b2 = np.uint32(trunk_blocks2 + p * count2)
        local1, local2 = buffers[0, :size1], buffers[1, :size2]
        reach_blocks(blocks1, b1, np.uint32(b1 + count1), base1, play1, plan, local1, scratch)
        blend(average1[base1 : base1 + size1], local1, row[3])
        local2[:] = 0
        tile_product(half, p, sign, local1, local2, packed)
        regret_blocks(
            blocks2, b2, np.uint32(b2 + count2), base2, regret2, play2, lane, local2, scratch, row
        )
