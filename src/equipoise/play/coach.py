"""A coach: what a strategy would do, what each choice is worth, and what a player's score owes to luck.

Against an opponent whose strategy is known, let v be what a player expects who follows the coach, and at her
information set I let q(I, a) be what she expects from the action a and the coach's play after it. With
v(I) = Σ_a σ(a) q(I, a) over the coach's σ, her payoff is

    v + Σ (q(I, a) - v(I)) over her decisions + luck,

where luck, what cards and the opponent's draws bring, is zero on average whatever she does (the advantage-sum
estimator of Zinkevich, Bowling, Bard, Kan and Billings 2006, with exact values). So payoff minus luck has the
same mean as the payoff, and hardly any of its spread.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equipoise.games.signals.stage_game import StageGame
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.play.agents import Mixed, StrategyPlayer
from equipoise.play.explore import Explorer, explorer
from equipoise.play.observation import Observation
from equipoise.strategy.profile import Strategy
from equipoise.strategy.table import groups


@dataclass(frozen=True)
class Advice:
    """What the coach says of a decision, action by action; values are NaN where nobody knows."""

    actions: tuple[str, ...]
    probabilities: tuple[float, ...]
    values: tuple[float, ...]

    @property
    def value(self) -> float:
        """What following the coach is worth."""
        pairs = zip(self.probabilities, self.values, strict=True)
        return math.fsum(p * v for p, v in pairs if p > 0)

    def cost(self, action: str) -> float:
        """What ``action`` costs beside the best that could be done."""
        return max(self.values) - self.values[self.actions.index(action)]

    def gain(self, action: str) -> float:
        """What ``action`` brings beyond following the coach."""
        return self.values[self.actions.index(action)] - self.value


class Coach:
    """Coaches the player in ``seat`` (from 0), by an explorer of the profile that is played."""

    def __init__(self, look: Explorer, seat: int) -> None:
        self.seat, self._explorer = seat, look

    @classmethod
    def against(cls, game: Any, strategy: Strategy, seat: int, opponent: Strategy | Mixed) -> Coach:
        """Return the coach who would play ``strategy`` against an opponent: a strategy or mixed agent."""
        theirs = strategy_of(game, strategy, opponent) if isinstance(opponent, Mixed) else opponent
        behaviour = [
            own if player == seat else other
            for player, (own, other) in enumerate(
                zip(strategy.behaviour, theirs.behaviour, strict=True)
            )
        ]
        return cls(explorer(game, replace(strategy, behaviour=tuple(behaviour))), seat)

    def prepare(self) -> None:
        """Work out what every play begins with."""
        self._explorer.prepare()

    @property
    def value(self) -> float:
        """What a player who follows the coach expects of the game."""
        return self._explorer.values()[self.seat]

    def advise(self, observation: Observation) -> Advice:
        """Return what the coach says where ``observation``'s player is to act."""
        cell = self._explorer.cell(observation)
        return Advice(observation.actions, cell.probabilities, cell.values)


def strategy_of(game: ExtensiveGame | StageGame, like: Strategy, agent: Mixed) -> Strategy:
    """Return what ``agent`` does in every information set, as a strategy like another of the game.

    The agent must look at nothing but the actions that are open, as uniform and always-call do; one that
    plays a stored strategy has it already.
    """
    if isinstance(agent, StrategyPlayer) and isinstance(agent.strategy, Strategy):
        return agent.strategy
    vectors = [np.ones(len(own)) for own in like.behaviour]
    for player, first, width, actions in _blocks(game, like):
        policy = agent.policy(Observation(like.game, player, actions=actions))
        for k, action in enumerate(actions):
            begin = first + k * width
            vectors[player][begin : begin + width] = policy[action]
    return replace(like, behaviour=tuple(vectors))


def _blocks(
    game: ExtensiveGame | StageGame, like: Strategy
) -> Iterator[tuple[int, int, int, tuple[str, ...]]]:
    """Yield player, first entry, number of hands and actions of decisions that differ in the hand alone."""
    if not isinstance(game, StageGame):
        for group in groups(game):
            yield group.player, group.first, 1, group.actions
        return
    tree, layout = game.tree, like.layout
    assert layout is not None, "a game with signals has a layout"
    for player in range(game.players):
        nodes = np.flatnonzero(tree.player == player).tolist()
        starts = layout.starts(player).tolist()
        for node, first in zip(nodes, starts[:-1], strict=True):
            actions = tuple(tree.action[child] for child in tree.successors[node])
            yield player, first, layout.buckets[int(tree.round[node])][player], actions


@dataclass
class Score:
    """A player's running score: what she was paid, and what of it was not luck.

    A choice within ``slack`` of the best one counts as best: a coach who has a gap cannot tell them apart.
    """

    slack: float = 1e-9
    hands: int = 0
    total: float = 0.0
    squares: float = 0.0
    adjusted: float = 0.0
    cost: float = 0.0
    decisions: int = 0
    best: int = 0

    def count(self, payoff: float, value: float, choices: Sequence[tuple[Advice, str]]) -> None:
        """Count a hand: its payoff, what the game is worth, and the choices that were made."""
        self.hands += 1
        self.total += payoff
        self.squares += payoff * payoff
        self.adjusted += value + math.fsum(advice.gain(action) for advice, action in choices)
        self.decisions += len(choices)
        for advice, action in choices:
            cost = advice.cost(action)
            if cost == cost:
                self.cost += cost
                self.best += cost <= self.slack

    @property
    def mean(self) -> float:
        """The mean payoff of a hand."""
        return self.total / self.hands if self.hands else math.nan

    @property
    def error(self) -> float:
        """Half the width of the 95% confidence interval of the mean."""
        if self.hands < 2:
            return math.nan
        variance = (self.squares - self.total * self.total / self.hands) / (self.hands - 1)
        return 1.96 * math.sqrt(max(variance, 0.0) / self.hands)
