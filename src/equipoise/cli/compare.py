"""``equipoise compare``: agents exactly against each other and against their nemeses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli import options
from equipoise.cli.output import note, number, print_json, print_table
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.certificates.match import Comparison


def command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="STRATEGY...", help="Strategy files of one game, or texts (*.txt): the agents."
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(help="The game they play.", show_default="the one that the first file names"),
    ] = None,
    equilibrium: Annotated[
        Path | None,
        typer.Option(help="An equilibrium, which meets all the others and is listed last."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Plot them, to files of this name without ending.")
    ] = None,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> None:
    """Let agents of a two-player zero-sum game meet: each other, an equilibrium, and their nemeses.

    Every number is an exact expectation in the full game, the mean over both seats: nothing is sampled.
    """
    from equipoise.certificates.match import compare
    from equipoise.cli.loading import load_game, strategy_of_game
    from equipoise.cli.progress import status_line
    from equipoise.games.base import in_words
    from equipoise.road.verbs import open

    rules = open(files[0]).rules if game is None else load_game(game)
    if getattr(rules, "family", "") != "zero-sum":
        raise EquipoiseError(
            f"compare: found a {in_words(rules.family)}, expected a two-player zero-sum game."
        )
    entries = [*files, *([] if equilibrium is None else [equilibrium])]
    names = [str(file) for file in entries]
    if len(set(names)) < len(names):
        raise EquipoiseError("compare: found a file twice, expected every agent once.")
    agents = {
        name: strategy_of_game(file, rules) for name, file in zip(names, entries, strict=True)
    }
    with status_line(not json) as say:
        found = compare(
            rules,
            agents,
            watch=lambda done, of: say and say(f"{done} of {of} meetings", done / of),
        )
    plotted = None if out is None else _plot(found, out)
    if json:
        fields = {"game": rules.name, "agents": found.names, "values": found.values}
        print_json({**fields, "met": found.met, "nemesis": found.worst, "plot": plotted})
        return
    short = [f"{i + 1}" for i in range(len(found.names))]
    header = ("agent", *(f"against {i}" for i in short), "against the nemesis", "value")
    rows = [
        (f"{short[i]}  {name}", *map(number, found.met[i]), number(found.worst[i]), number(value))
        for i, (name, value) in enumerate(zip(found.names, found.values, strict=True))
    ]
    print_table(header, rows)
    if plotted:
        note(f"plotted in {' and '.join(plotted)}")


def _plot(found: Comparison, stem: Path) -> list[str]:
    """Write the chart as a page and as a picture; return their names."""
    from equipoise.plots.chart import write_html, write_png
    from equipoise.plots.comparison import comparison

    page, picture = Path(f"{stem}.html"), Path(f"{stem}.png")
    write_html(page, comparison(found))
    write_png(picture, comparison(found))
    return [str(page), str(picture)]
