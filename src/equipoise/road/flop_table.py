"""The same spot on many flops: one table, a row a flop, that can be stopped and continued.

The table is written anew after each flop, whole or not at all; a row is never computed twice. A row depends on its
flop, the rules and the target alone, so a batch that was killed and continued ends in the same table.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from equipoise.errors import EquipoiseError, short

KEY = "rules"
_DIGITS = 6


def solve_flops(
    rules: Mapping[str, Any],
    flops: Mapping[str, float],
    target: float,
    out: Path,
    *,
    method: str | None = None,
    each: Callable[[int, int, dict[str, Any]], None] | None = None,
) -> list[dict[str, Any]]:
    """Solve the spot with these ``rules`` on each of the ``flops``, and return a row for each.

    Parameters
    ----------
    rules
        The parameters of :func:`equipoise.poker.spot` but for the board.
    flops
        Flops and their weights.
    target
        What players may gain on average, in hundredths of the pot.
    out
        The table (CSV); rows that it has already are not computed again.
    each
        Called with the number of rows, of flops, and each new row.
    """
    from equipoise.files import write_atomically

    named = {name: value for name, value in rules.items() if name != "board"}
    digest = hashlib.sha256(repr((sorted(named.items()), target, method)).encode()).hexdigest()
    done = _rows(out, digest[:12])
    known = [name for name in flops if name in done]
    if any(float(done[name]["weight"]) != flops[name] for name in known):
        done |= {name: {**done[name], "weight": flops[name]} for name in known}
        write_atomically(out, partial(_write, list(done.values())))
    for flop, weight in flops.items():
        if flop in done:
            continue
        row = {"flop": flop, "weight": weight, **_solved(named, flop, target, method)}
        done[flop] = {**row, KEY: digest[:12]}
        ordered = [done[name] for name in flops if name in done]
        others = [own for name, own in done.items() if name not in flops]
        write_atomically(out, partial(_write, [*ordered, *others]))
        if each is not None:
            each(sum(name in done for name in flops), len(flops), row)
    return [{**done[name], "weight": weight} for name, weight in flops.items()]


def totals(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return the weighted means of the columns that are numbers."""
    own = list(rows)
    weights = [float(row["weight"]) for row in own]
    names = [name for name in own[0] if name not in ("flop", "weight", "iterations", KEY)]
    return {
        name: sum(w * float(row[name]) for w, row in zip(weights, own, strict=True)) / sum(weights)
        for name in names
    }


def _solved(
    rules: Mapping[str, Any], flop: str, target: float, method: str | None
) -> dict[str, Any]:
    """Return what there is to say of one flop."""
    from equipoise.certificates.spot_hands import report
    from equipoise.games.files.fields import Fields
    from equipoise.games.files.spot import spot_of
    from equipoise.road.verbs import solve

    game = spot_of(Fields({**rules, "board": flop}, f"flop {flop}"))
    result = solve(game, method, target * game.pot / 50)
    first, second = report(result.strategy).totals()
    found = {
        "value": first["value"],
        "value_ip": second["value"],
        "equity": first["equity"],
        **{f"play {action}": share for action, share in first["play"].items()},
        "exploitability_pct": result.summary()["exploitability_pct"],
    }
    rounded = {name: round(float(number), _DIGITS) for name, number in found.items()}
    return {**rounded, "iterations": result.found.iterations}


def _rows(out: Path, digest: str) -> dict[str, dict[str, Any]]:
    """Return the rows that a table has already, which must be of the same rules and target."""
    if not out.exists():
        return {}
    try:
        table = csv.DictReader(io.StringIO(out.read_text(encoding="utf-8")))
        found, names = list(table), table.fieldnames
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise EquipoiseError(f"{out}: cannot be read ({error}), expected a table.") from None
    is_ours = names is None or {"flop", KEY} <= {*names}
    if not is_ours or any(row.get(KEY) != digest or not row.get("flop") for row in found):
        raise EquipoiseError(
            f"{out}: found a table of other rules or another target, expected one of these: name "
            "another --out."
        )
    for row in found:
        for name, cell in row.items():
            if name not in ("flop", KEY) and not _is_number(cell):
                raise EquipoiseError(
                    f"{out}: flop {row['flop']:.20}: found {short(cell)} as {name or 'more than a row has'}, "
                    "expected a number: without its row, a flop is solved again."
                )
    return {row["flop"]: dict(row) for row in found}


def _is_number(cell: object) -> bool:
    """Whether a cell holds a finite number."""
    try:
        return math.isfinite(float(str(cell)))
    except ValueError:
        return False


def _write(rows: list[dict[str, Any]], file: BinaryIO) -> None:
    """Write rows as CSV."""
    file.write(table_text(rows).encode())


def table_text(rows: list[dict[str, Any]]) -> str:
    """Return rows as CSV, with a column for every name that any of them has."""
    file = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()
