"""The same models with products as they are, by SCIP (an optional extra: ``equipoise[scip]``).

SCIP branches on continuous columns too, so that no product is approximated and what is found, or
proved not to exist, holds to its feasibility tolerance of 1e-9.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from equipoise.errors import EquipoiseError
from equipoise.numerics.encodings import Model
from equipoise.numerics.polynomial import Polynomial
from equipoise.numerics.program import ProgramResult, Status

_STATUS: dict[str, Status] = {
    "optimal": "optimal",
    "infeasible": "infeasible",
    "inforunbd": "infeasible",
    "unbounded": "unbounded",
    "userinterrupt": "interrupted",
}


class ScipModel(Model):
    """A model solved by SCIP."""

    def linear(self, expression: Polynomial) -> Polynomial:
        """Return ``expression``: nothing needs to be linear."""
        return expression

    def solve(self, cost: Polynomial | None = None, time_limit: float = np.inf) -> ProgramResult:
        """Minimise ``cost``, or find a feasible point."""
        try:
            from pyscipopt import Model as Scip
            from pyscipopt import quickprod, quicksum
        except ImportError:
            raise EquipoiseError(
                "SCIP: pyscipopt is not installed, expected it (pip install 'equipoise[scip]')."
            ) from None
        scip = Scip()
        scip.hideOutput()
        scip.setParam("numerics/feastol", 1e-9)
        if np.isfinite(time_limit):
            scip.setParam("limits/time", max(0.0, float(time_limit)))
        ends = zip(self.lower, self.upper, self.integer, strict=True)
        columns = [
            scip.addVar(vtype="I" if whole else "C", lb=_finite(low), ub=_finite(high))
            for low, high, whole in ends
        ]

        def written(polynomial: Polynomial) -> Any:
            terms = polynomial.terms.items()
            return quicksum(c * quickprod(columns[i] for i in m) for m, c in terms if c)

        for row, low, high in self.rows:
            expression = written(row)
            if np.isfinite(low):
                scip.addCons(expression >= low)
            if np.isfinite(high):
                scip.addCons(expression <= high)
        if cost is not None:
            scip.setObjective(written(cost))
        scip.optimize()
        x = np.array([scip.getVal(v) for v in columns]) if scip.getNSols() else np.empty(0)
        objective = float(scip.getObjVal()) if scip.getNSols() else np.inf
        return ProgramResult(
            status=_STATUS.get(scip.getStatus(), "limit"),
            x=x,
            dual=np.empty(0),
            objective=objective,
            bound=float(scip.getDualbound()),
            iterations=int(scip.getNNodes()),
        )


def _finite(bound: float) -> float | None:
    return float(bound) if np.isfinite(bound) else None
