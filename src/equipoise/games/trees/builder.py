"""Building game trees: from a class that knows its rules, or drawn by hand.

There are three ways in: :func:`from_rules` for a class that follows :class:`Rules`,
:class:`TreeBuilder` for a tree drawn by hand, and the readers of other people's formats, which use
the builder. All of them check as they go: chance sums, equal actions in an information set, perfect
recall.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from equipoise.errors import EquipoiseError
from equipoise.games.trees.extensive import (
    CHANCE,
    TERMINAL,
    ExtensiveGame,
    Number,
    check_perfect_recall,
    exact,
)


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


class _Recorder:
    """Collects nodes in preorder and checks them as they come."""

    def __init__(self, name: str, players: tuple[str, ...]) -> None:
        self.name, self.players = name, players
        self.parent: list[int] = []
        self.slot: list[int] = []
        self.player: list[int] = []
        self.infoset: list[int] = []
        self.probability: list[int] = []
        self.outcome: list[int] = []
        self.payoff: list[tuple[int, ...]] = []
        self.chance_label: dict[int, str] = {}
        self._numbers: dict[Fraction, int] = {Fraction(1): 0}
        self._number_of: dict[Any, int] = {}
        self._sets: dict[tuple[int, Hashable], int] = {}
        self._set_player: list[int] = []
        self._set_label: list[str] = []
        self._set_actions: list[tuple[str, ...]] = []
        self._rows: dict[tuple[int, ...], int] = {}

    def number(self, value: Number) -> int:
        """Return the place of ``value`` in the table of numbers."""
        # 1, 1.0 and True are equal keys: the type keeps the float road apart from the exact one.
        key = (type(value), value)
        place = self._number_of.get(key)
        if place is None:
            place = self._numbers.setdefault(exact(value, self.name), len(self._numbers))
            self._number_of[key] = place
        return place

    def node(self, parent: int, slot: int, player: int, probability: int) -> int:
        """Append a node and return its number."""
        self.parent.append(parent)
        self.slot.append(slot)
        self.player.append(player)
        self.probability.append(probability)
        self.infoset.append(-1)
        self.outcome.append(-1)
        return len(self.parent) - 1

    def decide(
        self,
        node: int,
        player: int,
        key: Hashable,
        actions: Sequence[str],
        label: str | None = None,
    ) -> None:
        """Put ``node`` into the information set ``key`` of ``player``."""
        place = self._sets.get((player, key))
        if place is None:
            if not 0 <= player < len(self.players):
                raise EquipoiseError(
                    f"{self.name}: node {node} belongs to player {player + 1}, expected 1 to {len(self.players)}."
                )
            names = tuple(actions)
            if not names or len(set(names)) != len(names):
                raise EquipoiseError(
                    f"{self.name}: information set {key!r} has actions {list(names)}, expected at least one "
                    "and no label twice."
                )
            place = self._sets[player, key] = len(self._set_player)
            self._set_player.append(player)
            self._set_label.append(str(key) if label is None else label)
            self._set_actions.append(names)
        elif self._set_actions[place] != tuple(actions):
            raise EquipoiseError(
                f"{self.name}: information set {self._set_label[place]!r} has actions {list(actions)} at one node "
                f"and {list(self._set_actions[place])} at another, expected the same."
            )
        self.infoset[node] = place

    def chance(self, node: int, moves: Sequence[tuple[str, Number]]) -> list[int]:
        """Check nature's probabilities at ``node`` and return their places in the number table."""
        places = [self.number(probability) for _, probability in moves]
        values = [exact(probability, self.name) for _, probability in moves]
        total = sum(values, Fraction(0))
        # Floats (0.1 + 0.2 + ...) may miss one by their rounding; rationals may not.
        is_float = any(isinstance(probability, float) for _, probability in moves)
        slack = Fraction(1, 10**9) if is_float else Fraction(0)
        if not values or min(values) < 0 or abs(total - 1) > slack:
            raise EquipoiseError(
                f"{self.name}: the probabilities at chance node {node} are "
                f"{[str(value) for value in values[:8]]} and sum to {float(total):.12g}, "
                "expected nonnegative numbers that sum to 1."
            )
        return places

    def end(self, node: int, payoffs: Sequence[Number]) -> None:
        """Make ``node`` terminal with ``payoffs``."""
        if len(payoffs) != len(self.players):
            raise EquipoiseError(
                f"{self.name}: terminal node {node} has {len(payoffs)} payoffs, expected {len(self.players)}."
            )
        row = tuple([self.number(payoff) for payoff in payoffs])
        place = self._rows.get(row)
        if place is None:
            place = self._rows[row] = len(self.payoff)
            self.payoff.append(row)
        self.outcome[node] = place

    def finish(self) -> ExtensiveGame:
        """Return the game, after checking perfect recall."""
        width = len(self.players)
        game = ExtensiveGame(
            name=self.name,
            players=self.players,
            parent=np.array(self.parent, dtype=np.int32),
            slot=np.array(self.slot, dtype=np.int32),
            player=np.array(self.player, dtype=np.int32),
            infoset=np.array(self.infoset, dtype=np.int32),
            probability=np.array(self.probability, dtype=np.uint32),
            outcome=np.array(self.outcome, dtype=np.int32),
            payoff=np.array(self.payoff, dtype=np.uint32).reshape(-1, width),
            numbers=tuple(self._numbers),
            infoset_player=np.array(self._set_player, dtype=np.int32),
            infoset_label=tuple(self._set_label),
            infoset_actions=tuple(self._set_actions),
            chance_label=self.chance_label,
        )
        check_perfect_recall(game)
        return game


