"""Normal-form games: one payoff array, any number of players.

Payoffs are exact rationals where they were given as such. A normal-form game is also an extensive
one in which the players move one after another without seeing each other (:meth:`NormalGame.tree`),
so that every solver and certificate for trees serves matrices too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.extensive import ExtensiveGame, Floats, Number, exact


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

    @cached_property
    def fingerprint(self) -> str:
        """Fingerprint of the tree form, so that strategies serve both."""
        return self.tree.fingerprint

    @cached_property
    def tree(self) -> ExtensiveGame:
        """The game as a tree: players choose in turn, none seeing the others' choices."""
        builder = TreeBuilder(self.name, self.players)
        places: list[tuple[tuple[int, ...], int]] = [((), builder.root)]
        for player, actions in enumerate(self.actions):
            places = [
                ((*profile, choice), after)
                for profile, place in places
                for choice, after in enumerate(
                    builder.decide(place, player, self.players[player], actions)
                )
            ]
        for profile, place in places:
            builder.end(place, self.payoff[profile].tolist())
        return builder.build()


def from_matrices(
    name: str,
    *matrices: Sequence[Sequence[Number]] | NDArray[Any],
    players: Sequence[str] | None = None,
    actions: Sequence[Sequence[str]] | None = None,
) -> NormalGame:
    """Return the game in which player ``i`` is paid ``matrices[i]``.

    One matrix alone is a two-player zero-sum game, paid to the first player.
    """
    first = np.array(matrices[0], dtype=object)
    arrays = (
        [first, -first] if len(matrices) == 1 else [np.array(m, dtype=object) for m in matrices]
    )
    shapes = {array.shape for array in arrays}
    if len(shapes) != 1 or first.ndim != len(arrays):
        raise EquipoiseError(
            f"{name}: payoff arrays have shapes {sorted(shapes)}, expected {len(arrays)} equal "
            f"ones with {len(arrays)} axes."
        )
    payoff = np.stack(arrays, axis=-1)
    rational = np.empty(payoff.shape, dtype=object)
    for place, value in np.ndenumerate(payoff):
        rational[place] = exact(value if isinstance(value, Fraction | int) else float(value), name)
    return NormalGame(
        name=name,
        players=tuple(players or (f"Player {i + 1}" for i in range(len(arrays)))),
        actions=tuple(
            tuple(labels)
            for labels in (actions or [[str(i + 1) for i in range(n)] for n in first.shape])
        ),
        payoff=rational,
    )
