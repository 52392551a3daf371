"""What a match shows: means with intervals, series won, and how much of it may be luck.

The unit is what was played independently: a hand, or in a duplicate match a pair of hands with the same
cards and the seats swapped (Gilpin 2009, section 6.7). With units u_1, ..., u_n, their mean m and standard
deviation s, the 95% interval is m ± 1.96 s / √n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError

Floats = NDArray[np.float64]

NORMAL_95 = 1.959963984540054
"""Half the width of a 95% interval in standard errors: the normal quantile of 0.975."""


@dataclass(frozen=True, eq=False)
class Winnings:
    """What an agent won, unit by unit, in chips a hand."""

    units: Floats

    def __post_init__(self) -> None:
        if not len(self.units):
            raise EquipoiseError("winnings: found no hands, expected at least one.")

    @property
    def mean(self) -> float:
        """Chips a hand."""
        return float(self.units.mean())

    @property
    def deviation(self) -> float:
        """The standard deviation of a unit; not known of a single one."""
        return float(self.units.std(ddof=1)) if len(self.units) > 1 else math.inf

    @property
    def half_width(self) -> float:
        """Half the width of the 95% interval."""
        return NORMAL_95 * self.deviation / math.sqrt(len(self.units))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean."""
        return self.mean - self.half_width, self.mean + self.half_width

    def covers(self, expected: float) -> bool:
        """Say whether the interval holds ``expected``."""
        low, high = self.interval
        return low <= expected <= high

    def split(self, parts: int = 20) -> WinningsSeries:
        """Cut a long match into ``parts`` series: the winner is who wins more of them."""
        if not 1 <= parts <= len(self.units):
            raise EquipoiseError(
                f"winnings: found {parts} series of {len(self.units)} units, expected 1 to as many as there "
                "are units."
            )
        return WinningsSeries(np.array([part.mean() for part in np.array_split(self.units, parts)]))

    def last(self, share: float = 0.1) -> Winnings:
        """Return the last part of the match, after which a learning opponent has learnt."""
        return Winnings(self.units[-max(1, round(share * len(self.units))) :])


class SignTest(NamedTuple):
    """Series won, lost and tied, and how likely so uneven a split is between equals."""

    won: int
    lost: int
    tied: int
    p_value: float


@dataclass(frozen=True, eq=False)
class WinningsSeries:
    """What an agent won in each of several series, in chips a hand; memories are reset between them."""

    means: Floats

    @property
    def score(self) -> Winnings:
        """The series as units: for opponents that learn, a match is the unit."""
        return Winnings(self.means)

    @property
    def sign_test(self) -> SignTest:
        """Count series, and test two-sidedly whether both agents win alike; ties are left out.

        With n series decided and k won by the less lucky agent, p = min(1, 2 Σ_{i <= k} C(n, i) / 2^n).
        """
        won, lost = int((self.means > 0).sum()), int((self.means < 0).sum())
        decided, fewer = won + lost, min(won, lost)
        tail = sum(math.comb(decided, i) for i in range(fewer + 1))
        # Whole numbers, divided once: floats know no 2^n for long matches.
        return SignTest(won, lost, len(self.means) - decided, min(1.0, 2 * tail / 2**decided))
