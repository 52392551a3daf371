"""Pictures of repeated games: v and its concavification, and plays converging to the value.

Two states make a curve, three a triangle: a map of both functions on paper, two surfaces in space on
a page. The concavification is drawn as the upper hull of v at many points, to the eye's accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.files import write_atomically
from equipoise.games.repeated.game import RepeatedGame
from equipoise.plots.chart import PALETTE, Chart, Series, write_html, write_png
from equipoise.solvers.repeated.cav_grid import grid
from equipoise.strategy.repeated import Splitting

Floats = NDArray[np.float64]

_CURVE, _TRIANGLE = 400, 60
"""Parts into which an edge of the simplex is divided for drawing."""
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]])
"""Where the triangle's corners lie on paper."""
_LEVELS = 14


class Drawn(Protocol):
    """What is drawn: a solution, or a strategy for each player."""

    @property
    def game(self) -> RepeatedGame:
        """The game."""

    @property
    def splitting(self) -> Splitting:
        """The informed player's splitting of the prior."""

    @property
    def value(self) -> float:
        """What the game is worth to her."""


def draw(stem: str | Path, solution: Drawn) -> tuple[Path, Path]:
    """Draw v and cav v of a game with two or three states, as ``stem``.html and ``stem``.png."""
    page, picture = Path(f"{stem}.html"), Path(f"{stem}.png")
    states = len(solution.game.states)
    if states == 2:
        write_html(page, curves(solution))
        write_png(picture, curves(solution))
    elif states == 3:
        _write_surfaces(page, solution)
        _write_maps(picture, solution)
    else:
        raise EquipoiseError(
            f"Plot of {solution.game.name}: found {states} states, expected two (a curve) or three "
            "(a triangle)."
        )
    return page, picture


def curves(solution: Drawn) -> Chart:
    """Return the chart of v and cav v over the probability of the first of two states."""
    game, splitting = solution.game, solution.splitting
    q = np.vstack([grid(2, _CURVE), splitting.posteriors, game.prior])
    q = q[np.argsort(q[:, 0], kind="stable")]
    v = game.values(q)
    return Chart(
        title=f"{game.name}: value {solution.value:.6g}",
        x_label=f"probability of state {game.states[0]}",
        y_label="payoff of the informed player",
        series=(
            Series.of("v, nothing revealed", q[:, 0], v),
            Series.of("cav v, the repeated game", q[:, 0], concave_hull(q, v)),
            Series.of("splitting", splitting.posteriors[:, 0], splitting.values, is_line=False),
            Series.of("prior", game.prior[:1], [solution.value], is_line=False),
        ),
        legend_below=True,
    )


def plays(
    title: str, value: float, averages: Mapping[str, Floats], stages: NDArray[np.int_]
) -> Chart:
    """Return the chart of average payoffs after each number of stages, beside the value."""
    lines = [Series.of(name, stages, average) for name, average in averages.items()]
    ends = stages[[0, -1]]
    return Chart(
        title=title,
        x_label="stages",
        y_label="average payoff",
        series=(*lines, Series.of("value", ends, np.full(2, value))),
        log_x=True,
        legend_below=True,
    )


def concave_hull(q: Floats, v: Floats) -> Floats:
    """Return, at the points q, the smallest concave function that is nowhere below v there."""
    from scipy.spatial import ConvexHull

    low, spread = v.min(), np.ptp(v)
    if spread == 0:
        return v
    # In units of its own range, so that the hull's tolerances mean the same for every game. Corners far
    # below make the hull solid, and add no upper face.
    v = (v - low) / spread
    floor = np.full(q.shape[1], -2.0)
    solid = np.vstack(
        [np.column_stack([q, v])[:, 1:], np.column_stack([np.eye(q.shape[1]), floor])[:, 1:]]
    )
    faces = ConvexHull(solid).equations
    upper = faces[faces[:, -2] > 1e-9]
    heights = -(q[:, 1:] @ upper[:, :-2].T + upper[:, -1]) / upper[:, -2]
    return np.asarray(low + spread * heights.min(axis=1))


def _sampled(game: RepeatedGame, extra: Floats) -> tuple[Floats, Floats, Floats]:
    """Return points of the triangle, v and cav v there; the extra points come last."""
    q = np.vstack([grid(3, _TRIANGLE), extra])
    v = game.values(q)
    return q, v, concave_hull(q, v)


