"""Equilibria of Bayesian games from qualitative models (Ganzfried and Sandholm 2010).

    answer = qualitative(game, models)
    proof = equipoise.certificates.bayesian.certify_bayesian(game, answer.regions.profile(game))

Three programs are tried, each only if the one before has no solution: every region of the chosen model
non-empty (as in Ganzfried and Sandholm 2010); regions that may be empty; and, so that a wrong model still
gets an answer, the profile whose preferences fail by the least. What is found is then *polished*:
Newton's method on the exact indifference equations, from rules and distributions rather than from the
program, takes thresholds to machine precision, also where products were piecewise linear.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.bayesian.game import SignalGame
from equipoise.games.bayesian.parametric import ParametricModel
from equipoise.numerics.clock import Deadline, TimeUpError
from equipoise.numerics.encodings import Encoding, Model
from equipoise.solvers.bayesian.milfp import STAGES, Milfp, Stage
from equipoise.solvers.bayesian.polish import polish
from equipoise.solvers.driver import Arrays, Hooks, Status, Stop, drive, watch
from equipoise.solvers.log import LogRow
from equipoise.strategy.regions import Regions, interim

Floats = NDArray[np.float64]
Solver = Literal["highs", "scip"]
SOLVERS: tuple[Solver, ...] = ("highs", "scip")

ZERO = 1e-7
"""Preferences that fail by no more than this are taken to hold: the solver's own tolerance."""


@dataclass(frozen=True)
class Products:
    """What becomes of products of probabilities, from three players on (section 7.3).

    With HiGHS they are piecewise linear through ``breakpoints`` points, chosen by ``encoding``; SCIP
    takes them as they are.
    """

    breakpoints: int = 17
    encoding: Encoding = "logarithmic"
    solver: Solver = "highs"

    def model(self, deadline: Deadline | None = None) -> Model:
        """Return an empty model that treats products so, to be filled until the deadline."""
        if self.solver == "scip":
            from equipoise.numerics.scip import ScipModel

            return ScipModel(deadline=deadline)
        return Model(self.breakpoints, self.encoding, deadline)


PIECEWISE = Products()

COARSEST = 5
"""So many breakpoints are tried when more of them take too long."""

_POINTS = 32  # of a cell, at which gains are measured; where nobody gains, they are all zero


@dataclass(frozen=True)
class Answer:
    """What was found.

    Attributes
    ----------
    status
        ``CONVERGED``: the program was solved (with three or more players: up to its piecewise-linear
        products). ``EXHAUSTED``: no equilibrium has the form of any model; ``regions`` is the nearest
        profile found. ``TIME_LIMIT`` (or ``INTERRUPTED``) came first: ``regions`` is the best profile so
        far.
    regions, raw
        The profile, polished and as the program had it.
    model
        The model chosen.
    thresholds
        Its thresholds, by name (before empty regions are dropped).
    rows, columns, binaries
        Size of the last program.
    seconds, cpu_seconds, programs, log
        The time that all programs took, how many there were, and the largest gain after each.
    """

    status: Status
    regions: Regions
    raw: Regions
    model: ParametricModel
    thresholds: dict[str, float]
    rows: int = 0
    columns: int = 0
    binaries: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    programs: int = 1
    log: tuple[LogRow, ...] = ()

    def __repr__(self) -> str:
        return (
            f"<Answer of the form {self.model.name or 'given'!r}: {self.status.value}, "
            f"{len(self.thresholds)} thresholds, {self.programs} programs, {self.seconds:.3g} s>"
        )


def qualitative(
    game: SignalGame,
    models: Sequence[ParametricModel],
    *,
    products: Products = PIECEWISE,
    target: float = 0.0,
    time_limit: float = 60.0,
    iterations: float = math.inf,
    polish_in: SignalGame | None = None,
    **hooks: Unpack[Hooks],
) -> Answer:
    """Find an equilibrium of ``game`` that has the form of one of ``models``.

    ``products`` matters from three players on. ``polish_in`` is the same game with finer cells, if
    ``game`` itself only approximates the distributions that are meant. Limits, the ``target`` for the
    largest gain, and hooks are those of :func:`equipoise.solvers.driver.drive`; an iteration is a program.
    """
    if not models:
        raise EquipoiseError("Qualitative models: found none, expected at least one.")
    search = ModelSearch(game, products, models, polish_in)
    return look(search, Stop(target, iterations, time_limit), **hooks)


