"""Reading the Betting Model Language, which :mod:`equipoise.games.files.bml` describes.

A file may come from a stranger, and indices that do not fit would silently mix up strategies. So everything
that is said twice in a file is compared: sequences with the actions that lead to them, parents and the
numbers at leaves with the players' last actions, pot shares and payoffs with the chips put in, raises with
the least that the rules allow.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NoReturn, TypeVar

from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import SHOWDOWN, BettingTree
from equipoise.games.signals.stages import (
    DecisionNode,
    Payment,
    Pot,
    Stage,
    StageEnd,
    assemble,
)

_T = TypeVar("_T")
_MOST_ROUNDS = 4
_NAME = re.compile(r"[fkca]|r[0-9]{1,6}(?:\.[0-9]{1,6})?")
_TYPES = ("fold", "showdown", "continue")
_POT = Pot((0.0, 0.0), (True, True), (0.0, 0.0))


@dataclass(frozen=True)
class _Decision:
    """A ``<decision>``; the player is counted from 0."""

    player: int
    parent: int
    actions: dict[str, int]


@dataclass(frozen=True)
class _Leaf:
    """A ``<leaf>``: its type, both players' numbers, and its payoff or pot share."""

    kind: str
    last: tuple[int, int]
    worth: float


@dataclass
class _Round:
    """What a ``<round>`` holds, by sequence."""

    decisions: dict[str, _Decision] = field(default_factory=dict)
    leaves: dict[str, _Leaf] = field(default_factory=dict)


@dataclass(frozen=True)
class _State:
    """Where the betting stands: chips of both players, the largest raise, their last numbers."""

    paid: tuple[float, float]
    start: float
    raised: float
    last: tuple[int, int] = (-1, -1)


