"""CFR+ iterations per CPU second on Leduc poker: Equipoise beside OpenSpiel's C++ and LiteEFG.

    python -m benchmarks.iteration_speed

All three run in one process on one thread, in turns, on the same tree (9,457 nodes and 936
information sets, nothing shrunk), and an iteration is the same work: an update of each player in
turn, and the linear average. The rate is the median over the turns, the ratio the median of the
turns' ratios. That they do the same thing is seen from their gaps after the same number of
iterations, measured by our best responses.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

os.environ.update({"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"})

from benchmarks.iterative import Iterative, LiteEFG, OpenSpiel, Plans
from benchmarks.problems import GAMES, Problem, export, load
from benchmarks.report import markdown
from equipoise.games.trees.classic import leduc
from equipoise.sequence.build import build
from equipoise.solvers.base import Context
from equipoise.solvers.saddle.cfr import TABLE

COMPARED_AT = 200
BARS = {"openspiel": 400.0, "liteefg": 100.0}


class Equipoise:
    """Our CFR+ on the whole sequence form."""

    def __init__(self, problem: Problem) -> None:
        self.form = problem.form

    def start(self) -> None:
        """Set up the tables, at iteration zero."""
        self.run = TABLE["cfr+"].start(self.form, Context())

    def iterate(self, count: int) -> None:
        """Do ``count`` iterations of both players."""
        self.run.advance(count)

    def plans(self) -> Plans:
        """Return the average strategies as plans."""
        return self.run.point()


def main(arguments: list[str] | None = None) -> None:
    """Take turns, print the table and write JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--turns", type=int, default=9, help="turns of every solver")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU seconds of a turn")
    parser.add_argument("--json", type=Path, help="file to write all figures to")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        problem = _problem(Path(folder))
        solvers: dict[str, Iterative] = {
            "equipoise": Equipoise(problem),
            "openspiel": OpenSpiel(problem),
            "liteefg": LiteEFG(problem, "cfr+"),
        }
        gaps = {name: _warm_up(solver, problem) for name, solver in solvers.items()}
        counts = {name: _calibrate(solver, options.seconds) for name, solver in solvers.items()}
        rates: dict[str, list[float]] = {name: [] for name in solvers}
        for _ in range(options.turns):
            for name, solver in solvers.items():
                rates[name].append(counts[name] / _seconds(solver, counts[name]))
    rows = [
        [
            name,
            f"{statistics.median(own):,.0f}",
            f"{_ratio(rates, name):,.0f}x",
            f"{BARS[name]:g}x" if name in BARS else "",
            f"{gaps[name]:.3e}",
        ]
        for name, own in rates.items()
    ]
    header = ["CFR+ on Leduc", "iterations/s", "ours/theirs", "bar", f"gap after {COMPARED_AT}"]
    print(markdown(header, rows))
    if options.json:
        ratios = {name: _ratio(rates, name) for name in rates}
        document = {"rates": rates, "ours_over_theirs": ratios, f"gap_after_{COMPARED_AT}": gaps}
        options.json.write_text(json.dumps(document, indent=2) + "\n")


def _problem(folder: Path) -> Problem:
    game = leduc()
    export(game, build(game), GAMES["leduc"].openspiel, folder)
    return load(folder)


def _warm_up(solver: Iterative, problem: Problem) -> float:
    """Do the first iterations and return the gap after them."""
    solver.start()
    solver.iterate(COMPARED_AT)
    return problem.gap(*solver.plans())


def _calibrate(solver: Iterative, seconds: float) -> int:
    """Return how many iterations take about this much CPU time."""
    count = 1
    while (spent := _seconds(solver, count)) < seconds / 4:
        count *= 2
    return max(1, round(count * seconds / spent))


def _seconds(solver: Iterative, count: int) -> float:
    start = time.process_time()
    solver.iterate(count)
    return time.process_time() - start


def _ratio(rates: dict[str, list[float]], name: str) -> float:
    """Return the median, over the turns, of our rate over theirs."""
    return statistics.median(
        ours / theirs for ours, theirs in zip(rates["equipoise"], rates[name], strict=True)
    )


if __name__ == "__main__":
    main()
