"""The one solve loop: problem, method, stop rule and solution are separate things.

A :class:`Method` is a recipe; started on a sequence form it becomes a :class:`Run`, which can be
advanced, asked for its current point, saved and restored. :func:`solve` drives it: it advances,
measures the true duality gap of what the run would return now,

    gap(x, y) = max_x' <x', A y> - min_y' <x, A y'>,

the sum of both players' best-response gains, and stops when a rule says so. A run works in the units of
its form, in which about one is at stake; rules, rows and solutions speak the user's
(:mod:`equipoise.sequence.units`), and only this module translates. Measurements fall at
iterations that depend on nothing but the iteration count, and never feed back into the run, so an
interrupted and resumed solve ends with the same strategy, bit for bit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.clock import Clock, catch_interrupt
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.treeplex import Treeplex
from equipoise.strategy.profile import Layout, Strategy

Plan = NDArray[Any]
Arrays = dict[str, NDArray[Any]]


class Run(Protocol):
    """A method at work on one form."""

    iterations: int
    gradients: int
    finished: bool

    def advance(self, iterations: int) -> None:
        """Do up to this many iterations."""

    def point(self) -> tuple[Plan, Plan]:
        """Return the realization plans that the method would return now."""

    def state(self) -> Arrays:
        """Return everything needed to continue, as arrays."""

    def restore(self, state: Arrays) -> None:
        """Continue from ``state``."""


class Method(Protocol):
    """A recipe for solving max_x min_y <x, A y>."""

    @property
    def name(self) -> str:
        """Name as the command line spells it."""

    def start(self, form: SequenceForm, context: Context) -> Run:
        """Return a run at iteration zero."""


@dataclass(frozen=True)
class Context:
    """What a run may know of the solve around it; ``start`` is a point to begin from.

    The ``target`` is a gap in the form's units.
    """

    seed: int = 0
    target: float = 0.0
    horizon: int | None = None
    should_stop: Callable[[], bool] = lambda: False
    start: tuple[Plan, Plan] | None = None


@dataclass(frozen=True)
class Stop:
    """When to stop; rules combine with ``|`` and whichever holds first ends the solve.

    A gap may be given in the game's own units, or, as ``relative``, in parts of what is at stake.
    """

    gap: float = 0.0
    iterations: float = math.inf
    seconds: float = math.inf
    relative: float = 0.0

    def __post_init__(self) -> None:
        for name in ("gap", "iterations", "seconds", "relative"):
            value = getattr(self, name)
            if not value >= 0:
                raise EquipoiseError(f"Stop rule: {name} is {value}, expected a number >= 0.")

    def __or__(self, other: Stop) -> Stop:
        return Stop(
            gap=max(self.gap, other.gap),
            iterations=min(self.iterations, other.iterations),
            seconds=min(self.seconds, other.seconds),
            relative=max(self.relative, other.relative),
        )

    def at(self, stake: float) -> Stop:
        """Return the same rule for a game in which this much is at stake, with no relative gap."""
        return replace(self, gap=max(self.gap, self.relative * stake), relative=0.0)


def Gap(gap: float) -> Stop:
    """Stop when the duality gap is at most ``gap``."""
    return Stop(gap=gap)


def Relative(share: float) -> Stop:
    """Stop when the duality gap is at most this part of the largest minus the smallest payoff."""
    return Stop(relative=share)


def Iterations(iterations: int) -> Stop:
    """Stop after this many iterations."""
    return Stop(iterations=iterations)


def Time(seconds: float) -> Stop:
    """Stop after this much wall-clock time."""
    return Stop(seconds=seconds)


class Status(Enum):
    """Why a solve ended, each with what to do about it."""

    CONVERGED = "converged"
    EXHAUSTED = "exhausted"
    ITERATION_LIMIT = "iteration limit"
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"
    UNCERTIFIED = "uncertified"

    @property
    def remedy(self) -> str:
        """What a user can do about this status."""
        return _REMEDIES[self]


_REMEDIES = {
    Status.CONVERGED: "the gap target is met",
    Status.EXHAUSTED: "the method, or double precision, can do no better; try another or a larger gap",
    Status.ITERATION_LIMIT: "gap above target: raise --iterations, or --resume from this run",
    Status.TIME_LIMIT: "gap above target: raise --time, or --resume from this run",
    Status.INTERRUPTED: "stopped by the user: --resume continues from here",
    Status.UNCERTIFIED: "gap above target in the full game: solve a finer model of it",
}


@dataclass(frozen=True)
class Row:
    """One line of the log: where the run stood when its gap was measured.

    Bounds are in the user's units, above what player 1 is paid whatever happens (the units' shift).
    """

    iterations: int
    gradients: int
    lower: float
    upper: float
    seconds: float
    cpu_seconds: float

    @property
    def gap(self) -> float:
        """Sum of both players' best-response gains."""
        return self.upper - self.lower


