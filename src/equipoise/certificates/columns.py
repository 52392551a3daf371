"""What a best responder needs in a round of betting: columns of numbers over her hands.

A responder's value at a leaf, with each of her hands, is a sum over the opponent's hands; which sum depends
on the opponent's reach of the leaf, which is a function of his bucket. So a round is a few matrices
over buckets, one column a leaf, and a short program that turns columns into columns:

* at a node of the opponent, values of the children add up (his probabilities are in the reach);
* at a node of the responder, the largest counts.

Play enters a round at many nodes (in limit hold'em the last one at 567), after which it goes on alike. Entries
whose betting has one shape share one program: a *slot* is a leaf of the shape, with a column for every
entry. Then all work is on whole rows of columns, and as many entries are taken at a time as caches hold.

A leaf that the opponent never reaches is worth nothing and has no column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree
from equipoise.strategy.profile import Layout, Strategy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Shape = tuple[Any, ...] | None

ADD, MAX, FLOOR = 0, 1, 2
"""Steps: a slot becomes its sum with another, the larger of the two, or the larger of it and zero."""


@dataclass(frozen=True, eq=False)
class RoundColumns:
    """Entries of a round whose betting has one shape, as a responder sees them.

    Slots are numbered: showdowns, fixed payments, values carried up from later rounds. Columns of a
    slot are those of the entries, in order.

    Attributes
    ----------
    entries
        The nodes at which play enters.
    reach
        By bucket of the opponent, his reach of each of some leaves and entries. The first of them
        belong to the showdowns in order, the last to the fixed payments: where the same reach
        leads to both it is there once.
    shown, paid
        How many slots of either kind there are.
    scale
        What is at stake in each of these slots and entries.
    own
        By bucket of the responder, her own reach of them.
    carried
        The place, among the columns that come up from the next round, of each slot and entry.
    steps
        How the values of nodes follow, in place: rows of a kind of step, the slot, and the other one.
    result
        The slot that has the values of the entries at the end.
    """

    entries: tuple[int, ...]
    reach: Floats
    shown: int
    paid: int
    scale: Floats
    own: Floats
    carried: Ints
    steps: Ints
    result: int

    @property
    def slots(self) -> int:
        """Number of slots."""
        return len(self.scale) + len(self.carried)


class StreetDeals(NamedTuple):
    """How boards follow those before: for each of some deals, where hands are found (as in ``Street``).

    Boards are in the order of :meth:`Streets.extended`: all deals on the first board before, and so on.
    """

    place: Ints
    back: Ints


class RoundValues(Protocol):
    """What computes the values of a round; ``entries`` are each player's, in the order of the columns."""

    entries: list[list[int]]
    has_showdowns: bool

    def add(
        self,
        out: list[Any],
        ranks: Any,
        buckets: list[Any],
        carried: list[Any] | None,
        deals: StreetDeals,
    ) -> list[Any]:
        """Add both players' values, given those of the next round, to ``out``; return what they earn here.

        All are arrays over boards and hands, the values with a third axis of columns; ``out`` is over
        the boards before and their hands. What each player earns at this round's leaves who plays as the
        strategy does is an array over boards and hands.
        """


