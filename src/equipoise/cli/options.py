"""Arguments and options that several commands share, so that they read alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.completion import complete_game, complete_strategy

Game = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A named game (leduc, 'leduc(ranks=5,suits=2)'), a file (*.efg, *.nfg, *.toml), or "
        "openspiel:NAME.",
        autocompletion=complete_game,
    ),
]
StrategyFile = Annotated[
    Path,
    typer.Argument(
        metavar="STRATEGY",
        help="A strategy file, as solve writes it.",
        autocompletion=complete_strategy,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
