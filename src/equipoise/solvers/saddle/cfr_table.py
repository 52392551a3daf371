"""The CFR family: a member is a row, its parameters and when to choose it.

:mod:`equipoise.solvers.saddle.cfr` says what the parameters do. Here are numbers and words alone, so
that listing the methods imports nothing.

Sources: CFR, Zinkevich et al. 2007; CFR+, Tammelin 2014; linear and DCFR, Brown and Sandholm 2019;
PCFR+, Farina, Kroer and Sandholm 2021 (quadratic average); PDCFR+, Xu et al. 2024; HS-DCFR,
Zhang et al. 2024 (hyperparameter schedules).
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

Exponent = float | tuple[float, float]


class Member(NamedTuple):
    """A row: exponents of the discounts and of the average, optimism, and why to choose it."""

    alpha: Exponent
    beta: Exponent
    gamma: Exponent
    optimism: float
    why: str


MEMBERS: dict[str, Member] = {
    "cfr": Member(inf, inf, 0.0, 0.0, "plain regret minimisation: the baseline, slow"),
    "cfr+": Member(inf, -inf, 1.0, 0.0, "regrets kept positive, linear average: simple, robust"),
    "linear": Member(
        1.0, 1.0, 1.0, 0.0, "early iterations count less: where starts go badly wrong"
    ),
    "dcfr": Member(1.5, 0.0, 2.0, 0.0, "discounted (1.5, 0, 2): the choice for poker at scale"),
    "pcfr+": Member(inf, -inf, 2.0, 1.0, "predictive: fastest to gaps below 1e-6 on small games"),
    "pdcfr+": Member(2.3, -inf, 5.0, 1.0, "predictive and discounted: a rival of pcfr+"),
    "hs-dcfr": Member(
        (1.0, 3.0),
        (-1.0, -2.0),
        (30.0, -5.0),
        0.0,
        "scheduled discounts: best when --iterations is known in advance",
    ),
}
"""Every member by its name."""
