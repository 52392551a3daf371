"""Equipoise: the rules of an imperfect-information game in, a certified equilibrium out.

    from equipoise import DCFR, Gap, build, certify, gameshrink, lift, poker
    from equipoise.solve import solve

The names below load on first use, so that ``import equipoise`` costs neither Numba nor SciPy.
"""

from __future__ import annotations

from equipoise.lazy import attach

__version__ = "0.1.0"

_HOME: dict[str, str] = {
    "Abstraction": "equipoise.abstraction.base",
    "BayesianGame": "equipoise.games.bayesian",
    "CFR": "equipoise.solve.cfr",
    "Certificate": "equipoise.certify.certificate",
    "DCFR": "equipoise.solve.cfr",
    "EquipoiseError": "equipoise.errors",
    "ExtensiveGame": "equipoise.games.extensive",
    "Gap": "equipoise.solve.base",
    "Iterations": "equipoise.solve.base",
    "LP": "equipoise.solve.lp",
    "NormalGame": "equipoise.games.normal",
    "SequenceForm": "equipoise.sequence.build",
    "Signals": "equipoise.games.distributions",
    "Solution": "equipoise.solve.base",
    "Strategy": "equipoise.strategy.profile",
    "Time": "equipoise.solve.base",
    "Tournament": "equipoise.games.tournament",
    "TreeBuilder": "equipoise.games.tree",
    "build": "equipoise.sequence.build",
    "RepeatedGame": "equipoise.games.repeated",
    "coarsen": "equipoise.abstraction.base",
    "from_matrices": "equipoise.games.normal",
    "from_rules": "equipoise.games.tree",
    "gameshrink": "equipoise.abstraction.gameshrink",
    "icm": "equipoise.games.icm",
    "solve_repeated": "equipoise.solve.cav",
    "solve_tournament": "equipoise.solve.tournament",
    "lift": "equipoise.strategy.lift",
    "load": "equipoise.games.base",
    "nash": "equipoise.solve.mip",
    "poker": "equipoise.games.poker",
    "qualitative": "equipoise.solve.qualitative",
}

__all__ = [*_HOME, "__version__"]

__getattr__, __dir__ = attach(__name__, _HOME)
