"""A strategy as a reader sees it: one line for each information set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from equipoise.games.extensive import ExtensiveGame
from equipoise.strategy.profile import Strategy


class Decision(NamedTuple):
    """What a player (counted from 0) does in one information set."""

    player: int
    infoset: str
    actions: tuple[str, ...]
    probabilities: tuple[float, ...]


def decisions(game: ExtensiveGame, strategy: Strategy) -> Iterator[Decision]:
    """Yield the decisions of ``strategy`` in the order of the tree; it must belong to ``game``."""
    sizes = tuple(game.sequences(player) for player in range(len(game.players)))
    strategy.require(game.name, game.fingerprint, sizes)
    for place in range(game.infosets):
        player, first = int(game.infoset_player[place]), int(game.first_sequence[place])
        actions = game.infoset_actions[place]
        weights = strategy.behaviour[player][first : first + len(actions)]
        yield Decision(player, game.infoset_label[place], actions, tuple(map(float, weights)))
