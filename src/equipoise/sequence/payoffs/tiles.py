"""The last round of a game with signals, cut into tiles that nature keeps apart.

Once the last public signal is out, hands seen on different boards cannot meet: the pairs of buckets
of the last round fall into connected components. A *tile* is a few components taken together. Within
it the last round of the whole betting tree is a small problem of its own, hanging from the *trunk*
(the earlier rounds) by the players' last sequences there. A solver that walks tile by tile keeps
everything in cache; that, not arithmetic, is what an iteration costs.

Layout: sequence ``first[p] + unit * width[p] + k`` is the ``unit``-th (decision node, action) of the
last round in place ``k`` of tile ``p``; units are the same in every tile.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.games.signals.rounds import SignalRound

Indices = NDArray[np.uint32]

_TILE_BUCKETS = 256
_DENSE_FILL = 0.5
_LEAVES = 128
_KERNEL = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract", "reassoc", "nsz"},
}


class Half(NamedTuple):
    """The payoffs of the last round in one direction, from source plans to target gradients.

    ``value[m]`` holds matrix ``m``. Where components are nearly full it is a row-major array for each
    component, source by target, from ``start[c]`` on. Else it is lists: the sources of target ``t``
    are ``sources[pointer[t] : pointer[t + 1]]``. Targets and sources are places in tile order. Leaves
    ``leaf[m] .. leaf[m + 1]`` use matrix ``m``.
    """

    tile_source: Indices
    tile_target: Indices
    tile_component: Indices
    component_source: Indices
    component_target: Indices
    start: Indices
    pointer: Indices
    sources: Indices
    value: NDArray[Any]
    leaf: Indices
    leaf_source: Indices
    leaf_target: Indices
    leaf_scale: NDArray[Any]


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


def tiling(signals: SignalRound) -> Tiling:
    """Cut the deals of a round into components, and group them into tiles."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    rows, columns = signals.views
    first, second = (pair.astype(np.int64) for pair in signals.pairs)
    graph = sparse.coo_matrix(
        (np.ones(len(first), dtype=np.int8), (first, second + rows)),
        shape=(rows + columns, rows + columns),
    )
    count, label = connected_components(graph, directed=False)
    labels = label[:rows], label[rows:]
    order, component = [], []
    for player in (0, 1):
        by_parent = np.lexsort((signals.parents[player], labels[player]))
        order.append(by_parent)
        sizes = np.bincount(labels[player], minlength=count)
        component.append(np.concatenate(([0], np.cumsum(sizes))))
    tile = [0]
    for c in range(1, count + 1):
        if c == count or component[0][c] - component[0][tile[-1]] >= _TILE_BUCKETS:
            tile.append(c)
    return Tiling((order[0], order[1]), (component[0], component[1]), np.array(tile))


def half(
    cut: Tiling,
    source: int,
    values: NDArray[np.float64],
    pairs: tuple[Indices, Indices],
    leaves: tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]],
    dtype: Any,
) -> Half:
    """Store matrices over deals for products from ``source`` to the other player.

    ``values`` has one row a matrix and one column a deal; ``leaves`` are (matrix, unit of player 1,
    unit of player 2, coefficient).
    """
    target = 1 - source
    at = [cut.place[player][pairs[player]] for player in (0, 1)]
    heights = np.diff(cut.component[target])
    start = np.concatenate(([0], np.cumsum(heights * np.diff(cut.component[source]))))
    if values.shape[1] >= _DENSE_FILL * start[-1]:
        c = np.searchsorted(cut.component[source], at[source], side="right") - 1
        row = at[source] - cut.component[source][c]
        place = start[c] + row * heights[c] + at[target] - cut.component[target][c]
        stored = np.zeros((len(values), int(start[-1])), dtype=dtype)
        stored[:, place] = values
        pointer = sources = np.zeros(0, dtype=np.uint32)
    else:
        by_target = np.lexsort((at[source], at[target]))
        sizes = np.bincount(at[target], minlength=len(cut.order[target]))
        stored = np.ascontiguousarray(values[:, by_target], dtype=dtype)
        pointer = np.concatenate(([0], np.cumsum(sizes))).astype(np.uint32)
        sources = at[source][by_target].astype(np.uint32)
    matrix, *units, coefficient = leaves
    by_matrix = np.argsort(matrix, kind="stable")
    counts = np.bincount(matrix, minlength=len(values))
    return Half(
        tile_source=cut.bounds(source).astype(np.uint32),
        tile_target=cut.bounds(target).astype(np.uint32),
        tile_component=cut.tile.astype(np.uint32),
        component_source=cut.component[source].astype(np.uint32),
        component_target=cut.component[target].astype(np.uint32),
        start=start.astype(np.uint32),
        pointer=pointer,
        sources=sources,
        value=stored,
        leaf=np.concatenate(([0], np.cumsum(counts))).astype(np.uint32),
        leaf_source=units[source][by_matrix].astype(np.uint32),
        leaf_target=units[target][by_matrix].astype(np.uint32),
        leaf_scale=coefficient[by_matrix].astype(dtype),
    )


