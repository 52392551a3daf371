"""How a solve went: the gap against time and against iterations."""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.plots.chart import Chart, Series
from equipoise.solvers.log import LogRow


def convergence(logs: Mapping[str, list[LogRow]]) -> tuple[Chart, Chart]:
    """Return the charts of the gap against seconds and against iterations, one curve a log."""
    seconds = tuple(
        Series.of(name, [row.seconds for row in rows], [row.gap for row in rows])
        for name, rows in logs.items()
    )
    iterations = tuple(
        Series.of(name, [row.iterations for row in rows], [row.gap for row in rows])
        for name, rows in logs.items()
    )
    times = [row.seconds for rows in logs.values() for row in rows if row.seconds > 0]
    # Within one decade a logarithmic axis would show little but the start-up.
    is_long = bool(times) and max(times) > 10 * min(times)
    return (
        Chart("Gap against time", "seconds", "gap", seconds, log_x=is_long, log_y=True),
        Chart("Gap against iterations", "iterations", "gap", iterations, log_x=True, log_y=True),
    )
