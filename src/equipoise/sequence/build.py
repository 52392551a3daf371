"""Game (and abstraction) to sequence form: ``build(game) -> SequenceForm(X, Y, A)``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.games.extensive import CHANCE, ExtensiveGame
from equipoise.games.normal import NormalGame
from equipoise.sequence.payoff import Deals, Payoff, Sparse
from equipoise.sequence.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """max_{x in X} min_{y in Y} <x, A y>: all that a two-player zero-sum solver sees.

    ``fingerprint`` names the game (and abstraction) that strategies of this form belong to.
    """

    X: Treeplex
    Y: Treeplex
    A: Payoff
    name: str
    fingerprint: str


def build(game: ExtensiveGame | NormalGame) -> SequenceForm:
    """Return the sequence form of a two-player zero-sum game."""
    if isinstance(game, NormalGame):
        game = game.tree
    game.require_zero_sum()
    return SequenceForm(
        X=treeplex(game, 0),
        Y=treeplex(game, 1),
        A=_payoff(game),
        name=game.name,
        fingerprint=game.fingerprint,
    )


def treeplex(game: ExtensiveGame, player: int) -> Treeplex:
    """Return the treeplex of ``player``: a block of one bucket for each information set, in order."""
    own = np.flatnonzero(game.infoset_player == player)
    decisions = np.flatnonzero(game.player == player)
    parent = np.zeros(game.infosets, dtype=np.int64)
    parent[game.infoset[decisions]] = game.last_sequence[player, decisions]
    return Treeplex.from_rows([(int(game.action_count[i]), 1, int(parent[i]), None) for i in own])


def _payoff(game: ExtensiveGame) -> Sparse:
    """Return player 1's payoffs times nature's probabilities, indexed by last sequences."""
    ends = game.terminals
    rows, columns = game.last_sequence[0, ends], game.last_sequence[1, ends]
    values = game.payoffs[game.outcome[ends], 0] * game.chance_reach[ends]
    shape = (game.sequences(0), game.sequences(1))
    deal, parent = _deals(game)
    if len(parent) == 1:
        return Sparse.from_entries(rows, columns, values, shape)
    probability = np.zeros(len(parent))
    probability[deal[ends]] = game.chance_reach[ends]
    probability[parent[1:]] = 0.0
    deals = Deals(
        parent=parent,
        probability=probability,
        rows=rows.astype(np.uint32),
        columns=columns.astype(np.uint32),
        values=values,
        node=deal[ends].astype(np.uint32),
    )
    return Sparse.from_entries(rows, columns, values, shape, deals)


def _deals(game: ExtensiveGame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number nature's sequences; return that of each node, and the parent of each sequence.

    Two nodes have the same number when nature moved alike on both paths (same choices in the same
    order), whatever the players did in between.
    """
    deal = np.zeros(game.nodes, dtype=np.int64)
    numbers: dict[tuple[int, int], int] = {}
    for level in game.depth_levels[1:]:
        above = game.parent[level]
        deal[level] = deal[above]
        for node in level[game.player[above] == CHANCE].tolist():
            key = (int(deal[node]), int(game.slot[node]))
            deal[node] = numbers.setdefault(key, len(numbers) + 1)
    return deal, np.array([-1, *(before for before, _ in numbers)], dtype=np.int64)
