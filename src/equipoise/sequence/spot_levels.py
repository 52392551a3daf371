"""The sequence form of a spot for array devices: all boards of a street side by side in one block.

:mod:`equipoise.sequence.from_spot` has a block for each decision and board, as loops that go board by board
want it. Arrays want few blocks and regular ones: here a block is a decision on all boards of its street, and
every board has room for as many buckets as the widest. The places that are left over stand for no hand: they
earn nothing, so whatever is played there changes nothing.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equipoise.sequence.from_spot import SpotLayout
from equipoise.sequence.payoffs.by_board import ByBoard
from equipoise.sequence.payoffs.over_runouts import Runouts
from equipoise.sequence.treeplex import Treeplex

Numbers = NDArray[np.int64]
_NOWHERE, _ALIGNED = -1, 4


class LevelLayout:
    """Where the sequences of a spot are when boards stand side by side: slot, board, bucket."""

    def __init__(self, layout: SpotLayout) -> None:
        self.layout = layout

    @cached_property
    def rooms(self) -> list[tuple[int, int]]:
        """For each street and player, the room that every board has: a multiple of four.

        A GPU reads four numbers at once, if rows begin where it can.
        """
        return [
            (-(-int(one.max()) // _ALIGNED) * _ALIGNED, -(-int(two.max()) // _ALIGNED) * _ALIGNED)
            for one, two in self.layout.widths
        ]

    @cached_property
    def starts(self) -> list[tuple[int, int]]:
        """For each street and player, the first sequence; and the ends."""
        found, end = [(1, 1)], [1, 1]
        for boards, rooms, slots in zip(
            self.layout.boards, self.rooms, self.layout.slots, strict=True
        ):
            end = [end[i] + slots[i] * len(boards) * rooms[i] for i in (0, 1)]
            found.append((end[0], end[1]))
        return found

    def places(self, player: int) -> Numbers:
        """Return the place here of every sequence of the layout."""
        found = [np.zeros(1, dtype=np.int64)]
        for street, widths in enumerate(self.layout.widths):
            slots, room = self.layout.slots[street][player], self.rooms[street][player]
            first, boards = self.starts[street][player], len(widths[player])
            slot = np.arange(slots)[:, None] * (boards * room)
            found += [
                (first + slot + b * room + np.arange(width)).ravel()
                for b, width in enumerate(widths[player].tolist())
            ]
        return np.concatenate(found)

    def links(self, street: int, player: int) -> Numbers:
        """Return for each board of a street the buckets above of its buckets.

        Those left over have one after the other: of all that extend one bucket there is a list, and lists
        are as long as the longest.
        """
        boards = self.layout.boards[street]
        found = np.full((len(boards), self.rooms[street][player]), _NOWHERE)
        for row, board in zip(found, boards, strict=True):
            row[: board.widths[player]] = board.links[player]
        empty = found == _NOWHERE
        above = self.rooms[street - 1][player] if street else 1
        found[empty] = np.arange(empty.sum()) % above
        return found

    def treeplex(self, player: int) -> Treeplex:
        """Return the strategy space of ``player``."""
        tree, (last, street_of) = self.layout.spot.tree, self.layout.last_slot
        rows = []
        for street, boards in enumerate(self.layout.boards):
            room, above = self.rooms[street][player], self.rooms[street - 1][player]
            up = np.array([b.parent for b in boards])[:, None] * above if street else 0
            link = (up + self.links(street, player)).ravel()
            for node in np.flatnonzero((tree.player == player) & (tree.round == street)).tolist():
                before, own = int(street_of[node, player]), int(last[node, player])
                parent = 0
                if before >= 0:
                    wide = len(self.layout.boards[before]) * self.rooms[before][player]
                    parent = self.starts[before][player] + own * wide
                offsets = None if before == street else link
                rows.append((len(tree.successors[node]), len(boards) * room, parent, offsets))
        return Treeplex.from_rows(rows)

    def payoff(self, payoff: Runouts) -> ByBoard:
        """Return the payoffs of the layout, between sequences as they stand here."""
        sizes = (self.starts[-1][0], self.starts[-1][1])
        streets = range(len(self.layout.boards))
        return ByBoard(
            sizes,
            payoff,
            self.places,
            tuple(self.starts[:-1]),
            tuple(self.rooms),
            tuple(np.array([b.parent for b in street]) for street in self.layout.boards),
            tuple((self.links(street, 0), self.links(street, 1)) for street in streets),
        )
