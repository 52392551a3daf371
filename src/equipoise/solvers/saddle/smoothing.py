"""Nesterov's smoothing for matrix and sequential games (Gilpin 2009, sections 8.4 and 8.5).

With both players' plans in one vector z = (x, y) and S z = (A y, -A' x) what they gain there
(:mod:`equipoise.sequence.pair`), the gap F(z) = max_w <S z, w> is smoothed around a centre c,

    F_mu(z) = max_w  <S z, w> - mu/2 |w - c|^2.

At the maximiser w its gradient is -S w, Lipschitz with |A|^2 / mu, |A| the spectral norm. With
mu = epsilon / (2 D), D = max 1/2 |w - c|^2, F_mu is within epsilon / 2 of F, and Nesterov's optimal
gradient algorithm brings F below epsilon in O(1 / epsilon) iterations (Proposition 7). (In Gilpin's
section player 1 minimises; here, as everywhere, player 1 maximises.) Every subproblem is a Euclidean
projection onto a treeplex (:mod:`equipoise.sequence.projection`); for a matrix game it is a simplex.

``Smoothing(metric="unit", boost=1, backtrack=False)``, by name ``smoothing-plain``, is Gilpin's
algorithm. By default we deviate in three ways, each of which keeps the guarantee.

* ``metric="payoff"``: |w|^2 = sum_s w_s^2 r_s, with r_s the sum of the absolute payoffs of sequence s.
  In this norm |A| <= 1 (Pock and Chambolle 2011, Lemma 2), and sequences at which little is at stake
  may move far.
* ``boost``: mu = epsilon / (2 D) makes sure that F and F_mu differ by at most epsilon / 2 *everywhere*.
  Where it matters they differ far less, and a larger mu allows longer steps. So we start from ``boost``
  times that mu, and halve it whenever a point shows that it was too much: F_mu is at most epsilon / 2
  there and F still above epsilon.
* ``backtrack``: |A|^2 / mu bounds how the gradient changes; on the way it changes less. We take what
  suffices at each step, and check that it did (Tseng 2008, Algorithm 1: step (b) becomes
  x_(k+1) = (1 - share) x_k + share w_(k+1), which saves a projection).

In Gilpin 2009 a call ends when F(x_(k+1)) is below epsilon. Without backtracking we look at the search point
instead, where the gradient has been taken anyway. What a run returns is the best point it looked at.
An iteration takes four products (four more for each step that did not suffice).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.pair import Pair
from equipoise.sequence.payoffs.norms import absolute_sums, spectral_norm
from equipoise.sequence.projection import Projection
from equipoise.solvers.base import Context, Plan
from equipoise.solvers.driver import Arrays, require_sizes
from equipoise.solvers.methods import spelled
from equipoise.solvers.options import require_flag, require_number

Floats = NDArray[np.float64]
Metric = Literal["payoff", "unit"]

_DEFAULT_EPSILON = 1e-3
# The least weight of a sequence in the metric, relative to the largest.
_FLOOR = 1e-2
# Between steps the Lipschitz constant may fall by the first factor; one that was too small is doubled.
_RELAX, _RAISE = 0.95, 2.0
_VECTORS = ("origin", "centre", "slow", "slow_gains", "current", "current_gains", "total", "best")
_NUMBERS = ("epsilon", "mu", "lipschitz", "weight", "best_gap", "inner")


@dataclass(frozen=True)
class Smoothing:
    """Smoothing for one target: ``epsilon``, or else the gap that the solve asks for.

    Without either it is about a thousandth of what is at stake.

    The other attributes are the module's deviations from Gilpin 2009.
    """

    epsilon: float | None = None
    metric: Metric = "payoff"
    boost: float = 32.0
    backtrack: bool = True

    def __post_init__(self) -> None:
        if self.epsilon is not None:
            require_number("smoothing", "epsilon", self.epsilon, 0.0, strict=True)
        require_deviations("smoothing", self.metric, self.boost, self.backtrack)

    @property
    def name(self) -> str:
        """Name as the command line spells it."""
        return spelled(self)

    def start(self, form: SequenceForm, context: Context) -> SmoothingRun:
        """Return a run from uniform play, or from ``context.start``."""
        run = SmoothingRun(form, context, self.metric, self.boost, self.backtrack)
        asked = context.target if self.epsilon is None else self.epsilon / form.units.unit
        run.aim(asked or _DEFAULT_EPSILON)
        return run


def require_deviations(name: str, metric: Metric, boost: float, backtrack: bool) -> None:
    """Raise unless the parameters that smoothing and iterated smoothing share are valid."""
    if metric not in get_args(Metric):
        raise EquipoiseError(f"{name}: metric is {metric!r}, expected 'payoff' or 'unit'.")
    require_number(name, "boost", boost, 1.0)
    require_flag(name, "backtrack", backtrack)


class SmoothingRun:
    """Nesterov's optimal gradient algorithm on F_mu, from ``origin``.

    ``current``, ``slow`` and ``total`` are x_k, w_k and the weighted sum of gains that w_k is made from;
    ``weight`` is the sum of the weights so far.
    """

    epsilon: float
    mu: float
    lipschitz: float
    origin: Floats
    centre: Floats
    slow: Floats
    slow_gains: Floats
    current: Floats
    current_gains: Floats
    total: Floats

    def __init__(
        self,
        form: SequenceForm,
        context: Context,
        metric: Metric,
        boost: float,
        backtrack: bool,
    ) -> None:
        self.iterations = self.gradients = 0
        self.boost, self.backtrack = boost, backtrack
        self.pair = Pair(form)
        space = self.pair.space
        ones = np.ones(form.X.size), np.ones(form.Y.size)
        weights = ones if metric == "unit" else _positive(absolute_sums(form.A))
        self._metric = self.pair.join(*weights)
        self._square = spectral_norm(form.A, weights) ** 2
        self._project = Projection(space, self._metric)
        uniform: Floats = space.plan(space.uniform())
        start = uniform if context.start is None else self.pair.join(*context.start)
        gains = self._gains(start)
        self.best, self.best_gap = start, space.support(gains)
        self.finished = self.best_gap <= 0.0
        self._smooth_around(uniform)
        self._begin(start, gains)

    def aim(self, epsilon: float) -> None:
        """Set the first target."""
        self.epsilon = epsilon
        self.mu = self.boost * self._safe()
        self.lipschitz = self._steepest()

    def _smooth_around(self, centre: Floats) -> None:
        """Move the centre; D is attained at a pure plan, where it is linear in the plan."""
        self.centre = centre
        away = self.pair.space.support(self._metric * (1.0 - 2.0 * centre))
        self._radius = 0.5 * (away + float(self._metric @ centre**2))

    def _safe(self) -> float:
        """Return the mu that keeps F_mu within epsilon / 2 of F."""
        return self.epsilon / (2.0 * self._radius) if self._radius > 0.0 else 1.0

    def _steepest(self) -> float:
        """Return the Lipschitz constant |A|^2 / mu of the gradient."""
        return self._square / self.mu or 1.0

    def _begin(self, origin: Floats, gains: Floats) -> None:
        """Start the optimal gradient algorithm at ``origin``, where the players gain ``gains``."""
        self.inner, self.weight = 0, 0.0
        self.origin = self.slow = self.current = origin
        self.slow_gains = self.current_gains = gains
        self.total = np.zeros_like(origin)

    def advance(self, iterations: int) -> None:
        """Do ``iterations`` steps of the optimal gradient algorithm."""
        for _ in range(iterations):
            if self.finished:
                return
            if self.backtrack:
                self._adaptive_step()
            else:
                self._published_step()
            self.iterations += 1

    def point(self) -> tuple[Plan, Plan]:
        """Return the best plans so far."""
        return self.pair.split(self.best)

    def state(self) -> Arrays:
        """Return all vectors and numbers."""
        numbers = np.array([float(getattr(self, name)) for name in _NUMBERS])
        return {"numbers": numbers, **{name: getattr(self, name) for name in _VECTORS}}

    def restore(self, state: Arrays) -> None:
        """Continue from :meth:`state`."""
        for name in _VECTORS:
            setattr(self, name, np.array(state[name]))
        for name, number in zip(_NUMBERS, state["numbers"], strict=True):
            setattr(self, name, float(number))
        require_sizes(
            {name: getattr(self, name) for name in ("mu", "lipschitz")},
            {name: getattr(self, name) for name in ("epsilon", "weight", "inner")},
        )
        self.inner = int(self.inner)
        self._smooth_around(self.centre)

    def _gains(self, plans: Floats) -> Floats:
        """Return S z."""
        self.gradients += 2
        return self.pair.gains(plans)

    def _answer(self, gains: Floats) -> tuple[Floats, float]:
        """Return the maximiser of F_mu where the players gain ``gains``, and its value."""
        anchor = self._metric * self.centre
        answer = self._project.minimise(anchor + gains / self.mu)
        away = answer - self.centre
        return answer, float(gains @ answer - 0.5 * self.mu * (self._metric * away) @ away)

    def _published_step(self) -> None:
        """Steps (a), (b) and (d) as in Gilpin 2009."""
        share = 2.0 / (self.inner + 2.0)
        search = (1.0 - share) * self.current + share * self.slow
        gains = self._gains(search)
        answer, value = self._answer(gains)
        if self._look(search, gains, value):
            return
        descent = self._gains(answer)
        self.lipschitz = self._steepest()
        self.total = self.total + 0.5 * (self.inner + 1.0) / self.lipschitz * descent
        self.current = self._project.minimise(self._metric * search + descent / self.lipschitz)
        self.slow = self._project.minimise(self._metric * self.origin + self.total)
        self.inner += 1

    def _adaptive_step(self) -> None:
        """The same with the smallest Lipschitz constant, up to a factor, that this step bears out.

        The gains of search point and new point are averages of gains known already.
        """
        steepest = self._steepest()
        self.lipschitz = min(_RELAX * self.lipschitz, steepest)
        while True:
            weight = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * self.weight * self.lipschitz))
            weight /= self.lipschitz
            share = weight / (self.weight + weight)
            gains = (1.0 - share) * self.current_gains + share * self.slow_gains
            answer, here = self._answer(gains)
            descent = self._gains(answer)
            total = self.total + weight * descent
            slow = self._project.minimise(self._metric * self.origin + total)
            slow_gains = self._gains(slow)
            new_gains = (1.0 - share) * self.current_gains + share * slow_gains
            _, there = self._answer(new_gains)
            # The new point is this far from the search point.
            way = share * (slow - self.slow)
            bend = 0.5 * self.lipschitz * float((self._metric * way) @ way)
            if self.lipschitz >= steepest or there <= here - float(descent @ way) + bend:
                break
            self.lipschitz = min(_RAISE * self.lipschitz, steepest)
        self.current = (1.0 - share) * self.current + share * slow
        self.current_gains = new_gains
        self.slow, self.slow_gains, self.total = slow, slow_gains, total
        self.weight += weight
        self.inner += 1
        self._look(self.current, self.current_gains, there)

    def _look(self, plans: Floats, gains: Floats, smoothed: float) -> bool:
        """Look at F and F_mu = ``smoothed`` at ``plans``; say whether the algorithm started anew."""
        gap = self.pair.space.support(gains)
        if gap < self.best_gap:
            self.best, self.best_gap = plans, gap
        if gap <= 0.0:
            self.finished = True
            return True
        return self._turn(plans, gains, gap, smoothed)

    def _turn(self, plans: Floats, gains: Floats, gap: float, smoothed: float) -> bool:
        """Start anew from ``plans`` with half the mu if this one is too large."""
        if gap <= self.epsilon or smoothed > 0.5 * self.epsilon or self.mu <= self._safe():
            return False
        self.mu = max(0.5 * self.mu, self._safe())
        # It scales with 1 / mu; a smaller share of |A|^2 / mu stays a guess worth keeping.
        self.lipschitz *= 2.0
        self._begin(plans, gains)
        return True


def _positive(sums: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return weights at least a small share of the largest, and one where all are zero."""
    first, second = (
        np.maximum(part, _FLOOR * part.max()) if part.any() else part + 1.0 for part in sums
    )
    return first, second
