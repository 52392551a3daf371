"""What all reductions of a sequence form have in common.

A reduction is a smaller form together with the way back: plans of the small form become plans of the
whole one by :meth:`Reduction.lift`. Merging (:mod:`.merge`) and elimination (:mod:`.eliminate`) keep the
value, and lift equilibria to equilibria; a restriction (:mod:`.grow`) brackets it.
"""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from equipoise.sequence.build import SequenceForm

Plans = tuple[NDArray[Any], NDArray[Any]]


class Reduction(Protocol):
    """A smaller form in place of a whole one."""

    @property
    def name(self) -> str:
        """Name as the command line spells it, in ``NAME:METHOD``."""

    @property
    def form(self) -> SequenceForm:
        """The smaller form."""

    def lift(self, x: NDArray[Any], y: NDArray[Any]) -> Plans:
        """Return the plans of the whole form that plans of the smaller one stand for."""