class ModelSearch:
    """A search as the driver sees it: an iteration is one program.

    What it measures is the largest gain of any player, by her own account: of the profile of a model
    with evenly spaced thresholds until a program has found one. A program that was shown to have no solution
    is not solved again after a resume; one that ran out of time is.
    """

    growing = ("refuted",)

    def __init__(
        self,
        game: SignalGame,
        products: Products,
        models: Sequence[ParametricModel] = (),
        polish_in: SignalGame | None = None,
    ) -> None:
        self.game, self.products, self.models = game, products, models
        self.iterations = self.gradients = 0
        self.finished = False
        self.best: Arrays = {}
        self.deadline = Deadline()
        self.answer: Answer | None = None
        self._polish_in = polish_in
        self._refuted: list[tuple[int, int, int]] = []
        self._programs: Iterator[None] | None = None

    def programs(self) -> Iterator[None]:
        """Solve programs until one has an answer; yield after each."""
        yield from self.stages(0, self.models)

    def model(self, number: int) -> ParametricModel | None:
        """Return the model with this number, if there is one."""
        return self.models[number] if 0 <= number < len(self.models) else None

    def stages(self, number: int, models: Sequence[ParametricModel]) -> Iterator[None]:
        """Try the programs of ``models``, the first of which has this ``number``, from strict to lenient."""
        products, stages = self.products, list(STAGES)
        while stages:
            seconds = max(0.5 * self.deadline.left, 0.1)
            found = yield from self.attempt(number, models, stages[0], seconds, products)
            if found == "found":
                return
            if found == "limit" and self.game.players > 2 and products.breakpoints > COARSEST:
                # A rough profile can be polished; none cannot.
                products = replace(products, breakpoints=COARSEST)
            else:
                stages.pop(0)

    def attempt(
        self,
        number: int,
        models: Sequence[ParametricModel],
        stage: Stage,
        seconds: float,
        products: Products,
    ) -> Generator[None, None, Literal["found", "infeasible", "limit"]]:
        """Solve one program, unless it is known to have no solution; keep its answer, or say why not."""
        key = number, STAGES.index(stage), products.breakpoints
        if key in self._refuted:
            return "infeasible"
        interrupted = self.deadline.interrupted
        found = attempt(self.game, models, stage, seconds, products, self._polish_in, interrupted)
        if isinstance(found, Answer):
            self.answer = found
        elif found == "infeasible":
            self._refuted.append(key)
        yield
        return "found" if isinstance(found, Answer) else found

    def advance(self, iterations: int) -> None:
        """Solve up to this many programs."""
        if self._programs is None:
            self._programs = self.programs()
        for _ in range(iterations):
            try:
                next(self._programs)
            except StopIteration:
                self.finished = True
                return
            self.iterations += 1
            self.gradients += 1

    def next_check(self) -> int:
        """Measure after every program."""
        return self.iterations + 1

    def current(self) -> Answer:
        """Return what was found, before this run or in it, or a profile for want of a better one."""
        if self.answer is None:
            self.answer = self._before() or self._unsolved()
        return self.answer

    def measure(self) -> tuple[float, float]:
        """Return zero, which an equilibrium has, and the largest gain."""
        return 0.0, max(gains(self.game, self.current().regions))

    def keep(self) -> None:
        """Keep the model and its thresholds."""
        answer = self.current()
        known = (number for number in count() if self.model(number) == answer.model)
        self.best = {
            "model": np.array([next(known)]),
            "at": np.array([answer.thresholds[name] for name in _names(answer.model)]),
        }

    def state(self) -> Arrays:
        """Return which programs have no solution."""
        return {"refuted": np.array(self._refuted, dtype=np.int64).reshape(-1, 3)}

    def restore(self, state: Arrays) -> None:
        """Leave out what has no solution."""
        self._refuted = [(int(a), int(b), int(c)) for a, b, c in state["refuted"]]

    def _before(self) -> Answer | None:
        """Return the best profile of the run that this one resumes, if it had any."""
        if not self.best:
            return None
        number, at = self.best.get("model"), self.best.get("at")
        is_known = number is not None and number.shape == (1,) and number.dtype.kind == "i"
        model = self.model(int(number[0])) if is_known and number is not None else None
        if model is None or at is None or at.shape != (len(_names(model)),):
            raise EquipoiseError("Checkpoint: found thresholds of a model that is not there.")
        answer = _at(self.game, model, dict(zip(_names(model), at.tolist(), strict=True)))
        if not (at.dtype.kind == "f" and answer.regions.widths(*self.game.signals.line).min() >= 0):
            raise EquipoiseError(
                "Checkpoint: found thresholds out of order, expected them to rise."
            )
        return answer

    def _unsolved(self) -> Answer:
        """Return evenly spaced thresholds: one comes after as many others as the order puts before it."""
        model = self.model(0)
        assert model is not None
        low, high = self.game.signals.line
        names = _names(model)
        before = {name: sum((other, name) in model.closure for other in names) for name in names}
        step = (high - low) / (len(names) + 1)
        return _at(self.game, model, {name: low + step * (n + 1) for name, n in before.items()})


