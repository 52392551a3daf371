"""Plays of repeated games with incomplete information on one side, stage by stage.

The strategies of :mod:`equipoise.strategy.repeated` meet each other, opponents that know them and
answer best, and opponents that know nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.repeated.game import RepeatedGame
from equipoise.strategy.repeated import ApproachStrategy, InformedStrategy, StagePlayer, Stationary

Floats = NDArray[np.float64]


class InformedSide(Protocol):
    """Whoever knows the state."""

    def start(self, state: int, rng: np.random.Generator) -> StagePlayer:
        """Return a player for one play in ``state``."""


class UninformedSide(Protocol):
    """Whoever does not."""

    def start(self) -> StagePlayer:
        """Return a player for one play."""


@dataclass(frozen=True, eq=False)
class Play:
    """What happened: the state, and the actions of every stage."""

    game: RepeatedGame
    state: int
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]

    @property
    def payments(self) -> Floats:
        """Average payment up to every stage, in every state that it might have been."""
        paid = self.game.matrices[:, self.rows, self.columns].cumsum(axis=1)
        return np.asarray((paid / np.arange(1, len(self.rows) + 1)).T)

    @property
    def averages(self) -> Floats:
        """Average payoff of player 1 up to every stage."""
        return self.payments[:, self.state]


def play(
    game: RepeatedGame,
    informed: InformedSide,
    uninformed: UninformedSide,
    state: int,
    stages: int,
    rng: np.random.Generator,
) -> Play:
    """Play ``stages`` stages in ``state``; both sides act on what they have seen, unaware of payoffs."""
    if stages < 1:
        raise EquipoiseError(f"Repeated play: found {stages} stages, expected at least 1.")
    first, second = informed.start(state, rng), uninformed.start()
    rows, columns = np.empty(stages, dtype=np.intp), np.empty(stages, dtype=np.intp)
    for stage in range(stages):
        row, column = _draw(first.mixed(), rng), _draw(second.mixed(), rng)
        first.observe(row, column)
        second.observe(row, column)
        rows[stage], columns[stage] = row, column
    return Play(game, state, rows, columns)


def expected_averages(
    game: RepeatedGame, informed: InformedSide, uninformed: UninformedSide, stages: int, seed: int
) -> Floats:
    """Return the average payoff up to every stage, with one play a state, weighted by the prior.

    What the theory bounds is the expectation over states; drawing the state would add its noise.
    """
    rng = np.random.default_rng(seed)
    total = np.zeros(stages)
    for state in np.flatnonzero(game.prior):
        one = play(game, informed, uninformed, int(state), stages, rng)
        total += game.prior[state] * one.averages
    return total


def pairings(
    informed: InformedStrategy, uninformed: ApproachStrategy, stages: int, seeds: Sequence[int]
) -> dict[str, Floats]:
    """Play both strategies against each other, best answers and chance; average over the seeds.

    Returns the averages of :func:`expected_averages` by pairing, informed side first.
    """
    game = informed.game
    sides: dict[str, tuple[InformedSide, UninformedSide]] = {
        "optimal against optimal": (informed, uninformed),
        "optimal against best response": (informed, BestResponse(informed)),
        "optimal against random": (informed, RandomUninformed(game)),
        "greedy against optimal": (Greedy(uninformed), uninformed),
        "random against optimal": (RandomInformed(game), uninformed),
    }
    return {
        name: np.mean([expected_averages(game, *pair, stages, seed) for seed in seeds], axis=0)
        for name, pair in sides.items()
    }


def _draw(mixed: Floats, rng: np.random.Generator) -> int:
    """Draw an action."""
    return int(np.searchsorted(np.cumsum(mixed), rng.random() * mixed.sum(), side="right"))


@dataclass(frozen=True, eq=False)
class RandomInformed:
    """Plays every row equally often, whatever the state."""

    game: RepeatedGame

    def start(self, state: int, rng: np.random.Generator) -> StagePlayer:
        """Return the uniform player."""
        return _uniform(len(self.game.rows))


@dataclass(frozen=True, eq=False)
class RandomUninformed:
    """Plays every column equally often."""

    game: RepeatedGame

    def start(self) -> StagePlayer:
        """Return the uniform player."""
        return _uniform(len(self.game.columns))


def _uniform(actions: int) -> StagePlayer:
    return Stationary(np.full(actions, 1 / actions))


@dataclass(frozen=True, eq=False)
class BestResponse:
    """Knows the informed strategy, and in every stage makes it win as little as possible.

    It infers the signal from the rows it sees (Bayes). As they do not depend on what it does, no
    strategy makes the informed player win less in any stage: this is the best response.
    """

    strategy: InformedStrategy

    def start(self) -> StagePlayer:
        """Return a player that believes what the lottery says."""
        return _Bayesian(self.strategy)


class _Bayesian:
    def __init__(self, strategy: InformedStrategy) -> None:
        self._actions = strategy.actions
        self._belief = strategy.weights.copy()
        self._pay = np.einsum(
            "ik,im,kmn->in", strategy.posteriors, strategy.actions, strategy.game.matrices
        )

    def mixed(self) -> Floats:
        """Return the column of least expected payment under the belief."""
        return _pure(int((self._belief @ self._pay).argmin()), self._pay.shape[1])

    def observe(self, row: int, column: int) -> None:
        """Weigh the signals by how likely each made the row."""
        self._belief *= self._actions[:, row]
        self._belief /= self._belief.sum()


@dataclass(frozen=True, eq=False)
class Greedy:
    """Knows the uninformed strategy, and in every stage takes the best row of the true state."""

    strategy: ApproachStrategy

    def start(self, state: int, rng: np.random.Generator) -> StagePlayer:
        """Return a player that follows the opponent's play in its own copy of the strategy."""
        return _Shadow(self.strategy, np.eye(len(self.strategy.target))[state])


@dataclass(frozen=True, eq=False)
class Spiteful:
    """Knows the uninformed strategy, and in every stage drives the payments out of its target.

    It takes the row that pays most in the direction in which they exceed the target now.
    """

    strategy: ApproachStrategy

    def start(self, state: int, rng: np.random.Generator) -> StagePlayer:
        """Return a player that follows the opponent's play in its own copy of the strategy."""
        return _Shadow(self.strategy, None)


class _Shadow:
    """Answers what the approachability strategy is about to play; weighs states as told, or by excess."""

    def __init__(self, strategy: ApproachStrategy, weights: Floats | None) -> None:
        self._matrices, self._prior = strategy.game.matrices, strategy.game.prior
        self._opponent, self._weights = strategy.start(), weights

    def mixed(self) -> Floats:
        """Return the best row in the weighted average game."""
        weights = self._weights
        if weights is None:
            excess = self._opponent.excess
            weights = excess if excess.any() else self._prior
        pay = np.tensordot(weights, self._matrices, 1) @ self._opponent.mixed()
        return _pure(int(pay.argmax()), len(pay))

    def observe(self, row: int, column: int) -> None:
        """Let the copy see the stage too."""
        self._opponent.observe(row, column)


def _pure(action: int, actions: int) -> Floats:
    chosen = np.zeros(actions)
    chosen[action] = 1.0
    return chosen
