"""Normal-form games: one payoff array, any number of players.

Payoffs are exact rationals where they were given as such. A normal-form game is also an extensive
one in which the players move one after another without seeing each other (:meth:`NormalGame.tree`),
so that every solver and certificate for trees serves matrices too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError, short
from equipoise.games.trees.extensive import TERMINAL, ExtensiveGame, Floats, Number, exact
from equipoise.games.trees.growth import require_room
from equipoise.games.trees.questions import is_list


@dataclass(frozen=True, eq=False)
class NormalGame:
    """A finite normal-form game.

    Attributes
    ----------
    name, players
        Name of the game and of each player.
    actions
        Action labels of each player.
    payoff
        Array of rationals (dtype object) of shape ``(actions of 1, ..., actions of n, n)``.
    """

    name: str
    players: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    payoff: NDArray[Any]

    def __post_init__(self) -> None:
        shape = (*(len(actions) for actions in self.actions), len(self.players))
        if len(self.actions) != len(self.players) or self.payoff.shape != shape:
            raise EquipoiseError(
                f"{self.name}: payoffs have shape {self.payoff.shape}, expected {shape} "
                "(one axis a player, then one entry a player)."
            )
        if min(shape) < 1:
            raise EquipoiseError(
                f"{self.name}: found a player without actions, expected one or more."
            )

    def __repr__(self) -> str:
        shape = " x ".join(str(len(actions)) for actions in self.actions)
        return f"<NormalGame '{self.name}': {shape} actions>"

    @cached_property
    def payoffs(self) -> Floats:
        """Payoffs as floats, same shape as ``payoff``."""
        return self.payoff.astype(np.float64)

    @property
    def family(self) -> str:
        """That of the tree form."""
        return self.tree.family

    @property
    def listed(self) -> ExtensiveGame:
        """Ability: the game with all its nodes, which is its tree."""
        return self.tree

    @property
    def poker(self) -> None:
        """Ability: the game as one of hole cards and a board, which this one is not."""
        return None

    @cached_property
    def fingerprint(self) -> str:
        """Fingerprint of the tree form, so that strategies serve both."""
        return self.tree.fingerprint

    @cached_property
    def tree(self) -> ExtensiveGame:
        """The game as a tree: players choose in turn, none seeing the others' choices.

        All nodes of a depth are alike, so they are written down together.
        """
        sizes = [len(actions) for actions in self.actions]
        below = [1]  # nodes from a node of each depth down, that node included
        for size in reversed(sizes):
            below.insert(0, 1 + size * below[0])
        require_room(self.name, below[0])
        self._require_labels()
        parent, infoset, player, outcome = (
            np.full(below[0], fill, dtype=np.int32) for fill in (-1, -1, TERMINAL, -1)
        )
        slot = np.zeros(below[0], dtype=np.int32)
        place: NDArray[np.int32] = np.zeros(1, dtype=np.int32)
        for who, size in enumerate(sizes):
            player[place] = infoset[place] = who
            children = place[:, None] + 1 + np.arange(size, dtype=np.int32) * below[who + 1]
            parent[children], slot[children] = place[:, None], np.arange(size)
            place = children.ravel()
        rows, which, numbers = self._outcomes()
        outcome[place] = which
        return ExtensiveGame(
            name=self.name,
            players=self.players,
            parent=parent,
            slot=slot,
            player=player,
            infoset=infoset,
            probability=np.zeros(below[0], dtype=np.uint32),
            outcome=outcome,
            payoff=rows,
            numbers=numbers,
            infoset_player=np.arange(len(sizes), dtype=np.int32),
            infoset_label=tuple(str(name) for name in self.players),
            infoset_actions=self.actions,
            chance_label={},
        )

    def _outcomes(self) -> tuple[NDArray[np.uint32], NDArray[np.int64], tuple[Fraction, ...]]:
        """Return the different payoff vectors, which one each profile has, and the table of their numbers.

        Numbers that are one object are looked up once: large matrices have few different ones.
        """
        entries = self.payoff.reshape(-1, len(self.players))
        objects = np.asarray(np.frompyfunc(id, 1, 1)(entries), dtype=np.int64)
        first, number = _in_order(objects.ravel())
        table: dict[Fraction, int] = {Fraction(1): 0}
        flat = entries.ravel()
        values = (exact(flat[place], self.name) for place in first)
        places = np.array([table.setdefault(value, len(table)) for value in values])
        coded = places[number].reshape(entries.shape)
        which = np.zeros(len(coded), dtype=np.int64)
        for column in coded.T:
            first, which = _in_order(which * len(table) + column)
        return coded[first].astype(np.uint32), which, tuple(table)

    def _require_labels(self) -> None:
        """Raise if a player has a label twice."""
        for who, labels in zip(self.players, self.actions, strict=True):
            if len(set(labels)) != len(labels):
                raise EquipoiseError(
                    f"{self.name}: {who} has actions {list(labels)[:8]}, expected no label twice."
                )


def from_matrices(
    name: str,
    *matrices: Sequence[Sequence[Number]] | NDArray[Any],
    players: Sequence[str] | None = None,
    actions: Sequence[Sequence[str]] | None = None,
) -> NormalGame:
    """Return the game in which player ``i`` is paid ``matrices[i]``.

    One matrix alone is a two-player zero-sum game, paid to the first player.
    """
    if not matrices:
        raise EquipoiseError(f"{name}: found no matrix, expected one, or one a player.")
    arrays = [_rational(matrix, name) for matrix in matrices]
    first = arrays[0]
    if len(arrays) == 1:
        arrays.append(_mapped(lambda value: -value, first))
    shapes = {array.shape for array in arrays}
    if len(shapes) != 1 or first.ndim != len(arrays):
        raise EquipoiseError(
            f"{name}: payoff arrays have shapes {sorted(shapes)}, expected {len(arrays)} equal "
            f"ones with {len(arrays)} axes."
        )
    names = () if players is None else _names(name, players)
    if actions is not None and not is_list(actions):
        raise EquipoiseError(
            f"{name}: found {short(actions)}, expected a list of actions a player."
        )
    labels = tuple(_names(name, own) for own in actions) if actions is not None else ()
    return NormalGame(
        name=name,
        players=names or tuple(f"Player {i + 1}" for i in range(len(arrays))),
        actions=labels or tuple(tuple(str(i + 1) for i in range(n)) for n in first.shape),
        payoff=np.stack(arrays, axis=-1),
    )


def _names(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of players or actions, which must be texts."""
    if not is_list(names) or not all(isinstance(each, str) for each in names):
        raise EquipoiseError(f"{name}: found {short(names)}, expected a list of names, as texts.")
    return tuple(names)


def _rational(matrix: Sequence[Sequence[Number]] | NDArray[Any], name: str) -> NDArray[Any]:
    """Return the entries as rationals, equal ones as one object where that is soon found out."""
    if isinstance(matrix, np.ndarray) and matrix.dtype.kind in "iuf":
        values, place = np.unique(matrix, return_inverse=True)
        table = np.array([exact(value, name) for value in values.tolist()], dtype=object)
        return np.asarray(table[place.reshape(matrix.shape)])
    return _mapped(
        lambda value: exact(value, name),
        np.array(matrix, dtype=object),
    )


def _in_order(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each value is first, in that order, and the number of each entry's value in it."""
    _, first, which = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[which]


def _mapped(function: Callable[[Any], Any], array: NDArray[Any]) -> NDArray[Any]:
    """Return ``function`` of every entry; of one object it is asked once."""
    known: dict[int, Any] = {}
    mapped = np.empty(array.shape, dtype=object)
    flat, out = array.reshape(-1), mapped.reshape(-1)
    for i, value in enumerate(flat):
        key = id(value)
        if key not in known:
            known[key] = function(value)
        out[i] = known[key]
    return mapped
