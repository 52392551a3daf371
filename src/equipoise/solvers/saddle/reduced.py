"""Solving a smaller game in place of a large one.

:class:`Shrinking` runs any method on the losslessly merged form (:mod:`equipoise.sequence.reductions.merge`), or on one
without dominated sequences (:mod:`equipoise.sequence.reductions.restrict`), and hands back plans of the full one; the
solve loop measures their gap in the full form.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from equipoise.sequence.build import SequenceForm
from equipoise.sequence.reductions.merge import Shrunk, shrink
from equipoise.sequence.reductions.restrict import Restricted
from equipoise.solvers.base import Context, Method, MethodRun, Plan, of_inner
from equipoise.solvers.driver import Arrays


@dataclass(frozen=True)
class Shrinking:
    """MethodRun ``method`` on the merged form, or on a ``small`` one that is at hand (merged or restricted)."""

    method: Method
    small: Shrunk | Restricted | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """Name as the command line spells it."""
        return f"{(self.small or Shrunk).verb}:{self.method.name}"

    def start(self, form: SequenceForm, context: Context) -> ShrinkingRun:
        """Merge the form and start the method on what is left."""
        small = self.small or shrink(form)
        return ShrinkingRun(small, self.method.start(small.form, context))


class ShrinkingRun:
    """A run on the merged form, seen from the full one."""

    def __init__(self, small: Shrunk | Restricted, inner: MethodRun) -> None:
        self.small, self.inner = small, inner

    iterations, gradients, finished = map(of_inner, ("iterations", "gradients", "finished"))

    def advance(self, iterations: int) -> None:
        """Advance the inner run."""
        self.inner.advance(iterations)

    def point(self) -> tuple[Plan, Plan]:
        """Return the inner run's plans, lifted."""
        return self.small.lift(*self.inner.point())

    def state(self) -> Arrays:
        """Return the inner run's state."""
        return self.inner.state()

    def restore(self, state: Arrays) -> None:
        """Restore the inner run."""
        self.inner.restore(state)
