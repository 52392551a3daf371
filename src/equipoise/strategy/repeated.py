"""How to play a repeated game with incomplete information on one side (Gilpin 2009, section 11.5).

The informed player uses what she knows once, in a lottery that depends on the state, and then plays
an optimal strategy of the average game at the posterior that the lottery's outcome induces. The
uninformed player keeps the vector of average payments, one coordinate a state, near the set of
vectors that he may pay: Blackwell's approachability strategy.

Both are played stage by stage: ``start`` gives a :class:`StagePlayer`, whose ``mixed`` says how to
mix in the coming stage, and who is told the actions of every stage that was played.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.bundle import Arrays, Bundle, Metadata
from equipoise.errors import EquipoiseError
from equipoise.games.repeated.game import SUM_TOLERANCE, RepeatedGame
from equipoise.numerics.minimax import minimax
from equipoise.strategy.local import BehaviourStrategy, LocalStrategy, unknown
from equipoise.strategy.lookup import Table, whole_table

Floats = NDArray[np.float64]


class StagePlayer(Protocol):
    """One side of a play."""

    def mixed(self) -> Floats:
        """Return the mixed action of the coming stage."""

    def observe(self, row: int, column: int) -> None:
        """Take note of the actions of the stage that was played."""


class Stationary:
    """Plays the same mixed action in every stage."""

    def __init__(self, action: Floats) -> None:
        self._action = action

    def mixed(self) -> Floats:
        """Return the one mixed action."""
        return self._action

    def observe(self, row: int, column: int) -> None:
        """Learn nothing."""


@dataclass(frozen=True, eq=False)
class Splitting:
    """Probabilities of the signals, the belief after each, and v there; the beliefs average to p."""

    weights: Floats
    posteriors: Floats
    values: Floats


@dataclass(frozen=True, eq=False)
class InformedStrategy:
    """A type-dependent lottery over signals, and a mixed action for each signal.

    Attributes
    ----------
    game
        The game it is for.
    weights
        Probability of each signal: the lambda_i of the splitting.
    posteriors
        Belief about the state after each signal, q^i; their average is the prior.
    lottery
        Probability of each signal (columns) in each state (rows): lambda_i q^i_k / p_k.
    actions
        Mixed action after each signal, one a row: optimal in the average game at its posterior.
    """

    game: RepeatedGame
    weights: Floats
    posteriors: Floats
    lottery: Floats
    actions: Floats

    def __repr__(self) -> str:
        return f"<InformedStrategy of '{self.game.name}': {len(self.weights)} signals>"

    @classmethod
    def of(cls, game: RepeatedGame, weights: Floats, posteriors: Floats) -> InformedStrategy:
        """Return the strategy of a splitting of the prior.

        Splittings from floating point miss the prior by rounding; the lottery is normalised state by
        state, and what is kept as the splitting is what that lottery does.
        """
        joint = weights[:, None] * posteriors
        total = joint.sum(axis=0)
        occurs = total > 0
        share = np.where(occurs, joint / np.where(occurs, total, 1.0), weights[:, None])
        joint = share * game.prior
        weights = joint.sum(axis=1)
        posteriors = joint / weights[:, None]
        actions = game.nonrevealing(posteriors).x
        return cls(game, weights, posteriors, np.ascontiguousarray(share.T), actions)

    @property
    def guarantee(self) -> float:
        """What the strategy wins on average against a column player who knows it and the signal.

        After signal i he faces the payoffs sum_k P(i, k) x^i A^k and takes the least; as actions do
        not depend on the state beyond the signal, he learns nothing more, however long he watches.
        """
        joint = self.lottery.T * self.game.prior
        pay = np.einsum("ik,im,kmn->in", joint, self.actions, self.game.matrices)
        return float(pay.min(axis=1).sum())

    @cached_property
    def splitting(self) -> Splitting:
        """The splitting of the prior that the lottery makes."""
        return Splitting(self.weights, self.posteriors, self.game.values(self.posteriors))

    @property
    def bits_revealed(self) -> float:
        """Mutual information of state and signal: H(prior) - sum_i lambda_i H(q^i), in bits."""
        return float(_entropy(self.game.prior) - self.weights @ _entropy(self.posteriors))

    @property
    def share_revealed(self) -> float:
        """Information revealed as a share of all there is: 0 says nothing, 1 tells the state."""
        total = float(_entropy(self.game.prior))
        return min(max(self.bits_revealed / total, 0.0), 1.0) if total > 0 else 0.0

    def start(self, state: int, rng: np.random.Generator) -> StagePlayer:
        """Hold the lottery in ``state``; return the player of all stages to come."""
        return Stationary(self.actions[rng.choice(len(self.weights), p=self.lottery[state])])


@dataclass(frozen=True, eq=False)
class ApproachStrategy:
    """Blackwell's strategy: force the average payment vector to the set {s <= target}.

    Coordinate k of the payment vector is what would have been paid so far if the state were k: the
    actions tell it for every k. It approaches the set, whatever player 1 does, because target·q
    majorises v(q): the average game in the direction from the set has a small enough value. The
    expected distance after n stages is at most ``reach / sqrt(n)``; then the payment in the true
    state exceeds its target by no more, and target·prior is what is paid on average.

    Attributes
    ----------
    game
        The game it is for.
    target
        The vector z, z·q >= v(q) for all q.
    """

    game: RepeatedGame
    target: Floats

    def __repr__(self) -> str:
        return f"<ApproachStrategy of '{self.game.name}': pays {self.guarantee:.6g} at most>"

    @property
    def guarantee(self) -> float:
        """What is paid in the long run, at most: target·prior."""
        return float(self.target @ self.game.prior)

    @property
    def reach(self) -> float:
        """Root of sum_k (range of A^k)^2, the constant of the rate (proof in docs/repeated.md)."""
        spread = np.ptp(self.game.matrices, axis=(1, 2))
        return float(np.sqrt((spread**2).sum()))

    def start(self) -> ApproachPlayer:
        """Return a player at the first stage."""
        return ApproachPlayer(self)


class ApproachPlayer:
    """Blackwell's strategy at work (Gilpin 2009, equation 11.5)."""

    def __init__(self, strategy: ApproachStrategy) -> None:
        self._game, self._target = strategy.game, strategy.target
        self._paid = np.zeros(len(strategy.target))
        self._stages = 0

    @property
    def average(self) -> Floats:
        """The average payment in each state so far (zero before the first stage)."""
        return np.asarray(self._paid / max(self._stages, 1))

    @property
    def excess(self) -> Floats:
        """How far the average payment is above the target, state by state; zero where it is not."""
        above = self.average - self._target if self._stages else np.zeros_like(self._target)
        return np.asarray(np.maximum(above, 0.0))

    def mixed(self) -> Floats:
        """Play the average game in the direction of the excess; where there is none, at the prior."""
        excess = self.excess
        total = excess.sum()
        direction = excess / total if total > 0 else self._game.prior
        average = np.tensordot(direction, self._game.unit_matrices, 1)
        return np.asarray(minimax(average[None]).y[0])

    def observe(self, row: int, column: int) -> None:
        """Add the payments of one stage."""
        self._paid += self._game.matrices[:, row, column]
        self._stages += 1


