"""Row operations in plain Python, for kernels that are run without a compiler.

Those of :mod:`equipoise.numerics.rows` are written in the compiler's own language and cannot be called without it:
every test of a kernel that uses them would fail by itself, and notice nothing.
"""

from __future__ import annotations

from typing import Any


def running_row(rows: Any, out: Any, before: Any, weight: Any, row: Any, length: Any) -> None:
    """``rows[out + e] = rows[before + e] + weight * rows[row + e]`` for all e below ``length``."""
    out, before, row = int(out), int(before), int(row)
    for e in range(length):
        rows[out + e] = rows[before + e] + weight * rows[row + e]


def add_rows(
    out: Any, at: Any, scale: Any, first: Any, rows: Any, places: Any, factors: Any, length: Any
) -> None:
    """``out[at + e] += scale[first + e] * sum of factors[i] * rows[places[i] + e]``, e below ``length``."""
    at, first, places = int(at), int(first), [int(place) for place in places]
    for e in range(length):
        total = sum(f * rows[place + e] for f, place in zip(factors, places, strict=True))
        out[at + e] += scale[first + e] * total


def prefetch(arrays: Any, first: Any, offset: Any) -> None:
    """Do nothing: what is fetched changes no result."""


def put_in() -> None:
    """Let kernels that are imported from here on use these."""
    from equipoise.numerics import rows

    for own in (running_row, add_rows, prefetch):
        setattr(rows, own.__name__, own)
