"""The log of a solve: where it stood whenever it was measured, as rows and as an array."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError


@dataclass(frozen=True)
class LogRow:
    """One line of the log: where the run stood when its gap was measured.

    Bounds are in the user's units. The ``share`` is how much of the game the run works on, where that is not all
    of it. The ``gap`` is what the players together could gain: in a zero-sum game the duality gap. It is the
    difference of the bounds if it is not told; where player 1 is paid much whatever happens, bounds have
    fewer digits of it than it had when it was measured.
    """

    iterations: int
    gradients: int
    lower: float
    upper: float
    seconds: float
    cpu_seconds: float
    share: float = 1.0
    gap: float = math.nan

    def __post_init__(self) -> None:
        if math.isnan(self.gap):
            object.__setattr__(self, "gap", self.upper - self.lower)

    def moved(self, amount: float) -> LogRow:
        """Return the row with the bounds that there are when player 1 is paid ``amount`` more; the gap stays."""
        return replace(self, lower=amount + self.lower, upper=amount + self.upper)


LOG_COLUMNS = (6, 7, 8)
"""Columns of a log: without shares, with them, and with gaps that are not the differences of the bounds."""


def log_array(rows: Sequence[LogRow]) -> NDArray[np.float64]:
    """Return the log as an array, one row a measurement, columns as in :class:`LogRow`.

    The share has a column only if it is not the whole game everywhere, and the gap only if it is not the
    difference of the bounds everywhere.
    """
    plain, with_share, with_gap = LOG_COLUMNS
    columns = with_share if any(row.share != 1.0 for row in rows) else plain
    if any(row.gap != row.upper - row.lower for row in rows):
        columns = with_gap
    table = [list(astuple(row))[:columns] for row in rows]
    return np.array(table, dtype=np.float64).reshape(-1, columns)


def log_rows(array: NDArray[np.float64]) -> list[LogRow]:
    """Return the rows of a :func:`log_array`."""
    return [LogRow(int(r[0]), int(r[1]), *(float(v) for v in r[2:])) for r in array]


def require_log(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise unless counters, log and best row have their shapes, and numbers that can be."""
    log = arrays.get("log")
    shapes: dict[str, tuple[int, ...]] = {
        "run_counters": (2,),
        "log": (len(log) if log is not None and log.ndim else 0, _columns(log)),
    }
    if "best_row" in arrays:
        shapes["best_row"] = (1, _columns(arrays["best_row"]))
    for name, shape in shapes.items():
        found = arrays.get(name)
        kind = "i" if name == "run_counters" else "f"
        if found is None or (found.dtype.kind, found.shape) != (kind, shape):
            raise EquipoiseError(
                f"Checkpoint: array {name} is missing or has another type or shape, expected "
                f"{shape} numbers."
            )
        if not np.isfinite(found).all() or (kind == "i" and found.min() < 0):
            raise EquipoiseError(f"Checkpoint: array {name} has numbers out of range.")


def _columns(found: NDArray[Any] | None) -> int:
    """Return how many columns a log like this one has."""
    known = found is not None and found.ndim == 2 and found.shape[1] in LOG_COLUMNS
    return found.shape[1] if known and found is not None else LOG_COLUMNS[0]
