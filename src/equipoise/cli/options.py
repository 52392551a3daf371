"""Arguments and options that several commands share, so that they read alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.completion import complete_game, complete_strategy
from equipoise.errors import EquipoiseError, short, whole_number


def _grow(context: typer.Context, nodes: int | None) -> int | None:
    """Set the limit for trees that the command builds; show how they grow, and when kernels are compiled."""
    from equipoise.cli.progress import compiling, growing
    from equipoise.games.trees.growth import growth

    def is_shown() -> bool:
        return not context.params.get("json")

    context.with_resource(compiling(is_shown))
    monitor = context.with_resource(growing(is_shown))
    context.with_resource(growth(nodes, monitor))
    return nodes


def _flops(flops: str | None) -> int | str | None:
    """Return how many flops are asked for: a number, or the word for all of them."""
    if flops is None or flops == "all":
        return flops
    found = whole_number(flops)
    if found is None or found < 2:
        raise EquipoiseError(f"--flops: found {short(flops)}, expected a number from 2 up, or all.")
    return found


Game = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A named game (leduc, 'leduc(ranks=5,suits=2)'), a file (*.efg, *.nfg, *.bml, *.toml), or "
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
Gap = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="Stop when both players together could gain no more than this: 0.01, or, in parts of the "
        "largest minus the smallest payoff, 1e-6r.",
        show_default="about 1e-6r; with signals 1e-5r, which is 0.1 chips in Rhode Island",
    ),
]
MethodNames = ("--method", "--algorithm")
"""How a command does its work; earlier versions said algorithm, and it is still understood."""
Buckets = Annotated[
    str | None,
    typer.Option(
        metavar="K1-K2-...",
        help="How many buckets each round may have, for a method that loses something: 13-50-250.",
    ),
]
Actions = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="A model with fewer bets: 'cap=1', 'cap=1-2-3', 'bets=50%+100%+all-in', or a betting model by "
        "name or TOML file; 'mapping=relative' says how other bets are read.",
    ),
]
Stages = Annotated[
    str | None,
    typer.Option(
        metavar="ROUNDS[:FILE]",
        help="The first rounds alone: '2' rolls out what follows, '2:leduc.eqp' lets both players go on by "
        "the habits of that strategy.",
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="A published model of hold'em, its buckets, bets and rounds: gs1, gs2, gs3, gs4, texas; or laptop. "
        "What else is given counts first.",
    ),
]
Flops = Annotated[
    str | None,
    typer.Option(
        metavar="N|all",
        callback=_flops,
        help="Certify poker too large to list on so many flops (classes of first common cards), drawn at "
        "random: an estimate; or on all of them, if there are no more.",
        show_default="all; 8 after a solve",
    ),
]
Device = Annotated[
    str | None,
    typer.Option(
        help="Where to go through the boards of large poker games: numpy, torch, cuda, cupy.",
        show_default="compiled loops",
    ),
]
Pairs = Annotated[
    Path | None,
    typer.Option(
        help="Where to keep how often the buckets of large poker games meet, or to find it if it was counted before."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Nodes = Annotated[
    int | None,
    typer.Option(
        "--nodes",
        callback=_grow,
        expose_value=False,
        help="Build trees of up to this many nodes.",
        show_default="10,000,000",
    ),
]
