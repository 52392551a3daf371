"""The sequence form of a spot: blocks of hands for each decision and board, payoffs over the runouts.

A block is one decision of the betting tree on one board, its buckets the hands that the player may hold there
(up to the symmetries that are left). Sequences are laid out street by street, board by board, slot by
slot: all but the last street come first, so that a method can go through the boards of the last
one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.games.poker.ranges import hand_number
from equipoise.games.poker.runouts import DEAD, Runout, board_tree
from equipoise.games.poker.spots import Spot
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL
from equipoise.sequence.payoffs.hand_rows import HandRows
from equipoise.sequence.payoffs.joint_runouts import JointRunouts, JointStreet
from equipoise.sequence.payoffs.over_runouts import (
    Entrance,
    Fixed,
    Runouts,
    StreetLeaves,
    StreetPayoff,
)
from equipoise.sequence.treeplex import SAME, Blocks, Treeplex
from equipoise.sequence.units import Units

Numbers = NDArray[np.int64]
_NOWHERE = -1


@dataclass(frozen=True, eq=False)
class SpotLayout:
    """Where the sequences of a spot are.

    A decision node of the betting tree has the slots ``slot[node]``, ``slot[node] + 1``, ... of its player
    on its street, one an action; ``starts[street][player]`` is the first sequence of each board.
    """

    spot: Spot

    @cached_property
    def slot(self) -> Numbers:
        """The first slot of every decision node."""
        tree = self.spot.tree
        slot, used = np.full(len(tree.parent), _NOWHERE, dtype=np.int64), self._none()
        for node in np.flatnonzero(tree.player != TERMINAL).tolist():
            place = int(tree.round[node]), int(tree.player[node])
            slot[node] = used[place]
            used[place] += len(tree.successors[node])
        return slot

    @cached_property
    def slots(self) -> list[tuple[int, int]]:
        """For each street, the numbers of slots of both players."""
        tree, used = self.spot.tree, self._none()
        for node in np.flatnonzero(tree.player != TERMINAL).tolist():
            used[int(tree.round[node]), int(tree.player[node])] += len(tree.successors[node])
        return [(int(row[0]), int(row[1])) for row in used]

    def _none(self) -> Numbers:
        return np.zeros((self.spot.streets, 2), dtype=np.int64)

    @cached_property
    def last_slot(self) -> tuple[Numbers, Numbers]:
        """For each node, the slot of each player's last action before it, and its street (or -1)."""
        tree = self.spot.tree
        slot = np.full((len(tree.parent), 2), _NOWHERE, dtype=np.int64)
        street = slot.copy()
        for node in range(1, len(tree.parent)):
            parent = int(tree.parent[node])
            slot[node], street[node] = slot[parent], street[parent]
            player = int(tree.player[parent])
            action = tree.successors[parent].index(node)
            slot[node, player] = self.slot[parent] + action
            street[node, player] = tree.round[parent]
        return slot, street

    @cached_property
    def boards(self) -> list[list[Runout]]:
        """The boards of each street."""
        return board_tree(self.spot).streets

    @cached_property
    def widths(self) -> list[tuple[Numbers, Numbers]]:
        """For each street and player, the buckets of each board."""
        return [
            (
                np.array([b.widths[0] for b in street], dtype=np.int64),
                np.array([b.widths[1] for b in street], dtype=np.int64),
            )
            for street in self.boards
        ]

    @cached_property
    def starts(self) -> list[tuple[Numbers, Numbers]]:
        """For each street and player, the first sequence of each board, and the end of the last."""
        found: list[list[Numbers]] = [[], []]
        for player in (0, 1):
            end = board_tree(self.spot).begin(player)
            for slots, widths in zip(self.slots, self.widths, strict=True):
                sizes = slots[player] * widths[player]
                found[player].append(end + np.concatenate([[0], np.cumsum(sizes)]))
                end = int(found[player][-1][-1])
        return list(zip(*found, strict=True))

    def fixed(self, player: int) -> Fixed | None:
        """Return which of a player's sequences are locked, and with which probabilities."""
        tree, every = self.spot.tree, self.spot.weights[player] > 0
        places: list[Numbers] = []
        shares: list[NDArray[np.float64]] = []
        for lock in self.spot.locks:
            if tree.player[lock.node] != player:
                continue
            play, street = lock.play[every], int(tree.round[lock.node])
            for b, board in enumerate(self.boards[street]):
                width, start = board.widths[player], int(self.starts[street][player][b])
                bucket = board.buckets[player]
                held = np.flatnonzero((bucket != DEAD) & ~np.isnan(play[:, 0]))
                for action in range(play.shape[1]):
                    slot = int(self.slot[lock.node]) + action
                    places.append(start + slot * width + bucket[held])
                    shares.append(play[held, action])
        return Fixed(np.concatenate(places), np.concatenate(shares)) if places else None

    def closed(self, player: int) -> NDArray[np.bool_]:
        """Say of each of a player's blocks whether no hand of the other can come there, by her locks."""
        tree, other = self.spot.tree, 1 - player
        comes = np.tile(self.spot.weights[other] > 0, (len(tree.parent), 1))
        locks = {lock.node: lock for lock in self.spot.locks if tree.player[lock.node] == other}
        for node in range(1, len(comes)):
            parent = int(tree.parent[node])
            comes[node] = comes[parent]
            if parent in locks:
                action = tree.successors[parent].index(node)
                comes[node] &= locks[parent].play[:, action] != 0
        is_closed = np.logical_not(np.any(comes, axis=1))
        found = [np.zeros(len(self._entering(player)[0][:1]), dtype=np.bool_)]
        for street, boards in enumerate(self.boards):
            nodes = np.flatnonzero((tree.player == player) & (tree.round == street))
            found.append(np.tile(is_closed[nodes], len(boards)))
        return np.concatenate(found)

    def entry(self) -> Entrance | None:
        """Return what the promised player is paid where she leaves, or pays for entering; in chips."""
        spot, promise = self.spot, self.spot.promise
        if promise is None:
            return None
        player, board = promise.player, self.boards[0][0]
        share = spot.reach[player] * spot.met[player] / spot.pairs
        worth = promise.values[spot.weights[player] > 0] - spot.pot / 2
        amounts = np.zeros(board.widths[player])
        np.add.at(amounts, board.buckets[player], share * worth)
        return Entrance(player, -amounts if promise.is_margin else amounts)

    def _entering(self, player: int) -> tuple[list[int], Numbers]:
        """Return a player's block before the first street, if she has one, and the links below it.

        Where she looks at her hand and leaves or enters, it has a bucket a hand, those who enter last; where she
        chooses her hand, it is one set, with an action a hand.
        """
        promise, board = self.spot.promise, self.boards[0][0]
        if promise is None or promise.player != player:
            return [], board.links[player]
        width = board.widths[player]
        actions, buckets = (width, 1) if promise.is_margin else (2, width)
        links = np.concatenate([np.arange(width), np.zeros(buckets, dtype=np.int64)])
        return [1, actions, buckets, 0, width], links

    def treeplex(self, player: int) -> Treeplex:
        """Return the strategy space of ``player``."""
        tree, (last, street_of) = self.spot.tree, self.last_slot
        entering, first_links = self._entering(player)
        begin = int(self.starts[0][player][0])
        columns: dict[str, list[Numbers]] = {
            name: [np.array(entering[i : i + 1], dtype=np.int64)]
            for i, name in enumerate(("start", "actions", "buckets", "parent", "link"))
        }
        links: list[Numbers] = []
        for street, boards in enumerate(self.boards):
            nodes = np.flatnonzero((tree.player == player) & (tree.round == street))
            width, start = self.widths[street][player], self.starts[street][player][:-1]
            actions = np.array([len(tree.successors[v]) for v in nodes.tolist()], dtype=np.int64)
            own, before = last[nodes, player], street_of[nodes, player]
            assert ((before == street) | (before == street - 1)).all(), (
                "players act on every street"
            )
            is_new = before < street
            inside = start[:, None] + own * width[:, None]
            if street:
                up = np.array([b.parent for b in boards])
                above = self.starts[street - 1][player][up], self.widths[street - 1][player][up]
                outside = above[0][:, None] + own * above[1][:, None]
            else:
                # Those who enter are the last sequences before the street, if it is not the empty one alone.
                entered = begin - self.boards[0][0].widths[player] if entering else 0
                outside = np.full((1, len(nodes)), entered, dtype=np.int64)
            ends = sum(map(len, links)) + np.concatenate([[0], np.cumsum(width)])
            links += [b.links[player] for b in boards] if street else [first_links]
            shape = len(boards), len(nodes)
            found = {
                "start": start[:, None] + self.slot[nodes] * width[:, None],
                "actions": np.broadcast_to(actions, shape),
                "buckets": np.broadcast_to(width[:, None], shape),
                "parent": np.where(is_new, outside, inside),
                "link": np.where(is_new, ends[:-1, None], np.int64(SAME)),
            }
            for name, column in found.items():
                columns[name].append(column.ravel())
        return Treeplex(
            Blocks(
                **{name: np.concatenate(own).astype(np.uint32) for name, own in columns.items()},
                links=np.concatenate(links).astype(np.uint32),
            )
        )