def look(search: ModelSearch, stop: Stop, **hooks: Unpack[Hooks]) -> Answer:
    """Drive ``search`` and return what it found."""
    with watch(stop) as watched:
        search.deadline = Deadline(stop.seconds, watched.interrupted)
        status, progress = drive(search, stop, watched, **hooks)
    answer = search.current()
    if answer.status is Status.TIME_LIMIT and status is not Status.EXHAUSTED:
        # No program has an answer to all: then the reason is the driver's.
        answer = replace(answer, status=status)
    return replace(
        answer,
        seconds=watched.clock.seconds,
        cpu_seconds=watched.clock.cpu_seconds,
        programs=search.iterations,
        log=tuple(progress.rows),
    )


def gains(game: SignalGame, regions: Regions) -> list[float]:
    """Return what every player would gain by her best reply, averaged over points of every cell."""
    profile = regions.profile(game)
    nodes, weights = np.polynomial.legendre.leggauss(1 if profile.signals.finite else _POINTS)
    found = []
    for i, mixture in enumerate(profile.mixture):
        gain = 0.0
        for t, weight in zip(0.5 * (nodes + 1.0), 0.5 * weights, strict=True):
            worth = interim(game, i, profile, float(t))
            more = worth.max(axis=0) - np.einsum("cp,pc->c", mixture, worth)
            gain += float(weight * (profile.signals.mass[i] @ more))
        found.append(max(gain, 0.0))
    return found


def _names(model: ParametricModel) -> list[str]:
    """Return the names of a model's thresholds, player by player."""
    return [name for own in model.thresholds for name in own]


def _at(game: SignalGame, model: ParametricModel, at: dict[str, float]) -> Answer:
    """Return the profile of ``model`` with these thresholds, which nothing is known of."""
    cuts = tuple(tuple(at[name] for name in own) for own in model.thresholds)
    regions = Regions(model.regions, cuts)
    return Answer(Status.TIME_LIMIT, regions, regions, model, at)


def attempt(
    game: SignalGame,
    models: Sequence[ParametricModel],
    stage: Stage,
    time_limit: float,
    products: Products = PIECEWISE,
    polish_in: SignalGame | None = None,
    interrupted: Callable[[], bool] | None = None,
) -> Answer | Literal["infeasible", "limit"]:
    """Solve the program of one ``stage``; if no profile was found, return why.

    The time limit holds for writing the program, too.
    """
    deadline = Deadline(time_limit, interrupted)
    try:
        milfp = Milfp(game, models, stage, products.model(deadline))
    except TimeUpError:
        return "limit"
    outcome = milfp.solve(deadline.left)
    complete = outcome.status == "optimal"
    if not complete and outcome.status not in ("limit", "interrupted"):
        return "infeasible"
    if not outcome.x.size or not (complete or stage == "elastic"):
        return "limit"
    exact = complete and (stage != "elastic" or outcome.objective <= ZERO)
    found, chosen = milfp.read(outcome.x)
    raw = found.merged(*game.signals.line)
    regions = polish(polish_in or game, raw) if exact or polish_in else raw
    rows, columns, binaries = milfp.mip.size
    return Answer(
        status=Status.CONVERGED if exact else Status.EXHAUSTED if complete else Status.TIME_LIMIT,
        regions=regions,
        raw=raw,
        model=models[chosen],
        thresholds=milfp.named(found.moved(raw, regions), chosen),
        rows=rows,
        columns=columns,
        binaries=binaries,
    )
