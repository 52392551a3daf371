"""The value of a repeated game with incomplete information on one side, certified from both sides.

By duality, the concavification of v at the prior is the least value there of a linear majorant,

    cav v(p) = min { p·z : z·q >= v(q) for all q in the simplex }.

A master program asks this only of the points q found so far. Its dual is a splitting of p over those
points, weights lambda_i with sum_i lambda_i q^i = p, and the optimum sum_i lambda_i v(q^i) is a lower
bound. Separation (:mod:`equipoise.solvers.repeated.cav_separation`) bounds by some delta how far its z is
from majorising v everywhere: then z + delta does, and p·z + delta is an upper bound. Points where v is
above z join the master, until the two bounds meet. The problem and the strategies are those of Gilpin
2009, chapter 11; the method replaces the grid there (:mod:`equipoise.solvers.repeated.cav_grid`).

Both bounds are evaluated from strategies, never read off a solver. The lower one is what the informed
strategy that is returned guarantees; the upper one is p·z for a z that strategies of the uninformed
player keep above v in every cell. An allowance for rounding is taken off either.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.repeated.game import RepeatedGame
from equipoise.numerics.program import Program, optimize
from equipoise.solvers.driver import Status
from equipoise.solvers.repeated.cav_pieces import tangent
from equipoise.solvers.repeated.cav_separation import Separation, separate, solve_at
from equipoise.strategy.repeated import ApproachStrategy, InformedStrategy

Floats = NDArray[np.float64]

RELATIVE_TOLERANCE = 1e-6
"""Default tolerance, in units of the range of payoffs."""
_SHARE = 0.9
"""Part of the tolerance that separation may use up; the rest is the master's."""
_NO_WEIGHT = 1e-11
"""Signals of smaller probability are dropped from a splitting."""