def spot_units(spot: Spot) -> Units:
    """Return the units of a spot, in which payoffs are what a player takes of the pot.

    The tree counts the pot as paid by both, half each; that half is the shift.
    """
    tree = spot.tree
    ends = tree.player == TERMINAL
    worth = (np.abs(tree.base[ends]) + tree.scale[ends, None]).max()
    if spot.promise is not None:
        worth = max(worth, np.abs(spot.promise.values - spot.pot / 2).max())
    return Units(float(2 * worth), spot.pot / 2)


def runouts_payoff(layout: SpotLayout, unit: float) -> Runouts:
    """Return the payoffs of a spot in units of ``unit``."""
    spot, tree = layout.spot, layout.spot.tree
    last, streets = spot.streets - 1, []
    rows = [_rows(layout, street) for street in range(spot.streets)]
    deals = board_tree(spot).deals
    ends = tree.player == TERMINAL
    # An all-in showdown waits for the last street, though nobody acts after the street it came on.
    ended = layout.last_slot[1].max(axis=1)
    is_early = ends & (tree.kind != NO_OUTCOME) & (ended < last)
    final = np.array([b.copies for b in layout.boards[last]]) / (spot.pairs * deals(last))
    for street, boards in enumerate(layout.boards):
        here = np.flatnonzero(ends & (ended == street))
        early = here[is_early[here]]
        kind = StreetPayoff if spot.joint is None else partial(JointStreet, joint=spot.joint)
        streets.append(
            kind(
                rows=rows[street],
                widths=layout.widths[street],
                starts=(layout.starts[street][0][:-1], layout.starts[street][1][:-1]),
                slots=layout.slots[street],
                factor=np.array([b.copies for b in boards]) / (spot.pairs * deals(street)),
                leaves=_leaves(layout, here, np.where(is_early[here], 0.0, tree.scale[here]), unit),
                all_in=_leaves(layout, early, tree.scale[early], unit),
                sum_equities=partial(_equities, layout, street, rows[last], final),
                cards=spot.deck.size,
            )
        )
    sizes = (int(layout.starts[-1][0][-1]), int(layout.starts[-1][1][-1]))
    fixed, entry = (layout.fixed(0), layout.fixed(1)), layout.entry()
    if entry is not None:
        entry = entry._replace(amounts=entry.amounts / unit)
    whole = Runouts if spot.joint is None else JointRunouts
    return whole(sizes, tuple(streets), spot.is_raked, fixed, entry)


