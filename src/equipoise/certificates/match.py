"""Agents against each other and against their nemeses: exact expectations in the full game.

An agent is a strategy: what it would do as any of the players. In a two-player game in which the roles
differ (in poker, who acts first), agents meet in both roles, and the mean over the two is what counts
(Gilpin 2009, section 6.7). With agents (x, y) and (x', y') and player 1's payoffs A, the first earns

    (x A y' - x' A y) / 2          against the other,
    (min_v x A v - max_u u A y) / 2  against its *nemesis*, the best opponent there is.

In a game of constant sum the second is half of what the agent loses to best responses, and zero-sum
equilibria earn 0. (The thesis prints the nemesis of player 2 with a plus sign; its table has the minus.)

Nothing is sampled: payoffs come from :func:`equipoise.certificates.gap.certify`, whatever kind of game
it is, so two agents' values have no variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from equipoise.certificates.gap import certify
from equipoise.errors import EquipoiseError
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame
from equipoise.strategy.profile import Strategy

Game = ExtensiveGame | NormalGame | StageGame


class Earnings(NamedTuple):
    """What an agent earns as player 1 and as player 2."""

    first: float
    second: float

    @property
    def mean(self) -> float:
        """What it earns if both roles are as likely."""
        return (self.first + self.second) / 2


def seated(*agents: Strategy) -> Strategy:
    """Return the profile in which each player plays as the agent in her place would."""
    if len(agents) != len(agents[0].behaviour):
        raise EquipoiseError(
            f"Match: found {len(agents)} agents, expected one for each of "
            f"{len(agents[0].behaviour)} players."
        )
    for agent in agents:
        if agent.fingerprint != agents[0].fingerprint:
            raise EquipoiseError(
                f"Match: found agents of '{agents[0].game}' (fingerprint {agents[0].fingerprint}) "
                f"and '{agent.game}' (fingerprint {agent.fingerprint}), expected one game."
            )
    return replace(agents[0], behaviour=tuple(a.behaviour[i] for i, a in enumerate(agents)))


def expected_values(game: Game, agents: Sequence[Strategy]) -> tuple[float, ...]:
    """Return what each player earns when player i plays as ``agents[i]``."""
    return certify(game, seated(*agents)).values


def head_to_head(game: Game, agent: Strategy, other: Strategy) -> Earnings:
    """Return what ``agent`` earns against ``other`` in either role."""
    _require_two(agent)
    return Earnings(
        expected_values(game, (agent, other))[0], expected_values(game, (other, agent))[1]
    )


def against_nemesis(game: Game, agent: Strategy) -> Earnings:
    """Return what ``agent`` earns in either role against an opponent who knows it and plays best.

    The game's payoffs add up to a constant.
    """
    _require_two(agent)
    proof = certify(game, agent)
    total = sum(proof.values)
    return Earnings(total - proof.best_responses[1], total - proof.best_responses[0])


def _require_two(agent: Strategy) -> None:
    if len(agent.behaviour) != 2:
        raise EquipoiseError(
            f"Match: found a game of {len(agent.behaviour)} players, expected two: name the agent "
            "of every player (expected_values)."
        )
