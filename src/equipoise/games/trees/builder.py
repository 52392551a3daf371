"""Building game trees: from a class that knows its rules, or drawn by hand.

There are three ways in: :func:`from_rules` for a class that follows :class:`Rules`,
:class:`TreeBuilder` for a tree drawn by hand, and the readers of other people's formats, which use
the builder. All of them check as they go: chance sums, equal actions in an information set.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NoReturn, Protocol

from equipoise.errors import EquipoiseError, require_type, short
from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame, Number
from equipoise.games.trees.growth import MOST_MOVES, GrowthWatch, growth
from equipoise.games.trees.questions import Questions, is_list, is_move, is_number
from equipoise.games.trees.record import Recorder

_Pending = tuple[Any, int, int, int, str | None, int]
"""A state still to be looked at: its parent, place among siblings, probability, label and depth."""


class Rules(Protocol):
    """What a class must say of a game so that its tree can be built.

    A *state* is any object. ``player`` returns the index of who acts, ``CHANCE`` or ``TERMINAL``.
    ``information`` is what the acting player knows: states with equal keys are one information set.
    """

    @property
    def players(self) -> int | Sequence[str]:
        """Number of players, or their names."""

    def initial(self) -> Any:
        """Return the state before anything has happened."""

    def player(self, state: Any) -> int:
        """Return who acts in ``state``."""

    def actions(self, state: Any) -> Sequence[str]:
        """Return labels of the actions open to the acting player."""

    def chance(self, state: Any) -> Sequence[tuple[str, Number]]:
        """Return labels and probabilities of nature's moves."""

    def next(self, state: Any, index: int) -> Any:
        """Return the state after move ``index`` of ``actions`` or ``chance``."""

    def information(self, state: Any) -> Hashable:
        """Return the key of the acting player's information set."""

    def payoffs(self, state: Any) -> Sequence[Number]:
        """Return each player's payoff in a terminal state."""


def from_rules(rules: Rules, name: str | None = None, *, nodes: int | None = None) -> ExtensiveGame:
    """Walk the whole tree of ``rules``, up to ``nodes`` nodes, and return it as arrays.

    Rules that answer nonsense, or raise, are told so in a sentence with the method and the state.
    """
    ask = Questions(rules, name or type(rules).__name__)
    with growth(nodes):
        record = Recorder(ask.name, ask.players, GrowthWatch(ask.name, ask), ask)
    stack: list[_Pending] = [(ask.initial(), -1, 0, 0, None, 0)]
    while stack:
        state, parent, slot, probability, label, depth = stack.pop()
        player = ask.player(state)
        node = record.node(parent, slot, player, probability, label)
        if depth == MOST_MOVES and player != TERMINAL:
            ask.refuse(f"found no end after {MOST_MOVES:,} moves, expected a finite game")
        depth += 1
        if player >= 0:
            actions = ask.actions(state)
            record.decide(node, player, ask.information(state), actions)
            for i in range(len(actions) - 1, -1, -1):
                stack.append((ask.next(state, i), node, i, 0, None, depth))
        elif player == CHANCE:
            moves = ask.chance(state)
            places = record.chance(node, moves)
            for i in range(len(moves) - 1, -1, -1):
                stack.append((ask.next(state, i), node, i, places[i], moves[i][0], depth))
        else:
            record.end(node, ask.payoffs(state))
    return record.finish()


@dataclass(slots=True)
class _Place:
    """A place in a tree under construction: open until something is put there."""

    player: int | None = None
    key: Hashable = None
    label: str | None = None
    actions: tuple[str, ...] = ()
    moves: tuple[tuple[str, Number], ...] = ()
    payoffs: tuple[Number, ...] = ()
    children: tuple[int, ...] = ()


