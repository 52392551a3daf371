"""Information sets by their names.

A *key* is the player (from 1), ``|`` and the label of the information set, as in
:mod:`equipoise.strategy.table`. In a game tree, backslashes and line breaks of labels are escaped in
keys, and a label that a player has twice gets a suffix.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.files.gambit.tokens import distinct
from equipoise.games.signals.betting import TERMINAL
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.sequence.build import game_fingerprint
from equipoise.strategy.profile import Layout
from equipoise.strategy.table import groups, view_names
from equipoise.strategy.views import view_layout

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


def keys_of(game: ExtensiveGame | StageGame) -> Keys:
    """Return the keys of the information sets of ``game``."""
    return _SignalKeys(game) if isinstance(game, StageGame) else _TreeKeys(game)


class _TreeKeys:
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
                f"found the information set {short(key)}, expected one like {example!r} ('equipoise "
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
                f"information set {short(label)}: found {len(found)} of that name, expected "
                f"{' or '.join(map(repr, found))}."
            )
        near = difflib.get_close_matches(label, dict.fromkeys(self.labels()), n=3, cutoff=0.5)
        known = near or list(dict.fromkeys(self._names))[:3]
        raise EquipoiseError(
            f"information set {short(label)}: there is none of that name, expected one like "
            f"{' or '.join(map(short, known)) or 'nothing: nobody decides anything'}."
        )

    def labels(self) -> Iterator[str]:
        """Yield names that one player has, and otherwise keys."""
        taken: dict[str, int] = {}
        for name in self._names:
            taken[name] = taken.get(name, 0) + 1
        for key, name in zip(self._places, self._names, strict=True):
            yield name if taken[name] == 1 and name not in self._places else key


class _SignalKeys:
    """Information sets of a game with signals, by player, view and history."""

    def __init__(self, game: StageGame) -> None:
        self._game, self._tree, layout = game, game.tree, view_layout(game)
        self.fingerprint = game_fingerprint(game)
        self.layout: Layout | None = layout
        self.sizes = [int(layout.starts(player)[-1]) for player in range(game.players)]
        self._views = [
            [{n: view for view, n in enumerate(view_names(game, turn, i))} for i in range(2)]
            for turn in range(game.rounds)
        ]
        self._nodes: dict[str, tuple[int, int, int, tuple[str, ...]]] = {}
        for player in range(game.players):
            own = np.flatnonzero(game.tree.player == player).tolist()
            for node, first in zip(own, layout.starts(player)[:-1].tolist(), strict=True):
                actions = tuple(game.tree.action[v] for v in game.tree.successors[node])
                turn = int(game.tree.round[node])
                self._nodes[game.tree.histories[node]] = player, turn, first, actions

    def find(self, key: str) -> Place:
        """Look up the history, then the view among those of its player and round."""
        owner, _, label = key.partition("|")
        if "|" not in label:
            raise EquipoiseError(f"found the key {short(key)}, expected player|signals|history.")
        place = self.locate(label)
        if owner != str(place.player + 1):
            raise EquipoiseError(
                f"found player {short(owner)}, expected player {place.player + 1}, who acts after "
                f"'{label.rpartition('|')[2]}'."
            )
        return place

    def locate(self, label: str) -> Place:
        """Look up ``signals|history``, whose history says who acts."""
        cards, _, history = label.rpartition("|")
        player, turn, first, actions = self._node(history)
        known = self._views[turn][player]
        view = known.get(cards)
        if view is None:
            # The player may stand before it.
            owner, bar, rest = cards.partition("|")
            view = known.get(rest) if bar and owner == str(player + 1) else None
        if view is None:
            near = difflib.get_close_matches(cards, known, n=3, cutoff=0.5) or [next(iter(known))]
            raise EquipoiseError(
                f"found {short(cards)}, expected signals of round {turn + 1} by their name, such "
                f"as {' or '.join(map(repr, near))}."
            )
        return Place(player, first + view, len(known), actions)

    def labels(self) -> Iterator[str]:
        """Yield the labels of all groups."""
        for group in groups(self._game):
            yield from group.labels

    def _node(self, history: str) -> tuple[int, int, int, tuple[str, ...]]:
        """Return player, round, first entry and actions where ``history`` leads, or raise."""
        node = self._nodes.get(history)
        if node is None:
            assert self._tree.player[self._tree.find(history)] == TERMINAL
            raise EquipoiseError(
                f"found the history '{history}', after which the game is over, expected a decision."
            )
        return node


def tree_names(game: ExtensiveGame) -> list[str]:
    """Return the labels of a tree's information sets, made fit for a line and for one player each."""
    names = list(game.infoset_label)
    for player in range(len(game.players)):
        own: NDArray[np.intp] = np.flatnonzero(game.infoset_player == player)
        for place, name in zip(own.tolist(), distinct([names[i] for i in own]), strict=True):
            names[place] = name.translate(_ESCAPES)
    return names


def short(text: str) -> str:
    """Return ``text`` in quotes, cut to a length that fits a sentence."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