def _leaves(layout: SpotLayout, nodes: Numbers, scale: Any, unit: float) -> StreetLeaves:
    slot, base = layout.last_slot[0][nodes], layout.spot.tree.base[nodes] / unit
    return StreetLeaves((slot[:, 0], slot[:, 1]), (base[:, 0], base[:, 1]), scale / unit)


def _rows(layout: SpotLayout, street: int) -> tuple[HandRows, HandRows]:
    """Return the live hands of both players on the boards of a street, from weak to strong."""
    spot, boards = layout.spot, layout.boards[street]
    is_whole = street == spot.streets - 1
    orders: list[list[Numbers]] = [[], []]
    bounds: list[list[Numbers]] = [[], []]
    for board in boards:
        live = [np.flatnonzero(own != DEAD) for own in board.buckets]
        if is_whole:
            strength = [
                spot.strengths(board.cards, spot.hands[i][live[i]]).astype(np.int64) for i in (0, 1)
            ]
        else:
            strength = [np.zeros(len(own), dtype=np.int64) for own in live]
        levels = np.unique(np.concatenate(strength))
        for i in (0, 1):
            order = np.argsort(strength[i], kind="stable")
            # Four bytes each from here on: there are thousands of boards.
            orders[i].append(live[i][order].astype(np.int32))
            edges = np.searchsorted(strength[i][order], levels)
            bounds[i].append(np.append(edges, len(order)).astype(np.uint32))
    return (
        _hand_rows(layout, street, 0, orders, bounds[0]),
        _hand_rows(layout, street, 1, orders, bounds[1]),
    )


