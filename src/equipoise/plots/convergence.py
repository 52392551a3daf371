"""How a solve went: the gap against time and against iterations; bounds and share, if it worked on a part."""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.plots.chart import Chart, Series
from equipoise.solvers.log import LogRow


def convergence(logs: Mapping[str, list[LogRow]]) -> tuple[Chart, ...]:
    """Return the charts of the gap against seconds and against iterations, one curve a log.

    Of solves that worked on a part of their game, a double oracle's, the bounds of the value and the share
    of the sequences follow.
    """
    parts = {name: rows for name, rows in logs.items() if any(row.share < 1 for row in rows)}
    return *_gaps(logs), *(_restricted(parts) if parts else ())


def _restricted(logs: Mapping[str, list[LogRow]]) -> tuple[Chart, Chart]:
    """Return the charts of both bounds and of the share of sequences against iterations."""
    bounds, shares = [], []
    for name, rows in logs.items():
        iterations = [row.iterations for row in rows]
        bounds.append(Series.of(f"lower, {name}", iterations, [row.lower for row in rows]))
        bounds.append(Series.of(f"upper, {name}", iterations, [row.upper for row in rows]))
        shares.append(Series.of(name, iterations, [100 * row.share for row in rows]))
    return (
        Chart("Bounds of the value", "iterations", "bounds", tuple(bounds)),
        Chart("Share of all sequences", "iterations", "percent", tuple(shares)),
    )


def _gaps(logs: Mapping[str, list[LogRow]]) -> tuple[Chart, Chart]:
    """Return the charts of the gap."""
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
    # A single measurement, as a linear program's, has no scale of its own: it is shown above zero.
    is_one = is_one_point(logs)
    return (
        Chart(
            "Gap against time", "seconds", "gap", seconds,
            log_x=is_long and not is_one, log_y=not is_one, from_zero=is_one,
        ),
        Chart(
            "Gap against iterations", "iterations", "gap", iterations,
            log_x=not is_one, log_y=not is_one, from_zero=is_one,
        ),
    )  # fmt: skip


def is_one_point(logs: Mapping[str, list[LogRow]]) -> bool:
    """Say whether no log has two measurements with a gap above zero, which make a curve."""
    return all(sum(row.gap > 0 for row in rows) < 2 for rows in logs.values())
