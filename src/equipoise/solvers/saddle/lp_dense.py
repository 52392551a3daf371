"""The sequence-form linear program of a tiny game, by a dense simplex method.

With the slacks s of the opponent's sequences, player 1's program (:mod:`.lp`) is

    maximise  q_0   subject to   A' x - F' q = s >= 0,   E x = e,   x >= 0.

A pure plan x and the opponent's best response to it are a vertex: in each of her own sets the action that
is played is basic and follows from the others, x_a = x_parent - sum of the others; in each set J of the
opponent the slack of the best reply b is nonbasic, and q_J = (A' x)_b + sum of q over the sets after b - s_b.
So the first dictionary is written down in one pass over each treeplex, there is no first phase, and the
pivots of :mod:`equipoise.numerics.dictionary` lead to an optimal vertex. Reduced costs of the slacks are the
opponent's plan. What is found is measured; should rounding have spoilt it, HiGHS is asked. So it is for games
whose dictionary would be large: pivots on it look at no clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from equipoise.numerics.dictionary import maximise
from equipoise.numerics.program import optimize
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.reductions.restrict import restrict
from equipoise.solvers.base import Context, Plan, measure
from equipoise.solvers.driver import Arrays
from equipoise.solvers.methods import spelled
from equipoise.solvers.saddle.lp import feasible, plans, program

_EXACT = 1e-10
"""A gap above this, in the form's units, is not what a vertex has."""

_MOST_SEQUENCES = 1_000
"""With more, of both players together, HiGHS is asked at once: it is faster long before."""


@dataclass(frozen=True)
class DenseLP:
    """Solve by dense simplex: for games of some hundred payoffs."""

    @property
    def name(self) -> str:
        """Name as the command line spells it."""
        return spelled(self)

    def start(self, form: SequenceForm, context: Context) -> DenseRun:
        """Return a run that has not yet made a pivot."""
        return DenseRun(form, context)


class DenseRun:
    """All pivots at once; where HiGHS is asked, it may be stopped."""

    def __init__(self, form: SequenceForm, context: Context) -> None:
        self.form, self.context = form, context
        self.iterations = self.gradients = 0
        self.finished = False
        self._point: tuple[Plan, Plan] | None = None

    def advance(self, iterations: int) -> None:
        """Solve the whole program."""
        form = self.form
        self.iterations = 1
        if form.X.size + form.Y.size <= _MOST_SEQUENCES:
            self._point = dense_plans(form)
            lower, upper = measure(form, *self._point)
            self.finished = upper - lower <= _EXACT * form.units.unit
        if not self.finished:
            outcome = optimize(program(form), should_stop=self.context.should_stop)
            self.finished = outcome.status != "interrupted"
            if self.finished or self._point is None:
                self._point = plans(form, outcome)

    def point(self) -> tuple[Plan, Plan]:
        """Return the plans of the vertex; before it is found, uniform ones."""
        X, Y = self.form.X, self.form.Y
        return self._point or (X.plan(X.uniform()), Y.plan(Y.uniform()))

    def state(self) -> Arrays:
        """Nothing: a linear program starts anew, and ends in the same vertex."""
        return {}

    def restore(self, state: Arrays) -> None:
        """Start anew."""


def dense_plans(form: SequenceForm) -> tuple[Plan, Plan]:
    """Return optimal plans of both players."""
    stored, X, Y = form.A.stored, form.X, form.Y
    if stored is None or X.widest > 1 or Y.widest > 1:
        single = restrict(form, np.ones(X.size, dtype=bool), np.ones(Y.size, dtype=bool))
        return single.lift(*dense_plans(single.form))
    x, y = np.zeros(X.size), np.zeros(Y.size)
    _solve(X.blocks, Y.blocks, stored.by_row, x, y)
    return feasible(X, x), feasible(Y, y)


@njit(cache=True)
def _solve(X: Any, Y: Any, rows: Any, x: Any, y: Any) -> None:
    """Write optimal plans into ``x`` and ``y``. Variables are x_s -> s and the slack of t -> len(x) + t."""
    own, other = len(x), len(y)
    sets, replies = len(X.start), len(Y.start)
    columns = own - 1 - sets + replies
    basic = np.empty(sets + other - 1 - replies, np.int64)
    nonbasic = np.empty(columns, np.int64)
    D = np.zeros((len(basic) + 1, columns + 1))
    # x by nonbasic variables: in every set all actions but the first one are.
    plan = np.zeros((own, columns + 1))
    plan[0, 0] = 1.0
    k = 0
    for i in range(sets):
        first = int(X.start[i])
        plan[first] = plan[X.parent[i]]
        for s in range(first + 1, first + int(X.actions[i])):
            nonbasic[k] = s
            k += 1
            plan[s, k] = 1.0
            plan[first, k] -= 1.0
        basic[i] = first
        D[i + 1] = plan[first]
    # A' x, and from the last sets up what the opponent makes of it.
    worth = np.zeros((other, columns + 1))
    for s in range(own):
        for j in range(rows.start[s], rows.start[s + 1]):
            worth[rows.column[j]] += rows.value[j] * plan[s]
    row = sets
    for i in range(replies - 1, -1, -1):
        first, count = int(Y.start[i]), int(Y.actions[i])
        best = first
        for t in range(first + 1, first + count):
            if worth[t, 0] < worth[best, 0]:
                best = t
        nonbasic[k] = own + best
        k += 1
        worth[best, k] -= 1.0
        for t in range(first, first + count):
            if t != best:
                basic[row] = own + t
                row += 1
                D[row] = worth[t] - worth[best]
        worth[Y.parent[i]] += worth[best]
    D[0] = worth[0]
    maximise(D, basic, nonbasic)
    x[0] = y[0] = 1.0
    for i in range(len(basic)):
        if basic[i] < own:
            x[basic[i]] = D[i + 1, 0]
    for i in range(columns):
        if nonbasic[i] >= own:
            y[nonbasic[i] - own] = -D[0, i + 1]
