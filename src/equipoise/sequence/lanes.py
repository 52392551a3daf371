"""Subtrees of the last betting round that are alike, taken together.

In the last round the same betting happens after many histories: in limit poker the stakes differ, the
moves do not. A *bundle* is a set of such subtrees. Its decision points are laid out as one, with the
subtrees (the *lanes* of the bundle) as the innermost, contiguous dimension: sequence

    first[p] + start * width[p] + k * lanes + lane

belongs to place ``k`` of tile ``p``. So a kernel that sums over buckets does the same operations on
all lanes, which is what processors do best; and blocks are as many times wider.

A *slot* is an action of a player in a subtree of the last round; ``start + lane`` is its number.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.games.signals.betting import TERMINAL, BettingTree

Numbers = NDArray[np.int64]


class Slots(NamedTuple):
    """For each slot of a player, the first slot of its action, and the lanes of its bundle."""

    start: Numbers
    lanes: Numbers


@dataclass(frozen=True, eq=False)
class LaneBundle:
    """Subtrees that are alike: ``nodes[q, lane]`` is the node in position q (in preorder)."""

    nodes: Numbers

    @property
    def lanes(self) -> int:
        """Number of subtrees."""
        return int(self.nodes.shape[1])


def lane_bundles(tree: BettingTree, turn: int) -> list[LaneBundle]:
    """Return the subtrees of round ``turn``, the last one, bundled by their shape.

    Shape is who acts, how many actions there are, and which kinds of payment a leaf has.
    """
    alike: dict[tuple[tuple[int, ...], ...], list[Numbers]] = defaultdict(list)
    node = 0
    while node < len(tree.parent):
        if tree.round[node] != turn:
            node += 1
            continue
        end = _end(tree, node)
        alike[tuple(_shape(tree, v) for v in range(node, end))].append(np.arange(node, end))
        node = end
    return [LaneBundle(np.stack(subtrees, axis=1)) for subtrees in alike.values()]


def slots(tree: BettingTree, bound: list[LaneBundle], player: int) -> tuple[dict[int, int], Slots]:
    """Number the slots of ``player``: return the slot of each node's first action, and all slots.

    Action ``a`` of a node in a bundle is ``a`` times the bundle's lanes later.
    """
    first: dict[int, int] = {}
    start: list[int] = []
    lanes: list[int] = []
    for bundle in bound:
        for nodes in bundle.nodes:
            if tree.player[nodes[0]] != player:
                continue
            first |= {int(node): len(start) + lane for lane, node in enumerate(nodes)}
            for _ in tree.children(int(nodes[0])):
                start += [len(start)] * bundle.lanes
                lanes += [bundle.lanes] * bundle.lanes
    return first, Slots(np.array(start, dtype=np.int64), np.array(lanes, dtype=np.int64))


def _end(tree: BettingTree, root: int) -> int:
    """Return the first node after the subtree of ``root``: nodes are in preorder."""
    end = root + 1
    while end < len(tree.parent) and tree.parent[end] >= root:
        end += 1
    return end


def _shape(tree: BettingTree, node: int) -> tuple[int, ...]:
    """Return what must agree between two nodes of a bundle."""
    if tree.player[node] != TERMINAL:
        return int(tree.player[node]), len(tree.successors[node])
    return TERMINAL, int(tree.kind[node])
