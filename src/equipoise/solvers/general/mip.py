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

With two players q is linear and the program exact. With more it is a polynomial. Its products are
replaced by tangents at the best profile so far, and everything the program demands may fail by a
common slack, which it minimises; plans may move by no more than a radius, which shrinks when the
profile found is no better in the true game. Near an equilibrium a step squares the error; where steps
lead nowhere, they start again elsewhere. Given a number of breakpoints, the products are first made
piecewise linear over their whole range, as in the seed, and the steps start from what that program
finds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame
from equipoise.numerics.encodings import Encoding, Model, TangentModel
from equipoise.numerics.polynomial import Polynomial, total
from equipoise.strategy.profile import Strategy

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MipAnswer:
    """A profile found by the program.

    Attributes
    ----------
    status
        ``equilibrium`` if no player can gain more than the target; ``limit`` if time ran out first.
    strategy
        The profile.
    values, epsilon
        Payments there, and the most any player could gain, by the solver's own account.
    programs, binaries, seconds
        How many programs were solved, the 0-1 columns of the last one, and the time they took.
    """

    status: Literal["equilibrium", "limit"]
    strategy: Strategy
    values: tuple[float, ...]
    epsilon: float
    programs: int
    binaries: int
    seconds: float


def nash(
    game: ExtensiveGame | NormalGame,
    *,
    weights: Sequence[float] | None = None,
    breakpoints: int | None = None,
    encoding: Encoding = "logarithmic",
    target: float = 1e-9,
    seed: int = 0,
    time_limit: float = 60.0,
) -> MipAnswer:
    """Return an equilibrium of ``game``.

    With two players, ``weights`` asks for the one with the largest weighted payments. ``breakpoints``
    and ``encoding`` say how to start with three or more (see the module's docstring).
    """
    tree = game.tree if isinstance(game, NormalGame) else game
    players = len(tree.players)
    if players > 2 and weights is not None:
        raise EquipoiseError(
            f"MIP Nash: found weights for {players} players, expected them for two only."
        )
    if weights is not None and len(weights) != players:
        raise EquipoiseError(f"MIP Nash: found {len(weights)} weights, expected one a player.")
    clock = _Clock(time_limit)
    if players <= 2:
        form = _Form(tree, Model())
        cost = (
            None
            if weights is None
            else total(v * -float(w) for v, w in zip(form.value, weights, strict=True))
        )
        return _answer(form, form.solve(clock.left, cost), target, clock, 1)
    best, programs = _Point(_Form(tree, Model()), np.empty(0), np.inf), 0
    for start in _starts(tree, breakpoints, encoding, seed, clock):
        found, steps = _approach(tree, start, target, clock)
        programs += steps
        best = min(best, found, key=lambda point: point.epsilon)
        if best.epsilon <= target or clock.left <= 0:
            break
    return _answer(best.form, best.x, target, clock, programs)


@dataclass(frozen=True)
class _Point:
    """Values of a form's columns, and what somebody could gain there."""

    form: _Form
    x: Floats
    epsilon: float


def _starts(
    tree: ExtensiveGame, breakpoints: int | None, encoding: Encoding, seed: int, clock: _Clock
) -> Iterator[Floats]:
    """Yield profiles to start from: piecewise linear (if asked), uniform, then random ones."""
    form = _Form(tree, Model())
    if breakpoints is not None:
        found = _Form(tree, Model(breakpoints, encoding), elastic=True).solve(0.5 * clock.left)
        if found.size:
            yield found
    yield form.columns(lambda actions: np.full(actions, 1.0 / actions))
    rng = np.random.default_rng(seed)
    while True:
        yield form.columns(lambda actions: rng.dirichlet(np.ones(actions)))


