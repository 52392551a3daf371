"""Cost of one CFR+ iteration against the nonzeros of the game, over three decades.

    python -m benchmarks.scaling --png scaling.png

Three families: Kuhn poker with more and more cards, Leduc poker with larger and larger decks, and
random square matrix games. The nonzeros are those of the sequence form, the payoff matrix A and both
players' constraints E and F, since an iteration passes over all three. For each family the table
shows nanoseconds of CPU per nonzero, and the slope of log(cost) against log(nonzeros): one where the
cost is linear, less where it is better. In small games a nonzero costs more, since there are more
sequences for each of them, and a sequence (a regret, a division, an average) is more work than a
nonzero (a product). The least time of several rounds counts, since whatever disturbs a measurement
adds to it.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

os.environ.update({"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"})

import numpy as np

from benchmarks.report import markdown
from equipoise.games.trees.classic import kuhn, leduc
from equipoise.sequence.build import SequenceForm, build
from equipoise.sequence.payoffs.sparse import Sparse
from equipoise.sequence.treeplex import Treeplex
from equipoise.solvers.base import Context
from equipoise.solvers.saddle.cfr import TABLE

ROUNDS = 7
ROUND_SECONDS = 0.2


@dataclass(frozen=True)
class Point:
    """One game: its size and the CPU time of an iteration."""

    size: str
    nonzeros: int
    sequences: int
    seconds: float


def kuhn_form(size: str) -> SequenceForm:
    """Return Kuhn poker with ``size`` cards."""
    return build(kuhn(int(size)))


def leduc_form(size: str) -> SequenceForm:
    """Return Leduc poker with a deck of ranks x suits."""
    ranks, suits = size.split("x")
    return build(leduc(int(ranks), int(suits)))


def matrix_form(size: str) -> SequenceForm:
    """Return a random matrix game of ``size`` actions each."""
    actions = int(size)
    payoffs = np.random.default_rng(actions).normal(size=(actions, actions))
    rows, columns = (place.ravel() + 1 for place in np.indices(payoffs.shape))
    space = Treeplex.from_rows([(actions, 1, 0, None)])
    A = Sparse.from_entries(rows, columns, payoffs.ravel(), (actions + 1, actions + 1))
    return SequenceForm(space, space, A, f"random {size}", size)


FAMILIES: dict[str, tuple[Callable[[str], SequenceForm], str]] = {
    "kuhn, cards": (kuhn_form, "12 25 50 100 200 400"),
    "leduc, deck": (leduc_form, "3x1 2x2 3x2 5x2 8x2 11x2 14x2"),
    "matrix, actions": (matrix_form, "32 64 128 256 512 1024"),
}


def main(arguments: list[str] | None = None) -> None:
    """Measure every family, print tables and slopes, and draw them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--most", type=int, default=10**7, help="leave out games of more nonzeros")
    parser.add_argument("--png", type=Path, help="file to draw the figure to")
    parser.add_argument("--json", type=Path, help="file to write all figures to")
    options = parser.parse_args(arguments)
    results = {name: list(measure_family(name, options.most)) for name in FAMILIES}
    for name, points in results.items():
        header = [name, "nonzeros", "sequences", "us/iteration", "ns/nonzero"]
        print(f"\n{markdown(header, [_cells(point) for point in points])}\n")
        print(f"{name}: slope {slope(points):.3f} over {decades(points):.1f} decades")
    if options.json:
        document = {
            name: {"slope": slope(points), "points": [asdict(point) for point in points]}
            for name, points in results.items()
        }
        options.json.write_text(json.dumps(document, indent=2) + "\n")
    if options.png:
        draw(results, options.png)


def _cells(point: Point) -> list[str]:
    return [
        point.size,
        f"{point.nonzeros:,}",
        f"{point.sequences:,}",
        f"{1e6 * point.seconds:,.1f}",
        f"{1e9 * point.seconds / point.nonzeros:.2f}",
    ]


def measure_family(name: str, most: int) -> Iterator[Point]:
    """Yield a point for each size of the family, up to ``most`` nonzeros."""
    make, sizes = FAMILIES[name]
    for size in sizes.split():
        form = make(size)
        spaces = (form.X, form.Y)
        sequences = sum(space.size for space in spaces)
        nonzeros = form.A.nonzeros + sequences + sum(space.infosets for space in spaces)
        if nonzeros > most:
            return
        yield Point(size, nonzeros, sequences, seconds(form))


def seconds(form: SequenceForm) -> float:
    """Return the least CPU time of an iteration of CFR+ over several rounds."""
    run = TABLE["cfr+"].start(form, Context())

    def spend(count: int) -> float:
        start = time.process_time()
        run.advance(count)
        return time.process_time() - start

    run.advance(1)
    count = 1
    while (spent := spend(count)) < ROUND_SECONDS / 4:
        count *= 2
    count = max(1, round(count * ROUND_SECONDS / spent))
    return min(spend(count) for _ in range(ROUNDS)) / count


def slope(points: list[Point]) -> float:
    """Return the slope of the least-squares line through log(seconds) against log(nonzeros)."""
    if len(points) < 2:
        return float("nan")
    nonzeros, cost = (np.log([getattr(p, key) for p in points]) for key in ("nonzeros", "seconds"))
    return float(np.polyfit(nonzeros, cost, 1)[0])


def decades(points: list[Point]) -> float:
    """Return how many powers of ten the nonzeros span."""
    return float(np.log10(points[-1].nonzeros / points[0].nonzeros))


def draw(results: dict[str, list[Point]], path: Path) -> None:
    """Draw cost against nonzeros, with a line of slope one for the eye."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.5, 4.5), layout="constrained")
    for name, points in results.items():
        nonzeros = [point.nonzeros for point in points]
        label = f"{name}: slope {slope(points):.2f}"
        axes.loglog(nonzeros, [1e6 * point.seconds for point in points], "o-", label=label)
    ends = np.array([min(p[0].nonzeros for p in results.values()), 10**6])
    per_nonzero = np.median([p.seconds / p.nonzeros for ps in results.values() for p in ps])
    axes.loglog(ends, 1e6 * per_nonzero * ends, "k:", label="slope 1")
    axes.set_xlabel("nonzeros of A, E and F")
    axes.set_ylabel("CPU microseconds per CFR+ iteration")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
