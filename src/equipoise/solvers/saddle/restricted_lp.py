"""Solving the restricted games of a double oracle, one after another.

Each is a little larger than the one before, so the work before is used: simplex goes on from the basis where it
ended (:class:`WarmProgram`), any other method from the plans (:class:`ByMethod`).

A basis is kept by the numbers of the whole form. A sequence of player 1 that is new in a known set is a
nonbasic column, one of player 2 a row with a basic slack. A set that is new brings a constraint of its own: its
first sequence becomes basic, or, for player 2, the set's value does and the slack of its first sequence does
not. So the matrix of the new basis is that of the old one with a triangle added: it can be inverted if the old
one could. With nothing before, it is the basis of two pure plans.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.program import AT_LOWER, BASIC, Basis, Solver, Statuses, optimize
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.reductions.base import Plans
from equipoise.sequence.reductions.grow import Restriction, Side
from equipoise.solvers.base import Context, Method, MethodRun, in_double, measure, next_check
from equipoise.solvers.driver import Arrays
from equipoise.solvers.saddle.lp import plans, program

_NOTHING = 1e-12
"""A probability below this is a rounding error of simplex."""

_USUAL, _FINEST = 1e-9, 1e-10
"""How far a program's constraints may be violated: usually, and the least that HiGHS takes."""

_PATIENCE, _SOON, _BETTER = 4, 1000, 0.9
"""From one stretch of so many times the iterations, and so many at the least, to the next, gaps fall to this part."""


class RestrictedSolver(Protocol):
    """Solves restrictions of one form, each larger than the one before."""

    def solve(self, small: Restriction, tolerance: float) -> Plans:
        """Return plans of ``small`` with a gap of at most ``tolerance``, in the form's units, if it can."""

    @property
    def is_exact(self) -> bool:
        """Whether a smaller tolerance would change nothing."""

    def state(self) -> Arrays:
        """Return what the next solve begins from."""

    def restore(self, state: Arrays) -> None:
        """Begin from ``state``."""


class Patience:
    """Notices that a method gets no further: rounding is what remains.

    Gaps of averages shrink at least as the root of the iterations grows, so four times as many halve them. That
    holds for their mean over a stretch of iterations: a single gap may be far below those that follow.
    """

    def __init__(self, iterations: int = 0) -> None:
        self._gaps: list[float] = []
        self._before, self._end = np.inf, max(_PATIENCE * iterations, _SOON)

    def is_over(self, iterations: int, gap: float) -> bool:
        """Say whether the gap, which is this after so many iterations, has not shrunk for long."""
        self._gaps.append(gap)
        if iterations <= self._end:
            return False
        mean = sum(self._gaps) / len(self._gaps)
        is_over = mean >= _BETTER * self._before
        self._gaps, self._before, self._end = [], mean, _PATIENCE * iterations
        return is_over


class WarmProgram:
    """Linear programs by simplex, each from the last one's basis.

    One that is asked for again was not solved exactly enough, and is solved as exactly as can be.
    """

    def __init__(self, form: SequenceForm, solver: Solver, context: Context) -> None:
        self.solver, self.context = solver, context
        self._violation, self._sizes = _USUAL, (0, 0)
        self._own = _Statuses(form.X.size, form.X.infosets)
        self._other = _Statuses(form.Y.size, form.Y.infosets)

    @property
    def is_exact(self) -> bool:
        """Whether a smaller tolerance would change nothing."""
        return self._violation <= _FINEST

    def solve(self, small: Restriction, tolerance: float) -> Plans:
        """Return an optimal vertex of the program of ``small``."""
        first, second = small.sides
        before, self._sizes = self._sizes, (len(first.numbers), len(second.numbers))
        if self._sizes == before:
            self._violation = _FINEST
        sets, replies = _sets(first), _sets(second)
        # For player 1, sequences are columns and sets rows; for player 2 it is the other way round, and what
        # is basic for one is not for the other.
        self._own.enter(first, sets, sequence=(AT_LOWER, BASIC), of_set=AT_LOWER)
        self._other.enter(second, replies, sequence=(BASIC, AT_LOWER), of_set=BASIC)
        outcome = optimize(
            program(small.form),
            self.solver,
            tolerance=self._violation,
            should_stop=self.context.should_stop,
            basis=Basis(
                np.concatenate((self._own.sequence[first.numbers], self._other.of_set[replies])),
                np.concatenate((self._other.sequence[second.numbers], self._own.of_set[sets])),
            ),
        )
        assert outcome.basis is not None
        columns, rows = outcome.basis
        cut, below = len(first.numbers), len(second.numbers)
        self._own.sequence[first.numbers], self._other.of_set[replies] = (
            columns[:cut],
            columns[cut:],
        )
        self._other.sequence[second.numbers], self._own.of_set[sets] = rows[:below], rows[below:]
        outcome = replace(outcome, x=_cleaned(outcome.x), dual=_cleaned(outcome.dual))
        return plans(small.form, outcome)

    def state(self) -> Arrays:
        """Return the basis, and how exactly the next program is solved."""
        return {
            "exactness": np.array([self._violation, *self._sizes]),
            **{f"first_{name}": array for name, array in vars(self._own).items()},
            **{f"second_{name}": array for name, array in vars(self._other).items()},
        }

    def restore(self, state: Arrays) -> None:
        """Begin from a basis."""
        violation, rows, columns = state["exactness"].tolist()
        self._violation, self._sizes = violation, (int(rows), int(columns))
        for own, prefix in ((self._own, "first_"), (self._other, "second_")):
            for name in vars(own):
                setattr(own, name, state[prefix + name].copy())


