"""Double oracle (McMahan, Gordon and Blum 2003; for sequence forms Bosansky, Kiekintveld, Lisy and Pechoucek 2014).

Keep a few sequences of each player, the rest of the game left to a default strategy
(:mod:`equipoise.sequence.reductions.grow`), and repeat:

1. solve the restricted game, a small one; extend its plans x, y to the whole game by the default;
2. find each player's best response to the other's plan in the whole game. What they earn,
   min over Y of <x, A y> and max over X of <x, A y>, are a lower and an upper bound of the value;
3. keep the best responses' sequences as well, and what a policy adds to them (:mod:`.expansion`).

The best lower and the best upper bound so far belong to plans, which are what is returned; once they meet the
target, it ends. If neither player has anything new to add, the plans are an equilibrium up to how exactly the
restricted game was solved. If that cannot be done better, either, the oracle has *stalled*: the run ends,
and says so with both bounds.

A matrix game is the case of one information set a player, a single oracle the one in which one player keeps
everything from the beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.reductions.base import Plans
from equipoise.sequence.reductions.grow import Restriction
from equipoise.sequence.reductions.restrict import Mask, Sequences
from equipoise.sequence.treeplex import Treeplex
from equipoise.solvers.base import Context, measure
from equipoise.solvers.driver import Arrays
from equipoise.solvers.methods import method, spelled
from equipoise.solvers.saddle.expansion import SEEING_ALL, Look, policy, rough_equilibrium
from equipoise.solvers.saddle.lp import LP
from equipoise.solvers.saddle.responses import ORACLES, Response, oracle
from equipoise.solvers.saddle.restricted_in_place import InPlace
from equipoise.solvers.saddle.restricted_lp import ByMethod, RestrictedSolver, WarmProgram

RESTRICTED = {"both": (0, 1), "first": (0,), "second": (1,)}
DEFAULTS = ("uniform", "first", "rough")

_EXACT = 1e-14
"""A gap below this, in the form's units, is a rounding error."""
_PAST = 1e-12
"""By no more than this, sums of products that are equal differ."""
_CLOSER, _AGAIN = 0.5, 0.1
"""How much closer than the bounds an inexact method solves the restricted game; closer again if it must."""
_ROUGHLY = 1.0
"""How exactly to solve the first one, in the form's units: no bound is known yet, and less than two is at stake."""
_ENOUGH = 0.5
"""Share of the target that the restricted game may take."""


@dataclass(frozen=True)
class DoubleOracle:
    """Solve restricted games by the method ``inner``, and let best responses ``expand`` them.

    Attributes
    ----------
    expand
        A policy of :data:`equipoise.solvers.saddle.expansion.POLICIES`, or several joined by ``+``.
    inner
        Any method by name; linear programs by simplex start from the last one's basis, members of the CFR family
        keep their regrets.
    restrict
        Whose sequences are restricted: ``both``, or in a single oracle ``first`` or ``second``.
    default
        What is played where nothing is kept: all actions alike (``uniform``), the ``first`` one, or what a
        ``rough`` equilibrium plays.
    oracle
        How best responses are found, one of :data:`equipoise.solvers.saddle.responses.ORACLES`.
    """

    expand: str = "support+deviations"
    inner: str = "lp"
    restrict: str = "both"
    default: str = "rough"
    oracle: str = "payoff"

    def __post_init__(self) -> None:
        policy(self.expand)
        _require("restrict", self.restrict, RESTRICTED)
        _require("default", self.default, DEFAULTS)
        _require("oracle", self.oracle, ORACLES)
        blind = SEEING_ALL.intersection(self.expand.split("+")) if self.oracle == "search" else ()
        if blind:
            raise EquipoiseError(
                f"double-oracle: expand is '{min(blind)}' and oracle 'search', expected another of one of "
                "them: a search looks at one best response alone."
            )
        # However it is spelled, one method has one name, which a resumed solve must find again.
        object.__setattr__(self, "inner", method(self.inner).name)

    @property
    def name(self) -> str:
        """Name as the command line spells it."""
        return spelled(self)

    def start(self, form: SequenceForm, context: Context) -> DoubleOracleRun:
        """Return a run that has kept nothing yet."""
        return DoubleOracleRun(self, form, context)


