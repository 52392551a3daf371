"""Figures 8.1 to 8.3: prox functions and heuristics of the excessive gap technique.

The seed compares the entropy and the Euclidean prox, and shows how much heuristics 1 and 2 help, on
instances up to Rhode Island hold'em. Here: the gap after the same number of gradients. Run
``python experiments/egt_prox.py`` for Leduc poker and a small Rhode Island; ``--full`` takes the
52-card game at 13/325/7969 buckets.
"""

from __future__ import annotations

import argparse

from equipoise import Iterations, build, gameshrink, load, poker
from equipoise.sequence.build import SequenceForm
from equipoise.solve import solve
from equipoise.solve.egt import EGT


def compare(name: str, form: SequenceForm, iterations: int) -> None:
    """Print a row for each prox function, weights and use of heuristics."""
    for prox in ("entropy", "euclidean"):
        for weights in ("seed", "kroer", "dge"):
            for label, aggressive, balance in (
                ("none", False, 0),
                ("1", True, 0),
                ("1 and 2", True, 100),
            ):
                method = EGT(prox, weights, aggressive, balance)
                solution = solve(form, method, Iterations(iterations))
                row = (name, prox, weights, label, f"{solution.gradients:,}", f"{solution.gap:.4g}")
                print(f"| {' | '.join(row)} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--iterations", type=int, default=500)
    arguments = parser.parse_args()
    print("| game | prox | weights | heuristics | gradients | gap |")
    print("| --- | --- | --- | --- | --- | --- |")
    compare("Leduc", build(load("leduc")), arguments.iterations)
    game = poker.rhode_island() if arguments.full else poker.rhode_island(4, 2)
    compare(game.name, build(game, gameshrink(game)), arguments.iterations)


if __name__ == "__main__":
    main()
