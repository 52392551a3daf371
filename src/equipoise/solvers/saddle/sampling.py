"""Sampling nature's moves around any gradient method (Gilpin 2009, chapter 9).

The payoff is A = sum over nature's sequences θ of A_θ; a sample of them, rescaled, makes every product
cheaper. :class:`Sampled` draws once (section 9.3): the method then solves a game that is not quite the
right one, and overfits. :class:`DynamicSampling` (section 9.4) watches the gap in the full game; when
it rises from one look to the next, the sample is doubled and the method goes on from where it was.

The solve loop measures every point in the full game, so a gap it reports is a true one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from equipoise.errors import EquipoiseError
from equipoise.sequence.build import SequenceForm
from equipoise.solvers.base import Around, Context, Method, MethodRun, Plan, measure
from equipoise.solvers.driver import Arrays
from equipoise.solvers.methods import spelled
from equipoise.solvers.options import require_number

LOOK_EVERY = 50


@dataclass(frozen=True)
class Sampled:
    """Run ``method`` on one random sample of nature's sequences."""

    method: Method
    proportion: float = 0.25

    def __post_init__(self) -> None:
        _require_proportion("static", self.proportion)

    @property
    def name(self) -> str:
        """Name as the command line spells it."""
        return spelled(self)

    def start(self, form: SequenceForm, context: Context) -> MethodRun:
        """Draw the sample and start the method on it."""
        return SampledRun(
            self.method.start(_sample(form, self.proportion, context.seed, 0), context)
        )


class SampledRun(Around):
    """A run on a sample: its bounds, if it knows any, are the sample's, so it does not tell them."""

    news = ""

    def __init__(self, inner: MethodRun) -> None:
        self.inner = inner

    def point(self) -> tuple[Plan, Plan]:
        """Return the method's plans, which are plans of the full game."""
        return self.inner.point()


@dataclass(frozen=True)
class DynamicSampling:
    """Run ``method`` on samples that double whenever the gap in the full game rises."""

    method: Method
    proportion: float = 0.01

    def __post_init__(self) -> None:
        _require_proportion("sampling", self.proportion)

    @property
    def name(self) -> str:
        """Name as the command line spells it."""
        return spelled(self)

    def start(self, form: SequenceForm, context: Context) -> DynamicRun:
        """Return a run on the first, smallest sample."""
        return DynamicRun(self, form, context)


class DynamicRun:
    """A method on growing samples; ``phase`` counts how often the sample has doubled."""

    def __init__(self, method: DynamicSampling, form: SequenceForm, context: Context) -> None:
        self.method, self.form, self.context = method, form, context
        self.iterations = self.gradients = 0
        self.finished = False
        self.phase, self.last_gap = 0, np.inf
        self.run = self._begin(context.start)

    @property
    def proportion(self) -> float:
        """Share of nature's sequences in the current sample."""
        return float(min(1.0, self.method.proportion * 2.0**self.phase))

    @property
    def _doublings(self) -> int:
        """How often the first sample can double before it is the whole game."""
        return max(0, math.ceil(-math.log2(self.method.proportion)))

    def _begin(self, start: tuple[Plan, Plan] | None) -> MethodRun:
        """Start the method on the sample of this phase, from ``start``."""
        form = self.form
        if self.proportion < 1.0:
            form = _sample(form, self.proportion, self.context.seed, self.phase)
        return self.method.method.start(form, replace(self.context, start=start))

    def advance(self, iterations: int) -> None:
        """Advance, with a look at the true gap every ``LOOK_EVERY`` iterations."""
        for _ in range(iterations):
            before = self.run.gradients
            self.run.advance(1)
            self.iterations += 1
            self.gradients += self.run.gradients - before
            if self.proportion == 1.0:
                self.finished = self.run.finished
            elif self.run.finished:
                self._grow()
            elif self.iterations % LOOK_EVERY == 0:
                self._look()
            if self.finished:
                return

    def _look(self) -> None:
        """Double the sample if the gap in the full game has risen since the last look."""
        lower, upper = measure(self.form, *self.point())
        self.gradients += 2
        if upper - lower > self.last_gap:
            self._grow()
        else:
            self.last_gap = upper - lower

    def _grow(self) -> None:
        """Double the sample and go on from the current point."""
        x, y = (np.array(plan, dtype=np.float64) for plan in self.point())
        self.phase += 1
        self.last_gap = np.inf
        self.run = self._begin((x, y))

    def point(self) -> tuple[Plan, Plan]:
        """Return the method's current plans."""
        return self.run.point()

    def state(self) -> Arrays:
        """Return the method's state, its counters, the phase and the last gap."""
        state = {f"inner.{name}": array for name, array in self.run.state().items()}
        counters = [self.phase, self.last_gap, self.run.iterations, self.run.gradients]
        state["sampling"] = np.array(counters, dtype=np.float64)
        return state

    def restore(self, state: Arrays) -> None:
        """Continue from :meth:`state`: the sample of a phase is drawn anew from the seed."""
        phase, self.last_gap, iterations, gradients = (float(n) for n in state["sampling"])
        most = {"doublings": (phase, self._doublings), "iterations": (iterations, 2.0**53)}
        for name, (found, largest) in {**most, "gradients": (gradients, 2.0**53)}.items():
            if not 0 <= found <= largest:
                raise EquipoiseError(
                    f"Checkpoint: the sample has {found:g} {name}, expected 0 to {largest:g}: "
                    "solve without --resume."
                )
        self.phase = int(phase)
        self.run = self._begin(None)
        prefix = "inner."
        own = {k[len(prefix) :]: v for k, v in state.items() if k.startswith(prefix)}
        self.run.restore(own)
        self.run.iterations, self.run.gradients = int(iterations), int(gradients)


def _sample(form: SequenceForm, proportion: float, seed: int, phase: int) -> SequenceForm:
    """Return ``form`` with its payoff sampled, as seed and phase determine."""
    return replace(form, A=form.A.sampled(proportion, np.random.default_rng([seed, phase])))


def _require_proportion(name: str, proportion: float) -> None:
    require_number(name, "proportion", proportion, 0.0, strict=True)
    if proportion > 1:
        raise EquipoiseError(f"{name}: proportion is {proportion}, expected a number <= 1.")
