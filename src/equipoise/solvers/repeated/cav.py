"""The value of a repeated game with incomplete information on one side, certified from both sides.

By duality, the concavification of v at the prior is the least value there of a linear majorant,

    cav v(p) = min { p·z : z·q >= v(q) for all q in the simplex }.

A master program asks this only of the points q found so far. Its dual is a splitting of p over those
points, weights lambda_i with sum_i lambda_i q^i = p, and the optimum sum_i lambda_i v(q^i) is a lower
bound. Separation (:mod:`equipoise.numerics.separation`) bounds by some delta how far its z is
from majorising v everywhere: then z + delta does, and p·z + delta is an upper bound. Points where v is
above z join the master, until the two bounds meet. The problem and the strategies are those of Gilpin
2009, chapter 11; the method replaces the grid there (:mod:`equipoise.solvers.repeated.cav_grid`).

Both bounds are evaluated from strategies, never read off a solver. The lower one is what the informed
strategy that is returned guarantees; the upper one is p·z for a z that strategies of the uninformed
player keep above v in every cell. An allowance for rounding is taken off either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError, require_type
from equipoise.games.repeated.game import RepeatedGame
from equipoise.numerics.program import Program, optimize
from equipoise.numerics.separation import Separation, separate, solve_at
from equipoise.solvers.driver import Arrays, Hooks, Status, Stop, Watch, drive, watch
from equipoise.solvers.log import LogRow
from equipoise.solvers.repeated.cav_pieces import tangent
from equipoise.strategy.repeated import ApproachStrategy, InformedStrategy, Splitting

Floats = NDArray[np.float64]

RELATIVE_TOLERANCE = 1e-6
"""Default tolerance, in units of the range of payoffs."""
_SHARE = 0.9
"""Part of the tolerance that separation may use up; the rest is the master's."""
_NO_WEIGHT = 1e-11
"""Signals of smaller probability are dropped from a splitting."""


@dataclass(frozen=True, eq=False)
class RepeatedSolution:
    """The value of a repeated game between two bounds, and a strategy for each player.

    Attributes
    ----------
    lower, upper
        What the informed strategy guarantees, and what the uninformed one pays at most.
    splitting
        The informed player's splitting of the prior.
    hyperplane
        z with z·q >= v(q) for every q, and z·prior = upper: the uninformed player's target.
    informed, uninformed
        The strategies, ready to play.
    status
        Whether the bounds met within the tolerance, and if not, why.
    iterations, cells, seconds, cpu_seconds
        Rounds of master and separation, cells of branch and bound, and the time they took.
    log
        The bounds after every round, before signals are merged and rounding is allowed for.
    """

    game: RepeatedGame
    lower: float
    upper: float
    splitting: Splitting
    hyperplane: Floats
    informed: InformedStrategy
    uninformed: ApproachStrategy
    status: Status
    iterations: int
    cells: int
    seconds: float
    cpu_seconds: float
    log: tuple[LogRow, ...]

    def __repr__(self) -> str:
        return (
            f"<RepeatedSolution of '{self.game.name}': {self.status.value}, value {self.lower:.6g} to "
            f"{self.upper:.6g}, {self.iterations:,} iterations, {self.seconds:.3g} s>"
        )

    @property
    def value(self) -> float:
        """The middle of the bounds."""
        return 0.5 * (self.lower + self.upper)

    @property
    def gap(self) -> float:
        """Distance of the bounds: both strategies are optimal up to this."""
        return self.upper - self.lower


