"""Linear and mixed-integer programs behind one call.

    minimise  c·x   subject to   row_lower <= A x <= row_upper,   lower <= x <= upper,
                                 x_j integer where integer[j]

The solver is HiGHS, named explicitly: ``dual-simplex``, ``primal-simplex``, or ``ipx`` (interior
point, with crossover to a vertex unless told otherwise). Its status is always checked: an
:class:`ProgramResult` says what was proved, and holds whatever point the solver had when it stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.clock import Deadline

Floats = NDArray[np.float64]
Statuses = NDArray[np.int8]
Solver = Literal["dual-simplex", "primal-simplex", "ipx"]
SOLVERS: tuple[Solver, ...] = ("dual-simplex", "primal-simplex", "ipx")

# Statuses of a basis, as HiGHS numbers them.
AT_LOWER, BASIC, FREE = 0, 1, 3

# Up to so many columns simplex ends before presolve would.
_TINY = 64
_SMALLEST = 1e-12  # the least that HiGHS allows

Status = Literal["optimal", "infeasible", "unbounded", "limit", "interrupted"]


@dataclass(frozen=True)
class Program:
    """A linear or mixed-integer program in the form of the module's docstring.

    ``A`` is any SciPy sparse matrix or a dense array; bounds may be scalars. ``integer`` is a mask
    over the columns, or ``None`` for a linear program.
    """

    c: ArrayLike
    A: Any
    row_lower: ArrayLike = -np.inf
    row_upper: ArrayLike = np.inf
    lower: ArrayLike = 0.0
    upper: ArrayLike = np.inf
    integer: ArrayLike | None = None


class Basis(NamedTuple):
    """Where simplex stands: the status of every column and row, in the codes of HiGHS.

    As many are ``BASIC`` as there are rows; the others rest at a bound, ``AT_LOWER`` or ``FREE``.
    """

    columns: Statuses
    rows: Statuses


@dataclass(frozen=True)
class ProgramResult:
    """What HiGHS returned.

    Attributes
    ----------
    status
        ``optimal`` only if HiGHS proved it; ``limit`` and ``interrupted`` may still hold a point.
    x, dual
        Primal point and row multipliers (empty where there are none). With minimisation, ``dual[i]``
        is the derivative of the optimum with respect to the binding side of row ``i``.
    objective, bound
        Objective at ``x`` and the proved lower bound on the optimum (equal when optimal).
    iterations
        Simplex or interior-point iterations, or branch-and-bound nodes.
    basis
        Where simplex ended, if it was told where to begin.
    """

    status: Status
    x: Floats
    dual: Floats
    objective: float
    bound: float
    iterations: int
    basis: Basis | None = None

    def require_optimal(self, what: str) -> ProgramResult:
        """Return this outcome, or raise a sentence saying that ``what`` was not solved."""
        if self.status != "optimal":
            raise EquipoiseError(
                f"{what}: the solver stopped with status '{self.status}', expected 'optimal'."
            )
        return self


def optimize(
    program: Program,
    solver: Solver = "dual-simplex",
    *,
    time_limit: float = np.inf,
    iteration_limit: int | None = None,
    crossover: bool = True,
    tolerance: float = 1e-9,
    mip_gap: float = 1e-9,
    threads: int = 1,
    should_stop: Callable[[], bool] | None = None,
    basis: Basis | None = None,
) -> ProgramResult:
    """Solve ``program`` with HiGHS.

    ``tolerance`` is the primal and dual feasibility tolerance; ``should_stop`` is asked now and then
    and ends the solve with status ``interrupted`` when it says yes. The time limit covers handing the
    program over. Simplex may begin at a ``basis``, as it ended for a program that was a little smaller.
    """
    if solver not in SOLVERS:
        raise EquipoiseError(f"LP solver: found '{solver}', expected one of {', '.join(SOLVERS)}.")
    deadline = Deadline(time_limit)
    highs, core = _load(program)
    _configure(
        highs, solver, deadline.left, iteration_limit, crossover, tolerance, mip_gap, threads
    )
    if program.integer is None and highs.getNumCol() <= _TINY:
        highs.setOptionValue("presolve", "off")
    if basis is not None:
        _begin_at(highs, core, basis)
    if should_stop is not None:
        _watch(highs, should_stop)
    highs.run()
    outcome = _outcome(highs, core, program.integer is not None)
    return outcome if basis is None else replace(outcome, basis=_basis(highs))


def _load(program: Program) -> tuple[Any, Any]:
    """Return a HiGHS instance holding ``program``, and the ``highspy`` module."""
    import highspy
    from scipy import sparse

    matrix = sparse.csc_matrix(program.A)
    rows, columns = matrix.shape
    # HiGHS does not look at these itself, and searches on without an end.
    if not (np.isfinite(program.c).all() and np.isfinite(matrix.data).all()):
        raise EquipoiseError("Linear program: found a cost or an entry that is not finite.")
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = rows, columns
    lp.col_cost_ = _vector(program.c, columns)
    lp.col_lower_, lp.col_upper_ = _vector(program.lower, columns), _vector(program.upper, columns)
    lp.row_lower_, lp.row_upper_ = (
        _vector(program.row_lower, rows),
        _vector(program.row_upper, rows),
    )
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.num_row_, lp.a_matrix_.num_col_ = rows, columns
    lp.a_matrix_.start_ = matrix.indptr.astype(np.int32)
    lp.a_matrix_.index_ = matrix.indices.astype(np.int32)
    lp.a_matrix_.value_ = matrix.data.astype(np.float64)
    if program.integer is not None:
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        mask = np.broadcast_to(np.asarray(program.integer, dtype=bool), (columns,))
        lp.integrality_ = [kinds[int(flag)] for flag in mask]
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    # HiGHS takes entries up to this for zero, as soon as it sees them; by default 1e-9, and payoffs are
    # multiplied by probabilities, which may be less.
    highs.setOptionValue("small_matrix_value", _SMALLEST)
    if highs.passModel(lp) == highspy.HighsStatus.kError:
        raise EquipoiseError(
            "Linear program: HiGHS refused the data (NaN, or a lower bound above its upper bound)."
        )
    return highs, highspy


def _vector(values: ArrayLike, size: int) -> Floats:
    """Broadcast ``values`` to a contiguous vector of ``size`` floats."""
    return np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=np.float64), (size,)))


def _configure(
    highs: Any,
    solver: Solver,
    time_limit: float,
    iteration_limit: int | None,
    crossover: bool,
    tolerance: float,
    mip_gap: float,
    threads: int,
) -> None:
    """Set the options of HiGHS that the arguments of :func:`optimize` name."""
    options: dict[str, Any] = {
        "solver": "ipx" if solver == "ipx" else "simplex",
        "simplex_strategy": 4 if solver == "primal-simplex" else 1,
        "run_crossover": "on" if crossover else "off",
        "primal_feasibility_tolerance": tolerance,
        "dual_feasibility_tolerance": tolerance,
        "ipm_optimality_tolerance": max(1e-12, tolerance),
        "mip_rel_gap": mip_gap,
        "mip_abs_gap": mip_gap,
        "threads": threads,
    }
    if np.isfinite(time_limit):
        options["time_limit"] = max(0.0, float(time_limit))
    if iteration_limit is not None:
        options["simplex_iteration_limit"] = options["ipm_iteration_limit"] = int(iteration_limit)
    for name, value in options.items():
        highs.setOptionValue(name, value)


def _watch(highs: Any, should_stop: Callable[[], bool]) -> None:
    """Ask ``should_stop`` at every interrupt point of HiGHS."""

    def ask(event: Any) -> None:
        if should_stop():
            event.interrupt()

    for callback in (highs.cbSimplexInterrupt, highs.cbIpmInterrupt, highs.cbMipInterrupt):
        callback.subscribe(ask)


def _begin_at(highs: Any, core: Any, basis: Basis) -> None:
    """Hand over ``basis``; one that is singular HiGHS repairs."""
    kinds = core.HighsBasisStatus
    codes = {int(kind): kind for kind in (kinds.kLower, kinds.kBasic, kinds.kUpper, kinds.kZero)}
    handed = core.HighsBasis()
    handed.col_status = [codes[code] for code in basis.columns.tolist()]
    handed.row_status = [codes[code] for code in basis.rows.tolist()]
    handed.valid = True
    highs.setBasis(handed)


def _basis(highs: Any) -> Basis:
    """Read where simplex ended."""
    found = highs.getBasis()
    return Basis(
        np.array([int(status) for status in found.col_status], np.int8),
        np.array([int(status) for status in found.row_status], np.int8),
    )


def _outcome(highs: Any, core: Any, is_mip: bool) -> ProgramResult:
    """Read status, point, multipliers and bounds out of a finished HiGHS instance."""
    model = core.HighsModelStatus
    names: dict[Any, Status] = {
        model.kOptimal: "optimal",
        model.kInfeasible: "infeasible",
        model.kUnboundedOrInfeasible: "infeasible",
        model.kUnbounded: "unbounded",
        model.kInterrupt: "interrupted",
    }
    status = names.get(highs.getModelStatus(), "limit")
    solution, info = highs.getSolution(), highs.getInfo()
    objective = float(info.objective_function_value)
    if is_mip:
        bound = float(info.mip_dual_bound)
    else:
        bound = objective if status == "optimal" else -np.inf
    iterations = (
        info.mip_node_count if is_mip else info.simplex_iteration_count + info.ipm_iteration_count
    )
    return ProgramResult(
        status=status,
        x=np.array(solution.col_value, dtype=np.float64),
        dual=np.array(solution.row_dual, dtype=np.float64),
        objective=objective,
        bound=bound,
        iterations=int(max(iterations, 0)),
    )