class _Statuses:
    """The basis of one player, by the numbers of the whole form."""

    def __init__(self, sequences: int, sets: int) -> None:
        self.sequence: Statuses = np.zeros(sequences, np.int8)
        self.of_set: Statuses = np.zeros(1 + sets, np.int8)
        self.known_sequence: NDArray[np.bool_] = np.zeros(sequences, dtype=bool)
        self.known_set: NDArray[np.bool_] = np.zeros(1 + sets, dtype=bool)

    def enter(
        self, side: Side, sets: NDArray[np.int64], sequence: tuple[int, int], of_set: int
    ) -> None:
        """Give new sequences and sets their statuses; the first of a new set has ``sequence[1]``."""
        numbers = side.numbers
        new = numbers[~self.known_sequence[numbers]]
        fresh = sets[~self.known_set[sets]]
        self.sequence[new] = sequence[0]
        self.of_set[fresh] = of_set
        # Numbers are in the order of their sets; the empty sequence is a set of its own.
        place = np.searchsorted(1 + side.sequences.infoset[numbers], fresh)
        self.sequence[numbers[place]] = sequence[1]
        self.known_sequence[new] = self.known_set[fresh] = True


class ByMethod:
    """Any method, from the plans of the restriction before; regrets are kept, where a method has them.

    Without them, every restricted game would take as many iterations again (Tang et al. 2023).
    """

    def __init__(self, form: SequenceForm, method: Method, context: Context) -> None:
        self.form, self.method, self.context = form, method, context
        self._plans = tuple(space.plan(space.uniform()) for space in (form.X, form.Y))
        self._is_exact = False
        self._last: tuple[Restriction, MethodRun] | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the method ended, or got no further, before the tolerance was met."""
        return self._is_exact

    def solve(self, small: Restriction, tolerance: float) -> Plans:
        """Return plans with a gap of at most ``tolerance``, or where the method ends."""
        form = small.form
        begin = tuple(side.carry(plan) for side, plan in zip(small.sides, self._plans, strict=True))
        context = replace(self.context, target=tolerance, start=None, horizon=None)
        try:
            run = self.method.start(form, context)
        except EquipoiseError as error:
            raise EquipoiseError(
                f"double-oracle: inner is '{self.method.name}', expected a method for restricted games, "
                f"which are payoffs without a tree, chance moves or cards: {error}"
            ) from error
        if not hasattr(run, "go_on_from"):
            run = self.method.start(form, replace(context, start=(begin[0], begin[1])))
        elif self._last is not None:
            # From plans alone regrets would be of the size of probabilities, far above any that deep
            # information sets ever have, and would be forgotten too slowly.
            smaller, before = self._last
            places = [
                side.place[numbers]
                for side, numbers in zip(small.sides, smaller.numbers, strict=True)
            ]
            run.go_on_from(before, (places[0], places[1]))
        self._last = small, run
        patience = Patience()
        while True:
            run.advance(next_check(run.iterations) - run.iterations)
            lower, upper = measure(form, *run.point())
            gap = (upper - lower) / form.units.unit
            is_over = run.finished or patience.is_over(run.iterations, gap)
            if gap <= tolerance or is_over or self.context.should_stop():
                break
        # Many a method ends where it was told to, and goes on if more is asked for.
        self._is_exact = is_over and gap > tolerance
        point = run.point()
        x, y = in_double(form.X, point[0]), in_double(form.Y, point[1])
        self._plans = small.lift(x, y)
        return x, y

    def state(self) -> Arrays:
        """Return the plans."""
        return {"inner_x": self._plans[0], "inner_y": self._plans[1]}

    def restore(self, state: Arrays) -> None:
        """Begin from plans."""
        self._plans = state["inner_x"].copy(), state["inner_y"].copy()


def _sets(side: Side) -> NDArray[np.int64]:
    """Return the kept information sets, one more than their number, after the empty sequence's 0."""
    return np.unique(1 + side.sequences.infoset[side.numbers])


def _cleaned(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.abs(values) < _NOTHING, 0.0, values)
