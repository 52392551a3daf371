"""Four algorithms for stochastic games of many players, behind one loop.

After Ganzfried and Sandholm (AAMAS 2008; IJCAI 2009). Two of them solve every state for an equilibrium
at given values (the *inner* loop) and update the values outside:

- ``vi-fp``: values are backed up once, as in value iteration. If it converges, it need not be to an
  equilibrium: a player may be content to stay in a state whose value nobody ever pays.
- ``pi-fp``: values are those of best responses to the others' strategies, by policy iteration with
  minimal solutions and ties kept.

The other two solve the decision process of every player inside, and average strategies outside by the
rule of fictitious play:

- ``fp-pi``: by policy iteration.
- ``fp-vi``: by value iteration from pessimistic values, those of the strategies at hand.

If the strategies of the last three converge, then to an equilibrium. All are measured alike: in every
iteration each player's decision process is solved, and the *gain* is the most that any player can add to
his value at any node by deviating for ever.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from equipoise.games.tournaments.stochastic import Induced, Profile, StochasticGame
from equipoise.numerics.clock import Clock, catch_interrupt
from equipoise.numerics.mdp import (
    Optimum,
    Values,
    minimal_solution,
    policy_iteration,
    value_iteration,
)
from equipoise.solvers.driver import Relative, Row, Status, Stop

_EXACT = 1e-10
"""Decision processes are solved to this share of the largest prize."""
_FIRST_INNER = 5e-4
"""The inner loop's first tolerance, as a share of the largest prize."""
_INNER = 1 / 100
"""A gain in one round adds up over some tens of rounds: the inner tolerance, as a share of the gain."""
_CLEAR = 100.0
"""A player starts from his best response where it gains more than so many inner tolerances."""
_STILL = 1e-9
"""Values and strategies that change by less than this (of the largest prize, of one) have converged."""


class Inner(Protocol):
    """An inner loop: an equilibrium of every state at given values."""

    def __call__(
        self,
        game: Any,
        values: Values,
        start: Profile | None,
        tolerance: float,
        *,
        should_stop: Callable[[], bool],
    ) -> Profile:
        """Return a profile in which no player gains more than ``tolerance`` in one round."""


@dataclass(frozen=True, eq=False)
class Iterate:
    """Where an algorithm stands: its profile, its values of the nodes, and how it measured."""

    iterations: int
    values: Values
    profile: Profile
    own: Values
    optimum: Optimum[Profile]
    induced: Induced

    @property
    def gains(self) -> Values:
        """What deviating adds to the value of each node."""
        return self.optimum.values - self.own

    @property
    def gain(self) -> float:
        """The most that any player can gain at any state."""
        return float(self.gains.max(initial=0.0))


@dataclass(frozen=True)
class Algorithm:
    """One of the four: what is outside, what is inside, and why one would take it."""

    name: str
    why: str
    solves_states: bool
    by_policy: bool

    def measure(self, game: StochasticGame, profile: Profile, values: Values, n: int) -> Iterate:
        """Evaluate ``profile``, and every player's best response to it."""
        induced, tolerance = game.induced(profile), _EXACT * game.stake
        own = minimal_solution(*induced.chain(profile))
        if self.by_policy:
            optimum = policy_iteration(induced, profile, tolerance)
        else:
            optimum = value_iteration(induced, profile, own, tolerance)
        return Iterate(n, values, profile, own, optimum, induced)

    def next_values(self, now: Iterate) -> Values:
        """Return the values at which states are solved next."""
        if self.name != VI_FP:
            return now.optimum.values
        Q, r = now.induced.chain(now.profile)
        return np.asarray(Q @ now.values + r)

    def next_profile(
        self,
        game: StochasticGame,
        now: Iterate,
        values: Values,
        inner: Inner,
        tolerance: float,
        should_stop: Callable[[], bool],
    ) -> Profile:
        """Return the next profile, by the inner loop or by averaging."""
        if not self.solves_states:
            return now.profile + (now.optimum.policy - now.profile) / (now.iterations + 1)
        start = now.profile
        if self.name != VI_FP:
            # Otherwise a player may be left to circle, for values that he gets by not circling.
            clear = now.gains.reshape(game.states, game.players) > _CLEAR * tolerance
            owners = game.owner[game.decision_of]
            start = np.where(clear[:, owners, None], now.optimum.policy, now.profile)
        return inner(game, values, start, tolerance, should_stop=should_stop)


VI_FP, PI_FP, FP_PI, FP_VI = "vi-fp", "pi-fp", "fp-pi", "fp-vi"
ALGORITHMS = {
    row.name: row
    for row in (
        Algorithm(VI_FP, "value iteration outside, equilibria inside: the first one", True, True),
        Algorithm(PI_FP, "policy iteration outside, equilibria inside: the fastest", True, True),
        Algorithm(FP_PI, "fictitious play outside, policy iteration inside", False, True),
        Algorithm(FP_VI, "fictitious play outside, value iteration inside", False, False),
    )
}


