"""Rows as vector instructions, against NumPy: every length up to some vectors, anywhere in an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from equipoise.numerics.rows import LINE, add_rows, aligned, line, prefetch, running_row


@njit
def running(rows: Any, out: Any, before: Any, weight: Any, row: Any, length: Any) -> None:
    running_row(rows, out, before, weight, row, length)


@njit
def combined(
    out: Any, at: Any, scale: Any, first: Any, rows: Any, places: Any, factors: Any, length: Any
) -> None:
    add_rows(out, at, scale, first, rows, places, factors, length)


@njit
def fetched(arrays: Any, first: Any, offset: Any) -> Any:
    prefetch(arrays, first, offset)
    return arrays[0][first[0]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_what_numpy_says(dtype: type) -> None:
    random = np.random.default_rng(3)
    tolerance = {"rtol": 4 * np.finfo(dtype).eps, "atol": 8 * np.finfo(dtype).eps}
    for length in (*range(40), 49, 63, 64, 65, 100):
        rows, scale, out = (random.uniform(-1, 1, 700).astype(dtype) for _ in range(3))
        places = tuple(np.uint64(n) for n in random.integers(0, 600, 3))
        factors = tuple(dtype(f) for f in random.uniform(-1, 1, 3))
        at, first = (np.uint64(n) for n in random.integers(0, 600, 2))
        part = [rows[int(p) : int(p) + length].astype(np.float64) for p in places]
        total = sum(float(f) * own for f, own in zip(factors, part, strict=True))
        wanted = out.copy()
        wanted[int(at) : int(at) + length] += scale[int(first) : int(first) + length] * total
        combined(out, at, scale, first, rows, places, factors, np.uint32(length))
        np.testing.assert_allclose(out, wanted, **tolerance)

        wanted = rows.copy()
        wanted[250 : 250 + length] = rows[3 : 3 + length] + dtype(0.3) * rows[111 : 111 + length]
        running(rows, np.uint64(250), np.uint64(3), dtype(0.3), np.uint64(111), np.uint32(length))
        np.testing.assert_allclose(rows, wanted, **tolerance)


def test_fetching_ahead_changes_nothing_even_beyond_the_end() -> None:
    array = np.arange(10, dtype=np.float32)
    assert fetched((array, array), (np.uint64(4), np.uint64(9)), np.uint64(10**6)) == 4
    assert array.tolist() == list(range(10))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_aligned_zeros_begin_with_a_cache_line(dtype: type) -> None:
    for count in (0, 1, 7, 100):
        found = aligned(count, dtype)
        assert (found.dtype, len(found), found.any()) == (dtype, count, False)
        # An array of nothing is nowhere.
        assert count == 0 or found.ctypes.data % LINE == 0
    size = LINE // np.dtype(dtype).itemsize
    assert line(np.array([0, 1, size, size + 1]), dtype).tolist() == [0, size, size, 2 * size]
