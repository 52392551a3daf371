"""Products with the payoffs of the last round, tile by tile.

A leaf of a bundle pays, for places i and j of a component and every lane, ``scale[lane] * M[i, j]``: one
matrix M over pairs of buckets serves all leaves of a kind, in the form it is stored in (:mod:`.forms`).
With lists, a row of the plan, or of its running sums, is the lanes of one bucket, and rows are combined
into the gradient (:mod:`equipoise.numerics.rows`). For a matrix written out, the plans of many leaves and
lanes are *packed* side by side, a row a bucket, and multiplied by it at once.

A tile's plan lies in a buffer that stays in the cache, and its running sums behind it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.numerics.kernels import KERNEL, PART
from equipoise.numerics.rows import LINE, add_rows, aligned, line, prefetch, running_row
from equipoise.sequence.payoffs.forms import DENSE, STEPS, TOGETHER, Matrices
from equipoise.sequence.payoffs.tiling import Tiling

Indices = NDArray[np.uint32]
Numbers = NDArray[np.int64]

_COLUMNS = 256  # packed side by side
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_NONE, _TOGETHER = np.uint32(0), np.uint64(TOGETHER)


class Places(NamedTuple):
    """Bounds of the tiles (in places of source and target, in components) and of the components."""

    tile_source: Indices
    tile_target: Indices
    tile_component: Indices
    source: Indices
    target: Indices


class Runs(NamedTuple):
    """Leaves as runs of lanes, in chunks that share a matrix.

    Row ``r`` of ``run`` is (source, target, lanes, lane, length, coefficient, column): ``length`` lanes
    from ``lane`` on, of a bundle of ``lanes``, between the actions whose slots begin at ``source`` and
    ``target``, with ``scale[coefficient:]``, packed from ``column`` on. Chunk ``q`` has runs
    ``chunk[q] .. chunk[q + _ONE]``, ``columns[q]`` columns and matrix ``matrix[q]``.
    """

    chunk: Indices
    matrix: Indices
    columns: Indices
    run: Indices
    scale: NDArray[Any]


class Half(NamedTuple):
    """The payoffs of the last round in one direction, from source plans to target gradients.

    In the buffer of a tile's plan there are, from ``room`` on, a row of zeros and the running sums of a
    component, a row every ``stride`` numbers. Rows and coefficients of a run begin with a cache line.
    """

    places: Places
    runs: Runs
    matrices: Matrices
    room: np.uint32
    stride: np.uint32


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
    matrix, source, target, lane, lanes = (field[order] for field in leaves[:5])
    same = [own[1:] == own[:-1] for own in (matrix, source, target, lane - np.arange(len(lane)))]
    first = np.flatnonzero(np.append(True, ~np.logical_and.reduce(same)))
    length = np.diff(np.append(first, len(order)))
    chunk, columns, column = _chunks(matrix[first], length)
    coefficient = np.cumsum(line(length, dtype)) - line(length, dtype)
    scale = aligned(int(line(length, dtype).sum()), dtype)
    scale[np.repeat(coefficient - first, length) + np.arange(len(order))] = leaves.scale[order]
    own = [field[first] for field in (source, target, lanes, lane)]
    return Runs(
        chunk=np.append(chunk, len(first)).astype(np.uint32),
        matrix=matrix[first[chunk]].astype(np.uint32),
        columns=columns.astype(np.uint32),
        run=np.stack([*own, length, coefficient, column], axis=1).astype(np.uint32),
        scale=scale,
    )


def _chunks(matrix: Numbers, length: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Put runs of one matrix together until they are wide: first runs, columns, columns of runs."""
    chunk: list[int] = []
    columns: list[int] = []
    column: list[int] = []
    for r, (m, wide) in enumerate(zip(matrix.tolist(), length.tolist(), strict=True)):
        if not chunk or matrix[chunk[-1]] != m or columns[-1] + wide > _COLUMNS:
            chunk.append(r)
            columns.append(0)
        column.append(columns[-1])
        columns[-1] += wide
    found = (np.array(own, dtype=np.int64) for own in (chunk, columns, column))
    return next(found), next(found), next(found)


def half(places: Places, runs: Runs, matrices: Matrices, slots: int) -> Half:
    """Put the parts together; a place of the source has ``slots`` sequences."""
    dtype = runs.scale.dtype
    room = line(slots * int(np.diff(places.tile_source.astype(np.int64)).max()), dtype)
    stride = line(int(runs.run[:, 4].max(initial=1)), dtype)
    return Half(places, runs, matrices, np.uint32(room), np.uint32(stride))


class Workspace(NamedTuple):
    """What a product needs: a buffer for a tile's plan with its running sums, and packed rows.

    ``packed`` and ``total`` are None where no matrix is written out; what needs them is not compiled then.
    """

    rows: NDArray[Any]
    packed: NDArray[Any] | None
    total: NDArray[Any] | None


def workspace(half: Half) -> Workspace:
    """Return the space of one thread for :func:`tile_product`."""
    width, height = (
        int(np.diff(own.astype(np.int64)).max()) for own in (half.places.source, half.places.target)
    )
    dtype = half.runs.scale.dtype
    rows = aligned(int(half.room) + int(half.stride) * (width + 1), dtype)
    if half.matrices.dense is None:
        return Workspace(rows, None, None)
    columns = int(half.runs.columns.max())
    return Workspace(rows, np.empty(width * columns, dtype), np.empty(height * columns, dtype))


# Plain unsigned indices throughout: they compile in half the time of slices.