class Reaches:
    """A player's probability of playing to each node, by her bucket in the node's round.

    ``parents[r]`` has, for each bucket of round r, the bucket of the round before. The last round has the
    most nodes, and the most buckets: what is known of it is forgotten soon.
    """

    def __init__(
        self, tree: BettingTree, strategy: Strategy, parents: Sequence[Any], player: int
    ) -> None:
        self._tree, self._strategy, self._parents = tree, strategy, parents
        self._player = player
        self._kept, self._passing = cache(self._reach), lru_cache(64)(self._reach)

    def buckets(self, turn: int) -> int:
        """Return the number of buckets of a round."""
        return len(self._parents[turn])

    def __getitem__(self, node: int) -> Floats:
        is_last = int(self._tree.round[node]) == len(self._parents) - 1
        return self._passing(node) if is_last else self._kept(node)

    def before(self, node: int, turn: int) -> Floats:
        """Return the reach of a node that round ``turn`` leads to, by the buckets of that round."""
        tree, parent = self._tree, int(self._tree.parent[node])
        if parent < 0:
            return np.ones(len(self._parents[turn]))
        reach, at = self[parent], int(tree.round[parent])
        if tree.player[parent] == self._player:
            reach = reach * self._distribution(parent)[tree.successors[parent].index(node)]
        for later in range(at + 1, turn + 1):
            reach = reach[self._parents[later]]
        return reach

    def _reach(self, node: int) -> Floats:
        return self.before(node, int(self._tree.round[node]))

    @cached_property
    def _blocks(self) -> dict[int, tuple[int, int, int]]:
        """Where the strategy has the player's decision nodes: first, last, and the number of actions."""
        layout = self._strategy.layout
        assert isinstance(layout, Layout)
        nodes = np.flatnonzero(self._tree.player == self._player).tolist()
        starts = layout.starts(self._player)
        actions = [count for _, count in layout.nodes[self._player]]
        blocks = zip(starts[:-1], starts[1:], actions, strict=True)
        return dict(zip(nodes, blocks, strict=True))

    @lru_cache(64)  # noqa: B019 - small, and as short-lived as the certificate
    def _distribution(self, node: int) -> Floats:
        """Return the probabilities at a decision node: a row an action, a column a bucket."""
        first, last, actions = self._blocks[node]
        vector = self._strategy.behaviour[self._player]
        block = np.array(vector[first:last], dtype=np.float64).reshape(actions, -1)
        total = block.sum(axis=0)
        if total.min() <= 0:
            raise EquipoiseError(
                f"Strategy of '{self._strategy.game}': player {self._player + 1} has a bucket without "
                "a positive probability, expected a distribution over the actions."
            )
        return np.asarray(block / total)


