"""Solving a smaller game in place of a large one.

:class:`Reduced` runs any method on what a reduction leaves of a form (:mod:`equipoise.sequence.reductions`):
merged without loss, or without dominated actions. It hands back plans of the full form, in which the solve
loop measures their gap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from equipoise.sequence.build import SequenceForm
from equipoise.sequence.reductions.base import Reduction
from equipoise.sequence.reductions.eliminate import eliminate
from equipoise.sequence.reductions.merge import shrink
from equipoise.solvers.base import Around, Context, Method, MethodRun, Plan
from equipoise.solvers.methods import spelled

REDUCTIONS: dict[str, Callable[[SequenceForm, Callable[[], bool]], Reduction]] = {
    "shrink": lambda form, should_stop: shrink(form),
    "eliminate": eliminate,
}
"""The reductions that keep the value of any form, by name; those that may take long look at the clock."""


@dataclass(frozen=True)
class Reduced:
    """Run ``method`` on the form reduced ``by`` one of :data:`REDUCTIONS`, or ``small`` if it is at hand."""

    method: Method
    by: str = "shrink"
    small: Reduction | None = field(default=None, repr=False, compare=False)

    @classmethod
    def to(cls, small: Reduction, method: Method) -> Reduced:
        """Return ``method`` on a reduction that is at hand."""
        return cls(method, small.name, small)

    @property
    def name(self) -> str:
        """Name as the command line spells it."""
        return spelled(self)

    def start(self, form: SequenceForm, context: Context) -> ReducedRun:
        """Reduce the form and start the method on what is left."""
        small = self.small or REDUCTIONS[self.by](form, context.should_stop)
        # A point of the full form to begin from is none of the small one.
        return ReducedRun(small, self.method.start(small.form, replace(context, start=None)))


class ReducedRun(Around):
    """A run on the smaller form, seen from the full one."""

    def __init__(self, small: Reduction, inner: MethodRun) -> None:
        self.small, self.inner = small, inner

    def point(self) -> tuple[Plan, Plan]:
        """Return the inner run's plans, lifted."""
        return self.small.lift(*self.inner.point())
