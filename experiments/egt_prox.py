"""Figures 8.1 to 8.3: prox functions and heuristics of the excessive gap technique.

    python experiments/egt_prox.py [--full] [--iterations N]

Gilpin compares the entropy and the Euclidean prox, and shows how much heuristics 1 and 2 help, on
instances up to Rhode Island hold'em at 13/205/1774 buckets. Here: the gap after the same number of
iterations, with the gradients that they took. Leduc poker and a small Rhode Island by default; ``--full``
takes the published instance, 100 iterations, about 5 minutes on one core. The step of heuristic 1 may grow
again except in the rows called *as published*.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from equipoise import Iterations, build, gameshrink, load, poker
from equipoise.sequence.build import SequenceForm
from equipoise.solvers import solve
from equipoise.solvers.saddle.egt import EGT

PUBLISHED = """
Published (figures only): entropy outperforms Euclidean on all instances; heuristic 1 reduces the gap on
all of them, by an order of magnitude on the larger ones; heuristic 2 is always effective if used at least
some of the time, and the best interval varies."""


def compare(name: str, form: SequenceForm, iterations: int) -> None:
    """Print a row for each prox function and its weights, with both heuristics (Figure 8.1)."""
    for prox in ("entropy", "euclidean"):
        for weights in ("unit", "kroer", "dge"):
            show(name, form, EGT(prox, weights), "1 and 2", iterations)
    show(name, form, EGT("entropy", "unit", growth=1.0), "1 and 2, as published", iterations)


def heuristics(name: str, form: SequenceForm, iterations: int) -> None:
    """Print a row for heuristic 1 alone (Figure 8.2) and for 2 at each interval (Figure 8.3)."""
    show(name, form, EGT(aggressive=False, balance=0), "none", iterations)
    show(name, form, EGT(balance=0, growth=1.0), "1, as published", iterations)
    show(name, form, EGT(balance=0), "1", iterations)
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
    parser = argparse.ArgumentParser(description="Prox functions and heuristics.")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--iterations", type=int)
    arguments = parser.parse_args(options)
    print("| game | prox | weights | heuristics | gradients | gap |")
    print("| --- | --- | --- | --- | --- | --- |")
    if arguments.full:
        game = poker.rhode_island()
        forms = {"Rhode Island": build(game, gameshrink(game, "histogram"))}
    else:
        game = poker.rhode_island(4, 2)
        forms = {"Leduc": build(load("leduc")), game.name: build(game, gameshrink(game))}
    iterations = arguments.iterations or (100 if arguments.full else 500)
    for name, form in forms.items():
        compare(name, form, iterations)
        heuristics(name, form, iterations)
    print(PUBLISHED)


if __name__ == "__main__":
    main()
