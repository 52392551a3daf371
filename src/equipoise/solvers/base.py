"""Two-player zero-sum games: problem, method and solution are separate things.

A :class:`Method` is a recipe; started on a sequence form it becomes a :class:`MethodRun`, which can be
advanced and asked for its current point. :func:`solve` puts it before the one driver
(:mod:`equipoise.solvers.driver`), which measures the true duality gap of what the run would return now,

    gap(x, y) = max_x' <x', A y> - min_y' <x, A y'>,

the sum of both players' best-response gains. A run works in the units of its form, in which about one is
at stake; rules, rows and solutions speak the user's (:mod:`equipoise.sequence.units`), and only this
module translates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, Unpack

import numpy as np
from numpy.typing import NDArray

from equipoise.sequence.build import SequenceForm
from equipoise.sequence.treeplex import Treeplex
from equipoise.solvers.driver import (
    Arrays,
    Hooks,
    Progress,
    Relative,
    Status,
    Stop,
    Watch,
    drive,
    watch,
)
from equipoise.solvers.log import LogRow
from equipoise.strategy.profile import Layout, Strategy

Plan = NDArray[Any]

_ROUNDING = 1e-12
"""Of sums of products in the units of a form: an equilibrium's bounds differ by so much, with either sign."""


class MethodRun(Protocol):
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


class SelfMeasuring(MethodRun, Protocol):
    """A method's run that knows its bounds, and keeps its plans to itself until they are asked for.

    The plans may be on a device, or bounds a part of the method. If those come with every iteration, it has a
    ``next_check`` of its own. If it ``keeps_nothing`` (large games have no room for a copy), its state has the point
    that is handed out in the end.
    """

    def bounds(self) -> tuple[float, float]:
        """Return what the current point proves, in the form's units and double precision."""

    def keep(self) -> None:
        """Remember the current point as the best."""

    def kept(self) -> tuple[Plan, Plan]:
        """Return the point that was remembered; of a run that ``keeps_nothing``, the last thing it is asked for."""


class Method(Protocol):
    """A recipe for solving max_x min_y <x, A y>."""

    @property
    def name(self) -> str:
        """Name as the command line spells it."""

    def start(self, form: SequenceForm, context: Context) -> MethodRun:
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


@dataclass(frozen=True, eq=False)
class Solution:
    """The best point that was measured, with its bounds, its gap and the road to it.

    The gap is the sum of both players' best-response gains in the form that was solved; ``facts`` are what the
    method says of how it went.
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
    log: tuple[LogRow, ...] = field(repr=False)
    facts: dict[str, Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return (
            f"<Solution of '{self.form.name}' by {self.method}: {self.status.value}, value "
            f"{self.lower:.6g} to {self.upper:.6g}, gap {self.gap:.3g}, "
            f"{self.iterations:,} iterations, {self.seconds:.3g} s>"
        )

    @property
    def x(self) -> Plan:
        """Player 1's plan, in double precision."""
        return in_double(self.form.X, self.plans[0])

    @property
    def y(self) -> Plan:
        """Player 2's plan, in double precision."""
        return in_double(self.form.Y, self.plans[1])

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
        return Strategy(form.name, form.fingerprint, ordered, layout, form.game, form.abstraction)


def of_inner(name: str) -> Any:
    """Return a property that is the inner run's."""
    return property(
        lambda self: getattr(self.inner, name), lambda self, value: setattr(self.inner, name, value)
    )


class Telling:
    """A run around an ``inner`` one, which has its say: what it works on, its news, and how it went."""

    inner: MethodRun

    @property
    def share(self) -> float:
        """How much of the game the method works on."""
        return float(getattr(self.inner, "share", 1.0))

    @property
    def news(self) -> str:
        """What the method has to say beside its gap."""
        return str(getattr(self.inner, "news", ""))

    def facts(self) -> dict[str, Any]:
        """Return what the method says of how it went."""
        own: Callable[[], dict[str, Any]] = getattr(self.inner, "facts", dict)
        return own()


class Around(Telling):
    """A run that does its work, and keeps its state, through an ``inner`` one."""

    iterations, gradients, finished = map(of_inner, ("iterations", "gradients", "finished"))

    def advance(self, iterations: int) -> None:
        """Advance the method."""
        self.inner.advance(iterations)

    def state(self) -> Arrays:
        """Return the method's state."""
        return self.inner.state()

    def restore(self, state: Arrays) -> None:
        """Restore the method."""
        self.inner.restore(state)


