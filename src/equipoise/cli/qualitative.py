"""``equipoise qualitative``: equilibria of signal games from qualitative models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import print_facts, print_json
from equipoise.cli.report import exit_code, print_result, written_or_told
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.road.result import Result
    from equipoise.strategy.regions import RegionStrategy


def command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A signal game, with models or without (TOML).")
    ],
    breakpoints: Annotated[
        int, typer.Option(help="Of piecewise-linear products, with three or more players.")
    ] = 17,
    encoding: Annotated[
        str, typer.Option(help="Of the breakpoints: unary or logarithmic.")
    ] = "logarithmic",
    solver: Annotated[
        str, typer.Option(help="highs, or scip, which takes products as they are.")
    ] = "highs",
    time: Annotated[float, typer.Option(help="Stop after about this many seconds.")] = 60.0,
    propose: Annotated[
        bool, typer.Option("--propose", help="Propose models even if the file has some.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the regions: name of the plots without ending.")
    ] = None,
    json: options.Json = False,
) -> int:
    """Find an equilibrium in action regions, and certify it.

    The file's models say how the signals are cut into regions; without any, models are proposed.
    """
    from equipoise.cli.progress import live
    from equipoise.files import require_plots
    from equipoise.games.files.bayesian import read
    from equipoise.numerics.encodings import ENCODINGS
    from equipoise.road.families import family
    from equipoise.road.verbs import solve
    from equipoise.solvers.bayesian.qualitative import SOLVERS, Products

    if encoding not in ENCODINGS:
        raise EquipoiseError(
            f"--encoding: found '{encoding}', expected one of {', '.join(ENCODINGS)}."
        )
    if solver not in SOLVERS:
        raise EquipoiseError(f"--solver: found '{solver}', expected one of {', '.join(SOLVERS)}.")
    if not time > 0:
        raise EquipoiseError(f"--time: found {time}, expected a positive number of seconds.")
    if plot is not None:
        require_plots(plot, ".html", ".png")
    result = solve(
        read(file),
        time=time,
        spec=str(file),
        show=lambda stop: live(stop, is_shown=not json),
        products=Products(breakpoints, encoding, solver),
        propose=propose,
    )
    drawn: list[Path] | None = []
    if plot is not None:
        drawn = written_or_told(lambda: family(result.family).draw(result, plot))
    plots = {path.suffix[1:]: str(path) for path in drawn or []}
    if json:
        print_json({**_fields(result), **plots})
    else:
        _print(result, plots)
    return exit_code(result, None, is_drawn=drawn is not None)


def _fields(result: Result) -> dict[str, Any]:
    """Return the answer and its certificate in the words of the JSON object."""
    strategy: RegionStrategy = result.strategy
    return {
        **result.summary(),
        "game": result.game.title,
        "thresholds": {name: at for own in strategy.thresholds for name, at in own.items()},
        "regions": strategy.regions.plans,
        "cuts": strategy.regions.cuts,
        **result.found.details["program"],
    }


def _print(result: Result, plots: dict[str, str]) -> None:
    """Print the result, and what is particular to its certificate."""
    from equipoise.certificates.bayesian import BayesianCertificate

    proof = result.certificate
    assert isinstance(proof, BayesianCertificate)
    print_result(result)
    error = (
        f" (plus at most {proof.error:.3g} for approximated distributions)" if proof.error else ""
    )
    print_facts(
        {
            "epsilon": f"{proof.epsilon:.3g}, by best responses in the game itself{error}",
            "at any signal": f"{max(proof.worst):.3g} at most",
            **plots,
        }
    )
