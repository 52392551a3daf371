"""The layout of a treeplex in levels: groups of like blocks, and bands of rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from equipoise.numerics.device import Array
from equipoise.sequence.treeplex import SAME, Treeplex

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Band:
    """Sequences ``first`` to ``last`` of a vector in level order, as rows of ``width`` buckets."""

    first: int
    last: int
    width: int


@dataclass(eq=False)
class Group:
    """Blocks alike: sequence (n, a, k) is at ``first + (n * actions + a) * width + k``.

    Attributes
    ----------
    sets
        The place of its first information set, in level order.
    above, rows
        The band of the parents, and the row there that each block follows.
    link, fold
        For each bucket, the one of the parent's row that it extends; and for each of those, in its
        column, the buckets that extend it, padded with ``width``. ``None`` where buckets stay the same.
    pulls
        For each group of children, and for each own row (n, a), the blocks that follow it, padded
        with the number of blocks.
    values
        What each information set earned in the last bottom-up pass, added up to the parents' buckets,
        with a row of zeros at the end for padding.
    """

    first: int
    sets: int
    blocks: int
    actions: int
    width: int
    above: Band
    rows: Array
    link: Array | None = None
    fold: Array | None = None
    pulls: list[tuple[Group, Array, int]] = field(default_factory=list)
    values: Array = None
    wide: Array = None

    @property
    def last(self) -> int:
        """The place after the last sequence."""
        return self.first + self.blocks * self.actions * self.width

    @property
    def shape(self) -> tuple[int, int, int]:
        """Blocks, actions, buckets."""
        return self.blocks, self.actions, self.width


def group_blocks(space: Treeplex) -> list[Ints]:
    """Return the blocks of each group, parents before children, equal widths together where possible.

    The order is by *stage*, the number of links passed on the way (in a game with signals: rounds),
    then by depth since the last link.
    """
    blocks = space.blocks
    above = np.searchsorted(blocks.start, blocks.parent, side="right") - 1
    stage, depth = np.zeros((2, len(blocks.start)), dtype=np.int64)
    for b, up in enumerate(above.tolist()):
        if blocks.parent[b] > 0:
            is_linked = blocks.link[b] != SAME and blocks.buckets[b] > 1
            stage[b] = stage[up] + is_linked
            depth[b] = 0 if is_linked else depth[up] + 1
    # Parents' rows of one group must be equally wide: their buckets are added up together.
    wide = np.where(blocks.parent > 0, blocks.buckets[np.maximum(above, 0)], 0)
    keys = np.stack([stage, depth, blocks.buckets, blocks.actions, blocks.link, wide])
    if not keys.shape[1]:
        return []
    _, group = np.unique(keys.astype(np.int64), axis=1, return_inverse=True)
    return [np.flatnonzero(group == g) for g in range(int(group.max()) + 1)]


def level_order(space: Treeplex, members: list[Ints]) -> Ints:
    """Return the place in level order of every block's first sequence."""
    blocks = space.blocks
    first = np.zeros(len(blocks.start), dtype=np.int64)
    at = 1
    for own in members:
        size = int(blocks.actions[own[0]]) * int(blocks.buckets[own[0]])
        first[own] = at + size * np.arange(len(own))
        at += size * len(own)
    return first


def padded_lists(key: Ints, count: int, padding: int, items: Ints | None = None) -> Ints:
    """Return, for each key below ``count``, the items that have it, padded to one length."""
    items = np.arange(len(key)) if items is None else items
    order = np.argsort(key, kind="stable")
    sizes = np.bincount(key, minlength=count)
    column = np.arange(len(key)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    lists = np.full((count, int(sizes.max(initial=1))), padding, dtype=np.int64)
    lists[key[order], column] = items[order]
    return lists
