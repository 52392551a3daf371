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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.bayesian.game import SignalGame
from equipoise.games.bayesian.parametric import ParametricModel
from equipoise.numerics.clock import Deadline, TimeUpError
from equipoise.numerics.encodings import Encoding, Model
from equipoise.solvers.bayesian.milfp import STAGES, Milfp, Stage
from equipoise.solvers.driver import Status
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

Monitor = Callable[[str, float], None]
"""Is told what is going on, and the share of the time that has passed."""

COARSEST = 5
"""So many breakpoints are tried when more of them take too long."""


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
    seconds, programs
        The time that all programs took, and how many there were.
    """

    status: Status
    regions: Regions
    raw: Regions
    model: ParametricModel
    thresholds: dict[str, float]
    rows: int
    columns: int
    binaries: int
    seconds: float
    programs: int = 1


def qualitative(
    game: SignalGame,
    models: Sequence[ParametricModel],
    *,
    products: Products = PIECEWISE,
    time_limit: float = 60.0,
    polish_in: SignalGame | None = None,
    monitor: Monitor | None = None,
    interrupted: Callable[[], bool] | None = None,
) -> Answer:
    """Find an equilibrium of ``game`` that has the form of one of ``models``.

    ``products`` matters from three players on. ``polish_in`` is the same game with finer cells, if
    ``game`` itself only approximates the distributions that are meant. ``monitor`` is told what is
    going on, and the share of the time that has passed; to be ``interrupted`` is to have no time left.
    """
    if not models:
        raise EquipoiseError("Qualitative models: found none, expected at least one.")
    deadline = Deadline(time_limit, interrupted)
    stages = list(STAGES)
    programs = 0
    while stages:
        programs += 1
        left = max(0.5 * deadline.left, 0.1)
        if monitor is not None:
            monitor(f"program of stage '{stages[0]}'", deadline.share)
        found = attempt(game, models, stages[0], left, products, polish_in, interrupted)
        if isinstance(found, Answer):
            return _timed(found, deadline, programs)
        if found == "limit" and game.players > 2 and products.breakpoints > COARSEST:
            # A rough profile can be polished; none cannot.
            products = replace(products, breakpoints=COARSEST)
        else:
            stages.pop(0)
    return _timed(_unsolved(game, models[0]), deadline, programs)


def _timed(found: Answer, deadline: Deadline, programs: int) -> Answer:
    """Return the answer with what it took; what had too little time for Ctrl-C was interrupted."""
    status = found.status
    if status is Status.TIME_LIMIT and deadline.interrupted is not None and deadline.interrupted():
        status = Status.INTERRUPTED
    return replace(found, status=status, seconds=deadline.spent, programs=programs)


def _unsolved(game: SignalGame, model: ParametricModel) -> Answer:
    """Return a profile of the form of ``model`` for want of a better one: evenly spaced thresholds.

    A threshold comes after as many others as the model's order puts before it.
    """
    low, high = game.signals.line
    names = [name for own in model.thresholds for name in own]
    before = {name: sum((other, name) in model.closure for other in names) for name in names}
    at = {
        name: low + (high - low) * (count + 1) / (len(names) + 1) for name, count in before.items()
    }
    cuts = tuple(tuple(at[name] for name in own) for own in model.thresholds)
    regions = Regions(model.regions, cuts)
    return Answer(Status.TIME_LIMIT, regions, regions, model, at, 0, 0, 0, 0.0)


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
        seconds=deadline.spent,
    )


def polish(game: SignalGame, regions: Regions, steps: int = 50) -> Regions:
    """Return ``regions`` with the cuts moved by Newton's method until players are indifferent there.

    Steps are of least norm, so that thresholds the equations leave free stay where they are, and
    halved until the cuts stay in order and the largest gap shrinks; if none does, the search ends.
    """
    gaps = indifference(game, regions)
    for _ in range(steps):
        if not gaps.size or np.abs(gaps).max() <= 1e-15 * max(game.spread):
            break
        at = regions.flat()
        step = np.linalg.lstsq(_slopes(game, regions), gaps, rcond=1e-9)[0]
        for size in 0.5 ** np.arange(12):
            moved = regions.at(at - size * step)
            if moved.ordered(*game.signals.line):
                better = indifference(game, moved)
                if np.abs(better).max() < np.abs(gaps).max():
                    break
        else:
            break
        regions, gaps = moved, better
    return regions


def _slopes(game: SignalGame, regions: Regions) -> Floats:
    """Return the derivative of every indifference by every cut, by central differences."""
    at = regions.flat()
    low, high = game.signals.line
    widths = [b - a for own in regions.cuts for a, b in pairwise((low, *own, high))]
    h = min(1e-7 * (high - low), 0.25 * min(widths))
    columns = []
    for shift in np.eye(len(at)) * h:
        ahead, behind = regions.at(at + shift), regions.at(at - shift)
        columns.append((indifference(game, ahead) - indifference(game, behind)) / (2 * h))
    return np.stack(columns, axis=1)


def indifference(game: SignalGame, regions: Regions) -> Floats:
    """Return, for every cut, how much more the plan below it is worth there than the plan above it.

    A finite game has no such equation at a cut between two signals: there it is 0.
    """
    profile = regions.profile(game)
    gaps = []
    for i, (plans, cuts) in enumerate(zip(regions.plans, regions.cuts, strict=True)):
        worth = interim(game, i, profile, inside=0.0)
        for (low, high), cut in zip(pairwise(plans), cuts, strict=True):
            position = float(profile.signals.position(cut))
            cell = min(int(position + 1e-9), profile.signals.cells - 1)
            mixed = not profile.signals.finite or abs(position - round(position)) > 1e-9
            gap = worth[game.plan(i, low), cell] - worth[game.plan(i, high), cell]
            gaps.append(gap if mixed else 0.0)
    return np.array(gaps)
