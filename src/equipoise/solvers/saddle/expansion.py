"""Which sequences a double oracle adds: one small object a policy.

After each restricted game both players have a best response to what the other played in it. A
:class:`Policy` sees one player's (:class:`Look`) and marks the sequences to keep from now on. As long as it
marks those of the best response in every set that the opponent comes to, the double oracle ends: where nothing
new is marked, the best response is in the restricted game already.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.sequence.build import SequenceForm
from equipoise.sequence.reductions.grow import Side
from equipoise.sequence.reductions.restrict import Mask

Floats = NDArray[np.float64]

_TIE = 1e-12
"""Actions that differ by less than this, in the form's units, are equally good."""


@dataclass(frozen=True, eq=False)
class Look:
    """What one player knows after a restricted game.

    Attributes
    ----------
    form, player, side
        The whole game, the player, and what she keeps.
    gain
        What each of her sequences earns against the opponent's plan, A y or -A' x.
    response
        A best response to that plan, pure.
    gap
        The upper less the lower bound, in the form's units.
    """

    form: SequenceForm
    player: int
    side: Side
    gain: Floats
    response: Floats
    gap: float

    @cached_property
    def at_stake(self) -> Mask:
        """Mark the sequences in sets where something is earned or lost: others the opponent never comes to."""
        sequences = self.side.sequences
        below = sequences.sums(np.abs(self.gain))
        in_set = np.bincount(sequences.infoset[1:], below[1:], len(sequences.set_parent))
        return np.append(True, in_set[sequences.infoset[1:]] > 0)

    def within(self, margin: float) -> Mask:
        """Mark the sequences whose every action loses at most ``margin`` beside the best one there."""
        sequences = self.side.sequences
        worth = sequences.worth(self.gain)
        best = np.full(len(sequences.set_parent), -np.inf)
        np.maximum.at(best, sequences.infoset[1:], worth[1:])
        marked = np.append(True, worth[1:] >= best[sequences.infoset[1:]] - margin)
        for level in sequences.levels:
            marked[level] &= marked[sequences.parent[level]]
        return marked

    @property
    def best(self) -> Mask:
        """Mark the sequences of the best response where something is at stake."""
        marked: Mask = (self.response > 0) & self.at_stake
        return marked


class Policy(Protocol):
    """Says what to add."""

    def more(self, look: Look) -> Mask:
        """Mark the sequences to be kept: at least ``look.best``."""


class PlainResponse:
    """The best response and nothing else (McMahan, Gordon and Blum 2003; Bosansky et al. 2014)."""

    def more(self, look: Look) -> Mask:
        """Mark the best response."""
        return look.best


class AllBest:
    """Every best response: all actions that are as good as the best one, where a best response comes."""

    def more(self, look: Look) -> Mask:
        """Mark what some best response plays."""
        return look.best | (look.within(_TIE) & look.at_stake)


POLICIES: dict[str, type[Policy]] = {"best-response": PlainResponse, "all-best": AllBest}
"""The policies by name."""