@dataclass(frozen=True, eq=False)
class Solution:
    """The best point that was measured, with its bounds, its gap and the road to it.

    The gap is the sum of both players' best-response gains in the form that was solved.
    """

    form: SequenceForm = field(repr=False)
    method: str
    status: Status
    plans: tuple[Plan, Plan] = field(repr=False)
    lower: float
    upper: float
    gap: float
    iterations: int
    gradients: int
    seconds: float
    cpu_seconds: float
    log: tuple[Row, ...] = field(repr=False)

    def __repr__(self) -> str:
        return (
            f"<Solution of '{self.form.name}' by {self.method}: {self.status.value}, value "
            f"{self.lower:.6g} to {self.upper:.6g}, gap {self.gap:.3g}, "
            f"{self.iterations:,} iterations, {self.seconds:.3g} s>"
        )

    @property
    def x(self) -> Plan:
        """Player 1's plan, in double precision."""
        return _double(self.form.X, self.plans[0])

    @property
    def y(self) -> Plan:
        """Player 2's plan, in double precision."""
        return _double(self.form.Y, self.plans[1])

    @cached_property
    def value(self) -> float:
        """What player 1 earns: between the bounds."""
        units = self.form.units
        return units.shift + units.unit * float(self.x @ self.form.A.times(self.y))

    @property
    def strategy(self) -> Strategy:
        """The behaviour strategies of both players, in the game's own order."""
        form = self.form
        if form.canonical is None or form.tree is None:
            behaviour = (form.X.behaviour(self.x), form.Y.behaviour(self.y))
            return Strategy(form.name, form.fingerprint, behaviour, source=form.game)
        ordered = (
            form.X.behaviour(self.x)[form.canonical(0)],
            form.Y.behaviour(self.y)[form.canonical(1)],
        )
        layout = Layout.of(form.tree, form.buckets)
        return Strategy(form.name, form.fingerprint, ordered, layout, form.game)


