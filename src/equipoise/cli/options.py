"""Arguments and options that several commands share, so that they read alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Game = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A named game (leduc, 'leduc(ranks=5,suits=2)'), a file (*.efg, *.nfg, *.toml), or "
        "openspiel:NAME.",
    ),
]
StrategyFile = Annotated[
    Path, typer.Argument(metavar="STRATEGY", help="A strategy file, as solve writes it.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
