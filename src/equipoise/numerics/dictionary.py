"""The primal simplex method on a dense dictionary (Chvatal 1983), for programs of a few dozen rows.

A dictionary writes every basic variable, and the objective, as a constant and a combination of the
nonbasic variables; at the vertex where these are zero it is feasible if the constants of the basic ones are
not negative. A pivot exchanges one of each. A call to a general solver costs a fraction of a millisecond
before anything is solved; here a small program costs microseconds.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_PRICE = 1e-12
"""A reduced cost below this does not enter the basis."""
_PIVOT = 1e-9
"""A pivot element below this is never used."""
_SLACK = 1e-13
"""Infeasibility that the ratio test may trade for a larger pivot (Harris)."""
_PATIENCE = 40
"""Degenerate pivots in a row before Bland's rule takes over."""


@njit(cache=True)
def maximise(D: Floats, basic: Integers, nonbasic: Integers) -> None:
    """Pivot until no reduced cost is positive, or rounding leaves no pivot.

    Row 0 of ``D`` is the objective, column 0 the constants; row ``i + 1`` belongs to the variable
    ``basic[i]``, column ``k + 1`` to ``nonbasic[k]``. The dictionary must be feasible, and the program bounded.
    """
    rows, columns = len(basic), len(nonbasic)
    stalled = 0
    for _ in range(20 * (rows + columns)):
        bland = stalled >= _PATIENCE
        enter = _entering(D, nonbasic, bland)
        leave = _leaving(D, basic, enter, bland)
        if leave == 0:
            break
        stalled = stalled + 1 if D[leave, 0] <= _SLACK else 0
        _pivot(D, leave, enter)
        basic[leave - 1], nonbasic[enter - 1] = nonbasic[enter - 1], basic[leave - 1]


@njit(cache=True)
def _entering(D: Floats, nonbasic: Integers, bland: bool) -> int:
    """Column of the largest reduced cost, or of the lowest variable under Bland's rule; 0: none."""
    enter, best = 0, _PRICE
    for k in range(1, D.shape[1]):
        if D[0, k] > best:
            if not bland:
                enter, best = k, D[0, k]
            elif enter == 0 or nonbasic[k - 1] < nonbasic[enter - 1]:
                enter = k
    return enter


@njit(cache=True)
def _leaving(D: Floats, basic: Integers, enter: int, bland: bool) -> int:
    """Row that limits the entering variable, of near ties the largest pivot (Harris); 0: none."""
    if enter == 0:
        return 0
    step = np.inf
    slack = 0.0 if bland else _SLACK
    for i in range(1, D.shape[0]):
        if D[i, enter] < -_PIVOT:
            step = min(step, (max(D[i, 0], 0.0) + slack) / -D[i, enter])
    leave = 0
    for i in range(1, D.shape[0]):
        if D[i, enter] < -_PIVOT and max(D[i, 0], 0.0) / -D[i, enter] <= step:
            if leave == 0:
                leave = i
            elif bland:
                leave = i if basic[i - 1] < basic[leave - 1] else leave
            elif D[i, enter] < D[leave, enter]:
                leave = i
    return leave


@njit(cache=True)
def _pivot(D: Floats, leave: int, enter: int) -> None:
    """Exchange the basic variable of row ``leave`` with the nonbasic one of column ``enter``."""
    size = D.shape[1]
    inverse = -1.0 / D[leave, enter]
    D[leave, enter] = -1.0
    for k in range(size):
        D[leave, k] *= inverse
    for i in range(D.shape[0]):
        factor = D[i, enter]
        if i != leave and factor != 0.0:
            D[i, enter] = 0.0
            for k in range(size):
                D[i, k] += factor * D[leave, k]