def solve_repeated(
    game: RepeatedGame,
    tolerance: float | None = None,
    *,
    seconds: float = math.inf,
    iterations: float = math.inf,
    cells: float = 1e6,
    **hooks: Unpack[Hooks],
) -> RepeatedSolution:
    """Bound the value of ``game`` to within ``tolerance``, with strategies that prove it.

    Parameters
    ----------
    game
        The game.
    tolerance
        Target for upper - lower, in payoffs; by default a millionth of their range. Below about
        1e-10 of the range, rounding may keep the bounds apart.
    seconds, iterations, cells
        Stop after this much wall-clock time, this many rounds of master and separation, or this many
        cells of branch and bound; the bounds hold whenever it stops.
    hooks
        As for :func:`equipoise.solvers.driver.drive`: ``monitor``, ``checkpoint``, ``resume``.
    """
    require_type("solve_repeated", game, RepeatedGame, "a repeated game")
    target = RELATIVE_TOLERANCE * game.range if tolerance is None else tolerance
    for name, limit in (("tolerance", target), ("seconds", seconds), ("cells", cells)):
        if not limit >= 0:
            raise EquipoiseError(f"solve_repeated: {name} is {limit}, expected a number >= 0.")
    stop = Stop(gap=target, seconds=seconds, iterations=iterations)
    with watch(stop) as watched:
        run = _Concavification(game, target / game.range, cells, watched)
        status, progress = drive(run, stop, watched, **hooks)
    informed, uninformed = run.strategies()
    lower, upper = informed.guarantee - game.rounding, uninformed.guarantee
    if status is Status.CONVERGED and upper - lower > target:
        status = Status.EXHAUSTED  # rounding keeps the bounds apart
    return RepeatedSolution(
        game=game,
        lower=lower,
        upper=upper,
        splitting=informed.splitting,
        hyperplane=uninformed.target,
        informed=informed,
        uninformed=uninformed,
        status=Status.CONVERGED if upper - lower <= target else status,
        iterations=run.iterations,
        cells=run.gradients,
        seconds=watched.clock.seconds,
        cpu_seconds=watched.clock.cpu_seconds,
        log=tuple(progress.rows),
    )


class _Concavification:
    """Master and separation, taking turns, in payoffs of [0, 1] and over the states that occur.

    An iteration is one round of both, and ``gradients`` counts the cells of branch and bound. Bounds
    only ever get better, so the point in hand is the best.
    """

    growing = ("points", "values")

    def __init__(self, game: RepeatedGame, tolerance: float, cells: float, watched: Watch) -> None:
        self._game, self._tolerance, self._cells, self._watch = game, tolerance, cells, watched
        self._occurs = game.prior > 0
        self._matrices = np.ascontiguousarray(game.unit_matrices[self._occurs])
        self._prior = game.prior[self._occurs] / game.prior[self._occurs].sum()
        states = len(self._prior)
        self.iterations = self.gradients = 0
        self.finished = False
        self.best: Arrays = {}
        self._points = np.vstack([np.eye(states), self._prior])
        self._hyperplane = np.ones(states)
        self._guess: Floats | None = None
        if states == 2:
            line = tangent(self._matrices, self._prior)
            self._points, self._guess = np.vstack([self._points, line.points]), line.z
        self._values = solve_at(self._matrices, self._points).lower
        self._solve_master()

    @property
    def _upper(self) -> float:
        return float(self._prior @ self._hyperplane)

    @property
    def _lower(self) -> float:
        return float(self._prior @ self._z)

    def advance(self, iterations: int) -> None:
        """Separate, add what was found to the master program, and solve it again."""
        for _ in range(iterations):
            if self.finished or self._watch.should_stop():
                return
            if self._guess is not None:
                self._separate(self._guess)
                self._guess = None
            found = None if self._is_met else self._separate(self._z)
            self.iterations += 1
            if found is None:
                return
            self._points = np.vstack([self._points, found.points])
            self._values = np.append(self._values, found.values)
            self._solve_master()
            is_stuck = not len(found.points) and not self._watch.should_stop()
            self.finished = is_stuck or self.gradients >= self._cells

    @property
    def _is_met(self) -> bool:
        return self._upper - self._lower <= self._tolerance

    def _solve_master(self) -> None:
        self._z, self._weights = master(self._points, self._values, self._prior)

    def _separate(self, z: Floats) -> Separation:
        """Find out how far ``z`` is from majorising v, and keep it if it is the best so far."""
        done = self.gradients
        found = separate(
            self._matrices,
            z,
            _SHARE * self._tolerance,
            lambda more: self._watch.should_stop() or done + more >= self._cells,
        )
        self.gradients += found.cells
        delta = max(found.bound, 0.0)
        if self._prior @ z + delta <= self._upper:
            self._hyperplane = z + delta
        return found

    def strategies(self) -> tuple[InformedStrategy, ApproachStrategy]:
        """Return the strategies that prove the bounds."""
        game, occurs = self._game, self._occurs
        posteriors = np.zeros((len(self._points), len(occurs)))
        posteriors[:, occurs] = self._points
        informed = _simplest(game, self._weights, posteriors)
        # Against a y that is optimal where a state of prior zero is impossible, that state pays at most
        # its largest entry: with this as its coordinate, z majorises v on the whole simplex.
        z = game.matrices.max(axis=(1, 2))
        z[occurs] = game.shift + game.range * self._hyperplane
        return informed, ApproachStrategy(game, z + game.rounding)

    def next_check(self) -> int:
        """Measure after every round."""
        return self.iterations + 1

    def measure(self) -> tuple[float, float]:
        """Return the master's optimum and the height of the best majorant, in payoffs."""
        shift, scale = self._game.shift, self._game.range
        return shift + scale * self._lower, shift + scale * self._upper

    def keep(self) -> None:
        """Nothing to do: the state has the best bounds."""

    def state(self) -> Arrays:
        """Return points, values there, and the best majorant."""
        return {
            "points": self._points,
            "values": self._values,
            "hyperplane": self._hyperplane,
            "guessed": np.array([self._guess is None]),
        }

    def restore(self, state: Arrays) -> None:
        """Continue with the points of before; values and bounds are what they prove."""
        self._points, self._values = np.array(state["points"]), np.array(state["values"])
        self._hyperplane = np.array(state["hyperplane"])
        if state["guessed"][0]:
            self._guess = None
        self._solve_master()


