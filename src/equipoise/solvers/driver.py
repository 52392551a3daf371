"""The one loop that drives every solver: advance, measure, stop, and lose nothing on the way.

A :class:`Run` is a solver at work on one problem, whatever the family of games: it can be advanced,
asked what it would return now and how good that is, saved and restored. :func:`drive` does the rest, for
all of them alike: clock, Ctrl-C, stop rules, log, progress, checkpoints, resume, status. Measurements
fall at iterations that depend on nothing but the iteration count, and never feed back into the run, so an
interrupted and resumed solve ends where an uninterrupted one does.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from numbers import Real
from typing import Any, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError, require_type
from equipoise.numerics.clock import Clock, catch_interrupt
from equipoise.solvers.log import LogRow, log_array, log_rows, require_log

Arrays = dict[str, NDArray[Any]]

_LARGEST = sys.float_info.max
# No number of a run comes near it, and products of two that are smaller are floats.
_LARGE = 1e150


class Run(Protocol):
    """A solver at work: it gets better step by step, and knows how good it is.

    Arrays of :meth:`state` whose names are in ``growing``, if a run has that, may grow longer; a run that works
    on a part of its game may say on which ``share``, and one whose bounds leave out what is paid whatever happens,
    so that their difference keeps its digits, by which ``shift`` to move them.
    ``gradients`` counts the work done, in whatever the solver counts; ``best`` is the best point that
    was measured (empty before :meth:`keep`).
    """

    iterations: int
    gradients: int
    finished: bool
    best: Arrays

    def advance(self, iterations: int) -> None:
        """Do up to this many iterations."""

    def next_check(self) -> int:
        """Return the iteration at which to measure next."""

    def measure(self) -> tuple[float, float] | None:
        """Return bounds of what is sought, in the user's units, as the current point proves them.

        Their difference is the gap: what the players together could still gain. Where measuring takes
        long, a run that was told to stop meanwhile may return nothing.
        """

    def keep(self) -> None:
        """Put the point just measured into ``best``: it is the best so far."""

    def state(self) -> Arrays:
        """Return everything needed to continue, as arrays."""

    def restore(self, state: Arrays) -> None:
        """Continue from ``state``."""


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
        for name, most in (
            ("gap", _LARGEST),
            ("relative", _LARGEST),
            ("iterations", math.inf),
            ("seconds", math.inf),
        ):
            value = getattr(self, name)
            require_type(f"Stop rule: {name}", value, Real, "a number >= 0")
            if not 0 <= value <= most:
                finite = "finite " if most < math.inf else ""
                raise EquipoiseError(
                    f"Stop rule: {name} is {value}, expected a {finite}number >= 0."
                )

    def __or__(self, other: Stop) -> Stop:
        return Stop(
            gap=max(self.gap, other.gap),
            iterations=min(self.iterations, other.iterations),
            seconds=min(self.seconds, other.seconds),
            relative=max(self.relative, other.relative),
        )

    def at(self, stake: float) -> Stop:
        """Return the same rule for a game in which this much is at stake, with no relative gap."""
        return replace(self, gap=min(max(self.gap, self.relative * stake), _LARGEST), relative=0.0)


def Gap(gap: float) -> Stop:
    """Stop when the gap is at most ``gap``."""
    return Stop(gap=gap)


def Relative(share: float) -> Stop:
    """Stop when the gap is at most this part of the largest minus the smallest payoff."""
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
        return _REMEDIES[self] + _RESUMED.get(self, "")

    @property
    def remedy_unsaved(self) -> str:
        """What she can do who has saved nothing."""
        return _REMEDIES[self]


_REMEDIES = {
    Status.CONVERGED: "the gap target is met",
    Status.EXHAUSTED: "the method, or double precision, can do no better; try another or a larger gap",
    Status.ITERATION_LIMIT: "gap above target: raise --iterations",
    Status.TIME_LIMIT: "gap above target: raise --time",
    Status.INTERRUPTED: "stopped by the user",
    Status.UNCERTIFIED: "gap above target in the full game: solve a finer model of it",
}
_RESUMED = {
    Status.ITERATION_LIMIT: ", or --resume from this run",
    Status.TIME_LIMIT: ", or --resume from this run",
    Status.INTERRUPTED: ": --resume continues from here",
}


@dataclass
class Progress:
    """A solve in progress: what a checkpoint holds and a monitor sees."""

    run: Run
    rows: list[LogRow] = field(default_factory=list)
    best: LogRow | None = None

    @property
    def gap(self) -> float:
        """Smallest gap measured so far."""
        return math.inf if self.best is None else self.best.gap

    @property
    def is_checked(self) -> bool:
        """Whether the run has been measured where it stands."""
        return bool(self.rows) and self.rows[-1].iterations == self.run.iterations

    def check(self, clock: Clock) -> None:
        """Measure the run where it stands, and let it keep its point if that is the best.

        A run that has no time left for it is not measured there.
        """
        bounds = self.run.measure()
        if bounds is None:
            return
        lower, upper = bounds
        shift = getattr(self.run, "shift", 0.0)
        row = LogRow(
            self.run.iterations,
            self.run.gradients,
            shift + lower,
            shift + upper,
            clock.seconds,
            clock.cpu_seconds,
            getattr(self.run, "share", 1.0),
            upper - lower,
        )
        self.rows.append(row)
        if self.best is None or row.gap < self.best.gap:
            self.run.keep()
            self.best = row

    def state(self) -> Arrays:
        """Return the run's state, its best point and the log as one dictionary of arrays."""
        arrays = {f"run.{name}": array for name, array in self.run.state().items()}
        arrays["run_counters"] = np.array([self.run.iterations, self.run.gradients])
        arrays["log"] = log_array(self.rows)
        if self.best is not None:
            arrays |= {f"best.{name}": array for name, array in self.run.best.items()}
            arrays["best_row"] = log_array([self.best])
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned."""
        own = named(arrays, "run.")
        _require_alike(own, self.run.state(), getattr(self.run, "growing", ()))
        require_log(arrays)
        self.run.restore(own)
        self.run.iterations, self.run.gradients = (int(n) for n in arrays["run_counters"])
        self.rows[:] = log_rows(arrays["log"])
        if "best_row" in arrays:
            self.run.best = {k: np.array(v) for k, v in named(arrays, "best.").items()}
            (self.best,) = log_rows(arrays["best_row"])


def named(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Arrays:
    """Return the arrays whose names begin with ``prefix``, which is dropped."""
    return {k[len(prefix) :]: v for k, v in arrays.items() if k.startswith(prefix)}


def require_sizes(above: Mapping[str, float], least: Mapping[str, float] | None = None) -> None:
    """Raise unless the numbers of a run's state are ``above`` zero, or at ``least`` zero, and their products floats."""
    for floor, numbers in ("> 0", above), (">= 0", least or {}):
        for name, number in numbers.items():
            if not 0 <= number < _LARGE or (number == 0 and floor == "> 0"):
                raise EquipoiseError(
                    f"Checkpoint: {name} is {number:g}, expected a number {floor} below {_LARGE:g}: "
                    "solve without --resume."
                )


