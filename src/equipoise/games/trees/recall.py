"""A game whose players forget, as it were if they did not.

In the *perfect-recall refinement* every information set is split by what its owner has done on the
way there, which is the coarsest way to make her remember it. Whatever a player can do in the game
itself, by behaviour or mixed strategies, she can do in the refinement (Kuhn 1953), so that what she
can earn there bounds what she can earn.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from equipoise.games.trees.extensive import ExtensiveGame


def with_recall(game: ExtensiveGame) -> ExtensiveGame:
    """Return the perfect-recall refinement of ``game``: the game itself if nobody forgets."""
    if game.forgetful is None:
        return game
    origin, infoset = refined_sets(game)
    return replace(
        game,
        infoset=infoset,
        infoset_player=game.infoset_player[origin],
        infoset_label=tuple(game.infoset_label[place] for place in origin.tolist()),
        infoset_actions=tuple(game.infoset_actions[place] for place in origin.tolist()),
    )


def refined_sets(game: ExtensiveGame) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the set of ``game`` that each set of its refinement is part of, and each node's set."""
    decisions = np.flatnonzero(game.player >= 0)
    own = _own_histories(game)[game.player[decisions], decisions]
    keys = np.stack((game.infoset[decisions], own))
    _, first, place = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order))
    infoset = np.full(game.nodes, -1, dtype=np.int32)
    infoset[decisions] = number[place.reshape(-1)]
    return game.infoset[decisions[first[order]]], infoset


def _own_histories(game: ExtensiveGame) -> NDArray[np.int32]:
    """Return a number for all that each player (row) has done on the way to each node (column)."""
    histories = np.zeros((len(game.players), game.nodes), dtype=np.int32)
    numbers: dict[tuple[int, int, int], int] = {}
    for level in game.depth_levels[1:]:
        above = game.parent[level]
        histories[:, level] = histories[:, above]
        for node, before in zip(level.tolist(), above.tolist(), strict=True):
            player = game.player[before]
            if player >= 0:
                move = (histories[player, before], game.infoset[before], game.slot[node])
                histories[player, node] = numbers.setdefault(move, len(numbers) + 1)
    return histories
