"""Clusters within clusters: the states of one round divided below the clusters of the round before.

This is the step that lossy abstraction repeats, round by round (Gilpin 2009, chapter 6), and all that it
needs of a game is arrays: of each state, its parent, its weight and its features.

1. The states below each parent are clustered into k clusters for every k.
2. The number of clusters that there may be is shared among the parents so that the weighted sum of errors is
   least (:mod:`equipoise.numerics.sharing`).

:func:`nested_clusters` does that for features that are given; :func:`nested` for any way of clustering, for instance
one that works the features out for one parent at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.clusterings import Clusterings, Labels, Metric, in_space, on_line
from equipoise.numerics.sharing import share

Places = NDArray[np.int64]


def nested_clusters(
    parents: ArrayLike,
    weights: ArrayLike,
    features: ArrayLike,
    total: int,
    *,
    metric: Metric = "l2",
    most: int | None = None,
) -> Labels:
    """Return the cluster of each state, at most ``total`` in all and each below one parent.

    Parameters
    ----------
    parents
        The parent of each state, numbered from 0 without holes.
    weights
        The probability of each state, up to a factor.
    features
        A number for each state (win probability, or its square): then the clusterings are the best there
        are. Or a row for each state (a histogram over what may follow), compared by ``metric``.
    total
        How many clusters there may be; fewer are made where fewer states can be told apart.
    most
        How many clusters a parent may have, as many as possible unless told otherwise. Time and memory grow
        with it: with many states, some multiple of the mean will do.

    Returns
    -------
    array
        Clusters are numbered from 0, those below parent 0 first, then those below parent 1, and so on.
    """
    values, mass = np.asarray(features), np.asarray(weights, dtype=np.float64)
    above = np.asarray(parents)
    if values.ndim not in (1, 2) or not len(above) == len(mass) == len(values):
        raise EquipoiseError(
            f"Nested clusters: found {len(above)} parents, {len(mass)} weights and features of shape "
            f"{values.shape}, expected one of each for every state."
        )

    def cluster(own: Places, limit: int) -> Clusterings:
        if values.ndim == 1:
            return on_line(values[own], mass[own], limit)
        return in_space(values[own], mass[own], limit, metric)

    return nested(above, total, cluster, most=most)


def nested(
    parents: NDArray[Any],
    total: int,
    cluster: Callable[[Places, int], Clusterings],
    *,
    most: int | None = None,
) -> Labels:
    """Return clusters as :func:`nested_clusters` does, made by ``cluster(states of a parent, how many)``."""
    if len(parents) == 0 or parents.dtype.kind not in "iu" or parents.min() < 0:
        raise EquipoiseError(
            f"Nested clusters: found {len(parents)} parents of type {parents.dtype}, expected numbers "
            "from 0, one for each state."
        )
    sizes = np.bincount(parents)
    if sizes.min() == 0:
        raise EquipoiseError(
            f"Nested clusters: found no state below parent {int(sizes.argmin())}, expected some below "
            f"each of {len(sizes)}."
        )
    if total < len(sizes):
        raise EquipoiseError(
            f"Nested clusters: found room for {total}, expected at least {len(sizes)}, one for each parent."
        )
    members = np.split(np.argsort(parents, kind="stable"), np.cumsum(sizes)[:-1])
    limit = total - len(sizes) + 1 if most is None else min(most, total - len(sizes) + 1)
    clusterings = [cluster(own, limit) for own in members]
    shares = share([found.errors for found in clusterings], total)
    labels = np.empty(len(parents), dtype=np.uint32)
    first = 0
    for own, found, count in zip(members, clusterings, shares.tolist(), strict=True):
        inside = found.labels(count)
        labels[own] = inside + np.uint32(first)
        first += int(inside.max()) + 1
    return labels
