"""Products with the payoffs of the last round, tile by tile.

A leaf of a bundle pays, for places i and j of a component and every lane, ``scale[lane] * M[i, j]``: one
matrix M over pairs of buckets serves all leaves of a kind. So for each component the plans of many
leaves and lanes are *packed* side by side, a row a bucket; the rows are multiplied by M in the form it
is stored in (:mod:`.forms`); and the result is added to the gradient. All inner loops run along leaves
and lanes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.sequence.payoffs.forms import DENSE, STEPS, TOGETHER, Matrices
from equipoise.sequence.payoffs.tiling import Tiling

Indices = NDArray[np.uint32]
Numbers = NDArray[np.int64]

_COLUMNS = 256  # packed side by side
_KERNEL = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract", "reassoc", "nsz"},
}
# Inlined before they are typed: compiled once, in the kernel that uses them.
INNER = {**_KERNEL, "inline": "always"}

_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)


class Places(NamedTuple):
    """Bounds of the tiles (in places of source and target, in components) and of the components."""

    tile_source: Indices
    tile_target: Indices
    tile_component: Indices
    source: Indices
    target: Indices


class Runs(NamedTuple):
    """Leaves as runs of lanes, in chunks that are packed together and share a matrix.

    Row ``r`` of ``run`` is (source, target, lanes, lane, length, coefficient, column): ``length`` lanes
    from ``lane`` on, of a bundle of ``lanes``, between the actions whose slots begin at ``source`` and
    ``target``, with ``scale[coefficient:]``, packed from ``column`` on. Chunk ``q`` has runs
    ``chunk[q] .. chunk[q + 1]``, ``columns[q]`` columns and matrix ``matrix[q]``.
    """

    chunk: Indices
    matrix: Indices
    columns: Indices
    run: Indices
    scale: NDArray[Any]


class Half(NamedTuple):
    """The payoffs of the last round in one direction, from source plans to target gradients."""

    places: Places
    runs: Runs
    matrices: Matrices


def places(cut: Tiling, source: int) -> Places:
    """Return the bounds for products from ``source`` to the other player."""
    bounds = (
        cut.bounds(source),
        cut.bounds(1 - source),
        cut.tile,
        cut.component[source],
        cut.component[1 - source],
    )
    return Places(*(own.astype(np.uint32) for own in bounds))


class Leaves(NamedTuple):
    """Leaves of the last round: matrix, first slot of both actions, lane, lanes, coefficient."""

    matrix: Numbers
    source: Numbers
    target: Numbers
    lane: Numbers
    lanes: Numbers
    scale: NDArray[np.float64]


def runs(leaves: Leaves, dtype: Any) -> Runs:
    """Gather leaves into runs and chunks."""
    order = np.lexsort((leaves.lane, leaves.target, leaves.source, leaves.matrix))
    chunks: list[tuple[int, int]] = []
    columns: list[int] = []
    rows: list[list[int]] = []
    for number, leaf in enumerate(order.tolist()):
        m, source, target, lane, lanes = (int(field[leaf]) for field in leaves[:5])
        if not chunks or chunks[-1][1] != m or columns[-1] == _COLUMNS:
            chunks.append((len(rows), m))
            columns.append(0)
        last = rows[-1] if columns[-1] else [-1] * 6
        if last[:2] == [source, target] and last[3] + last[4] == lane:
            last[4] += 1
        else:
            rows.append([source, target, lanes, lane, 1, number, columns[-1]])
        columns[-1] += 1
    return Runs(
        np.array([*(first for first, _ in chunks), len(rows)], dtype=np.uint32),
        np.array([m for _, m in chunks], dtype=np.uint32),
        np.array(columns, dtype=np.uint32),
        np.array(rows, dtype=np.uint32).reshape(len(rows), 7),
        np.ascontiguousarray(leaves.scale[order], dtype=dtype),
    )


def packing(half: Half) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return scratch space for :func:`tile_product`: packed rows with running sums, and results."""
    width, height = (
        int(np.diff(own.astype(np.int64)).max()) for own in (half.places.source, half.places.target)
    )
    dtype = half.runs.scale.dtype
    return np.empty(2 * width * _COLUMNS, dtype), np.empty(height * _COLUMNS, dtype)


# Plain unsigned indices throughout: they compile in half the time of slices.


