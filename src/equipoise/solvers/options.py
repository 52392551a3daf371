"""Options of methods, checked when a method is made."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

from equipoise.errors import EquipoiseError


def require_number(
    method: str, option: str, value: Any, least: float, *, strict: bool = False
) -> None:
    """Raise unless ``value`` is a finite number, at least (or above, if ``strict``) ``least``."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value < math.inf or (strict and value == least):
        sign = ">" if strict else ">="
        raise EquipoiseError(
            f"{method}: {option} is {value!r}, expected a number {sign} {least:g}."
        )


def require_whole(method: str, option: str, value: Any) -> None:
    """Raise unless ``value`` is a whole number, zero or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise EquipoiseError(f"{method}: {option} is {value!r}, expected a whole number >= 0.")


def require_flag(method: str, option: str, value: Any) -> None:
    """Raise unless ``value`` is a truth value."""
    if not isinstance(value, bool):
        raise EquipoiseError(f"{method}: {option} is {value!r}, expected True or False.")


def option_names(method: Any) -> list[str]:
    """Return the names of the options of ``method``, a dataclass; what it wraps is none of them."""
    return [field.name for field in fields(method) if field.repr and field.name != "method"]
