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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from equipoise.certificates.gap import Game, certify
from equipoise.errors import EquipoiseError
from equipoise.strategy.profile import Strategy


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


@dataclass(frozen=True)
class Comparison:
    """What agents earn, exactly: the mean over both roles.

    Attributes
    ----------
    names
        The agents.
    values
        What each agent's player 1 earns against its own player 2: its estimate of the game's value.
    met
        ``met[i][j]`` is what agent i earns against agent j.
    worst
        What each earns against its nemesis.
    """

    names: tuple[str, ...]
    values: tuple[float, ...]
    met: tuple[tuple[float, ...], ...]
    worst: tuple[float, ...]

    def field(self, i: int) -> float:
        """Return what agent ``i`` earns on average against the others."""
        others = [earned for j, earned in enumerate(self.met[i]) if j != i]
        return sum(others) / len(others) if others else 0.0


def compare(
    game: Game, agents: Mapping[str, Strategy], watch: Callable[[int, int], None] | None = None
) -> Comparison:
    """Let all ``agents`` of a two-player zero-sum game meet, each other and their nemeses.

    ``watch(done, of)`` is called after each of the n^2 evaluations.
    """
    names, players = tuple(agents), tuple(agents.values())
    for agent in players:
        _require_two(agent)
    size = len(players)
    first = [[0.0] * size for _ in players]
    worst = [0.0] * size
    for i, one in enumerate(players):
        for j, other in enumerate(players):
            proof = certify(game, seated(one, other))
            first[i][j] = proof.values[0]
            if i == j:
                worst[i] = -proof.gap / 2
            if watch is not None:
                watch(i * size + j + 1, size * size)
    met = [[(first[i][j] - first[j][i]) / 2 for j in range(size)] for i in range(size)]
    return Comparison(
        names, tuple(first[i][i] for i in range(size)), tuple(map(tuple, met)), tuple(worst)
    )


def _require_two(agent: Strategy) -> None:
    if len(agent.behaviour) != 2:
        raise EquipoiseError(
            f"Match: found a game of {len(agent.behaviour)} players, expected two: name the agent "
            "of every player (expected_values)."
        )
