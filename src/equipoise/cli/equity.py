"""``equipoise equity``: how often hands or ranges of hold'em win, exactly."""

from __future__ import annotations

from typing import Annotated

import typer

from equipoise.cli import options
from equipoise.cli.output import print_json, print_table
from equipoise.cli.progress import status_line


def command(
    hands: Annotated[
        list[str],
        typer.Argument(
            metavar="HAND ...",
            help="Two to six hands (AhKh) or ranges ('QQ+,AKs:0.5'), each in quotation marks.",
        ),
    ],
    board: Annotated[
        str, typer.Option(metavar="CARDS", help="Common cards that are out: Td9d6h.")
    ] = "",
    json: options.Json = False,
) -> None:
    """Say how often each of some hold'em hands or ranges wins, all other cards dealt every way."""
    from equipoise.cards.deck import STANDARD
    from equipoise.cards.matchup import matchup
    from equipoise.games.poker.ranges import parse_range

    ranges = [parse_range(text) for text in hands]
    out = STANDARD.parse(board) if board else ()
    with status_line(is_shown=not json) as say:
        found = matchup(
            ranges, out, each=None if say is None else lambda share: say("dealing", share)
        )
    rows = list(zip(hands, found.shares, found.wins, found.ties, strict=True))
    if json:
        names = ("hand", "equity", "win", "tie")
        fields = [dict(zip(names, row, strict=True)) for row in rows]
        print_json({"board": board, "deals": found.deals, "hands": fields})
        return
    shown = [(name, *(f"{part:.4%}" for part in parts)) for name, *parts in rows]
    print_table(("hand", "equity", "wins", "ties"), shown)
