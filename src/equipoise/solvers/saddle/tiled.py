"""Regret minimisation on a tiled game: one pass over memory for each player and iteration.

A *sweep* from player s to player t walks the tiles of the last round. In each tile it finishes the
plan of s (from the trunk's plan down), adds it to the average, multiplies it by the tile's payoffs,
and updates the regrets of t: plan and gradient live in a buffer that never leaves the cache. Then the
trunk of t is updated and its new plan laid down, and the sweep goes back the other way. One kernel does all of
it, since the trunk is a tile like any other but for its payoffs: what is compiled once compiles fastest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.numerics.kernels import INNER, KERNEL
from equipoise.numerics.threads import LANES, spread
from equipoise.sequence.payoffs.last_round import Tiled
from equipoise.sequence.payoffs.tiles import Ahead, tile_product, workspace
from equipoise.sequence.treeplex import Blocks
from equipoise.solvers.saddle.regret import Stretch, reach_within, regret_within

_ZERO = np.uint64(0)
# What a kernel does: lay down the giver's plan in the trunk, walk tiles, update the taker's regrets in the trunk.
PLAN, TILES, REGRETS = np.uint64(0), np.uint64(1), np.uint64(2)
# Whether each tile has regrets and averages of its own, or one vector holds all.
WHOLE, APART = np.uint32(0), np.uint32(1)


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
        self.trunk = [_Trunk(sides[i], trunk[i], np.diff(bounds[i]), dtype) for i in (0, 1)]
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
                self.turn(source, row)

    def turn(self, source: int, row: Any) -> None:
        """Lay down a player's plan, and update the other's regrets against it."""
        self._trunk_plan(source, row)
        self._sweep(source, row)
        self._trunk_regrets(1 - source, row)
        self.hold(1 - source)

    def hold(self, player: int) -> None:
        """Undo what is not the player's to choose."""
        self.sides[player].hold()

    def _trunk_plan(self, player: int, row: Any) -> None:
        """Lay down the plan of the earlier rounds."""
        self.trunk[player].plan[0] = 1
        self._step(player, row, PLAN, self._lane(player, 0))

    def _sweep(self, source: int, row: Any) -> None:
        """Walk the tiles, on all cores."""
        self.trunk[1 - source].lanes[:] = 0

        def work(lane: int, low: int, high: int) -> None:
            own = self._lane(source, lane)
            self._walk(source, row, TILES, own, self.more[lane], np.uint64(low), np.uint64(high))

        spread(self.tiles, work)

    def _trunk_regrets(self, player: int, row: Any) -> None:
        """Add up the lanes and the earlier rounds' payoffs, and update the trunk's regrets."""
        trunk = self.trunk[player]
        gradient = np.zeros(trunk.size, dtype=trunk.plan.dtype)
        self._add_trunk(player, self.trunk[1 - player].plan, gradient)
        gradient += trunk.lanes.sum(axis=0)
        lane = self._lane(1 - player, 0)._replace(below=gradient)
        self._step(1 - player, row, REGRETS, lane)

    def _step(self, source: int, row: Any, step: np.uint64, lane: Lane) -> None:
        """Do one ``step`` in the trunk."""
        self._walk(source, row, step, lane, self.more[0], np.uint64(0), np.uint64(1))

    def _walk(
        self, source: int, row: Any, step: np.uint64, lane: Lane, more: Any, low: Any, high: Any
    ) -> None:
        """Walk the tiles ``low .. high``, or do another ``step``."""
        raise NotImplementedError  # each engine has its own

    def _lane(self, source: int, lane: int, above: Any = None) -> Lane:
        """Return what one lane works with; ``above`` is the giver's plan in the trunk."""
        above = self.trunk[source].plan if above is None else above
        below = self.trunk[1 - source].lanes[lane]
        return Lane(above, below, self.spaces[lane][source], self.gradients[lane], self.rows[lane])

    def _add_trunk(self, player: int, plan: Any, gradient: Any) -> None:
        """Add what the earlier rounds pay ``player`` against the other's plan."""
        raise NotImplementedError  # each engine has its own


