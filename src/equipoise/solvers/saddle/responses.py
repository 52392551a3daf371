"""Best responses for a double oracle: by products, on the public tree of poker, or by a search of the tree.

All find the same values. They differ in what they walk:

* ``payoff``: the form's own products, A y and A' x, then one pass over each treeplex;
* ``matrix``, ``half``, ``sorted``: the same with the leaves of poker evaluated hand by hand on every board, the
  accelerated best response of Johanson et al. 2011 (:mod:`equipoise.sequence.payoffs.on_boards`);
* ``search``: depth first through the tree, leaving out what the opponent never comes to and what cannot be
  better (:mod:`.tree_search`), as first published for sequence forms (Bosansky et al. 2014).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.sequence.build import SequenceForm
from equipoise.sequence.payoffs.base import Payoff
from equipoise.sequence.reductions.base import Plans

Floats = NDArray[np.float64]

ORACLES = ("payoff", "search", "matrix", "half", "sorted")


class Response(NamedTuple):
    """A player's best response to the opponent's plan.

    Attributes
    ----------
    value
        What she earns, in the form's units.
    plan
        A pure plan; where the opponent never comes it may be zero.
    gain
        What each of her sequences earns against the opponent's plan, where all are looked at.
    """

    value: float
    plan: Floats
    gain: Floats | None


class Oracle(Protocol):
    """Finds best responses."""

    def respond(self, x: Floats, y: Floats) -> tuple[Response, Response]:
        """Return player 1's best response to ``y``, and player 2's to ``x``."""


class FormResponses:
    """Best responses to what products with ``A`` say."""

    def __init__(self, form: SequenceForm, A: Payoff) -> None:
        self._form, self._A = form, A

    def respond(self, x: Floats, y: Floats) -> tuple[Response, Response]:
        """Return player 1's best response to ``y``, and player 2's to ``x``."""
        gains: Plans = self._A.times(y), -self._A.transpose_times(x)
        spaces = self._form.X, self._form.Y
        first, second = (
            Response(*space.best_response(gain), gain)
            for space, gain in zip(spaces, gains, strict=True)
        )
        return first, second


def oracle(name: str, form: SequenceForm) -> Oracle:
    """Return the oracle of :data:`ORACLES` that ``name`` names, for ``form``."""
    if name == "payoff":
        return FormResponses(form, form.A)
    if name == "search":
        from equipoise.solvers.saddle.tree_search import TreeSearch

        return TreeSearch(form)
    from equipoise.sequence.payoffs.on_boards import OnBoards

    return FormResponses(form, OnBoards.of(form, name))