class _SaddleRun(Around):
    """A method at work, as the driver wants it: measured in the full form, in the user's units."""

    def __init__(self, form: SequenceForm, inner: MethodRun) -> None:
        self.form, self.inner = form, inner
        self.best: Arrays = {}
        self._point: tuple[Plan, Plan] | None = None

    @property
    def shift(self) -> float:
        """What player 1 is paid whatever happens, which measurements leave out."""
        return self.form.units.shift

    def next_check(self) -> int:
        """Measure at 1, 2, ..., in steps of an eighth, unless the method knows better."""
        own: Callable[[], int] | None = getattr(self.inner, "next_check", None)
        return next_check(self.inner.iterations) if own is None else own()

    def measure(self) -> tuple[float, float]:
        """Return what the current plans secure for player 1, and against her."""
        self._point = self.inner.point()
        return uncrossed(*measure(self.form, *self._point), self.form.units.unit)

    def keep(self) -> None:
        """Copy the point, over the one before: large games have no room for both."""
        assert self._point is not None
        for name, plan in zip(("x", "y"), self._point, strict=True):
            if name in self.best:
                self.best[name][:] = plan
            else:
                self.best[name] = plan.copy()

    def plans(self) -> tuple[Plan, Plan]:
        """Return the best point, in the end."""
        return self.best["x"], self.best["y"]


class _SelfMeasuredRun(_SaddleRun):
    """A method that measures itself: it keeps its plans where they are, and hands them out last."""

    inner: SelfMeasuring

    def measure(self) -> tuple[float, float]:
        """Return the method's own bounds, in the user's units."""
        unit, (lower, upper) = self.form.units.unit, self.inner.bounds()
        return uncrossed(unit * lower, unit * upper, unit)

    def keep(self) -> None:
        """Keep the point where it is."""
        self.inner.keep()
        self._best: Arrays | None = None

    @property
    def _keeps_nothing(self) -> bool:
        return bool(getattr(self.inner, "keeps_nothing", False))

    def plans(self) -> tuple[Plan, Plan]:
        """Return the point that was kept, in the end."""
        return self.inner.kept() if self._keeps_nothing else super().plans()

    @property
    def best(self) -> Arrays:
        """The point that was kept, or the one that a checkpoint brought; nothing if the state has it."""
        if self._keeps_nothing:
            return {}
        if self._best is None:
            self._best = dict(zip(("x", "y"), self.inner.kept(), strict=True))
        return self._best

    @best.setter
    def best(self, arrays: Arrays) -> None:
        self._best = arrays


def measure(form: SequenceForm, x: Plan, y: Plan) -> tuple[float, float]:
    """Return ``(min_y' <x, A y'>, max_x' <x', A y>)`` in double precision and the user's units.

    What player 1 is paid whatever happens is left out, so that the difference keeps its digits.
    """
    loss = form.A.transpose_times(in_double(form.X, x))
    np.negative(loss, loss)
    lower = -form.Y.support(loss, overwrite=True)
    del loss  # as long as a plan: large games have little room for two
    upper = form.X.support(form.A.times(in_double(form.Y, y)), overwrite=True)
    return form.units.unit * lower, form.units.unit * upper


def uncrossed(lower: float, upper: float, unit: float) -> tuple[float, float]:
    """Return bounds of a value; those that have met, and by rounding crossed, are where they met.

    Any that have crossed by more are left as they are: that would be a fault, not to be hidden.
    """
    if not 0 < lower - upper <= _ROUNDING * unit:
        return lower, upper
    middle = lower + (upper - lower) / 2
    return middle, middle


def in_double(space: Treeplex, plan: Plan) -> Plan:
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
    **hooks: Unpack[Hooks],
) -> Solution:
    """Run ``method`` on ``form`` until ``stop`` holds, and return the best point measured.

    Ctrl-C ends the solve with status ``interrupted`` and the best point so far.

    Parameters
    ----------
    form, method, stop
        What to solve, how, and when to stop (default: at a millionth of what is at stake).
    seed
        For methods that draw at random.
    hooks
        As for :func:`equipoise.solvers.driver.drive`: ``monitor``, ``checkpoint``, ``resume``.
    """
    stop = (stop or Relative(1e-6)).at(form.units.stake)
    horizon = None if math.isinf(stop.iterations) else int(stop.iterations)
    with watch(stop) as watched:
        context = Context(seed, stop.gap / form.units.unit, horizon, watched.should_stop)
        inner = method.start(form, context)
        run = (_SelfMeasuredRun if hasattr(inner, "bounds") else _SaddleRun)(form, inner)
        status, progress = drive(run, stop, watched, **hooks)
    return _solution(form, method.name, status, progress, watched, run)


def _solution(
    form: SequenceForm,
    method: str,
    status: Status,
    progress: Progress,
    watched: Watch,
    run: _SaddleRun,
) -> Solution:
    """Wrap up the best point of ``progress``."""
    assert progress.best is not None
    best, clock = progress.best, watched.clock
    return Solution(
        form=form,
        method=method,
        status=status,
        plans=run.plans(),
        lower=best.lower,
        upper=best.upper,
        gap=best.gap,
        iterations=run.iterations,
        gradients=run.gradients,
        seconds=clock.seconds,
        cpu_seconds=clock.cpu_seconds,
        log=tuple(progress.rows),
        facts=run.facts(),
    )
