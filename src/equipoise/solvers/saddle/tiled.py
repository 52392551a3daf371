"""Regret minimisation on a tiled game: one pass over memory for each player and iteration.

A *sweep* from player s to player t walks the tiles of the last round. In each tile it finishes the
plan of s (from the trunk's plan down), adds it to the average, multiplies it by the tile's payoffs,
and updates the regrets of t: plan and gradient live in a buffer that never leaves the cache. Then the
trunk of t is updated and its new plan laid down, and the sweep goes back the other way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.numerics.threads import LANES, spread
from equipoise.sequence.payoffs.last_round import Tiled
from equipoise.sequence.payoffs.tiles import Ahead, tile_product, workspace
from equipoise.sequence.treeplex import Blocks
from equipoise.solvers.saddle.regret import INNER, KERNEL, Stretch, reach_blocks, regret_blocks

_ZERO = np.uint64(0)


class TileSweeps:
    """Iterations of a CFR run, tile by tile, whatever the payoffs of a tile are.

    ``trunk`` counts each player's sequences of the earlier rounds, ``slots`` those that a place of a tile
    has, and ``bounds`` say where the places of each tile begin; ``spaces`` is the room for products, for
    each lane and player who gives.
    """

    def __init__(
        self, sides: Any, trunk: tuple[int, int], slots: tuple[int, int], bounds: Any, spaces: Any
    ) -> None:
        dtype = sides[0].regret.dtype
        self.sides, self.spaces, self.tiles = sides, spaces, len(bounds[0]) - 1
        self.trunk = [_Trunk(sides[i], trunk[i], dtype) for i in (0, 1)]
        self.players = [
            Player(
                sides[i].space.blocks, sides[i].regret, sides[i].play, sides[i].average,
                self.trunk[i].blocks, np.uint32(trunk[i]), np.uint32(slots[i]),
            )
            for i in (0, 1)
        ]  # fmt: skip
        widest = max(side.space.widest for side in sides)
        most = max(slots[i] * int(np.diff(bounds[i]).max()) for i in (0, 1))
        # For each lane: a tile's gradient, and rows of scratch for kernels.
        self.gradients = np.zeros((LANES, most), dtype=dtype)
        self.rows = np.zeros((LANES, widest), dtype=dtype)
        self.more = _more_rows(sides)

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
        stretch = trunk.stretch(trunk.plan)
        reach_blocks(stretch, side.play, side.average, row[3], side.scratch[0], self.more[0])

    def _sweep(self, source: int, row: Any) -> None:
        """Walk the tiles, on all cores."""
        self.trunk[1 - source].lanes[:] = 0
        above = self.trunk[source].plan

        def work(lane: int, low: int, high: int) -> None:
            self._walk(source, row, self._lane(source, lane, above), self.more[lane], low, high)

        spread(self.tiles, work)

    def _walk(self, source: int, row: Any, lane: Lane, more: Any, low: int, high: int) -> None:
        """Walk the tiles ``low .. high``."""
        raise NotImplementedError

    def _lane(self, source: int, lane: int, above: Any) -> Lane:
        """Return what one lane works with; ``above`` is the giver's plan in the trunk."""
        below = self.trunk[1 - source].lanes[lane]
        return Lane(above, below, self.spaces[lane][source], self.gradients[lane], self.rows[lane])

    def _trunk_regrets(self, player: int, row: Any) -> None:
        """Add up the lanes and the earlier rounds' payoffs, and update the trunk's regrets."""
        side, trunk = self.sides[player], self.trunk[player]
        gradient = np.zeros(trunk.size, dtype=trunk.plan.dtype)
        self._add_trunk(player, self.trunk[1 - player].plan, gradient)
        gradient += trunk.lanes.sum(axis=0)
        stretch = trunk.stretch(gradient)
        regret_blocks(stretch, side.regret, side.play, row, side.scratch[0], self.more[0])

    def _add_trunk(self, player: int, plan: Any, gradient: Any) -> None:
        """Add what the earlier rounds pay ``player`` against the other's plan."""
        raise NotImplementedError


