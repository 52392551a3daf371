"""What two agents earn against each other exactly, where both play strategies that are known."""

from __future__ import annotations

import numpy as np

from equipoise.certificates.match import head_to_head
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import views
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.play.agents import Agent, Mixed, StrategyPlayer
from equipoise.play.simulate import Behaviour, behaviour_of
from equipoise.sequence.build import game_fingerprint
from equipoise.strategy.lift import lift
from equipoise.strategy.profile import Strategy
from equipoise.strategy.views import view_layout

Game = ExtensiveGame | StageGame


def exact_mean(game: Game, first: Agent, second: Agent) -> float | None:
    """Return what ``first`` wins a hand from ``second``, both seats alike; ``None`` if it is not known.

    Where hands are too many to list, only agents that do not look at them are known.
    """
    if isinstance(game, StageGame) and not views(game).is_listed:
        pair = [behaviour_of(agent, game) for agent in (first, second)]
        if pair[0] is None or pair[1] is None or any(own and own.column for own in pair):
            return None
        return (_blind(game, (pair[0], pair[1])) - _blind(game, (pair[1], pair[0]))) / 2
    whole = [strategy_of(agent, game) for agent in (first, second)]
    if whole[0] is None or whole[1] is None:
        return None
    return head_to_head(game, whole[0], whole[1]).mean


def strategy_of(agent: Agent, game: Game) -> Strategy | None:
    """Return what an agent plays in every information set, if it is known."""
    if isinstance(agent, StrategyPlayer):
        known = agent.strategy
        if not isinstance(known, Strategy):
            return None
        if known.is_abstract:
            return None if known.abstraction is None else lift(known, known.abstraction)
        return known
    if not isinstance(agent, Mixed) or not agent.is_blind:
        return None
    if isinstance(game, ExtensiveGame):
        found = behaviour_of(agent, game)
        assert found is not None
        return Strategy(game.name, game.fingerprint, found.vectors, source=game)
    return _spread(game, agent)


def _spread(game: StageGame, agent: Mixed) -> Strategy | None:
    """Return the strategy of an agent that does the same with all hands."""
    found = behaviour_of(agent, game)
    if found is None:
        return None
    layout, tree = view_layout(game), game.tree
    vectors = []
    for player in range(game.players):
        parts = [np.ones(1)]
        for node in np.flatnonzero(tree.player == player).tolist():
            first, count = int(found.begin[node]), len(tree.successors[node])
            width = layout.buckets[int(tree.round[node])][player]
            parts.append(np.repeat(found.vectors[player][first : first + count], width))
        vectors.append(np.concatenate(parts))
    return Strategy(game.name, game_fingerprint(game), tuple(vectors), layout, game)


def _blind(game: StageGame, seats: tuple[Behaviour, Behaviour]) -> float:
    """Return what player 1 earns in poker if nobody looks at the cards.

    Before anything is seen both hands are alike, so a showdown is worth nothing on average: what is left is
    the base of every leaf, weighted with the probability of its betting.
    """
    tree = game.tree
    reach = np.ones(len(tree.parent))
    for node, below in enumerate(tree.successors):
        for slot, child in enumerate(below):
            seat = seats[tree.player[node]]
            share = seat.vectors[tree.player[node]][seat.begin[node] + slot]
            reach[child] = reach[node] * float(share)
    leaves = tree.player < 0
    return float(reach[leaves] @ tree.base[leaves, 0])