class DoubleOracleRun:
    """Restricted games that grow; it measures itself, since best responses are its bounds."""

    def __init__(self, options: DoubleOracle, form: SequenceForm, context: Context) -> None:
        self.options, self.form, self.context = options, form, context
        self.iterations = self.gradients = 0
        self.finished = self.stalled = False
        self.policy = policy(options.expand)
        self.oracle = oracle(options.oracle, form)
        self.inner = _inner(options.inner, form, context)
        self.default: Plans = (
            rough_equilibrium(form)
            if options.default == "rough"
            else (_default(form.X, options.default), _default(form.Y, options.default))
        )
        self.small = Restriction.of(form, default=self.default)
        self.more: list[Mask] = [
            np.full(space.size, player not in RESTRICTED[options.restrict])
            for player, space in enumerate((form.X, form.Y))
        ]
        self.tolerance = _ROUGHLY
        self.lower, self.upper = -np.inf, np.inf
        self.plans: Plans = self.default
        self._kept = self.plans

    def advance(self, iterations: int) -> None:
        """Solve, respond and expand, so often."""
        for _ in range(iterations):
            if self.finished or self.context.should_stop():
                return
            self._iterate()

    def _iterate(self) -> None:
        """Solve the restricted game with what the last best responses brought, and respond."""
        x, y = self._solve()
        first, second = self.oracle.respond(x, y)
        # A bound that rounding takes past the other one has met it; so none of them ever gets worse.
        lower, upper = -second.value, first.value
        if 0 < lower - self.upper <= _PAST:
            lower = self.upper
        if lower > self.lower:
            self.lower, self.plans = lower, (x, self.plans[1])
        if 0 < self.lower - upper <= _PAST:
            upper = self.lower
        if upper < self.upper:
            self.upper, self.plans = upper, (self.plans[0], y)
        self.iterations += 1
        self.gradients += 2
        self._expand((first, second))

    def _solve(self) -> Plans:
        """Return the extended plans of the restricted game; with nothing kept, they are the default."""
        self._grow()
        if self.sizes == (1, 1):
            return self.default
        return self.small.lift(*self.inner.solve(self.small, self._tolerance()))

    def _grow(self) -> None:
        """Keep what is marked."""
        rows, columns = (np.flatnonzero(marked) for marked in self.more)
        self.small = self.small.grow(rows, columns)

    @property
    def kept_sequences(self) -> tuple[Mask, Mask]:
        """Which sequences of each player the restricted game has: always the empty one."""
        first, second = self.small.sides
        return first.kept, second.kept

    @property
    def sizes(self) -> tuple[int, int]:
        """How many sequences of each player the restricted game has."""
        first, second = self.kept_sequences
        return int(first.sum()), int(second.sum())

    def _tolerance(self) -> float:
        """Return how exactly to solve the next restricted game: not much more than the target asks for."""
        enough = max(_CLOSER * (self.upper - self.lower), _ENOUGH * self.context.target)
        return max(min(self.tolerance, enough), _EXACT)

    def _expand(self, responses: tuple[Response, Response]) -> None:
        """Mark what to add; end if the bounds have met, or if nothing is new and nothing can be solved closer."""
        gap = self.upper - self.lower
        if gap <= max(self.context.target, _EXACT):
            self.finished = True
            return
        for player, side in enumerate(self.small.sides):
            look = Look(self.form, player, side, responses[player], gap)
            self.more[player] = self.policy.more(look) & ~side.kept
        if any(marked.any() for marked in self.more):
            return
        self.tolerance = min(self.tolerance, _CLOSER * gap) * _AGAIN
        if self.inner.is_exact or self.tolerance < _EXACT:
            self.finished = self.stalled = True

    @property
    def share(self) -> float:
        """Share of all sequences that the restricted game has."""
        return sum(self.sizes) / sum(self.form.A.shape)

    @property
    def news(self) -> str:
        """Bounds of the value, and how large the restricted game is."""
        units, (rows, columns) = self.form.units, self.sizes
        lower, upper = (units.shift + units.unit * bound for bound in (self.lower, self.upper))
        size = f"{rows:,} x {columns:,} sequences, {self.share:.0%}"
        return f"value {lower:.6g} to {upper:.6g}  {size}"

    def facts(self) -> dict[str, Any]:
        """Return what the summary says of the run."""
        told = {"oracle": "stalled: no best response brings anything new"} if self.stalled else {}
        return {"restricted": list(self.sizes), "share": self.share, **told}

    def next_check(self) -> int:
        """Return the next iteration: bounds are known in each."""
        return self.iterations + 1

    def bounds(self) -> tuple[float, float]:
        """Return the best bounds so far."""
        if self.iterations == 0:
            lower, upper = measure(self.form, *self.plans)
            return lower / self.form.units.unit, upper / self.form.units.unit
        return self.lower, self.upper

    def point(self) -> Plans:
        """Return the plans that prove the bounds."""
        return self.plans

    def keep(self) -> None:
        """Remember the plans."""
        self._kept = self.plans

    def kept(self) -> Plans:
        """Return the plans that were remembered."""
        return self._kept

    def state(self) -> Arrays:
        """Return what is kept and to be kept, the best plans and bounds, and what the next solve begins from."""
        first, second = self.kept_sequences
        return {
            "kept_first": first,
            "kept_second": second,
            "more_first": self.more[0],
            "more_second": self.more[1],
            "x": self.plans[0],
            "y": self.plans[1],
            "bounds": np.array([self.lower, self.upper, self.tolerance]),
            **self.inner.state(),
        }

    def restore(self, state: Arrays) -> None:
        """Continue from :meth:`state`."""
        self.more = [state["kept_first"], state["kept_second"]]
        self._grow()
        self.more = [state["more_first"].copy(), state["more_second"].copy()]
        self.plans = state["x"].copy(), state["y"].copy()
        self.lower, self.upper, self.tolerance = (float(bound) for bound in state["bounds"])
        self.inner.restore(state)


def _inner(name: str, form: SequenceForm, context: Context) -> RestrictedSolver:
    """Return what solves restricted games."""
    made = method(name)
    if isinstance(made, LP) and made.solver != "ipx":
        return WarmProgram(form, made.solver, context)
    if InPlace.suits(form, made):
        return InPlace(form, made, context)
    return ByMethod(form, made, context)


def _default(space: Treeplex, default: str) -> NDArray[np.float64]:
    """Return the plan that is played where nothing is kept."""
    if default == "uniform":
        return space.plan(space.uniform())
    behaviour = np.zeros(space.size)
    behaviour[0] = 1.0
    sets = Sequences(space).infoset[1:]
    behaviour[1 + np.unique(sets, return_index=True)[1]] = 1.0
    return space.plan(behaviour)


def _require(option: str, value: Any, allowed: Any) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise EquipoiseError(
            f"double-oracle: {option} is {value!r}, expected one of {', '.join(allowed)}."
        )
