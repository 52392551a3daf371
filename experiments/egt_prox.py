"""Figures 8.1 to 8.3: prox functions and heuristics of the excessive gap technique.

The seed compares the entropy and the Euclidean prox, and shows how much heuristics 1 and 2 help, on
instances up to Rhode Island hold'em. Here: the gap after the same number of gradients. Run
``python experiments/egt_prox.py`` for Leduc poker and a small Rhode Island; ``--full`` takes the
52-card game at 13/325/7969 buckets.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from equipoise import Iterations, build, gameshrink, load, poker
from equipoise.sequence.build import SequenceForm
from equipoise.solve import solve
from equipoise.solve.egt import EGT

PUBLISHED = """
Published (figures only): entropy outperforms Euclidean on all instances; heuristic 1 reduces the gap on
all of them, by an order of magnitude on the larger ones; heuristic 2 is always effective if used at least
some of the time, and the best interval varies."""


def compare(name: str, form: SequenceForm, iterations: int) -> None:
    """Print a row for each prox function, weights and use of heuristics."""
    for prox in ("entropy", "euclidean"):
        for weights in ("seed", "kroer", "dge"):
            for label, aggressive, balance in (
                ("none", False, 0),
                ("1", True, 0),
                ("1 and 2", True, 100),
            ):
                show(name, form, EGT(prox, weights, aggressive, balance), label, iterations)


def intervals(name: str, form: SequenceForm, iterations: int) -> None:
    """Print a row for heuristic 2 at each interval, heuristic 1 turned off (Figure 8.3)."""
    for balance in (10, 50, 100):
        method = EGT(aggressive=False, balance=balance)
        show(name, form, method, f"2, every {balance}", iterations)


def show(name: str, form: SequenceForm, method: EGT, heuristics: str, iterations: int) -> None:
    """Solve and print the row."""
    solution = solve(form, method, Iterations(iterations))
    numbers = f"{solution.gradients:,}", f"{solution.gap:.4g}"
    row = (name, method.prox, method.weights, heuristics, *numbers)
    print(f"| {' | '.join(row)} |", flush=True)


def main(options: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--iterations", type=int, default=500)
    arguments = parser.parse_args(options)
    print("| game | prox | weights | heuristics | gradients | gap |")
    print("| --- | --- | --- | --- | --- | --- |")
    game = poker.rhode_island() if arguments.full else poker.rhode_island(4, 2)
    forms = {"Leduc": build(load("leduc")), game.name: build(game, gameshrink(game))}
    for name, form in forms.items():
        compare(name, form, arguments.iterations)
        intervals(name, form, arguments.iterations)
    print(PUBLISHED)


if __name__ == "__main__":
    main()
