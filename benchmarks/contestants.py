"""The contestants: each function makes one attempt at a problem, on one thread.

The clock of an attempt starts when the contestant holds the problem (the sequence form, the linear
program's arrays, OpenSpiel's game object, LiteEFG's tree) and counts everything it then does:
shrinking, scaling, presolve, set-up of its tables, iterations. Our own solve loop also measures its
gap on the clock; the gaps of the others are measured for them, off the clock.

    python -m benchmarks.contestants FOLDER CONTESTANT VARIANT LIMIT OUT TARGET...

runs one of them; :mod:`benchmarks.peers` calls it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.iterative import Iterative, LiteEFG, OpenSpiel
from benchmarks.problems import Problem, load
from benchmarks.trial import Trial

Contestant = Callable[[Problem, str, Trial], None]


def equipoise(problem: Problem, variant: str, trial: Trial) -> None:
    """Solve with our method ``variant``, or let us choose one, to the gap the trial asks for."""
    from equipoise.solvers.auto import choose
    from equipoise.solvers.base import solve
    from equipoise.solvers.driver import Gap, Time
    from equipoise.solvers.methods import method

    (target,) = trial.targets
    with trial.clock():
        chosen = choose(problem.form, target)[0] if variant == "auto" else method(variant)
        # Our limit is of time on the wall: leave room for the CPU time that the trial allows.
        solution = solve(problem.form, chosen, Gap(target) | Time(10 * trial.limit))
    trial.label = solution.method
    trial.submit(solution.x, solution.y)


def openspiel(problem: Problem, variant: str, trial: Trial) -> None:
    """Iterate OpenSpiel's CFR+ in C++."""
    _race(OpenSpiel(problem), trial)


def liteefg(problem: Problem, variant: str, trial: Trial) -> None:
    """Iterate LiteEFG's algorithm ``variant``."""
    _race(LiteEFG(problem, variant), trial)


def _race(solver: Iterative, trial: Trial) -> None:
    """Iterate until the trial has seen enough, submitting after every twentieth more iterations."""
    with trial.clock():
        solver.start()
    done, go_on = 0, True
    while go_on:
        count = 1 + done // 20
        with trial.clock():
            solver.iterate(count)
        done += count
        go_on = trial.submit(*solver.plans())


def highs(problem: Problem, variant: str, trial: Trial) -> None:
    """Solve the linear program as it is with HiGHS."""
    from equipoise.numerics.program import optimize

    with trial.clock():
        outcome = optimize(
            problem.lp,
            "dual-simplex" if variant == "simplex" else "ipx",
            crossover=variant != "ipx, no crossover",
        )
    trial.submit(*problem.feasible(outcome.x, outcome.dual))


def clarabel(problem: Problem, variant: str, trial: Trial) -> None:
    """Solve the linear program with Clarabel's interior point, to the tolerance ``variant``."""
    import clarabel
    from scipy import sparse

    lp, rows, bounded = problem.lp, problem.form.Y.size, problem.form.X.size
    c, right = np.asarray(lp.c), np.asarray(lp.row_lower)
    with trial.clock():
        # Clarabel takes A x + s = b with s in cones: inequalities, signs of x, then equalities.
        matrix = sparse.csr_matrix(lp.A)
        signs = sparse.eye(bounded, len(c))
        stacked = sparse.vstack([-matrix[:rows], -signs, matrix[rows:]], format="csc")
        sides = np.concatenate((-right[:rows], np.zeros(bounded), right[rows:]))
        cones = [
            clarabel.NonnegativeConeT(rows + bounded),
            clarabel.ZeroConeT(len(right) - rows),
        ]
        settings = clarabel.DefaultSettings()
        settings.verbose, settings.max_threads = False, 1
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = float(variant)
        nothing = sparse.csc_matrix((len(c), len(c)))
        solver = clarabel.DefaultSolver(nothing, c, stacked, sides, cones, settings)
        solution = solver.solve()
    trial.submit(*problem.feasible(np.array(solution.x), np.array(solution.z)))


def pdlp(problem: Problem, variant: str, trial: Trial) -> None:
    """Solve the linear program with OR-tools' PDLP, to the tolerance ``variant``."""
    from ortools.pdlp import solvers_pb2
    from ortools.pdlp.python import pdlp

    lp = problem.lp
    with trial.clock():
        model = pdlp.QuadraticProgram()
        model.constraint_matrix = lp.A
        model.objective_vector = lp.c
        model.constraint_lower_bounds = lp.row_lower
        model.constraint_upper_bounds = lp.row_upper
        model.variable_lower_bounds = lp.lower
        model.variable_upper_bounds = np.full(lp.A.shape[1], np.inf)
        parameters = solvers_pb2.PrimalDualHybridGradientParams()
        parameters.num_threads = 1
        criteria = parameters.termination_criteria.simple_optimality_criteria
        criteria.eps_optimal_absolute = criteria.eps_optimal_relative = float(variant)
        result = pdlp.primal_dual_hybrid_gradient(model, parameters)
    trial.submit(*problem.feasible(result.primal_solution, result.dual_solution))


CONTESTANTS: dict[str, Contestant] = {
    "equipoise": equipoise,
    "openspiel": openspiel,
    "liteefg": liteefg,
    "highs": highs,
    "clarabel": clarabel,
    "pdlp": pdlp,
}


def main() -> None:
    """Run one contestant as the module's docstring says."""
    folder, name, variant, limit, out, *targets = sys.argv[1:]
    problem = load(Path(folder))
    trial = Trial(problem, [float(target) for target in targets], float(limit), Path(out))
    trial.label = variant
    for _ in trial.attempts():
        CONTESTANTS[name](problem, variant, trial)
        trial.write()


if __name__ == "__main__":
    main()