@dataclass(frozen=True, eq=False)
class RepeatedStrategy(BehaviourStrategy):
    """A strategy for each player of a repeated game.

    The informed player's information sets are called ``state NAME``, where she draws a signal, and ``signal 1``,
    ..., after which she mixes alike in all stages. Of the uninformed player's, the ``first stage`` alone has a name:
    later on he goes by all that was played (``uninformed.start()``).
    """

    informed: InformedStrategy
    uninformed: ApproachStrategy

    def __repr__(self) -> str:
        signals = len(self.informed.weights)
        return f"<RepeatedStrategy of '{self.game.name}': {signals} signals>"

    @property
    def game(self) -> RepeatedGame:
        """The game that they play."""
        return self.informed.game

    def in_game(self, game: RepeatedGame) -> RepeatedStrategy:
        """Return the same strategies in ``game``, whose payoffs may be others."""
        return RepeatedStrategy(
            replace(self.informed, game=game), replace(self.uninformed, game=game)
        )

    def local(self, label: str) -> LocalStrategy:
        """Return what is done in ``state NAME``, after ``signal 1``, or in the ``first stage``."""
        found = {own.infoset: own for own in self.decisions()}
        if label not in found:
            raise unknown(label, found)
        return found[label]

    def decisions(self) -> Iterator[LocalStrategy]:
        """Yield the lottery in every state, the stages after every signal, and his first stage."""
        game, informed = self.game, self.informed
        signals = tuple(f"signal {i + 1}" for i in range(len(informed.weights)))
        for state, lottery in zip(game.states, informed.lottery.tolist(), strict=True):
            yield LocalStrategy(0, f"state {state}", signals, tuple(lottery))
        for signal, mixed in zip(signals, informed.actions.tolist(), strict=True):
            yield LocalStrategy(0, signal, game.rows, tuple(mixed))
        first = self.uninformed.start().mixed().tolist()
        yield LocalStrategy(1, "first stage", game.columns, tuple(first))

    def at(self, history: str | Sequence[str] = "") -> Table:
        """Return what is done before anything public: a row an information set, a column a signal or action."""
        return whole_table(self.decisions(), history)

    @property
    def splitting(self) -> Splitting:
        """The informed player's splitting of the prior."""
        return self.informed.splitting

    @property
    def value(self) -> float:
        """The middle of what the two strategies guarantee."""
        return 0.5 * (self.informed.guarantee + self.uninformed.guarantee)


