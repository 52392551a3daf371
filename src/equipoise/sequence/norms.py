"""Norms of a payoff operator, from its products alone where that is possible."""

from __future__ import annotations

import numpy as np

from equipoise.sequence.payoff import Payoff, Sparse

_STEPS = 200
_TOLERANCE = 1e-8
_MARGIN = 1.0 + 1e-3


def spectral_norm(A: Payoff) -> float:
    """Return the largest singular value of ``A`` (the l2 operator norm), at most 0.1 % above it.

    Golub-Kahan-Lanczos bidiagonalisation from a fixed random vector: its estimates grow towards the
    norm from below, so the last one is enlarged by a small margin.
    """
    v = np.random.default_rng(0).standard_normal(A.shape[1])
    v /= np.linalg.norm(v)
    u = np.zeros(A.shape[0])
    alphas: list[float] = []
    betas: list[float] = []
    norm = beta = 0.0
    for _ in range(_STEPS):
        u = A.times(v) - beta * u
        alpha = float(np.linalg.norm(u))
        alphas.append(alpha)
        bidiagonal = np.diag(alphas) + np.diag(betas, 1)
        before, norm = norm, float(np.linalg.norm(bidiagonal, 2))
        if alpha <= _TOLERANCE * norm or norm - before <= _TOLERANCE * norm:
            break
        u /= alpha
        v = A.transpose_times(u) - alpha * v
        beta = float(np.linalg.norm(v))
        if beta <= _TOLERANCE * norm:
            break
        v /= beta
        betas.append(beta)
    return _MARGIN * norm


def largest_entry(A: Payoff) -> float:
    """Return the largest absolute entry of ``A`` (its norm from l1 to l-infinity), or infinity.

    Only an operator that holds its entries can tell.
    """
    if isinstance(A, Sparse):
        return float(np.abs(A.by_row.value).max(initial=0.0))
    return np.inf
