"""What information sets do with their own numbers, whole groups at a time: regret matching and its regrets.

With G the gains of a set's actions, Q what is played from and Q+ its positive part, of sum q,

    behaviour  b = Q+ / q,  uniform where q is no more than a tie
    value      v = <b, G>
    regrets    R = (R + G - v) * (one factor where that is positive, another elsewhere)
    played     Q = R + optimism * (G - v)

goes from set to set, and nothing but actions is added up. A compiler makes one pass of such work where actions are
arrays of their own: a group's numbers are lists of *pieces*, actions x sets, of one action each where a device
compiles and actions are few, and elsewhere one piece of all. Pieces are views, which are written in place.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

from equipoise.numerics.device import Array, Device

Pieces = list[Any]

# A compiler unrolls so many actions; it is called once for each number of pieces.
_UNROLLED = 3


class Updates:
    """The updates as ``device`` does them best."""

    def __init__(self, device: Device) -> None:
        self._xp, self._device = device.xp, device
        self.reach = device.fused(self._reach, any_size=True)
        self.regrets = device.fused(self._regrets, any_size=True)

    def pieces(self, part: Array) -> Pieces:
        """Return the pieces of a group's ``part`` of a vector, actions x blocks x buckets."""
        actions = part.shape[0]
        flat = self._xp.reshape(part, (actions, -1))
        if not self._device.compiles or actions > _UNROLLED:
            return [self._device.apart(flat)]
        return [self._device.apart(flat[a : a + 1, :]) for a in range(actions)]

    def shares(self, play: Pieces, tie: Array | float = 0.0) -> tuple[Pieces, Array, Array]:
        """Return p, s and e such that p s + e is the behaviour in proportion to the positive part of ``play``.

        p has the shape of ``play``, s and e one number an information set: e is not zero where the positive
        part adds up to no more than ``tie``.
        """
        xp, actions = self._xp, sum(piece.shape[0] for piece in play)
        positive = [xp.where(piece > 0, piece, xp.zeros_like(piece)) for piece in play]
        total = self._total(positive)
        is_positive = xp.astype(total > tie, total.dtype)
        nothing = 1.0 - is_positive
        return positive, is_positive / (total + nothing), nothing / actions

    def _total(self, pieces: Pieces) -> Array:
        """Add up actions."""
        return reduce(add, [self._xp.sum(piece, axis=0) for piece in pieces])

    def _reach(
        self, play: Pieces, arrives: Array, plan: Pieces, average: Pieces, row: Array
    ) -> None:
        """Write the plan of what is played where ``arrives`` comes in, and take it into the average."""
        positive, scale, even = self.shares(play, row[4])
        scale, even = scale * arrives, even * arrives
        for p, reached, mean in zip(positive, plan, average, strict=True):
            new = p * scale + even
            reached[:, :] = new
            mean[:, :] = mean + row[3] * (new - mean)

    def _regrets(
        self,
        regret: Pieces,
        play: Pieces | None,
        gains: Pieces,
        follows: Pieces | None,
        row: Array,
    ) -> Array:
        """Update regrets, and what is played from if that is kept apart; return the sets' values.

        Gains come in two parts if something ``follows``.
        """
        if follows is not None:
            gains = [gain + more for gain, more in zip(gains, follows, strict=True)]
        positive, scale, even = self.shares(regret if play is None else play, row[4])
        earned = self._total([p * gain for p, gain in zip(positive, gains, strict=True)])
        value = earned * scale + self._total(gains) * even
        for i, gain in enumerate(gains):
            step = gain - value
            new = regret[i] + step
            new = new * self._xp.where(new > 0, row[0], row[1])
            regret[i][:, :] = new
            if play is not None:
                play[i][:, :] = new + row[2] * step
        return value
