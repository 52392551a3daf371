"""Payoff products as compiled loops: sparse matrices, and Kronecker terms of games with signals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from equipoise.numerics.kernels import KERNEL


@njit(**KERNEL)
def multiply(rows: Any, vector: Any, out: Any) -> None:
    """Sparse matrix times vector, row by row."""
    for i in range(np.uint32(len(out))):
        total = 0.0
        for j in range(rows.start[i], rows.start[i + np.uint32(1)]):
            total += rows.value[j] * vector[rows.column[j]]
        out[i] = total


@njit(**KERNEL)
def multiply_term(matrix: Any, row: Any, column: Any, scale: Any, vector: Any, out: Any) -> None:
    """Add one Kronecker term's product: leaf by leaf, row by row."""
    for leaf in range(len(row)):
        source = vector[column[leaf] :]
        for i in range(len(matrix.start) - 1):
            total = scale[0] * 0
            for k in range(matrix.start[i], matrix.start[i + 1]):
                total += matrix.value[k] * source[matrix.column[k]]
            out[np.uint32(row[leaf] + i)] += scale[leaf] * total
