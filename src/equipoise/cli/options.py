"""Arguments and options that several commands share, so that they read alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.completion import complete_game, complete_strategy
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.solvers.driver import Stop


def _grow(context: typer.Context, nodes: int | None) -> int | None:
    """Set the limit for trees that the command builds, and show how they grow."""
    from equipoise.cli.progress import growing
    from equipoise.games.trees.growth import growth

    monitor = context.with_resource(growing(lambda: not context.params.get("json")))
    context.with_resource(growth(nodes, monitor))
    return nodes


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
Gap = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="Stop when both players together could gain no more than this: 0.01, or, in parts of the "
        "largest minus the smallest payoff, 1e-6r.",
        show_default="about 1e-6r; with signals 1e-5r, which is 0.1 chips in Rhode Island",
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


def gap_rule(text: str | None) -> Stop | None:
    """Return the rule that ``--gap`` spells, a number in the game's units or one with an r."""
    from equipoise.solvers.driver import Gap, Relative

    if text is None:
        return None
    number = text.strip().lower()
    try:
        return Relative(float(number[:-1])) if number.endswith("r") else Gap(float(number))
    except (ValueError, EquipoiseError):
        raise EquipoiseError(
            f"--gap: found '{text}', expected a number >= 0 such as 0.01, or 1e-6r in parts of what "
            "is at stake."
        ) from None
