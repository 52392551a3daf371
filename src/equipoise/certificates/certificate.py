"""The certificate of a strategy: what it earns, and what the best opponent could gain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from equipoise.certificates.infosets import Standings


@dataclass(frozen=True)
class Certificate:
    """How good a strategy profile is in the full game.

    Attributes
    ----------
    values
        Expected payoff of each player under the profile.
    best_responses
        What each player could earn by deviating alone (an upper bound if ``rigorous``).
    gains
        Best response minus value (an upper bound if ``rigorous``): zero at a Nash equilibrium.
    rigorous
        Whether the bounds hold despite rounding.
    forgetful
        Whether some player forgets what she knew or did. Best responses are then those of players who
        remember their own moves, hence upper bounds, as are gains and gap: a gap of zero proves an
        equilibrium, a positive one proves nothing.
    infosets
        How the players stand in every information set, if that was asked for:
        ``certificate.infosets["K|b"]`` has reach, value and best response there.
    """

    values: tuple[float, ...]
    best_responses: tuple[float, ...]
    gains: tuple[float, ...]
    rigorous: bool = False
    forgetful: bool = False
    infosets: Standings | None = None

    @classmethod
    def from_bounds(
        cls,
        values: NDArray[np.float64],
        responses: NDArray[np.float64],
        rigorous: bool,
        sure: NDArray[np.float64] | float = 0.0,
    ) -> Certificate:
        """Build from arrays of shape (players, 1) or, lower and upper bounds, (players, 2).

        What players are paid whatever happens may be given apart, as ``sure``: gains do not depend
        on it, and need not be lost in its rounding.
        """
        gains = responses[:, -1] - values[:, 0]
        if rigorous:
            gains = np.nextafter(gains, np.inf)
        values, responses = values + sure, responses + sure
        if rigorous and np.any(sure):
            responses = np.nextafter(responses, np.inf)
        return cls(
            values=tuple(values.mean(axis=1).tolist()),
            best_responses=tuple(responses[:, -1].tolist()),
            gains=tuple(gains.tolist()),
            rigorous=rigorous,
        )

    def __repr__(self) -> str:
        bound = "at most " if self.rigorous or self.forgetful else ""
        values = ", ".join(f"{value:.6g}" for value in self.values)
        return f"<Certificate: values {values}; gap {bound}{self.gap:.3g}>"

    @property
    def value(self) -> float:
        """Expected payoff of player 1."""
        return self.values[0]

    @property
    def gap(self) -> float:
        """Sum of all players' gains; in two-player zero-sum games, the duality gap."""
        # Rounded once, however many players there are: one unit upwards is then a bound.
        total = math.fsum(self.gains)
        return float(np.nextafter(total, np.inf)) if self.rigorous else total

    @property
    def is_exact(self) -> bool:
        """Whether the whole game was gone through; otherwise values and gains are estimates from a sample."""
        return True

    def meets(self, target: float | tuple[float, ...], allowance: float = 0.0) -> bool:
        """Say whether the gap, or every player's own gain, is within ``target``.

        The ``allowance`` is what rounding alone may add.
        """
        if isinstance(target, tuple):
            pairs = zip(self.gains, target, strict=True)
            return all(gain <= most + allowance for gain, most in pairs)
        return self.gap <= target + allowance

    def remarks(self) -> dict[str, str]:
        """Return what people should know beside the numbers."""
        if not self.forgetful:
            return {}
        return {"best responses": "upper bounds: of players who remember their own moves"}

    def summary(self) -> dict[str, Any]:
        """Return the certificate in the words of the JSON objects that commands print."""
        if len(self.values) != 2:
            return {"values": self.values, "gains": self.gains, "gap": self.gap}
        # Nobody can gain less than nothing; by rounding a gain may be so, and the value then outside of its bounds.
        return {
            "value": self.value,
            "lower": min(self.value - self.gains[1], self.value),
            "upper": max(self.best_responses[0], self.value),
            "gap": self.gap,
        }
