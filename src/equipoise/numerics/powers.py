"""Powers of two: scaling by one is exact."""

from __future__ import annotations

import math


def power_below(number: float) -> float:
    """Return the largest power of two that is at most ``number`` > 0; for zero, one."""
    return math.ldexp(1.0, math.frexp(number)[1] - 1) if number else 1.0
