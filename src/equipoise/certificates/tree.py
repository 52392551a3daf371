"""Certificates on game trees: expected payoffs, best responses and gains, for n players.

Everything is recomputed from the tree and the strategy. For player i let g[s] be the sum, over the
terminal nodes whose last own sequence is s, of i's payoff times the probability that nature and the
others play there. Then i's best-response value is the bottom-up maximum over i's information sets

    v(I) = max_a ( g[(I, a)] + sum of v(J) over the sets J that follow (I, a) ),

and the gain is that value minus what i gets from the profile. What a player is paid whatever happens
is taken out first, exactly, and put back at the end: gains of a cent beside payoffs of a billion are not
lost in rounding.

This needs perfect recall. Where a player forgets, the best response is hard to find (Koller and
Megiddo 1992); what she could earn if she remembered her own moves is an upper bound
(:mod:`equipoise.games.trees.recall`), and so is the gain. Values are exact either way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.certificates.arithmetic import Floating, Outward, Values
from equipoise.certificates.certificate import Certificate
from equipoise.errors import EquipoiseError
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.recall import with_recall
from equipoise.strategy.profile import Strategy


def certify_tree(game: ExtensiveGame, strategy: Strategy, rigorous: bool = False) -> Certificate:
    """Return the certificate of ``strategy`` in ``game``.

    With ``rigorous`` the best responses and gains are upper bounds that hold despite rounding (the
    strategy's numbers are taken as exact weights and normalised exactly).
    """
    players = len(game.players)
    strategy.require(game.name, game.fingerprint, tuple(game.sequences(p) for p in range(players)))
    arithmetic = Outward() if rigorous else Floating()
    moves = edge_probabilities(game, strategy, arithmetic)
    ends, outcome = game.terminals, game.outcome[game.terminals]
    reach = reach_of(game, moves, arithmetic)
    recalled = with_recall(game)
    values, responses = [], []
    for player in range(players):
        payoff = _payoffs(game, player, arithmetic)[:, outcome]
        total = arithmetic.multiply(payoff, reach[:, ends])
        values.append(arithmetic.collect(np.zeros(len(ends), np.int32), total, 1)[:, 0])
        others = reach_of(game, without(game, moves, player), arithmetic)
        weight = arithmetic.multiply(payoff, others[:, ends])
        responses.append(best_gains(recalled, player, weight, arithmetic)[:, 0])
    sure = arithmetic.numbers([game.sure_payoff(player) for player in range(players)]).T
    proof = Certificate.from_bounds(np.stack(values), np.stack(responses), rigorous, sure)
    return proof if recalled is game else replace(proof, forgetful=True)


def _payoffs(game: ExtensiveGame, player: int, arithmetic: Floating) -> Values:
    """Return what each outcome pays ``player`` beyond what she is paid whatever happens."""
    sure = game.sure_payoff(player)
    numbers = [number - sure for number in game.numbers] if sure else game.numbers
    return arithmetic.numbers(numbers)[:, game.payoff[:, player]]


def edge_probabilities(game: ExtensiveGame, strategy: Strategy, arithmetic: Floating) -> Values:
    """Return the probability of the edge into each node: nature's, or the strategy's."""
    moves = arithmetic.numbers(game.numbers)[:, game.probability]
    parent = np.maximum(game.parent, 0)
    for player, vector in enumerate(strategy.behaviour):
        own = np.flatnonzero(game.infoset_player == player)
        sets = np.repeat(np.arange(len(own)), game.action_count[own])
        weights = arithmetic.floats(np.asarray(vector[1:], dtype=np.float64))
        sums = arithmetic.collect(sets.astype(np.int32), weights, len(own))
        if len(own) and sums[0].min() <= 0:
            label = game.infoset_label[own[int(sums[0].argmin())]]
            raise EquipoiseError(
                f"Strategy of '{strategy.game}': information set {label!r} of player {player + 1} has "
                "no positive probability, expected a distribution over its actions."
            )
        probabilities = arithmetic.divide(weights, sums[:, sets])
        nodes = np.flatnonzero(game.player[parent] == player)
        nodes = nodes[nodes > 0]
        sequence = game.first_sequence[game.infoset[parent[nodes]]] + game.slot[nodes]
        moves[:, nodes] = probabilities[:, sequence - 1]
    return moves


def reach_of(game: ExtensiveGame, moves: Values, arithmetic: Floating) -> Values:
    """Return the product of ``moves`` on the way to each node."""
    reach = moves.copy()
    for level in game.depth_levels[1:]:
        reach[:, level] = arithmetic.multiply(reach[:, level], reach[:, game.parent[level]])
    return reach


def without(game: ExtensiveGame, moves: Values, player: int) -> Values:
    """Return ``moves`` with every move of ``player`` certain: what nature and the others do."""
    others = moves.copy()
    own = game.player[np.maximum(game.parent, 0)] == player
    own[0] = False
    others[:, own] = 1.0
    return others


def best_gains(game: ExtensiveGame, player: int, weight: Values, arithmetic: Floating) -> Values:
    """Return what each sequence of ``player`` is worth if she plays best after it.

    ``weight`` is the weighted payoff of each terminal; the empty sequence is worth the best response.
    """
    last = game.last_sequence[player, game.terminals]
    gain = arithmetic.collect(last, weight, game.sequences(player))
    own = np.flatnonzero(game.infoset_player == player)
    parent = game.parent_sequence
    for place in own[::-1].tolist():
        first = game.first_sequence[place]
        best = gain[:, first : first + game.action_count[place]].max(axis=1)
        above = parent[place]
        gain[:, above] = arithmetic.add(gain[:, above], best)
    return gain
