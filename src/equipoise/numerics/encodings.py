"""Mixed-integer models built from polynomials: variables, rows, products and piecewise curves.

A :class:`Model` collects columns and rows, which are polynomials in the columns, and has them solved by
HiGHS. A row whose expression is not linear is linearised: every product x·y becomes

    x·y = ((x + y)/2)² − ((x − y)/2)²,

and each square a piecewise-linear curve through k breakpoints whose weights form a special ordered
set of type 2 (Ganzfried and Sandholm 2010, section 7.3.1). With k − 1 equal segments over [a, b] the
curve is at most ((b − a)/(2(k − 1)))² above the square (their Lemma 2).

A special ordered set is encoded with one binary a segment (``unary``) or with ⌈log₂(k − 1)⌉ binaries
read as a reflected Gray code (``logarithmic``, Vielma and Nemhauser 2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from numbers import Integral
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError, require_type, short
from equipoise.numerics.clock import Deadline
from equipoise.numerics.polynomial import Monomial, Polynomial, total
from equipoise.numerics.program import Program, ProgramResult, optimize

Encoding = Literal["unary", "logarithmic"]
ENCODINGS: tuple[Encoding, ...] = ("unary", "logarithmic")

MOST_BREAKPOINTS = 1_000
"""Between so many the curve over [0, 1] is nearer to the square than the 1e-6 by which HiGHS lets rows be off."""


def require_breakpoints(breakpoints: int, encoding: Encoding) -> None:
    """Raise unless squares can be made piecewise linear so."""
    place, expected = "Piecewise-linear squares", f"from 2 to {MOST_BREAKPOINTS:,}"
    require_type(place, breakpoints, Integral, f"a number of breakpoints {expected}")
    if not 2 <= breakpoints <= MOST_BREAKPOINTS:
        raise EquipoiseError(
            f"{place}: found {short(breakpoints)} breakpoints, expected {expected}."
        )
    require_type("Encoding of breakpoints", encoding, str, "its name")
    if encoding not in ENCODINGS:
        raise EquipoiseError(
            f"Encoding of breakpoints: found {short(encoding)}, expected one of {', '.join(ENCODINGS)}."
        )


class Model:
    """Columns and rows of a mixed-integer program under construction.

    ``breakpoints`` and ``encoding`` say how squares are approximated, should any row need one. Once
    the ``deadline`` has passed, whatever is added raises ``TimeUpError``.
    """

    def __init__(
        self,
        breakpoints: int = 17,
        encoding: Encoding = "logarithmic",
        deadline: Deadline | None = None,
    ) -> None:
        require_breakpoints(breakpoints, encoding)
        self.breakpoints = breakpoints
        self.encoding = encoding
        self.deadline = deadline or Deadline()
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.integer: list[bool] = []
        self.rows: list[tuple[Polynomial, float, float]] = []
        self._products: dict[Monomial, Polynomial] = {}

    def variable(
        self, lower: float = 0.0, upper: float = 1.0, *, integer: bool = False
    ) -> Polynomial:
        """Add a column and return it."""
        self.deadline.check()
        self.lower.append(lower)
        self.upper.append(upper)
        self.integer.append(integer)
        return Polynomial.column(len(self.lower) - 1)

    def binary(self) -> Polynomial:
        """Add a 0-1 column and return it."""
        return self.variable(integer=True)

    def between(self, lower: float, expression: Polynomial | float, upper: float) -> None:
        """Require ``lower <= expression <= upper``; products in it are approximated."""
        self.deadline.check()
        row = self.linear(Polynomial.of(expression))
        if any(row.terms[m] for m in row.terms if m):
            self.rows.append((row, lower, upper))
        elif not lower - 1e-9 <= row.constant <= upper + 1e-9:
            # Kept as a row that cannot hold, so that the solver reports the model infeasible.
            self.rows.append((self.variable(0.0, 0.0), 1.0, 1.0))

    def at_least(self, expression: Polynomial | float, bound: float = 0.0) -> None:
        """Require ``expression >= bound``."""
        self.between(bound, expression, np.inf)

    def equal(self, expression: Polynomial | float, value: float = 0.0) -> None:
        """Require ``expression == value``."""
        self.between(value, expression, value)

    def define(self, expression: Polynomial, lower: float = 0.0, upper: float = 1.0) -> Polynomial:
        """Return a column that equals ``expression``."""
        column = self.variable(lower, upper)
        self.equal(expression - column)
        return column

    def range(self, expression: Polynomial) -> tuple[float, float]:
        """Return bounds of a linear ``expression`` implied by the bounds of its columns."""
        low = high = expression.constant
        for monomial, coefficient in expression.terms.items():
            if monomial:
                ends = (
                    coefficient * self.lower[monomial[0]],
                    coefficient * self.upper[monomial[0]],
                )
                low, high = low + min(ends), high + max(ends)
        return low, high

    def linear(self, expression: Polynomial) -> Polynomial:
        """Return ``expression`` with every product replaced by a column that approximates it."""
        if expression.degree <= 1:
            return expression
        return total(
            (self.product(m) if len(m) > 1 else Polynomial({m: 1.0})) * c
            for m, c in expression.terms.items()
            if c
        )

    def product(self, monomial: Monomial) -> Polynomial:
        """Return an expression that approximates the product of the columns in ``monomial``."""
        if len(monomial) == 1:
            return Polynomial.column(monomial[0])
        if monomial not in self._products:
            x, y = self.product(monomial[:-1]), Polynomial.column(monomial[-1])
            if monomial[0] == monomial[-1] and len(monomial) == 2:
                self._products[monomial] = self.square(x)
            else:
                (a, b), (c, d) = self.range(x), self.range(y)
                ends = (a * c, a * d, b * c, b * d)
                # Lemma 2: by as much as this the chords may leave the product's own range.
                off = ((b - a + d - c) / (4 * (self.breakpoints - 1))) ** 2
                difference = self.square((x + y) * 0.5) - self.square((x - y) * 0.5)
                self._products[monomial] = self.define(difference, min(ends) - off, max(ends) + off)
        return self._products[monomial]

    def square(self, expression: Polynomial) -> Polynomial:
        """Return a column on the piecewise-linear curve through the squares of the breakpoints."""
        low, high = self.range(expression)
        points = np.linspace(low, high, self.breakpoints)
        return self.curve(expression, points, points**2)

    def curve(
        self,
        x: Polynomial,
        points: Sequence[float] | NDArray[np.float64],
        values: Sequence[float] | NDArray[np.float64],
    ) -> Polynomial:
        """Return y on the piecewise-linear curve through ``(points[i], values[i])``, at ``x``."""
        weights = [self.variable() for _ in points]
        self.equal(total(weights), 1.0)
        self.equal(total(w * float(p) for w, p in zip(weights, points, strict=True)) - x)
        self._adjacent(weights)
        y = self.variable(float(np.min(values)), float(np.max(values)))
        self.equal(total(w * float(v) for w, v in zip(weights, values, strict=True)) - y)
        return y

    def ordered_fills(
        self, count: int, *, tell_edges: bool = False
    ) -> tuple[list[Polynomial], list[Polynomial], list[Polynomial]]:
        """Return a point on a line cut into ``count`` cells, in the incremental encoding.

        First the fills w_1, ..., w_count in [0, 1]: the fractions of the cells below the point, so
        that a later one is positive only if the earlier ones are 1. Then, for every inner edge, 0-1
        columns: ``reached`` (must be 0 if the point lies below the edge) and ``beyond`` (must be 1 if
        it lies above). They are the same columns unless ``tell_edges``; then a point on the edge may
        count as reached and not beyond.
        """
        fills = [self.variable() for _ in range(count)]
        reached = [self.binary() for _ in fills[1:]]
        beyond = [self.binary() for _ in fills[1:]] if tell_edges else reached
        for k, (before, after) in enumerate(pairwise(fills)):
            self.at_least(before - reached[k])
            self.at_least(beyond[k] - after)
            self.at_least(reached[k] - beyond[k])
        return fills, reached, beyond

    @property
    def size(self) -> tuple[int, int, int]:
        """Numbers of rows, columns and integer columns."""
        return len(self.rows), len(self.lower), sum(self.integer)

    def solve(self, cost: Polynomial | None = None, time_limit: float = np.inf) -> ProgramResult:
        """Minimise ``cost``, or find a feasible point; then once more with integer columns fixed.

        The time limit holds for both, and for making the program.

        HiGHS accepts an integer point whose rows are off by 1e-6; those of the linear program that
        remains are off by 1e-9.
        """
        deadline = Deadline(min(time_limit, self.deadline.left))
        program = self.program(cost)
        outcome = optimize(program, time_limit=deadline.left, should_stop=self.deadline.interrupted)
        is_found = outcome.status in ("optimal", "limit") and outcome.x.size > 0
        if program.integer is None or not is_found:
            return outcome
        integer, whole = np.array(self.integer), np.round(outcome.x)
        lower, upper = np.where(integer, whole, self.lower), np.where(integer, whole, self.upper)
        fixed = replace(program, lower=lower, upper=upper, integer=None)
        again = optimize(fixed, time_limit=deadline.left)
        return replace(again, status=outcome.status) if again.status == "optimal" else outcome

    def _adjacent(self, weights: list[Polynomial]) -> None:
        """Require that at most two adjacent ``weights`` are positive."""
        segments = len(weights) - 1
        if segments < 2:
            return
        if self.encoding == "unary":
            used = [self.binary() for _ in range(segments)]
            self.equal(total(used), 1.0)
            for i, weight in enumerate(weights):
                self.at_least(total(used[max(i - 1, 0) : i + 1]) - weight)
            return
        for bit in range((segments - 1).bit_length()):
            digit = self.binary()
            codes = [(s ^ (s >> 1)) >> bit & 1 for s in range(segments)]
            zero = [
                w
                for i, w in enumerate(weights)
                if all(c == 0 for c in codes[max(i - 1, 0) : i + 1])
            ]
            one = [
                w
                for i, w in enumerate(weights)
                if all(c == 1 for c in codes[max(i - 1, 0) : i + 1])
            ]
            self.at_least(digit - total(one))
            self.at_least(1.0 - digit - total(zero))

    def program(self, cost: Polynomial | None = None) -> Program:
        """Return the program that minimises the linear expression ``cost`` (nothing, by default)."""
        from scipy import sparse

        objective = self.linear(Polynomial.of(0.0) if cost is None else cost)
        columns = len(self.lower)
        c = np.zeros(columns)
        for monomial, coefficient in objective.terms.items():
            if monomial:
                c[monomial[0]] += coefficient
        entries = [
            (i, monomial[0], coefficient)
            for i, (row, _, _) in enumerate(self.rows)
            for monomial, coefficient in row.terms.items()
            if monomial
        ]
        i, j, v = zip(*entries, strict=True) if entries else ((), (), ())
        return Program(
            c=c,
            A=sparse.csr_matrix((v, (i, j)), shape=(len(self.rows), columns)),
            row_lower=[low - row.constant for row, low, _ in self.rows],
            row_upper=[high - row.constant for row, _, high in self.rows],
            lower=self.lower,
            upper=self.upper,
            integer=self.integer if any(self.integer) else None,
        )
