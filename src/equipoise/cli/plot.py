"""``equipoise plot``: how solves went, as a page and as a picture."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli import options
from equipoise.cli.output import duration, print_facts, print_json, print_table

if TYPE_CHECKING:
    from equipoise.solvers.log import LogRow

_MOST_ROWS = 20


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
    """Plot the gap against time and iterations, and print how it fell; several files share one plot.

    Of one file the strategy is drawn, too, if its family has pictures: regions of signals, a splitting.
    """
    from equipoise.games.files.fields import Fields
    from equipoise.plots.chart import write_html, write_png
    from equipoise.plots.convergence import convergence, is_one_point
    from equipoise.solvers.log import log_rows
    from equipoise.strategy.store import load, log_of, method_of

    bundles = [load(file) for file in files]
    stem = out or files[0].with_suffix("")
    drawn = _draw(files[0], Path(f"{stem}-strategy")) if len(files) == 1 else ()
    logs = {}
    for file, bundle in zip(files, bundles, strict=True):
        method = method_of(Fields(bundle.metadata, str(file)))
        if not drawn or "log" in bundle.arrays:
            logs[f"{file} ({method})"] = log_rows(log_of(file, bundle))
    names = {}
    if logs and not (drawn and is_one_point(logs)):
        page, picture = Path(f"{stem}.html"), Path(f"{stem}.png")
        charts = convergence(logs)
        write_html(page, *charts)
        write_png(picture, *charts)
        names = {"html": str(page), "png": str(picture)}
    if json:
        told = [[asdict(row) for row in log] for log in logs.values()]
        drawings = [str(file) for file in drawn]
        print_json({**names, "curves": list(logs), "logs": told, "strategy": drawings})
    else:
        facts = {"page": names["html"], "picture": names["png"]} if names else {}
        print_facts({**facts, **({"strategy": ", ".join(map(str, drawn))} if drawn else {})})
        for name, rows in logs.items():
            _print_trace(name, rows)


def _print_trace(name: str, rows: list[LogRow]) -> None:
    """Print a log, thinned out, as a table; the share of the game only if it was not all of it."""
    step = -(-len(rows) // _MOST_ROWS)
    shown = rows[-1::-step][::-1] if rows else []
    is_part = any(row.share < 1 for row in rows)
    header = ["iterations", "lower bound", "upper bound", "gap", "time"]
    cells = [
        [
            f"{row.iterations:,}",
            f"{row.lower:.8g}",
            f"{row.upper:.8g}",
            f"{row.gap:.3g}",
            duration(row.seconds),
            *([f"{row.share:.1%}"] if is_part else []),
        ]
        for row in shown
    ]
    print_table([*header, *(["sequences"] if is_part else [])], cells, name)


def _draw(file: Path, stem: Path) -> tuple[Path, ...]:
    """Draw the strategy in ``file`` if its family has pictures of strategies."""
    from equipoise.road.families import FAMILIES, family
    from equipoise.road.verbs import open
    from equipoise.strategy.store import CHECKPOINT, load

    bundle = load(file, verify=False)
    # Families whose files once had a kind of their own are called by it.
    kind = str(bundle.metadata.get("family", bundle.kind))
    if bundle.kind == CHECKPOINT or kind not in FAMILIES or not family(kind).draws:
        return ()
    return family(kind).draw(open(file), stem)
