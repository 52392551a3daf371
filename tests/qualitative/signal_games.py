"""Games and models that several tests share."""

from __future__ import annotations

import numpy as np

from equipoise.games.bayesian.betting_round import BettingRound, river
from equipoise.games.bayesian.distributions import Cdf, Signals
from equipoise.games.bayesian.game import BayesianGame
from equipoise.games.bayesian.parametric import ParametricModel, parse_models

BET_OR_CHECK = "P1: bet |a| check |b| bet\nP2: call |c| fold\norder: a <= c <= b"

KUHN = """
P1: bet |a| check-fold |b| check-call |c| bet
P2: fold/bet |d| fold/check |e| call/check |f| call/bet
"""

RIVER_2 = "P2: raise/bet |e| call/bet |f| call/check |g| raise/check |h| fold/check |i| fold/bet\n"
RIVER_1 = "P1: bet-call |a| bet-fold |b| check-call |c| check-fold |d| bet-fold\n"

# The three models of Ganzfried and Sandholm (2010), appendix C: bluffs of player 2 start below
# those of player 1, above them, and player 1 never bets.
RIVER = (
    RIVER_1 + RIVER_2 + "order: e <= a, b <= f <= c, i <= d",
    RIVER_1 + RIVER_2 + "order: e <= a, b <= f <= c, d <= i",
    "P1: check-call |c| check-fold\n" + RIVER_2 + "order: f <= c",
)

# Figure 6 and 7: one threshold for every history.
RAISE_OR_FOLD = """
P1: raise |a| fold
P2 after raise: call |b| fold
P2 after fold: raise |c| fold
P3 after raise call: call |d| fold
P3 after raise fold: call |e| fold
P3 after fold raise: call |f| fold
order: d <= b <= e <= a <= f <= c
"""


def models(betting: BettingRound, *texts: str) -> list[ParametricModel]:
    return [
        m
        for k, text in enumerate(texts, start=1)
        for m in parse_models(text, betting, f"model {k}")
    ]


def random_cdf(rng: np.random.Generator) -> Cdf:
    """Two to ten pieces, uniform breakpoints, masses uniform on the simplex."""
    pieces = int(rng.integers(2, 11))
    x = np.concatenate([[0.0], np.sort(rng.random(pieces - 1)), [1.0]])
    F = np.concatenate([[0.0], np.cumsum(rng.dirichlet(np.ones(pieces)))[:-1], [1.0]])
    return Cdf(x, F)


def random_rivers(count: int, seed: int = 2010) -> list[tuple[float, BayesianGame]]:
    """Pots between 1 and 8 bets, and independent random distribution functions."""
    rng = np.random.default_rng(seed)
    games = []
    for _ in range(count):
        pot = float(rng.uniform(1.0, 8.0))
        signals = Signals.continuous(random_cdf(rng), random_cdf(rng))
        games.append((pot, BayesianGame(river(pot), signals)))
    return games
