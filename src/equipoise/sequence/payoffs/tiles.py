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
# Called by kernels alone: without the ways in from Python they compile in less time.
_INNER = {**_KERNEL, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class Places(NamedTuple):
    """Bounds of the tiles (in places of source and target, in components) and of the components."""

    tile_source: Indices
    tile_target: Indices
    tile_component: Indices
    source: Indices
    target: Indices


class Runs(NamedTuple):
    """Leaves as runs of lanes, in chunks that are packed together and share a matrix.

    Run ``r`` is ``length[r]`` lanes from ``lane[r]`` on, of a bundle of ``lanes[r]``, between the
    actions whose slots begin at ``source[r]`` and ``target[r]``; its coefficients are
    ``scale[column[r]:]``. Chunk ``q`` has runs ``chunk[q] .. chunk[q + 1]`` and matrix ``matrix[q]``.
    """

    chunk: Indices
    matrix: Indices
    source: Indices
    target: Indices
    lanes: Indices
    lane: Indices
    length: Indices
    column: Indices
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
    rows: list[list[int]] = []
    filled = 0
    for column, leaf in enumerate(order.tolist()):
        m, source, target, lane, lanes = (int(field[leaf]) for field in leaves[:5])
        if not chunks or chunks[-1][1] != m or filled == _COLUMNS:
            chunks.append((len(rows), m))
            filled = 0
        last = rows[-1] if filled else [-1] * 6
        if last[:2] == [source, target] and last[3] + last[4] == lane:
            last[4] += 1
        else:
            rows.append([source, target, lanes, lane, 1, column])
        filled += 1
    fields = [np.array(own, dtype=np.uint32) for own in zip(*rows, strict=True)]
    return Runs(
        np.array([*(first for first, _ in chunks), len(rows)], dtype=np.uint32),
        np.array([m for _, m in chunks], dtype=np.uint32),
        fields[0],
        fields[1],
        fields[2],
        fields[3],
        fields[4],
        fields[5],
        np.ascontiguousarray(leaves.scale[order], dtype=dtype),
    )


def packing(half: Half) -> NDArray[Any]:
    """Return scratch space for :func:`tile_product`: packed rows and running sums, and results."""
    bounds = (half.places.source, half.places.target)
    widest = max(int(np.diff(own.astype(np.int64)).max()) for own in bounds)
    return np.empty((3, widest * _COLUMNS), half.runs.scale.dtype).reshape(-1)


@njit(**_KERNEL)
def add_tiles(half: Any, low: Any, high: Any, one: Any, tail: Any, out: Any, scratch: Any) -> None:
    """Add the payoffs of tiles ``low .. high``; vectors hold the last round of all tiles."""
    places = half.places
    slots1 = np.uint32(len(tail) // places.tile_source[-1])
    slots2 = np.uint32(len(out) // places.tile_target[-1])
    for p in range(low, high):
        source = tail[slots1 * places.tile_source[p] : slots1 * places.tile_source[p + 1]]
        target = out[slots2 * places.tile_target[p] : slots2 * places.tile_target[p + 1]]
        tile_product(half, p, one, source, target, scratch)


@njit(**_INNER)
def tile_product(half: Any, p: Any, sign: Any, source: Any, target: Any, scratch: Any) -> None:
    """Add ``sign`` times the payoffs of tile ``p`` to ``target``; both vectors hold the tile alone."""
    places, runs, matrices = half.places, half.runs, half.matrices
    for c in range(places.tile_component[p], places.tile_component[p + 1]):
        width = np.int64(places.source[c + 1] - places.source[c])
        height = np.int64(places.target[c + 1] - places.target[c])
        for q in range(len(runs.matrix)):
            m = runs.matrix[q]
            last = runs.chunk[q + 1] - 1
            n = np.int64(runs.column[last] + runs.length[last] - runs.column[runs.chunk[q]])
            packed, total = scratch[: 2 * width * n], scratch[2 * width * n :][: height * n]
            _pack(runs, q, places.tile_source, places.source, p, c, n, sign, source, packed)
            if matrices.form[m] == DENSE:
                block = matrices.dense[m, matrices.start[c] : matrices.start[c + 1]]
                np.dot(
                    block.reshape((height, width)),
                    packed[: width * n].reshape((width, n)),
                    total.reshape((height, n)),
                )
            else:
                if matrices.form[m] == STEPS:
                    _running_sums(matrices, m, places.source[c], width, n, packed)
                _lists(matrices, m, places.target[c], height, n, packed, total)
            _unpack(runs, q, places.tile_target, places.target, p, c, n, total, target)


@njit(**_INNER)
def _pack(
    runs: Any, q: Any, tile: Any, component: Any, p: Any, c: Any, n: Any, sign: Any,
    source: Any, packed: Any,
) -> None:  # fmt: skip
    """Copy the sources of a chunk's leaves, times their coefficients: a row a bucket."""
    wide, left = tile[p + 1] - tile[p], component[c] - tile[p]
    rows = component[c + 1] - component[c]
    for r in range(runs.chunk[q], runs.chunk[q + 1]):
        column = runs.column[r]
        scale = runs.scale[column : column + runs.length[r]]
        lanes, into = runs.lanes[r], np.uint32(column - runs.column[runs.chunk[q]])
        at = np.uint32(runs.source[r] * wide + left * lanes + runs.lane[r])
        for _ in range(rows):
            row, own = packed[into : into + runs.length[r]], source[at : at + runs.length[r]]
            for e in range(len(scale)):
                row[e] = sign * scale[e] * own[e]
            into, at = np.uint32(into + n), np.uint32(at + lanes)


@njit(**_INNER)
def _unpack(
    runs: Any, q: Any, tile: Any, component: Any, p: Any, c: Any, n: Any, total: Any, target: Any
) -> None:
    """Add a chunk's results to the target."""
    wide, left = tile[p + 1] - tile[p], component[c] - tile[p]
    rows = component[c + 1] - component[c]
    for r in range(runs.chunk[q], runs.chunk[q + 1]):
        lanes, from_ = runs.lanes[r], np.uint32(runs.column[r] - runs.column[runs.chunk[q]])
        at = np.uint32(runs.target[r] * wide + left * lanes + runs.lane[r])
        for _ in range(rows):
            row, own = total[from_ : from_ + runs.length[r]], target[at : at + runs.length[r]]
            for e in range(len(row)):
                own[e] += row[e]
            from_, at = np.uint32(from_ + n), np.uint32(at + lanes)


@njit(**_INNER)
def _running_sums(matrices: Any, m: Any, first: Any, width: Any, n: Any, packed: Any) -> None:
    """Write, after the packed rows, their weighted running sums in the order of the matrix."""
    for b in range(width):
        s = np.int64(matrices.order[m, first + b])
        weight, own = matrices.weight[m, first + b], packed[s * n : (s + 1) * n]
        into = packed[(width + b) * n : (width + b + 1) * n]
        if b == 0:
            for e in range(n):
                into[e] = weight * own[e]
        else:
            before = packed[(width + b - 1) * n : (width + b) * n]
            for e in range(n):
                into[e] = before[e] + weight * own[e]


@njit(**_INNER)
def _lists(matrices: Any, m: Any, first: Any, height: Any, n: Any, packed: Any, total: Any) -> None:
    """Combine rows, as the list of each target says, three at a time."""
    index, value = matrices.row, matrices.value
    for t in range(height):
        row = total[t * n : (t + 1) * n]
        low, high = matrices.pointer[m, first + t], matrices.pointer[m, first + t + 1]
        if low == high:
            row[:] = 0
        for k in range(low, high, TOGETHER):
            i, j, h = np.int64(index[k]), np.int64(index[k + 1]), np.int64(index[k + 2])
            a, b, d = value[k], value[k + 1], value[k + 2]
            x, y, z = packed[i * n :][:n], packed[j * n :][:n], packed[h * n :][:n]
            if k == low:
                for e in range(n):
                    row[e] = a * x[e] + b * y[e] + d * z[e]
            else:
                for e in range(n):
                    row[e] += a * x[e] + b * y[e] + d * z[e]
