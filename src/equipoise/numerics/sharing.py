"""Sharing a number of children among parents: a 0-1 program, solved exactly by dynamic programming.

Parent i with k children has the error ``c[i][k - 1]``. How many children each gets, with at most K in all,
so that the sum of errors is least, is the 0-1 program of Gilpin and Sandholm (2007) and Gilpin (2009,
section 6.4),

    min  sum_{i,k} c[i][k] x[i,k]    s.t.  sum_{i,k} k x[i,k] <= K,  sum_k x[i,k] = 1,  x binary,

a knapsack with one choice for each parent. As K is small, no solver is needed: with F_i(n) the least error
of the first i parents with n children,

    F_i(n) = min_k F_{i-1}(n - k) + c[i][k],

in O(K sum_i k_i) steps, for errors of any shape, and with the same answer on every machine: of several
best answers, the one with the fewest children. (Errors weighted by the parents' probabilities are the
caller's affair. The thesis lets k go up to K2 - K1; one more is feasible, and allowed here.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError


def share(errors: Sequence[NDArray[np.float64]], total: int) -> NDArray[np.int64]:
    """Return the number of children of each parent, ``total`` at most in all.

    ``errors[i][k - 1]`` is the error of parent i with k children; it may have as many as there are entries.
    """
    most = np.array([len(own) for own in errors], dtype=np.int64)
    if len(most) == 0 or most.min() < 1 or total < len(most):
        raise EquipoiseError(
            f"Sharing: found {total} children for {len(most)} parents, expected at least one parent "
            "and a child for each."
        )
    if total >= most.sum():
        return most
    spare = total - len(most)  # children beyond the first of each parent
    best = np.zeros(spare + 1)
    taken = []
    for own in errors:
        options = min(len(own), spare + 1)
        found = np.full(spare + 1, np.inf)
        choice = np.zeros(spare + 1, dtype=np.int32)
        for k in range(options):
            reached = best[: spare + 1 - k] + own[k]
            better = reached < found[k:]
            found[k:][better] = reached[better]
            choice[k:][better] = k
        best = found
        taken.append(choice)
    left = int(best.argmin())
    shares = np.ones(len(most), dtype=np.int64)
    for i in range(len(most) - 1, -1, -1):
        more = int(taken[i][left])
        shares[i] += more
        left -= more
    return shares