def _require_alike(found: Arrays, fresh: Arrays, growing: Collection[str]) -> None:
    """Raise unless ``found`` has the arrays of a ``fresh`` run, with finite numbers where it has.

    Arrays that are ``growing`` may be longer.
    """
    if found.keys() != fresh.keys():
        raise EquipoiseError(
            f"Checkpoint: found arrays {sorted(found)} of the run, expected {sorted(fresh)}."
        )
    for name, new in fresh.items():
        old = found[name]
        has_grown = name in growing and old.ndim == new.ndim and len(old) > len(new)
        shape = (len(old), *new.shape[1:]) if has_grown else new.shape
        if old.shape != shape or old.dtype != new.dtype:
            raise EquipoiseError(
                f"Checkpoint: array {name} has type {old.dtype} and shape {old.shape}, expected "
                f"{new.dtype} and {shape}."
            )
        if np.isnan(old).any() or (np.isfinite(new).all() and not np.isfinite(old).all()):
            raise EquipoiseError(
                f"Checkpoint: array {name} has a number that is not finite, expected finite ones."
            )


@dataclass(frozen=True)
class Watch:
    """The clock of a solve and the user's Ctrl-C, for whoever works inside it."""

    clock: Clock
    interrupted: Callable[[], bool]

    def should_stop(self) -> bool:
        """Say whether to drop everything: the time is up, or the user wants it."""
        return self.interrupted() or self.clock.is_over()


