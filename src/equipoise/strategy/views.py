"""Strategies of games with signals: whose they are, and how they read on the explicit tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import views
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.sequence.build import game_fingerprint
from equipoise.strategy.profile import Layout, Strategy


def view_layout(game: StageGame) -> Layout:
    """Return the layout of strategies that play ``game`` by its views."""
    named = views(game)
    counts = [[named.count(turn, player) for player in (0, 1)] for turn in range(game.rounds)]
    return Layout.of(game.tree, counts)


def require_views(game: StageGame, strategy: Strategy) -> Layout:
    """Raise unless ``strategy`` plays ``game`` by its views; return its layout."""
    if strategy.layout is not None and strategy.is_abstract:
        raise EquipoiseError(
            f"Strategy of '{strategy.game}': found one of an abstraction, expected one of the full "
            "game: lift it first."
        )
    layout = view_layout(game)
    sizes = tuple(int(layout.starts(player)[-1]) for player in (0, 1))
    strategy.require(game.name, game_fingerprint(game), sizes)
    return layout


def require_buckets(game: StageGame, strategy: Strategy) -> Layout:
    """Raise unless ``strategy`` plays ``game`` by the buckets of its abstraction; return its layout."""
    coarse = strategy.abstraction
    assert coarse is not None, "the abstraction is at hand"
    coarse.check(game)
    layout = Layout.of(game.tree, coarse.buckets)
    sizes = tuple(int(layout.starts(player)[-1]) for player in (0, 1))
    strategy.require(game.name, f"{game_fingerprint(game)}/{coarse.digest}", sizes)
    return layout


def require_layout(game: StageGame, strategy: Strategy) -> Layout:
    """Raise unless ``strategy`` plays ``game``, by its views or by buckets at hand; return its layout."""
    is_by_buckets = strategy.is_abstract and strategy.abstraction is not None
    return (require_buckets if is_by_buckets else require_views)(game, strategy)


class Apart:
    """What a strategy of ``game`` tells apart: the game's views, or the buckets of an abstraction at hand.

    ``counts`` is the number of them, by round and player. They mean the same in every game with the same signals.
    """

    def __init__(self, game: StageGame, strategy: Strategy) -> None:
        self.layout = require_layout(game, strategy)
        self.counts = self.layout.buckets
        self._views = views(game)
        self._coarse = strategy.abstraction if strategy.is_abstract else None

    def parents(self, turn: int, player: int) -> NDArray[Any]:
        """Return, for everything told apart in a round, what it was in the round before."""
        if self._coarse is not None:
            return np.asarray(self._coarse.parents[turn][player])
        every = np.arange(self.counts[turn][player])
        return np.asarray(self._views.parent(turn, every, player))

    def layout_in(self, game: StageGame) -> Layout:
        """Return the layout of strategies of another game that tell the same apart."""
        return Layout.of(game.tree, self.counts)

    def strategy_of(self, game: StageGame, behaviour: Sequence[NDArray[Any]]) -> Strategy:
        """Return the strategy of another game that tells the same apart."""
        named = game_fingerprint(game)
        if self._coarse is not None:
            named = f"{named}/{self._coarse.digest}"
        layout, vectors = self.layout_in(game), tuple(behaviour)
        return Strategy(game.name, named, vectors, layout, game, self._coarse)


def find_view(game: StageGame, turn: int, told: str, player: int) -> int:
    """Return the view that ``told`` names: canonically, or by the very cards (``AsKd``)."""
    named = views(game)
    try:
        return named.find(turn, told, player)
    except EquipoiseError:
        try:
            signals = _signals(game, told)
        except ValueError:
            signals = ()
        if len(signals) != game.seen(player, turn):
            raise
        return named.number(turn, signals, player)


def on_tree(game: StageGame, tree: ExtensiveGame, strategy: Strategy) -> Strategy:
    """Return ``strategy`` as a strategy of ``tree``, the unrolled ``game``."""
    layout = require_views(game, strategy)
    named, betting = views(game), game.tree
    block: dict[int, int] = {}
    for player in (0, 1):
        own = np.flatnonzero(betting.player == player).tolist()
        block.update(zip(own, layout.starts(player)[:-1].tolist(), strict=True))
    vectors = [np.ones(tree.sequences(player)) for player in (0, 1)]
    for i, label in enumerate(tree.infoset_label):
        told, _, history = label.rpartition("|")
        node, player = betting.find(history), int(tree.infoset_player[i])
        turn = int(betting.round[node])
        view = named.number(turn, _signals(game, told), player)
        width, first = layout.buckets[turn][player], int(tree.first_sequence[i])
        entries = block[node] + view + width * np.arange(tree.action_count[i])
        vectors[player][first : first + len(entries)] = strategy.behaviour[player][entries]
    return Strategy(tree.name, tree.fingerprint, tuple(vectors), source=tree)


def _signals(game: StageGame, told: str) -> tuple[int, ...]:
    """Return the signals that ``told`` names: the inverse of ``game.text``."""
    lengths = {len(name) for name in game.signals}
    if len(lengths) == 1:
        (length,) = lengths
        names = [told[i : i + length] for i in range(0, len(told), length)]
    else:
        names = told.split(".") if told else []
    return tuple(game.signals.index(name) for name in names)
