"""Iterated smoothing: O(kappa(A) ln(1 / epsilon)) gradients (seed 000, sections 8.4.1 and 8.5).

Smoothing is called again and again, each time from where it stopped, with a target smaller by the
factor gamma. The distance to the solutions shrinks with the target (Lemma 9: F grows like a cone), so
every call takes about the same number of iterations (Theorem 8).

Three choices are ours.

* A call ends when F at the *search* point is below its target (the seed looks at the new point): the
  gradient there has been computed anyway, so looking is free.
* No target but the last is below the gap that the solve asks for, and gamma is 8: gamma = e minimises
  the bound of Theorem 8, a little more is better in practice.
* mu = epsilon / (2 D) makes sure that F and F_mu differ by at most epsilon / 2 *everywhere*. Near a
  solution they differ far less, and a larger mu allows longer steps. So we start from ``boost`` times
  that mu, and halve it whenever a search point shows that it was too much: F_mu is below epsilon / 2
  and F still not below epsilon. With boost = 1 that cannot happen, and this is the seed's algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.errors import EquipoiseError
from equipoise.sequence.build import SequenceForm
from equipoise.solve.base import Context
from equipoise.solve.smoothing import Pair, SmoothingRun


@dataclass(frozen=True)
class IteratedSmoothing:
    """Smoothing with targets that shrink by ``gamma``, from ``boost`` times the safe mu."""

    gamma: float = 8.0
    boost: float = 8.0

    name = "iterated-smoothing"

    def __post_init__(self) -> None:
        if not self.gamma > 1 or not self.boost >= 1:
            raise EquipoiseError(
                f"iterated-smoothing: gamma is {self.gamma} and boost {self.boost}, "
                "expected gamma > 1 and boost >= 1."
            )

    def start(self, form: SequenceForm, context: Context) -> IteratedRun:
        """Return a run from uniform play, or from ``context.start``."""
        return IteratedRun(self, form, context)


class IteratedRun(SmoothingRun):
    """Calls of smoothing, one after another."""

    def __init__(self, method: IteratedSmoothing, form: SequenceForm, context: Context) -> None:
        super().__init__(form, context, 1.0)
        self.gamma, self.boost = method.gamma, method.boost
        # A little less than what is asked for, so that meeting the target is enough.
        self._last = 0.99 * context.target
        self._begin(self.current, self._gap(self._gains(self.current)))

    def _gap(self, gains: Pair) -> float:
        """Return F where the players gain ``gains``."""
        return self.form.X.support(gains[0]) + self.form.Y.support(gains[1])

    def _smoothed(self, gains: Pair, answer: Pair) -> float:
        """Return F_mu where the players gain ``gains`` and ``answer`` attains it."""
        value = 0.0
        for gain, plan, centre in zip(gains, answer, self._centre, strict=True):
            value += float(gain @ plan) - 0.5 * self.mu * float(((plan - centre) ** 2).sum())
        return value

    def _step(self) -> None:
        """Do a step, after turning to the next target or a smaller mu where that is due."""
        search = self._search()
        gains = self._gains(search)
        gap = self._gap(gains)
        if gap <= 0.0:
            self.current, self.finished = search, True
            return
        while gap <= self.epsilon:
            self._begin(search, self._next_target())
        answer = self._answer(gains)
        while self.boost > 1.0 and self._smoothed(gains, answer) <= 0.5 * self.epsilon:
            self.boost = max(0.5 * self.boost, 1.0)
            self._begin(search, self.epsilon)
            answer = self._answer(gains)
        self._descend(search, answer)

    def _next_target(self) -> float:
        """Return the target after ``epsilon``: smaller by gamma, but not past the last one."""
        smaller = self.epsilon / self.gamma
        return max(smaller, self._last) if self.epsilon > self._last else smaller
