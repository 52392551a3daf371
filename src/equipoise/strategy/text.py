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
from typing import BinaryIO, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.files import write_atomically
from equipoise.games.files.gambit.tokens import distinct
from equipoise.games.signals.betting import TERMINAL
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.sequence.build import game_fingerprint
from equipoise.strategy.profile import Layout, Strategy
from equipoise.strategy.table import groups, probabilities, require_strategy, view_names
from equipoise.strategy.views import view_layout

# Sums within the first of these are kept as they are, within the second they are made one.
_SAME, _ROUNDED = 1e-6, 1e-3
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r"})


def write_text(path: str | Path, game: ExtensiveGame | StageGame, strategy: Strategy) -> int:
    """Write ``strategy``, which must belong to ``game``, to ``path``; return the number of lines."""
    require_strategy(game, strategy)
    names = None if isinstance(game, StageGame) else iter(_tree_names(game))
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
    keys: _Keys = _SignalKeys(game) if isinstance(game, StageGame) else _TreeKeys(game)
    vectors = [array("d", [math.nan]) * size for size in keys.sizes]
    lines = _read_lines(path, keys, vectors)
    behaviour = [np.frombuffer(vector) for vector in vectors]
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
        return Strategy(game.name, keys.fingerprint, tuple(single), keys.layout)
    return Strategy(game.name, keys.fingerprint, tuple(behaviour), keys.layout)


class _Place(NamedTuple):
    """Where a line's numbers go: entries ``first + a * stride`` of the player's vector."""

    player: int
    first: int
    stride: int
    actions: int


class _Keys(Protocol):
    """Finds information sets by the text before the two spaces."""

    fingerprint: str
    layout: Layout | None
    sizes: list[int]

    def find(self, key: str) -> _Place:
        """Return the place of ``key``, or raise."""


class _TreeKeys:
    """Information sets of a game tree, by player and label."""

    def __init__(self, game: ExtensiveGame) -> None:
        self.fingerprint = game.fingerprint
        self.layout: Layout | None = None
        self.sizes = [game.sequences(player) for player in range(len(game.players))]
        self._places = {
            f"{group.player + 1}|{name}": _Place(group.player, group.first, 1, len(group.actions))
            for group, name in zip(groups(game), _tree_names(game), strict=True)
        }

    def find(self, key: str) -> _Place:
        """Look it up."""
        place = self._places.get(key)
        if place is None:
            example = next(iter(self._places), "no information set at all")
            raise EquipoiseError(
                f"found the information set {_short(key)}, expected one like {example!r}."
            )
        return place


class _SignalKeys:
    """Information sets of a game with signals, by player, view and history."""

    def __init__(self, game: StageGame) -> None:
        self._tree, layout = game.tree, view_layout(game)
        self.fingerprint = game_fingerprint(game)
        self.layout: Layout | None = layout
        self.sizes = [int(layout.starts(player)[-1]) for player in range(game.players)]
        self._views = [
            [{n: view for view, n in enumerate(view_names(game, turn, i))} for i in range(2)]
            for turn in range(game.rounds)
        ]
        self._nodes: dict[str, tuple[int, int, int, int]] = {}
        for player in range(game.players):
            own = np.flatnonzero(game.tree.player == player).tolist()
            for node, first in zip(own, layout.starts(player)[:-1].tolist(), strict=True):
                turn, actions = int(game.tree.round[node]), len(game.tree.successors[node])
                self._nodes[game.tree.histories[node]] = player, turn, first, actions

    def find(self, key: str) -> _Place:
        """Look up the history, then the view among those of its player and round."""
        owner, _, rest = key.partition("|")
        cards, bar, history = rest.rpartition("|")
        node = self._nodes.get(history)
        if node is None or not bar:
            raise EquipoiseError(self._wrong_history(key, history, bool(bar)))
        player, turn, first, actions = node
        if owner != str(player + 1):
            raise EquipoiseError(
                f"found player {_short(owner)}, expected player {player + 1}, who acts after "
                f"'{history}'."
            )
        known = self._views[turn][player]
        view = known.get(cards)
        if view is None:
            raise EquipoiseError(
                f"found {_short(cards)}, expected signals of round {turn + 1} by their name, such "
                f"as {next(iter(known))!r}."
            )
        return _Place(player, first + view, len(known), actions)

    def _wrong_history(self, key: str, history: str, has_parts: bool) -> str:
        if not has_parts:
            return f"found the key {_short(key)}, expected player|signals|history."
        try:
            node = self._tree.find(history)
        except EquipoiseError as error:
            return str(error)
        assert self._tree.player[node] == TERMINAL
        return f"found the history '{history}', after which the game is over, expected a decision."


def _read_lines(path: str | Path, keys: _Keys, vectors: list[array[float]]) -> int:
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


def _read_line(line: str, keys: _Keys, vectors: list[array[float]]) -> None:
    """Put the probabilities of one line in their places."""
    key, gap, numbers = line.rpartition("  ")
    if not gap:
        raise EquipoiseError(f"found {_short(line)}, expected a key, two spaces and probabilities.")
    place = keys.find(key)
    row = _row(numbers, place.actions)
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
            f"found {_short(numbers)}, expected {actions} probabilities between single spaces."
        ) from None
    if len(row) != actions:
        raise EquipoiseError(f"found {len(row)} probabilities, expected {actions}, one an action.")
    total = sum(row)
    if not (min(row) >= 0 and abs(total - 1) <= _ROUNDED):
        raise EquipoiseError(
            f"found probabilities {_short(numbers)}, expected none below 0 and a sum of 1."
        )
    return row if abs(total - 1) <= _SAME else [probability / total for probability in row]


def _tree_names(game: ExtensiveGame) -> list[str]:
    """Return the labels of a tree's information sets, made fit for a line and for one player each."""
    names = list(game.infoset_label)
    for player in range(len(game.players)):
        own: NDArray[np.intp] = np.flatnonzero(game.infoset_player == player)
        for place, name in zip(own.tolist(), distinct([names[i] for i in own]), strict=True):
            names[place] = name.translate(_ESCAPES)
    return names


def _short(text: str) -> str:
    """Return ``text`` in quotes, cut to a length that fits a sentence."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
