"""Best responses as strategies that can be played: what a nemesis does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from equipoise.certificates.arithmetic import Floating
from equipoise.certificates.tree import best_gains, edge_probabilities, reach_of, without
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.sequence.build import build
from equipoise.strategy.profile import Strategy
from equipoise.strategy.views import require_views


def best_response(game: ExtensiveGame | StageGame, strategy: Strategy) -> Strategy:
    """Return the profile in which every player answers best what the others do in ``strategy``.

    Each player's part is to be played against the strategy, not against each other. Ties go to the
    first action; where a player never comes, she plays uniformly.
    """
    if isinstance(game, StageGame):
        return _in_signals(game, strategy)
    return _in_tree(game, strategy)


def _in_signals(game: StageGame, strategy: Strategy) -> Strategy:
    """Answer on the treeplexes of the sequence form: the gradients are A y and -A' x."""
    require_views(game, strategy)
    form = build(game, tiles=False)
    assert form.canonical is not None
    plans: list[NDArray[np.float64]] = []
    for player, space in enumerate((form.X, form.Y)):
        own = np.empty(space.size)
        own[form.canonical(player)] = strategy.behaviour[player]
        plans.append(space.plan(own))
    gradients = form.A.times(plans[1]), -form.A.transpose_times(plans[0])
    answers = []
    for player, (space, gradient) in enumerate(zip((form.X, form.Y), gradients, strict=True)):
        _, plan = space.best_response(gradient)
        answers.append(space.behaviour(plan)[form.canonical(player)])
    return replace(strategy, behaviour=tuple(answers), source=game)


def _in_tree(game: ExtensiveGame, strategy: Strategy) -> Strategy:
    """Answer in a tree with any number of players, as its certificate does."""
    game.require_perfect_recall()
    arithmetic = Floating()
    moves = edge_probabilities(game, strategy, arithmetic)
    answers = []
    for player in range(len(game.players)):
        others = reach_of(game, without(game, moves, player), arithmetic)
        pays = game.payoffs[game.outcome[game.terminals], player]
        weight = pays * others[:, game.terminals]
        gain = best_gains(game, player, weight, arithmetic)[0]
        answer = np.zeros(len(gain))
        answer[0] = 1.0
        for place in np.flatnonzero(game.infoset_player == player).tolist():
            first, count = int(game.first_sequence[place]), int(game.action_count[place])
            answer[first + int(gain[first : first + count].argmax())] = 1.0
        answers.append(answer)
    return replace(strategy, behaviour=tuple(answers), source=game)
