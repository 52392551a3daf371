"""Two arithmetics for certificates: floating point, and floating point with directed rounding.

Numbers are arrays with a leading axis: one row of values, or two rows (lower and upper bounds).
Certificates are written once against these operations. :class:`Outward` rounds every bound away
from the interval, so the true result of exact arithmetic lies inside, whatever the rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

_UNIT = float(np.finfo(np.float64).eps)


class Floating:
    """Plain double precision: one row."""

    def numbers(self, exact: Sequence[Fraction]) -> Values:
        """Return rationals as values."""
        return np.array([[float(number) for number in exact]]).reshape(1, -1)

    def floats(self, values: NDArray[np.float64]) -> Values:
        """Return floats, taken as exact numbers, as values."""
        return values[None, :].astype(np.float64)

    def multiply(self, a: Values, b: Values) -> Values:
        """Return ``a * b``."""
        return a * b

    def divide(self, a: Values, b: Values) -> Values:
        """Return ``a / b`` for a >= 0, b > 0."""
        return a / b

    def add(self, a: Values, b: Values) -> Values:
        """Return ``a + b``."""
        return a + b

    def collect(self, index: NDArray[np.int32], values: Values, size: int) -> Values:
        """Return the sums of ``values`` that share an index, for indices 0 .. size - 1."""
        return np.stack([np.bincount(index, row, minlength=size) for row in values])


class Outward(Floating):
    """Interval arithmetic: a row of lower bounds and a row of upper bounds."""

    def numbers(self, exact: Sequence[Fraction]) -> Values:
        """Return an enclosing interval for each rational."""
        near = [float(number) for number in exact]
        lower = [
            v if v <= n else np.nextafter(v, -np.inf) for v, n in zip(near, exact, strict=True)
        ]
        upper = [v if v >= n else np.nextafter(v, np.inf) for v, n in zip(near, exact, strict=True)]
        return np.array([lower, upper]).reshape(2, -1)

    def floats(self, values: NDArray[np.float64]) -> Values:
        """Return each float as an interval of one point."""
        return np.stack([values, values]).astype(np.float64)

    def multiply(self, a: Values, b: Values) -> Values:
        """Return an enclosure of the product."""
        corners = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]]
        return _outward(np.minimum.reduce(corners), np.maximum.reduce(corners))

    def divide(self, a: Values, b: Values) -> Values:
        """Return an enclosure of the quotient of a >= 0 by b > 0."""
        return _outward(a[0] / b[1], a[1] / b[0])

    def add(self, a: Values, b: Values) -> Values:
        """Return an enclosure of the sum."""
        return _outward(a[0] + b[0], a[1] + b[1])

    def collect(self, index: NDArray[np.int32], values: Values, size: int) -> Values:
        """Return enclosures of the sums.

        A sum of n floats in any order is off by at most (n - 1) u / (1 - (n - 1) u) times the sum of
        their magnitudes (Higham 2002, section 4.2); the bound itself is computed with slack.
        """
        count = np.bincount(index, minlength=size)
        sums = super().collect(index, values, size)
        magnitude = super().collect(index, np.abs(values), size)
        error = magnitude * (count * _UNIT)
        return _outward(sums[0] - error[0], sums[1] + error[1])


def _outward(lower: Values, upper: Values) -> Values:
    """Widen bounds by one unit in the last place each."""
    return np.stack([np.nextafter(lower, -np.inf), np.nextafter(upper, np.inf)])
