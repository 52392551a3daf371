"""Support enumeration for two-player matrix games: slow and simple."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def equilibria(A: np.ndarray, B: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """All equilibria of a nondegenerate game: for equal-sized supports, solve the indifferences."""
    found = []
    m, n = A.shape
    for size in range(1, min(m, n) + 1):
        for rows in combinations(range(m), size):
            for columns in combinations(range(n), size):
                x = _indifferent(B[np.ix_(rows, columns)].T, rows, m)
                y = _indifferent(A[np.ix_(rows, columns)], columns, n)
                if x is None or y is None:
                    continue
                if (A @ y).max() <= x @ A @ y + 1e-9 and (x @ B).max() <= x @ B @ y + 1e-9:
                    found.append((x, y))
    return found


def _indifferent(payoffs: np.ndarray, support: tuple[int, ...], size: int) -> np.ndarray | None:
    """The mixture on ``support`` that makes all rows of ``payoffs`` worth the same."""
    k = len(support)
    system = np.block([[payoffs, -np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
    try:
        weights = np.linalg.solve(system, np.r_[np.zeros(k), 1.0])[:k]
    except np.linalg.LinAlgError:
        return None
    if weights.min() < 0:
        return None
    mixture = np.zeros(size)
    mixture[list(support)] = weights
    return mixture
