"""The dynamic program behind :func:`equipoise.numerics.clusterings.on_line`, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def fill(sums: Any, errors: Any, start: Any) -> None:
    """Fill ``errors[k]``, and where the last of k + 1 clusters of the points 0..j starts, ``start[k, j]``.

    ``sums`` are running sums of weight, weight times value, and weight times value squared. A row is
    filled by halving: the best start for the middle of a range bounds those on both sides of it.
    """
    most, size = start.shape
    before, now = np.empty(size), np.empty(size)
    for j in range(size):
        now[j] = _cost(sums, 0, j)
        start[0, j] = 0
    errors[0] = now[size - 1]
    # Ranges still to be filled: first and last point, least and largest start.
    stack = np.empty((64, 4), dtype=np.int64)
    for k in range(1, most):
        before, now = now, before
        stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = k, size - 1, k, size - 1
        waiting = 1
        while waiting > 0:
            waiting -= 1
            low, high, least, largest = stack[waiting]
            middle = (low + high) // 2
            best, place = np.inf, least
            for i in range(least, min(middle, largest) + 1):
                found = before[i - 1] + _cost(sums, i, middle)
                if found < best:
                    best, place = found, i
            now[middle], start[k, middle] = best, place
            if low < middle:
                stack[waiting, 0], stack[waiting, 1] = low, middle - 1
                stack[waiting, 2], stack[waiting, 3] = least, place
                waiting += 1
            if middle < high:
                stack[waiting, 0], stack[waiting, 1] = middle + 1, high
                stack[waiting, 2], stack[waiting, 3] = place, largest
                waiting += 1
        errors[k] = now[size - 1]


@njit(cache=True, error_model="numpy")
def _cost(sums: Any, i: Any, j: Any) -> Any:
    """Return the error of points i..j as one cluster: the weighted variance times the weight."""
    weight = sums[0, j + 1] - sums[0, i]
    first = sums[1, j + 1] - sums[1, i]
    second = sums[2, j + 1] - sums[2, i]
    if i == j or weight <= 0.0:
        return 0.0
    return max(second - first * first / weight, 0.0)
