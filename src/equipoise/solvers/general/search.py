"""A search for an equilibrium: the best profile so far, what counts as found, the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equipoise.numerics.clock import Deadline
from equipoise.solvers.general.plans import Behaviour, Floats, Plans

Method = Literal["tracing", "mip"]
"""A path of complementary pivots, or mixed-integer programs."""


@dataclass(frozen=True)
class Point:
    """A profile, with values and gains in the players' own units."""

    behaviour: Behaviour
    values: Floats
    gains: Floats

    @property
    def epsilon(self) -> float:
        """The most that any player could gain."""
        return float(self.gains.max())


class Search:
    """Keeps the best profile that was looked at.

    ``targets`` say what each player may gain, in the units of the rules.
    """

    best: Point

    def __init__(
        self,
        plans: Plans,
        targets: Sequence[float],
        deadline: Deadline,
    ) -> None:
        self.plans = plans
        self.targets = list(targets)
        self.deadline = deadline
        self.method: Method = "tracing"
        self.programs = self.binaries = 0
        self._own = np.array([t / float(u) for t, u in zip(targets, plans.unit, strict=True)])

    def point(self, behaviour: Behaviour) -> Point:
        """Return what ``behaviour`` earns."""
        return Point(behaviour, *self.plans.account(behaviour))

    def look(self, behaviour: Behaviour) -> Point:
        """Return what ``behaviour`` earns, and keep it if nothing better was seen."""
        point = self.point(behaviour)
        if not hasattr(self, "best") or point.epsilon < self.best.epsilon:
            self.best = point
        return point

    def is_found(self, point: Point) -> bool:
        """Say whether nobody gains more than her target."""
        return bool(np.all(point.gains <= self._own))

    @property
    def gains(self) -> tuple[float, ...]:
        """What each player would gain by leaving the best profile, in the units of the rules."""
        pairs = zip(self.plans.unit, self.best.gains, strict=True)
        return tuple(float(unit) * float(gain) for unit, gain in pairs)

    @property
    def is_done(self) -> bool:
        """Whether the best profile so far is an equilibrium."""
        return self.is_found(self.best)
