"""``equipoise hands``: what the hands of a solved spot are worth at a point, and what their actions cost."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import print_facts, print_json, print_table
from equipoise.errors import EquipoiseError


def command(
    strategy: options.StrategyFile,
    at: Annotated[str, typer.Option(help="The history, as in 'k,B120,c/'.")] = "",
    cards: Annotated[str, typer.Option(help="Cards that have come since the board.")] = "",
    game: Annotated[
        str | None, typer.Option(help="The game, if the file it came from has moved.")
    ] = None,
    table: Annotated[Path | None, typer.Option("--csv", help="Write all hands as CSV.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw grid and histograms: name without ending.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Show reach, equity and value of every hand at a point of a spot, and what each action costs."""
    from equipoise.certificates.spot_hands import report
    from equipoise.files import write_atomically
    from equipoise.games.base import in_words
    from equipoise.road.flop_table import table_text
    from equipoise.road.verbs import open

    result = open(strategy, game)
    if result.family != "spot":
        raise EquipoiseError(f"{strategy}: found a {in_words(result.family)}, expected a spot.")
    found = report(result.strategy, at, cards)
    rows = [*found.rows(0), *found.rows(1)]
    if table is not None:
        text = table_text(rows)
        write_atomically(table, lambda file: file.write(text.encode()))
    pictures: tuple[Path, ...] = ()
    if plot is not None:
        from equipoise.plots.range_grid import draw

        pictures = draw(found, plot)
    if json:
        print_json(
            {
                "history": at,
                "cards": cards,
                "ranges": found.totals(),
                "hands": rows,
                "pictures": [str(picture) for picture in pictures],
            }
        )
        return
    for own in found.totals():
        typer.echo(own["player"])
        if math.isnan(own["value"]):
            print_facts({"combos": f"{own['combos']:.2f}", "value": "none: nothing to meet here"})
            continue
        facts = {"combos": f"{own['combos']:.2f}", "equity": f"{own['equity']:.2%}"}
        facts["value"] = f"{own['value']:.3f} chips"
        facts |= {f"plays {a}": f"{share:.2%}" for a, share in own.get("play", {}).items()}
        print_facts(facts)
    acting = next(i for i in (0, 1) if found.players[i].actions)
    _print_hands(found.rows(acting), found.players[acting].actions)


def _print_hands(rows: list[dict[str, Any]], actions: tuple[str, ...]) -> None:
    """Print what every hand of the player to act does, and what her actions cost."""
    header = ("hand", "reach", "equity", "value", *(f"{a} (cost)" for a in actions))
    shown = [
        (
            row["hand"],
            f"{row['reach']:.3f}",
            "-" if row["equity"] is None else f"{row['equity']:.1%}",
            _chips(row["value"]),
            *(f"{row[f'play {a}']:.1%} ({_chips(row[f'cost {a}'])})" for a in actions),
        )
        for row in rows
    ]
    print_table(header, shown)


def _chips(worth: float | None) -> str:
    """Return what something is worth; a hand that meets no other is worth nothing that could be said."""
    return "-" if worth is None else f"{worth:.2f}"
