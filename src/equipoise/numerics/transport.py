"""The least cost of turning one distribution into another, and minimum-weight perfect matching.

Given distributions a and b and the cost of moving mass from i to j, the transport problem is

    min  sum_{ij} c[i, j] m[i, j]    s.t.  sum_j m[i, j] = a[i],  sum_i m[i, j] = b[j],  m >= 0.

Where all masses are whole multiples of 1/n, it has a solution in whole multiples, and is a
minimum-weight perfect matching of n units with n units (Birkhoff 1946).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equipoise.numerics.program import Program, optimize

Floats = NDArray[np.float64]

# More units than these are no longer matched one by one.
_MOST_UNITS = 256
_ROUNDING = 1e-9


def common_units(shares: Floats) -> int | None:
    """Return the least n for which all ``shares`` are whole multiples of 1/n, if it is small."""
    distinct = np.unique(np.round(shares, 12))
    units = np.arange(1, _MOST_UNITS + 1)
    whole = distinct * units[:, None]
    fits = (np.abs(whole - np.rint(whole)) <= _ROUNDING * units[:, None]).all(axis=1)
    return int(units[fits.argmax()]) if fits.any() else None


def transport_cost(cost: Floats, a: Floats, b: Floats, units: int | None = None) -> float:
    """Return the least cost of moving ``a`` to ``b``, both of which sum to one.

    With ``units``, all masses are whole multiples of 1/units.
    """
    if units is None:
        return _by_program(cost, a, b)
    from scipy.optimize import linear_sum_assignment

    rows = np.repeat(np.arange(len(a)), np.rint(a * units).astype(np.int64))
    columns = np.repeat(np.arange(len(b)), np.rint(b * units).astype(np.int64))
    whole = cost[np.ix_(rows, columns)]
    return float(whole[linear_sum_assignment(whole)].sum()) / units


def _by_program(cost: Floats, a: Floats, b: Floats) -> float:
    """Solve the linear program; its last equation follows from the others and is left out."""
    from scipy import sparse

    own = sparse.kron(sparse.eye(len(a)), np.ones((1, len(b))))
    other = sparse.kron(np.ones((1, len(a))), sparse.eye(len(b)), format="csr")[:-1]
    right = np.concatenate([a, b[:-1]])
    program = Program(
        c=cost.ravel(), A=sparse.vstack([own, other]), row_lower=right, row_upper=right
    )
    return max(optimize(program).require_optimal("Transport problem").objective, 0.0)


def squared_on_line(levels: Floats, a: Floats, b: Floats) -> Floats:
    """Return the least cost between rows of ``a`` and of ``b``, distributions over numbers ``levels``.

    Moving mass costs the square of the distance. Costs are convex, so the best plan moves masses in
    order (the quantiles of the one to those of the other): no program is needed.
    """
    steps = [np.cumsum(rows, axis=-1) for rows in (a, b)]
    steps[0], steps[1] = np.broadcast_arrays(*steps)
    ends = np.sort(np.concatenate(steps, axis=-1), axis=-1)
    starts = np.concatenate([np.zeros((*ends.shape[:-1], 1)), ends[..., :-1]], axis=-1)
    middle = (starts + ends) / 2
    last = len(levels) - 1
    places = [
        np.minimum((middle[..., :, None] > step[..., None, :]).sum(axis=-1), last) for step in steps
    ]
    away = levels[places[0]] - levels[places[1]]
    return np.asarray(((ends - starts) * away * away).sum(axis=-1))
