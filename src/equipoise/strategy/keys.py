"""Information sets by their names.

A *key* is the player (from 1), ``|`` and the label of the information set, as in
:mod:`equipoise.strategy.table`. In a game tree, backslashes and line breaks of labels are escaped in
keys, and a label that a player has twice gets a suffix.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.base import Abstraction
from equipoise.errors import EquipoiseError, quoted, require_type, whole_number
from equipoise.games.files.gambit.tokens import distinct
from equipoise.games.signals.betting import TERMINAL
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.sequence.build import game_fingerprint
from equipoise.strategy.local import unknown
from equipoise.strategy.profile import Layout
from equipoise.strategy.table import groups, view_names
from equipoise.strategy.views import find_view, view_layout

_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r"})


class Place(NamedTuple):
    """Where an information set's numbers are: entries ``first + a * stride`` of the player's vector."""

    player: int
    first: int
    stride: int
    actions: tuple[str, ...]


class Keys(Protocol):
    """Finds information sets, by key or by label alone."""

    fingerprint: str
    layout: Layout | None
    sizes: list[int]

    def find(self, key: str) -> Place:
        """Return the place of ``key``, or raise."""

    def locate(self, label: str) -> Place:
        """Return the place of ``label``, with the player before it or without, or raise."""

    def labels(self) -> Iterator[str]:
        """Yield, in order, what :meth:`locate` knows each information set by."""


def keys_of(
    game: ExtensiveGame | StageGame, abstraction: Abstraction | None = None
) -> TreeKeys | SignalKeys:
    """Return the keys of the information sets of ``game``, or of its ``abstraction``."""
    require_type("strategy", game, (ExtensiveGame, StageGame), "a game with information sets")
    if not isinstance(game, StageGame):
        return TreeKeys(game)
    return SignalKeys(game, _Views(game) if abstraction is None else _Buckets(game, abstraction))


class TreeKeys:
    """Information sets of a game tree, by player and label."""

    def __init__(self, game: ExtensiveGame) -> None:
        self.fingerprint = game.fingerprint
        self.layout: Layout | None = None
        self.sizes = [game.sequences(player) for player in range(len(game.players))]
        self._names = tree_names(game)
        self._places = {
            f"{group.player + 1}|{name}": Place(group.player, group.first, 1, group.actions)
            for group, name in zip(groups(game), self._names, strict=True)
        }

    def find(self, key: str) -> Place:
        """Look it up."""
        place = self._places.get(key)
        if place is None:
            example = next(iter(self._places), "no information set at all")
            raise EquipoiseError(
                f"found the information set {quoted(key)}, expected one like {example!r} ('equipoise "
                "export' writes them all)."
            )
        return place

    def locate(self, label: str) -> Place:
        """Look it up as it is, then among the labels of every player."""
        plain = [f"{player + 1}|{label}" for player in range(len(self.sizes))]
        escaped = [key.translate(_ESCAPES) for key in plain]
        found = [key for key in dict.fromkeys((label, *plain, *escaped)) if key in self._places]
        if len(found) == 1:
            return self._places[found[0]]
        if found:
            raise EquipoiseError(
                f"information set {quoted(label)}: found {len(found)} of that name, expected "
                f"{' or '.join(map(repr, found))}."
            )
        raise unknown(label, self.labels())

    def labels(self) -> Iterator[str]:
        """Yield names that one player has, and otherwise keys."""
        taken: dict[str, int] = {}
        for name in self._names:
            taken[name] = taken.get(name, 0) + 1
        for key, name in zip(self._places, self._names, strict=True):
            yield name if taken[name] == 1 and name not in self._places else key


class _Names(Protocol):
    """What the players of a game with signals may be told, by name."""

    fingerprint: str
    layout: Layout

    def names(self, turn: int, player: int) -> Sequence[str]:
        """Return all names of a round, in order."""

    def find(self, turn: int, player: int, name: str) -> int | None:
        """Return the place of ``name``, or nothing."""


class _Views:
    """Views by their names."""

    def __init__(self, game: StageGame) -> None:
        self.fingerprint, self.layout = game_fingerprint(game), view_layout(game)
        self._game = game

    @cached_property
    def _places(self) -> list[list[dict[str, int]]]:
        # Listed when a name is looked up: who numbers views by their cards needs no names.
        return [
            [{n: view for view, n in enumerate(self.names(turn, i))} for i in range(2)]
            for turn in range(self._game.rounds)
        ]

    def names(self, turn: int, player: int) -> Sequence[str]:
        return view_names(self._game, turn, player)

    def find(self, turn: int, player: int, name: str) -> int | None:
        return self._places[turn][player].get(name)


class _Buckets:
    """Buckets by number (``#7``), or by any hand in them: nothing as long as a list of hands is made."""

    def __init__(self, game: StageGame, abstraction: Abstraction) -> None:
        self.fingerprint = f"{game_fingerprint(game)}/{abstraction.digest}"
        self.layout = Layout.of(game.tree, abstraction.buckets)
        self._game, self._abstraction = game, abstraction

    def names(self, turn: int, player: int) -> Sequence[str]:
        return [f"#{bucket}" for bucket in range(self._abstraction.buckets[turn][player])]

    def find(self, turn: int, player: int, name: str) -> int | None:
        if name.startswith("#"):
            bucket = whole_number(name[1:])
            is_known = bucket is not None and bucket < self._abstraction.buckets[turn][player]
            return bucket if is_known else None
        try:
            view = find_view(self._game, turn, name, player)
        except EquipoiseError:
            return None
        return int(self._abstraction.bucket(turn, [view], player)[0])


class Block(NamedTuple):
    """A decision node of a betting tree: who acts, and where her numbers begin."""

    player: int
    turn: int
    first: int
    actions: tuple[str, ...]


class SignalKeys:
    """Information sets of a game with signals, by player, what she is told, and history."""

    def __init__(self, game: StageGame, told: _Names) -> None:
        tree, layout = game.tree, told.layout
        self._tree, self._told = tree, told
        self.fingerprint = told.fingerprint
        self.layout: Layout | None = layout
        self.sizes = [int(layout.starts(player)[-1]) for player in range(game.players)]
        starts = [iter(layout.starts(player).tolist()) for player in range(game.players)]
        self._blocks: dict[str, Block] = {}
        for node in np.flatnonzero(tree.player >= 0).tolist():
            player = int(tree.player[node])
            actions = tuple(tree.action[v] for v in tree.successors[node])
            block = Block(player, int(tree.round[node]), next(starts[player]), actions)
            self._blocks[tree.histories[node]] = block

    def find(self, key: str) -> Place:
        """Look up the history, then the view among those of its player and round."""
        owner, _, label = key.partition("|")
        if "|" not in label:
            raise EquipoiseError(f"found the key {quoted(key)}, expected player|signals|history.")
        place = self.locate(label)
        if owner != str(place.player + 1):
            raise EquipoiseError(
                f"found player {quoted(owner)}, expected player {place.player + 1}, who acts after "
                f"'{label.rpartition('|')[2]}'."
            )
        return place

    def locate(self, label: str) -> Place:
        """Look up ``signals|history``, whose history says who acts."""
        name, _, history = label.rpartition("|")
        block = self.block(history)
        return self.place(block, name)

    def place(self, block: Block, name: str) -> Place:
        """Return the information set of a block in which the player was told ``name``."""
        player, turn = block.player, block.turn
        found = self._told.find(turn, player, name)
        if found is None:
            # The player may stand before it.
            owner, bar, rest = name.partition("|")
            is_owner = bar and owner == str(player + 1)
            found = self._told.find(turn, player, rest) if is_owner else None
        if found is None:
            known = self._told.names(turn, player)
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.5) or [known[0]]
            raise EquipoiseError(
                f"found {quoted(name)}, expected signals of round {turn + 1} by their name, such "
                f"as {' or '.join(map(repr, near))}."
            )
        assert self.layout is not None, "a game with signals has a layout"
        width = self.layout.buckets[turn][player]
        return Place(player, block.first + found, width, block.actions)

    def names(self, block: Block) -> Sequence[str]:
        """Return what the player may be told at a block, in order."""
        return self._told.names(block.turn, block.player)

    def labels(self) -> Iterator[str]:
        """Yield the labels of all blocks."""
        for history, block in self._blocks.items():
            for name in self.names(block):
                yield f"{name}|{history}"

    def block(self, history: str) -> Block:
        """Return the decision that ``history`` leads to, or raise."""
        block = self._blocks.get(history)
        if block is None:
            assert self._tree.player[self._tree.find(history)] == TERMINAL
            raise EquipoiseError(
                f"found the history '{history}', after which the game is over, expected a decision."
            )
        return block


def tree_names(game: ExtensiveGame) -> list[str]:
    """Return the labels of a tree's information sets, made fit for a line and for one player each."""
    names = list(game.infoset_label)
    for player in range(len(game.players)):
        own: NDArray[np.intp] = np.flatnonzero(game.infoset_player == player)
        for place, name in zip(own.tolist(), distinct([names[i] for i in own]), strict=True):
            names[place] = name.translate(_ESCAPES)
    return names
