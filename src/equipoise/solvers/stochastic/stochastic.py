"""Four algorithms for stochastic games of many players, as runs of the one driver.

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

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from equipoise.games.tournaments.stochastic import Induced, Profile, StochasticGame
from equipoise.numerics.clock import Clock, TimeUpError, raising
from equipoise.numerics.mdp import (
    Check,
    Optimum,
    Values,
    minimal_solution,
    policy_iteration,
    value_iteration,
)
from equipoise.solvers.driver import (
    Arrays,
    Checkpoint,
    Monitor,
    Progress,
    Relative,
    Status,
    Stop,
    drive,
    watch,
)
from equipoise.solvers.log import LogRow

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

    def measure(
        self, game: StochasticGame, profile: Profile, values: Values, n: int, check: Check
    ) -> Iterate:
        """Evaluate ``profile``, and every player's best response to it."""
        induced, tolerance = game.induced(profile, check), _EXACT * game.stake
        own = minimal_solution(*induced.chain(profile))
        if self.by_policy:
            optimum = policy_iteration(induced, profile, tolerance, check=check)
        else:
            optimum = value_iteration(induced, profile, own, tolerance, check=check)
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


class StochasticRun:
    """An algorithm at work on a game: an iteration is one of the outer loop.

    Iteration 0 are equilibria of all states at heuristic values. A profile is measured before the next
    one is sought, since its best responses lead there. Whatever takes long asks ``should_stop`` now and
    then: an iteration that is cut short is dropped, a profile that could not be measured is kept for
    the next time.
    """

    def __init__(
        self,
        game: StochasticGame,
        values: Values,
        inner: Inner,
        algorithm: str = PI_FP,
        target: float = 0.0,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.game, self.values, self.profile = game, values, game.uniform()
        self.iterations = self.gradients = 0
        self.finished = False
        self.best: Arrays = {}
        self._inner, self._algorithm, self._target = inner, ALGORITHMS[algorithm], target
        self._should_stop = should_stop
        # Whether the states are solved at the heuristic values, and the last iteration measured.
        self._is_solved, self._measured = False, -1
        self._now: Iterate | None = None

    def advance(self, iterations: int) -> None:
        """Do up to this many outer iterations; stand still once values and strategies do."""
        for _ in range(iterations):
            now = self._evaluated()
            if now is None or self.finished:
                return
            values = self._algorithm.next_values(now)
            profile = self._algorithm.next_profile(
                self.game, now, values, self._inner, self._tolerance(now.gain), self._should_stop
            )
            if self._should_stop():
                return
            change = max(
                float(np.abs(values - now.values).max()) / self.game.stake,
                float(np.abs(profile - now.profile).max()),
            )
            self.finished = change <= _STILL
            self.values, self.profile, self._now = values, profile, None
            self.iterations += 1

    def next_check(self) -> int:
        """Measure every iteration, once."""
        return self.iterations + (self._measured == self.iterations)

    def measure(self) -> tuple[float, float] | None:
        """Return zero and the gain, or nothing if the time was too short to measure it."""
        now = self._evaluated()
        if now is None:
            return None
        self._measured, self.gradients = self.iterations, self.iterations + 1
        return 0.0, now.gain

    def keep(self) -> None:
        """Keep the profile just measured, with what it earns and what was believed."""
        assert self._now is not None
        now = self._now
        self.best = {"profile": now.profile, "values": now.own, "claimed": now.values}

    def state(self) -> Arrays:
        """Return values and profile, and how far the iteration is; the rest follows from them."""
        marks = np.array([int(self._is_solved), self._measured])
        return {"values": self.values, "profile": self.profile, "marks": marks}

    def restore(self, state: Arrays) -> None:
        """Continue from ``state``."""
        self.game.require(state["profile"])
        self.values, self.profile = np.array(state["values"]), np.array(state["profile"])
        self._is_solved, self._measured = bool(state["marks"][0]), int(state["marks"][1])
        self._now = None

    def _evaluated(self) -> Iterate | None:
        """Return where the run stands, measured, or nothing if it has to stop before it knows."""
        if self._now is None and self._has_solved():
            try:
                self._now = self._algorithm.measure(
                    self.game,
                    self.profile,
                    self.values,
                    self.iterations,
                    raising(self._should_stop),
                )
            except TimeUpError:
                return None
        return self._now

    def _has_solved(self) -> bool:
        """Solve all states at the heuristic values, unless that is done; say whether it is."""
        if not self._is_solved:
            tolerance = max(_FIRST_INNER * self.game.stake, _INNER * self._target)
            self.profile = self._inner(
                self.game, self.values, None, tolerance, should_stop=self._should_stop
            )
            # What a loop that was cut short has found can be played, but not continued from.
            self._is_solved = not self._should_stop()
        return self._is_solved

    def _tolerance(self, gain: float) -> float:
        """Return the inner loop's tolerance where players can gain so much."""
        return _INNER * max(min(gain, _FIRST_INNER / _INNER * self.game.stake), self._target)


@dataclass(frozen=True, eq=False)
class StochasticSolution:
    """The best profile that was measured, its values, what players could gain, the road to it.

    ``claimed`` are the values that the algorithm believed in, ``values`` what the profile earns. If
    the time was too short to measure any profile, it is the last one found, both are what was believed,
    and the gain is infinite.
    """

    game: StochasticGame = field(repr=False)
    algorithm: str
    status: Status
    profile: Profile = field(repr=False)
    values: Values = field(repr=False)
    claimed: Values = field(repr=False)
    gain: float
    iterations: int
    seconds: float
    cpu_seconds: float
    log: tuple[LogRow, ...] = field(repr=False)

    @classmethod
    def of(
        cls, run: StochasticRun, algorithm: str, status: Status, progress: Progress, clock: Clock
    ) -> StochasticSolution:
        """Wrap up what ``run`` has come to."""
        unmeasured = {"profile": run.profile, "values": run.values, "claimed": run.values}
        return cls(
            game=run.game,
            algorithm=algorithm,
            status=status,
            **(run.best or unmeasured),
            gain=progress.gap,
            iterations=run.iterations,
            seconds=clock.seconds,
            cpu_seconds=clock.cpu_seconds,
            log=tuple(progress.rows),
        )


def solve_stochastic(
    game: StochasticGame,
    values: Values,
    inner: Inner,
    algorithm: str = PI_FP,
    stop: Stop | None = None,
    *,
    monitor: Monitor | None = None,
    checkpoint: Checkpoint | None = None,
    resume: Arrays | None = None,
) -> StochasticSolution:
    """Run ``algorithm`` from heuristic ``values`` until no player gains more than ``stop.gap``.

    It ends as ``exhausted`` when values and strategies stand still although players can gain: the
    first algorithm does so at points that are no equilibria. Monitor, checkpoint and resume are those
    of :func:`equipoise.solvers.driver.drive`; an interrupt, or the end of the time, loses the
    iteration that it falls into.
    """
    stop = (stop or Relative(1e-3)).at(game.stake)
    with watch(stop) as watched:
        run = StochasticRun(game, values, inner, algorithm, stop.gap, watched.should_stop)
        status, progress = drive(
            run, stop, watched, monitor=monitor, checkpoint=checkpoint, resume=resume
        )
    return StochasticSolution.of(run, algorithm, status, progress, watched.clock)
