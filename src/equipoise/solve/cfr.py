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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.payoff import Sparse, multiply
from equipoise.sequence.treeplex import SAME, Treeplex
from equipoise.solve.base import Arrays, Context, Plan

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

    def start(self, form: SequenceForm, context: Context) -> CFRRun:
        """Return a run from uniform play."""
        return CFRRun(self, form, self.horizon or context.horizon or _DEFAULT_HORIZON)

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


def DCFR(dtype: str = "float64") -> CFR:
    """Discounted CFR with the parameters (1.5, 0, 2): the choice for poker at scale."""
    return CFR("dcfr", 1.5, 0.0, 2.0, dtype=dtype)


class _Side:
    """One player's arrays: regrets, behaviour, plan, average plan, and scratch."""

    def __init__(self, space: Treeplex, dtype: str) -> None:
        self.space = space
        self.regret = np.zeros(space.size, dtype=dtype)
        self.behaviour = space.uniform(dtype)
        self.plan = space.plan(self.behaviour)
        self.average = self.plan.copy()
        self.gradient = np.empty(space.size, dtype=dtype)
        self.scratch = np.empty((2, space.widest), dtype=dtype)

    def arrays(self) -> tuple[Any, ...]:
        return (
            self.space.blocks,
            self.regret,
            self.behaviour,
            self.plan,
            self.average,
            self.gradient,
            self.scratch,
        )


class CFRRun:
    """A member of the CFR family at work."""

    def __init__(self, method: CFR, form: SequenceForm, horizon: int) -> None:
        self.method, self.form, self.horizon = method, form, horizon
        self.sides = (_Side(form.X, method.dtype), _Side(form.Y, method.dtype))
        self.weight = 0.0
        self.iterations = self.gradients = 0
        self.finished = False

    def advance(self, iterations: int) -> None:
        """Do ``iterations`` alternating updates of both players."""
        table, self.weight = self.method.schedule(
            self.iterations + 1, iterations, self.horizon, self.weight
        )
        table = table.astype(self.method.dtype)
        first, second = self.sides
        A = self.form.A
        if isinstance(A, Sparse):
            _iterate_sparse(A.by_row, A.by_column, first.arrays(), second.arrays(), table)
        else:
            for row in table:
                A.times(second.plan, first.gradient)
                _update(*first.arrays(), row)
                A.transpose_times(first.plan, second.gradient)
                np.negative(second.gradient, second.gradient)
                _update(*second.arrays(), row)
        self.iterations += iterations
        self.gradients += 2 * iterations

    def point(self) -> tuple[Plan, Plan]:
        """Return the average plans."""
        return self.sides[0].average, self.sides[1].average

    def state(self) -> Arrays:
        """Return regrets, behaviours, plans and averages."""
        state: Arrays = {"weight": np.array(self.weight), "horizon": np.array(self.horizon)}
        for player, side in enumerate(self.sides):
            for name in ("regret", "behaviour", "plan", "average"):
                state[f"{name}.{player}"] = getattr(side, name)
        return state

    def restore(self, state: Arrays) -> None:
        """Continue from :meth:`state`."""
        self.weight, self.horizon = float(state["weight"]), int(state["horizon"])
        for player, side in enumerate(self.sides):
            for name in ("regret", "behaviour", "plan", "average"):
                getattr(side, name)[:] = state[f"{name}.{player}"]


@njit(cache=True)
def _iterate_sparse(by_row: Any, by_column: Any, first: Any, second: Any, table: Any) -> None:
    """Alternating updates with the products inside: one call does many iterations."""
    for i in range(len(table)):
        multiply(by_row, second[3], first[5])
        _update(first[0], first[1], first[2], first[3], first[4], first[5], first[6], table[i])
        multiply(by_column, first[3], second[5])
        for s in range(len(second[5])):
            second[5][s] = -second[5][s]
        _update(
            second[0], second[1], second[2], second[3], second[4], second[5], second[6], table[i]
        )


