"""Nesterov's smoothing for matrix and sequential games (seed 000, sections 8.4 and 8.5).

The gap F(x, y) = max_u <u, A y> - min_v <x, A v> is smoothed around uniform play (c, e),

    F_mu(x, y) = max_(u, v)  <u, A y> - <x, A v> - mu/2 |(u, v) - (c, e)|^2,

whose gradient is (-A v, A' u) at the maximiser (u, v) and Lipschitz with |A|^2 / mu, |A| the spectral
norm. With mu = epsilon / (2 D), D = max 1/2 |(u, v) - (c, e)|^2, F_mu is within epsilon / 2 of F, and
Nesterov's optimal gradient algorithm brings F below epsilon in O(1 / epsilon) iterations
(Proposition 7). (In the seed's section player 1 minimises; here, as everywhere, player 1 maximises.)

Every subproblem is a Euclidean projection onto a treeplex (:mod:`equipoise.sequence.projection`); for
a matrix game the treeplex is a simplex. An iteration takes four products.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.norms import spectral_norm
from equipoise.sequence.projection import Projection
from equipoise.sequence.treeplex import Treeplex
from equipoise.solve.base import Arrays, Context, Plan

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]

_DEFAULT_EPSILON = 1e-3
_PAIRS = ("origin", "slow", "current", "total")


@dataclass(frozen=True)
class Smoothing:
    """Smoothing for one target: ``epsilon``, or else the gap that the solve asks for, or 1e-3."""

    epsilon: float | None = None

    name = "smoothing"

    def __post_init__(self) -> None:
        if self.epsilon is not None and not self.epsilon > 0:
            raise EquipoiseError(f"smoothing: epsilon is {self.epsilon}, expected a number > 0.")

    def start(self, form: SequenceForm, context: Context) -> SmoothingRun:
        """Return a run from uniform play, or from ``context.start``."""
        epsilon = self.epsilon or context.target or _DEFAULT_EPSILON
        return SmoothingRun(form, context, epsilon)


class SmoothingRun:
    """Nesterov's optimal gradient algorithm on F_mu."""

    def __init__(self, form: SequenceForm, context: Context, epsilon: float) -> None:
        self.form = form
        self.iterations = self.gradients = 0
        self.finished = False
        self._project = Projection(form.X), Projection(form.Y)
        self._centre = form.X.plan(form.X.uniform()), form.Y.plan(form.Y.uniform())
        self._radius = _radius(form.X) + _radius(form.Y)
        self._norm = spectral_norm(form.A)
        self.boost = 1.0
        self._begin(self._centre if context.start is None else context.start, epsilon)

    def _begin(self, origin: Pair, epsilon: float) -> None:
        """Start the algorithm ``smoothing`` at ``origin`` with target ``epsilon`` (step 1)."""
        self.epsilon = epsilon
        self.inner = 0
        self.origin = self.slow = self.current = origin
        self.total = np.zeros(self.form.X.size), np.zeros(self.form.Y.size)

    @property
    def mu(self) -> float:
        """The smoothing: with ``boost`` 1 it keeps F_mu within epsilon / 2 of F."""
        return self.boost * self.epsilon / (2.0 * self._radius) if self._radius else 1.0

    def advance(self, iterations: int) -> None:
        """Do ``iterations`` steps of the optimal gradient algorithm."""
        for _ in range(iterations):
            self._step()
        self.iterations += iterations

    def point(self) -> tuple[Plan, Plan]:
        """Return the current plans."""
        return self.current

    def state(self) -> Arrays:
        """Return the pairs of vectors, the target, the boost and the inner iteration."""
        state: Arrays = {"numbers": np.array([self.inner, self.epsilon, self.boost])}
        for name in _PAIRS:
            state[f"{name}.x"], state[f"{name}.y"] = getattr(self, name)
        return state

    def restore(self, state: Arrays) -> None:
        """Continue from :meth:`state`."""
        inner, self.epsilon, self.boost = (float(number) for number in state["numbers"])
        self.inner = int(inner)
        for name in _PAIRS:
            setattr(self, name, (np.array(state[f"{name}.x"]), np.array(state[f"{name}.y"])))

    def _gains(self, plans: Pair) -> Pair:
        """Return (A y, -A' x): what each player's sequences gain at ``plans``."""
        self.gradients += 2
        return self.form.A.times(plans[1]), -self.form.A.transpose_times(plans[0])

    def _projected(self, base: Pair, direction: Pair, step: float) -> Pair:
        """Return the projection of ``base + step * direction`` onto X x Y."""
        x, y = (
            project(b + step * d)
            for project, b, d in zip(self._project, base, direction, strict=True)
        )
        return x, y

    def _step(self) -> None:
        """Do steps (a), (b) and (d)."""
        search = self._search()
        self._descend(search, self._answer(self._gains(search)))

    def _search(self) -> Pair:
        """Step (a): the point at which the gradient is taken."""
        share = 2.0 / (self.inner + 2.0)
        return (
            (1.0 - share) * self.current[0] + share * self.slow[0],
            (1.0 - share) * self.current[1] + share * self.slow[1],
        )

    def _answer(self, gains: Pair) -> Pair:
        """Return the maximiser (u, v) in F_mu where the players gain ``gains``."""
        return self._projected(self._centre, gains, 1.0 / self.mu)

    def _descend(self, search: Pair, answer: Pair) -> None:
        """Steps (b) and (d): the gradient at ``search`` is minus what is gained against ``answer``."""
        descent = self._gains(answer)
        weight = 0.5 * (self.inner + 1.0)
        self.total = self.total[0] + weight * descent[0], self.total[1] + weight * descent[1]
        length = self.mu / self._norm**2 if self._norm else 0.0
        self.current = self._projected(search, descent, length)
        self.slow = self._projected(self.origin, self.total, length)
        self.inner += 1


def _radius(space: Treeplex) -> float:
    """Return D = max over plans u of 1/2 |u - c|^2, c the uniform plan.

    A pure plan attains it, and there |u - c|^2 = <u, 1 - 2 c> + |c|^2.
    """
    centre = space.plan(space.uniform())
    return 0.5 * (space.support(1.0 - 2.0 * centre) + float(centre @ centre))
