"""Strategies: what every player does in every information set.

A :class:`Strategy` holds behaviour (conditional probabilities), one vector a player: entry 0 is the
empty sequence, then one entry for each sequence. It belongs to one game (or one abstraction of a
game), named by a fingerprint of its structure.

In a game tree the order is that of the information sets. In a game with signals it is that of a
:class:`Layout`: for each decision node of the player in the betting tree's preorder, for each
action, one entry a view (or bucket).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import BettingTree
from equipoise.strategy.local import BehaviourStrategy, LocalStrategy

if TYPE_CHECKING:
    from equipoise.abstraction.base import Abstraction
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.games.trees.extensive import ExtensiveGame
    from equipoise.games.trees.normal import NormalGame
    from equipoise.strategy.lookup import Lookup, Table

# Probabilities of an information set sum to one up to this, whatever precision they are kept in.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Layout:
    """Where a strategy of a game with signals keeps its numbers.

    Attributes
    ----------
    nodes
        For each player, (round, number of actions) of each of her decision nodes in preorder.
    buckets
        For each round, the number of views (or buckets) of each player.
    """

    nodes: tuple[tuple[tuple[int, int], ...], ...]
    buckets: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, tree: BettingTree, buckets: Sequence[Sequence[int]]) -> Layout:
        """Return the layout for a betting tree and numbers of buckets by round and player."""
        nodes = tuple(
            tuple(
                (int(tree.round[v]), len(tree.successors[v]))
                for v in np.flatnonzero(tree.player == player).tolist()
            )
            for player in range(tree.players)
        )
        return cls(nodes, tuple(tuple(int(n) for n in row) for row in buckets))

    def starts(self, player: int) -> NDArray[np.int64]:
        """Return the first entry of each decision node of ``player``; then the vector's length."""
        sizes = [actions * self.buckets[turn][player] for turn, actions in self.nodes[player]]
        return np.concatenate(([1], 1 + np.cumsum(sizes))).astype(np.int64)

    def sums(self, player: int, vector: NDArray[Any]) -> NDArray[np.float64]:
        """Return the sum of the probabilities in each information set of ``player``."""
        starts = self.starts(player).tolist()
        blocks = zip(self.nodes[player], starts[:-1], starts[1:], strict=True)
        parts = [
            vector[begin:end].reshape(actions, -1).sum(axis=0, dtype=np.float64)
            for (_, actions), begin, end in blocks
        ]
        return np.concatenate([np.empty(0), *parts])