def _approach(
    tree: ExtensiveGame, start: Floats, target: float, clock: _Clock
) -> tuple[_Point, int]:
    """Take steps from ``start`` until nobody gains more than ``target`` or no step helps."""
    form = _Form(tree, TangentModel(start))
    best, radius, programs = _Point(form, start, form.account(start)[1]), 1.0, 0
    while best.epsilon > target and radius > 1e-6 and clock.left > 0:
        form = _Form(tree, TangentModel(best.x), elastic=True)
        form.confine(best.x, radius)
        # One program may not use up the time of those after it: a rough step is better than none.
        found = form.solve(min(clock.left, max(2.0, 0.005 * clock.limit)))
        programs += 1
        gain = form.account(found)[1] if found.size else np.inf
        if gain < best.epsilon:
            best, radius = _Point(form, found, gain), min(1.0, 1.5 * radius)
        else:
            radius /= 3.0
    return best, programs


def _answer(form: _Form, point: Floats, target: float, clock: _Clock, programs: int) -> MipAnswer:
    if not point.size:
        raise EquipoiseError(
            f"MIP Nash of {form.tree.name}: found no profile within {clock.limit:g} s, expected a longer time limit."
        )
    values, epsilon = form.account(point)
    return MipAnswer(
        status="equilibrium" if epsilon <= target else "limit",
        strategy=form.strategy(point),
        values=values,
        epsilon=epsilon,
        programs=programs,
        binaries=sum(form.model.integer),
        seconds=clock.spent,
    )


