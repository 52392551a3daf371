"""How good agents are: against each other, and against the best opponents."""

from __future__ import annotations

from equipoise.certificates.match import Comparison
from equipoise.plots.chart import Chart, Series


def comparison(found: Comparison) -> Chart:
    """Return a chart with a point for each agent: what it earns from the others, and loses to its nemesis.

    Good agents are to the right, safe ones at the bottom; the two are not the same (Gilpin 2009, section
    6.7.5).
    """
    points = tuple(
        Series.of(name, [found.field(i)], [-found.worst[i]], is_line=False)
        for i, name in enumerate(found.names)
    )
    return Chart(
        "Against the field, and against the nemesis",
        "earned from the others, mean over both seats",
        "lost to the nemesis, mean over both seats",
        points,
        legend_below=True,
    )
