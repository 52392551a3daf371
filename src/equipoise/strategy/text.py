"""Strategies as text, for other programs: one line for each information set.

A line is the player (from 1), ``|``, the information set, two spaces, and the probability of each
action in the order of the game, separated by single spaces::

    2|Ta7b7a|kK/bRc/kBr  0.1 0.7 0.2

The information set is called as in :mod:`equipoise.strategy.table`. In a label of a game tree,
backslashes and line breaks are escaped, and a label that occurs twice gets a suffix. Lines may come
in any order; ``docs/strategy-text.md`` has the details.

Numbers are written with as many digits as it takes to tell them from all others in double precision,
so reading what was written gives the same numbers.
"""

from __future__ import annotations

import math
from array import array
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError, quoted
from equipoise.files import write_atomically
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.strategy.keys import Keys, keys_of, tree_names
from equipoise.strategy.profile import Strategy
from equipoise.strategy.table import groups, probabilities, require_strategy

# Sums within the first of these are kept as they are, within the second they are made one.
_SAME, _ROUNDED = 1e-6, 1e-3


def write_text(path: str | Path, game: ExtensiveGame | StageGame, strategy: Strategy) -> int:
    """Write ``strategy``, which must belong to ``game``, to ``path``; return the number of lines."""
    require_strategy(game, strategy)
    names = None if isinstance(game, StageGame) else iter(tree_names(game))
    lines = 0

    def write(file: BinaryIO) -> None:
        nonlocal lines
        for group in groups(game):
            keys = group.labels if names is None else [next(names)]
            rows = probabilities(group, strategy)
            file.write(
                "".join(
                    f"{group.player + 1}|{key}  {' '.join(map(repr, row))}\n"
                    for key, row in zip(keys, rows, strict=True)
                ).encode()
            )
            lines += len(rows)

    write_atomically(path, write)
    return lines


def read_text(path: str | Path, game: ExtensiveGame | StageGame) -> Strategy:
    """Return the strategy of ``game`` that the lines of ``path`` describe.

    Every information set must be there once. It is kept in single precision if that holds all its
    numbers exactly.
    """
    keys = keys_of(game)
    vectors = [array("d", [math.nan]) * size for size in keys.sizes]
    lines = _read_lines(path, keys, vectors)
    behaviour: list[NDArray[Any]] = [np.frombuffer(vector) for vector in vectors]
    for own in behaviour:
        own[0] = 1.0
    missing = sum(int(np.isnan(own).sum()) for own in behaviour)
    if missing:
        raise EquipoiseError(
            f"{path}: found {lines} lines that leave {missing} probabilities of '{game.name}' "
            "open, expected a line for every information set."
        )
    single = [own.astype(np.float32) for own in behaviour]
    if all((short == own).all() for short, own in zip(single, behaviour, strict=True)):
        behaviour = single
    return Strategy(game.name, keys.fingerprint, tuple(behaviour), keys.layout, game)


def _read_lines(path: str | Path, keys: Keys, vectors: list[array[float]]) -> int:
    """Put all probabilities of a file in their places and return the number of lines."""
    number = 0
    try:
        with Path(path).open("rb") as file:
            for line in file:
                number += 1
                if not line.isspace():
                    _read_line(line.decode().rstrip(), keys, vectors)
    except OSError as error:
        raise EquipoiseError(
            f"{path}: cannot be read ({error.strerror or error}), expected a strategy as text."
        ) from None
    except UnicodeDecodeError:
        raise EquipoiseError(
            f"{path}: line {number}: found bytes that are no text, expected UTF-8."
        ) from None
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: line {number}: {error}") from None
    return number


def _read_line(line: str, keys: Keys, vectors: list[array[float]]) -> None:
    """Put the probabilities of one line in their places."""
    key, gap, numbers = line.rpartition("  ")
    if not gap:
        raise EquipoiseError(f"found {quoted(line)}, expected a key, two spaces and probabilities.")
    place = keys.find(key)
    row = _row(numbers, len(place.actions))
    vector, entry = vectors[place.player], place.first
    if vector[entry] == vector[entry]:
        raise EquipoiseError(f"found '{key}' a second time, expected every information set once.")
    for probability in row:
        vector[entry] = probability
        entry += place.stride


def _row(numbers: str, actions: int) -> list[float]:
    """Return the probabilities that ``numbers`` spells."""
    try:
        row = [float(word) for word in numbers.split(" ")]
    except ValueError:
        raise EquipoiseError(
            f"found {quoted(numbers)}, expected {actions} probabilities between single spaces."
        ) from None
    if len(row) != actions:
        raise EquipoiseError(f"found {len(row)} probabilities, expected {actions}, one an action.")
    total = sum(row)
    if not (min(row) >= 0 and abs(total - 1) <= _ROUNDED):
        raise EquipoiseError(
            f"found probabilities {quoted(numbers)}, expected none below 0 and a sum of 1."
        )
    return row if abs(total - 1) <= _SAME else [probability / total for probability in row]
