"""Counterfactual regret minimisation: the whole family as rows of one table.

In every information set, regrets R of the actions are kept; the next behaviour is proportional to
their positive part. With r the instantaneous counterfactual regret of iteration t, a row of the
table sets

    R  <-  (R + r) * (t^alpha / (t^alpha + 1)  where positive,  t^beta / (t^beta + 1) elsewhere)
    play from  max(R + optimism * r, 0)
    average  <-  average * ((t - 1) / t)^gamma + plan        (then normalised)

so alpha = inf keeps positive regrets, beta = -inf drops negative ones. Players alternate, and
averages are of realization plans. Where an exponent is a pair (c, d) it is c + d * t / n for a
planned horizon of n iterations.

Sources: CFR, Zinkevich et al. 2007; CFR+, Tammelin 2014; linear and DCFR, Brown and Sandholm 2019;
PCFR+, Farina, Kroer and Sandholm 2021 (quadratic average); PDCFR+, Xu et al. 2024; HS-DCFR,
Zhang et al. 2024 (hyperparameter schedules).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.payoffs.sparse import multiply
from equipoise.sequence.treeplex import Treeplex
from equipoise.solvers.base import Context, Plan
from equipoise.solvers.driver import Arrays
from equipoise.solvers.saddle.regret import (
    KERNEL,
    Stretch,
    blend,
    reach_blocks,
    reach_sets,
    regret_blocks,
    regret_sets,
)

Exponent = float | tuple[float, float]

_DEFAULT_HORIZON = 10_000


@dataclass(frozen=True)
class CFR:
    """A member of the family: a row of :data:`TABLE`, or parameters of your own."""

    name: str = "cfr"
    alpha: Exponent = math.inf
    beta: Exponent = math.inf
    gamma: Exponent = 0.0
    optimism: float = 0.0
    horizon: int | None = None
    dtype: str = "float64"

    def __post_init__(self) -> None:
        if self.dtype not in ("float32", "float64"):
            raise EquipoiseError(
                f"{self.name}: dtype is {self.dtype}, expected float32 or float64."
            )
        for option in ("alpha", "beta", "gamma", "optimism"):
            value = getattr(self, option)
            numbers = value if isinstance(value, tuple) and len(value) == 2 else (value,)
            if not all(isinstance(n, int | float) and not math.isnan(n) for n in numbers):
                raise EquipoiseError(
                    f"{self.name}: {option} is {value!r}, expected a number or a pair of numbers."
                )
        if self.horizon is not None and not (isinstance(self.horizon, int) and self.horizon > 0):
            raise EquipoiseError(
                f"{self.name}: horizon is {self.horizon!r}, expected a whole number > 0."
            )

    def start(self, form: SequenceForm, context: Context) -> CFRRun:
        """Return a run from uniform play."""
        run = CFRRun(self, form, self.horizon or context.horizon or _DEFAULT_HORIZON)
        if context.start is not None:
            run.begin_at(context.start)
        return run

    def schedule(self, first: int, count: int, horizon: int, weight: float) -> tuple[Any, float]:
        """Return (positive factor, negative factor, optimism, share of the average) by iteration.

        ``weight`` is the total weight of the average before iteration ``first``; the one after the
        last iteration is returned too.
        """
        t = np.arange(first, first + count, dtype=np.float64)
        table = np.empty((count, 4))
        with np.errstate(over="ignore"):
            for column, exponent in enumerate((self.alpha, self.beta)):
                # t^e / (t^e + 1), written so that neither end overflows.
                table[:, column] = 1.0 / (1.0 + t ** -_exponent(exponent, t, horizon))
                if isinstance(exponent, float) and math.isinf(exponent):
                    table[:, column] = 1.0 if exponent > 0 else 0.0
        table[:, 2] = self.optimism
        decay = ((t - 1) / t) ** _exponent(self.gamma, t, horizon)
        for i in range(count):
            weight = weight * decay[i] + 1.0
            table[i, 3] = 1.0 / weight
        return table, weight


def _exponent(exponent: Exponent, t: NDArray[np.float64], horizon: int) -> Any:
    if isinstance(exponent, tuple):
        return exponent[0] + exponent[1] * np.minimum(t / horizon, 1.0)
    return exponent


TABLE: dict[str, CFR] = {
    "cfr": CFR("cfr", math.inf, math.inf, 0.0),
    "cfr+": CFR("cfr+", math.inf, -math.inf, 1.0),
    "linear": CFR("linear", 1.0, 1.0, 1.0),
    "dcfr": CFR("dcfr", 1.5, 0.0, 2.0),
    "pcfr+": CFR("pcfr+", math.inf, -math.inf, 2.0, optimism=1.0),
    "pdcfr+": CFR("pdcfr+", 2.3, -math.inf, 5.0, optimism=1.0),
    "hs-dcfr": CFR("hs-dcfr", (1.0, 3.0), (-1.0, -2.0), (30.0, -5.0)),
}


def member(name: str, **options: Any) -> CFR:
    """Return the row ``name`` of :data:`TABLE`, with ``options`` changed."""
    return replace(TABLE[name], **options)


def DCFR(dtype: str = "float64", gamma: float = 2.0) -> CFR:
    """Discounted CFR with the parameters (1.5, 0, ``gamma``): the choice for poker at scale."""
    return member("dcfr", gamma=gamma, dtype=dtype)


class _Side:
    """One player's arrays."""

    def __init__(self, space: Treeplex, dtype: str, optimistic: bool) -> None:
        self.space = space
        self.regret = np.zeros(space.size, dtype=dtype)
        self.play = np.zeros(space.size, dtype=dtype) if optimistic else self.regret
        self.average = np.ones(space.size, dtype=dtype)
        self.scratch = np.empty((3, space.widest), dtype=dtype)

    def state(self) -> Arrays:
        """Return what must be kept: without optimism, play is the regrets."""
        arrays = {"regret": self.regret, "average": self.average}
        return arrays if self.play is self.regret else {**arrays, "play": self.play}

    @cached_property
    def plan(self) -> NDArray[Any]:
        """Current behaviour as a plan, for payoffs that want it whole."""
        return np.ones(self.space.size, dtype=self.regret.dtype)

    @cached_property
    def gradient(self) -> NDArray[Any]:
        """What each sequence earns against the opponent's plan."""
        return np.empty(self.space.size, dtype=self.regret.dtype)

    def _whole(self, vector: NDArray[Any]) -> Stretch:
        """Return all blocks, with plans or gradients in ``vector``."""
        blocks = self.space.blocks
        zero, end = np.uint32(0), np.uint32(len(blocks.start))
        return Stretch(blocks, zero, end, zero, vector, vector)

    def reach(self, share: Any) -> None:
        """Lay down the plan and give it its ``share`` in the average."""
        if self.space.widest == 1:
            reach_sets(self.space.blocks, self.play, self.plan)
            blend(self.average, self.plan, share)
        else:
            reach_blocks(self._whole(self.plan), self.play, self.average, share, self.scratch)

    def update(self, row: Any) -> None:
        """Update the regrets; the gradient is used up."""
        if self.space.widest == 1:
            regret_sets(self.space.blocks, self.regret, self.play, self.gradient, row)
        else:
            on = self._whole(self.gradient)
            regret_blocks(on, self.regret, self.play, row, self.scratch)