class RoundView:
    """Round ``turn`` as ``responder`` sees it; ``own`` and ``other`` are both players' reaches.

    Values are in units of one deal of the last round; ``completions`` is the number of these to a deal of
    this one. ``below`` has the nodes whose values come up from the next round, and the places of those.
    """

    def __init__(
        self,
        tree: BettingTree,
        turn: int,
        responder: int,
        own: Reaches,
        other: Reaches,
        completions: float,
        below: Mapping[int, int],
    ) -> None:
        self.tree, self.turn, self.responder = tree, turn, responder
        self._own, self._other, self._completions = own, other, completions
        self._below = below
        self.shape = cache(self._shape)

    def columns(self, most: int) -> Iterator[RoundColumns]:
        """Yield the entries that have a value, at most so many of one shape at a time."""
        tree, groups = self.tree, dict[Shape, list[int]]()
        above = np.where(tree.parent < 0, -1, tree.round[np.maximum(tree.parent, 0)])
        for v in np.flatnonzero((tree.round >= self.turn) & (above < self.turn)).tolist():
            groups.setdefault(self.shape(v), []).append(v)
        groups.pop(None, None)
        for alike in groups.values():
            parts = -(-len(alike) // most)
            bounds = [len(alike) * part // parts for part in range(parts + 1)]
            for low, high in pairwise(bounds):
                yield self._together(alike[low:high])

    def pays(self, leaf: int) -> tuple[bool, bool]:
        """Say whether hands are compared at a leaf, and whether there is a payment besides."""
        tree = self.tree
        is_shown = tree.kind[leaf] != NO_OUTCOME and tree.scale[leaf] != 0
        return bool(is_shown), bool(tree.base[leaf, self.responder] != 0)

    def _shape(self, v: int) -> Shape:
        """Return what happens from a node on, as far as entries alike have it in common."""
        tree = self.tree
        if tree.round[v] > self.turn:
            return ("carried",) if v in self._below else None
        if tree.player[v] == TERMINAL:
            pays = self.pays(v)
            return pays if any(pays) and self._other[v].any() else None
        children = tuple(self.shape(child) for child in tree.successors[v])
        is_choice = bool(tree.player[v] == self.responder)
        return ("node", is_choice, children) if any(children) else None

    def _together(self, alike: list[int]) -> RoundColumns:
        """Return the columns of entries that have one shape."""
        tree = self.tree
        order = _Slots(self, alike[0])
        found = [_Slots(self, v) if v != alike[0] else order for v in alike]
        leaves = np.array([[one.leaves[k] for one in found] for k in order.picked], dtype=np.int64)
        leaves = leaves.reshape(-1, len(alike))
        shown, paid = leaves[: order.shown], leaves[order.shown :]
        scale = np.concatenate([tree.scale[shown], tree.base[paid, self.responder]])
        used = np.concatenate([leaves[: order.alone], paid])
        return RoundColumns(
            entries=tuple(alike),
            reach=self._matrix(self._other, used),
            shown=len(shown),
            paid=len(paid),
            scale=scale * self._completions,
            own=self._matrix(self._own, leaves),
            carried=np.array(
                [[self._below[one.carried[k]] for one in found] for k in range(len(order.carried))],
                dtype=np.int64,
            ).reshape(-1, len(alike)),
            steps=np.array(order.steps, dtype=np.int64).reshape(-1, 3),
            result=order.result,
        )

    def _matrix(self, reach: Reaches, nodes: Ints) -> Floats:
        """Return the reach of an array of nodes by bucket."""
        found = np.empty((reach.buckets(self.turn), *nodes.shape))
        # Entry by entry, as nodes near each other share what is remembered.
        for e in range(nodes.shape[1]):
            for k, v in enumerate(nodes[:, e].tolist()):
                found[:, k, e] = reach[v]
        return found


class _Slots:
    """The slots of one entry: which leaf is where, and the steps from there to the entry's value.

    ``leaves`` are those with a value, in preorder, and ``picked`` their numbers in the order of slots: showdowns
    (first those, ``alone`` of them, whose reach no fixed payment shares), then fixed payments.
    """

    def __init__(self, view: RoundView, entry: int) -> None:
        self._view = view
        self.leaves: list[int] = []
        self.carried: list[int] = []
        self._sequence: list[int] = []
        self._visit(entry, entry)
        self._order()
        self.steps: list[tuple[int, int, int]] = []
        self._leaf, self._up = 0, 0
        result = self._value(entry)
        assert result is not None
        self.result = result

    def _visit(self, v: int, sequence: int) -> None:
        """List the leaves under a node, which the opponent's actions up to ``sequence`` lead to."""
        tree, view = self._view.tree, self._view
        if view.shape(v) is None:
            return
        if tree.round[v] > view.turn:
            self.carried.append(v)
        elif tree.player[v] == TERMINAL:
            self.leaves.append(v)
            self._sequence.append(sequence)
        for child in tree.successors[v] if tree.round[v] == view.turn else ():
            self._visit(child, sequence if tree.player[v] == view.responder else child)

    def _order(self) -> None:
        pays = [self._view.pays(v) for v in self.leaves]
        shown = [k for k, (is_shown, _) in enumerate(pays) if is_shown]
        paid = [k for k, (_, is_paid) in enumerate(pays) if is_paid]
        partner: dict[int, int] = {}
        for k in shown:
            left = [j for j in paid if j not in partner.values()]
            same = [j for j in left if self._sequence[j] == self._sequence[k]]
            if same:
                partner[k] = same[0]
        alone = [k for k in shown if k not in partner]
        others = [j for j in paid if j not in partner.values()]
        shown, paid = [*alone, *partner], [*partner.values(), *others]
        self.picked, self.alone, self.shown = [*shown, *paid], len(alone), len(shown)
        self._slots: list[list[int]] = [[] for _ in self.leaves]
        for slot, k in enumerate(self.picked):
            self._slots[k].append(slot)

    def _value(self, v: int) -> int | None:
        """Return the slot with the value of a node once the steps are made; ``None`` if that is zero."""
        tree, view = self._view.tree, self._view
        if view.shape(v) is None:
            return None
        if tree.round[v] > view.turn:
            self._up += 1
            return len(self.picked) + self._up - 1
        is_choice = tree.player[v] == view.responder
        if tree.player[v] == TERMINAL:
            below: list[int | None] = [*self._slots[self._leaf]]
            self._leaf += 1
        else:
            below = [self._value(child) for child in tree.successors[v]]
        slots = [slot for slot in below if slot is not None]
        for other in slots[1:]:
            self.steps.append((MAX if is_choice else ADD, slots[0], other))
        if is_choice and len(slots) < len(below):
            self.steps.append((FLOOR, slots[0], slots[0]))
        return slots[0]