@dataclass(frozen=True)
class Round:
    """One line of the log: the bounds after a master program and its separation."""

    lower: float
    upper: float
    points: int
    cells: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Splitting:
    """Probabilities of the signals, the belief after each, and v there; the beliefs average to p."""

    weights: Floats
    posteriors: Floats
    values: Floats


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
    rounds
        The log.
    """

    game: RepeatedGame
    lower: float
    upper: float
    splitting: Splitting
    hyperplane: Floats
    informed: InformedStrategy
    uninformed: ApproachStrategy
    status: Status
    rounds: tuple[Round, ...]

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
    cells: float = 1e6,
    monitor: Callable[[Round], None] | None = None,
) -> RepeatedSolution:
    """Bound the value of ``game`` to within ``tolerance``, with strategies that prove it.

    Parameters
    ----------
    game
        The game.
    tolerance
        Target for upper - lower, in payoffs; by default a millionth of their range. Below about
        1e-10 of the range, rounding may keep the bounds apart.
    seconds, cells
        Stop after this much wall-clock time, or this many cells of branch and bound; the bounds hold
        whenever it stops.
    monitor
        Called with every row of the log.
    """
    target = RELATIVE_TOLERANCE * game.range if tolerance is None else tolerance
    for name, limit in (("tolerance", target), ("seconds", seconds), ("cells", cells)):
        if not limit >= 0:
            raise EquipoiseError(f"solve_repeated: {name} is {limit}, expected a number >= 0.")
    occurs = game.prior > 0
    cav = _Concavification(game, occurs, _Limits(seconds, cells), monitor)
    status = cav.run(target / game.range)
    posteriors = np.zeros((len(cav.points), len(occurs)))
    posteriors[:, occurs] = cav.points
    informed = _simplest(game, cav.weights, posteriors)
    rounding = _rounding(game)
    # Against a y that is optimal where a state of prior zero is impossible, that state pays at most
    # its largest entry: with this as its coordinate, z majorises v on the whole simplex.
    z = game.matrices.max(axis=(1, 2))
    z[occurs] = game.shift + game.range * cav.hyperplane
    uninformed = ApproachStrategy(game, z + rounding)
    lower, upper = informed.guarantee - rounding, uninformed.guarantee
    return RepeatedSolution(
        game=game,
        lower=lower,
        upper=upper,
        splitting=Splitting(
            informed.weights, informed.posteriors, game.values(informed.posteriors)
        ),
        hyperplane=uninformed.target,
        informed=informed,
        uninformed=uninformed,
        status=Status.CONVERGED if upper - lower <= target else status,
        rounds=tuple(cav.rounds),
    )


class _Limits:
    """How long a solve may go on."""

    def __init__(self, seconds: float, cells: float) -> None:
        self._seconds, self._cells = seconds, cells
        self._begin = time.perf_counter()

    @property
    def elapsed(self) -> float:
        """Wall-clock seconds since the start."""
        return time.perf_counter() - self._begin

    def status(self, cells: int) -> Status | None:
        """Return the limit that is reached, if any."""
        if self.elapsed >= self._seconds:
            return Status.TIME_LIMIT
        return Status.ITERATION_LIMIT if cells >= self._cells else None


class _Concavification:
    """Master and separation, taking turns, in payoffs of [0, 1] and over the states that occur."""

    def __init__(
        self,
        game: RepeatedGame,
        occurs: NDArray[np.bool_],
        limits: _Limits,
        monitor: Callable[[Round], None] | None,
    ) -> None:
        self._game, self._limits, self._monitor = game, limits, monitor
        self._matrices = np.ascontiguousarray(game.unit_matrices[occurs])
        self._prior = game.prior[occurs] / game.prior[occurs].sum()
        states = len(self._prior)
        self.points = np.vstack([np.eye(states), self._prior])
        self.hyperplane = np.ones(states)
        self.rounds: list[Round] = []
        self._upper, self._cells = 1.0, 0
        self._guess: Floats | None = None
        if states == 2:
            line = tangent(self._matrices, self._prior)
            self.points, self._guess = np.vstack([self.points, line.points]), line.z
        self._values = solve_at(self._matrices, self.points).lower

    def run(self, tolerance: float) -> Status:
        """Go on until the bounds are within ``tolerance``, or for as long as allowed."""
        if self._guess is not None:
            self._separate(self._guess, _SHARE * tolerance)
        while True:
            z, self.weights = master(self.points, self._values, self._prior)
            lower = float(self._prior @ z)
            is_met = self._upper - lower <= tolerance
            found = None if is_met else self._separate(z, _SHARE * tolerance)
            self._log(lower)
            if found is None or self._upper - lower <= tolerance:
                return Status.CONVERGED
            if not len(found.points):
                return self._limits.status(self._cells) or Status.EXHAUSTED
            self.points = np.vstack([self.points, found.points])
            self._values = np.append(self._values, found.values)
            limit = self._limits.status(self._cells)
            if limit is not None:
                _, self.weights = master(self.points, self._values, self._prior)
                return limit

    def _separate(self, z: Floats, tolerance: float) -> Separation:
        """Find out how far ``z`` is from majorising v, and keep it if it is the best so far."""
        done = self._cells
        found = separate(
            self._matrices, z, tolerance, lambda more: bool(self._limits.status(done + more))
        )
        self._cells += found.cells
        delta = max(found.bound, 0.0)
        if self._prior @ z + delta <= self._upper:
            self._upper, self.hyperplane = float(self._prior @ z + delta), z + delta
        return found

    def _log(self, lower: float) -> None:
        shift, scale = self._game.shift, self._game.range
        bounds = shift + scale * lower, shift + scale * self._upper
        row = Round(*bounds, len(self.points), self._cells, self._limits.elapsed)
        self.rounds.append(row)
        if self._monitor is not None:
            self._monitor(row)


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
    while (simpler := _merged(strategy, _rounding(game))) is not None:
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


def _rounding(game: RepeatedGame) -> float:
    """Bound the rounding error of evaluating a bound: sums of at most 2 (K + m + n) products."""
    largest = float(np.abs(game.matrices).max()) + game.range
    return 8 * sum(game.matrices.shape) * float(np.finfo(np.float64).eps) * largest
