"""What nature deals: the signal factor of a two-player game, round by round.

A *view* is everything one player has been told so far: the public signals and her own private ones,
(α̃, β̃_i) in the notation of Gilpin and Sandholm (2007), up to symmetries the game has declared (in a
card game, renaming suits). Views of a round are numbered 0, 1, ...; each extends one view of the
previous round. A *deal* is a pair of views that can occur together.

Abstractions merge views into buckets; payoff operators need, of a whole round, only the joint
distribution of the two players' buckets and the expected outcome in each cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]


@dataclass(frozen=True)
class SignalRound:
    """The deals of one round.

    Attributes
    ----------
    parents
        For each player, the view of the previous round that each view extends (zeros in round 0,
        where the only earlier view is "nothing").
    pairs
        For each player, her view in each deal: two index arrays of equal length.
    weight
        Probability of each deal; sums to one.
    values
        For each kind of outcome the game knows (``showdown``, say), its value to player 1 in each
        deal at scale one. A kind that cannot end the game in this round is absent.
    """

    parents: tuple[Indices, Indices]
    pairs: tuple[Indices, Indices]
    weight: Floats
    values: Mapping[str, Floats]

    @property
    def views(self) -> tuple[int, int]:
        """Number of views of each player."""
        return len(self.parents[0]), len(self.parents[1])
