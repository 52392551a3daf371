"""What a solve found, for people: the summary, where time and memory went, and the strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.cli.info import bucket_text, program_text
from equipoise.cli.output import duration, note, number, print_facts, print_table
from equipoise.errors import INTERRUPTED, EquipoiseError

if TYPE_CHECKING:
    from equipoise.road.families import Sheet
    from equipoise.road.result import Result

CONVERGED, STOPPED_SHORT = 0, 1

_PREVIEW = 10


def exit_code(result: Result, place: Path | None, *, is_drawn: bool = True) -> int:
    """Return 0 if the target is met and the result is where it was to be saved, and drawn if it was to be."""
    from equipoise.solvers.driver import Status

    if result.status is Status.CONVERGED and result.saved == place and is_drawn:
        return CONVERGED
    return INTERRUPTED if result.status is Status.INTERRUPTED else STOPPED_SHORT


def written_or_told(write: Callable[[], Iterable[Path]]) -> list[Path] | None:
    """Return the files that are written beside a result, or say why there are none.

    What was computed for hours must not end for want of room for a picture: the caller still shows the result.
    """
    try:
        return list(write())
    except EquipoiseError as error:
        note(str(error))
        return None


def print_result(
    result: Result, lines: int = _PREVIEW, tables: Iterable[Sheet] | None = None
) -> None:
    """Print the summary, the steps, and tables, by default the family's, or the strategy's first lines."""
    from equipoise.road.families import family

    kind, known = family(result.family), result.summary()
    iterations, status = known["iterations"], result.status
    remedy = status.remedy_unsaved if result.saved is None else status.remedy
    if "value" not in known and "gains" in known:
        print_tables([kind.verdict(result.rules, result.certificate)[0]])
    print_facts(
        {
            "game": known["game"],
            "status": f"{known['status']} ({remedy})",
            **{
                name: _text(name, value)
                for name, value in kind.facts(result).items()
                if "\n" not in str(value)
            },
            "method": f"{known['method']}, {number(iterations)} iteration{'s' * (iterations != 1)}",
            "because": result.found.why,
            "strategy": "not saved" if result.saved is None else str(result.saved),
        }
    )
    header = ("step", "time", "CPU time", "peak memory")
    rows = [
        (name, duration(wall), duration(cpu), f"{memory:.0f} MB")
        for name, wall, cpu, memory in result.steps
    ]
    print_table(header, rows)
    found = list(kind.tables(result) if tables is None else tables)
    if found:
        print_tables(found)
    else:
        _print_first(result, lines)


def print_tables(tables: list[Sheet]) -> None:
    """Print the tables of a family."""
    for title, header, rows in tables:
        cells = [[c if isinstance(c, str) else number(c) for c in row] for row in rows]
        print_table(header, cells, title)


def _text(name: str, value: Any) -> str:
    """Return what is particular to a family in words."""
    if name == "buckets":
        return bucket_text(value)
    if name == "pairs":
        errors = " / ".join(f"{error:.2%}" for error in value["errors"])
        return (
            f"counted on {number(value['boards'])} boards drawn at random; by round, their probabilities are off by "
            f"{errors} in all (total variation)"
        )
    if name == "actions":
        kept, called = value["decisions"], value["called"]
        return (
            f"{number(kept['kept'])} of {number(kept['of'])} decisions; other bets are read by the "
            f"{value['mapping']} mapping, and {number(called['infosets'])} of {number(called['of'])} "
            "information sets call"
        )
    if name == "stages":
        return f"{value['kept']} of {value['of']} rounds; what follows is fixed"
    if name == "revealed":
        return f"{value:.1%} of the information"
    if name == "restricted":
        return f"{' x '.join(f'{size:,}' for size in value)} sequences"
    if name == "share":
        return f"{value:.1%} of all sequences"
    if isinstance(value, dict):
        return program_text(value)
    if isinstance(value, list):
        return " / ".join(map(number, value))
    return value if isinstance(value, str) else number(value)


def _print_first(result: Result, lines: int) -> None:
    """Print the first lines of a strategy with information sets."""
    from equipoise.cli.show import print_decisions
    from equipoise.strategy.table import decisions, infosets

    print_decisions(islice(decisions(result.rules, result.strategy), lines))
    left = infosets(result.rules) - lines
    if left > 0:
        where = "add --out or --json" if result.saved is None else f"equipoise show {result.saved}"
        note(f"{left:,} more information sets: {where}")
