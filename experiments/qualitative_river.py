"""The river game with random distributions: section 8.2 of Ganzfried and Sandholm (2010).

    python experiments/qualitative_river.py [GAMES]

Pots are uniform between 1 and 8 bets; each distribution function has two to ten pieces with uniform
breakpoints and masses uniform on the simplex. Every game is solved with the three models of appendix C
in one program, with each of them alone, and with no model given. Published: three models needed, 0.49
seconds a hand with a commercial solver, over the distributions of a poker program.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable

import numpy as np

from equipoise.certificates.bayesian import certify_bayesian
from equipoise.games.bayesian.betting_round import river
from equipoise.games.bayesian.distributions import Cdf, Signals
from equipoise.games.bayesian.game import BayesianGame
from equipoise.games.bayesian.parametric import parse_models
from equipoise.solvers.bayesian.propose import discover
from equipoise.solvers.bayesian.qualitative import Answer, qualitative

FIRST = "P1: bet-call |a| bet-fold |b| check-call |c| check-fold |d| bet-fold\n"
SECOND = "P2: raise/bet |e| call/bet |f| call/check |g| raise/check |h| fold/check |i| fold/bet\n"
MODELS = (
    FIRST + SECOND + "order: e <= a, b <= f <= c, i <= d",
    FIRST + SECOND + "order: e <= a, b <= f <= c, d <= i",
    "P1: check-call |c| check-fold\n" + SECOND + "order: f <= c",
)


def random_cdf(rng: np.random.Generator) -> Cdf:
    """Return a random piecewise-linear distribution function."""
    pieces = int(rng.integers(2, 11))
    x = np.concatenate([[0.0], np.sort(rng.random(pieces - 1)), [1.0]])
    F = np.concatenate([[0.0], np.cumsum(rng.dirichlet(np.ones(pieces)))[:-1], [1.0]])
    return Cdf(x, F)


def games(count: int, seed: int = 2010) -> list[tuple[float, BayesianGame]]:
    """Return ``count`` random games with their pots."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        pot = float(rng.uniform(1.0, 8.0))
        signals = Signals.continuous(random_cdf(rng), random_cdf(rng))
        found.append((pot, BayesianGame(river(pot), signals)))
    return found


def with_models(*texts: str) -> Callable[[BayesianGame], Answer]:
    """Return a solver that is given ``texts``."""
    return lambda game: qualitative(
        game,
        [m for k, t in enumerate(texts, 1) for m in parse_models(t, game.round, f"model {k}")],
        time_limit=20.0,
    )


def report(name: str, solver: Callable[[BayesianGame], Answer], count: int) -> None:
    """Solve all games and print one row."""
    chosen: Counter[str] = Counter()
    wall, cpu, gaps = [], [], []
    for pot, game in games(count):
        started = time.perf_counter(), time.process_time()
        answer = solver(game)
        wall.append(time.perf_counter() - started[0])
        cpu.append(time.process_time() - started[1])
        epsilon = certify_bayesian(game, answer.regions.profile(game)).epsilon / pot
        if epsilon <= 1e-6:
            chosen[answer.model.name] += 1
            gaps.append(epsilon)
    solved = sum(chosen.values())
    print(
        f"{name:22s} {solved:4d}/{count} {np.median(wall):7.3f} {np.median(cpu):7.3f} "
        f"{max(cpu):7.2f} {max(gaps, default=np.nan):9.1e}  {dict(chosen)}"
    )


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(
        f"{'':22s} {'solved':>8s} {'wall s':>7s} {'cpu s':>7s} {'most':>7s} {'eps/pot':>9s}  models"
    )
    report("three models together", with_models(*MODELS), count)
    report("no model given", lambda game: discover(game, time_limit=30.0), count)
    for k, text in enumerate(MODELS, 1):
        report(f"model {k} alone", with_models(text), min(count, 40))
