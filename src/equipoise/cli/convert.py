"""``equipoise convert``: from one game format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import options
from equipoise.cli.output import print_facts, print_json


def command(
    game: options.Game,
    target: Annotated[
        Path,
        typer.Argument(metavar="TARGET", help="The file to write: *.efg, *.nfg, *.bml or *.game."),
    ],
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> None:
    """Write a game as a Gambit file, exactly: payoffs and probabilities stay rational.

    The betting of a poker game is written as a file of the Betting Model Language (*.bml),
    limit poker as a definition for the poker competition's programs (*.game).
    """
    from equipoise.games.files.convert import convert

    written = convert(game, target)
    if json:
        print_json({"game": written.name, "file": str(target)})
    else:
        print_facts({"game": written.name, "file": str(target)})
