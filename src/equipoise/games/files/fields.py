"""Typed reading of nested data, with errors that name the field."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from equipoise.errors import EquipoiseError


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML file, or say what is wrong with it."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise EquipoiseError("not TOML that can be read: brackets nest too deeply.") from None
    except ValueError as error:  # also of numbers with thousands of digits
        raise EquipoiseError(f"not TOML: {str(error).partition(';')[0].rstrip('.')}.") from None


@dataclass(frozen=True)
class Fields:
    """A table of a parsed file, and the place where it stands."""

    data: Mapping[str, Any]
    place: str

    @staticmethod
    def of(value: Any, place: str) -> Fields:
        """Return ``value`` as a table."""
        if not isinstance(value, Mapping):
            raise EquipoiseError(f"{place}: found {shown(value)}, expected a table.")
        return Fields(value, place)

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def at(self, key: str) -> str:
        """Return the place of a field."""
        return f"{self.place}.{key}" if self.place else key

    def fail(self, key: str, expected: str) -> NoReturn:
        """Raise, saying what was found in a field and what was expected."""
        found = shown(self.data[key]) if key in self.data else "nothing"
        raise EquipoiseError(f"{self.at(key)}: found {found}, expected {expected}.")

    def only(self, *known: str) -> None:
        """Refuse fields that mean nothing here."""
        for key in self.data:
            if key not in known:
                raise EquipoiseError(
                    f"{self.at(key)}: unknown field, expected one of {', '.join(known)}."
                )

    def text(self, key: str, default: str | None = None) -> str:
        """Read a string."""
        value = self.data.get(key, default)
        return value if isinstance(value, str) else self.fail(key, "a text")

    def flag(self, key: str, *, default: bool) -> bool:
        """Read true or false."""
        value = self.data.get(key, default)
        return value if isinstance(value, bool) else self.fail(key, "true or false")

    def whole(
        self, key: str, default: int | None = None, least: int = 0, most: int | None = None
    ) -> int:
        """Read a whole number of at least ``least``, and at most ``most`` if that is given."""
        value = self.data.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            self.fail(key, f"a whole number of at least {least}")
        if most is not None and value > most:
            self.fail(key, f"a whole number of at most {most:,}")
        return value

    def number(self, key: str, default: float | None = None) -> int | float:
        """Read a finite number."""
        value: int | float | None = self.data.get(key, default)
        if value is None or not is_number(value):
            self.fail(key, "a number")
        return value

    def numbers(self, key: str) -> list[int | float]:
        """Read a list of finite numbers; a missing field is an empty list."""
        value = self.data.get(key, [])
        if not isinstance(value, list | tuple) or not all(map(is_number, value)):
            self.fail(key, "a list of numbers")
        return list(value)

    def texts(self, key: str) -> list[str]:
        """Read a list of strings; a missing field is an empty list."""
        value = self.data.get(key, [])
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
            self.fail(key, "a list of texts")
        return list(value)

    def table(self, key: str) -> Fields:
        """Read a table."""
        return Fields.of(self.data.get(key), self.at(key))

    def children(self, key: str) -> Iterator[tuple[str, Fields]]:
        """Read a table of tables; a missing field has none."""
        for name, value in Fields.of(self.data.get(key, {}), self.at(key)).data.items():
            yield name, Fields.of(value, f"{self.at(key)}.{name}")

    def tables(self, key: str) -> list[Fields]:
        """Read a list of tables, ``[[key]]``; a missing field is an empty list."""
        value = self.data.get(key, [])
        if not isinstance(value, list):
            self.fail(key, f"a list of tables ([[{self.at(key)}]])")
        return [Fields.of(row, f"{self.at(key)} {i + 1}") for i, row in enumerate(value)]


def shown(value: Any) -> str:
    """Return ``value`` as a sentence can show it; numbers of thousands of digits have no text."""
    try:
        return f"{value!r:.80}"
    except ValueError:
        return "a number of thousands of digits"


def is_number(value: Any) -> bool:
    """Say whether ``value`` is a number that a float can hold (true and false are not)."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
