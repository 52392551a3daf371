"""``equipoise show``: a strategy as a table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import console, note, print_json
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.road.families import Sheet
    from equipoise.strategy.table import LocalStrategy

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
    if limit is None and not json:
        limit = _LIMIT
    if limit is not None and limit < 0:
        raise EquipoiseError(f"--limit: found {limit}, expected a number >= 0.")
    sheets = _sheets(strategy, game)
    if sheets is not None:
        _show_sheets(*sheets, json)
        return
    named, chosen, shown = _chosen(strategy, game, player, match, limit)
    if json:
        print_json({"game": named, "infosets": chosen, "strategy": decision_fields(shown)})
        return
    print_decisions(shown)
    if len(shown) < chosen:
        note(f"{chosen - len(shown):,} more information sets: raise --limit to see them.")


def _sheets(strategy: Path, game: str | None) -> tuple[str, list[Sheet]] | None:
    """Return the game's name and the tables of a strategy whose family has no information sets."""
    from equipoise.road.families import FAMILIES, family
    from equipoise.road.verbs import open
    from equipoise.strategy.store import load_solved

    kind = str(load_solved(strategy, verify=False).metadata.get("family"))
    if kind not in FAMILIES or kind in ("zero-sum", "general-sum", "tournament"):
        return None
    result = open(strategy, game)
    return result.spec, list(family(result.family).tables(result))


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


def _chosen(
    strategy: Path, game: str | None, player: int | None, match: str | None, limit: int | None
) -> tuple[str, int, list[LocalStrategy]]:
    """Return the game's name, how many information sets are meant, and the first of them."""
    from equipoise.cli.loading import load_game, load_strategy, player_names, require_strategy_of
    from equipoise.strategy.store import load_solved, spec_of
    from equipoise.strategy.table import decisions_in, groups

    if "tournament" in load_solved(strategy, verify=False).metadata:
        return _of_tournament(strategy, game, player, match, limit)
    profile, bundle = load_strategy(strategy)
    rules = load_game(game or spec_of(strategy, bundle) or profile.game)
    require_strategy_of(strategy, profile, rules)
    players = len(player_names(rules))
    _require_player(player, players)
    chosen = 0
    shown: list[LocalStrategy] = []
    for group in groups(rules):
        if player in (None, group.player + 1):
            own = [k for k, label in enumerate(group.labels) if match is None or match in label]
            chosen += len(own)
            room = None if limit is None else limit - len(shown)
            shown += decisions_in(group, profile, own[:room])
    return profile.game, chosen, shown


def _of_tournament(
    strategy: Path, game: str | None, player: int | None, match: str | None, limit: int | None
) -> tuple[str, int, list[LocalStrategy]]:
    """Return the same of a tournament, whose players are positions."""
    from equipoise.road.verbs import open

    result = open(strategy, game)
    _require_player(player, result.game.players)
    chosen, shown = 0, []
    for line in result.strategy.decisions():
        if player in (None, line.player + 1) and (match is None or match in line.infoset):
            chosen += 1
            if limit is None or chosen <= limit:
                shown.append(line)
    return result.spec, chosen, shown


def _require_player(player: int | None, players: int) -> None:
    """Raise unless there is such a player."""
    if player is not None and not 1 <= player <= players:
        raise EquipoiseError(f"--player: found {player}, expected 1 to {players}.")


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
