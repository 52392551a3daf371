"""Tables 6.6 to 6.9 of Gilpin (2009) from the figures of ``abstraction_study.py``: his numbers beside ours.

    python experiments/tables_6.py [--table 6.8] [--plot STEM]

Nothing is computed: what is not in ``results/abstraction_study.json`` yet is left out. In brackets stands
the solver's error, the sum of the gaps of the agents' own models: by so much, both players together, they
fall short of equilibria of what they see. (It is no bound on what another equilibrium of the same model
would earn: models have many.)
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from abstraction_study import GAMES, GRANULARITIES, METHODS, PAIRS, RESULTS

# Rows as printed: EB against EB2, EB against PA, EB2 against PA (Table 6.6).
HEAD_TO_HEAD = (
    (0.1490, 16.6223, 17.0938),
    (-0.1272, -1.0627, -0.5200),
    (0.1787, -8.5784, -8.4891),
    (0.2340, -6.9880, -7.1448),
    (0.1713, -6.4130, -6.3567),
    (0.1813, -5.5707, -5.6879),
    (0.0000, -0.0877, -0.0877),
)
# EB, EB2, PA against an equilibrium (6.7), against their nemeses (6.8), and estimates of the value (6.9).
EQUILIBRIUM = (
    (-25.0312, -25.0807, -41.7910),
    (-19.6519, -19.2139, -18.2612),
    (-15.4708, -15.3714, -10.5562),
    (-11.9801, -12.0462, -5.4248),
    (-9.3718, -9.3465, -3.2392),
    (-6.8172, -6.9536, -1.5770),
    (-0.0877, -0.0877, 0.0000),
)
NEMESIS = (
    (-160.527, -163.527, -204.022),
    (-134.406, -134.946, -125.972),
    (-97.970, -99.145, -68.238),
    (-68.888, -72.218, -45.124),
    (-44.761, -47.334, -24.200),
    (-29.556, -31.212, -12.067),
    (-0.429, -0.429, -0.001),
)
VALUE = (
    (-68.8710, -69.1463, -56.9853),
    (-59.6962, -59.5952, -62.2535),
    (-60.1006, -59.9381, -59.8614),
    (-60.3524, -60.3941, -63.8007),
    (-61.6250, -61.6343, -63.9787),
    (-61.8371, -61.8717, -64.0957),
    (-64.2361, -64.2361, -64.1987),
)
PUBLISHED_VALUE = -64.1987

TABLES = {
    "6.6": ("head to head", tuple(f"{a} vs {b}" for a, b in PAIRS), HEAD_TO_HEAD),
    "6.7": ("against equilibrium", tuple(f"{a} equilibrium" for a in METHODS), EQUILIBRIUM),
    "6.8": ("against the nemesis", tuple(f"{a} nemesis" for a in METHODS), NEMESIS),
    "6.9": ("estimate of the value", tuple(f"{a} value" for a in METHODS), VALUE),
}


def print_table(name: str, figures: dict[str, Any], *, is_published: bool = True) -> None:
    """Print a table as Markdown, for both games: ours, the solver's error, the published number."""
    title, columns, published = TABLES[name]
    beside = dict(zip(GRANULARITIES, published, strict=True)) if is_published else {}
    width = 1 + is_published
    for game in GAMES:
        cells = figures.get(game, {})
        if not cells:
            continue
        value = next((own["value"] for own in cells.values() if "value" in own), None)
        print(f"\n**Table {name}, {title}, in the {game} game** (chips a hand)\n")
        heads = [column if name == "6.6" else column.split()[0] for column in columns]
        words = [word for head in heads for word in (head, "published")[:width]]
        print(f"| granularity | {' | '.join(words)} |")
        print("| --- " + "| ---: " * len(words) + "|")
        for granularity in sorted(cells, key=_size):
            row = []
            for j, column in enumerate(columns):
                ours = cells[granularity].get(column)
                row.append(
                    "" if ours is None else _entry(name, ours, value, column, granularity, figures)
                )
                if is_published:
                    theirs = beside.get(granularity)
                    row.append("" if theirs is None else _published(name, theirs[j]))
            print(f"| {granularity} | {' | '.join(row)} |")


def _size(granularity: str) -> tuple[int, ...]:
    """Return the numbers of buckets, the last round's first."""
    return tuple(int(count) for count in reversed(granularity.split("-")))


def _entry(
    table: str,
    ours: float,
    value: float | None,
    column: str,
    granularity: str,
    figures: dict[str, Any],
) -> str:
    """Return one of our entries with the solver's error, and for values the distance to the game's."""
    agents = [METHODS[short] for short in column.split(" ") if short in METHODS]
    gaps = [figures["agents"][f"{method}({granularity})"]["gap"] for method in agents]
    text = f"{ours:.3f}"
    if table == "6.9" and value is not None:
        text += f", off by {abs(ours - value):.3f}"
    return f"{text} ({sum(gaps):.2f})"


def _published(table: str, number: float) -> str:
    """Return a published number, and for values the distance to the published value of the game."""
    if table == "6.9":
        return f"{number:.3f}, off by {abs(number - PUBLISHED_VALUE):.3f}"
    return f"{number:.3f}"


def print_cost(figures: dict[str, Any]) -> None:
    """Print how much processor time the figures took, and which abstraction took most of it."""
    agents = figures["agents"]
    making = {name: own.get("abstraction_seconds", 0.0) for name, own in agents.items()}
    solving = sum(own.get("cpu_seconds", 0.0) for own in agents.values())
    meeting = sum(own.get("cpu_seconds", 0.0) for game in GAMES for own in figures[game].values())
    longest = max(making, key=making.__getitem__)
    print(
        f"\nProcessor time: {solving / 60:.1f} minutes of solving {len(agents)} models, "
        f"{sum(making.values()) / 60:.1f} of making them (the longest {making[longest]:.1f} s, {longest}), "
        f"{meeting / 60:.1f} of meetings."
    )


def plot(stem: Path, figures: dict[str, Any]) -> None:
    """Draw what agents lose to their nemeses in both games, and to equilibria, as pages and pictures."""
    from equipoise.plots.chart import Chart, Series, write_html, write_png

    charts = []
    for table, game in (("6.8", "histogram"), ("6.8", "true"), ("6.7", "histogram")):
        title, columns, published = TABLES[table]
        ours, theirs = [], []
        for j, column in enumerate(columns):
            cells = sorted((_size(g)[0], own[column]) for g, own in figures[game].items())
            lost = [-earned for _, earned in cells]
            ours.append(Series.of(column.split()[0], [size for size, _ in cells], lost))
            if game == "histogram":  # where the published numbers are from
                sizes, name = (
                    [_size(g)[0] for g in GRANULARITIES],
                    f"{column.split()[0]}, published",
                )
                lost = [-row[j] for row in published]
                theirs.append(Series.of(name, sizes, lost, is_line=False, like=j))
        charts.append(
            Chart(
                f"Lost to {title.removeprefix('against ')} in the {game} game",
                "buckets in the last round",
                "chips a hand",
                (*ours, *theirs),
            )
        )
    write_html(stem.with_suffix(".html"), *charts)
    write_png(stem.with_suffix(".png"), *charts, dpi=80)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", choices=[*TABLES], action="append")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args(arguments)
    figures = json.loads(given.results.read_text())
    for table in given.table or TABLES:
        print_table(table, figures)
    print_cost(figures)
    if given.plot is not None:
        plot(given.plot, figures)


if __name__ == "__main__":
    main()