@contextmanager
def watch(stop: Stop) -> Iterator[Watch]:
    """Start the clock and catch Ctrl-C while the block runs."""
    clock = Clock(stop.seconds)
    with catch_interrupt() as interrupted:
        yield Watch(clock, interrupted)


Monitor = Callable[[Progress], None]


Checkpoint = Callable[[Arrays], None]


class Hooks(TypedDict, total=False):
    """What solvers hand on to :func:`drive` as it is."""

    monitor: Monitor | None
    checkpoint: Checkpoint | None
    checkpoint_seconds: float
    resume: Arrays | None


def drive(
    run: Run,
    stop: Stop,
    watch: Watch,
    *,
    monitor: Monitor | None = None,
    checkpoint: Checkpoint | None = None,
    checkpoint_seconds: float = 30.0,
    resume: Arrays | None = None,
) -> tuple[Status, Progress]:
    """Advance ``run`` until ``stop`` holds; return why it ended and how it went.

    Parameters
    ----------
    run, stop, watch
        What to drive, when to stop (in the user's units), and the clock and interrupt around it.
    monitor
        Called several times a second with the solve in progress, to show it.
    checkpoint, checkpoint_seconds
        Called about this often, and when the solve ends short of its target, with the arrays from
        which ``resume`` continues.
    resume
        Arrays that ``checkpoint`` was given.
    """
    progress, clock = Progress(run), watch.clock
    if resume is not None:
        progress.restore(resume)
        clock.continue_from(progress)
    saver = _Saver(checkpoint, checkpoint_seconds)
    while not _is_done(progress, stop, watch):
        scheduled = run.next_check()
        target = min(scheduled, stop.iterations)
        while run.iterations < target and not run.finished and not watch.should_stop():
            # Here a scheduled measurement has been made, so that no resume leaves it out.
            saver.perhaps(progress)
            clock.advance(run, int(target) - run.iterations)
            if monitor is not None:
                monitor(progress)
        if run.iterations == scheduled and not run.finished:
            progress.check(clock)
            if monitor is not None:
                monitor(progress)
    status = _status(progress, stop, watch.interrupted())
    if status is not Status.CONVERGED:
        saver.save(progress)
    if not progress.is_checked:
        progress.check(clock)
        status = Status.CONVERGED if progress.gap <= stop.gap else status
    return status, progress


def _is_done(progress: Progress, stop: Stop, watch: Watch) -> bool:
    """Say whether any reason to stop holds."""
    run = progress.run
    is_met = progress.gap <= stop.gap
    return is_met or run.iterations >= stop.iterations or run.finished or watch.should_stop()


def _status(progress: Progress, stop: Stop, interrupted: bool) -> Status:
    """Name the reason for which the loop ended, the best news first."""
    if progress.gap <= stop.gap:
        return Status.CONVERGED
    if interrupted:
        return Status.INTERRUPTED
    if progress.run.iterations >= stop.iterations:
        return Status.ITERATION_LIMIT
    return Status.EXHAUSTED if progress.run.finished else Status.TIME_LIMIT


class _Saver:
    """Calls a checkpoint function, not more often than it was asked to."""

    def __init__(self, function: Checkpoint | None, every: float) -> None:
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
