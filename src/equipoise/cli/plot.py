"""``equipoise plot``: how solves went, as a page and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import options
from equipoise.cli.output import print_facts, print_json


def command(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="LOG...", help="Strategy or checkpoint files: their logs."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Name of the plots without ending.", show_default="the first file's"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Plot the gap against time and iterations; several files share one plot."""
    from equipoise.games.files.fields import Fields
    from equipoise.plots.chart import write_html, write_png
    from equipoise.plots.convergence import convergence
    from equipoise.solvers.driver import log_rows
    from equipoise.strategy.store import load, log_of

    logs = {}
    for file in files:
        bundle = load(file)
        algorithm = Fields(bundle.metadata, str(file)).text("algorithm", "unknown")
        logs[f"{file} ({algorithm})"] = log_rows(log_of(file, bundle))
    stem = out or files[0].with_suffix("")
    page, picture = Path(f"{stem}.html"), Path(f"{stem}.png")
    charts = convergence(logs)
    write_html(page, *charts)
    write_png(picture, *charts)
    if json:
        print_json({"html": str(page), "png": str(picture), "curves": list(logs)})
    else:
        print_facts({"page": str(page), "picture": str(picture)})