@dataclass(frozen=True, eq=False)
class Strategy(BehaviourStrategy):
    """A behaviour strategy profile.

    Attributes
    ----------
    game
        Name of the game, as ``equipoise solve`` takes it where there is such a name.
    fingerprint
        Digest of the structure the vectors refer to.
    behaviour
        One vector of conditional probabilities a player.
    layout
        The order of the entries, for a game with signals.
    source
        The game itself, or what :func:`equipoise.games.base.load` reads it from; by default its name.
    abstraction
        For a strategy of an abstraction, what sends hands to its buckets, if it is known.

    A strategy answers questions about the full game that it plays:

    >>> from equipoise import build, load
    >>> from equipoise.solvers import LP, solve
    >>> strategy = solve(build(load("kuhn")), LP()).strategy
    >>> strategy["Kb"]
    {'p': 0.0, 'b': 1.0}
    >>> strategy.at("b")
             p       b
    Qb  0.6667  0.3333
    Kb  0.0000  1.0000
    Jb  1.0000  0.0000
    """

    game: str
    fingerprint: str
    behaviour: tuple[NDArray[Any], ...]
    layout: Layout | None = None
    source: ExtensiveGame | StageGame | str | None = None
    abstraction: Abstraction | None = None

    def __repr__(self) -> str:
        sizes = " and ".join(f"{len(own):,}" for own in self.behaviour)
        of = "an abstraction of " if self.is_abstract else ""
        return f"<Strategy of {of}'{self.game}': {sizes} sequences>"

    @property
    def is_abstract(self) -> bool:
        """Whether this is a strategy of an abstraction: it speaks of buckets."""
        return "/" in self.fingerprint

    @cached_property
    def rules(self) -> ExtensiveGame | StageGame:
        """The game that this strategy plays, loaded if need be."""
        from equipoise.games.base import load_explicit
        from equipoise.games.trees.normal import NormalGame

        if self.source is not None and not isinstance(self.source, str):
            return self.source
        try:
            game = load_explicit(self.source or self.game)
        except EquipoiseError as error:
            raise EquipoiseError(
                f"Strategy of '{self.game}': its game cannot be loaded ({str(error).rstrip('.')}), "
                "expected it as strategy.of(game)."
            ) from None
        return game.tree if isinstance(game, NormalGame) else game

    def of(
        self,
        game: ExtensiveGame | NormalGame | StageGame,
        abstraction: Abstraction | None = None,
    ) -> Strategy:
        """Return this strategy, which must be one of ``game`` (or its ``abstraction``), knowing it."""
        from equipoise.games.trees.normal import NormalGame
        from equipoise.strategy.table import require_strategy

        rules = game.tree if isinstance(game, NormalGame) else game
        known = replace(self, source=rules, abstraction=abstraction or self.abstraction)
        require_strategy(rules, known)
        return known

    @cached_property
    def _lookup(self) -> Lookup:
        from equipoise.strategy.lookup import Lookup

        return Lookup(self.rules, self)

    def local(self, label: str) -> LocalStrategy:
        """Return what is done in the information set called ``label``.

        A strategy of an abstraction looks the hand up by its bucket. If several players have a set of that name, the player (from 1) goes before it: ``1|label``.
        """
        return self._lookup.local(label)

    def decisions(self) -> Iterator[LocalStrategy]:
        """Yield what is done in each information set, one after the other."""
        return map(self._lookup.local, self)

    def __iter__(self) -> Iterator[str]:
        """Yield the labels of the information sets, in the order of the game."""
        return self._lookup.labels()

    def at(self, history: str | Sequence[str] = "") -> Table:
        """Return what is done after a public history: a row a hand, a column an action.

        The history of a game with signals is written as everywhere (``kK/bR``); in a tree it lists
        the players' moves, as text (``pb``) where every action is one letter.
        """
        return self._lookup.table(history)

    def astype(self, dtype: Any) -> Strategy:
        """Return the same strategy with numbers of ``dtype``."""
        return replace(
            self, behaviour=tuple(own.astype(dtype, copy=False) for own in self.behaviour)
        )

    def require(self, game: str, fingerprint: str, sizes: tuple[int, ...]) -> None:
        """Raise unless this strategy belongs to the game with these numbers of sequences."""
        found = tuple(len(vector) for vector in self.behaviour)
        if self.fingerprint != fingerprint or found != sizes:
            raise EquipoiseError(
                f"Strategy of '{self.game}' (fingerprint {self.fingerprint}, sequences {found}): "
                f"expected one of '{game}' (fingerprint {fingerprint}, sequences {sizes})."
            )
        for player, vector in enumerate(self.behaviour):
            if not np.isfinite(vector).all() or vector.min(initial=0.0) < 0:
                raise EquipoiseError(
                    f"Strategy of '{self.game}': player {player + 1} has a negative or non-finite "
                    "probability, expected numbers from 0 to 1."
                )

    def require_sums(self, sums: Callable[[int, NDArray[Any]], NDArray[np.float64]]) -> None:
        """Raise unless the probabilities in every information set sum to one.

        ``sums(player, vector)`` adds them up, set by set.
        """
        for player, vector in enumerate(self.behaviour):
            totals = sums(player, vector)
            worst = int(np.abs(totals - 1).argmax()) if len(totals) else 0
            if len(totals) and abs(totals[worst] - 1) > _ROUNDING:
                raise EquipoiseError(
                    f"Strategy of '{self.game}': the probabilities in information set {worst + 1} of "
                    f"player {player + 1} sum to {totals[worst]:.9g}, expected 1."
                )
