"""``equipoise solve``: rules in, a certified strategy out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import options
from equipoise.cli.completion import complete_method
from equipoise.cli.output import note, print_json
from equipoise.cli.report import exit_code, print_result
from equipoise.errors import EquipoiseError
from equipoise.games.base import GAMES
from equipoise.solvers.methods import AUTO, METHODS, WRAPPERS

EPILOG = "\n".join(
    [
        "Methods:\n",
        f"- **auto**, the default: {AUTO}",
        *(f"- **{name}**: {row.why}" for name, row in METHODS.items()),
        "\nAround them:\n",
        *(f"- **{name}**: {row.why}" for name, row in WRAPPERS.items()),
        "\nGames:\n",
        *(f"- **{name}**: {entry.description}" for name, entry in GAMES.items()),
    ]
)


def command(
    game: options.Game,
    method: Annotated[
        str | None,
        typer.Option(
            help="How to solve: auto or one of those below.",
            show_default="auto",
            autocompletion=complete_method,
        ),
    ] = None,
    algorithm: Annotated[
        str | None, typer.Option(hidden=True, autocompletion=complete_method)
    ] = None,
    gap: options.Gap = None,
    abstraction: Annotated[
        str | None,
        typer.Option(
            help="How to abstract a game with signals: a method of 'equipoise abstract', a file that it wrote, "
            "or none.",
            show_default="gameshrink",
        ),
    ] = None,
    buckets: options.Buckets = None,
    actions: options.Actions = None,
    stages: options.Stages = None,
    model: options.Model = None,
    flops: options.Flops = None,
    device: options.Device = None,
    pairs: options.Pairs = None,
    eliminate: Annotated[
        bool,
        typer.Option("--eliminate", help="Eliminate dominated actions first."),
    ] = False,
    iterations: Annotated[int | None, typer.Option(help="Stop after this many iterations.")] = None,
    time: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to save the strategy.", show_default="GAME.eqp")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the checkpoint beside --out, if any.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="For methods that draw at random.")] = 0,
    checkpoint: Annotated[float, typer.Option(help="Seconds between checkpoints.")] = 30.0,
    force: Annotated[
        bool, typer.Option("--force", help="Replace --out even if it holds something else.")
    ] = False,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> int:
    """Solve a game, certify what was found in the full game, and save it.

    A game with signals is abstracted before it is solved, and the solution lifted back.
    """
    from equipoise.cli.progress import counting, live
    from equipoise.road.checkpoints import default_file
    from equipoise.road.verbs import solve

    if not checkpoint >= 0:
        raise EquipoiseError(f"--checkpoint: found {checkpoint}, expected a number >= 0.")
    how, coarser = _apart(method, algorithm, abstraction)
    place = out or default_file(game)
    with counting(is_shown=not json) as each:
        result = solve(
            game,
            how,
            gap,
            iterations=iterations,
            time=time,
            seed=seed,
            out=place,
            resume=resume,
            force=force,
            checkpoint=checkpoint,
            show=lambda stop: live(stop, is_shown=not json),
            note=note,
            each=each,
            abstraction=coarser,
            buckets=buckets,
            actions=actions,
            stages=stages,
            model=model,
            eliminate=eliminate,
            flops=flops,
            device=device,
            pairs=pairs,
        )
    if json:
        print_json({**result.summary(), "strategy": result.saved and str(result.saved)})
    else:
        print_result(result)
    return exit_code(result, place)


def _apart(
    method: str | None, algorithm: str | None, abstraction: str | None
) -> tuple[str | None, str | Path | None]:
    """Return how to solve and how to abstract: by name, or from a file.

    When --algorithm said how to solve, --method said how to abstract: names of abstractions are still taken
    for what they are.
    """
    from equipoise.road.abstractions import is_abstraction

    if method is not None and is_abstraction(method):
        if abstraction is not None:
            raise EquipoiseError(
                f"--method: found the abstraction '{method:.60}' and --abstraction as well, expected one "
                "of the two."
            )
        return algorithm, method
    if method is not None and algorithm is not None:
        raise EquipoiseError(
            "--method: found --algorithm as well, which is the same, expected one."
        )
    method = method or algorithm
    if abstraction is None or is_abstraction(abstraction):
        return method, abstraction
    is_file = Path(abstraction).exists() or bool(Path(abstraction).suffix)
    return method, Path(abstraction) if is_file else abstraction
