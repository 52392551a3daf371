"""``equipoise solve``: rules in, a certified strategy out."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli import options
from equipoise.cli.completion import complete_algorithm
from equipoise.cli.info import bucket_text, program_text
from equipoise.cli.output import duration, note, number, print_facts, print_json, print_table
from equipoise.errors import EquipoiseError
from equipoise.games.base import GAMES
from equipoise.solvers.methods import AUTO, METHODS, WRAPPERS

if TYPE_CHECKING:
    from equipoise.road.result import Result

CONVERGED, STOPPED_SHORT, INTERRUPTED = 0, 1, 130

EPILOG = "\n".join(
    [
        "Algorithms:\n",
        f"- **auto**, the default: {AUTO}",
        *(f"- **{name}**: {row.why}" for name, row in METHODS.items()),
        "\nAround them:\n",
        *(f"- **{name}**: {row.why}" for name, row in WRAPPERS.items()),
        "\nGames:\n",
        *(f"- **{name}**: {entry.description}" for name, entry in GAMES.items()),
    ]
)

_PREVIEW = 10


def command(
    game: options.Game,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="How to solve: auto or one of those below.",
            show_default="auto",
            autocompletion=complete_algorithm,
        ),
    ] = None,
    gap: options.Gap = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="How to abstract a game with signals: gameshrink, histogram or suits, as in "
            "'equipoise abstract', or none.",
            show_default="gameshrink",
        ),
    ] = None,
    abstraction: Annotated[
        Path | None, typer.Option(help="Use this abstraction, as 'equipoise abstract' writes it.")
    ] = None,
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
    from equipoise.cli.progress import live
    from equipoise.road.checkpoints import default_file
    from equipoise.road.verbs import solve

    if not checkpoint >= 0:
        raise EquipoiseError(f"--checkpoint: found {checkpoint}, expected a number >= 0.")
    if method is not None and abstraction is not None:
        raise EquipoiseError("--method: found --abstraction as well, expected one of the two.")
    place = out or default_file(game)
    result = solve(
        game,
        algorithm,
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
        abstraction=abstraction or method,
        eliminate=eliminate,
    )
    if json:
        print_json({**result.summary(), "strategy": result.saved and str(result.saved)})
    elif result.family == "tournament":
        from equipoise.cli.tournament import print_result

        print_result(result)
    else:
        _print(result)
    return exit_code(result, place)


def exit_code(result: Result, place: Path) -> int:
    """Return what the command says to the shell: whether it is solved, and saved where it should be."""
    from equipoise.solvers.driver import Status

    if result.status is Status.CONVERGED and result.saved == place:
        return CONVERGED
    return INTERRUPTED if result.status is Status.INTERRUPTED else STOPPED_SHORT


def _print(result: Result) -> None:
    """Print the summary, where time and memory went, and the first lines of the strategy."""
    from equipoise.cli.show import print_decisions
    from equipoise.strategy.table import decisions, infosets

    facts = result.summary()
    print_facts(
        {
            "game": facts["game"],
            "status": f"{facts['status']} ({result.status.remedy})",
            "value": f"{number(facts['value'])} to player 1",
            "bounds": f"{number(facts['lower'])} to {number(facts['upper'])}",
            "gap": f"{max(facts['gap'], 0.0):.3g} (certified in the full game)",
            "algorithm": f"{facts['algorithm']}, {number(facts['iterations'])} iterations",
            "because": result.found.why,
            **({"buckets": bucket_text(facts["buckets"])} if "buckets" in facts else {}),
            **(
                {"undominated": program_text(facts["undominated"])}
                if "undominated" in facts
                else {}
            ),
            "strategy": "not saved" if result.saved is None else str(result.saved),
        }
    )
    header = ("step", "time", "CPU time", "peak memory")
    rows = [
        (name, duration(wall), duration(cpu), f"{memory:.0f} MB")
        for name, wall, cpu, memory in result.steps
    ]
    print_table(header, rows)
    print_decisions(islice(decisions(result.game, result.strategy), _PREVIEW))
    left = infosets(result.game) - _PREVIEW
    if left > 0:
        where = "" if result.saved is None else f": equipoise show {result.saved}"
        note(f"{left:,} more information sets{where}")
