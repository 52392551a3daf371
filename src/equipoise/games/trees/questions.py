"""Asking rules about states, and checking the answers.

Rules are written by users. Whatever they answer, or fail to, is told in a sentence that names the
method, the state and what was expected; what the rules themselves raised is the sentence's cause.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, NoReturn

from equipoise.errors import EquipoiseError, short
from equipoise.games.trees.extensive import CHANCE, TERMINAL, Number

if TYPE_CHECKING:
    from equipoise.games.trees.builder import Rules

_METHODS = ("initial", "player", "actions", "chance", "next", "information", "payoffs")


# Nobody plays in such company; a number beyond it is a mistake.
_MOST_PLAYERS = 10_000


class Questions:
    """The methods of :class:`equipoise.games.trees.builder.Rules`, each answered as it must be."""

    def __init__(self, rules: Rules, name: str) -> None:
        self.name = name
        self._kind = type(rules).__name__
        self._asked: tuple[str, tuple[Any, ...]] = ("players", ())
        self._methods: dict[str, Callable[..., Any]] = {
            method: self._find(rules, method) or partial(self._miss, method) for method in _METHODS
        }
        self.players = self._player_names(self._find(rules, "players"))

    def initial(self) -> Any:
        """Return the state before anything has happened."""
        return self._ask("initial")

    def player(self, state: Any) -> int:
        """Return who acts: a player's index, ``CHANCE`` or ``TERMINAL``."""
        found = self._ask("player", state)
        if type(found) is int:
            player = found
        else:
            try:
                player = operator.index(found)
            except TypeError:
                player = TERMINAL - 1
        if not TERMINAL <= player < len(self.players):
            self.refuse(
                f"found {short(found)}, expected a player from 0 to {len(self.players) - 1}, "
                f"CHANCE ({CHANCE}) or TERMINAL ({TERMINAL})"
            )
        return player

    def actions(self, state: Any) -> tuple[str, ...]:
        """Return labels of the actions open to the acting player: at least one, none twice."""
        found = self._plain(self._ask("actions", state))
        if not is_list(found) or not all(isinstance(label, str) for label in found):
            self.refuse(f"found {short(found)}, expected a list of labels")
        if not len(found) or len(set(found)) < len(found):
            self.refuse(f"found {short(list(found))}, expected at least one label and none twice")
        return tuple(found)

    def chance(self, state: Any) -> Sequence[tuple[str, Number]]:
        """Return labels and probabilities of nature's moves; their sum is the builder's affair."""
        found = self._plain(self._ask("chance", state))
        if is_list(found):
            found = [self._plain(move) for move in found]
        if not is_list(found) or not len(found) or not all(map(is_move, found)):
            self.refuse(f"found {short(found)}, expected a list of (label, probability) pairs")
        answer: Sequence[tuple[str, Number]] = found
        return answer

    def next(self, state: Any, index: int) -> Any:
        """Return the state after a move; a state must not be changed in place."""
        after = self._ask("next", state, index)
        if after is state:
            self.refuse("found the very state it was given, expected a new one")
        return after

    def information(self, state: Any) -> Hashable:
        """Return the key of the acting player's information set."""
        found = self._ask("information", state)
        try:
            hash(found)
        except Exception as error:
            raise EquipoiseError(
                f"{self}: found {short(found)}, expected a key that can be hashed, such as a text "
                "or a tuple."
            ) from error
        key: Hashable = found
        return key

    def payoffs(self, state: Any) -> Sequence[Number]:
        """Return each player's payoff in a terminal state."""
        found = self._plain(self._ask("payoffs", state))
        if not is_list(found) or len(found) != len(self.players) or not all(map(is_number, found)):
            self.refuse(f"found {short(found)}, expected a list of {len(self.players)} numbers")
        answer: Sequence[Number] = found
        return answer

    def refuse(self, fault: str) -> NoReturn:
        """Raise a sentence about the last answer."""
        raise EquipoiseError(f"{self}: {fault}.")

    def __str__(self) -> str:
        """The last question: the game, the method and its arguments."""
        method, arguments = self._asked
        if method == "players":
            return f"{self.name}: {self._kind}.players"
        return f"{self.name}: {self._kind}.{method}({', '.join(map(short, arguments))})"

    def _ask(self, method: str, *arguments: Any) -> Any:
        self._asked = (method, arguments)
        return self._told(self._methods[method], *arguments)

    def _find(self, rules: Rules, name: str) -> Any:
        """Return what ``rules`` have of this name, if anything; a property may raise."""
        self._asked = (name, ())
        return self._told(getattr, rules, name, None)

    def _told(self, answer: Callable[..., Any], *arguments: Any) -> Any:
        """Return what the user's code answers, or say what it raised."""
        try:
            return answer(*arguments)
        except (EquipoiseError, MemoryError):
            raise
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise EquipoiseError(
                f"{self}: raised {type(error).__name__}{f' ({reason})' if reason else ''}, expected "
                "an answer."
            ) from error

    def _plain(self, found: Any) -> Any:
        """Return a list of a class of its own, which may raise when it is read, as a tuple; all else as it is."""
        if type(found) in (tuple, list, str) or not is_list(found):
            return found
        return self._told(tuple, found)

    def _miss(self, method: str, *arguments: Any) -> NoReturn:
        self.refuse(f"found no such method, expected the methods {', '.join(_METHODS)}")

    def _player_names(self, found: Any) -> tuple[str, ...]:
        players = self._plain(found)
        is_number = isinstance(players, int) and not isinstance(players, bool)
        if is_number and players > _MOST_PLAYERS:
            self.refuse(f"found {short(players)} players, expected at most {_MOST_PLAYERS:,}")
        if is_number and players > 0:
            return tuple(f"Player {i + 1}" for i in range(players))
        is_named = is_list(players) and not isinstance(players, str) and len(players) > 0
        if not is_named or not all(isinstance(name, str) for name in players):
            self.refuse(f"found {short(players)}, expected a number of players or their names")
        return tuple(players)


def is_list(found: Any) -> bool:
    """Whether ``found`` has a length and an order; a generator is gone once it is read, and arrays may be numbers."""
    if type(found) in (tuple, list) or isinstance(found, Sequence):
        return True
    return hasattr(found, "__array__") and getattr(found, "ndim", 1) > 0


def is_number(found: Any) -> bool:
    """Whether ``found`` is a real number, of Python's or NumPy's."""
    return type(found) in (int, float, Fraction) or isinstance(found, Real)


def is_move(found: Any) -> bool:
    """Whether ``found`` is a label and a number."""
    return is_list(found) and len(found) == 2 and isinstance(found[0], str) and is_number(found[1])