class CFRRun:
    """A member of the CFR family at work.

    One iteration is: player 2's plan (and its share in the average), player 1's regrets against it,
    player 1's plan, player 2's regrets.
    """

    def __init__(self, method: CFR, form: SequenceForm, horizon: int) -> None:
        self.method, self.form, self.horizon = method, form, horizon
        self.sides = tuple(_Side(s, method.dtype, method.optimism != 0) for s in (form.X, form.Y))
        self.weight = 0.0
        self.iterations = self.gradients = 0
        self.finished = False
        self._iterate = self._engine()

    def _engine(self) -> Callable[[Any], None]:
        """Return the function that does the iterations of a table, fit for the form's payoff."""
        A, is_tree = self.form.A, all(side.space.widest == 1 for side in self.sides)
        stored, tiled = A.stored, A.tiled
        if stored is not None and is_tree:
            first, second = (
                (side.space.blocks, side.regret, side.play, side.average, side.plan, side.gradient)
                for side in self.sides
            )
            return lambda table: _iterate_tree(*stored, first, second, table)
        if tiled is not None:
            from equipoise.solvers.saddle.tiled import TiledIteration

            return TiledIteration(tiled, self.sides).run
        return self._iterate_operator

    def _iterate_operator(self, table: Any) -> None:
        """Iterate with any payoff operator: whole plans, whole gradients."""
        for row in table:
            for player, product in ((0, self.form.A.times), (1, self.form.A.transpose_times)):
                me, other = self.sides[player], self.sides[1 - player]
                other.reach(row[3])
                product(other.plan, me.gradient)
                if player == 1:
                    np.negative(me.gradient, me.gradient)
                me.update(row)

    def begin_at(self, start: tuple[Plan, Plan]) -> None:
        """Play from ``start``: regrets whose positive parts are its behaviour."""
        for side, plan in zip(self.sides, start, strict=True):
            side.regret[:] = side.space.behaviour(plan)
            side.play[:] = side.regret
            side.average[:] = plan

    def advance(self, iterations: int) -> None:
        """Do ``iterations`` alternating updates of both players."""
        table, self.weight = self.method.schedule(
            self.iterations + 1, iterations, self.horizon, self.weight
        )
        self._iterate(table.astype(self.method.dtype))
        self.iterations += iterations
        self.gradients += 2 * iterations

    def point(self) -> tuple[Plan, Plan]:
        """Return the average plans."""
        return self.sides[0].average, self.sides[1].average

    def state(self) -> Arrays:
        """Return regrets, predictions and averages."""
        state: Arrays = {"weight": np.array(self.weight), "horizon": np.array(self.horizon)}
        for player, side in enumerate(self.sides):
            state |= {f"{name}.{player}": array for name, array in side.state().items()}
        return state

    def restore(self, state: Arrays) -> None:
        """Continue from :meth:`state`."""
        self.weight, self.horizon = float(state["weight"]), int(state["horizon"])
        for player, side in enumerate(self.sides):
            for name, array in side.state().items():
                array[:] = state[f"{name}.{player}"]


@njit(**KERNEL)
def _iterate_tree(by_row: Any, by_column: Any, first: Any, second: Any, table: Any) -> None:
    """Alternating updates with the products inside: one call does many iterations."""
    blocks1, regret1, play1, average1, plan1, gradient1 = first
    blocks2, regret2, play2, average2, plan2, gradient2 = second
    for i in range(len(table)):
        row = table[i]
        reach_sets(blocks2, play2, plan2)
        blend(average2, plan2, row[3])
        multiply(by_row, plan2, gradient1)
        regret_sets(blocks1, regret1, play1, gradient1, row)
        reach_sets(blocks1, play1, plan1)
        blend(average1, plan1, row[3])
        multiply(by_column, plan1, gradient2)
        for s in range(len(gradient2)):
            gradient2[s] = -gradient2[s]
        regret_sets(blocks2, regret2, play2, gradient2, row)
