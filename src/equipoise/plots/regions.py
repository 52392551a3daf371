"""Signal lines: what every player does with every signal, drawn as a row of coloured regions.

A cell that mixes plans is split from bottom to top in proportion. Thresholds are marked with a line
and their names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from equipoise.files import write_atomically
from equipoise.plots.chart import PALETTE
from equipoise.strategy.regions import Profile

# Black is for the marks.
_COLORS = (
    *(color for color in PALETTE if color != "#000000"),
    *("#999999", "#f0e442", "#882255", "#44aa99", "#ddcc77", "#332288"),
)


@dataclass(frozen=True)
class Bar:
    """A rectangle: from signal ``low`` to ``high``, between two heights of its row."""

    low: float
    high: float
    bottom: float
    top: float
    plan: str

    def continues(self, after: Bar) -> bool:
        """Say whether ``after`` goes on where this bar ends, at the same heights."""
        heights = self.bottom == after.bottom and abs(self.top - after.top) < 1e-12
        return self.plan == after.plan and self.high == after.low and heights


@dataclass(frozen=True)
class SignalLine:
    """One player's row: bars, and thresholds by name."""

    player: str
    bars: tuple[Bar, ...]
    marks: Mapping[str, float]


def signal_lines(
    profile: Profile,
    plans: Sequence[Sequence[str]],
    thresholds: Sequence[Mapping[str, float]],
) -> tuple[SignalLine, ...]:
    """Return the rows of ``profile``; ``plans`` and ``thresholds`` name what they show."""
    edges = profile.signals.edges
    lines = []
    for i, mixture in enumerate(profile.mixture):
        bars: list[Bar] = []
        for cell, row in enumerate(mixture):
            low, high, height = float(edges[cell]), float(edges[cell + 1]), 0.0
            for plan in np.flatnonzero(row > 1e-9).tolist():
                bar = Bar(low, high, height, height + float(row[plan]), plans[i][plan])
                height = bar.top
                if bars and bars[-1].continues(bar):
                    bar = replace(bar, low=bars.pop().low)
                bars.append(bar)
        lines.append(SignalLine(f"P{i + 1}", tuple(bars), dict(thresholds[i])))
    return tuple(lines)


def colors(lines: Sequence[SignalLine]) -> dict[str, str]:
    """Return a colour for every plan that is drawn, in order of appearance."""
    names = dict.fromkeys(bar.plan for line in lines for bar in line.bars)
    return {name: _COLORS[k % len(_COLORS)] for k, name in enumerate(names)}


def write_html(path: str | Path, title: str, lines: Sequence[SignalLine]) -> None:
    """Write the rows as one page that needs nothing else."""
    from plotly.graph_objects import Bar as Column
    from plotly.graph_objects import Figure

    figure = Figure()
    shown: set[str] = set()
    palette = colors(lines)
    for row, line in enumerate(reversed(lines)):
        for bar in line.bars:
            figure.add_trace(
                Column(
                    x=[bar.high - bar.low],
                    base=[bar.low],
                    y=[row - 0.4 + 0.8 * (bar.bottom + bar.top) / 2],
                    width=[0.8 * (bar.top - bar.bottom)],
                    orientation="h",
                    name=bar.plan,
                    legendgroup=bar.plan,
                    showlegend=bar.plan not in shown,
                    marker={"color": palette[bar.plan], "line": {"width": 0}},
                    hovertemplate=f"{line.player}: {bar.plan}<br>{bar.low:.6g} to {bar.high:.6g}<extra></extra>",
                )
            )
            shown.add(bar.plan)
        for names, at in _labels(line):
            figure.add_shape(
                type="line", x0=at, x1=at, y0=row - 0.45, y1=row + 0.45, line={"width": 1}
            )
            figure.add_annotation(x=at, y=row + 0.45, text=names, showarrow=False, yanchor="bottom")
    players = [line.player for line in reversed(lines)]
    figure.update_yaxes(
        tickvals=list(range(len(players))), ticktext=players, range=[-0.6, len(players) - 0.3]
    )
    figure.update_xaxes(title_text="signal", showgrid=False)
    figure.update_layout(
        template="plotly_white", barmode="overlay", title=title, legend={"traceorder": "normal"}
    )
    page = figure.to_html(include_plotlyjs=True, full_html=True)
    write_atomically(path, lambda file: file.write(page.encode()))


def write_png(path: str | Path, title: str, lines: Sequence[SignalLine], dpi: int = 110) -> None:
    """Write the rows as one picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    figure = Figure(figsize=(8.0, 1.2 + 1.0 * len(lines)), dpi=dpi, layout="constrained")
    axes = figure.subplots()
    palette = colors(lines)
    for row, line in enumerate(reversed(lines)):
        for bar in line.bars:
            axes.barh(
                row - 0.35 + 0.7 * bar.bottom,
                bar.high - bar.low,
                left=bar.low,
                height=0.7 * (bar.top - bar.bottom),
                align="edge",
                color=palette[bar.plan],
            )
        for names, at in _labels(line):
            axes.plot([at, at], [row - 0.4, row + 0.4], color="black", linewidth=0.8)
            axes.annotate(names, (at, row + 0.4), ha="center", va="bottom", fontsize=8)
    low = min(line.bars[0].low for line in lines)
    high = max(line.bars[-1].high for line in lines)
    axes.set(xlim=(low, high), ylim=(-0.5, len(lines) - 0.35), title=title, xlabel="signal")
    axes.set_yticks(range(len(lines)), [line.player for line in reversed(lines)])
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)
    patches = [Patch(color=color, label=plan) for plan, color in palette.items()]
    axes.legend(handles=patches, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    canvas = FigureCanvasAgg(figure)
    write_atomically(path, lambda file: canvas.print_png(file, metadata={"Software": None}))


def _labels(line: SignalLine) -> list[tuple[str, float]]:
    """Return the marks of a row, those at (nearly) the same signal joined into one."""
    width = line.bars[-1].high - line.bars[0].low
    labels: list[tuple[list[str], float]] = []
    for name, at in sorted(line.marks.items(), key=lambda mark: mark[1]):
        if labels and at - labels[-1][1] < 0.015 * width:
            labels[-1][0].append(name)
        else:
            labels.append(([name], at))
    return [(", ".join(names), at) for names, at in labels]
