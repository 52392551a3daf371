"""``equipoise repeated``: what knowing the state is worth, and how much of it to reveal."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import note, number, print_facts, print_json, print_table
from equipoise.cli.report import exit_code, print_result, written_or_told
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.play.repeated import Floats
    from equipoise.road.result import Result
    from equipoise.solvers.repeated.cav_grid import GridSolution
    from equipoise.strategy.repeated import RepeatedStrategy

EPILOG = """Examples by name: **unrevealing**, **revealing**, **partial** (the three classical games), and
**irrational** (whose optimal lottery has irrational odds)."""

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
    from equipoise.cli.progress import live
    from equipoise.files import require_plots
    from equipoise.games.repeated.game import load_repeated
    from equipoise.play.repeated import pairings
    from equipoise.road.families import family
    from equipoise.road.verbs import solve
    from equipoise.solvers.repeated.cav_grid import solve_p1

    rules = load_repeated(game)
    if out is not None:
        require_plots(out, ".html", ".png", "-play.html", "-play.png")
    if tolerance is not None and not tolerance >= 0:
        raise EquipoiseError(f"--tolerance: found {tolerance}, expected a number >= 0.")
    show = partial(live, is_shown=not json)
    result = solve(rules, gap=tolerance, time=time, spec=game, seed=seed, show=show, note=note)
    reference = None if grid is None else solve_p1(rules, grid)
    drawn: list[Path] | None = []
    averages: dict[str, float] = {}
    if out is not None:
        drawn = written_or_told(lambda: family(result.family).draw(result, out))
        if drawn == []:
            note(f"{rules.name} has {len(rules.states)} states: v is drawn for two or three only")
    files = drawn or []
    if stages:
        pair, seeds = result.strategy, range(seed, seed + _SEEDS)
        paths = pairings(pair.informed, pair.uninformed, stages, seeds)
        averages = {name: float(path[-1]) for name, path in paths.items()}
        if out is not None and drawn is not None:
            drawn = written_or_told(lambda: _draw_plays(pair, paths, out))
            files += drawn or []
    if json:
        print_json(_fields(result, reference, averages, files))
    else:
        print_result(result)
        _print(reference, averages, files)
    return exit_code(result, None, is_drawn=drawn is not None)


def _draw_plays(
    strategy: RepeatedStrategy, paths: Mapping[str, Floats], out: Path
) -> tuple[Path, ...]:
    """Draw the road of every pairing to its average payoffs."""
    import numpy as np

    from equipoise.plots.chart import write_html, write_png
    from equipoise.plots.repeated import plays

    stages = max(map(len, paths.values()))
    shown = np.unique(np.geomspace(1, stages, 200).astype(int))
    title = f"{strategy.game.name}: average payoff, {_SEEDS} plays a state"
    curves = {name: path[shown - 1] for name, path in paths.items()}
    chart = plays(title, strategy.value, curves, shown)
    page, picture = (out.with_name(f"{out.name}-play.{end}") for end in ("html", "png"))
    write_html(page, chart)
    write_png(picture, chart)
    return page, picture


def _fields(
    result: Result,
    reference: GridSolution | None,
    averages: dict[str, float],
    files: list[Path],
) -> dict[str, Any]:
    """Return everything that was found, for machines."""
    informed, uninformed = result.strategy.informed, result.strategy.uninformed
    splitting = informed.splitting
    fields: dict[str, Any] = {
        **result.summary(),
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
        "hyperplane": uninformed.target.tolist(),
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


def _print(reference: GridSolution | None, averages: dict[str, float], files: list[Path]) -> None:
    """Print what this command adds to a solve, for people."""
    if reference is not None:
        bounds = f"{number(reference.value)} to {number(reference.value + reference.error)}"
        print_facts({"grid": f"{bounds}, {reference.points:,} points"})
    if averages:
        rows = [(name, number(average)) for name, average in averages.items()]
        print_table(("informed against uninformed", "average payoff"), rows)
    for file in files:
        note(f"wrote {file}")
