"""The one kind of error a user sees.

An error is a sentence that names the place, what was found there and what was expected. The command
line prints it on one line and exits with 2; it never shows a traceback for bad input.
"""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Sequence
from numbers import Real
from typing import Any

INTERRUPTED = 130
"""How a command exits after Ctrl-C."""

_LONGEST = 80
_LONGEST_LINE = 2_000
# Surrogates stand for the bytes of a file's name that are no text, and cannot be written.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class EquipoiseError(ValueError):
    """Bad input, told in one sentence: place, what was found, what was expected."""


def remark(message: str) -> str:
    """Return ``message`` as the one line that stderr gets, whatever the names in it hold.

    White space counts as one space, control characters are written as Python does, and what no one reads is cut.
    """
    line = printable(" ".join(message.split()))
    return f"equipoise: {line if len(line) <= _LONGEST_LINE else f'{line[: _LONGEST_LINE - 3]}...'}"


def printable(text: str) -> str:
    """Return ``text`` with control characters written as Python does: names in files may hold any."""
    return _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


def quoted(text: str) -> str:
    """Return ``text`` in quotes, cut to a length that fits a sentence."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def short(value: Any) -> str:
    """Return ``value`` as Python writes it, cut to a length that fits a sentence."""
    try:
        text = reprlib.repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def whole_number(text: str) -> int | None:
    """Return the number that up to nine digits write, or nothing: Python refuses to read the longest."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 9 else None


def require_type(place: str, found: Any, kinds: type | tuple[type, ...], expected: str) -> None:
    """Raise unless ``found`` is of one of the ``kinds``; a truth value is no number."""
    is_flag = isinstance(found, bool) and kinds is not bool
    if is_flag or not isinstance(found, kinds):
        raise EquipoiseError(f"{place}: found {short(found)}, expected {expected}.")


def real(place: str, found: Any, expected: str) -> float:
    """Return ``found`` as a number of Python's, or raise unless it is one that such numbers hold."""
    require_type(place, found, Real, expected)
    try:
        return float(found)
    except OverflowError:
        raise EquipoiseError(f"{place}: found {short(found)}, expected {expected}.") from None


def require_numbers(place: str, found: Any, expected: str) -> None:
    """Raise unless ``found`` is a list or an array of numbers."""
    is_text = isinstance(found, str | bytes)
    is_row = isinstance(found, Sequence) or getattr(found, "ndim", None) == 1
    if is_text or not is_row:
        raise EquipoiseError(f"{place}: found {short(found)}, expected {expected}.")
    for number in found:
        require_type(place, number, Real, expected)


def require_path(place: str, found: Any) -> None:
    """Raise unless ``found`` names a file: a text or a path."""
    require_type(place, found, (str, os.PathLike), "the name of a file")
