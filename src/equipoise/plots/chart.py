"""One description of a chart, two ways to write it: a page to explore, a picture to print.

A :class:`Chart` is plain data. :func:`write_html` makes a self-contained page (Plotly, with its script
inside, so that it opens without a network); :func:`write_png` makes the same picture with Matplotlib.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import EquipoiseError
from equipoise.files import write_atomically

# Okabe and Ito's colours, which people with colour-blindness tell apart.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")

# Up to this many points each one is marked; a single point would be invisible as a line.
_FEW = 1000.0  # from end to end of an axis on which more than powers of ten are labelled
_MARKED = 40
_PANEL_INCHES = (6.0, 4.2)
# Longer names would be wider than the panel; those of strangers' files may be endless, and so would drawing be.
_LETTERS = 80


@dataclass(frozen=True, eq=False)
class Series:
    """One curve, or its points alone. Points that a logarithmic axis cannot show are left out.

    It has a colour of its own, or that of the series at the place ``like``.
    """

    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    is_line: bool = True
    like: int | None = None

    @classmethod
    def of(
        cls,
        name: str,
        x: ArrayLike,
        y: ArrayLike,
        *,
        is_line: bool = True,
        like: int | None = None,
    ) -> Series:
        """Return a curve through the points ``(x[i], y[i])``, or the points without one."""
        xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if xs.ndim != 1 or xs.shape != ys.shape:
            raise EquipoiseError(
                f"Series '{name}': x has shape {xs.shape} and y {ys.shape}, expected equal lengths."
            )
        return cls(name, xs, ys, is_line, like)


@dataclass(frozen=True)
class Chart:
    """A panel with axes and curves; the legend can go below it, where curves leave no room.

    Axes ``from_zero`` begin there, which gives a single point its place.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    legend_below: bool = False
    from_zero: bool = False

    def points(self, series: Series) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the points of ``series`` that these axes can show."""
        shown = np.isfinite(series.x) & np.isfinite(series.y)
        if self.log_x:
            shown &= series.x > 0
        if self.log_y:
            shown &= series.y > 0
        return series.x[shown], series.y[shown]

    @property
    def is_empty(self) -> bool:
        """Whether these axes can show no point at all."""
        return not any(len(self.points(series)[0]) for series in self.series)

    def color(self, place: int) -> str:
        """Return the colour of the series at ``place``."""
        like = self.series[place].like
        return PALETTE[(place if like is None else like) % len(PALETTE)]


def write_html(path: str | Path, *charts: Chart) -> None:
    """Write ``charts`` side by side as one page that needs nothing else."""
    from plotly.graph_objects import Scatter
    from plotly.subplots import make_subplots

    figure = make_subplots(
        rows=1, cols=len(charts), subplot_titles=[_short(c.title) for c in charts]
    )
    for column, chart in enumerate(charts, start=1):
        for place, series in enumerate(chart.series):
            x, y = chart.points(series)
            curve = Scatter(
                x=x.tolist(),
                y=y.tolist(),
                name=_short(series.name),
                legendgroup=series.name,
                showlegend=column == 1,
                mode=_mode(series),
                line={"color": chart.color(place)},
                marker={"size": 6 if series.is_line else 10},
            )
            figure.add_trace(curve, row=1, col=column)
        kinds = ["log" if log else "linear" for log in (chart.log_x, chart.log_y)]
        form = {"exponentformat": "power", "row": 1, "col": column}
        figure.update_xaxes(title_text=chart.x_label, type=kinds[0], **form)
        figure.update_yaxes(title_text=chart.y_label, type=kinds[1], **form)
        if chart.from_zero:
            figure.update_xaxes(rangemode="tozero", row=1, col=column)
            figure.update_yaxes(rangemode="tozero", row=1, col=column)
    figure.update_layout(template="plotly_white")
    page = figure.to_html(include_plotlyjs=True, full_html=True)
    write_atomically(path, lambda file: file.write(page.encode()))


def write_png(path: str | Path, *charts: Chart, dpi: int = 110) -> None:
    """Write ``charts`` side by side as one picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = _PANEL_INCHES
    figure = Figure(figsize=(width * len(charts), height), dpi=dpi, layout="constrained")
    for chart, axes in zip(charts, figure.subplots(1, len(charts), squeeze=False)[0], strict=True):
        for place, series in enumerate(chart.series):
            x, y = chart.points(series)
            mode = _mode(series)
            form = {
                "linestyle": "-" if "lines" in mode else "",
                "marker": ("." if series.is_line else "o") if "markers" in mode else "",
                "clip_on": not chart.from_zero,  # a point at zero is whole
            }
            axes.plot(x, y, label=_literal(series.name), color=chart.color(place), **form)
        axes.set(title=_literal(chart.title), xlabel=chart.x_label, ylabel=chart.y_label)
        if not chart.is_empty:  # a logarithmic axis without points has no range
            axes.set_xscale("log" if chart.log_x else "linear")
            axes.set_yscale("log" if chart.log_y else "linear")
            for axis in (axes.xaxis, axes.yaxis):
                _label(axis)
        if chart.from_zero:
            axes.set_xlim(left=0.0)
            axes.set_ylim(bottom=0.0)
        axes.grid(color="0.9")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14), "ncols": 2}
        axes.legend(frameon=False, **(below if chart.legend_below else {}))
    canvas = FigureCanvasAgg(figure)
    write_atomically(path, lambda file: canvas.print_png(file, metadata={"Software": None}))


def _label(axis: Any) -> None:
    """Label 1, 2 and 5 of a few decades in plain numbers; Matplotlib's labels of them run into each other."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    low, high = axis.get_view_interval()
    if axis.get_scale() == "log" and high < _FEW * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())


def _literal(text: str) -> str:
    """Return ``text`` so that Matplotlib takes no dollar in it for the begin of a formula."""
    return _short(text).replace("$", r"\$")


def _short(text: str) -> str:
    """Return ``text``, without its middle if it is long: names of files differ at their ends."""
    if len(text) <= _LETTERS:
        return text
    half = (_LETTERS - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def _mode(series: Series) -> str:
    """Say, in Plotly's words, whether ``series`` is drawn by lines, markers or both."""
    if not series.is_line:
        return "markers"
    return "lines+markers" if len(series.x) <= _MARKED else "lines"
