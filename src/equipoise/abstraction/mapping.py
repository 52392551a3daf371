"""Reverse mappings: which bet of a betting model an opponent's bet is read as.

An opponent adds c chips, and the bets of the model nearest to it add d1 < c < d2. A :class:`ReverseMapping` says
with what probability the bet is read as d1 (Gilpin 2009, section 7.4.2; Ganzfried and Sandholm 2013):

``absolute``
    The nearest in chips: d1 if c - d1 <= d2 - c. The player of 2007 did this, and was exploited.
``randomised``
    d1 with probability 1 - (c - d1) / (d2 - d1).
``relative``
    The nearest by ratio: d1 if c / d1 <= d2 / c, so the threshold is the geometric mean of d1 and d2.
``pseudo-harmonic``
    With A < x < B the bets as parts of the pot, A with probability (B - x)(1 + A) / ((B - A)(1 + x)). In
    the game where a player who knows all may bluff, this leaves her nothing to gain from odd sizes.

What is a law here and tested: the model's own bets are read as themselves; a larger bet is never more likely
to be read as the smaller one; and nothing depends on the unit that chips are counted in.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

from equipoise.errors import EquipoiseError

_ROUNDING = 1e-9  # amounts closer than this, relative to themselves, are one amount


class ReverseMapping(Protocol):
    """A way to read bets that the model does not have."""

    @property
    def name(self) -> str:
        """The name in :data:`MAPPINGS`."""

    def lower(
        self, c: float, d1: float, d2: float, *, pot: float = 1.0, owed: float = 0.0
    ) -> float:
        """Return the probability that c, with d1 <= c <= d2, is read as d1.

        All are chips that the player adds, ``owed`` of them to call; ``pot`` is in the pot before that.
        """


class Absolute:
    """The nearest in chips; the smaller of two that are equally near."""

    name = "absolute"

    def lower(
        self, c: float, d1: float, d2: float, *, pot: float = 1.0, owed: float = 0.0
    ) -> float:
        """Return one if d1 is no further than d2."""
        return float(c - d1 <= d2 - c)


class Randomised:
    """By chance, as near in chips."""

    name = "randomised"

    def lower(
        self, c: float, d1: float, d2: float, *, pot: float = 1.0, owed: float = 0.0
    ) -> float:
        """Return 1 - (c - d1) / (d2 - d1)."""
        return 1 - (c - d1) / (d2 - d1)


class Relative:
    """The nearest by ratio; nothing is near zero but zero."""

    name = "relative"

    def lower(
        self, c: float, d1: float, d2: float, *, pot: float = 1.0, owed: float = 0.0
    ) -> float:
        """Return one if c / d1 <= d2 / c."""
        return float(c * c <= d1 * d2)


class PseudoHarmonic:
    """By chance, as parts of the pot (Ganzfried and Sandholm 2013)."""

    name = "pseudo-harmonic"

    def lower(
        self, c: float, d1: float, d2: float, *, pot: float = 1.0, owed: float = 0.0
    ) -> float:
        """Return (B - x)(1 + A) / ((B - A)(1 + x)) for raises by A, x and B pots after a call."""
        x, A, B = ((chips - owed) / (pot + owed) for chips in (c, d1, d2))
        return (B - x) * (1 + A) / ((B - A) * (1 + x))


MAPPINGS: dict[str, ReverseMapping] = {
    mapping.name: mapping for mapping in (Absolute(), Randomised(), Relative(), PseudoHarmonic())
}
"""Reverse mappings by name."""


def mapping_called(name: str) -> ReverseMapping:
    """Return the mapping called ``name``."""
    if name not in MAPPINGS:
        raise EquipoiseError(f"mapping: found '{name:.40}', expected one of {', '.join(MAPPINGS)}.")
    return MAPPINGS[name]


def read_bet(
    mapping: ReverseMapping,
    c: float,
    sizes: Sequence[float],
    *,
    pot: float = 1.0,
    owed: float = 0.0,
) -> dict[int, float]:
    """Return which of ``sizes``, in increasing order, a bet of ``c`` is read as, with what probability.

    A bet beyond the largest is read as the largest, one below the smallest as the smallest.
    """
    if not sizes or any(a >= b for a, b in pairwise(sizes)):
        raise EquipoiseError(f"sizes: found {list(sizes)}, expected amounts in increasing order.")
    own = next((i for i, size in enumerate(sizes) if abs(c - size) <= _ROUNDING * size), None)
    if own is not None:
        return {own: 1.0}
    above = bisect_right(sizes, c)
    if above == 0 or above == len(sizes):
        return {max(above - 1, 0): 1.0}
    p = mapping.lower(c, sizes[above - 1], sizes[above], pot=pot, owed=owed)
    return {place: q for place, q in ((above - 1, p), (above, 1 - p)) if q > 0}
