"""How nature draws the signals of a deal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from equipoise.errors import EquipoiseError

Deal = tuple[int, ...]


class Chance(Protocol):
    """How nature draws: a joint distribution p over deals, revealed one signal at a time."""

    def draws(self, revealed: Deal) -> Sequence[tuple[int, Fraction]]:
        """Return the possible next signals with their conditional probabilities."""

    def prefixes(self, length: int) -> int:
        """Return how many sequences of this length can be revealed."""

    def check(self, signals: int, length: int) -> None:
        """Raise unless deals of ``length`` out of ``signals`` signals can be drawn."""


@dataclass(frozen=True)
class WithoutReplacement:
    """Definition 5, item 6: signals leave Θ once drawn, p(x | X) = p(x) / Σ_{y ∉ X} p(y)."""

    weights: tuple[Fraction, ...]

    def draws(self, revealed: Deal) -> list[tuple[int, Fraction]]:
        """Return every signal that is left, in proportion to its weight."""
        left = [s for s in range(len(self.weights)) if s not in revealed]
        total = sum((self.weights[s] for s in left), Fraction(0))
        return [(s, self.weights[s] / total) for s in left]

    def prefixes(self, length: int) -> int:
        """Return |Θ| (|Θ| - 1) ... (|Θ| - length + 1)."""
        return math.perm(len(self.weights), length)

    def check(self, signals: int, length: int) -> None:
        """Require positive weights, one a signal, and enough signals."""
        if len(self.weights) != signals:
            raise EquipoiseError(
                f"weights: found {len(self.weights)}, expected one for each of {signals} signals."
            )
        for place, weight in enumerate(self.weights):
            if weight <= 0:
                raise EquipoiseError(
                    f"weights: found {weight} for signal {place + 1}, expected a positive number."
                )
        if length > signals:
            raise EquipoiseError(
                f"signals: found {signals}, expected at least the {length} that are revealed."
            )


@dataclass(frozen=True)
class Joint:
    """A joint distribution p over whole deals, for signals that depend on each other.

    A label may occur at several places of a deal: what a player learns then includes where.
    """

    table: Mapping[Deal, Fraction]

    @cached_property
    def _prefix(self) -> dict[Deal, Fraction]:
        mass: dict[Deal, Fraction] = {}
        for deal, weight in self.table.items():
            for length in range(len(deal) + 1):
                mass[deal[:length]] = mass.get(deal[:length], Fraction(0)) + weight
        return mass

    @cached_property
    def _next(self) -> dict[Deal, list[int]]:
        after: dict[Deal, list[int]] = {}
        for prefix in sorted(self._prefix):
            if prefix:
                after.setdefault(prefix[:-1], []).append(prefix[-1])
        return after

    def draws(self, revealed: Deal) -> list[tuple[int, Fraction]]:
        """Return the signals that can follow ``revealed``, by Bayes' rule."""
        return [
            (s, self._prefix[(*revealed, s)] / self._prefix[revealed])
            for s in self._next.get(revealed, [])
        ]

    def prefixes(self, length: int) -> int:
        """Count the distinct beginnings of this length."""
        return sum(len(prefix) == length for prefix in self._prefix)

    def check(self, signals: int, length: int) -> None:
        """Require positive weights on deals of the right length over known signals."""
        if not self.table:
            raise EquipoiseError("joint: found no deals, expected at least one.")
        for deal, weight in self.table.items():
            if len(deal) != length:
                raise EquipoiseError(
                    f"joint: found a deal of {len(deal)} signals, expected {length}."
                )
            if not all(0 <= s < signals for s in deal):
                raise EquipoiseError(f"joint: found the deal {deal}, expected signals of the game.")
            if weight <= 0:
                raise EquipoiseError(f"joint: found the weight {weight}, expected a positive one.")
