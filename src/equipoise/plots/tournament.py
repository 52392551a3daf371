"""Pictures of tournaments: ranges of hands as 13 x 13 grids, and how far ICM is off, over all stacks.

Each comes as a page to explore (HTML) and as a picture to print (PNG). Three players' stacks are points of
a triangle, whose corners are a player with all the chips.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.showdown import CLASSES
from equipoise.files import write_atomically
from equipoise.games.tournaments.tournament import POSITIONS, Hands, decisions, describe
from equipoise.plots.chart import Chart, Series, write_html, write_png
from equipoise.strategy.tournament import TournamentStrategy

Floats = NDArray[np.float64]

_GRID = 13
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]])
"""Where the triangle's corners lie on paper: all the chips with the first, second, third to act."""
# White to blue for ranges; red below ICM, blue above, which people with colour-blindness tell apart.
_RANGE_COLORS, _DIFFERENCE_COLORS = "Blues", "RdBu"


def draw(
    stem: str | Path,
    strategy: TournamentStrategy,
    values: Mapping[int, Floats],
    stacks: Sequence[int],
) -> list[Path]:
    """Draw ``stem``-ranges at ``stacks`` (in chips) and ``stem``-icm over all stacks."""
    written = []
    for name, write in (("ranges", _write_ranges), ("icm", _write_values)):
        page, picture = Path(f"{stem}-{name}.html"), Path(f"{stem}-{name}.png")
        write(page, picture, strategy, values, stacks)
        written += [page, picture]
    return written


def _write_ranges(
    page: Path,
    picture: Path,
    strategy: TournamentStrategy,
    values: Mapping[int, Floats],
    stacks: Sequence[int],
) -> None:
    """Write one grid for each decision at ``stacks``."""
    m = len(stacks)
    shares = strategy.shares(stacks)
    names = [describe(m, decision) for decision in decisions(m)]
    titles = [f"{name}: {share:.1%}" for name, share in zip(names, shares, strict=True)]
    places = zip(POSITIONS[m], stacks, strict=True)
    title = "Hands that go in, " + ", ".join(f"{name} {stack:,}" for name, stack in places)
    grids = strategy.at(stacks).reshape(-1, _GRID, _GRID)
    _ranges_page(page, title, titles, grids)
    _ranges_picture(picture, title, titles, grids)