@dataclass
class Progress:
    """A solve in progress: what a checkpoint holds and a monitor sees."""

    run: Run
    rows: list[Row]
    best: tuple[Plan, Plan] | None = None
    best_row: Row | None = None

    @property
    def gap(self) -> float:
        """Smallest gap measured so far."""
        return math.inf if self.best_row is None else self.best_row.gap

    @property
    def is_checked(self) -> bool:
        """Whether the run has been measured where it stands."""
        return bool(self.rows) and self.rows[-1].iterations == self.run.iterations

    def check(self, form: SequenceForm, clock: Clock) -> None:
        """Measure the gap of the run's current point and keep the point if it is the best."""
        x, y = self.run.point()
        lower, upper = measure(form, x, y)
        row = Row(
            self.run.iterations, self.run.gradients, lower, upper, clock.seconds, clock.cpu_seconds
        )
        self.rows.append(row)
        if self.best_row is None or row.gap < self.best_row.gap:
            self._keep(x, y)
            self.best_row = row

    def _keep(self, x: Plan, y: Plan) -> None:
        """Copy the best point, over the one before: large games have no room for both."""
        if self.best is None:
            self.best = x.copy(), y.copy()
        else:
            for kept, plan in zip(self.best, (x, y), strict=True):
                np.copyto(kept, plan)

    def state(self) -> Arrays:
        """Return the run's state, the best point and the log as one dictionary of arrays."""
        arrays = {f"run.{name}": array for name, array in self.run.state().items()}
        arrays["run_counters"] = np.array([self.run.iterations, self.run.gradients])
        arrays["log"] = log_array(self.rows)
        if self.best is not None and self.best_row is not None:
            arrays["best.x"], arrays["best.y"] = self.best
            arrays["best_row"] = log_array([self.best_row])
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned."""
        prefix = "run."
        own = {k[len(prefix) :]: v for k, v in arrays.items() if k.startswith(prefix)}
        _require_alike(own, self.run.state())
        self.run.restore(own)
        self.run.iterations, self.run.gradients = (int(n) for n in arrays["run_counters"])
        self.rows[:] = log_rows(arrays["log"])
        if "best.x" in arrays:
            self.best = np.array(arrays["best.x"]), np.array(arrays["best.y"])
            (self.best_row,) = log_rows(arrays["best_row"])


def _require_alike(found: Arrays, fresh: Arrays) -> None:
    """Raise unless ``found`` has the arrays of a ``fresh`` run, with finite numbers where it has."""
    if found.keys() != fresh.keys():
        raise EquipoiseError(
            f"Checkpoint: found arrays {sorted(found)} of the run, expected {sorted(fresh)}."
        )
    for name, new in fresh.items():
        old = found[name]
        if old.shape != new.shape or old.dtype != new.dtype:
            raise EquipoiseError(
                f"Checkpoint: array {name} has type {old.dtype} and shape {old.shape}, expected "
                f"{new.dtype} and {new.shape}."
            )
        if np.isnan(old).any() or (np.isfinite(new).all() and not np.isfinite(old).all()):
            raise EquipoiseError(
                f"Checkpoint: array {name} has a number that is not finite, expected finite ones."
            )


def log_array(rows: list[Row] | tuple[Row, ...]) -> NDArray[np.float64]:
    """Return the log as an array, one row a measurement, columns as in :class:`Row`."""
    table = [[r.iterations, r.gradients, r.lower, r.upper, r.seconds, r.cpu_seconds] for r in rows]
    return np.array(table, dtype=np.float64).reshape(-1, 6)


def log_rows(array: NDArray[np.float64]) -> list[Row]:
    """Return the rows of a :func:`log_array`."""
    return [Row(int(r[0]), int(r[1]), *(float(v) for v in r[2:])) for r in array]


def measure(form: SequenceForm, x: Plan, y: Plan) -> tuple[float, float]:
    """Return ``(min_y' <x, A y'>, max_x' <x', A y>)`` in double precision and the user's units.

    What player 1 is paid whatever happens is left out, so that the difference keeps its digits.
    """
    loss = form.A.transpose_times(_double(form.X, x))
    np.negative(loss, loss)
    lower = -form.Y.support(loss, overwrite=True)
    del loss  # as long as a plan: large games have little room for two
    upper = form.X.support(form.A.times(_double(form.Y, y)), overwrite=True)
    return form.units.unit * lower, form.units.unit * upper


def _double(space: Treeplex, plan: Plan) -> Plan:
    """Return ``plan`` in double precision; a single-precision one is made exactly feasible first."""
    if plan.dtype == np.float64:
        return plan
    exact = plan.astype(np.float64)
    return space.plan(space.behaviour(exact, exact), exact)


def next_check(iterations: int) -> int:
    """Return the first scheduled measurement after ``iterations``: 1, 2, ..., steps of an eighth."""
    check = 0
    while check <= iterations:
        check += 1 + check // 8
    return check


def solve(
    form: SequenceForm,
    method: Method,
    stop: Stop | None = None,
    *,
    seed: int = 0,
    monitor: Callable[[Progress], None] | None = None,
    checkpoint: Callable[[Arrays], None] | None = None,
    checkpoint_seconds: float = 30.0,
    resume: Arrays | None = None,
) -> Solution:
    """Run ``method`` on ``form`` until ``stop`` holds, and return the best point measured.

    Parameters
    ----------
    form, method, stop
        What to solve, how, and when to stop (default: at a millionth of what is at stake).
    seed
        For methods that draw at random.
    monitor
        Called several times a second with the solve in progress, to show it.
    checkpoint, checkpoint_seconds
        Called about this often, and when the solve ends short of its target, with the arrays from
        which ``resume`` continues.
    resume
        Arrays that ``checkpoint`` was given.

    Ctrl-C ends the solve with status ``interrupted`` and the best point so far.
    """
    stop = (stop or Relative(1e-6)).at(form.units.stake)
    clock = Clock(stop.seconds)
    with catch_interrupt() as interrupted:
        horizon = None if math.isinf(stop.iterations) else int(stop.iterations)

        def halt() -> bool:
            return interrupted() or clock.is_over()

        context = Context(seed, stop.gap / form.units.unit, horizon, halt)
        progress = Progress(method.start(form, context), [])
        if resume is not None:
            progress.restore(resume)
            clock.continue_from(progress)
        saver = _Saver(checkpoint, checkpoint_seconds)
        while not _is_done(progress, stop, halt):
            run, target = progress.run, min(next_check(progress.run.iterations), stop.iterations)
            while run.iterations < target and not run.finished and not halt():
                # Here a scheduled measurement has been made, so that no resume leaves it out.
                saver.perhaps(progress)
                clock.advance(run, int(target) - run.iterations)
                if monitor is not None:
                    monitor(progress)
            if run.iterations == next_check(run.iterations - 1) and not run.finished:
                progress.check(form, clock)
        status = _status(progress, stop, interrupted())
        if status is not Status.CONVERGED:
            saver.save(progress)
        if not progress.is_checked:
            progress.check(form, clock)
            status = Status.CONVERGED if progress.gap <= stop.gap else status
    return _solution(form, method.name, status, progress, clock)


def _is_done(progress: Progress, stop: Stop, halt: Callable[[], bool]) -> bool:
    """Say whether any reason to stop holds."""
    run = progress.run
    return progress.gap <= stop.gap or run.iterations >= stop.iterations or run.finished or halt()


def _status(progress: Progress, stop: Stop, interrupted: bool) -> Status:
    """Name the reason for which the loop ended, the best news first."""
    if progress.gap <= stop.gap:
        return Status.CONVERGED
    if interrupted:
        return Status.INTERRUPTED
    if progress.run.iterations >= stop.iterations:
        return Status.ITERATION_LIMIT
    return Status.EXHAUSTED if progress.run.finished else Status.TIME_LIMIT


def _solution(
    form: SequenceForm, method: str, status: Status, progress: Progress, clock: Clock
) -> Solution:
    """Wrap up the best point of ``progress``."""
    assert progress.best is not None
    assert progress.best_row is not None
    best, shift = progress.best_row, form.units.shift
    return Solution(
        form=form,
        method=method,
        status=status,
        plans=progress.best,
        lower=shift + best.lower,
        upper=shift + best.upper,
        gap=best.gap,
        iterations=progress.run.iterations,
        gradients=progress.run.gradients,
        seconds=clock.seconds,
        cpu_seconds=clock.cpu_seconds,
        log=tuple(progress.rows),
    )


class _Saver:
    """Calls a checkpoint function, not more often than it was asked to."""

    def __init__(self, function: Callable[[Arrays], None] | None, every: float) -> None:
        self._function, self._every, self._last = function, every, time.monotonic()

    def perhaps(self, progress: Progress) -> None:
        """Save if the last time is long enough ago."""
        if self._function is not None and time.monotonic() - self._last >= self._every:
            self.save(progress)

    def save(self, progress: Progress) -> None:
        """Save now."""
        if self._function is not None:
            self._function(progress.state())
            self._last = time.monotonic()
