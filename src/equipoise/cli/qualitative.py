"""``equipoise qualitative``: equilibria of signal games from qualitative models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import duration, number, print_facts, print_json, print_table
from equipoise.cli.progress import status_line
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.certificates.bayesian import BayesianCertificate
    from equipoise.games.files.bayesian import Problem
    from equipoise.solvers.bayesian.qualitative import Answer

FOUND, NOT_FOUND = 0, 1

_STATUS = {
    "equilibrium": "equilibrium",
    "none": "no equilibrium of this form; the nearest profile found is shown",
    "limit": "time limit; the best profile so far is shown",
}


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
    from equipoise.certificates.bayesian import certify_bayesian
    from equipoise.files import require_plots
    from equipoise.games.files.bayesian import read
    from equipoise.numerics.encodings import ENCODINGS
    from equipoise.solvers.bayesian.propose import discover
    from equipoise.solvers.bayesian.qualitative import SOLVERS, Products, qualitative

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
    problem = read(file)
    products = Products(breakpoints, encoding, solver)
    with status_line(is_shown=not json) as say:
        if problem.models and not propose:
            answer = qualitative(
                problem.game, problem.models, products=products, time_limit=time, monitor=say
            )
        else:
            answer = discover(problem.game, products=products, time_limit=time, monitor=say)
    proof = certify_bayesian(problem.game, answer.regions.profile(problem.game))
    plots = {} if plot is None else _plot(plot, problem, answer)
    if json:
        print_json({**summary(problem, answer, proof), **plots})
    else:
        _print(problem, answer, proof, plots)
    return FOUND if answer.status == "equilibrium" else NOT_FOUND


def summary(problem: Problem, answer: Answer, proof: BayesianCertificate) -> dict[str, Any]:
    """Return the answer and its certificate in the words of the JSON object."""
    return {
        "game": problem.title,
        "status": answer.status,
        "model": answer.model.name,
        "text": answer.model.text,
        "thresholds": answer.thresholds,
        "regions": answer.regions.plans,
        "cuts": answer.regions.cuts,
        "values": proof.values,
        "gains": proof.gains,
        "epsilon": proof.epsilon,
        "epsilon_at_any_signal": max(proof.worst),
        "error": proof.error,
        "rows": answer.rows,
        "columns": answer.columns,
        "binaries": answer.binaries,
        "seconds": answer.seconds,
    }


def _plot(stem: Path, problem: Problem, answer: Answer) -> dict[str, str]:
    """Draw the signal lines as a page and as a picture."""
    from equipoise.plots.regions import signal_lines, write_html, write_png

    page, picture = Path(f"{stem}.html"), Path(f"{stem}.png")
    names = [{name: answer.thresholds[name] for name in own} for own in answer.model.thresholds]
    lines = signal_lines(answer.regions.profile(problem.game), problem.game.plans, names)
    write_html(page, problem.title, lines)
    write_png(picture, problem.title, lines)
    return {"html": str(page), "png": str(picture)}


def _print(
    problem: Problem, answer: Answer, proof: BayesianCertificate, plots: dict[str, str]
) -> None:
    """Print thresholds, regions and certificate as tables."""
    low, high = problem.game.signals.line
    rows = []
    for i, (plans, cuts) in enumerate(zip(answer.regions.plans, answer.regions.cuts, strict=True)):
        for plan, a, b in zip(plans, (low, *cuts), (*cuts, high), strict=True):
            rows.append((f"P{i + 1}  {plan}", number(float(a)), number(float(b))))
    print_table(("region", "from", "to"), rows)
    print_table(("threshold", "at"), [(n, number(t)) for n, t in answer.thresholds.items()])
    columns = zip(proof.values, proof.gains, proof.worst, strict=True)
    players = [(f"P{i + 1}", *map(number, row)) for i, row in enumerate(columns)]
    print_table(("player", "value", "gain", "most at a signal"), players)
    error = (
        f" (plus at most {proof.error:.3g} for approximated distributions)" if proof.error else ""
    )
    print_facts(
        {
            "game": problem.title,
            "status": _STATUS[answer.status],
            "model": answer.model.name,
            "epsilon": f"{proof.epsilon:.3g}, by best responses in the game itself{error}",
            "program": f"{answer.rows:,} rows, {answer.columns:,} columns, {answer.binaries:,} binary",
            "time": duration(answer.seconds),
            **plots,
        }
    )