@njit(**KERNEL)
def add_tiles(
    half: Any, low: Any, high: Any, one: Any, tail: Any, out: Any, rows: Any, packed: Any,
    total: Any,
) -> None:  # fmt: skip
    """Add the payoffs of tiles ``low .. high``; vectors hold the last round of all tiles."""
    tile_source, tile_target, _, _, _ = half.places
    slots1 = np.uint64(len(tail)) // tile_source[np.uint64(len(tile_source)) - _ONE]
    slots2 = np.uint64(len(out)) // tile_target[np.uint64(len(tile_target)) - _ONE]
    for p in range(low, high):
        first, onto = slots1 * tile_source[p], slots2 * tile_target[p]
        for e in range(slots1 * tile_source[p + _ONE] - first):
            rows[e] = tail[first + e]
        tile_product(half, p, one, out, onto, rows, packed, total, None)


class Ahead(NamedTuple):
    """Arrays that will be wanted after a product, and from where on."""

    arrays: tuple[NDArray[Any], ...]
    first: tuple[np.uint64, ...]


@njit(**PART)
def tile_product(
    half: Any,
    p: Any,
    sign: Any,
    target: Any,
    onto: Any,
    rows: Any,
    packed: Any,
    total: Any,
    ahead: Any,
) -> None:
    """Add ``sign`` times the payoffs of tile ``p``, whose plan is in ``rows``, to ``target[onto:]``.

    Meanwhile memory has nothing to do, so what is wanted next (``ahead``, or None) is fetched, a cache line
    a row: a tile has about as many lines in an array as rows are computed.
    """
    tile_source, tile_target, tile_component, lefts, tops = half.places
    chunk, matrix, _, run, scale = half.runs
    form, _, _, pointer, index, value, order, weight = half.matrices
    room, stride = half.room, half.stride
    wide, tall = tile_source[p + _ONE] - tile_source[p], tile_target[p + _ONE] - tile_target[p]
    fetched, line = _ZERO, np.uint64(LINE // value.itemsize)
    for c in range(tile_component[p], tile_component[p + _ONE]):
        left, above = lefts[c], tops[c]
        width, height = lefts[c + _ONE] - left, tops[c + _ONE] - above
        for q in range(np.uint64(len(matrix))):
            m = matrix[q]
            if packed is not None and form[m] == DENSE:
                _dense(half, p, c, q, sign, rows, target, onto, packed, total)
                continue
            for r in range(chunk[q], chunk[q + _ONE]):
                lanes, lane, length, column = run[r, 2], run[r, 3], run[r, 4], run[r, 5]
                # The weighted running sums of the plan, in the order of the matrix.
                begin = run[r, 0] * wide + (left - tile_source[p]) * lanes + lane
                for b in range(width if form[m] == STEPS else _NONE):
                    if ahead is not None:
                        prefetch(ahead.arrays, ahead.first, fetched)
                        fetched += line
                    into, own = room + (b + _ONE) * stride, begin + order[m, left + b] * lanes
                    running_row(rows, into, into - stride, weight[m, left + b], own, length)
                # Combinations of rows, as the list of each target says.
                sums = room + stride - width * stride
                at = onto + run[r, 1] * tall + (above - tile_target[p]) * lanes + lane
                for t in range(height):
                    if ahead is not None:
                        prefetch(ahead.arrays, ahead.first, fetched)
                        fetched += line
                    for k in range(pointer[m, above + t], pointer[m, above + t + _ONE], _TOGETHER):
                        i, j, h = index[k], index[k + _ONE], index[k + _TWO]
                        places = (
                            sums + i * stride if i >= width else begin + i * lanes,
                            sums + j * stride if j >= width else begin + j * lanes,
                            sums + h * stride if h >= width else begin + h * lanes,
                        )
                        factors = sign * value[k], sign * value[k + _ONE], sign * value[k + _TWO]
                        add_rows(
                            target, at + t * lanes, scale, column, rows, places, factors, length
                        )


@njit(**{**PART, "_nrt": True})  # which BLAS asks for
def _dense(
    half: Any, p: Any, c: Any, q: Any, sign: Any, rows: Any, target: Any, onto: Any, packed: Any,
    total: Any,
) -> None:  # fmt: skip
    """Multiply by a matrix that is written out: pack a chunk, multiply, add the results."""
    tile_source, tile_target, _, lefts, tops = half.places
    chunk, matrix, columns, run, scale = half.runs
    left, above = lefts[c], tops[c]
    width, height = lefts[c + _ONE] - left, tops[c + _ONE] - above
    n, wide = columns[q], tile_source[p + _ONE] - tile_source[p]
    for r in range(chunk[q], chunk[q + _ONE]):
        begin = run[r, 0] * wide + (left - tile_source[p]) * run[r, 2] + run[r, 3]
        for s in range(width):
            at, into = begin + s * run[r, 2], s * n + run[r, 6]
            for e in range(run[r, 4]):
                packed[into + e] = sign * scale[run[r, 5] + e] * rows[at + e]
    h, w, count = np.int64(height), np.int64(width), np.int64(n)
    first = half.matrices.start
    block = half.matrices.dense[matrix[q], first[c] : first[c + _ONE]].reshape((h, w))
    side = packed[: w * count].reshape((w, count))
    np.dot(block, side, total[: h * count].reshape((h, count)))
    tall = tile_target[p + _ONE] - tile_target[p]
    for r in range(chunk[q], chunk[q + _ONE]):
        begin = onto + run[r, 1] * tall + (above - tile_target[p]) * run[r, 2] + run[r, 3]
        for t in range(height):
            at, out_of = begin + t * run[r, 2], t * n + run[r, 6]
            for e in range(run[r, 4]):
                target[at + e] += total[out_of + e]