def _write_maps(path: Path, solution: Drawn) -> None:
    """Write v and cav v as two maps of the triangle, with the splitting on the second."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    game, posteriors = solution.game, solution.splitting.posteriors
    q, v, cav = _sampled(game, posteriors)
    x, y = (q @ _CORNERS).T
    levels = np.linspace(min(v.min(), cav.min()), max(v.max(), cav.max()) + 1e-9, _LEVELS)
    figure = Figure(figsize=(11.0, 5.0), dpi=110, layout="constrained")
    figure.suptitle(f"{game.name}: value {solution.value:.6g}")
    panels = figure.subplots(1, 2)
    for axes, heights, title in zip(
        panels, (v, cav), ("v, nothing revealed", "cav v, the repeated game"), strict=True
    ):
        axes.tricontourf(x, y, heights, levels=levels, cmap="viridis")
        axes.tricontour(x, y, heights, levels=levels, colors="white", linewidths=0.4)
        _label_corners(axes, game)
        axes.set_title(title, pad=24)
        prior = game.prior @ _CORNERS
        places = posteriors @ _CORNERS
        for place in places:
            axes.plot(*np.array([prior, place]).T, color="white", linewidth=1.2)
        axes.scatter(
            *places.T,
            color=PALETTE[1],
            edgecolor="white",
            zorder=3,
            clip_on=False,
            label="splitting",
        )
        axes.scatter(*prior, color="white", edgecolor="black", marker="s", zorder=4, label="prior")
    panels[1].legend(frameon=False, loc="upper right")
    scale = panels[0].collections[0]
    figure.colorbar(scale, ax=panels, label="payoff of the informed player", format="%.3g")
    canvas = FigureCanvasAgg(figure)
    write_atomically(path, lambda file: canvas.print_png(file, metadata={"Software": None}))


def _label_corners(axes: Any, game: RepeatedGame) -> None:
    """Draw the triangle's edge and name its corners."""
    axes.plot(*np.vstack([_CORNERS, _CORNERS[:1]]).T, color="black", linewidth=0.8)
    offsets = ((-6, -6, "right"), (6, -6, "left"), (0, 6, "center"))
    for name, corner, (dx, dy, side) in zip(game.states, _CORNERS, offsets, strict=True):
        axes.annotate(
            name, corner, xytext=(dx, dy), textcoords="offset points", ha=side, va="center"
        )
    axes.set_aspect("equal")
    axes.set_axis_off()


def _write_surfaces(path: Path, solution: Drawn) -> None:
    """Write v and cav v as two surfaces over the triangle, to be turned about."""
    from plotly.graph_objects import Figure, Mesh3d, Scatter3d

    game, splitting = solution.game, solution.splitting
    q, v, cav = _sampled(game, splitting.posteriors)
    x, y = (q @ _CORNERS).T.tolist()
    figure = Figure()
    for heights, name, color, opacity in (
        (v, "v, nothing revealed", PALETTE[0], 0.9),
        (cav, "cav v, the repeated game", PALETTE[4], 0.45),
    ):
        figure.add_trace(
            Mesh3d(
                x=x,
                y=y,
                z=heights.tolist(),
                color=color,
                opacity=opacity,
                name=name,
                showlegend=True,
            )
        )
    for name, places, heights, color in (
        ("splitting", splitting.posteriors, splitting.values, PALETTE[1]),
        ("prior", game.prior[None], np.array([solution.value]), PALETTE[6]),
    ):
        across, along = (places @ _CORNERS).T.tolist()
        marks = Scatter3d(
            x=across,
            y=along,
            z=heights.tolist(),
            name=name,
            mode="markers",
            marker={"color": color, "size": 5},
        )
        figure.add_trace(marks)
    corners = Scatter3d(
        x=_CORNERS[:, 0].tolist(),
        y=_CORNERS[:, 1].tolist(),
        z=[float(v.min())] * 3,
        text=[f"state {name}" for name in game.states],
        mode="text",
        showlegend=False,
    )
    figure.add_trace(corners)
    hidden = {"visible": False}
    figure.update_layout(
        template="plotly_white",
        title=f"{game.name}: value {solution.value:.6g}",
        scene={"xaxis": hidden, "yaxis": hidden, "zaxis": {"title": "payoff"}},
    )
    page = figure.to_html(include_plotlyjs=True, full_html=True)
    write_atomically(path, lambda file: file.write(page.encode()))
