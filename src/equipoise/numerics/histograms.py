"""What follows states, as histograms over clusters of the next round: the features of potential-aware abstraction.

Two states are alike if the same clusters follow them alike often (Gilpin 2009, section 6.5). All that is needed are
arrays: of each state of the next round, which state it follows, its cluster and its weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def histograms(
    parents: NDArray[Any], clusters: NDArray[Any], weights: ArrayLike, shape: tuple[int, int]
) -> Floats:
    """Return, for each state, the probability that each cluster follows it.

    State j of the next round follows the state ``parents[j]``, is in the cluster ``clusters[j]`` and has the
    weight ``weights[j]``; ``shape`` is the number of states and of clusters. The row of a state that nothing
    follows is zero.
    """
    cell = parents.astype(np.int64) * shape[1] + clusters
    met = np.bincount(cell, weights=np.asarray(weights), minlength=shape[0] * shape[1])
    met = met.reshape(shape)
    total = met.sum(axis=1, keepdims=True)
    return np.asarray(met / np.where(total > 0, total, 1.0))


def for_earth_mover(rows: Floats, centres: Floats) -> Floats:
    """Return points whose L1 distances are the earth mover's between the histograms ``rows``.

    Clusters lie on a line, in ascending order of their ``centres``, and mass moves along it: the distance of
    two distributions on a line is that of their cumulative distributions, each step as long as the way
    between neighbours (Vallender 1974).
    """
    return np.asarray(np.cumsum(rows, axis=1)[:, :-1] * np.diff(centres))
