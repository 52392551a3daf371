"""Few points that stand for many: cells of space, halved where they are widest.

What is slow with many points is done with the means of cells instead. All points start as one cell. The cell
whose points are furthest from their mean, by the weighted sum of squares, is halved again and again: at its
mean, along the coordinate that varies most (Wan, Wong and Prusinkiewicz 1988 halve colours so). Nothing is
drawn at random.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def cells(points: Floats, weights: Floats, most: int) -> NDArray[np.int64]:
    """Return the cell of each point, of at most ``most`` that are numbered from 0.

    Points are distinct rows, and weights above zero.
    """
    cell = np.zeros(len(points), dtype=np.int64)
    waiting: list[tuple[float, int, int, float, NDArray[np.int64]]] = []
    _push(waiting, 0, points, weights, np.arange(len(points)))
    count = 1
    while waiting and count < most:
        _, number, axis, middle, own = heappop(waiting)
        is_beyond = points[own, axis] > middle
        beyond, within = own[is_beyond], own[~is_beyond]
        if len(beyond) == 0 or len(within) == 0:  # as near to each other as numbers can be
            continue
        cell[beyond] = count
        _push(waiting, number, points, weights, within)
        _push(waiting, count, points, weights, beyond)
        count += 1
    return cell


def _push(
    waiting: list[tuple[float, int, int, float, NDArray[np.int64]]],
    number: int,
    points: Floats,
    weights: Floats,
    own: NDArray[np.int64],
) -> None:
    """Add a cell to those that may be halved, the worst first; no two have the same number."""
    if len(own) < 2:
        return
    here, mass = points[own], weights[own]
    mean = (mass / mass.sum()) @ here
    spread = mass @ (here - mean) ** 2
    axis = int(spread.argmax())
    heappush(waiting, (-float(spread.sum()), number, axis, float(mean[axis]), own))
