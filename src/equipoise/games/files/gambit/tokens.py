r"""Words of Gambit's file formats: quoted texts, numbers, symbols, braces and commas.

White space separates and otherwise means nothing. In a quoted text ``\"`` is a quotation mark; any
other backslash stands for itself, and a quotation mark after a backslash never ends the text. Gambit
takes labels of printable ASCII without doubled or outer spaces only; other characters are written as
``\uXXXX`` (``\UXXXXXXXX`` beyond 16 bits), which Gambit keeps as it is and this reader turns back.

Source: "Game representation formats" in Gambit's manual.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

from equipoise.errors import EquipoiseError
from equipoise.games.trees.extensive import LARGEST

TEXT, WORD, OPEN, CLOSE, COMMA, BAD, END = range(7)

_TOKEN = re.compile(
    r"""\s*(?:
        "( (?: [^"\\] | \\"?+ )*+ )" # a quoted text
      | ( [^\s{},"]+ )               # a number or a symbol
      | ( \{ ) | ( \} ) | ( , )
      | ( " )                        # a quotation mark that no other one closes
      | ( \Z )
    )""",
    re.VERBOSE | re.ASCII,
)
_INTEGER = re.compile(r"[0-9]{1,18}")
_RATIONAL = re.compile(r"[+-]?[0-9]+/[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,9}))?")
_LONGEST = 8000  # characters of a number; Python converts up to 4,300 digits
_MOST_BITS = 13_000  # of a numerator or denominator that is written: fewer than 4,000 digits
_LARGEST_EXPONENT = 1000
_ESCAPE = re.compile(r'\\(?:"|u([0-9a-f]{4})|U(0010[0-9a-f]{4}|000[0-9a-f]{5}))')
_SPECIAL = re.compile(r'[^ -~]|"|\\(?=[uU"\\]|\Z)|\A | (?= |\Z)')


class Tokens:
    """The words of a file, one at a time; ``kind`` and ``word`` are the one not taken yet."""

    def __init__(self, text: str, source: str) -> None:
        self._text, self._source = text, source
        self._matches = _TOKEN.finditer(text)
        self._start = 0
        self.advance()

    def advance(self) -> None:
        """Go to the next word; :meth:`end` is the only one to take the last."""
        match = next(self._matches)
        group = match.lastindex or 0
        self.kind = group - 1
        self.word = match[group]
        self._taken, self._start = self._start, match.start(group)

    def fail(self, expected: str) -> NoReturn:
        """Raise: the word at hand is not what was expected."""
        if self.kind == END:
            found = "the end of the file"
        elif self.kind == BAD:
            found, expected = "a quotation mark that nothing closes", "a quoted text"
        else:
            found = _shown(self.word, '"' if self.kind == TEXT else "'")
        self._raise(self._start, f"found {found}, expected {expected}")

    def refuse(self, complaint: str) -> NoReturn:
        """Raise: what has been taken up to here will not do."""
        self._raise(self._taken, complaint)

    def _raise(self, start: int, complaint: str) -> NoReturn:
        line = self._text.count("\n", 0, start) + 1
        raise EquipoiseError(f"{self._source}, line {line}: {complaint}.")

    def accept(self, kind: int) -> bool:
        """Take the word if it is of this kind, and say whether it was."""
        if self.kind != kind:
            return False
        self.advance()
        return True

    def require(self, kind: int, expected: str) -> str:
        """Take and return a word of this kind."""
        if self.kind != kind:
            self.fail(expected)
        word = self.word
        self.advance()
        return word

    def text(self, expected: str) -> str:
        """Take a quoted text."""
        return unescape(self.require(TEXT, expected))

    def symbol(self, *choices: str) -> str:
        """Take one of the symbols in ``choices``."""
        if self.kind != WORD or self.word not in choices:
            self.fail(" or ".join(f"'{choice}'" for choice in choices))
        return self.require(WORD, "")

    def integer(self, expected: str, least: int = 1) -> int:
        """Take a whole number that is at least ``least``."""
        if self.kind != WORD or not _INTEGER.fullmatch(self.word) or int(self.word) < least:
            self.fail(f"{expected} (a whole number >= {least})")
        return int(self.require(WORD, ""))

    def number(self, expected: str) -> Fraction:
        """Take a number, exactly: ``-2``, ``1/3``, ``.25``, ``1e-3``."""
        value = _exact(self.word) if self.kind == WORD else None
        if value is None:
            self.fail(f"{expected} (a finite number such as -2, 1/3 or 0.25)")
        if abs(value) > LARGEST:
            self.fail(f"{expected} between -1e300 and 1e300")
        self.advance()
        return value

    def end(self) -> None:
        """Make sure that nothing is left."""
        if self.kind != END:
            self.fail("the end of the file")

    def texts(self, expected: str) -> list[str]:
        """Take a list of quoted texts in braces."""
        self.require(OPEN, f"'{{' and then {expected}")
        labels = []
        while not self.accept(CLOSE):
            labels.append(self.text(f"{expected} in quotation marks, or '}}'"))
        return labels

    def prologue(self, kind: str, version: str) -> tuple[str, list[str]]:
        """Take what every file begins with; return the title, if empty the file's name, and the players."""
        self.symbol(kind)
        self.symbol(version)
        self.symbol("R", "D")
        title = " ".join(self.text("the title of the game in quotation marks").split())
        return title or Path(self._source).stem, self.texts("a player's name")

    def payoffs(self, players: int) -> tuple[Fraction, ...]:
        """Take one number a player, commas between them allowed, and the closing brace."""
        values: list[Fraction] = []
        while not self.accept(CLOSE):
            if len(values) == players:
                self.fail(f"'}}' after {players} payoffs, one for each player")
            values.append(self.number(f"payoff {len(values) + 1} of {players}"))
            self.accept(COMMA)
        if len(values) < players:
            self.refuse(f"found {len(values)} payoffs, expected {players}, one for each player")
        return tuple(values)


@lru_cache(maxsize=4096)
def _exact(word: str) -> Fraction | None:
    """Return the number that ``word`` writes, or None if it writes none of a sensible length."""
    if len(word) > _LONGEST:
        return None
    match = _DECIMAL.fullmatch(word)
    # The exponent is bounded before the number is made: 1e999999999 has a billion digits.
    if match is None and not _RATIONAL.fullmatch(word):
        return None
    if match is not None and abs(int(match[1] or 0)) > _LARGEST_EXPONENT:
        return None
    try:
        return Fraction(word)
    except (ValueError, ZeroDivisionError):
        return None


def rational(value: Fraction, place: str) -> str:
    """Return ``value`` as a file writes it: ``-2`` or ``1/3``."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise EquipoiseError(
            f"{place}: found a rational number of over 3,900 digits, expected one that a file can hold."
        )
    return str(value)


def _shown(word: str, mark: str) -> str:
    """Return ``word`` in quotation marks, on one line and short enough for a sentence."""
    printable = word.encode("ascii", "backslashreplace").decode()
    line = re.sub(r"[\x00-\x1f\x7f]", lambda c: f"\\x{ord(c[0]):02x}", printable)
    return f"{mark}{line if len(line) <= 40 else line[:37] + '...'}{mark}"


def unescape(text: str) -> str:
    """Return the label that a quoted text stands for."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda m: chr(int(m[1] or m[2], 16)) if m[0] != '\\"' else '"', text)


def quote(label: str) -> str:
    r"""Return ``label`` as a quoted text that Gambit accepts and :func:`unescape` turns back.

    >>> print(quote('a "bet" of 5€'))
    "a \"bet\" of 5\u20ac"
    """
    return f'"{_SPECIAL.sub(lambda match: escaped(match[0]), label)}"'


def escaped(character: str) -> str:
    """Return a character as a backslash and what stands for it."""
    if character == '"':
        return '\\"'
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def distinct(labels: Sequence[str]) -> tuple[str, ...]:
    """Return ``labels`` with every empty or repeated one made unique, the others unchanged.

    An empty label becomes its place in the list, counted from 1; a repeated one gets a suffix.
    """
    named = [label or str(place) for place, label in enumerate(labels, 1)]
    taken = set(named)
    if len(taken) == len(named):
        return tuple(named)
    seen: set[str] = set()
    copies: dict[str, int] = {}
    for place, label in enumerate(named):
        candidate = label
        while candidate in seen or (candidate != label and candidate in taken):
            copies[label] = copies.get(label, 1) + 1
            candidate = f"{label}_{copies[label]}"
        named[place] = candidate
        seen.add(candidate)
    return tuple(named)


def read_text(path: str | Path) -> str:
    """Return the text of a file in UTF-8, or say in a sentence why that cannot be done."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise EquipoiseError(f"{path}: there is no such file, expected one to read.") from None
    except IsADirectoryError:
        raise EquipoiseError(f"{path}: found a folder, expected a file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EquipoiseError(f"{path}: cannot be read ({reason}), expected a file.") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise EquipoiseError(
            f"{path}, line {line}: found the byte 0x{data[error.start]:02x}, expected text in UTF-8."
        ) from None
    if not text.strip():
        raise EquipoiseError(f"{path}: the file is empty, expected a game.")
    return text
