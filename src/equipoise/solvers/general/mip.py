"""Nash equilibria of general games as a mixed-integer program.

MIP Nash (Sandholm, Gilpin and Conitzer 2005, formulation 1) for any number of players and for trees,
as Ganzfried and Sandholm (2010, section 7.3.3) suggest: the constraints on expected utility are
written for every information set. In the sequence form, player i's plan x_i has an entry for every
sequence; v_I is the best that i can still get at her information set I, weighted with how likely
nature and the others let her be there, and

    v_I − q(I, a) = r(I, a) ≥ 0,    q(I, a) = Σ payments after (I, a) · Π_{j≠i} x_j + Σ v_J,

with J the sets of hers that follow. A 0-1 column b(I, a) lets either x_i(I, a) or the regret r(I, a)
be positive, not both, so every feasible point is an equilibrium, and one that plays best responses
even at sets her own earlier actions rule out. A matrix game is the tree in which everybody moves once.

With two players q is linear and the program exact (:func:`solve_exactly`); it can be asked for the equilibrium
with the largest weighted payments. With more it is a polynomial (:func:`approach`). Its products are
replaced by tangents at the best profile so far, and everything the program demands may fail by a
common slack, which it minimises; plans may move by no more than a radius, which shrinks when the
profile found is no better in the true game. Near an equilibrium a step squares the error; where steps
lead nowhere, they start again elsewhere. Given a number of breakpoints, the products are first made
piecewise linear over their whole range, as in the article, and the steps start from what that program
finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from equipoise.numerics.encodings import Encoding, Model
from equipoise.numerics.polynomial import Polynomial, total
from equipoise.solvers.general.plans import Behaviour, Plans, sums
from equipoise.solvers.general.search import Search


def solve_exactly(search: Search, weights: Sequence[float] | None) -> None:
    """Look at an equilibrium of a game of one or two players, the best by ``weights`` if given."""
    plans = search.plans
    form = _Form(plans, Model(deadline=search.deadline))
    cost = None
    if weights is not None:
        # In the program a player is paid in her own unit. Weights count by their ratios: of the
        # largest they are shares, whose products with units do not overflow.
        most = max(map(abs, weights)) or 1.0
        prices = [
            float(w) / most * float(unit) for w, unit in zip(weights, plans.unit, strict=True)
        ]
        largest = max(map(abs, prices)) or 1.0
        cost = total(v * (-p / largest) for v, p in zip(form.value, prices, strict=True))
    found = form.solve(search, search.deadline.left, cost)
    if found is not None:
        point = search.look(found)
        if search.is_found(point):
            # Of several equilibria the program's, not that with the least rounding.
            search.best = point


def approach(
    search: Search, breakpoints: int | None, encoding: Encoding, rng: np.random.Generator
) -> Iterator[None]:
    """Step from one start after the other until an equilibrium is found; yield after every step.

    The first start is the best profile so far.
    """
    for start in _starts(search, breakpoints, encoding, rng):
        yield from _descend(search, start)
        if search.is_done:
            return
        search.deadline.check()


def _starts(
    search: Search, breakpoints: int | None, encoding: Encoding, rng: np.random.Generator
) -> Iterator[Behaviour]:
    """Yield profiles to start from: piecewise linear (if asked), the best so far, then random ones."""
    plans, first = search.plans, search.best.behaviour
    if breakpoints is not None:
        model = Model(breakpoints, encoding, search.deadline)
        form = _Form(plans, model, elastic=True)
        found = form.solve(search, 0.5 * search.deadline.left)
        if found is not None:
            yield found
    yield first
    while True:
        yield plans.choose(lambda actions: rng.dirichlet(np.ones(actions)))


def _descend(search: Search, start: Behaviour) -> Iterator[None]:
    """Take steps from ``start`` until nobody gains more than her target or no step helps."""
    best, radius = search.look(start), 1.0
    limit = search.deadline.limit
    while not search.is_found(best) and radius > 1e-6:
        model = Model(deadline=search.deadline)
        form = _Form(search.plans, model, elastic=True, tangents_at=best.behaviour)
        form.confine(best.behaviour, radius)
        # One program may not use up the time of those after it: a rough step is better than none.
        found = form.solve(search, min(search.deadline.left, max(2.0, 0.005 * limit)))
        point = None if found is None else search.look(found)
        if point is not None and point.epsilon < best.epsilon:
            best, radius = point, min(1.0, 1.5 * radius)
        else:
            radius /= 3.0
        yield
        search.deadline.check()


class _Form:
    """Columns and rows of the program of a tree: first the plans' entries, then v, then the rest.

    If it is ``elastic``, everything may fail by a slack. Payments are products of plans, or the
    tangents of the products at a profile.
    """

    def __init__(
        self,
        plans: Plans,
        model: Model,
        *,
        elastic: bool = False,
        tangents_at: Behaviour | None = None,
    ) -> None:
        self.plans = plans
        self.model = model
        tree = plans.tree
        self.plan = [self._plan(i) for i in plans.players]
        self._bound = self._bounds()
        self.best = [model.variable(*bounds) for bounds in self._bound]
        most = float(plans.payoffs.max())
        self.slack = model.variable(0.0, most) if elastic else Polynomial()
        ends = self._products if tangents_at is None else self._tangents(tangents_at)
        self.worth = [self._worth(i, ends(i)) for i in plans.players]
        self.value = [worth[0] for worth in self.worth]
        for k in range(tree.infosets):
            self._complement(k)

    def solve(
        self, search: Search, time_limit: float, cost: Polynomial | None = None
    ) -> Behaviour | None:
        """Return the profile of a solution, or of the best point so far, if there is one."""
        elastic = self.slack if self.slack.terms else None
        search.programs += 1
        search.binaries = sum(self.model.integer)
        if not self.model.lower:
            return self.plans.uniform()
        outcome = self.model.solve(elastic or cost, time_limit)
        if outcome.status not in ("optimal", "limit", "interrupted") or not outcome.x.size:
            return None
        return self.plans.behaviour([np.array([p.at(outcome.x) for p in own]) for own in self.plan])

    def confine(self, behaviour: Behaviour, radius: float) -> None:
        """Let no entry of a plan move further than ``radius`` from that of ``behaviour``."""
        plans = self.plans
        weights = [plans.weights(player, vector)[1:] for player, vector in enumerate(behaviour)]
        for i, at in enumerate(np.concatenate(weights)):
            self.model.lower[i] = max(0.0, float(at) - radius)
            self.model.upper[i] = min(1.0, float(at) + radius)

    def _sequences(self, infoset: int) -> range:
        own = self.plans.sequences(infoset)
        return range(own.start, own.stop)

    def _plan(self, player: int) -> list[Polynomial]:
        """Return the columns of a realization plan: x[0] = 1, and flow is conserved at every set."""
        plan = [Polynomial.of(1.0)]
        plan += [self.model.variable() for _ in range(self.plans.tree.sequences(player) - 1)]
        for k in self.plans.own[player]:
            flow = total(plan[s] for s in self._sequences(k)) - plan[self.plans.parent[k]]
            self.model.equal(flow)
        return plan

    def _bounds(self) -> list[tuple[float, float]]:
        """Return bounds of every v_I: payments times the most that nature and the others bring there."""
        tree = self.plans.tree
        nodes = np.flatnonzero(tree.player >= 0)
        reach = sums(tree.infoset[nodes], tree.chance_reach[nodes], tree.infosets)
        most = self.plans.payoffs.max(axis=0)[tree.infoset_player]
        return [(0.0, float(bound)) for bound in most * np.minimum(reach, 1.0)]

    def _products(self, player: int) -> list[Polynomial]:
        """Return, for every sequence of ``player``, the payments at the terminals right after it."""
        plans = self.plans
        after: list[list[Polynomial]] = [[] for _ in range(plans.tree.sequences(player))]
        for end, amount in enumerate(plans.paid[:, player]):
            if amount:
                self.model.deadline.check()
                term = Polynomial.of(float(amount))
                for other, plan in enumerate(self.plan):
                    if other != player:
                        term = term * plan[plans.last[other, end]]
                after[plans.last[player, end]].append(term)
        return [total(terms) for terms in after]

    def _tangents(self, behaviour: Behaviour) -> Callable[[int], list[Polynomial]]:
        """Return what :meth:`_products` does, to first order around ``behaviour``.

        A product of m factors is homogeneous: its slopes times the factors sum to m times itself, so
        its tangent is that sum in the new factors less m − 1 times the product at the old ones.
        """
        plans = self.plans
        weights = [plans.weights(player, vector) for player, vector in enumerate(behaviour)]

        def ends(player: int) -> list[Polynomial]:
            others = [other for other in plans.players if other != player]
            after = [
                [Polynomial.of((1 - len(others)) * float(value))]
                for value in plans.rewards(player, weights)
            ]
            for other in others:
                for s, column, slope in zip(*plans.slopes(player, other, weights), strict=True):
                    self.model.deadline.check()
                    after[s].append(self.plan[other][column] * float(slope))
            return [total(terms) for terms in after]

        return ends

    def _worth(self, player: int, ends: list[Polynomial]) -> list[Polynomial]:
        """Return q for every sequence of ``player``; for the empty one, the value of the game to her."""
        after = [[end] for end in ends]
        for k in self.plans.own[player]:
            after[self.plans.parent[k]].append(self.best[k])
        return [total(terms) for terms in after]

    def _complement(self, infoset: int) -> None:
        """Require of every action at ``infoset`` that it is not played or has no regret."""
        player = int(self.plans.tree.infoset_player[infoset])
        low, high = self._bound[infoset]
        for s in self._sequences(infoset):
            unused = self.model.binary()
            regret = self.best[infoset] - self.worth[player][s]
            self.model.at_least(regret)
            self.model.at_least(unused * (high - low) + self.slack - regret)
            self.model.at_least(1.0 - unused - self.plan[player][s])
