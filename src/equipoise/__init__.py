"""Equipoise: the rules of an imperfect-information game in, a certified equilibrium out.

    from equipoise import DCFR, Gap, build, certify, gameshrink, lift, poker
    from equipoise.solvers import solve

The names below load on first use, so that ``import equipoise`` costs neither Numba nor SciPy.
"""

from __future__ import annotations

from equipoise.lazy import attach, wait_for_numba

__version__ = "0.1.0"

_HOME: dict[str, str] = {
    "Abstraction": "equipoise.abstraction.base",
    "BayesianGame": "equipoise.games.bayesian.game",
    "BucketTable": "equipoise.abstraction.bucket_table",
    "CFR": "equipoise.solvers.saddle.cfr",
    "Certificate": "equipoise.certificates.certificate",
    "DCFR": "equipoise.solvers.saddle.cfr",
    "EquipoiseError": "equipoise.errors",
    "ExtensiveGame": "equipoise.games.trees.extensive",
    "Gap": "equipoise.solvers.driver",
    "Iterations": "equipoise.solvers.driver",
    "LP": "equipoise.solvers.saddle.lp",
    "Partition": "equipoise.abstraction.base",
    "NormalGame": "equipoise.games.trees.normal",
    "SequenceForm": "equipoise.sequence.build",
    "Signals": "equipoise.games.bayesian.distributions",
    "Solution": "equipoise.solvers.base",
    "Strategy": "equipoise.strategy.profile",
    "Time": "equipoise.solvers.driver",
    "Tournament": "equipoise.games.tournaments.tournament",
    "TreeBuilder": "equipoise.games.trees.builder",
    "build": "equipoise.sequence.build",
    "certify": "equipoise.road.verbs",
    "Relative": "equipoise.solvers.driver",
    "RepeatedGame": "equipoise.games.repeated.game",
    "coarsen": "equipoise.abstraction.base",
    "from_matrices": "equipoise.games.trees.normal",
    "from_rules": "equipoise.games.trees.builder",
    "gameshrink": "equipoise.abstraction.gameshrink",
    "icm": "equipoise.games.tournaments.icm",
    "solve_repeated": "equipoise.solvers.repeated.cav",
    "solve_tournament": "equipoise.solvers.stochastic.tournament",
    "lift": "equipoise.strategy.lift",
    "load": "equipoise.games.base",
    "open": "equipoise.road.verbs",
    "abstract": "equipoise.road.verbs",
    "solve": "equipoise.road.verbs",
    "Result": "equipoise.road.result",
    "nash": "equipoise.solvers.general.nash",
    "poker": "equipoise.games.poker",
    "qualitative": "equipoise.solvers.bayesian.qualitative",
}

__all__ = [*_HOME, "__version__"]

wait_for_numba()
__getattr__, __dir__ = attach(__name__, _HOME)
