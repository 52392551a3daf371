"""Polynomials in the columns of a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Monomial = tuple[int, ...]


class Polynomial:
    """A polynomial in the columns of a model: monomial (sorted columns) -> coefficient."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial, float] | None = None) -> None:
        self.terms: dict[Monomial, float] = dict(terms or {})

    @staticmethod
    def of(value: Polynomial | float) -> Polynomial:
        """Return ``value`` as a polynomial."""
        return value if isinstance(value, Polynomial) else Polynomial({(): float(value)})

    @staticmethod
    def column(index: int) -> Polynomial:
        """Return the polynomial that is column ``index``."""
        return Polynomial({(index,): 1.0})

    @property
    def constant(self) -> float:
        """Coefficient of the empty monomial."""
        return self.terms.get((), 0.0)

    @property
    def degree(self) -> int:
        """Largest degree of a monomial with a nonzero coefficient."""
        return max((len(m) for m, c in self.terms.items() if c), default=0)

    def __add__(self, other: Polynomial | float) -> Polynomial:
        terms = dict(self.terms)
        for monomial, coefficient in Polynomial.of(other).terms.items():
            terms[monomial] = terms.get(monomial, 0.0) + coefficient
        return Polynomial(terms)

    __radd__ = __add__

    def __neg__(self) -> Polynomial:
        return Polynomial({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Polynomial | float) -> Polynomial:
        return self + (-Polynomial.of(other))

    def __rsub__(self, other: float) -> Polynomial:
        return Polynomial.of(other) - self

    def __mul__(self, other: Polynomial | float) -> Polynomial:
        if not isinstance(other, Polynomial):
            return Polynomial({m: c * other for m, c in self.terms.items()})
        product: dict[Monomial, float] = {}
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                key = tuple(sorted(m + n))
                product[key] = product.get(key, 0.0) + c * d
        return Polynomial(product)

    __rmul__ = __mul__

    def at(self, point: NDArray[np.float64] | Sequence[float]) -> float:
        """Return the value at ``point``, a value for every column."""
        return float(sum(c * np.prod([point[i] for i in m]) for m, c in self.terms.items()))


def total(polynomials: Iterable[Polynomial]) -> Polynomial:
    """Return the sum of ``polynomials``."""
    terms: dict[Monomial, float] = {}
    for polynomial in polynomials:
        for monomial, coefficient in polynomial.terms.items():
            terms[monomial] = terms.get(monomial, 0.0) + coefficient
    return Polynomial(terms)
