"""What each information set is worth, and how often play comes there.

For an information set I of player i let c(v) be the probability that nature and the other players
play to its node v. Given that play is at I, player i expects

    sum over v in I of c(v) u(v) / sum over v in I of c(v),

where u(v) is what the profile pays her from v on: a player who remembers her own moves plays to all
nodes of I alike, so they cancel. The same with best play from I on is what she could earn there; with the
action a at I, and the profile after it, it is what a is worth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.certificates.arithmetic import Floating
from equipoise.certificates.tree import best_gains, edge_probabilities, reach_of, without
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.strategy.keys import Keys, keys_of
from equipoise.strategy.profile import Strategy

Floats = NDArray[np.float64]


class Standing(NamedTuple):
    """How a player stands in one information set.

    The probability of coming there; what she expects there; and what she could expect at best. The
    last two are NaN where nature and the others never come.
    """

    reach: float
    value: float
    best_response: float


@dataclass(frozen=True, eq=False)
class Standings:
    """How the players stand in every information set of ``game``, in its order.

    ``actions`` has what each action is worth: a vector a player, an entry a sequence.
    """

    game: ExtensiveGame
    reach: Floats
    values: Floats
    best_responses: Floats
    actions: tuple[Floats, ...]

    def __repr__(self) -> str:
        return f"<Standings in '{self.game.name}': {len(self.reach):,} information sets>"

    @cached_property
    def _keys(self) -> Keys:
        return keys_of(self.game)

    def __iter__(self) -> Iterator[str]:
        """Yield the labels of the information sets."""
        return iter(self.game.infoset_label)

    def __getitem__(self, label: str) -> Standing:
        """Return how the owner of the information set ``label`` stands there."""
        player, first, _, _ = self._keys.locate(label)
        is_it = (self.game.infoset_player == player) & (self.game.first_sequence == first)
        k = int(is_it.argmax())
        return Standing(float(self.reach[k]), float(self.values[k]), float(self.best_responses[k]))


def standings(game: ExtensiveGame, strategy: Strategy) -> Standings:
    """Return how the players stand in every information set, if nobody forgets."""
    game.require_perfect_recall()
    arithmetic = Floating()
    moves = edge_probabilities(game, strategy, arithmetic)
    decisions = np.flatnonzero(game.player >= 0)
    sets = game.infoset[decisions]
    coming = reach_of(game, moves, arithmetic)[0, decisions]
    reach = np.bincount(sets, coming, game.infosets).astype(np.float64)
    values, best = np.full(game.infosets, np.nan), np.full(game.infosets, np.nan)
    actions = []
    for player in range(len(game.players)):
        others = reach_of(game, without(game, moves, player), arithmetic)[0]
        pays = game.payoffs[game.outcome[game.terminals], player]
        weight = (pays * others[game.terminals])[None]
        gains = best_gains(game, player, weight, arithmetic)[0]
        worth = _expected(game, moves[0], pays)
        at = decisions[game.player[decisions] == player]
        own = np.flatnonzero(game.infoset_player == player)
        come = np.bincount(game.infoset[at], others[at], game.infosets).astype(np.float64)
        expect = np.bincount(game.infoset[at], others[at] * worth[at], game.infosets)
        for k in own[come[own] > 0].tolist():
            first = int(game.first_sequence[k])
            values[k] = expect[k] / come[k]
            best[k] = gains[first : first + int(game.action_count[k])].max() / come[k]
        actions.append(_actions(game, player, others, worth, come))
    return Standings(game, reach, values, best, tuple(actions))


def _actions(
    game: ExtensiveGame, player: int, others: Floats, worth: Floats, come: Floats
) -> Floats:
    """Return what each action is worth where the others come, and NaN elsewhere."""
    below = np.flatnonzero(game.parent >= 0)
    below = below[game.player[game.parent[below]] == player]
    above = game.parent[below]
    sets = game.infoset[above]
    sequence = game.first_sequence[sets] + game.slot[below]
    size = game.sequences(player)
    total = np.bincount(sequence, others[above] * worth[below], size)
    weight = np.zeros(size)
    weight[sequence] = come[sets]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(weight > 0, total / weight, np.nan)


def _expected(game: ExtensiveGame, moves: Floats, pays: Floats) -> Floats:
    """Return what a player expects from each node on, bottom-up."""
    worth = np.zeros(game.nodes)
    worth[game.terminals] = pays
    for level in game.depth_levels[:0:-1]:
        np.add.at(worth, game.parent[level], moves[level] * worth[level])
    return worth