class TreeBuilder:
    """Draws a game tree by hand.

    >>> tree = TreeBuilder("matching pennies", ["Even", "Odd"])
    >>> for first, place in zip((1, -1), tree.decide(tree.root, 0, "even", ["heads", "tails"])):
    ...     for second, leaf in zip((1, -1), tree.decide(place, 1, "odd", ["heads", "tails"])):
    ...         tree.end(leaf, (first * second, -first * second))
    >>> tree.build().nodes
    7
    """

    root = 0

    def __init__(self, name: str, players: Sequence[str]) -> None:
        is_named = is_list(players) and len(players) > 0
        if not is_named or not all(isinstance(player, str) for player in players):
            raise EquipoiseError(
                f"{name}: found the players {short(players)}, expected their names."
            )
        self.name, self.players = name, tuple(players)
        self._places = [_Place()]

    def decide(
        self,
        place: int,
        player: int,
        information: Hashable,
        actions: Sequence[str],
        label: str | None = None,
    ) -> list[int]:
        """Let ``player`` act at ``place``, knowing ``information``; return the places after it."""
        node = self._open(place)
        require_type(
            self._at(place), player, Integral, f"a player from 0 to {len(self.players) - 1}"
        )
        require_type(
            self._at(place), information, Hashable, "a key that can be hashed, such as a text"
        )
        if not is_list(actions) or not all(isinstance(action, str) for action in actions):
            self._refuse(place, actions, "a list of labels")
        node.player, node.key, node.label, node.actions = player, information, label, tuple(actions)
        return self._grow(node, len(node.actions))

    def chance(self, place: int, moves: Sequence[tuple[str, Number]]) -> list[int]:
        """Let nature move at ``place`` with the given probabilities; return the places after it."""
        node = self._open(place)
        if not is_list(moves) or not all(map(is_move, moves)):
            self._refuse(place, moves, "a list of (label, probability) pairs")
        node.player, node.moves = CHANCE, tuple(moves)
        return self._grow(node, len(node.moves))

    def end(self, place: int, payoffs: Sequence[Number]) -> None:
        """End the game at ``place`` with ``payoffs``."""
        node = self._open(place)
        if not is_list(payoffs) or not all(map(is_number, payoffs)):
            self._refuse(place, payoffs, f"a list of {len(self.players)} numbers")
        node.player, node.payoffs = TERMINAL, tuple(payoffs)

    def build(self) -> ExtensiveGame:
        """Return the finished game; every place must have been filled."""
        record = Recorder(self.name, self.players, GrowthWatch(self.name))
        stack: list[tuple[int, int, int, int, str | None]] = [(self.root, -1, 0, 0, None)]
        while stack:
            place, parent, slot, probability, edge = stack.pop()
            here = self._places[place]
            if here.player is None:
                raise EquipoiseError(
                    f"{self.name}: a place after node {parent} was left open, expected a complete tree."
                )
            node = record.node(parent, slot, here.player, probability, edge)
            places = [0] * len(here.children)
            labels: list[str | None] = [None] * len(here.children)
            if here.player == CHANCE:
                places = record.chance(node, here.moves)
                labels = [label for label, _ in here.moves]
            elif here.player == TERMINAL:
                record.end(node, here.payoffs)
            else:
                record.decide(node, here.player, here.key, here.actions, here.label)
            below = list(zip(here.children, range(len(here.children)), places, labels, strict=True))
            stack.extend(
                (child, node, i, number, label) for child, i, number, label in reversed(below)
            )
        return record.finish()

    def _at(self, place: int) -> str:
        return f"{self.name}: place {place}"

    def _refuse(self, place: int, found: Any, expected: str) -> NoReturn:
        raise EquipoiseError(f"{self._at(place)}: found {short(found)}, expected {expected}.")

    def _open(self, place: int) -> _Place:
        require_type(f"{self.name}: place", place, Integral, "the number of an open place")
        if not 0 <= place < len(self._places) or self._places[place].player is not None:
            raise EquipoiseError(
                f"{self.name}: place {place} is unknown or filled, expected an open place."
            )
        return self._places[place]

    def _grow(self, node: _Place, count: int) -> list[int]:
        first = len(self._places)
        self._places.extend(_Place() for _ in range(count))
        node.children = tuple(range(first, first + count))
        return list(node.children)
