"""Norms of a payoff operator, from its products alone where that is possible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equipoise.sequence.payoffs.base import Payoff

Floats = NDArray[np.float64]

_STEPS = 200
_TOLERANCE = 1e-8
_MARGIN = 1.0 + 1e-3


def spectral_norm(A: Payoff, weights: tuple[Floats, Floats] | None = None) -> float:
    """Return the largest singular value of ``A`` (the l2 operator norm), at most 0.1 % above it.

    With ``weights`` (v, w) on rows and columns it is that of diag(v)^-1/2 A diag(w)^-1/2: the norm of
    A between l2 norms with these weights.

    Golub-Kahan-Lanczos bidiagonalisation from a fixed random vector: its estimates grow towards the
    norm from below, so the last one is enlarged by a small margin.
    """
    rows, columns = (1.0, 1.0) if weights is None else (weights[0] ** -0.5, weights[1] ** -0.5)
    v = np.random.default_rng(0).standard_normal(A.shape[1])
    v /= np.linalg.norm(v)
    u = np.zeros(A.shape[0])
    alphas: list[float] = []
    betas: list[float] = []
    norm = beta = 0.0
    for _ in range(_STEPS):
        u = rows * A.times(columns * v) - beta * u
        alpha = float(np.linalg.norm(u))
        alphas.append(alpha)
        bidiagonal = np.diag(alphas) + np.diag(betas, 1)
        before, norm = norm, float(np.linalg.norm(bidiagonal, 2))
        if alpha <= _TOLERANCE * norm or norm - before <= _TOLERANCE * norm:
            break
        u /= alpha
        v = columns * A.transpose_times(rows * u) - alpha * v
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
    if A.stored is None:
        return np.inf
    return float(np.abs(A.stored.by_row.value).max(initial=0.0))


def absolute_sums(A: Payoff) -> tuple[Floats, Floats]:
    """Return the sums of the absolute entries of the rows and of the columns of ``A``.

    As weights they make the norm of A at most one (Pock and Chambolle 2011, Lemma 2). An operator
    that does not hold its entries cannot tell: then all are one.
    """
    if A.stored is None:
        return np.ones(A.shape[0]), np.ones(A.shape[1])
    size = abs(A.matrix())
    return np.asarray(size.sum(axis=1)).ravel(), np.asarray(size.sum(axis=0)).ravel()