@dataclass(frozen=True, eq=False)
class StochasticSolution:
    """The best profile that was measured, its values, what players could gain, the road to it.

    ``claimed`` are the values that the algorithm believed in, ``values`` what the profile earns.
    """

    game: StochasticGame
    algorithm: str
    status: Status
    profile: Profile
    values: Values
    claimed: Values
    gain: float
    iterations: int
    log: tuple[Row, ...]


@dataclass
class StochasticProgress:
    """A solve in progress: what a checkpoint holds and a monitor sees."""

    iterations: int
    values: Values
    profile: Profile
    rows: list[Row]

    @property
    def gap(self) -> float:
        """The gain at the last measurement."""
        return self.rows[-1].gap if self.rows else math.inf


def solve_stochastic(
    game: StochasticGame,
    values: Values,
    inner: Inner,
    algorithm: str = PI_FP,
    stop: Stop | None = None,
    *,
    start: StochasticProgress | None = None,
    monitor: Callable[[StochasticProgress], None] | None = None,
    checkpoint: Callable[[StochasticProgress], None] | None = None,
    clock: Clock | None = None,
    interrupted: Callable[[], bool] | None = None,
) -> StochasticSolution:
    """Run ``algorithm`` from heuristic ``values`` until no player gains more than ``stop.gap``.

    It ends as ``exhausted`` when values and strategies stand still although players can gain: the
    first algorithm does so at points that are no equilibria. ``checkpoint`` is called after every
    outer iteration, and ``start`` continues from what it was given; an interrupt loses the iteration
    that it falls into.
    """
    if interrupted is None:
        with catch_interrupt() as seen:
            return solve_stochastic(
                game, values, inner, algorithm, stop, start=start, monitor=monitor,
                checkpoint=checkpoint, clock=clock, interrupted=seen,
            )  # fmt: skip
    stop, method = (stop or Relative(1e-3)).at(game.stake), ALGORITHMS[algorithm]
    clock = clock or Clock(stop.seconds)

    def halt() -> bool:
        return interrupted() or clock.is_over()

    if start is None:
        tolerance = max(_FIRST_INNER * game.stake, _INNER * stop.gap)
        profile = inner(game, values, None, tolerance, should_stop=halt)
        start = StochasticProgress(0, values, profile, [])
    progress, change = start, math.inf
    now = method.measure(game, progress.profile, progress.values, progress.iterations)
    best = _Point.of(now)
    while True:
        if not progress.rows or progress.rows[-1].iterations < progress.iterations:
            row = Row(
                now.iterations, now.iterations + 1, 0.0, now.gain, clock.seconds, clock.cpu_seconds
            )
            progress.rows.append(row)
            for report in (monitor, checkpoint):
                if report is not None:
                    report(progress)
        status = _status(now, stop, change, interrupted(), clock)
        if status is not None:
            break
        next_values = method.next_values(now)
        tolerance = _INNER * max(min(now.gain, _FIRST_INNER / _INNER * game.stake), stop.gap)
        profile = method.next_profile(game, now, next_values, inner, tolerance, halt)
        if halt():
            continue
        change = max(
            float(np.abs(next_values - now.values).max()) / game.stake,
            float(np.abs(profile - now.profile).max()),
        )
        now = method.measure(game, profile, next_values, now.iterations + 1)
        best = min(best, _Point.of(now), key=lambda point: point.gain)
        progress = replace(progress, iterations=now.iterations, values=next_values, profile=profile)
    return StochasticSolution(
        game=game,
        algorithm=algorithm,
        status=status,
        profile=best.profile,
        values=best.own,
        claimed=best.claimed,
        gain=best.gain,
        iterations=now.iterations,
        log=tuple(progress.rows),
    )


class _Point(NamedTuple):
    """What is kept of the best iterate."""

    profile: Profile
    own: Values
    claimed: Values
    gain: float

    @classmethod
    def of(cls, iterate: Iterate) -> _Point:
        return cls(iterate.profile, iterate.own, iterate.values, iterate.gain)


def _status(
    now: Iterate, stop: Stop, change: float, interrupted: bool, clock: Clock
) -> Status | None:
    """Say why to end, or nothing."""
    if now.gain <= stop.gap:
        return Status.CONVERGED
    if interrupted:
        return Status.INTERRUPTED
    if now.iterations >= stop.iterations:
        return Status.ITERATION_LIMIT
    if clock.is_over():
        return Status.TIME_LIMIT
    return Status.EXHAUSTED if change <= _STILL else None