def from_rules(rules: Rules, name: str | None = None) -> ExtensiveGame:
    """Walk the whole tree of ``rules`` and return it as arrays."""
    players = rules.players
    names = (
        tuple(f"Player {i + 1}" for i in range(players))
        if isinstance(players, int)
        else tuple(players)
    )
    record = _Recorder(name or type(rules).__name__, names)
    step = rules.next
    stack: list[tuple[Any, int, int, int, str | None]] = [(rules.initial(), -1, 0, 0, None)]
    while stack:
        state, parent, slot, probability, label = stack.pop()
        player = rules.player(state)
        node = record.node(parent, slot, player, probability)
        if label is not None:
            record.chance_label[node] = label
        if player >= 0:
            actions = rules.actions(state)
            record.decide(node, player, rules.information(state), actions)
            for i in range(len(actions) - 1, -1, -1):
                stack.append((step(state, i), node, i, 0, None))
        elif player == CHANCE:
            moves = rules.chance(state)
            places = record.chance(node, moves)
            for i in range(len(moves) - 1, -1, -1):
                stack.append((step(state, i), node, i, places[i], moves[i][0]))
        elif player == TERMINAL:
            record.end(node, rules.payoffs(state))
        else:
            raise EquipoiseError(
                f"{record.name}: node {node} belongs to player {player}, expected a player's index, "
                f"CHANCE ({CHANCE}) or TERMINAL ({TERMINAL})."
            )
    return record.finish()


@dataclass
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
        node.player, node.key, node.label, node.actions = player, information, label, tuple(actions)
        return self._grow(node, len(node.actions))

    def chance(self, place: int, moves: Sequence[tuple[str, Number]]) -> list[int]:
        """Let nature move at ``place`` with the given probabilities; return the places after it."""
        node = self._open(place)
        node.player, node.moves = CHANCE, tuple(moves)
        return self._grow(node, len(node.moves))

    def end(self, place: int, payoffs: Sequence[Number]) -> None:
        """End the game at ``place`` with ``payoffs``."""
        node = self._open(place)
        node.player, node.payoffs = TERMINAL, tuple(payoffs)

    def build(self) -> ExtensiveGame:
        """Return the finished game; every place must have been filled."""
        record = _Recorder(self.name, self.players)
        stack: list[tuple[int, int, int, int, str | None]] = [(self.root, -1, 0, 0, None)]
        while stack:
            place, parent, slot, probability, edge = stack.pop()
            here = self._places[place]
            if here.player is None:
                raise EquipoiseError(
                    f"{self.name}: a place after node {parent} was left open, expected a complete tree."
                )
            node = record.node(parent, slot, here.player, probability)
            if edge is not None:
                record.chance_label[node] = edge
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

    def _open(self, place: int) -> _Place:
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