def _ranges_page(path: Path, title: str, titles: Sequence[str], grids: Floats) -> None:
    """Write the grids with the name and chance of each hand under the pointer."""
    from plotly.graph_objects import Heatmap
    from plotly.subplots import make_subplots

    rows, columns = _layout(len(grids))
    figure = make_subplots(rows=rows, cols=columns, subplot_titles=titles)
    names = np.array(CLASSES).reshape(_GRID, _GRID)
    for place, grid in enumerate(grids):
        heat = Heatmap(
            z=grid[::-1].tolist(),
            text=names[::-1].tolist(),
            texttemplate="%{text}",
            textfont={"size": 8},
            hovertemplate="%{text}: %{z:.1%}<extra></extra>",
            colorscale=_RANGE_COLORS,
            zmin=0,
            zmax=1,
            showscale=place == 0,
            xgap=1,
            ygap=1,
        )
        figure.add_trace(heat, row=place // columns + 1, col=place % columns + 1)
    figure.update_xaxes(showticklabels=False, constrain="domain")
    figure.update_yaxes(showticklabels=False, constrain="domain")
    # Each grid's own axes go together: then every cell is a square.
    figure.for_each_yaxis(lambda axis: axis.update(scaleanchor=axis.anchor))
    figure.update_layout(template="plotly_white", title=title, height=460 * rows)
    text = figure.to_html(include_plotlyjs=True, full_html=True)
    write_atomically(path, lambda file: file.write(text.encode()))


def _ranges_picture(path: Path, title: str, titles: Sequence[str], grids: Floats) -> None:
    """Write the grids with the name of each hand in its cell."""
    from matplotlib.figure import Figure

    rows, columns = _layout(len(grids))
    figure = Figure(figsize=(4.6 * columns + 0.8, 4.6 * rows + 0.3), dpi=110, layout="constrained")
    figure.suptitle(title)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, caption, grid in zip(panels, titles, grids, strict=True):
        shown = axes.imshow(grid, cmap=_RANGE_COLORS, vmin=0, vmax=1)
        for hand, (row, column) in enumerate(np.ndindex(_GRID, _GRID)):
            color = "white" if grid[row, column] > 0.6 else "black"
            axes.text(column, row, CLASSES[hand], ha="center", va="center", size=5.5, color=color)
        axes.set_title(caption)
        axes.set_xticks(np.arange(_GRID + 1) - 0.5, [])
        axes.set_yticks(np.arange(_GRID + 1) - 0.5, [])
        axes.grid(color="white", linewidth=0.8)
        axes.tick_params(length=0)
    figure.colorbar(shown, ax=panels.tolist(), label="how often the hand goes in", shrink=0.6)
    _write_png(path, figure)


def _write_values(
    page: Path,
    picture: Path,
    strategy: TournamentStrategy,
    values: Mapping[int, Floats],
    stacks: Sequence[int],
) -> None:
    """Write equilibrium values less ICM's, over all stacks, for every position."""
    rules = strategy.tournament
    m = rules.players
    hands = Hands(rules, m)
    off = (values[m] - hands.icm()).reshape(-1, m)
    points = np.array(hands.states) * rules.unit
    title = f"Equilibrium value less ICM, {rules.chips:,} chips, blinds {rules.blinds[0]}/{rules.blinds[1]}"
    if m == 2:
        curves = tuple(
            Series.of(name, points[:, p], off[:, p]) for p, name in enumerate(POSITIONS[m])
        )
        chart = Chart(title, "chips of the player", "value less ICM", curves)
        write_html(page, chart)
        write_png(picture, chart)
        return
    _values_page(page, title, points, off)
    _values_picture(picture, title, points, off)


def _values_page(path: Path, title: str, points: NDArray[Any], off: Floats) -> None:
    """Write one triangle for each position, with stacks and numbers under the pointer."""
    from plotly.graph_objects import Scatterternary
    from plotly.subplots import make_subplots

    names, limit = POSITIONS[3], float(np.abs(off).max())
    figure = make_subplots(
        rows=1,
        cols=3,
        specs=[[{"type": "ternary"}] * 3],
        subplot_titles=_captions(),
        horizontal_spacing=0.12,
    )
    # There are half as many states as the square of the units: so the marks nearly touch.
    size = max(4.0, 260 / np.sqrt(2 * len(points)))
    for p in range(3):
        marks = Scatterternary(
            a=points[:, 2].tolist(),
            b=points[:, 0].tolist(),
            c=points[:, 1].tolist(),
            mode="markers",
            marker={
                "color": off[:, p].tolist(),
                "colorscale": _DIFFERENCE_COLORS,
                "cmin": -limit,
                "cmax": limit,
                "size": size,
                "symbol": "hexagon",
                "showscale": p == 2,
                "colorbar": {"x": 1.08},
            },
            hovertemplate=(
                f"{names[0]} %{{b}}<br>{names[1]} %{{c}}<br>{names[2]} %{{a}}<br>"
                "%{marker.color:+.3f}<extra></extra>"
            ),
            showlegend=False,
        )
        figure.add_trace(marks, row=1, col=p + 1)
    axes = {"aaxis_title": names[2], "baxis_title": names[0], "caxis_title": names[1]}
    figure.update_ternaries(sum=int(points[0].sum()), **axes)
    figure.update_layout(template="plotly_white", title=title, height=560)
    text = figure.to_html(include_plotlyjs=True, full_html=True)
    write_atomically(path, lambda file: file.write(text.encode()))


def _values_picture(path: Path, title: str, points: NDArray[Any], off: Floats) -> None:
    """Write one triangle for each position, shaded between the states."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15.0, 5.2), dpi=110, layout="constrained")
    figure.suptitle(title)
    limit = float(np.abs(off).max())
    places = points / points.sum(axis=1, keepdims=True) @ _CORNERS
    panels = figure.subplots(1, 3)
    for p, (axes, caption) in enumerate(zip(panels, _captions(), strict=True)):
        shown = axes.tripcolor(
            *places.T,
            off[:, p],
            cmap=_DIFFERENCE_COLORS,
            vmin=-limit,
            vmax=limit,
            shading="gouraud",
        )
        axes.plot(*np.vstack([_CORNERS, _CORNERS[:1]]).T, color="black", linewidth=0.8)
        offsets = ((-4, -8, "left"), (4, -8, "right"), (0, 8, "center"))
        for name, corner, (dx, dy, side) in zip(POSITIONS[3], _CORNERS, offsets, strict=True):
            axes.annotate(
                f"{name} has all", corner, xytext=(dx, dy), textcoords="offset points", ha=side,
                va="center",
            )  # fmt: skip
        axes.set_title(caption, pad=18)
        axes.set_aspect("equal")
        axes.set_axis_off()
    figure.colorbar(shown, ax=panels.tolist(), label="money above ICM", shrink=0.8)
    _write_png(path, figure)


def _captions() -> list[str]:
    return [f"for the {name}" for name in POSITIONS[3]]


def _layout(panels: int) -> tuple[int, int]:
    """Return rows and columns for so many grids."""
    columns = min(panels, 3)
    return -(-panels // columns), columns


def _write_png(path: Path, figure: Any) -> None:
    """Write a Matplotlib figure, the same bytes for the same picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    write_atomically(path, lambda file: canvas.print_png(file, metadata={"Software": None}))
