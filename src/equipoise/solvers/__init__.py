"""Solvers: one loop over (X, Y, A), one short file for each method."""

from equipoise.lazy import attach

_HOME: dict[str, str] = {
    "CFR": "equipoise.solvers.saddle.cfr",
    "Context": "equipoise.solvers.base",
    "DCFR": "equipoise.solvers.saddle.cfr",
    "Gap": "equipoise.solvers.driver",
    "Iterations": "equipoise.solvers.driver",
    "LP": "equipoise.solvers.saddle.lp",
    "Reduced": "equipoise.solvers.saddle.reduced",
    "Relative": "equipoise.solvers.driver",
    "Solution": "equipoise.solvers.base",
    "Status": "equipoise.solvers.driver",
    "Stop": "equipoise.solvers.driver",
    "Time": "equipoise.solvers.driver",
    "choose": "equipoise.solvers.auto",
    "method": "equipoise.solvers.methods",
    "solve": "equipoise.solvers.base",
}

__all__ = [*_HOME]

__getattr__, __dir__ = attach(__name__, _HOME)