def packed(strategy: RepeatedStrategy) -> tuple[Arrays, Metadata]:
    """Return the strategies as arrays and metadata, from which :func:`strategy_of` makes them again."""
    arrays: Arrays = {"target": strategy.uninformed.target}
    for name in _INFORMED:
        arrays[name] = getattr(strategy.informed, name)
    return arrays, {"game": strategy.game.name, "fingerprint": strategy.game.fingerprint}


def strategy_of(path: Path, bundle: Bundle, game: RepeatedGame) -> RepeatedStrategy:
    """Return the strategies of ``game`` that ``bundle``, loaded from ``path``, holds."""
    found = bundle.metadata.get("fingerprint")
    if found != game.fingerprint:
        raise EquipoiseError(
            f"{path}: found a strategy of '{bundle.metadata.get('game')!s:.80}', expected one of "
            f"'{game.name}' with the same states and actions."
        )
    weights = bundle.arrays.get("weights")
    signals = 0 if weights is None or weights.ndim != 1 else len(weights)
    states, rows, _ = game.matrices.shape
    shapes = {
        "weights": (signals,),
        "posteriors": (signals, states),
        "lottery": (states, signals),
        "actions": (signals, rows),
        "target": (states,),
    }
    arrays = {name: _floats(path, bundle, name, shape) for name, shape in shapes.items()}
    for name in _INFORMED:
        if (arrays[name] < 0).any() or abs(arrays[name].sum(axis=-1) - 1.0).max() > SUM_TOLERANCE:
            raise EquipoiseError(
                f"{path}: array {name} has rows that are no distributions, expected probabilities that "
                "sum to one."
            )
    informed = InformedStrategy(game, *(arrays[name] for name in _INFORMED))
    return RepeatedStrategy(informed, ApproachStrategy(game, arrays["target"]))


_INFORMED = ("weights", "posteriors", "lottery", "actions")


def _floats(path: Path, bundle: Bundle, name: str, shape: tuple[int, ...]) -> Floats:
    """Return an array of a file, which must have this shape and finite numbers."""
    found = bundle.arrays.get(name)
    if found is None or found.dtype != np.float64 or found.shape != shape or not found.size:
        raise EquipoiseError(
            f"{path}: array {name} is missing or has another type or shape, expected {shape} floats."
        )
    if not np.isfinite(found).all():
        raise EquipoiseError(f"{path}: array {name} has numbers that are not finite.")
    return np.asarray(found)


def _entropy(distributions: Floats) -> Floats:
    """Return the entropy in bits along the last axis."""
    terms = distributions * np.log2(np.where(distributions > 0, distributions, 1.0))
    return np.asarray(-terms.sum(axis=-1))
