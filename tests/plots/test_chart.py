"""Charts: both writers show the same points."""

from __future__ import annotations

import json
import os
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from equipoise.errors import EquipoiseError
from equipoise.plots.chart import Chart, Series, _literal, write_html, write_png
from equipoise.plots.convergence import convergence
from equipoise.solvers.log import LogRow


def chart(**options: bool) -> Chart:
    curve = Series.of("curve", [0.0, 1.0, 10.0, np.nan], [1.0, 0.0, 0.1, 2.0])
    return Chart("A title", "x", "y", (curve,), **options)


def test_axes_show_what_they_can() -> None:
    def shown(panel: Chart) -> list[float]:
        return panel.points(panel.series[0])[0].tolist()

    assert shown(chart()) == [0, 1, 10]
    assert shown(chart(log_y=True)) == [0, 10]
    assert shown(chart(log_x=True)) == [1, 10]
    assert shown(chart(log_x=True, log_y=True)) == [10]


def test_the_page_holds_the_points_of_every_panel(tmp_path: Path) -> None:
    write_html(tmp_path / "page.html", chart(), chart(log_x=True))
    page = (tmp_path / "page.html").read_text()
    call = re.search(
        r"Plotly\.newPlot\(\s*\"[^\"]+\",\s*(\[.*?\]),\s*(\{.*\}),\s*\{", page, re.DOTALL
    )
    assert call is not None
    traces, layout = json.loads(call[1]), json.loads(call[2])
    assert [trace["x"] for trace in traces] == [[0, 1, 10], [1, 10]]
    assert [trace["showlegend"] for trace in traces] == [True, False]
    assert layout["xaxis"]["type"] == "linear"
    assert layout["xaxis2"]["type"] == "log"
    assert "<script src=" not in page


def test_the_picture_is_a_png_of_the_asked_width(tmp_path: Path) -> None:
    write_png(tmp_path / "one.png", chart(), dpi=50)
    write_png(tmp_path / "two.png", chart(), chart(), dpi=50)
    widths = [
        int.from_bytes((tmp_path / name).read_bytes()[16:20], "big")
        for name in ("one.png", "two.png")
    ]
    assert widths == [300, 600]
    write_png(tmp_path / "again.png", chart(), dpi=50)
    assert (tmp_path / "again.png").read_bytes() == (tmp_path / "one.png").read_bytes()


def test_endless_names_are_cut_in_the_middle(tmp_path: Path) -> None:
    """A stranger's file may name its method by a megabyte; files are told apart by both ends."""
    curve = Series.of("begin" + "x" * 200_000 + "end", [1.0, 2.0], [1.0, 2.0])
    panel = Chart("x" * 200_000, "x", "y", (curve,))
    assert _literal(curve.name) == "begin" + "x" * 34 + "…" + "x" * 36 + "end"
    assert _literal("short") == "short"
    write_html(tmp_path / "page.html", panel)
    page = (tmp_path / "page.html").read_text()
    assert r'"name":"begin' + "x" * 34 + r"\u2026" in page


@pytest.mark.parametrize("write", [write_html, write_png])
def test_a_place_that_cannot_be_written(tmp_path: Path, write: object) -> None:
    assert callable(write)
    with pytest.raises(EquipoiseError, match="not a folder"):
        write(tmp_path / "missing" / "plot", chart())
    assert os.listdir(tmp_path) == []


def test_curves_have_equal_lengths() -> None:
    with pytest.raises(EquipoiseError, match="equal lengths"):
        Series.of("curve", [1, 2], [1])


def test_convergence() -> None:
    def log(*seconds: float) -> list[LogRow]:
        return [LogRow(10 * i, 20 * i, -1 / i, 1 / i, t, t) for i, t in enumerate(seconds, start=1)]

    time, iterations = convergence({"one": log(1.0, 2.0), "two": log(0.5)})
    assert [series.name for series in time.series] == ["one", "two"]
    assert time.series[0].x.tolist() == [1, 2]
    assert iterations.series[0].x.tolist() == [10, 20]
    assert iterations.series[0].y.tolist() == [2, 1]
    assert not time.log_x
    long, _ = convergence({"one": log(1.0, 20.0)})
    assert long.log_x


def test_a_double_oracle_is_drawn_with_its_bounds_and_share() -> None:
    part = [LogRow(i, 2 * i, -1 / i, 1 / i, i, i, i / 4) for i in (1, 2, 3)]
    whole = [LogRow(1, 2, -1.0, 1.0, 1.0, 1.0)]
    *gaps, bounds, share = convergence({"part": part, "whole": whole})
    assert [len(chart.series) for chart in gaps] == [2, 2]
    assert [series.name for series in bounds.series] == ["lower, part", "upper, part"]
    assert bounds.series[0].y.tolist() == [-1, -0.5, -1 / 3]
    (curve,) = share.series
    assert curve.y.tolist() == [25, 50, 75]


def test_a_solve_that_is_exact_at_once_is_drawn(tmp_path: Path) -> None:
    """A gap of zero has no place on a logarithmic axis, and a name may look like a formula."""
    charts = convergence({"cash $x_$.eqp (lp)": [LogRow(1, 2, 0.5, 0.5, 0.1, 0.1)]})
    assert not any(panel.is_empty or panel.log_x or panel.log_y for panel in charts)
    assert all(panel.from_zero for panel in charts)
    write_png(tmp_path / "exact.png", *charts)
    write_html(tmp_path / "exact.html", *charts)
    assert sorted(os.listdir(tmp_path)) == ["exact.html", "exact.png"]


def test_labels_of_a_logarithmic_axis_stay_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A decade and a half of seconds, as a short solve has it: each label where no other one is."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    drawn = []
    monkeypatch.setattr(FigureCanvasAgg, "print_png", lambda own, *_, **__: drawn.append(own))
    seconds = [0.13, 2.5, 3.4, 4.3, 6.0]
    write_png(
        tmp_path / "a.png",
        *(Chart("t", "s", "g", (Series.of("c", seconds, seconds),), log_x=True) for _ in range(4)),
    )
    (canvas,) = drawn
    canvas.draw()
    for axes in canvas.figure.axes:
        labels = [text for text in axes.get_xticklabels(which="both") if text.get_text()]
        boxes = sorted((text.get_window_extent() for text in labels), key=lambda box: box.x0)
        assert len(boxes) > 3
        assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
