"""Figure 8.6: smoothing and iterated smoothing, gradients for a gap.

    python experiments/figure_8_6.py [--full] [--picture FILE.png]

Gilpin takes 100 random matrix games (payoffs uniform in [-1, 1]) of each of three sizes and abstractions
of Rhode Island hold'em, and finds that iterated smoothing is ahead, the more so the finer the gap. Here:
the median number of gradients over ten random games of a size, and Leduc poker (merged first). Both
methods take the same steps (``iterated.py`` and ``smoothing.py`` name our deviations), and so do both
without any deviation, the rows called *as published*. ``--full`` takes larger matrices and finer gaps, some
minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from equipoise import build, from_matrices, load
from equipoise.plots.chart import Chart, Series, write_png
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.reductions.merge import shrink
from equipoise.solvers.base import Context, Method
from equipoise.solvers.methods import method
from equipoise.solvers.saddle.smoothing import SmoothingRun

SMOOTHING, ITERATED = "smoothing", "iterated-smoothing"
SEEDS = range(10)
PUBLISHED = """
Published (figures only): iterated smoothing is ahead in all settings, and its lead grows with accuracy."""


def random_matrix(size: int, seed: int) -> SequenceForm:
    """A matrix game with payoffs uniform in [-1, 1]."""
    payoffs = np.random.default_rng([size, seed]).uniform(-1, 1, (size, size))
    return build(from_matrices(f"random {size} x {size}", payoffs.tolist()))


def gradients(form: SequenceForm, method: Method, gap: float) -> int:
    """Return how many gradients ``method`` takes to the first point with at most this gap."""
    run = method.start(form, Context(target=gap))
    assert isinstance(run, SmoothingRun)
    while run.best_gap > gap:
        run.advance(1)
    return run.gradients


def medians(forms: Sequence[SequenceForm], name: str, gaps: Sequence[float]) -> list[float]:
    """Return the median number of gradients over ``forms`` for every gap."""
    return [float(np.median([gradients(f, method(name), gap) for f in forms])) for gap in gaps]


def compare(
    title: str, forms: Sequence[SequenceForm], gaps: Sequence[float], suffix: str = ""
) -> Chart:
    """Print the rows of one kind of games and return their panel."""
    counts = {name: medians(forms, name + suffix, gaps) for name in (SMOOTHING, ITERATED)}
    for gap, first, second in zip(gaps, *counts.values(), strict=True):
        print(
            f"| {title} | {gap:g} | {first:,.0f} | {second:,.0f} | {first / second:.2f} |",
            flush=True,
        )
    accuracy = [1 / gap for gap in gaps]
    series = tuple(Series.of(name, accuracy, found) for name, found in counts.items())
    return Chart(title, "1 / gap", "gradients", series, log_x=True, log_y=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table and draw the picture."""
    parser = argparse.ArgumentParser(description="Smoothing and iterated smoothing.")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--picture", help="write the curves to this file, too")
    options = parser.parse_args(arguments)
    print("| game | gap | smoothing | iterated smoothing | smoothing / iterated |")
    print("| --- | --- | --- | --- | --- |")
    gaps = [1e-1, 1e-2, 1e-3, 1e-4] if options.full else [1e-1, 1e-2, 1e-3]
    panels = []
    for size in (10, 30, 100) if options.full else (10, 30):
        games = [random_matrix(size, seed) for seed in SEEDS]
        panels.append(compare(f"random {size} x {size}", games, gaps))
    leduc = [shrink(build(load("leduc"))).form]
    panels.append(compare("Leduc", leduc, gaps))
    small = [random_matrix(10, seed) for seed in SEEDS]
    compare("random 10 x 10, as published", small, gaps, "-plain")
    compare("Leduc, as published", leduc, gaps[:3] if options.full else gaps[:2], "-plain")
    print(PUBLISHED)
    if options.picture:
        write_png(options.picture, *panels)


if __name__ == "__main__":
    main()
