"""The layout of a treeplex in levels: groups of like blocks, and bands of rows."""

from __future__ import annotations

from dataclasses import dataclass

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
    """Blocks alike: sequence (a, n, k) is at ``first + (a * blocks + n) * width + k``.

    An action's sequences stand together: what is done to all information sets goes from one action's array to
    the next one's, place by place.

    Attributes
    ----------
    sets
        The place of its first information set, in level order.
    above, rows
        The band of the parents, and the row there that each block follows.
    earned
        The blocks' rows among those of all groups that follow the band ``above``.
    link, fold, inside
        For each bucket, the one of the parent's row that it extends; and for each of those, in its
        column, the buckets that extend it, filled up, with a one for each that does and zeros where it
        was filled up. ``None`` where buckets stay the same.
    pulls
        For each own row (a, n), in its column, the rows that follow it, of all those that follow the own
        band; filled up with the number of these. ``None`` where nothing follows.
    """

    first: int
    sets: int
    blocks: int
    actions: int
    width: int
    above: Band
    rows: Array
    earned: slice
    link: Array | None = None
    fold: Array | None = None
    inside: Array | None = None
    pulls: Array | None = None

    @property
    def last(self) -> int:
        """The place after the last sequence."""
        return self.first + self.blocks * self.actions * self.width

    @property
    def shape(self) -> tuple[int, int, int]:
        """Actions, blocks, buckets."""
        return self.actions, self.blocks, self.width


def group_blocks(space: Treeplex) -> list[Ints]:
    """Return the blocks of each group, parents before children, equal widths together where possible.

    The order is by *stage*, the number of links passed on the way (in a game with signals: rounds that the
    player acts in), then by width, which stays the same in a stage, then by depth since the last link.
    """
    blocks = space.blocks
    above = np.searchsorted(blocks.start, blocks.parent, side="right") - 1
    stage, depth = np.zeros((2, len(blocks.start)), dtype=np.int64)
    for b, up in enumerate(above.tolist()):
        if blocks.parent[b] > 0:
            is_alike = blocks.link[b] == SAME or blocks.buckets[b] == 1
            is_linked = not is_alike or blocks.buckets[b] != blocks.buckets[up]
            stage[b] = stage[up] + is_linked
            depth[b] = 0 if is_linked else depth[up] + 1
    # Parents' rows of one group must be equally wide: their buckets are added up together.
    wide = np.where(blocks.parent > 0, blocks.buckets[np.maximum(above, 0)], 0)
    keys = np.stack([stage, blocks.buckets, depth, blocks.actions, blocks.link, wide])
    if not keys.shape[1]:
        return []
    _, group = np.unique(keys.astype(np.int64), axis=1, return_inverse=True)
    return [np.flatnonzero(group == g) for g in range(int(group.max()) + 1)]


def level_order(space: Treeplex, members: list[Ints]) -> tuple[Ints, Ints]:
    """Return the place in level order of every block's first sequence, and how far apart its actions are."""
    blocks = space.blocks
    first, apart = np.zeros((2, len(blocks.start)), dtype=np.int64)
    at = 1
    for own in members:
        width = int(blocks.buckets[own[0]])
        first[own] = at + width * np.arange(len(own))
        apart[own] = width * len(own)
        at += len(own) * width * int(blocks.actions[own[0]])
    return first, apart


def padded_lists(key: Ints, count: int, padding: int, items: Ints | None = None) -> Ints:
    """Return, for each key below ``count``, the items that have it, padded to one length."""
    items = np.arange(len(key)) if items is None else items
    order = np.argsort(key, kind="stable")
    sizes = np.bincount(key, minlength=count)
    column = np.arange(len(key)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    lists = np.full((count, int(sizes.max(initial=1))), padding, dtype=np.int64)
    lists[key[order], column] = items[order]
    return lists