class TiledIteration(TileSweeps):
    """Iterations of a CFR run on a payoff with a tiled last round."""

    def __init__(self, payoff: Tiled, sides: Any) -> None:
        last, dtype = payoff.last, sides[0].regret.dtype
        self.payoff = payoff
        self.halves = [last.half(source, dtype) for source in (0, 1)]
        spaces = [[workspace(half) for half in self.halves] for _ in range(LANES)]
        slots = len(last.slots[0].start), len(last.slots[1].start)
        super().__init__(sides, last.trunk, slots, [last.cut.bounds(i) for i in (0, 1)], spaces)

    def _walk(
        self, source: int, row: Any, step: np.uint64, lane: Lane, more: Any, low: Any, high: Any
    ) -> None:
        giver, taker = self.players[source], self.players[1 - source]
        sign = row.dtype.type(-1 if source == 0 else 1)
        rows, packed, total = lane.space
        own = lane._replace(space=rows)
        _sweep_tiles(
            self.halves[source], step, low, high, sign, row, giver, taker, own, packed, total, more
        )

    def _add_trunk(self, player: int, plan: Any, gradient: Any) -> None:
        # Few numbers, so their precision costs nothing; a kernel for another one would.
        exact = np.zeros(len(gradient))
        self.payoff.add_trunk(1 - player, plan.astype(np.float64), exact)
        gradient[:] = exact if player == 0 else -exact


class _Trunk:
    """The earlier rounds of one player: their plan, and what the last round, in tiles of ``widths``, adds to their gradient."""

    def __init__(self, side: Any, size: int, widths: Any, dtype: Any) -> None:
        self.size, self._blocks = size, side.space.blocks
        self.blocks = np.uint32(self._blocks.before(size, widths))
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
    half: Any, step: Any, low: Any, high: Any, sign: Any, row: Any, giver: Any, taker: Any,
    lane: Any, packed: Any, total: Any, more: Any,
) -> None:  # fmt: skip
    """Tiles ``low .. high``: finish the giver's plan, multiply, update the taker's regrets."""
    tiles = np.uint64(len(half.places.tile_source) - 1)
    for p in range(low, high):
        tile = tile_of(
            giver, half.places.tile_source, p, tiles, lane.above, lane.space, step, WHOLE
        )
        onto = tile_of(
            taker, half.places.tile_target, p, tiles, lane.below, lane.gradient, step, WHOLE
        )
        if step != REGRETS:
            reach_within(tile, giver.play, giver.average, row, lane.row, more)
        if step == TILES:
            for e in range(np.uint64(len(onto.local))):
                onto.local[e] = row.dtype.type(0)
            # Next come the taker's regrets in this tile, and the giver's numbers in the following one.
            here, following = (
                np.uint64(onto.base),
                np.uint64(tile.base) + np.uint64(len(tile.local)),
            )
            arrays = taker.regret, giver.play, giver.average
            ahead = Ahead(arrays, (here, following, following))
            tile_product(half, p, sign, lane.gradient, _ZERO, lane.space, packed, total, ahead)
        if step != PLAN:
            regret_within(onto, taker.regret, taker.play, row, lane.row, more)


@njit(**INNER)
def tile_of(
    player: Any, bounds: Any, p: Any, tiles: Any, trunk: Any, buffer: Any, step: Any, is_apart: Any
) -> Any:
    """Return the blocks of tile ``p`` of a player, or those of the trunk if that is where ``step`` is done.

    If a tile ``is_apart``, it has regrets and averages of its own: one, or zero where there is one vector for all.
    """
    is_tile = step == TILES
    count = np.uint32((np.uint32(len(player.blocks.start)) - player.first) // tiles)
    low = np.uint32(player.first + p * count) if is_tile else np.uint32(0)
    high = np.uint32(low + count) if is_tile else player.first
    base = np.uint32(player.trunk + player.slots * bounds[p]) if is_tile else np.uint32(0)
    local = buffer[: player.slots * (bounds[p + np.uint64(1)] - bounds[p])] if is_tile else trunk
    return Stretch(player.blocks, low, high, base, trunk, local, np.uint32(base * is_apart))
