"""A strategy as a reader sees it: one line for each information set.

In a game tree an information set is called by its label; in a game with signals by what the player
has been told and what has been done, ``cards|history`` (``Ta7b7a|kK/bRc/kBr`` in Rhode Island
hold'em), where views that differ by a symmetry have one name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import views
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.strategy.local import LocalStrategy
from equipoise.strategy.profile import Strategy
from equipoise.strategy.views import require_layout, view_layout

_FEW_VIEWS = 10_000


class InfosetGroup(NamedTuple):
    """Information sets of one player that differ in her signals alone; in a tree, a single one.

    Action ``a`` in the information set ``labels[k]`` is entry ``first + a * len(labels) + k`` of the
    player's vector; where she plays by ``buckets``, entry ``first + a * width + buckets[k]``.
    """

    player: int
    first: int
    actions: tuple[str, ...]
    labels: Sequence[str]
    buckets: NDArray[Any] | None = None
    width: int = 0


def require_strategy(game: ExtensiveGame | StageGame, strategy: Strategy) -> None:
    """Raise unless ``strategy`` is one of ``game``."""
    if isinstance(game, StageGame):
        require_layout(game, strategy)
        return
    sizes = tuple(game.sequences(player) for player in range(len(game.players)))
    strategy.require(game.name, game.fingerprint, sizes)


def require_distributions(game: ExtensiveGame | StageGame, strategy: Strategy) -> None:
    """Raise unless ``strategy`` is one of ``game`` and its probabilities sum to one everywhere.

    A certificate takes weights and makes probabilities of them; a file must hold probabilities.
    """
    require_strategy(game, strategy)

    def sums(player: int, vector: NDArray[Any]) -> NDArray[np.float64]:
        assert not isinstance(game, StageGame)
        firsts = game.first_sequence[game.infoset_player == player]
        # The sets of a player follow one another; without any, there is nothing to add.
        return np.add.reduceat(vector.astype(np.float64), firsts) if len(firsts) else np.empty(0)

    strategy.require_sums(
        require_layout(game, strategy).sums if isinstance(game, StageGame) else sums
    )


def groups(
    game: ExtensiveGame | StageGame, strategy: Strategy | None = None
) -> Iterator[InfosetGroup]:
    """Yield the information sets of a game, in the order of its tree or betting tree.

    They lie where ``strategy`` keeps them, by default where one by views does. One that plays by
    buckets is for games with more views than anybody lists: only rounds with few of them are gone through.
    """
    if not isinstance(game, StageGame):
        return _tree_groups(game)
    if strategy is not None and strategy.is_abstract:
        return _groups_by_buckets(game, strategy)
    return _signal_groups(game)


def infosets(game: ExtensiveGame | StageGame) -> int:
    """Return the number of information sets that :func:`decisions` goes through."""
    if not isinstance(game, StageGame):
        return game.infosets
    layout = view_layout(game)
    return sum(
        layout.buckets[turn][player] for player, own in enumerate(layout.nodes) for turn, _ in own
    )


def decisions(game: ExtensiveGame | StageGame, strategy: Strategy) -> Iterator[LocalStrategy]:
    """Yield the decisions of ``strategy``, which must belong to ``game``."""
    require_strategy(game, strategy)
    for group in groups(game, strategy):
        yield from decisions_in(group, strategy, range(len(group.labels)))


def decisions_in(
    group: InfosetGroup, strategy: Strategy, places: Sequence[int]
) -> list[LocalStrategy]:
    """Return the decisions in those information sets of ``group`` that ``places`` lists."""
    if not places:
        return []
    rows = probabilities(group, strategy)
    return [
        LocalStrategy(group.player, group.labels[k], group.actions, tuple(rows[k])) for k in places
    ]


def probabilities(group: InfosetGroup, strategy: Strategy) -> list[list[float]]:
    """Return what ``strategy`` plays in each information set of ``group``."""
    if group.buckets is not None:
        block = strategy.behaviour[group.player][group.first :][: len(group.actions) * group.width]
        by_bucket = block.reshape(len(group.actions), -1)
        found: list[list[float]] = np.take(by_bucket, group.buckets, axis=1).T.tolist()
        return found
    end = group.first + len(group.actions) * len(group.labels)
    block = strategy.behaviour[group.player][group.first : end]
    rows: list[list[float]] = block.reshape(len(group.actions), -1).T.tolist()
    return rows


def _tree_groups(game: ExtensiveGame) -> Iterator[InfosetGroup]:
    for place, label in enumerate(game.infoset_label):
        player, first = int(game.infoset_player[place]), int(game.first_sequence[place])
        yield InfosetGroup(player, first, game.infoset_actions[place], (label,))


def _signal_groups(game: StageGame) -> Iterator[InfosetGroup]:
    tree, layout = game.tree, view_layout(game)
    blocks = [iter(layout.starts(player).tolist()) for player in range(game.players)]
    for node in np.flatnonzero(tree.player >= 0).tolist():
        player, history = int(tree.player[node]), tree.histories[node]
        names = view_names(game, int(tree.round[node]), player)
        actions = tuple(tree.action[child] for child in tree.successors[node])
        labels = [f"{name}|{history}" for name in names]
        yield InfosetGroup(player, next(blocks[player]), actions, labels)


def _groups_by_buckets(game: StageGame, strategy: Strategy) -> Iterator[InfosetGroup]:
    tree, layout = game.tree, require_layout(game, strategy)
    assert strategy.abstraction is not None, "the layout is that of its buckets"
    blocks = [iter(layout.starts(player).tolist()) for player in range(game.players)]
    for node in np.flatnonzero(tree.player >= 0).tolist():
        player, turn = int(tree.player[node]), int(tree.round[node])
        first, count = next(blocks[player]), views(game).count(turn, player)
        if count > _FEW_VIEWS:
            continue
        labels = [f"{name}|{tree.histories[node]}" for name in view_names(game, turn, player)]
        actions = tuple(tree.action[child] for child in tree.successors[node])
        own = strategy.abstraction.bucket(turn, np.arange(count), player)
        yield InfosetGroup(player, first, actions, labels, own, layout.buckets[turn][player])


@lru_cache(maxsize=16)
def view_names(game: StageGame, turn: int, player: int) -> tuple[str, ...]:
    """Return the name of every view of ``player`` in round ``turn``."""
    named = views(game)
    return tuple(named.label(turn, view, player) for view in range(named.count(turn, player)))
