"""``equipoise nash``: an equilibrium of any game in the form of a tree or a matrix."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import note, print_json
from equipoise.cli.report import CONVERGED, exit_code, print_result
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.road.result import Result

_SHOWN = 100


def command(
    game: options.Game,
    weights: Annotated[
        str | None,
        typer.Option(help="Two players: prefer large payments, weighted so (for example 1,1)."),
    ] = None,
    breakpoints: Annotated[
        int | None,
        typer.Option(help="Three or more: start from products that are piecewise linear."),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Stop when no player could gain more than this: 0.01, or, in parts of what is at stake for her, "
            "1e-6r.",
            show_default="1e-9r",
        ),
    ] = None,
    time: Annotated[float, typer.Option(help="Stop after about this many seconds.")] = 60.0,
    seed: Annotated[int, typer.Option(min=0, help="For what is drawn at random.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Where to save the strategy.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the checkpoint beside --out, if any.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace --out even if it holds something else.")
    ] = False,
    nodes: options.Nodes = None,
    every: Annotated[
        bool, typer.Option("--all", help="List all equilibria of a two-player matrix, exactly.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Find a Nash equilibrium, and certify it.

    Any number of players, any payments: where `solve` wants two players and a zero sum. Two players'
    equilibria are found by complementary pivoting, those of more by mixed-integer programming.
    """
    from equipoise.cli.progress import live
    from equipoise.road.verbs import solve, target_rule

    if not time > 0:
        raise EquipoiseError(f"--time: found {time:g}, expected a positive number of seconds.")
    target = target_rule(epsilon, "--epsilon")
    if every:
        from equipoise.cli.equilibria import print_all

        for_one = {
            "--weights": weights, "--breakpoints": breakpoints, "--epsilon": epsilon, "--out": out,
            "--resume": resume or None, "--force": force or None, "--seed": seed or None,
        }  # fmt: skip
        given = [option for option, value in for_one.items() if value is not None]
        if given:
            raise EquipoiseError(
                f"--all: found {' and '.join(given)} as well, expected --time and --json at most: the others are "
                "for one equilibrium."
            )
        print_all(game, time, json)
        return CONVERGED
    if resume and out is None:
        raise EquipoiseError("--resume: found no --out, expected the file beside which to look.")
    result = solve(
        game,
        gap=target,
        time=time,
        seed=seed,
        out=out,
        resume=resume,
        force=force,
        family="general-sum",
        spec=game,
        show=lambda stop: live(stop, is_shown=not json),
        note=note,
        weights=_weights(weights),
        breakpoints=breakpoints,
    )
    if json:
        print_json(_fields(result, out))
    else:
        print_result(result, _SHOWN)
    return exit_code(result, out)


def _fields(result: Result, out: Path | None) -> dict[str, Any]:
    """Return what was found, with the profile, for machines."""
    from equipoise.cli.show import decision_fields
    from equipoise.strategy.table import decisions

    return {
        **result.summary(),
        "targets": result.found.target,
        **({} if out is None else {"strategy": result.saved and str(result.saved)}),
        "profile": decision_fields(decisions(result.rules, result.strategy)),
    }


def _weights(text: str | None) -> list[float] | None:
    """Read ``1,1``."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise EquipoiseError(f"--weights: found '{text}', expected numbers such as 1,1.") from None
