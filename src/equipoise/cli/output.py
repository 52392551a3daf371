"""What commands print: one JSON object for machines, tables for people.

Results go to stdout, notes and progress to stderr, so that stdout can be piped.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from equipoise.errors import printable, remark

if TYPE_CHECKING:
    from rich.console import Console


# Rich wants a width; no line of ours comes near this one.
_ANY_WIDTH = 1_000_000


def print_json(fields: Mapping[str, Any]) -> None:
    """Print ``fields`` as one JSON object on one line; numbers JSON cannot say become null."""
    typer.echo(json.dumps(_plain(fields), allow_nan=False))


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> None:
    """Print a table whose first column is text and whose others are numbers."""
    from rich import box
    from rich.table import Table

    first, *others = map(_escape, header)
    table = Table(first, title=_escape(title) or None, title_justify="left", box=box.SIMPLE_HEAD)
    for name in others:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(_escape(cell) for cell in row))
    console().print(table)


def print_facts(facts: Mapping[str, str]) -> None:
    """Print names and values in two columns."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for name, value in facts.items():
        table.add_row(f"[dim]{name}[/dim]", _escape(value))
    console().print(table)


def note(message: str) -> None:
    """Print a remark on stderr."""
    typer.echo(remark(message), err=True)


def console(stderr: bool = False) -> Console:
    """Return a Rich console; a pipe gets lines of any length instead of a guessed width.

    Words between colons are not pictures: actions may be called so.
    """
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _ANY_WIDTH
    return Console(file=stream, highlight=False, emoji=False, width=width)


def number(value: float) -> str:
    """Return ``value`` with as many digits as a reader can use."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.9g}"


def duration(seconds: float) -> str:
    """Return a length of time as people say it."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def _escape(text: str) -> str:
    """Return ``text`` as Rich is to print it: a line of just these characters."""
    from rich.markup import escape

    return escape(printable(text))


def _plain(value: Any) -> Any:
    """Return ``value`` in the types that JSON knows."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
