"""Nash equilibria of general games: any number of players, any payoffs.

Where at most two players have a choice, an equilibrium is the end of a path of complementary pivots
(:mod:`equipoise.solvers.general.tracing`). With more players, where an equilibrium with large
payments is asked for, or where the path was lost, it is a point of a mixed-integer program
(:mod:`equipoise.solvers.general.mip`). What is returned is always a profile, with what anybody could
gain by leaving it: the best one found, however short the time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from equipoise.errors import EquipoiseError, require_numbers, require_type
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame
from equipoise.numerics.clock import Deadline, TimeUpError
from equipoise.numerics.encodings import Encoding, require_breakpoints
from equipoise.solvers.driver import Arrays, Hooks, Relative, Status, Stop, drive, watch
from equipoise.solvers.general import mip, tracing
from equipoise.solvers.general.plans import Behaviour, Plans
from equipoise.solvers.general.search import Method, Search
from equipoise.solvers.log import LogRow
from equipoise.strategy.profile import Strategy

TARGET = Relative(1e-9)
"""By default a player may gain this share of what is at stake for her."""
SECONDS = 60.0
"""How long to look by default."""

# A path is lost to rounding now and then; another prior leads along another one.
_PRIORS = 5


@dataclass(frozen=True)
class NashAnswer:
    """A profile, and how it was found.

    Attributes
    ----------
    status
        ``CONVERGED`` if no player can gain more than her target; if not, why the search ended.
    strategy
        The profile.
    values, gains
        What it pays the players, and what each would gain by leaving it, by the solver's own account.
    targets
        What each may gain in an equilibrium.
    method
        ``tracing`` or ``mip``.
    programs, binaries
        How many programs were solved, and the 0-1 columns of the last one.
    iterations, seconds, cpu_seconds, log
        Steps of the search, the time they took, and the largest gain after each.
    """

    status: Status
    strategy: Strategy
    values: tuple[float, ...]
    gains: tuple[float, ...]
    targets: tuple[float, ...]
    method: Method
    programs: int
    binaries: int
    iterations: int
    seconds: float
    cpu_seconds: float
    log: tuple[LogRow, ...]

    def __repr__(self) -> str:
        return (
            f"<NashAnswer of '{self.strategy.game}' by {self.method}: {self.status.value}, gain at most "
            f"{self.epsilon:.3g}, {self.iterations:,} iterations, {self.seconds:.3g} s>"
        )

    @property
    def epsilon(self) -> float:
        """The most any player could gain."""
        return max(self.gains)


def nash(
    game: ExtensiveGame | NormalGame,
    *,
    weights: Sequence[float] | None = None,
    breakpoints: int | None = None,
    encoding: Encoding = "logarithmic",
    method: Method | None = None,
    target: float | Stop | None = None,
    seed: int = 0,
    time_limit: float = SECONDS,
    iterations: float = math.inf,
    **hooks: Unpack[Hooks],
) -> NashAnswer:
    """Return an equilibrium of ``game``, or the best profile found in the time.

    With two players, ``weights`` asks for the one with the largest weighted payments. ``breakpoints``
    and ``encoding`` say how to start with three or more (see :mod:`equipoise.solvers.general.mip`).
    ``method`` is one of the two if not the first that suits the game: ``tracing`` or ``mip``.
    ``target`` is what a player may gain at most, by default a share of what is at stake for her.
    Limits and hooks (monitor, checkpoints) are those of :func:`equipoise.solvers.driver.drive`; a resumed
    search goes on from the best profile of the one before.
    """
    require_type("Nash", game, (ExtensiveGame, NormalGame), "a tree or a matrix")
    tree = game.tree
    _require(tree, weights, time_limit)
    _require_products(tree, breakpoints, encoding)
    plans = Plans(tree)
    traced = weights is None and tracing.fits(plans)
    if method == "tracing" and not traced:
        raise EquipoiseError(
            "Nash: found the method 'tracing', expected 'mip' with weights, and where more than two "
            "players have a choice."
        )
    targets = _targets(plans, target)
    stop = Stop(seconds=time_limit, iterations=iterations)
    with watch(stop) as watched:
        search = Search(plans, targets, Deadline(time_limit, watched.interrupted))
        search.method = method or ("tracing" if traced else "mip")
        run = _SearchRun(search, method, weights, breakpoints, encoding, seed)
        status, progress = drive(run, stop, watched, **hooks)
    best, clock = search.best, watched.clock
    pays = zip(plans.low, plans.unit, best.values, strict=True)
    return NashAnswer(
        status=Status.CONVERGED if search.is_done else status,
        strategy=Strategy(tree.name, tree.fingerprint, best.behaviour, source=tree),
        values=tuple(float(low) + float(unit) * float(value) for low, unit, value in pays),
        gains=search.gains,
        targets=targets,
        method=search.method,
        programs=search.programs,
        binaries=search.binaries,
        iterations=run.iterations,
        seconds=clock.seconds,
        cpu_seconds=clock.cpu_seconds,
        log=tuple(progress.rows),
    )


def _require(tree: ExtensiveGame, weights: Sequence[float] | None, time_limit: float) -> None:
    """Raise unless the arguments of :func:`nash` make sense."""
    players = len(tree.players)
    if players > 2 and weights is not None:
        raise EquipoiseError(
            f"Nash: found weights for {players} players, expected them for two only."
        )
    if weights is not None:
        require_numbers("Nash: the weights", weights, "one number a player")
    if weights is not None and len(weights) != players:
        raise EquipoiseError(f"Nash: found {len(weights)} weights, expected one a player.")
    if weights is not None and not all(map(math.isfinite, weights)):
        raise EquipoiseError(f"Nash: found the weights {list(weights)}, expected finite numbers.")
    if not time_limit > 0:
        raise EquipoiseError(f"Nash: the time limit is {time_limit}, expected a positive number.")


def _require_products(tree: ExtensiveGame, breakpoints: int | None, encoding: Encoding) -> None:
    """Raise unless products, which only programs of three players or more have, can be approximated so."""
    require_breakpoints(2 if breakpoints is None else breakpoints, encoding)
    players = len(tree.players)
    if breakpoints is not None and players <= 2:
        raise EquipoiseError(
            f"Nash: found breakpoints for {players} player{'s' * (players > 1)}, expected them for three or more only."
        )


def _targets(plans: Plans, target: float | Stop | None) -> tuple[float, ...]:
    """Return what each player may gain, in the units of the rules."""
    if isinstance(target, float | int) and not target >= 0:
        raise EquipoiseError(f"Nash: the target is {target}, expected a number >= 0.")
    rule = TARGET if target is None else target if isinstance(target, Stop) else Stop(gap=target)
    return tuple(rule.at(stakes).gap for stakes in plans.stakes)


class _SearchRun:
    """A search as the driver sees it: an iteration is a path that was followed or a program solved.

    What it measures is the largest gain of any player, in the units of the rules. The search itself
    knows when it is done, since players may have different targets.
    """

    def __init__(
        self,
        search: Search,
        method: Method | None,
        weights: Sequence[float] | None,
        breakpoints: int | None,
        encoding: Encoding,
        seed: int,
    ) -> None:
        self.search = search
        self.iterations = self.gradients = 0
        self.finished = False
        self.best: Arrays = {}
        self._seed = seed
        self._method = method
        self._arguments = weights, breakpoints, encoding
        self._steps: Iterator[None] | None = None
        search.look(search.plans.uniform())

    def advance(self, iterations: int) -> None:
        """Take steps until one is the last."""
        if self._steps is None:
            self._steps = self._start()
        for _ in range(iterations):
            try:
                next(self._steps)
            except (StopIteration, TimeUpError):
                self.finished = self.search.is_done or self.search.deadline.left > 0
                break
            self.iterations += 1
        self.gradients = self.search.programs

    def _start(self) -> Iterator[None]:
        """Begin from the best profile so far; what is drawn at random is new after a resume."""
        search, (weights, breakpoints, encoding) = self.search, self._arguments
        if self.best:
            search.look(tuple(np.array(self.best[name]) for name in sorted(self.best)))
        rng = np.random.default_rng(
            [self._seed, self.iterations] if self.iterations else self._seed
        )
        return _steps(search, self._method, weights, breakpoints, encoding, rng)

    def next_check(self) -> int:
        """Measure after every step."""
        return self.iterations + 1

    def measure(self) -> tuple[float, float]:
        """Return zero, which an equilibrium has, and the largest gain."""
        return 0.0, max(self.search.gains)

    def keep(self) -> None:
        """Keep the best profile."""
        self.best = {f"behaviour.{i:03}": own for i, own in enumerate(self.search.best.behaviour)}

    def state(self) -> Arrays:
        """Nothing but the best profile, which is kept anyway."""
        return {}

    def restore(self, state: Arrays) -> None:
        """Start anew, from the best profile."""


def _steps(
    search: Search,
    method: Method | None,
    weights: Sequence[float] | None,
    breakpoints: int | None,
    encoding: Encoding,
    rng: np.random.Generator,
) -> Iterator[None]:
    """Search until an equilibrium is found, or there is nothing left to try; yield after each step."""
    plans = search.plans
    if search.method == "tracing":
        yield from _trace(search, rng)
    if method == "tracing" or (search.is_done and weights is None):
        return
    search.method = "mip"
    if len(plans.players) <= 2:
        mip.solve_exactly(search, weights)
        yield
    else:
        yield from mip.approach(search, breakpoints, encoding, rng)


def _trace(search: Search, rng: np.random.Generator) -> Iterator[None]:
    """Follow paths from priors drawn at random until one ends in an equilibrium."""
    plans = search.plans
    for _ in range(_PRIORS):
        if search.is_done:
            return
        prior: Behaviour = plans.choose(lambda actions: rng.dirichlet(np.full(actions, 4.0)))
        found = tracing.trace(plans, prior, search.deadline)
        if found is not None:
            search.look(found)
        yield
