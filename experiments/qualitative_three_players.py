"""Three players, uniform signals: Figures 8 and 9 of Ganzfried and Sandholm (2010).

    python experiments/qualitative_three_players.py

Epsilon and time against the number of breakpoints, before and after polishing, with both encodings of the
breakpoints, and with SCIP (which needs none) if it is installed. Ganzfried and Sandholm's figures are
curves; their text gives 0.01 and 0.3 seconds with 5 breakpoints, about 1e-5 and 8.9 seconds with 50.
"""

from __future__ import annotations

import time
from importlib.util import find_spec

from equipoise.certificates.bayesian import certify_bayesian
from equipoise.games.bayesian.betting_round import raise_or_fold
from equipoise.games.bayesian.distributions import Signals
from equipoise.games.bayesian.game import BayesianGame
from equipoise.games.bayesian.parametric import parse_models
from equipoise.numerics.encodings import ENCODINGS
from equipoise.solvers.bayesian.qualitative import Products, qualitative

MODEL = """
P1: raise |a| fold
P2 after raise: call |b| fold
P2 after fold: raise |c| fold
P3 after raise call: call |d| fold
P3 after raise fold: call |e| fold
P3 after fold raise: call |f| fold
order: d <= b <= e <= a <= f <= c
"""
PUBLISHED = {5: "0.01, 0.3 s", 50: "1e-5, 8.9 s"}


def bound(breakpoints: int) -> float:
    """Return the epsilon that Equation 3 guarantees: at most 3 thresholds, payments over 12."""
    thresholds, span, players = 3, 12.0, 3
    return (thresholds + 2) ** (players - 1) * span * (players - 1) / breakpoints**2


def report(game: BayesianGame, products: Products, theirs: str) -> None:
    """Solve once and print one row."""
    started = time.process_time()
    answer = qualitative(game, parse_models(MODEL, game.round), products=products, time_limit=60.0)
    seconds = time.process_time() - started
    raw = certify_bayesian(game, answer.raw.profile(game)).epsilon
    polished = certify_bayesian(game, answer.regions.profile(game)).epsilon
    points = "-" if products.solver == "scip" else str(products.breakpoints)
    guaranteed = "-" if products.solver == "scip" else f"{bound(products.breakpoints):.3g}"
    kind = "scip" if products.solver == "scip" else products.encoding
    print(
        f"{points:>4s} {kind:12s} {answer.status.value:12s} {seconds:7.2f} {answer.binaries:6d} "
        f"{guaranteed:>10s} {raw:10.1e} {polished:10.1e}   {theirs}"
    )


if __name__ == "__main__":
    game = BayesianGame(raise_or_fold(), Signals.uniform(3))
    print(
        "   k encoding     status        cpu s binary  Equation 3        raw   polished   published"
    )
    for encoding in reversed(ENCODINGS):
        for k in (5, 10, 15, 20, 25, 30, 35, 40, 45, 50):
            report(game, Products(k, encoding), PUBLISHED.get(k, ""))
    if find_spec("pyscipopt") is not None:
        report(game, Products(solver="scip"), "")