@njit(cache=True, fastmath={"contract", "reassoc", "nsz"})
def _update(
    blocks: Any,
    regret: Any,
    behaviour: Any,
    plan: Any,
    average: Any,
    gradient: Any,
    scratch: Any,
    row: Any,
) -> None:
    """One player's iteration: regrets and next behaviour bottom-up, plan and average top-down."""
    positive, negative, optimism, share = row[0], row[1], row[2], row[3]
    zero = regret[0] * 0
    for i in range(len(blocks.start)):
        b = np.uint32(len(blocks.start) - 1 - i)
        start, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
        if width == 1:
            end = np.uint32(start + actions)
            value = zero
            for s in range(start, end):
                value += behaviour[s] * gradient[s]
            total = zero
            for s in range(start, end):
                r = gradient[s] - value
                new = regret[s] + r
                new *= positive if new > 0 else negative
                regret[s] = new
                play = max(new + optimism * r, zero)
                behaviour[s] = play
                total += play
            if total > 0:
                scale = 1 / total
                for s in range(start, end):
                    behaviour[s] *= scale
            else:
                for s in range(start, end):
                    behaviour[s] = 1.0 / actions
            up = blocks.parent[b]
            if blocks.link[b] != SAME:
                up = np.uint32(up + blocks.links[blocks.link[b]])
            gradient[up] += value
        else:
            _update_wide(
                blocks, b, regret, behaviour, gradient, scratch, positive, negative, optimism
            )
    plan[0] = 1
    for i in range(len(blocks.start)):
        b = np.uint32(i)
        start, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
        if width == 1:
            up = blocks.parent[b]
            if blocks.link[b] != SAME:
                up = np.uint32(up + blocks.links[blocks.link[b]])
            reach = plan[up]
            for s in range(start, np.uint32(start + actions)):
                p = reach * behaviour[s]
                plan[s] = p
                average[s] += share * (p - average[s])
        else:
            _reach_wide(blocks, b, behaviour, plan, average, scratch[0], share)


@njit(cache=True, fastmath={"contract", "reassoc", "nsz"})
def _update_wide(
    blocks: Any,
    b: Any,
    regret: Any,
    behaviour: Any,
    gradient: Any,
    scratch: Any,
    positive: Any,
    negative: Any,
    optimism: Any,
) -> None:
    """The bottom-up half of :func:`_update` for a block of many buckets, vectorised along them."""
    start, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
    value, total = scratch[0, :width], scratch[1, :width]
    zero = regret[0] * 0
    value[:] = 0
    total[:] = 0
    for a in range(actions):
        first = np.uint32(start + a * width)
        p, g = behaviour[first : first + width], gradient[first : first + width]
        for k in range(width):
            value[k] += p[k] * g[k]
    for a in range(actions):
        first = np.uint32(start + a * width)
        p, g = behaviour[first : first + width], gradient[first : first + width]
        R = regret[first : first + width]
        for k in range(width):
            r = g[k] - value[k]
            new = R[k] + r
            new *= positive if new > 0 else negative
            R[k] = new
            play = max(new + optimism * r, zero)
            p[k] = play
            total[k] += play
    even = zero + 1 / actions
    for a in range(actions):
        first = np.uint32(start + a * width)
        p = behaviour[first : first + width]
        for k in range(width):
            p[k] = p[k] / total[k] if total[k] > 0 else even
    parent = blocks.parent[b]
    if blocks.link[b] == SAME:
        above = gradient[parent : parent + width]
        for k in range(width):
            above[k] += value[k]
    else:
        link = blocks.links[blocks.link[b] : blocks.link[b] + width]
        for k in range(width):
            gradient[np.uint32(parent + link[k])] += value[k]


@njit(cache=True, fastmath={"contract", "reassoc", "nsz"})
def _reach_wide(
    blocks: Any, b: Any, behaviour: Any, plan: Any, average: Any, reach: Any, share: Any
) -> None:
    """The top-down half of :func:`_update` for a block of many buckets."""
    start, actions, width = blocks.start[b], blocks.actions[b], blocks.buckets[b]
    parent = blocks.parent[b]
    if blocks.link[b] == SAME:
        for k in range(width):
            reach[k] = plan[parent + k]
    else:
        link = blocks.links[blocks.link[b] : blocks.link[b] + width]
        for k in range(width):
            reach[k] = plan[np.uint32(parent + link[k])]
    for a in range(actions):
        first = np.uint32(start + a * width)
        p, x = behaviour[first : first + width], plan[first : first + width]
        mean = average[first : first + width]
        for k in range(width):
            x[k] = reach[k] * p[k]
            mean[k] += share * (x[k] - mean[k])
