"""What both strategies of a repeated game guarantee, from the rules and the strategies alone.

The informed player's guarantee is a sum of minima over the columns (Gilpin 2009, section 11.2). The
uninformed one's target z is worth z·p to him if z majorises v, which branch and bound shows: no belief q
exceeds it by more than some delta, and then z + delta majorises v.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.certificates.certificate import Certificate
from equipoise.numerics.separation import separate
from equipoise.strategy.repeated import ApproachStrategy, RepeatedStrategy

CELLS = 1e6
"""Cells of branch and bound; a bound that takes more is left as it is, and holds."""


@dataclass(frozen=True, repr=False)
class RepeatedCertificate(Certificate):
    """Bounds on what the informed player receives in the long run.

    Attributes
    ----------
    lower
        What the informed strategy guarantees.
    upper
        What the uninformed strategy pays at most.
    """

    lower: float = 0.0
    upper: float = 0.0


def certify_repeated(strategy: RepeatedStrategy) -> RepeatedCertificate:
    """Return the bounds that both strategies prove; their middle stands for the value."""
    game = strategy.game
    lower = strategy.informed.guarantee - game.rounding
    upper = _most(strategy.uninformed)
    value = 0.5 * (lower + upper)
    return RepeatedCertificate(
        values=(value, -value),
        best_responses=(upper, -lower),
        gains=(upper - value, value - lower),
        lower=lower,
        upper=upper,
    )


def _most(strategy: ApproachStrategy) -> float:
    """Bound what the uninformed player pays: the height at the prior of his target, once it majorises v.

    A state of prior zero whose coordinate is at least its largest payoff needs no cells: against a y
    that is optimal without the state, it pays no more than that.
    """
    game = strategy.game
    matters = (game.prior > 0) | (strategy.target < game.matrices.max(axis=(1, 2)))
    z = (strategy.target[matters] - game.shift) / game.range
    matrices = np.ascontiguousarray(game.unit_matrices[matters])
    found = separate(matrices, z, 0.0, lambda cells: cells >= CELLS)
    return strategy.guarantee + game.range * max(found.bound, 0.0)
