"""Iterated smoothing: O(kappa(A) ln(1 / epsilon)) gradients (Gilpin 2009, sections 8.4.1 and 8.5).

Smoothing is called again and again, each time from where it stopped, with a target smaller by the
factor gamma. The distance to the solutions shrinks with the target (Lemma 9: F grows like a cone), so
every call takes about the same number of iterations (Theorem 8).

``IteratedSmoothing(gamma=e, recentre=False)`` with smoothing's own deviations turned off, by name
``iterated-smoothing-plain``, is Gilpin's algorithm. By default we deviate in two more ways.

* ``recentre``: each call smooths around the point it starts from, not around uniform play (Gilpin's
  theory allows any centre). There F - F_mu is at most mu/2 times the squared distance to the solutions,
  which vanishes: so mu stays where it is while targets are met, and is halved when it proves too large.
* gamma is 8: gamma = e minimises the bound of Theorem 8, a little more is better in practice.

No target but the last is below the gap that the solve asks for.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.sequence.build import SequenceForm
from equipoise.solvers.base import Context
from equipoise.solvers.methods import spelled
from equipoise.solvers.options import require_flag, require_number
from equipoise.solvers.saddle.smoothing import Floats, Metric, SmoothingRun, require_deviations


@dataclass(frozen=True)
class IteratedSmoothing:
    """Smoothing with targets that shrink by ``gamma``, each call centred where it starts or not.

    The other attributes are those of :class:`equipoise.solvers.saddle.smoothing.Smoothing`.
    """

    gamma: float = 8.0
    recentre: bool = True
    metric: Metric = "payoff"
    boost: float = 32.0
    backtrack: bool = True

    def __post_init__(self) -> None:
        require_number("iterated-smoothing", "gamma", self.gamma, 1.0, strict=True)
        require_flag("iterated-smoothing", "recentre", self.recentre)
        require_deviations("iterated-smoothing", self.metric, self.boost, self.backtrack)

    @property
    def name(self) -> str:
        """Name as the command line spells it."""
        return spelled(self)

    def start(self, form: SequenceForm, context: Context) -> IteratedRun:
        """Return a run from uniform play, or from ``context.start``."""
        return IteratedRun(self, form, context)


class IteratedRun(SmoothingRun):
    """Calls of smoothing, one after another."""

    def __init__(self, method: IteratedSmoothing, form: SequenceForm, context: Context) -> None:
        super().__init__(form, context, method.metric, method.boost, method.backtrack)
        self.gamma, self.recentre = method.gamma, method.recentre
        if self.recentre:
            self._smooth_around(self.origin)
        # A little less than what is asked for, so that meeting the target is enough.
        self._last = 0.99 * context.target
        self.aim(self._after(max(self.best_gap, 0.0) or 1.0))

    def _turn(self, plans: Floats, gains: Floats, gap: float, smoothed: float) -> bool:
        """Turn to the next target, or to a smaller mu, from ``plans`` where that is due."""
        if gap > self.epsilon:
            turned = super()._turn(plans, gains, gap, smoothed)
            if turned and self.recentre:
                self._smooth_around(plans)
            return turned
        before = self.epsilon
        while gap <= self.epsilon:
            self.epsilon = self._after(self.epsilon)
        if self.recentre:
            self._smooth_around(plans)
            self.mu = max(self.mu, self._safe())
        else:
            self.mu *= self.epsilon / before
            self.lipschitz *= before / self.epsilon
        self._begin(plans, gains)
        return True

    def _after(self, epsilon: float) -> float:
        """Return the target after ``epsilon``: smaller by gamma, but not past the last one."""
        smaller = epsilon / self.gamma
        return max(smaller, self._last) if epsilon > self._last else smaller