def parse_bml(text: str) -> BettingTree:
    """Return the betting tree that ``text`` describes, player 1 the big blind."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise EquipoiseError("BML: found a document type, expected elements alone.")
    try:
        root = ET.fromstring(text)
    except (ET.ParseError, ValueError) as error:
        raise EquipoiseError(f"BML: not XML ({error}).") from None
    if root.tag != "bml":
        raise EquipoiseError(f"BML: found <{root.tag:.40}> at the top, expected <bml>.")
    try:
        reader = _Reader([_round(child, i + 1) for i, child in enumerate(root)])
        return reader.tree()
    except RecursionError:
        raise EquipoiseError(
            "BML: found sequences of hundreds of actions, expected fewer."
        ) from None


def _round(element: ET.Element, number: int) -> _Round:
    """Read a ``<round>``, the ``number``-th of its file."""
    place = f"round {number}"
    if number > _MOST_ROUNDS:
        raise EquipoiseError(f"{place}: found more rounds than hold'em's {_MOST_ROUNDS}.")
    _require(element, place, "round", "number")
    if element.get("number") != str(number):
        raise EquipoiseError(
            f"{place}: found the number '{element.get('number')}', expected rounds in order."
        )
    tags = [child.tag for child in element]
    if tags != ["decisions", "leaves"]:
        raise EquipoiseError(f"{place}: found {tags[:4]}, expected <decisions> and <leaves>.")
    found = _Round()
    used: tuple[set[int], set[int]] = (set(), set())
    for child in element[0]:
        sequence, decision = _decision(child, place, used)
        if sequence in found.decisions:
            raise EquipoiseError(
                f"{place}: found the decision '{sequence}' twice, expected it once."
            )
        found.decisions[sequence] = decision
    for player, numbers in enumerate(used):
        if numbers and max(numbers) >= len(numbers):
            raise EquipoiseError(
                f"{place}: found the number {max(numbers)} among {len(numbers)} actions of player "
                f"{player + 1}, expected 0 to {len(numbers) - 1}."
            )
    for child in element[1]:
        sequence, leaf = _leaf(child, place)
        if sequence in found.leaves or sequence in found.decisions:
            raise EquipoiseError(f"{place}: found '{sequence}' twice, expected it once.")
        found.leaves[sequence] = leaf
    return found


def _decision(
    element: ET.Element, where: str, used: tuple[set[int], set[int]]
) -> tuple[str, _Decision]:
    """Read a ``<decision>``; the numbers of its actions join those ``used``."""
    _require(element, where, "decision", "player", "sequence", "parent")
    sequence = element.get("sequence", "")
    place = f"{where}, decision '{sequence:.60}'"
    player = _whole(element, "player", place, 1, 2) - 1
    actions: dict[str, int] = {}
    for child in element:
        _require(child, place, "action", "name", "number")
        name, number = child.get("name", ""), _whole(child, "number", place, 0)
        is_own = name == (name.upper() if player == 1 else name.lower())
        if not is_own or _NAME.fullmatch(name.lower()) is None:
            raise EquipoiseError(
                f"{place}: found the action '{name:.40}', expected f, k, c, a or r with a size, "
                f"in {'upper' if player else 'lower'} case for player {player + 1}."
            )
        if name in actions:
            raise EquipoiseError(f"{place}: found the action '{name}' twice, expected it once.")
        if number in used[player]:
            raise EquipoiseError(
                f"{place}: found the number {number} of player {player + 1} used before, expected every "
                "number once."
            )
        used[player].add(number)
        actions[name] = number
    return sequence, _Decision(player, _whole(element, "parent", place, -1), actions)


def _leaf(element: ET.Element, where: str) -> tuple[str, _Leaf]:
    """Read a ``<leaf>``."""
    kind = element.get("type", "")
    sequence = element.get("sequence", "")
    place = f"{where}, leaf '{sequence:.60}'"
    if kind not in _TYPES:
        raise EquipoiseError(f"{place}: found the type '{kind:.40}', expected {', '.join(_TYPES)}.")
    worth = "payoff" if kind == "fold" else "potshare"
    _require(element, where, "leaf", "seq1", "seq2", "type", "sequence", worth)
    try:
        amount = float(element.get(worth, ""))
    except ValueError:
        amount = math.nan
    if not math.isfinite(amount) or (kind != "fold" and amount <= 0):
        raise EquipoiseError(
            f"{place}: found the {worth} '{element.get(worth, ''):.40}', expected an amount."
        )
    last = _whole(element, "seq1", place, -1), _whole(element, "seq2", place, -1)
    return sequence, _Leaf(kind, last, amount)


def _require(element: ET.Element, place: str, tag: str, *names: str) -> None:
    """Raise unless ``element`` is a ``tag`` with just these attributes."""
    if element.tag != tag:
        raise EquipoiseError(f"{place}: found <{element.tag:.40}>, expected <{tag}>.")
    if set(element.attrib) != set(names):
        raise EquipoiseError(
            f"{place}: found <{tag}> with {', '.join(sorted(element.attrib)) or 'nothing'}, expected "
            f"{', '.join(names)}."
        )


def _whole(element: ET.Element, name: str, place: str, least: int, most: int = 2**31) -> int:
    """Read an attribute that is a whole number."""
    text = element.get(name, "")
    if re.fullmatch(r"-?[0-9]{1,10}", text) is None or not least <= int(text) <= most:
        raise EquipoiseError(f"{place}: found {name}='{text:.40}', expected a number from {least}.")
    return int(text)


class _Reader:
    """Turns what the rounds of a file hold into a tree, and compares all that they say twice."""

    def __init__(self, rounds: list[_Round]) -> None:
        self._rounds = rounds
        self._stack = max(
            (leaf.worth for turn in rounds for leaf in turn.leaves.values() if leaf.kind != "fold"),
            default=0.0,
        )
        self._met: set[tuple[int, str]] = set()

    def tree(self) -> BettingTree:
        """Return the tree."""
        if not self._rounds or "" not in self._rounds[0].decisions:
            raise EquipoiseError("BML: found no first decision, expected one with sequence=''.")
        first = self._rounds[0].decisions[""]
        big = self._matched(0, "")
        fold = self._rounds[0].leaves.get(_named("f", first.player))
        small = big if fold is None else abs(fold.worth)
        blinds = (big, small) if first.player == 1 else (small, big)
        self._smallest = big
        root = self._node(0, "", _State(blinds, 0.0, big if small < big else 0.0))
        for turn, holds in enumerate(self._rounds):
            for sequence in (*holds.decisions, *holds.leaves):
                if (turn, sequence) not in self._met:
                    _fail(turn, sequence, "found no way to it, expected actions that lead there")
        # Every leaf says itself what follows it, so that later stages are never asked.
        stages: list[Stage] = [partial(_given, root)] * len(self._rounds)
        return assemble(stages, paid=blinds)

    def _matched(self, turn: int, sequence: str) -> float:
        """Return what each player will have put in if nobody bets any more in the round."""
        holds = self._rounds[turn]
        while sequence not in holds.leaves:
            decision = holds.decisions.get(sequence)
            passive = [name for name in decision.actions if name in "kKcC"] if decision else []
            if len(passive) != 1:
                what = "no such decision or leaf" if decision is None else "no check or call"
                _fail(turn, sequence, f"found {what}, expected one")
            sequence += passive[0]
        leaf = holds.leaves[sequence]
        if leaf.kind == "fold":
            _fail(turn, sequence, "found a fold, expected a showdown or a leaf that continues")
        return leaf.worth

    def _node(self, turn: int, sequence: str, state: _State) -> DecisionNode:
        """Return the decision after ``sequence`` with all below it."""
        decision = self._rounds[turn].decisions[sequence]
        self._met.add((turn, sequence))
        player = decision.player
        matched = self._matched(turn, sequence)
        if matched != max(state.paid):
            _fail(turn, sequence, f"found pot shares of {matched:g}, expected {max(state.paid):g}")
        if decision.parent != state.last[player]:
            _fail(turn, sequence, f"found parent {decision.parent}, expected {state.last[player]}")
        if not decision.actions:
            _fail(turn, sequence, "found no actions, expected some")
        actions = dict(self._actions(turn, sequence, decision, state))
        return DecisionNode(player, actions)

    def _actions(
        self, turn: int, sequence: str, decision: _Decision, state: _State
    ) -> Iterator[tuple[str, DecisionNode | StageEnd]]:
        """Yield the label of each action and what follows it."""
        player, owed = decision.player, max(state.paid) - state.paid[decision.player]
        for name, number in decision.actions.items():
            after, kind = sequence + name, name.lower()[0]
            last = _replaced(state.last, player, number)
            if kind == "f":
                yield "f", self._fold(turn, after, player, replace(state, last=last))
                continue
            if kind in "kc":
                if (kind == "c") != (owed > 0):
                    _fail(
                        turn,
                        after,
                        f"found it with {owed:g} to call, expected the other of k and c",
                    )
                paid = (max(state.paid),) * 2
                yield (
                    kind,
                    self._next(turn, after, 1 - player, replace(state, paid=paid, last=last)),
                )
                continue
            amount = self._matched(turn, after)
            raised = self._raise(turn, after, amount, state)
            label = f"{'r' if max(state.paid) > state.start else 'b'}{amount - state.start:.12g}"
            paid = _replaced(state.paid, player, amount)
            below = replace(state, paid=paid, raised=max(raised, state.raised), last=last)
            yield label, self._next(turn, after, 1 - player, below)

    def _raise(self, turn: int, after: str, amount: float, state: _State) -> float:
        """Return by how much a bet raises, which must be as much as the rules want, or all-in."""
        raised, least = amount - max(state.paid), max(state.raised, self._smallest)
        if raised <= 0 or (raised < least and amount < self._stack):
            _fail(
                turn,
                after,
                f"found a raise to {amount:g}, below the minimum: expected one to "
                f"{max(state.paid) + least:g} at least",
            )
        return raised

    def _fold(self, turn: int, after: str, player: int, state: _State) -> StageEnd:
        """Return the end of the game after a fold of ``player``."""
        leaf = self._rounds[turn].leaves.get(after)
        if leaf is None or leaf.kind != "fold":
            _fail(turn, after, "found no leaf of type 'fold', expected one")
        self._check(turn, after, leaf, state)
        lost = state.paid[player] * (1 if player else -1)
        if leaf.worth != lost:
            _fail(turn, after, f"found a payoff of {leaf.worth:g}, expected {lost:g}")
        return StageEnd(_POT, Payment((lost, -lost)))

    def _next(self, turn: int, after: str, other: int, state: _State) -> DecisionNode | StageEnd:
        """Return what follows a check, call or bet: the other player's decision, or the round's end."""
        holds = self._rounds[turn]
        if after in holds.decisions:
            if holds.decisions[after].player != other:
                _fail(
                    turn, after, f"found a decision of the same player, expected player {other + 1}"
                )
            return self._node(turn, after, state)
        leaf = holds.leaves.get(after)
        if leaf is None:
            _fail(turn, after, "found no such decision or leaf, expected one")
        self._check(turn, after, leaf, state)
        if leaf.kind == "fold" or state.paid[0] != state.paid[1]:
            _fail(turn, after, f"found a leaf of type '{leaf.kind}' there, expected a decision")
        if leaf.worth != state.paid[0]:
            _fail(turn, after, f"found a pot share of {leaf.worth:g}, expected {state.paid[0]:g}")
        if leaf.kind == "continue" and turn + 1 < len(self._rounds):
            start = f"{after}/"
            if start not in self._rounds[turn + 1].decisions:
                _fail(turn + 1, start, "found no such decision, expected one")
            later = self._node(turn + 1, start, _State(state.paid, state.paid[0], 0.0))
            return StageEnd(_POT, then=partial(_given, later))
        return StageEnd(_POT, Payment((0.0, 0.0), leaf.worth, SHOWDOWN))

    def _check(self, turn: int, after: str, leaf: _Leaf, state: _State) -> None:
        """Check the numbers at a leaf."""
        self._met.add((turn, after))
        if leaf.last != state.last:
            _fail(turn, after, f"found seq1 and seq2 {leaf.last}, expected {state.last}")


def _given(node: DecisionNode, pot: Pot) -> DecisionNode:
    """Stand for a stage game that is known already."""
    return node


def _named(name: str, player: int) -> str:
    return name.upper() if player == 1 else name


def _replaced(pair: tuple[_T, _T], player: int, value: _T) -> tuple[_T, _T]:
    return (value, pair[1]) if player == 0 else (pair[0], value)


def _fail(turn: int, sequence: str, sentence: str) -> NoReturn:
    raise EquipoiseError(f"round {turn + 1}, '{sequence[:80]}': {sentence}.")
