"""``equipoise flops``: one spot on many flops, as a table."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import note, print_json, print_table
from equipoise.cli.progress import status_line
from equipoise.errors import EquipoiseError, quoted


def command(
    file: Annotated[
        Path, typer.Argument(help="A spot as a TOML file; its board, if it has one, is left out.")
    ],
    flops: Annotated[
        str,
        typer.Option(
            help="'all' 1,755 (more if ranges tell suits apart), so many of them (25), or a list with weights: Td9d6h:3,AhKd2c."
        ),
    ] = "25",
    target: Annotated[
        str,
        typer.Option(
            metavar="NUMBER",
            help="The mean of what players could gain, in hundredths of the pot: 0.5, or 0.5%.",
        ),
    ] = "0.5",
    method: Annotated[
        str | None,
        typer.Option(*options.MethodNames, help="As in 'equipoise solve'.", show_default="auto"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The table (CSV).", show_default="FILE-flops.csv")
    ] = None,
    json: options.Json = False,
) -> None:
    """Solve a spot on many flops; stopped at any time, the same command goes on where it was."""
    from equipoise.files import require_writable
    from equipoise.games.files.fields import parse_toml
    from equipoise.games.poker.flops import (
        alike_for,
        canonical_flops,
        deck_of,
        is_chosen,
        never_come,
        read_flops,
    )
    from equipoise.road.flop_table import solve_flops, totals

    wished = _share(target)
    place = out or file.with_name(f"{file.stem}-flops.csv")
    require_writable(place)
    try:
        rules = parse_toml(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise EquipoiseError(f"{file}: cannot be read ({error}), expected a TOML file.") from None
    deck = deck_of(rules)
    alike = alike_for(rules, deck)
    never = never_come(rules, canonical_flops(deck, alike), deck) if is_chosen(flops) else ()
    wanted = read_flops(flops, deck, alike, never)
    if never:
        note(f"{len(never):,} flops leave a player no hand, and are left out.")
    with status_line(is_shown=not json) as say:

        def each(done: int, of: int, row: dict[str, Any]) -> None:
            if say is not None:
                say(f"{done:,} of {of:,} flops, {row['flop']} last", done / of)

        rows = solve_flops(rules, wanted, wished, place, method=method, each=each)
    means = totals(rows)
    if json:
        print_json(
            {"table": str(place), "flops": len(rows), "left_out": len(never), "means": means}
        )
        return
    print_table(("column", "mean over flops"), [(k, f"{v:.4f}") for k, v in means.items()])
    typer.echo(f"table  {place}")


def _share(text: str) -> float:
    """Return the hundredths of the pot that ``text`` says, with or without the sign for them."""
    try:
        wanted = float(text.strip().removesuffix("%"))
    except ValueError:
        wanted = 0.0
    if not 0 < wanted < math.inf:
        raise EquipoiseError(
            f"--target: found {quoted(text)}, expected a positive number of hundredths of the pot."
        )
    return wanted
