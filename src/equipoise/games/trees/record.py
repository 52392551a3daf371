"""Nodes of a growing tree, collected in preorder.

Thirty million nodes must fit: what belongs to a node is kept in arrays of machine integers, and
numbers, labels and lists of actions are kept once each.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.trees.extensive import ExtensiveGame, Ints, Number, exact
from equipoise.games.trees.growth import GrowthWatch


class Recorder:
    """Collects nodes and checks them as they come; ``place`` says in errors where they come from."""

    def __init__(
        self, name: str, players: tuple[str, ...], watch: GrowthWatch, place: object = None
    ) -> None:
        self.name, self.players, self.place = name, players, place
        self._watch = watch
        self._parent, self._slot, self._player = array("i"), array("i"), array("i")
        self._infoset, self._outcome, self._probability = array("i"), array("i"), array("I")
        self._payoff: list[tuple[int, ...]] = []
        self._numbers: dict[Fraction, int] = {Fraction(1): 0}
        self._number_of: dict[Any, int] = {}
        self._sets: list[dict[Hashable, int]] = [{} for _ in players]
        self._set_player = array("i")
        self._set_label: list[str] = []
        self._set_actions: list[tuple[str, ...]] = []
        self._actions: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._rows: dict[tuple[int, ...], int] = {}
        self._labels: dict[str, int] = {}
        self._labelled, self._label = array("i"), array("I")

    def node(
        self, parent: int, slot: int, player: int, probability: int, label: str | None = None
    ) -> int:
        """Append a node and return its number; ``label`` is that of nature's move to it."""
        node = len(self._parent)
        if node == self._watch.next:
            self._watch.count(node)
        self._parent.append(parent)
        self._slot.append(slot)
        self._player.append(player)
        self._probability.append(probability)
        self._infoset.append(-1)
        self._outcome.append(-1)
        if label is not None:
            self._labelled.append(node)
            self._label.append(self._labels.setdefault(label, len(self._labels)))
        return node

    def decide(
        self,
        node: int,
        player: int,
        key: Hashable,
        actions: Sequence[str],
        label: str | None = None,
    ) -> None:
        """Put ``node`` into the information set ``key`` of ``player``."""
        if not 0 <= player < len(self.players):
            self._refuse(
                node, f"found player {player + 1}, expected a number from 1 to {len(self.players)}"
            )
        names = tuple(actions)
        names = self._actions.setdefault(names, names)
        place = self._place(node, player, key)
        if place is None:
            text = self._text(node, key) if label is None else label
            if not names or len(set(names)) != len(names):
                self._refuse(
                    node,
                    f"information set {text!r} has actions {list(names)}, expected at least one and no "
                    "label twice",
                )
            place = self._sets[player][key] = len(self._set_player)
            self._set_player.append(player)
            self._set_label.append(text)
            self._set_actions.append(names)
        elif self._set_actions[place] is not names:
            self._refuse(
                node,
                f"information set {self._set_label[place]!r} has actions {list(names)} here and "
                f"{list(self._set_actions[place])} at another node, expected the same",
            )
        self._infoset[node] = place

    def _place(self, node: int, player: int, key: Hashable) -> int | None:
        """Return the number of an information set, if it is known; keys may be anything that users write."""
        try:
            return self._sets[player].get(key)
        except Exception as error:
            raise self._unfit(node, "compared with others", error) from error

    def _text(self, node: int, key: Hashable) -> str:
        """Return the label of an information set that has no other."""
        try:
            return str(key)
        except Exception as error:
            raise self._unfit(node, "written as text", error) from error

    def _unfit(self, node: int, what: str, error: Exception) -> EquipoiseError:
        return EquipoiseError(
            f"{self._at(node)}: found the key of an information set that cannot be {what} "
            f"({type(error).__name__}), expected one such as a text or a tuple."
        )

    def chance(self, node: int, moves: Sequence[tuple[str, Number]]) -> list[int]:
        """Check nature's probabilities at ``node`` and return their places in the number table."""
        places = [self._number(node, probability) for _, probability in moves]
        values = [exact(probability, self.name) for _, probability in moves]
        total = sum(values, Fraction(0))
        # Floats (0.1 + 0.2 + ...) may miss one by their rounding; rationals may not.
        is_float = any(isinstance(probability, float) for _, probability in moves)
        slack = Fraction(1, 10**9) if is_float else Fraction(0)
        if not values or min(values) < 0 or abs(total - 1) > slack:
            self._refuse(
                node,
                f"found the probabilities {[str(value) for value in values[:8]]}, which sum to "
                f"{float(total):.12g}, expected nonnegative numbers that sum to 1",
            )
        return places

    def end(self, node: int, payoffs: Sequence[Number]) -> None:
        """Make ``node`` terminal with ``payoffs``."""
        if len(payoffs) != len(self.players):
            self._refuse(node, f"found {len(payoffs)} payoffs, expected {len(self.players)}")
        row = tuple([self._number(node, payoff) for payoff in payoffs])
        place = self._rows.get(row)
        if place is None:
            place = self._rows[row] = len(self._payoff)
            self._payoff.append(row)
        self._outcome[node] = place

    def finish(self) -> ExtensiveGame:
        """Return the game, whose arrays are the recorder's own."""
        self._watch.finish(len(self._parent))
        return ExtensiveGame(
            name=self.name,
            players=self.players,
            parent=_ints(self._parent),
            slot=_ints(self._slot),
            player=_ints(self._player),
            infoset=_ints(self._infoset),
            probability=np.frombuffer(self._probability, dtype=np.uint32),
            outcome=_ints(self._outcome),
            payoff=np.array(self._payoff, dtype=np.uint32).reshape(-1, len(self.players)),
            numbers=tuple(self._numbers),
            infoset_player=np.array(self._set_player, dtype=np.int32),
            infoset_label=tuple(self._set_label),
            infoset_actions=tuple(self._set_actions),
            chance_label=ChanceLabels(self._labelled, self._label, tuple(self._labels)),
        )

    def _number(self, node: int, value: Number) -> int:
        """Return the place of ``value`` in the table of numbers."""
        # 1, 1.0 and True are equal keys: the type keeps the float road apart from the exact one.
        key = (type(value), value)
        place = self._number_of.get(key)
        if place is None:
            rational = exact(value, self._at(node))
            place = self._numbers.setdefault(rational, len(self._numbers))
            self._number_of[key] = place
        return place

    def _at(self, node: int) -> str:
        return f"{self.name}: node {node}" if self.place is None else str(self.place)

    def _refuse(self, node: int, fault: str) -> None:
        raise EquipoiseError(f"{self._at(node)}: {fault}.")


class ChanceLabels(Mapping[int, str]):
    """Labels of nature's moves by the node they lead to: two integers a node, each label once."""

    def __init__(self, nodes: array[int], places: array[int], labels: tuple[str, ...]) -> None:
        self._nodes, self._places, self._labels = nodes, places, labels

    def __getitem__(self, node: int) -> str:
        place = bisect_left(self._nodes, node)
        if place == len(self._nodes) or self._nodes[place] != node:
            raise KeyError(node)
        return self._labels[self._places[place]]

    def __iter__(self) -> Iterator[int]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


def _ints(values: array[int]) -> Ints:
    """Return ``values`` as they lie in memory."""
    found: NDArray[np.int32] = np.frombuffer(values, dtype=np.int32)
    return found
