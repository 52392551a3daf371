"""Generalised Kuhn poker: Figures 1 and 2 of Ganzfried and Sandholm (2010), ours beside theirs.

    python experiments/qualitative_kuhn.py

Figure 1: the value of the game with n cards, and what the equilibrium of the infinite game, projected
onto it, earns against its nemesis. Figure 2: what player 1's half of an equilibrium of an abstraction
of the game with 250 cards earns there against its nemesis. Equilibria of the abstraction are many, so
we print the range of what they earn: the best by linear programming, the worst among random vertices.
"""

from __future__ import annotations

import numpy as np

from equipoise.certificates.bayesian import certify_bayesian
from equipoise.games.bayesian.betting_round import kuhn_round
from equipoise.games.bayesian.distributions import Signals
from equipoise.games.bayesian.game import BayesianGame
from equipoise.games.bayesian.parametric import parse_models
from equipoise.numerics.encodings import Model
from equipoise.numerics.polynomial import total
from equipoise.solvers.bayesian.qualitative import qualitative
from equipoise.solvers.bayesian.signal_lp import guarantee, zero_sum
from equipoise.strategy.regions import Profile, project

MODEL = """
P1: bet |a| check-fold |b| check-call |c| bet
P2: fold/bet |d| fold/check |e| call/check |f| call/bet
"""
FIGURE_1 = {
    50: (-0.0576, -0.0624),
    100: (-0.0566, -0.0612),
    150: (-0.0563, -0.0579),
    200: (-0.0561, -0.0583),
    250: (-0.0560, -0.0560),
}
FIGURE_2 = {2: -0.2305, 5: -0.0667, 10: -0.0593, 25: -0.0569, 50: -0.0562, 125: -0.0560}
CARDS = 250


def deck(n: int) -> BayesianGame:
    """Return the game with ``n`` cards."""
    return BayesianGame(kuhn_round(), Signals.deck(n))


def secured(game: BayesianGame, profile: Profile) -> float:
    """Return what player 1 earns in ``profile`` if player 2 is her nemesis."""
    proof = certify_bayesian(game, profile)
    return -(proof.values[1] + proof.gains[1])


def figure_1() -> None:
    """Print values and projections."""
    infinite = BayesianGame(kuhn_round(), Signals.uniform())
    answer = qualitative(infinite, parse_models(MODEL, infinite.round))
    print("Infinite game:", {name: round(t, 6) for name, t in answer.thresholds.items()})
    print("\n   n   value  (seed)   projection  (seed)")
    for n, (value, projection) in FIGURE_1.items():
        game = deck(n)
        profile = project(answer.regions, infinite.signals, game.signals).profile(game)
        ours = zero_sum(game)[0], secured(game, profile)
        print(f"{n:4d} {ours[0]:8.4f} {value:8.4f} {ours[1]:10.4f} {projection:9.4f}")


def extremes(signals: Signals, tries: int) -> tuple[float, float]:
    """Return the least (of some) and the most that player 1's equilibria over ``signals`` secure."""
    game, full = BayesianGame(kuhn_round(), signals), deck(CARDS)
    size = CARDS // signals.cells
    model = Model()
    mixture = [[model.variable() for _ in game.plans[0]] for _ in range(signals.cells)]
    for row in mixture:
        model.equal(total(row), 1.0)
    model.at_least(guarantee(model, game, 0, mixture), zero_sum(game)[0] - 1e-9)
    rng = np.random.default_rng(0)
    costs = [total(x * float(rng.normal()) for row in mixture for x in row) for _ in range(tries)]
    costs.append(-guarantee(model, full, 0, [row for row in mixture for _ in range(size)]))
    found = []
    other = np.full((CARDS, len(full.plans[1])), 1.0 / len(full.plans[1]))
    for cost in costs:
        x = model.solve(cost).require_optimal("abstraction").x
        own = np.clip([[p.at(x) for p in row] for row in mixture], 0.0, 1.0)
        own /= own.sum(axis=1, keepdims=True)
        found.append(secured(full, Profile(full.signals, (np.repeat(own, size, axis=0), other))))
    return min(found), max(found)


def figure_2() -> None:
    """Print what equilibria of two kinds of abstraction secure."""
    print("\nbuckets   (seed)   a smaller deck        cards of a bucket tie on average")
    for buckets, theirs in FIGURE_2.items():
        tries = 30 if buckets <= 25 else 8
        small = extremes(Signals.deck(buckets), tries)
        exact = extremes(Signals.deck(CARDS, buckets), tries)
        print(
            f"{buckets:7d} {theirs:8.4f}   {small[0]:7.4f} to {small[1]:7.4f}"
            f"    {exact[0]:7.4f} to {exact[1]:7.4f}"
        )


if __name__ == "__main__":
    figure_1()
    figure_2()