class _Clock:
    """Time spent, and left."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._started = time.monotonic()

    @property
    def spent(self) -> float:
        return time.monotonic() - self._started

    @property
    def left(self) -> float:
        return self.limit - self.spent


class _Form:
    """Columns and rows of the program of a tree."""

    def __init__(self, tree: ExtensiveGame, model: Model, *, elastic: bool = False) -> None:
        self.tree = tree
        self.model = model
        players = range(len(tree.players))
        self.parent = self._parents()
        self.plan = [self._plan(i) for i in players]
        self.best = [model.variable(*self._bounds(k)) for k in range(tree.infosets)]
        self.slack = model.variable(0.0, float(np.ptp(tree.payoffs))) if elastic else Polynomial()
        self.ends = [self._ends(i) for i in players]
        self.worth = [self._worth(i) for i in players]
        self.value = [worth[0] for worth in self.worth]
        for k in range(tree.infosets):
            self._complement(k)

    def solve(self, time_limit: float, cost: Polynomial | None = None) -> Floats:
        """Return the columns of a solution, or of the best point so far, or nothing."""
        elastic = self.slack if self.slack.terms else None
        outcome = self.model.solve(elastic or cost, time_limit)
        return outcome.x if outcome.status in ("optimal", "limit") else np.empty(0)

    def columns(self, choose: Callable[[int], Floats]) -> Floats:
        """Return the columns of the plans that ``choose(n)`` among the n actions of every set."""
        x = np.zeros(len(self.model.lower))
        for player, plan in enumerate(self.plan):
            weights = np.ones(len(plan))
            for k in self._own(player):
                own = list(self._sequences(k))
                weights[own] = weights[self.parent[k]] * choose(len(own))
            x[[_index(column) for column in plan[1:]]] = weights[1:]
        return x

    def confine(self, point: Floats, radius: float) -> None:
        """Let no entry of a plan move further than ``radius`` from ``point``."""
        for plan in self.plan:
            for column in plan[1:]:
                i = _index(column)
                self.model.lower[i] = max(0.0, float(point[i]) - radius)
                self.model.upper[i] = min(1.0, float(point[i]) + radius)

    def _parents(self) -> NDArray[np.int32]:
        """Return the own sequence that leads to each information set."""
        tree = self.tree
        nodes = np.flatnonzero(tree.player >= 0)
        parents = np.zeros(tree.infosets, dtype=np.int32)
        parents[tree.infoset[nodes]] = tree.last_sequence[tree.player[nodes], nodes]
        return parents

    def _own(self, player: int) -> list[int]:
        return [int(k) for k in np.flatnonzero(self.tree.infoset_player == player)]

    def _sequences(self, infoset: int) -> range:
        first = int(self.tree.first_sequence[infoset])
        return range(first, first + int(self.tree.action_count[infoset]))

    def _plan(self, player: int) -> list[Polynomial]:
        """Return the columns of a realization plan: x[0] = 1, and flow is conserved at every set."""
        plan = [Polynomial.of(1.0)]
        plan += [self.model.variable() for _ in range(self.tree.sequences(player) - 1)]
        for k in self._own(player):
            self.model.equal(total(plan[s] for s in self._sequences(k)) - plan[self.parent[k]])
        return plan

    def _bounds(self, infoset: int) -> tuple[float, float]:
        """Return bounds of v_I: payments times the most that nature and the others can bring there."""
        player = int(self.tree.infoset_player[infoset])
        reach = min(1.0, float(self.tree.chance_reach[self.tree.infoset == infoset].sum()))
        payments = self.tree.payoffs[:, player]
        return min(0.0, float(payments.min())) * reach, max(0.0, float(payments.max())) * reach

    def _ends(self, player: int) -> list[Polynomial]:
        """Return, for every sequence of ``player``, the payments at the terminals right after it."""
        tree = self.tree
        after: list[list[Polynomial]] = [[] for _ in range(tree.sequences(player))]
        ends = tree.terminals
        pay = tree.payoffs[tree.outcome[ends], player] * tree.chance_reach[ends]
        for end, amount in zip(ends, pay, strict=True):
            if amount:
                term = Polynomial.of(float(amount))
                for other, plan in enumerate(self.plan):
                    if other != player:
                        term = term * plan[tree.last_sequence[other, end]]
                after[tree.last_sequence[player, end]].append(term)
        return [total(terms) for terms in after]

    def _worth(self, player: int) -> list[Polynomial]:
        """Return q for every sequence of ``player``; for the empty one, the value of the game to her."""
        after = [[end] for end in self.ends[player]]
        for k in self._own(player):
            after[self.parent[k]].append(self.best[k])
        return [total(terms) for terms in after]

    def _complement(self, infoset: int) -> None:
        """Require of every action at ``infoset`` that it is not played or has no regret."""
        player = int(self.tree.infoset_player[infoset])
        low, high = self._bounds(infoset)
        for s in self._sequences(infoset):
            unused = self.model.binary()
            regret = self.best[infoset] - self.worth[player][s]
            self.model.at_least(regret)
            self.model.at_least(unused * (high - low) + self.slack - regret)
            self.model.at_least(1.0 - unused - self.plan[player][s])

    def account(self, x: Floats) -> tuple[tuple[float, ...], float]:
        """Return what the profile of ``x`` pays, and the most anybody would gain by leaving it."""
        behaviour = self.strategy(x).behaviour
        settled = x.copy()
        weights = []
        for player, vector in enumerate(behaviour):
            weight = vector.copy()
            for k in self._own(player):
                weight[list(self._sequences(k))] *= weight[self.parent[k]]
            settled[[_index(column) for column in self.plan[player][1:]]] = weight[1:]
            weights.append(weight)
        values, gains = [], []
        for player, weight in enumerate(weights):
            worth = np.array([end.at(settled) for end in self.ends[player]])
            values.append(float(weight @ worth))
            for k in reversed(self._own(player)):
                worth[self.parent[k]] += worth[list(self._sequences(k))].max()
            gains.append(float(worth[0]) - values[-1])
        return tuple(values), max(gains)

    def strategy(self, x: Floats) -> Strategy:
        """Return the behaviour of the plans in ``x``; where a set is not reached, a best reply."""
        behaviour = []
        for player, plan in enumerate(self.plan):
            weights = np.clip([p.at(x) for p in plan], 0.0, 1.0)
            vector = np.ones(len(plan))
            for k in self._own(player):
                own = list(self._sequences(k))
                if weights[own].sum() > 1e-9:
                    vector[own] = weights[own] / weights[own].sum()
                else:
                    worth = [self.worth[player][s].at(x) for s in own]
                    vector[own] = np.arange(len(own)) == int(np.argmax(worth))
            behaviour.append(vector)
        return Strategy(self.tree.name, self.tree.fingerprint, tuple(behaviour))


def _index(column: Polynomial) -> int:
    """Return the number of the column that ``column`` is."""
    ((index,),) = column.terms
    return index
