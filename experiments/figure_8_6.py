"""Figure 8.6: gradients that smoothing and iterated smoothing need, on random matrices and on Leduc.

The seed plots the gap against iterations and finds that iterated smoothing pulls away as the gap
shrinks. Run ``python experiments/figure_8_6.py``; ``--full`` adds larger matrices, finer gaps, and
Leduc poker.
"""

from __future__ import annotations

import argparse

import numpy as np

from equipoise import Gap, Iterations, build, from_matrices, load
from equipoise.sequence.build import SequenceForm
from equipoise.solve import solve
from equipoise.solve.auto import Shrinking
from equipoise.solve.iterated import IteratedSmoothing
from equipoise.solve.smoothing import Smoothing

MOST = 200_000


def random_matrix(size: int, seed: int) -> SequenceForm:
    """A matrix game with payoffs uniform in [-1, 1]."""
    payoffs = np.random.default_rng(seed).uniform(-1, 1, (size, size))
    return build(from_matrices(f"random {size} x {size}", payoffs.tolist()))


def compare(name: str, form: SequenceForm, gaps: list[float]) -> None:
    """Print the gradients of both methods for each gap."""
    for gap in gaps:
        counts = []
        for method in (Smoothing(), IteratedSmoothing()):
            solution = solve(form, Shrinking(method), Gap(gap) | Iterations(MOST))
            counts.append(solution.gradients if solution.gap <= gap else None)
        shown = [f"{count:,}" if count else f"> {4 * MOST:,}" for count in counts]
        ratio = f"{counts[0] / counts[1]:.2f}" if counts[0] and counts[1] else ""
        print(f"| {name} | {gap:g} | {shown[0]} | {shown[1]} | {ratio} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    full = parser.parse_args().full
    print("| game | gap | smoothing | iterated smoothing | smoothing / iterated |")
    print("| --- | --- | --- | --- | --- |")
    for size in (10, 30, 100) if full else (10, 30):
        gaps = [1e-2, 1e-3, 1e-4, 1e-5] if full else [1e-2, 1e-3, 1e-4]
        compare(f"random {size} x {size}", random_matrix(size, size), gaps)
    if full:
        compare("Leduc", build(load("leduc")), [1e-1, 1e-2, 1e-3, 1e-4])


if __name__ == "__main__":
    main()
