"""Pictures of a point of a spot: the 13 x 13 grid of who does what, and histograms of equity and value.

In the grid suited hands are above the diagonal and others below. A cell is filled from below as far as the kind of
hand is still there, in the colours of the actions, each as wide as it is likely.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.files import write_atomically
from equipoise.games.poker.ranges import kind_of
from equipoise.plots.chart import PALETTE

if TYPE_CHECKING:
    from equipoise.certificates.spot_hands import PointReport

_EMPTY, _BARS = "#eeeeee", 24


def draw(report: PointReport, stem: Path) -> tuple[Path, ...]:
    """Draw the grid of the player to act and both players' histograms; return the files."""
    grid, bars = Path(f"{stem}-grid.png"), Path(f"{stem}-values.png")
    _write(grid, lambda figure: _grid(report, figure), (7.5, 8.0))
    _write(bars, lambda figure: _histograms(report, figure), (9.0, 3.6))
    return grid, bars


def _write(path: Path, fill: Any, inches: tuple[float, float]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches, layout="constrained")
    fill(figure)
    write_atomically(path, lambda file: figure.savefig(file, format="png", dpi=110))


def _grid(report: PointReport, figure: Any) -> None:
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.patheffects import withStroke

    # Names are read on any colour, and on two at once, by a light edge around their letters.
    edge = [withStroke(linewidth=1.8, foreground="white", alpha=0.85)]
    own = next(own for own in report.players if own.actions)
    spot = report.strategy.spot
    deck, ranks = spot.deck, spot.deck.ranks[::-1]
    axes = figure.add_subplot()
    kinds: dict[str, list[int]] = {}
    for i, hand in enumerate(own.hands):
        kinds.setdefault(kind_of(hand, deck), []).append(i)
    for row, first in enumerate(ranks):
        for column, second in enumerate(ranks):
            high, low = (first, second) if row <= column else (second, first)
            kind = high + low + ("" if row == column else "s" if row < column else "o")
            axes.add_patch(Rectangle((column, row), 1, 1, color=_EMPTY, lw=0))
            hands = kinds.get(kind, [])
            weight = own.reach[hands]
            if weight.sum() > 0:
                height = min(float(weight.mean()), 1.0)
                shares = np.average(own.play[hands], axis=0, weights=weight)
                left = float(column)
                for j, share in enumerate(shares.tolist()):
                    patch = Rectangle(
                        (left, row + 1 - height), share, height, color=_color(j), lw=0
                    )
                    axes.add_patch(patch)
                    left += share
            axes.text(column + 0.06, row + 0.3, kind, fontsize=7.5, path_effects=edge)
    axes.set_xticks(range(len(ranks) + 1), [])
    axes.set_yticks(range(len(ranks) + 1), [])
    axes.grid(color="white", linewidth=1.2)
    axes.set(xlim=(0, len(ranks)), ylim=(len(ranks), 0), aspect="equal")
    axes.tick_params(length=0)
    place = next(i for i in (0, 1) if report.players[i] is own)
    means = [report.mean(place, own.play[:, j]) for j in range(len(own.actions))]
    names = [
        action if np.isnan(mean) else f"{action} {mean:.1%}"
        for action, mean in zip(own.actions, means, strict=True)
    ]
    figure.legend(
        handles=[Patch(color=_color(j), label=name) for j, name in enumerate(names)],
        loc="outside lower center",
        ncols=min(len(names), 4),
        frameon=False,
    )
    figure.suptitle(_title(report, own.player), fontsize=11)


def _color(action: int) -> str:
    return PALETTE[action % (len(PALETTE) - 1)]


def _title(report: PointReport, player: str) -> str:
    board = report.strategy.spot.deck.text(report.strategy.spot.board)
    after = f", after {report.history}" if report.history else ""
    return f"{player} on {board}{report.cards}{after}"


def _histograms(report: PointReport, figure: Any) -> None:
    for axes, name, column in zip(
        figure.subplots(1, 2),
        ("equity", "value, chips"),
        (lambda own: own.equity, lambda own: own.value),
        strict=True,
    ):
        values = [column(own) for own in report.players]
        known = np.concatenate([own[~np.isnan(own)] for own in values])
        least = known.min(initial=np.inf if len(known) else 0.0)
        edges = np.linspace(least, known.max(initial=least + 1e-9), _BARS + 1)
        for i, own in enumerate(report.players):
            here = ~np.isnan(values[i])
            weight = (own.reach * report.met[i])[here]
            mean = report.mean(i, values[i])
            axes.hist(
                values[i][here], edges, weights=100 * weight / max(weight.sum(), 1e-300), alpha=0.55,
                color=_color(i), label=own.player + ("" if np.isnan(mean) else f", mean {mean:.3g}"),
            )  # fmt: skip
        axes.set(xlabel=name, ylabel="% of the range")
        axes.set_ylim(0, 1.3 * axes.get_ylim()[1])  # room for the names
        axes.legend(frameon=False, fontsize=8, loc="upper center", ncols=2)
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(_title(report, "Both players"), fontsize=11)
