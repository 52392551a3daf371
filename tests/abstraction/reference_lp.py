"""A second road to the value of a game: its sequence form, written out and given to an LP solver.

Nothing here is shared with the package's own sequence forms, solvers or certificates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL
from equipoise.numerics.program import Program, optimize


@dataclass
class Plans:
    """Realization plans of one player: E x = e, x >= 0 (von Stengel 1996)."""

    E: sparse.csr_array
    e: np.ndarray
    first: dict  # (child node of the betting tree) -> number of its sequence for view 0
    last_own: np.ndarray  # betting node -> child node by which the player last acted, or -1


class Form:
    """max_x min_y x'Ay over the plans of two players, from a betting tree and signal rounds."""

    def __init__(self, tree, rounds):
        self.tree, self.rounds = tree, rounds
        self.plans = [self._plans(player) for player in (0, 1)]
        self.A = self._payoffs()

    def _ancestor(self, player, views, frm, to):
        for r in range(frm, to, -1):
            views = self.rounds[r].parents[player][views]
        return views

    def _plans(self, player):
        tree = self.tree
        last_own = np.full(len(tree.parent), -1)
        first, size = {}, 1
        rows, columns, data, infosets = [], [], [], 1
        for node in range(len(tree.parent)):
            parent = tree.parent[node]
            if parent >= 0:
                last_own[node] = node if tree.player[parent] == player else last_own[parent]
            if tree.player[node] == player:
                count = self.rounds[tree.round[node]].views[player]
                for child in tree.children(node):
                    first[child] = size
                    size += count
        plans = Plans(None, None, first, last_own)
        rows, columns, data = [np.zeros(1, int)], [np.zeros(1, int)], [np.ones(1)]
        for node in np.flatnonzero(tree.player == player):
            views = np.arange(self.rounds[tree.round[node]].views[player])
            here = infosets + views
            infosets += len(views)
            rows.append(here)
            columns.append(self._sequence(plans, player, node, views))
            data.append(-np.ones(len(views)))
            for child in tree.children(node):
                rows.append(here)
                columns.append(first[child] + views)
                data.append(np.ones(len(views)))
        entries = np.concatenate(data), (np.concatenate(rows), np.concatenate(columns))
        plans.E = sparse.csr_array(entries, shape=(infosets, size))
        plans.e = np.eye(infosets)[0]
        return plans

    def _sequence(self, plans, player, node, views):
        """The player's last sequence before or at ``node`` for each of ``views`` of its round."""
        own = plans.last_own[node]
        if own < 0:
            return np.zeros(len(views), int)
        acted = self.tree.round[self.tree.parent[own]]
        return plans.first[own] + self._ancestor(player, views, self.tree.round[node], acted)

    def _payoffs(self):
        tree = self.tree
        rows, columns, data = [], [], []
        for node in np.flatnonzero(tree.player == TERMINAL):
            deals = self.rounds[tree.round[node]]
            pay = np.full(len(deals.weight), tree.base[node, 0])
            if tree.kind[node] != NO_OUTCOME:
                pay = pay + tree.scale[node] * deals.values[tree.kinds[tree.kind[node]]]
            rows.append(self._sequence(self.plans[0], 0, node, deals.pairs[0]))
            columns.append(self._sequence(self.plans[1], 1, node, deals.pairs[1]))
            data.append(deals.weight * pay)
        entries = np.concatenate(data), (np.concatenate(rows), np.concatenate(columns))
        return sparse.csr_array(entries, shape=tuple(p.E.shape[1] for p in self.plans))

    def solve(self):
        """Value to player 1 and a maximin plan of hers."""
        x, y = self.plans
        return solve_lp(x.E, x.e, y.E, y.e, self.A)

    def worst_case(self, x):
        """What the plan ``x`` of player 1 earns against a best reply."""
        y = self.plans[1]
        program = Program(c=self.A.T @ x, A=y.E, row_lower=y.e, row_upper=y.e)
        return optimize(program).require_optimal("best reply").objective

    def lift(self, x, coarse, maps):
        """The plan of player 1 in this form that plays the plan ``x`` of ``coarse`` by bucket.

        A plan of the filtered game gives each bucket's sequence the probability with which any of
        its views plays it, given that the signals allow it, so lifting copies the numbers.
        """
        lifted = np.zeros(self.plans[0].E.shape[1])
        lifted[0] = 1.0
        for child, start in self.plans[0].first.items():
            bucket = maps[self.tree.round[self.tree.parent[child]]][0]
            lifted[start : start + len(bucket)] = x[coarse.plans[0].first[child] + bucket]
        return lifted


def solve_lp(E, e, F, f, A):
    """Value and maximin plan: max f'q with F'q <= A'x, E x = e, x >= 0 (von Stengel 1996)."""
    sequences, sets = E.shape[1], F.shape[0]
    program = Program(
        c=np.concatenate([np.zeros(sequences), -f]),
        A=sparse.block_array([[E, None], [-A.T, F.T]], format="csc"),
        row_lower=np.concatenate([e, np.full(F.shape[1], -np.inf)]),
        row_upper=np.concatenate([e, np.zeros(F.shape[1])]),
        lower=np.concatenate([np.zeros(sequences), np.full(sets, -np.inf)]),
    )
    outcome = optimize(program, "ipx").require_optimal("reference game")
    return -outcome.objective, outcome.x[:sequences]


def value(tree, rounds):
    """Value of the game to player 1."""
    return Form(tree, rounds).solve()[0]
