"""``equipoise repeated``: what knowing the state is worth, and how much of it to reveal."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import duration, note, number, print_facts, print_json, print_table
from equipoise.cli.progress import status_line
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.solvers.repeated.cav import RepeatedSolution, Round
    from equipoise.solvers.repeated.cav_grid import GridSolution

CONVERGED, STOPPED_SHORT = 0, 1

EPILOG = """Examples by name: **unrevealing**, **revealing**, **partial** (the three classical games), and
**irrational** (whose optimal lottery has irrational odds)."""

_DRAWN = (2, 3)
_SEEDS = 10


def command(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A TOML file, or an example by name (see below).")
    ],
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="Stop when the bounds are this close.", show_default="1e-6 of the payoffs' range"
        ),
    ] = None,
    time: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    grid: Annotated[
        float | None,
        typer.Option(metavar="EPSILON", help="Run the grid method too, for comparison."),
    ] = None,
    stages: Annotated[
        int,
        typer.Option(
            min=0, max=1_000_000, help="Play so many stages, and show the average payoffs."
        ),
    ] = 0,
    seed: Annotated[int, typer.Option(min=0, help="For the plays.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Name of the plots without ending; none are drawn without it."),
    ] = None,
    json: options.Json = False,
) -> int:
    """Solve a repeated game in which one player knows the state, certified from both sides.

    The informed player receives cav v(p): her value if she reveals as much of the state as pays. The
    lower bound is what her strategy guarantees, the upper one what the other's pays at most.
    """
    from equipoise.files import require_plots
    from equipoise.games.repeated.game import load_repeated
    from equipoise.solvers.driver import Status
    from equipoise.solvers.repeated.cav import solve_repeated
    from equipoise.solvers.repeated.cav_grid import solve_p1

    rules = load_repeated(game)
    if out is not None:
        require_plots(out, ".html", ".png", "-play.html", "-play.png")
    if tolerance is not None and not tolerance >= 0:
        raise EquipoiseError(f"--tolerance: found {tolerance}, expected a number >= 0.")
    limit = math.inf if time is None else time
    with status_line(is_shown=not json) as say:

        def report(row: Round) -> None:
            if say is not None:
                bounds = f"value between {row.lower:.6g} and {row.upper:.6g}"
                say(
                    f"{bounds}, {row.cells:,} cells",
                    min(1.0, row.seconds / limit if limit else 1.0),
                )

        solution = solve_repeated(rules, tolerance, seconds=limit, monitor=report)
    reference = None if grid is None else solve_p1(rules, grid)
    files: list[Path] = []
    averages: dict[str, float] = {}
    if out is not None and len(rules.states) in _DRAWN:
        from equipoise.plots.repeated import draw

        files += draw(out, solution)
    elif out is not None:
        note(f"{rules.name} has {len(rules.states)} states: v is drawn for two or three only")
    if stages:
        averages = _play(solution, stages, seed, out, files)
    fields = _fields(solution, reference, averages, files)
    if json:
        print_json(fields)
    else:
        _print(solution, reference, averages, files)
    return CONVERGED if solution.status is Status.CONVERGED else STOPPED_SHORT


def _play(
    solution: RepeatedSolution, stages: int, seed: int, out: Path | None, files: list[Path]
) -> dict[str, float]:
    """Play every pairing; return the average payoffs after the last stage, and draw the road."""
    import numpy as np

    from equipoise.play.repeated import pairings
    from equipoise.plots.chart import write_html, write_png
    from equipoise.plots.repeated import plays

    paths = pairings(solution.informed, solution.uninformed, stages, range(seed, seed + _SEEDS))
    if out is not None:
        shown = np.unique(np.geomspace(1, stages, 200).astype(int))
        title = f"{solution.game.name}: average payoff, {_SEEDS} plays a state"
        curves = {name: path[shown - 1] for name, path in paths.items()}
        chart = plays(title, solution.value, curves, shown)
        page, picture = (out.with_name(f"{out.name}-play.{end}") for end in ("html", "png"))
        write_html(page, chart)
        write_png(picture, chart)
        files += [page, picture]
    return {name: float(path[-1]) for name, path in paths.items()}


def _fields(
    solution: RepeatedSolution,
    reference: GridSolution | None,
    averages: dict[str, float],
    files: list[Path],
) -> dict[str, Any]:
    """Return everything that was found, for machines."""
    game, splitting, informed = solution.game, solution.splitting, solution.informed
    last = solution.rounds[-1]
    fields: dict[str, Any] = {
        "game": game.name,
        "value": solution.value,
        "lower": solution.lower,
        "upper": solution.upper,
        "gap": solution.gap,
        "status": solution.status.value,
        "revealed": informed.share_revealed,
        "revealed_bits": informed.bits_revealed,
        "splitting": [
            {"probability": weight, "posterior": posterior, "value": value, "action": action}
            for weight, posterior, value, action in zip(
                splitting.weights.tolist(),
                splitting.posteriors.tolist(),
                splitting.values.tolist(),
                informed.actions.tolist(),
                strict=True,
            )
        ],
        "lottery": informed.lottery.tolist(),
        "hyperplane": solution.hyperplane.tolist(),
        "rounds": len(solution.rounds),
        "cells": last.cells,
        "seconds": last.seconds,
    }
    if reference is not None:
        fields["grid"] = {
            "value": reference.value,
            "error": reference.error,
            "points": reference.points,
        }
    if averages:
        fields["plays"] = averages
    if files:
        fields["files"] = [str(file) for file in files]
    return fields


def _print(
    solution: RepeatedSolution,
    reference: GridSolution | None,
    averages: dict[str, float],
    files: list[Path],
) -> None:
    """Print everything that was found, for people."""
    game, splitting, informed = solution.game, solution.splitting, solution.informed
    last = solution.rounds[-1]
    facts = {
        "game": game.name,
        "value": number(solution.value),
        "bounds": f"{solution.lower:.12g} to {solution.upper:.12g}",
        "gap": f"{solution.gap:.2e} ({solution.status.value})",
        "revealed": f"{informed.share_revealed:.1%} of the information ({informed.bits_revealed:.4g} bits)",
        "rounds": number(len(solution.rounds)),
        "cells": number(last.cells),
        "time": duration(last.seconds),
    }
    if reference is not None:
        facts["grid"] = (
            f"{number(reference.value)} to {number(reference.value + reference.error)}, "
            f"{reference.points:,} points"
        )
    print_facts(facts)
    header = ("signal", "probability", *(f"P({s})" for s in game.states), "value")
    signals = range(1, len(splitting.weights) + 1)
    numbers = zip(splitting.weights, splitting.posteriors, splitting.values, strict=True)
    rows = [
        (str(signal), number(weight), *map(number, belief), number(value))
        for signal, (weight, belief, value) in zip(signals, numbers, strict=True)
    ]
    print_table(header, rows, title="What the signals tell")
    rows = [
        (f"state {state}", *map(number, odds))
        for state, odds in zip(game.states, informed.lottery, strict=True)
    ]
    print_table(("lottery", *map(str, signals)), rows, title="How they are drawn")
    rows = [
        (row, *map(number, weights))
        for row, weights in zip(game.rows, informed.actions.T, strict=True)
        if weights.any()
    ]
    print_table(("row", *map(str, signals)), rows, title="How to play after them")
    if averages:
        rows = [(name, number(average)) for name, average in averages.items()]
        print_table(("informed against uninformed", "average payoff"), rows)
    for file in files:
        note(f"wrote {file}")
