"""GameShrink as printed: algorithms 1 and 2 of Gilpin 2009, with bipartite matching and union-find.

A slow reference for small games. The *signal tree* (Definition 8) has a node for everything that may
have been revealed and an edge for each revelation. Algorithm 1 calls two nodes isomorphic if a
perfect matching pairs their children so that matched edges weigh the same and matched children are
isomorphic; leaves are isomorphic if they pay the same. Algorithm 2 walks down the tree and merges
isomorphic siblings, where the children of merged nodes count as siblings.

The text leaves open at which level the opponent's signals are revealed, and this decides how much is
merged. Two readings:

``views``
    All that one player will ever see, round by round, and then the opponent's signals. Algorithm 3
    (the lossy version, which is stated per player) works on this tree, and the published numbers
    follow from it: 13/205/1774 buckets in Rhode Island Hold'em.
``deals``
    All that is revealed in a round, to either player, before the next round: Definition 8 to the
    letter. A single holding of the opponent against which two views look alike merges them.

With one round, as in Figure 5.2, they coincide. Neither is lossless in general: matched children may
belong to different views of the opponent, who tells them apart (``docs/soundness.md``).

Of the enhancements in section 5.5.1, union-find stores the filter, and a matching is only tried for
nodes whose frequencies of payments (in poker: win, tie and loss counts) agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from equipoise.abstraction.base import PLAYERS, Partition
from equipoise.errors import EquipoiseError
from equipoise.games.signals.rounds import Indices, SignalRound
from equipoise.numerics.refinement import TOLERANCE

Reading = Literal["views", "deals"]
READINGS: tuple[Reading, ...] = get_args(Reading)

#: A view: player, round, number.
View = tuple[int, int, int]
#: What a node shows, and what the nodes on the way to a leaf show.
Seen = tuple[View, ...]
Path = tuple[Seen, ...]
#: A leaf's payment: the value of each kind of outcome.
Payment = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class SignalNode:
    """A node of a signal tree, with all below it.

    Attributes
    ----------
    seen
        The latest view of each player that has been revealed, that of the player first in order
        first. Nodes with equal filtered views are one node of the filtered tree.
    edges
        Probability and node of each child.
    payment
        At a leaf, what is paid.
    """

    seen: Seen
    edges: tuple[tuple[float, SignalNode], ...] = ()
    payment: Payment = ()

    @property
    def size(self) -> tuple[int, int]:
        """Number of inner nodes and of leaves."""
        if not self.edges:
            return 0, 1
        sizes = [child.size for _, child in self.edges]
        return 1 + sum(inner for inner, _ in sizes), sum(leaves for _, leaves in sizes)

    @cached_property
    def frequencies(self) -> dict[Payment, float]:
        """Probability of each payment below this node: equal for isomorphic nodes."""
        if not self.edges:
            return {self.payment: 1.0}
        total: dict[Payment, float] = defaultdict(float)
        for weight, child in self.edges:
            for payment, share in child.frequencies.items():
                total[payment] += weight * share
        return dict(total)


@dataclass
class UnionFind:
    """Disjoint sets under union, by size, with path halving (the filter F of algorithm 2)."""

    parent: dict[Hashable, Hashable] = field(default_factory=dict)
    size: dict[Hashable, int] = field(default_factory=dict)

    def find(self, item: Hashable) -> Hashable:
        """Return the representative of the set that holds ``item``."""
        self.parent.setdefault(item, item)
        while self.parent[item] != item:
            self.parent[item] = self.parent[self.parent[item]]
            item = self.parent[item]
        return item

    def union(self, a: Hashable, b: Hashable) -> None:
        """Merge the sets that hold ``a`` and ``b``."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return
        if self.size.get(a, 1) < self.size.get(b, 1):
            a, b = b, a
        self.parent[b] = a
        self.size[a] = self.size.get(a, 1) + self.size.get(b, 1)

    def classes(self, items: Iterable[Hashable]) -> Indices:
        """Number the sets that hold ``items``, from 0."""
        number: dict[Hashable, int] = {}
        found = [number.setdefault(self.find(item), len(number)) for item in items]
        return np.array(found, dtype=np.uint32)


