"""The sequence-form linear program (Koller, Megiddo and von Stengel 1996; Gilpin 2009, eq. 2.2).

With the constraints E x = e of player 1 and F y = f of player 2, player 1 solves

    maximise  f·q   subject to   F' q <= A' x,   E x = e,   x >= 0,

and the multipliers of the first rows are an optimal plan y of player 2: one solve gives both. The
plans that are returned are made exactly feasible from whatever point HiGHS stopped at, so the solve
loop's bounds are true ones even after a time limit: the primal point gives the lower bound, the dual
point the upper one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.numerics.program import Program, ProgramResult, Solver, optimize
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.treeplex import Treeplex
from equipoise.solvers.base import Context, Plan
from equipoise.solvers.driver import Arrays
from equipoise.solvers.methods import spelled


@dataclass(frozen=True)
class LP:
    """Solve by HiGHS: ``dual-simplex``, ``primal-simplex`` or ``ipx`` (interior point)."""

    solver: Solver = "dual-simplex"
    crossover: bool = True

    @property
    def name(self) -> str:
        """Name as the command line spells it."""
        return spelled(self)

    def start(self, form: SequenceForm, context: Context) -> LPRun:
        """Return a run that has not yet called HiGHS."""
        return LPRun(self, form, context)


class LPRun:
    """One call of HiGHS: it either ends or is stopped, and leaves a pair of plans."""

    def __init__(self, method: LP, form: SequenceForm, context: Context) -> None:
        self.method, self.form, self.context = method, form, context
        self.iterations = self.gradients = 0
        self.finished = False
        self._point = form.X.plan(form.X.uniform()), form.Y.plan(form.Y.uniform())

    def advance(self, iterations: int) -> None:
        """Solve the whole program; HiGHS asks now and then whether to stop."""
        outcome = optimize(
            program(self.form),
            self.method.solver,
            crossover=self.method.crossover,
            should_stop=self.context.should_stop,
        )
        self._point = plans(self.form, outcome)
        self.iterations = max(outcome.iterations, 1)
        self.finished = outcome.status != "interrupted"

    def point(self) -> tuple[Plan, Plan]:
        """Return the plans of the last outcome."""
        return self._point

    def state(self) -> Arrays:
        """Nothing: a linear program starts anew, and ends in the same vertex."""
        return {}

    def restore(self, state: Arrays) -> None:
        """Start anew."""


def program(form: SequenceForm) -> Program:
    """Return player 1's program, in minimisation form with columns (x, q)."""
    from scipy import sparse

    e_rows, e_columns, E, e = form.X.constraint_entries()
    f_rows, f_columns, F, f = form.Y.constraint_entries()
    A = form.A.matrix().tocoo()
    # Rows: A' x - F' q >= 0, one a sequence of player 2; E x = e. Small programs are over before SciPy
    # has put blocks together, so their entries are.
    rows = np.concatenate((A.col, f_columns, form.Y.size + e_rows))
    columns = np.concatenate((A.row, form.X.size + f_rows, e_columns))
    shape = (form.Y.size + len(e), form.X.size + len(f))
    matrix = sparse.csc_matrix((np.concatenate((A.data, -F, E)), (rows, columns)), shape)
    return Program(
        c=np.concatenate((np.zeros(form.X.size), -f)),
        A=matrix,
        row_lower=np.concatenate((np.zeros(form.Y.size), e)),
        row_upper=np.concatenate((np.full(form.Y.size, np.inf), e)),
        lower=np.concatenate((np.zeros(form.X.size), np.full(len(f), -np.inf))),
    )


def plans(form: SequenceForm, outcome: ProgramResult) -> tuple[Plan, Plan]:
    """Return exactly feasible plans near the primal and dual point of ``outcome``."""
    x = outcome.x[: form.X.size] if len(outcome.x) else np.zeros(form.X.size)
    y = outcome.dual[: form.Y.size] if len(outcome.dual) else np.zeros(form.Y.size)
    return feasible(form.X, x), feasible(form.Y, y)


def feasible(space: Treeplex, plan: NDArray[np.float64]) -> Plan:
    """Clip, then rebuild the plan from its behaviour: satisfies every constraint to rounding."""
    return space.plan(space.behaviour(np.maximum(plan, 0.0)))