def master(points: Floats, values: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """Return the z that minimises p·z subject to z·q >= v(q) at the points, and the dual weights.

    The weights are the best splitting of the prior over the points. The unit vectors must be among
    them, or the program would be unbounded.
    """
    program = Program(c=prior, A=points, row_lower=values, lower=-np.inf)
    outcome = optimize(program, tolerance=1e-10).require_optimal("Master program of cav v")
    return outcome.x, np.maximum(outcome.dual, 0.0)


def _simplest(game: RepeatedGame, weights: Floats, posteriors: Floats) -> InformedStrategy:
    """Return the strategy of a splitting, with signals merged where that costs nothing.

    Near a point of contact a master program may hold several points that together stand for it, and
    where v is linear it may reveal what need not be revealed.
    """
    used = weights > _NO_WEIGHT
    strategy = InformedStrategy.of(game, weights[used], posteriors[used])
    while (simpler := _merged(strategy, game.rounding)) is not None:
        strategy = simpler
    return strategy


def _merged(strategy: InformedStrategy, allowance: float) -> InformedStrategy | None:
    """Return a strategy with two signals in one and no smaller guarantee, if there is any."""
    q = strategy.posteriors
    pairs = sorted(combinations(range(len(q)), 2), key=lambda ij: abs(q[ij[0]] - q[ij[1]]).sum())
    for i, j in pairs:
        pair = strategy.weights[[i, j]]
        weights, posteriors = np.delete(strategy.weights, j), np.delete(q, j, axis=0)
        weights[i], posteriors[i] = pair.sum(), pair @ q[[i, j]] / pair.sum()
        candidate = InformedStrategy.of(strategy.game, weights, posteriors)
        if candidate.guarantee >= strategy.guarantee - allowance:
            return candidate
    return None
