"""``equipoise show``: a strategy as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import console, note, print_json
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.road.families import Sheet
    from equipoise.strategy.local import LocalStrategy

# A game with signals has millions of information sets; a table that long is of no use to anyone.
_LIMIT = 1000


def command(
    strategy: options.StrategyFile,
    player: Annotated[int | None, typer.Option(help="Only this player's (1, 2, ...).")] = None,
    match: Annotated[
        str | None, typer.Option(help="Only information sets whose label contains this text.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(help="At most this many lines.", show_default="1000; with --json, all"),
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="The game, if the file it came from has moved.")
    ] = None,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> None:
    """Show what a strategy does in each information set."""
    from equipoise.road.families import Asked, family, player_names
    from equipoise.road.verbs import open

    if limit is None and not json:
        limit = _LIMIT
    if limit is not None and limit < 0:
        raise EquipoiseError(f"--limit: found {limit}, expected a number >= 0.")
    result = open(strategy, game)
    kind, players = family(result.family), len(player_names(result.rules))
    if player is not None and not 1 <= player <= players:
        raise EquipoiseError(f"--player: found {player}, expected 1 to {players}.")
    named = kind.identity(result.rules)[0]
    asked = Asked(None if player is None else player - 1, match, limit)
    lines = kind.lines(result, asked)
    if lines is None:
        _show_sheets(named, list(kind.tables(result)), json)
        return
    if json:
        fields = decision_fields(lines.shown)
        print_json({"game": named, "infosets": lines.total, "strategy": fields})
        return
    print_decisions(lines.shown)
    if len(lines.shown) < lines.total:
        left = lines.total - len(lines.shown)
        note(f"{left:,} more information sets: raise --limit to see them.")


def _show_sheets(named: str, sheets: list[Sheet], json: bool) -> None:
    """Print the tables of a family."""
    from equipoise.cli.report import print_tables

    if json:
        fields = [
            [dict(zip(sheet.header, row, strict=True)) for row in sheet.rows] for sheet in sheets
        ]
        print_json({"game": named, "tables": fields})
    else:
        print_tables(sheets)


def decision_fields(lines: Iterable[LocalStrategy]) -> list[dict[str, Any]]:
    """Return the lines of a strategy in the words of the JSON object."""
    return [
        {
            "player": line.player + 1,
            "infoset": line.infoset,
            "probabilities": dict(zip(line.actions, line.probabilities, strict=True)),
        }
        for line in lines
    ]


def print_decisions(lines: Iterable[LocalStrategy]) -> None:
    """Print a table with one line an information set and a cell for each action."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table("player", "information set", "plays", box=box.SIMPLE_HEAD)
    for line in lines:
        plays = "  ".join(
            f"[dim]{escape(action)}[/dim] {probability:<6.4f}"
            for action, probability in zip(line.actions, line.probabilities, strict=True)
        )
        table.add_row(str(line.player + 1), escape(line.infoset), plays)
    console().print(table)