def _hand_rows(
    layout: SpotLayout,
    street: int,
    player: int,
    orders: list[list[Numbers]],
    bounds: list[Numbers],
) -> HandRows:
    spot, boards = layout.spot, layout.boards[street]
    own, other = orders[player], orders[1 - player]
    twin = _twins(spot, player)
    same = []
    for mine, theirs in zip(own, other, strict=True):
        row = np.full(len(spot.hands[1 - player]) + 1, len(theirs), dtype=np.uint32)
        row[theirs] = np.arange(len(theirs))
        same.append(row[twin[mine]])
    hands = np.concatenate(own)
    buckets = [
        b.buckets[player][mine].astype(np.uint32) for b, mine in zip(boards, own, strict=True)
    ]
    return HandRows(
        start=_offsets(own),
        low=spot.hands[player][hands, 0].copy(),
        high=spot.hands[player][hands, 1].copy(),
        weight=spot.reach[player][hands],
        bucket=np.concatenate(buckets),
        same=np.concatenate(same),
        first=_offsets(bounds),
        bounds=np.concatenate(bounds),
    )


def _offsets(parts: list[Numbers]) -> NDArray[np.uint32]:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.uint32)


def _counts(rows: HandRows) -> Numbers:
    """Return the number of hands on each board."""
    return rows.start[1:].astype(np.int64) - rows.start[:-1]


def _twins(spot: Spot, player: int) -> Numbers:
    """Return the place of each hand of a player among the other's, or their number if it is not there."""
    other = spot.weights[1 - player] > 0
    place = np.where(other, np.cumsum(other) - 1, other.sum())
    return place[spot.weights[player] > 0]


def _equities(
    layout: SpotLayout, street: int, rows: tuple[HandRows, HandRows], factor: Any
) -> Iterator[NDArray[np.float64]]:
    """Yield for each board of a street the sums of signs over the whole boards that may follow."""
    from equipoise.sequence.payoffs.board_sums import add_equities

    streets = layout.boards
    board = np.arange(len(streets[-1]))
    up = [own.bucket.astype(np.int64) for own in rows]
    for below in range(len(streets) - 1, street, -1):
        for i in (0, 1):
            offset = np.concatenate([[0], np.cumsum(layout.widths[below][i])])[board]
            links = np.concatenate([b.links[i] for b in streets[below]])
            up[i] = links[np.repeat(offset, _counts(rows[i])) + up[i]]
        board = np.array([b.parent for b in streets[below]])[board]
    joint = None
    if layout.spot.joint is not None:
        cards = (np.stack([own.low, own.high], axis=1) for own in rows)
        joint = layout.spot.joint, *(hand_number(own, layout.spot.deck.size) for own in cards)
    for place, here in enumerate(streets[street]):
        equity = np.zeros(here.widths)
        low, high = np.searchsorted(board, [place, place + 1])
        add_equities(*rows, low, high, (up[0], up[1]), factor, joint, equity)
        yield equity
