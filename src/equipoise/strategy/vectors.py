"""How each view is played: the parts of realization plans that belong to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equipoise.games.signals.stage_game import StageGame
from equipoise.strategy.profile import Strategy
from equipoise.strategy.stages import behaviour_of
from equipoise.strategy.views import Apart


def strategy_vectors(
    game: StageGame, strategy: Strategy, player: int, turn: int
) -> NDArray[np.float64]:
    """Return a row for each view (or bucket) of ``player`` in round ``turn``: her plan over the actions there.

    The entry of an action after a public history is the probability that she plays all her actions on
    the way there and then this one, given that she sees the view.
    """
    tree, seen, behaviour = game.tree, Apart(game, strategy), behaviour_of(strategy, game)
    columns: list[NDArray[np.float64]] = []
    # The player's probability of her actions on the way to each node, by her views of its round.
    reach = {0: np.ones(seen.counts[int(tree.round[0])][player])}
    for node in np.flatnonzero(tree.round <= turn).tolist():
        here, played = int(tree.round[node]), reach.pop(node)
        for action, child in enumerate(tree.children(node)):
            chance = played
            if tree.player[node] == player:
                chance = played * behaviour[node][action]
                if here == turn:
                    columns.append(chance)
            reach[child] = _carried(seen, chance, here, min(int(tree.round[child]), turn), player)
    if not columns:  # nothing to decide: all views are played alike
        columns = [np.ones(seen.counts[turn][player])]
    return np.stack(columns, axis=1)


def _carried(
    seen: Apart, chance: NDArray[np.float64], here: int, there: int, player: int
) -> NDArray[np.float64]:
    """Return what is known by views of round ``here`` by those of a later round that extend them."""
    for turn in range(here + 1, there + 1):
        chance = chance[seen.parents(turn, player)]
    return chance
