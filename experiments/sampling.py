"""Sampling nature's moves: ours beside theirs (Gilpin 2009, chapter 9, Figures 9.1 to 9.3).

    python experiments/sampling.py [--full] [--method dcfr] [--seed 0]

Static sampling (section 9.3): the game is solved on a sample of nature's deals, drawn once. The gap in
the sampled game keeps falling; the gap in the real one stops, or rises again: the solver overfits. The
smaller the sample, the sooner that happens, and the faster an iteration. So small samples are best at
first, larger ones later (Figure 9.2), and dynamic sampling (section 9.4, Figure 9.3), which starts small
and grows, should follow the best of them.

In Gilpin 2009 a matrix-vector product is nearly all the work, so a sample of 4% makes an iteration some 25
times cheaper. Here the payoffs are factored and laid out in tiles, much of an iteration is reading and writing
vectors, and sampling saves half of it at most. So gaps are also compared by Gilpin's measure of work: one
unit is a product with the whole matrix.

Quick mode takes a small deck; ``--full`` the published abstraction of Rhode Island Hold'em (some 3
minutes on one core). Times are CPU seconds of the iterations alone, measurements not counted.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.games.base import load
from equipoise.games.signals.stage_game import StageGame
from equipoise.sequence.build import SequenceForm, build
from equipoise.solvers.base import Context, measure
from equipoise.solvers.base import MethodRun as Run
from equipoise.solvers.methods import method

QUICK, FULL = "rhode_island(ranks=4,suits=2)", "rhode_island"
PROPORTIONS = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64)
CHECKS = (2, 5, 10, 20, 40, 80, 160, 320, 640)
PUBLISHED = """
Published (figures only): with 0.5% to 64% of the deals, the two gaps part sooner the smaller the sample,
and with the smallest the real gap rises in the end. 4% is best at first, then 16%, then 64%. Dynamic
sampling is ahead of no sampling most of the way."""


class Check(NamedTuple):
    """A point of a curve: CPU seconds, work in products of the whole matrix, and both gaps."""

    seconds: float
    work: float
    sampled: float
    real: float


Curve = list[Check]


def gap(form: SequenceForm, plans: tuple[np.ndarray, np.ndarray]) -> float:
    """Return the gap of a pair of plans."""
    lower, upper = measure(form, *plans)
    return upper - lower


def follow(form: SequenceForm, run: Run, part: SequenceForm | None) -> Curve:
    """Advance ``run`` and return what it has reached at every check.

    It sees ``part`` of the payoffs; without one it is a dynamic sample, which says itself how much.
    """
    seconds = work = 0.0
    gradients, curve = 0, []
    for check in CHECKS:
        start = time.process_time()
        run.advance(check - run.iterations)
        seconds += time.process_time() - start
        share = run.proportion if part is None else part.A.nonzeros / form.A.nonzeros
        work += share * (run.gradients - gradients) / 2
        gradients, point = run.gradients, run.point()
        sampled = np.nan if part is None else gap(part, point)
        curve.append(Check(seconds, work, sampled, gap(form, point)))
    return curve


def show(title: str, curve: Curve) -> None:
    """Print a curve."""
    for name, numbers in zip(Check._fields, zip(*curve, strict=True), strict=True):
        if not np.isnan(numbers).any():
            print(f"{title:>8} {name:>8} {' '.join(f'{number:9.4g}' for number in numbers)}")
            title = ""


def leaders(curves: Mapping[str, Curve], measured: str) -> None:
    """Print who has the smallest real gap within some budgets of time or work (Figure 9.2)."""
    print(f"\nSmallest real gap within some {measured}:")
    whole = [getattr(check, measured) for check in curves["100%"]]
    for budget in np.geomspace(min(whole) / 4, max(whole), 7):
        best = {
            title: min((c.real for c in curve if getattr(c, measured) <= budget), default=np.inf)
            for title, curve in curves.items()
        }
        winner = min(best, key=lambda title: best[title])
        if np.isfinite(best[winner]):
            print(f"{budget:10.3g} {best[winner]:10.4g} with {winner}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the curves."""
    parser = argparse.ArgumentParser(description="Sampling nature's moves.")
    parser.add_argument("--full", action="store_true", help="the published abstraction")
    parser.add_argument(
        "--method", default="dcfr", help="the method that is sampled: dcfr, egt, ..."
    )
    parser.add_argument("--seed", type=int, default=0, help="of the samples")
    options = parser.parse_args(arguments)
    game = load(FULL if options.full else QUICK)
    assert isinstance(game, StageGame)
    form = build(game, gameshrink(game, "histogram" if options.full else "sound"))
    random = np.random.default_rng(options.seed)
    print(f"{game.name}, {form.X.size:,} sequences a player, {options.method}")
    print(f"{'after iterations':>17} {' '.join(f'{check:9}' for check in CHECKS)}")
    curves: dict[str, Curve] = {}
    for proportion in (*PROPORTIONS, 1.0):
        part = replace(form, A=form.A.sampled(proportion, random)) if proportion < 1 else form
        run = method(options.method).start(part, Context(seed=options.seed))
        run.advance(1)  # compiles, and lays the payoffs out
        curves[f"{100 * proportion:g}%"] = follow(form, run, part)
    dynamic = method(f"sampling:{options.method}").start(form, Context(seed=options.seed))
    curves["dynamic"] = follow(form, dynamic, None)
    for title, curve in curves.items():
        show(title, curve)
    leaders(curves, "seconds")
    leaders(curves, "work")
    print(PUBLISHED)


if __name__ == "__main__":
    main()