def packing(half: Half) -> NDArray[Any]:
    """Return scratch space for :func:`tile_product`."""
    bounds = (half.component_source, half.component_target)
    widest = max(int(np.diff(places.astype(np.int64)).max()) for places in bounds)
    return np.empty((2, widest * _LEAVES), half.value.dtype)


@njit(**_KERNEL)
def add_tiles(half: Any, low: Any, high: Any, one: Any, tail: Any, out: Any, scratch: Any) -> None:
    """Add the payoffs of tiles ``low .. high``; vectors hold the last round of all tiles."""
    units1 = np.uint32(len(tail) // half.tile_source[-1])
    units2 = np.uint32(len(out) // half.tile_target[-1])
    for p in range(low, high):
        source = tail[units1 * half.tile_source[p] : units1 * half.tile_source[p + 1]]
        target = out[units2 * half.tile_target[p] : units2 * half.tile_target[p + 1]]
        tile_product(half, p, one, source, target, scratch)


@njit(**_KERNEL)
def tile_product(half: Any, p: Any, sign: Any, source: Any, target: Any, scratch: Any) -> None:
    """Add ``sign`` times the payoffs of tile ``p`` to ``target``; both vectors hold the tile alone.

    For each component and matrix, the sources of some leaves are packed: then the sum over deals is
    one small matrix product, and stays in the first-level cache.
    """
    is_dense = len(half.sources) == 0
    for c in range(half.tile_component[p], half.tile_component[p + 1]):
        for m in range(len(half.leaf) - 1):
            for first in range(int(half.leaf[m]), int(half.leaf[m + 1]), _LEAVES):
                last = min(int(half.leaf[m + 1]), first + _LEAVES)
                if is_dense:
                    _dense(half, p, c, m, first, last, sign, source, target, scratch)
                else:
                    _lists(half, p, c, m, first, last, sign, source, target, scratch)


@njit(**_KERNEL)
def _sides(half: Any, p: Any, c: Any) -> Any:
    """Return (width of the tile, first place, number of places) of component ``c``, twice."""
    return (
        np.uint32(half.tile_source[p + 1] - half.tile_source[p]),
        np.uint32(half.component_source[c] - half.tile_source[p]),
        np.int64(half.component_source[c + 1] - half.component_source[c]),
        np.uint32(half.tile_target[p + 1] - half.tile_target[p]),
        np.uint32(half.component_target[c] - half.tile_target[p]),
        np.int64(half.component_target[c + 1] - half.component_target[c]),
    )


@njit(**_KERNEL)
def _dense(
    half: Any, p: Any, c: Any, m: Any, first: Any, last: Any, sign: Any,
    source: Any, target: Any, scratch: Any,
) -> None:  # fmt: skip
    """A leaf is a row: rows are copied as they are, and multiplied by the matrix."""
    from_width, left, width, to_width, top, height = _sides(half, p, c)
    n = np.int64(last - first)
    packed = scratch[0, : n * width].reshape((n, width))
    total = scratch[1, : n * height].reshape((n, height))
    for leaf in range(n):
        base = np.uint32(half.leaf_source[first + leaf] * from_width + left)
        into, from_ = packed[leaf], source[base : base + width]
        for j in range(width):
            into[j] = from_[j]
    block = half.value[m, half.start[c] : half.start[c + 1]]
    np.dot(packed, block.reshape((width, height)), total)
    for leaf in range(n):
        base = np.uint32(half.leaf_target[first + leaf] * to_width + top)
        scale = sign * half.leaf_scale[first + leaf]
        into, from_ = target[base : base + height], total[leaf]
        for i in range(height):
            into[i] += scale * from_[i]


@njit(**_KERNEL)
def _lists(
    half: Any, p: Any, c: Any, m: Any, first: Any, last: Any, sign: Any,
    source: Any, target: Any, scratch: Any,
) -> None:  # fmt: skip
    """A leaf is a column: the few sources of a target are added up for many leaves at a time."""
    from_width, left, width, to_width, top, height = _sides(half, p, c)
    n = np.int64(last - first)
    packed, row = scratch[0], scratch[1, :n]
    for leaf in range(n):
        base = np.uint32(half.leaf_source[first + leaf] * from_width + left)
        scale = sign * half.leaf_scale[first + leaf]
        for j in range(width):
            packed[j * n + leaf] = scale * source[base + j]
    for i in range(height):
        row[:] = 0
        t = np.uint32(half.component_target[c] + i)
        for k in range(half.pointer[t], half.pointer[t + 1]):
            at = (half.sources[k] - half.component_source[c]) * n
            value, column = half.value[m, k], packed[at : at + n]
            for leaf in range(n):
                row[leaf] += value * column[leaf]
        for leaf in range(n):
            target[np.uint32(half.leaf_target[first + leaf] * to_width + top + i)] += row[leaf]
