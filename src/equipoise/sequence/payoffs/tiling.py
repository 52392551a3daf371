"""The last round of a game with signals, cut into tiles that nature keeps apart.

Once the last public signal is out, hands seen on different boards cannot meet: the pairs of buckets
of the last round fall into connected components. A *tile* is a few components taken together. Within
it the last round of the whole betting tree is a small problem of its own, hanging from the *trunk*
(the earlier rounds) by the players' last sequences there. A solver that walks tile by tile keeps
everything in cache; that, not arithmetic, is what an iteration costs.

Buckets of a tile stand in *places*; how its sequences are laid out is told in
:mod:`equipoise.sequence.lanes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equipoise.games.signals.rounds import SignalRound

# Sequences of a player in a tile: her plan and the opponent's gradient stay in the second-level cache.
_TILE_SEQUENCES = 8192


@dataclass(frozen=True, eq=False)
class Tiling:
    """Which buckets of the last round stand together.

    Attributes
    ----------
    order
        For each player, the bucket in each place.
    component
        For each player, bounds of the components in places.
    tile
        Bounds of the tiles in components.
    """

    order: tuple[NDArray[np.int64], NDArray[np.int64]]
    component: tuple[NDArray[np.int64], NDArray[np.int64]]
    tile: NDArray[np.int64]

    def bounds(self, player: int) -> NDArray[np.int64]:
        """Return the bounds of the tiles in places of ``player``."""
        return self.component[player][self.tile]

    @cached_property
    def place(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each player, the place of each bucket."""
        return np.argsort(self.order[0]), np.argsort(self.order[1])


def tiling(signals: SignalRound, slots: int) -> Tiling:
    """Cut the deals of a round into components, and group them into tiles.

    ``slots`` is how many sequences a bucket has.
    """
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    rows, columns = signals.views
    first, second = (pair.astype(np.int64) for pair in signals.pairs)
    graph = sparse.coo_matrix(
        (np.ones(len(first), dtype=np.int8), (first, second + rows)),
        shape=(rows + columns, rows + columns),
    )
    _, label = connected_components(graph, directed=False)
    label = _joined(label, rows)
    count, labels = int(label.max()) + 1, (label[:rows], label[rows:])
    order, component = [], []
    for player in (0, 1):
        by_parent = np.lexsort((signals.parents[player], labels[player]))
        order.append(by_parent)
        sizes = np.bincount(labels[player], minlength=count)
        component.append(np.concatenate(([0], np.cumsum(sizes))))
    tile = [0]
    for c in range(1, count + 1):
        if c == count or (component[0][c] - component[0][tile[-1]]) * slots >= _TILE_SEQUENCES:
            tile.append(c)
    return Tiling((order[0], order[1]), (component[0], component[1]), np.array(tile))


def _joined(label: NDArray[np.int32], rows: int) -> NDArray[np.int64]:
    """Return the component of each bucket, where those that meet no other join the first that has pairs.

    A table of buckets may have some that no hand, or none on the boards of a sample, falls into.
    """
    sizes = [np.bincount(own, minlength=label.max() + 1) for own in (label[:rows], label[rows:])]
    has_pairs = np.minimum(*sizes) > 0
    kept = np.where(has_pairs, np.cumsum(has_pairs) - 1, 0)
    return np.asarray(kept[label], dtype=np.int64)
