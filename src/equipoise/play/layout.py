"""Where the information sets of a scene stand: their labels as rows and columns of a table."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

_RANKS = "23456789TJQKA"


def without_ending(labels: Sequence[str], history: str) -> list[str]:
    """Return labels without what they all end in: the history, which the scene has already."""
    if len(labels) < 2:
        return list(labels)
    end = history if history and all(x.endswith(history) for x in labels) else _common_end(labels)
    cut = [x[: len(x) - len(end)].rstrip("|/: ") for x in labels] if end else list(labels)
    return cut if all(cut) and len(set(cut)) == len(cut) else list(labels)


def _common_end(labels: Sequence[str]) -> str:
    """Return the longest common ending that begins with a sign, so that no word or number is cut."""
    end = labels[0]
    for label in labels:
        while not label.endswith(end):
            end = end[1:]
    sign = re.search(r"[^0-9A-Za-z]", end)
    return end[sign.start() :] if sign else ""


def layout(
    names: Sequence[str],
) -> tuple[tuple[str, ...], tuple[str, ...], list[tuple[int, int]]]:
    """Return rows, columns and each name's place: a table where names have two parts, else one row."""
    parts = [name.split("|") for name in names]
    if len(names) > 1 and all(len(part) == 2 for part in parts):
        rows = _sorted({a for a, _ in parts})
        columns = _sorted({b for _, b in parts})
        return tuple(rows), tuple(columns), [(rows.index(a), columns.index(b)) for a, b in parts]
    columns = _sorted(names)
    width = len(columns) if len(columns) <= 13 else math.ceil(math.sqrt(len(columns)))
    places = {name: divmod(k, width) for k, name in enumerate(columns)}
    rows = [""] * math.ceil(len(columns) / width)
    is_line = len(rows) == 1
    return tuple(rows), tuple(columns if is_line else [""] * width), [places[x] for x in names]


def _sorted(labels: Iterable[str]) -> list[str]:
    """Sort cards by rank and suit, and other labels by the numbers and words in them."""
    every = list(labels)
    are_cards = all(re.fullmatch(f"[{_RANKS}][a-z]?", label) for label in every)

    def order(label: str) -> list[Any]:
        if are_cards:
            return [_RANKS.index(label[0]), label[1:]]
        parts = re.findall(r"[0-9]+|[^0-9]+", label)
        # Numbers by their digits, since the longest cannot be read as such.
        digits = [part.lstrip("0") if part.isdecimal() else None for part in parts]
        return [
            (1, 0, part) if own is None else (0, len(own), own)
            for part, own in zip(parts, digits, strict=True)
        ]

    return sorted(every, key=order)
