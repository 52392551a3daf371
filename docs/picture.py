"""Draw the README's picture: how fast the methods close the gap in Rhode Island hold'em.

    python docs/picture.py [FILE]

takes some minutes on one core.
"""

from __future__ import annotations

import sys
from pathlib import Path

from equipoise import build, gameshrink, load
from equipoise.plots.chart import Chart, Series, write_png
from equipoise.solvers import Iterations, solve
from equipoise.solvers.methods import method

METHODS = ("cfr", "cfr+", "pcfr+", "dcfr")


def main(path: str | Path, spec: str = "rhode-island", iterations: int = 1000) -> None:
    """Solve the game with every method and write the picture to ``path``."""
    game = load(spec)
    form = build(game, gameshrink(game))
    curves = []
    for name in METHODS:
        log = solve(form, method(f"{name}(dtype=float32)"), stop=Iterations(iterations)).log
        curves.append(Series.of(name, [row.iterations for row in log], [row.gap for row in log]))
    chart = Chart(
        title="Rhode Island hold'em, all 52 cards",
        x_label="iterations",
        y_label="what both players could still gain (chips)",
        series=tuple(curves),
        log_x=True,
        log_y=True,
    )
    write_png(path, chart)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("rhode-island.png"))