class TiledIteration(TileSweeps):
    """Iterations of a CFR run on a payoff with a tiled last round."""

    def __init__(self, payoff: Tiled, sides: Any) -> None:
        last, dtype = payoff.last, sides[0].regret.dtype
        self.payoff = payoff
        self.halves = [last.half(source, dtype) for source in (0, 1)]
        spaces = [[workspace(half) for half in self.halves] for _ in range(LANES)]
        slots = len(last.slots[0].start), len(last.slots[1].start)
        super().__init__(sides, last.trunk, slots, [last.cut.bounds(i) for i in (0, 1)], spaces)

    def _walk(self, source: int, row: Any, lane: Lane, more: Any, low: int, high: int) -> None:
        giver, taker = self.players[source], self.players[1 - source]
        sign = row.dtype.type(-1 if source == 0 else 1)
        _sweep_tiles(self.halves[source], low, high, sign, row, giver, taker, lane, more)

    def _add_trunk(self, player: int, plan: Any, gradient: Any) -> None:
        self.payoff.add_trunk(1 - player, plan, gradient)
        if player == 1:
            np.negative(gradient, gradient)


class _Trunk:
    """The earlier rounds of one player: their plan, and what the last round adds to their gradient."""

    def __init__(self, side: Any, size: int, dtype: Any) -> None:
        self.size, self._blocks = size, side.space.blocks
        self.blocks = np.uint32(np.searchsorted(self._blocks.start, size))
        self.plan = np.ones(size, dtype=dtype)
        self.lanes = np.zeros((LANES, size), dtype=dtype)

    def stretch(self, vector: Any) -> Stretch:
        """Return the trunk's blocks, with plans or gradients in ``vector``."""
        return Stretch(self._blocks, np.uint32(0), self.blocks, np.uint32(0), vector, vector)


def _more_rows(sides: Any) -> Any:
    """Return two rows of scratch for each lane, or Nones if all sets have two or three actions.

    Kernels take a None for leave not to compile what other numbers and optimism need.
    """
    actions = np.concatenate([side.space.blocks.actions for side in sides])
    if np.isin(actions, (2, 3)).all() and all(side.play is side.regret for side in sides):
        return [None] * LANES
    widest = max(side.space.widest for side in sides)
    return np.zeros((LANES, 2, widest), dtype=sides[0].regret.dtype)


class Player(NamedTuple):
    """One player's arrays, as the sweep takes them; ``trunk`` counts sequences of earlier rounds.

    ``first`` is the first block of the last round, ``slots`` how many sequences a place has there.
    """

    blocks: Blocks
    regret: NDArray[Any]
    play: NDArray[Any]
    average: NDArray[Any]
    first: np.uint32
    trunk: np.uint32
    slots: np.uint32


class Lane(NamedTuple):
    """What one lane of a sweep reads and writes besides.

    The giver's plan in the trunk, the taker's gradient there, a tile's plan and gradient, scratch.
    """

    above: NDArray[Any]
    below: NDArray[Any]
    space: Any
    gradient: NDArray[Any]
    row: NDArray[Any]


@njit(**KERNEL)
def _sweep_tiles(
    half: Any, low: Any, high: Any, sign: Any, row: Any, giver: Any, taker: Any, lane: Any,
    more: Any,
) -> None:  # fmt: skip
    """Tiles ``low .. high``: finish the giver's plan, multiply, update the taker's regrets."""
    tiles = len(half.places.tile_source) - 1
    rows, packed, total = lane.space
    for p in range(low, high):
        tile = tile_of(giver, half.places.tile_source, p, tiles, lane.above, rows)
        reach_blocks(tile, giver.play, giver.average, row[3], lane.row, more)
        onto = tile_of(taker, half.places.tile_target, p, tiles, lane.below, lane.gradient)
        for e in range(np.uint64(len(onto.local))):
            onto.local[e] = row.dtype.type(0)
        # Next come the taker's regrets in this tile, and the giver's numbers in the following one.
        here, following = np.uint64(onto.base), np.uint64(tile.base) + np.uint64(len(tile.local))
        arrays = taker.regret, giver.play, giver.average
        ahead = Ahead(arrays, (here, following, following))
        tile_product(half, p, sign, lane.gradient, _ZERO, rows, packed, total, ahead)
        regret_blocks(onto, taker.regret, taker.play, row, lane.row, more)


@njit(**INNER)
def tile_of(player: Any, bounds: Any, p: Any, tiles: Any, trunk: Any, buffer: Any) -> Any:
    """Return the blocks of tile ``p`` of a player."""
    count = np.uint32((len(player.blocks.start) - player.first) // tiles)
    low = np.uint32(player.first + p * count)
    base = np.uint32(player.trunk + player.slots * bounds[p])
    local = buffer[: player.slots * (bounds[p + 1] - bounds[p])]
    return Stretch(player.blocks, low, np.uint32(low + count), base, trunk, local)
