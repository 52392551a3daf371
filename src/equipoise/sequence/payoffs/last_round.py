"""The payoffs of the last round of a game with signals, in tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.numerics.threads import spread
from equipoise.sequence.lanes import Slots
from equipoise.sequence.payoffs import tiles
from equipoise.sequence.payoffs.forms import matrices
from equipoise.sequence.payoffs.tiles import Half, Leaves
from equipoise.sequence.payoffs.tiling import Tiling

Indices = NDArray[np.uint32]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LastRound:
    """The tiled payoffs of the last round.

    Attributes
    ----------
    cut
        Which buckets stand together.
    pairs, values
        The deals, as buckets of the two players, and each matrix's value in each of them.
    leaf_matrix, leaf_slots, leaf_scale
        For each leaf of the betting tree: which matrix, both players' slots, the coefficient.
    trunk, slots
        For each player, how many sequences the trunk has, and her slots.
    """

    cut: Tiling
    pairs: tuple[Indices, Indices]
    values: NDArray[np.float64]
    leaf_matrix: Numbers
    leaf_slots: tuple[Numbers, Numbers]
    leaf_scale: NDArray[np.float64]
    trunk: tuple[int, int]
    slots: tuple[Slots, Slots]

    @cached_property
    def _halves(self) -> dict[Any, Half]:
        return {}

    @cached_property
    def _at(self) -> list[Numbers]:
        """Places of both players in each deal."""
        return [self.cut.place[player][self.pairs[player]] for player in (0, 1)]

    def half(self, source: int, dtype: Any) -> Half:
        """Return the payoffs for products from ``source`` to the other player."""
        key = (source, np.dtype(dtype))
        if key not in self._halves:
            start, lanes = self.slots[source]
            own, other = self.leaf_slots[source], self.leaf_slots[1 - source]
            first = start[own], self.slots[1 - source].start[other]
            lane = own - start[own]
            leaves = Leaves(self.leaf_matrix, *first, lane, lanes[own], self.leaf_scale)
            self._halves[key] = tiles.half(
                tiles.places(self.cut, source),
                tiles.runs(leaves, dtype),
                matrices(self.cut, source, self._at, self.values, dtype),
                len(start),
            )
        return self._halves[key]

    def add(self, source: int, vector: NDArray[Any], out: NDArray[Any]) -> None:
        """Add to ``out`` the payoffs against the plan ``vector`` of player ``source``."""
        half = self.half(source, vector.dtype)
        tail, result = vector[self.trunk[source] :], out[self.trunk[1 - source] :]
        one = half.runs.scale.dtype.type(1)

        def work(lane: int, low: int, high: int) -> None:
            part = np.uint64(low), np.uint64(high)
            tiles.add_tiles(half, *part, one, tail, result, *tiles.workspace(half))

        spread(len(half.places.tile_source) - 1, work)

    @property
    def nonzeros(self) -> int:
        """Number of nonzero payoffs, if nothing :attr:`overlaps`."""
        return int(np.count_nonzero(self.values, axis=1)[self.leaf_matrix].sum())

    @property
    def overlaps(self) -> bool:
        """Whether two kinds of payment meet in one leaf."""
        return len(np.unique(np.stack(self.leaf_slots), axis=1).T) < len(self.leaf_matrix)

    def entries(self) -> Iterator[tuple[Numbers, Numbers, NDArray[np.float64]]]:
        """Yield the nonzero payoffs of each leaf as rows, columns and values."""
        for leaf, m in enumerate(self.leaf_matrix):
            kept = np.flatnonzero(self.values[m])
            rows, columns = (self._sequences(player, leaf, kept) for player in (0, 1))
            yield rows, columns, self.leaf_scale[leaf] * self.values[m][kept]

    def _sequences(self, player: int, leaf: int, deals: Numbers) -> Numbers:
        """Return the sequences of ``player`` at ``leaf`` in some deals."""
        start, lanes = self.slots[player]
        slot, bounds = self.leaf_slots[player][leaf], self.cut.bounds(player)
        at = self._at[player][deals]
        tile = np.searchsorted(bounds, at, side="right") - 1
        first = self.trunk[player] + len(start) * bounds[tile]
        within = start[slot] * np.diff(bounds)[tile] + (at - bounds[tile]) * lanes[slot]
        return np.asarray(first + within + slot - start[slot])


class Tiled(NamedTuple):
    """A payoff whose last round is in tiles.

    ``add_trunk(source, plan, out)`` adds to a gradient what the earlier rounds pay against the plan of
    player ``source``; both vectors may be the trunk's alone.
    """

    last: LastRound
    add_trunk: Callable[[int, NDArray[Any], NDArray[Any]], None]
