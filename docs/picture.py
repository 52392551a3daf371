"""Draw the README's picture: how fast the methods close the gap on Leduc poker.

python docs/picture.py [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

from equipoise.games.base import load
from equipoise.plots.chart import Chart, Series, write_png
from equipoise.sequence.build import build
from equipoise.solve.base import Iterations, solve
from equipoise.solve.methods import method

METHODS = ("cfr", "cfr+", "dcfr", "pcfr+")


def main(path: str | Path) -> None:
    """Solve Leduc poker with every method and write the picture to ``path``."""
    form = build(load("leduc"))
    curves = []
    for name in METHODS:
        log = solve(form, method(name), stop=Iterations(10_000)).log
        curves.append(Series.of(name, [row.iterations for row in log], [row.gap for row in log]))
    chart = Chart(
        title="Leduc poker: what both players could gain, against iterations",
        x_label="iterations",
        y_label="gap (antes)",
        series=tuple(curves),
        log_x=True,
        log_y=True,
    )
    write_png(path, chart)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("leduc.png"))
