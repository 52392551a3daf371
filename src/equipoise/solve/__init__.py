"""Solvers: one loop over (X, Y, A), one short file for each method."""

from equipoise.lazy import attach

_HOME: dict[str, str] = {
    "CFR": "equipoise.solve.cfr",
    "Context": "equipoise.solve.base",
    "DCFR": "equipoise.solve.cfr",
    "Gap": "equipoise.solve.base",
    "Iterations": "equipoise.solve.base",
    "LP": "equipoise.solve.lp",
    "Shrinking": "equipoise.solve.shrinking",
    "Solution": "equipoise.solve.base",
    "Status": "equipoise.solve.base",
    "Stop": "equipoise.solve.base",
    "Time": "equipoise.solve.base",
    "choose": "equipoise.solve.auto",
    "method": "equipoise.solve.methods",
    "solve": "equipoise.solve.base",
}

__all__ = [*_HOME]

__getattr__, __dir__ = attach(__name__, _HOME)