class Isomorphism:
    """Algorithm 1, *OrderedGameIsomorphic?*, remembering every answer."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], bool] = {}

    def __call__(self, x: SignalNode, y: SignalNode) -> bool:
        """Say whether the subtrees at ``x`` and ``y`` are ordered game isomorphic."""
        key = (id(x), id(y))
        if key not in self._known:
            self._known[key] = self._decide(x, y)
        return self._known[key]

    def _decide(self, x: SignalNode, y: SignalNode) -> bool:
        if x is y:
            return True
        if not _close(x.frequencies, y.frequencies) or len(x.edges) != len(y.edges):
            return False
        edges = [
            [
                j
                for j, (weight_y, child_y) in enumerate(y.edges)
                if abs(weight_x - weight_y) <= TOLERANCE and self(child_x, child_y)
            ]
            for weight_x, child_x in x.edges
        ]
        return has_perfect_matching(edges)


def has_perfect_matching(edges: Sequence[Sequence[int]]) -> bool:
    """Say whether a bipartite graph matches every left node; ``edges[i]`` are i's right neighbours.

    Augmenting paths, as in Gilpin 2009 (Ford and Fulkerson 1962).
    """
    partner: dict[int, int] = {}

    def augment(left: int, tried: set[int]) -> bool:
        for right in edges[left]:
            if right not in tried:
                tried.add(right)
                if right not in partner or augment(partner[right], tried):
                    partner[right] = left
                    return True
        return False

    return all(augment(left, set()) for left in range(len(edges)))


def literal_gameshrink(
    rounds: Sequence[SignalRound], reading: Reading = "views", *, name: str = ""
) -> Partition:
    """Algorithm 2, *GameShrink*: return the filter it ends with, as an abstraction.

    The relation of algorithm 1 is computed on the unfiltered tree: merging isomorphic nodes leaves it
    as it is. The filter of Gilpin 2009 is common to the players; here each has her own, and the
    algorithm is run with each player's signals revealed first.
    """
    if reading not in READINGS:
        raise EquipoiseError(
            f"Signal tree: found reading '{reading}', expected one of {', '.join(READINGS)}."
        )
    isomorphic, filters = Isomorphism(), UnionFind()
    levels = [[signal_tree(rounds, player, reading)] for player in PLAYERS]
    while any(levels):
        for level in levels:
            for siblings in _siblings(level, filters):
                for x, y in combinations(siblings, 2):
                    a, b = x.seen[0], y.seen[0]
                    if filters.find(a) != filters.find(b) and isomorphic(x, y):
                        filters.union(a, b)
        levels = [[child for node in level for _, child in node.edges] for level in levels]
    maps = [
        [filters.classes((i, r, v) for v in range(signals.views[i])) for i in PLAYERS]
        for r, signals in enumerate(rounds)
    ]
    return Partition.of(rounds, maps, game=name, method=f"literal ({reading})")


def signal_tree(
    rounds: Sequence[SignalRound], player: int, reading: Reading = "views"
) -> SignalNode:
    """Return the root of the signal tree in which ``player``'s signals are revealed first."""
    if any(signals.values for signals in rounds[:-1]):
        raise EquipoiseError(
            "Signal tree: found outcomes before the last round, expected none (algorithm 1 compares "
            "payments at its leaves only)."
        )
    deals = rounds[-1]
    branches: list[tuple[Path, float, Payment]] = []
    for number, weight in enumerate(deals.weight):
        mine, theirs = (_history(rounds, i, deals.pairs[i][number]) for i in (player, 1 - player))
        payment = tuple(float(value[number]) for value in deals.values.values())
        branches.append((_path(mine, theirs, reading), float(weight), payment))
    return _grow((), branches)


def _history(rounds: Sequence[SignalRound], player: int, view: int) -> list[View]:
    """Return the views of all rounds that lead to ``view`` of the last."""
    found: list[View] = []
    for r in reversed(range(len(rounds))):
        found.append((player, r, int(view)))
        view = rounds[r].parents[player][view]
    return found[::-1]


def _path(mine: list[View], theirs: list[View], reading: Reading) -> Path:
    """Return what has been seen at each level of the tree on the way to one deal."""
    if reading == "views":
        return *((view,) for view in mine), (mine[-1], theirs[-1])
    before = ((), *((view,) for view in theirs))
    return tuple(
        (view, *seen) for r, view in enumerate(mine) for seen in (before[r], before[r + 1])
    )


def _grow(seen: Seen, branches: Sequence[tuple[Path, float, Payment]]) -> SignalNode:
    """Return the node with these views above the ``branches``: path, weight and payment of deals."""
    if not branches[0][0]:
        return SignalNode(seen, payment=branches[0][2])
    groups: dict[Seen, list[tuple[Path, float, Payment]]] = defaultdict(list)
    for path, weight, payment in branches:
        groups[path[0]].append((path[1:], weight, payment))
    total = sum(weight for _, weight, _ in branches)
    edges = [
        (sum(weight for _, weight, _ in group) / total, _grow(child, group))
        for child, group in groups.items()
    ]
    return SignalNode(seen, tuple(edges))


def _siblings(level: Iterable[SignalNode], filters: UnionFind) -> Iterable[list[SignalNode]]:
    """Group the nodes below ``level`` that show the player a new view by their filtered parent."""
    groups: dict[Hashable, list[SignalNode]] = defaultdict(list)
    for parent in level:
        place = tuple(filters.find(view) for view in parent.seen)
        groups[place] += [child for _, child in parent.edges if child.seen[:1] != parent.seen[:1]]
    return groups.values()


def _close(a: dict[Payment, float], b: dict[Payment, float]) -> bool:
    """Say whether two frequency tables agree up to rounding."""
    return a.keys() == b.keys() and all(abs(a[key] - b[key]) <= TOLERANCE for key in a)