@njit(**_KERNEL)
def add_tiles(half: Any, low: Any, high: Any, one: Any, tail: Any, out: Any, scratch: Any) -> None:
    """Add the payoffs of tiles ``low .. high``; vectors hold the last round of all tiles."""
    tile_source, tile_target, _, _, _ = half.places
    slots1 = np.uint64(len(tail)) // tile_source[len(tile_source) - 1]
    slots2 = np.uint64(len(out)) // tile_target[len(tile_target) - 1]
    for p in range(low, high):
        first, onto = slots1 * tile_source[p], slots2 * tile_target[p]
        tile_product(half, p, one, tail, first, out, onto, scratch)


@njit(**INNER)
def tile_product(
    half: Any, p: Any, sign: Any, source: Any, first: Any, target: Any, onto: Any, scratch: Any
) -> None:
    """Add ``sign`` times the payoffs of tile ``p`` to ``target``.

    The tile begins at ``source[first]`` and ``target[onto]``.
    """
    tile_source, tile_target, tile_component, lefts, tops = half.places
    chunk, matrix, columns, run, scale = half.runs
    form, start, dense, pointer, index, value, order, weight = half.matrices
    packed, total = scratch
    for c in range(tile_component[p], tile_component[p + 1]):
        left, above = lefts[c], tops[c]
        width, height = lefts[c + _ONE] - left, tops[c + _ONE] - above
        for q in range(len(matrix)):
            m, n = matrix[q], columns[q]
            # Pack: the sources of the leaves, times their coefficients, a row a bucket.
            wide = tile_source[p + 1] - tile_source[p]
            for r in range(chunk[q], chunk[q + 1]):
                lanes, length, column = run[r, 2], run[r, 4], run[r, 5]
                begin = first + run[r, 0] * wide + (left - tile_source[p]) * lanes
                begin += run[r, 3]
                for s in range(width):
                    at, into = begin + s * lanes, s * n + run[r, 6]
                    for e in range(length):
                        packed[into + e] = sign * scale[column + e] * source[at + e]
            if form[m] == DENSE:
                _dense(dense, start, m, c, height, width, n, packed, total)
            else:
                if form[m] == STEPS:
                    _running_sums(order, weight, m, left, width, n, packed)
                _lists(pointer, index, value, m, above, height, n, packed, total)
            # Unpack: add the results to the targets of the leaves.
            wide = tile_target[p + 1] - tile_target[p]
            for r in range(chunk[q], chunk[q + 1]):
                lanes, length = run[r, 2], run[r, 4]
                begin = onto + run[r, 1] * wide + (above - tile_target[p]) * lanes
                begin += run[r, 3]
                for t in range(height):
                    at, out_of = begin + t * lanes, t * n + run[r, 6]
                    for e in range(length):
                        target[at + e] += total[out_of + e]


@njit(**_KERNEL)
def _dense(
    dense: Any, start: Any, m: Any, c: Any, height: Any, width: Any, n: Any, packed: Any, total: Any
) -> None:
    """Multiply by a matrix that is written out; where there is none, this is not compiled."""
    if dense is not None:
        h, w, columns = np.int64(height), np.int64(width), np.int64(n)
        block = dense[m, start[c] : start[c + _ONE]].reshape((h, w))
        rows = packed[: w * columns].reshape((w, columns))
        np.dot(block, rows, total[: h * columns].reshape((h, columns)))


@njit(**INNER)
def _running_sums(
    order: Any, weight: Any, m: Any, first: Any, width: Any, n: Any, packed: Any
) -> None:
    """Write, after the packed rows, their weighted running sums in the order of the matrix."""
    for b in range(width):
        own, into, w = order[m, first + b] * n, (width + b) * n, weight[m, first + b]
        if b == _ZERO:
            for e in range(n):
                packed[into + e] = w * packed[own + e]
        else:
            for e in range(n):
                packed[into + e] = packed[into - n + e] + w * packed[own + e]


@njit(**INNER)
def _lists(
    pointer: Any, index: Any, value: Any, m: Any, first: Any, height: Any, n: Any, packed: Any,
    total: Any,
) -> None:  # fmt: skip
    """Combine rows, as the list of each target says, three at a time."""
    for t in range(height):
        into = t * n
        low, high = pointer[m, first + t], pointer[m, first + t + _ONE]
        if low == high:
            for e in range(n):
                total[into + e] = value.dtype.type(0)
        for k in range(low, high, np.uint64(TOGETHER)):
            i, j, h = index[k] * n, index[k + _ONE] * n, index[k + _TWO] * n
            x, y, z = value[k], value[k + _ONE], value[k + _TWO]
            if k == low:
                for e in range(n):
                    total[into + e] = x * packed[i + e] + y * packed[j + e] + z * packed[h + e]
            else:
                for e in range(n):
                    total[into + e] += x * packed[i + e] + y * packed[j + e] + z * packed[h + e]
