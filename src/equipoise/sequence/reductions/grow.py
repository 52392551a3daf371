"""A sequence form restricted to some sequences of each player, with a default strategy outside.

The restricted game of the double-oracle method (Bosansky, Kiekintveld, Lisy and Pechoucek 2014; Muench
2015, chapter 3): a player chooses among her kept sequences, and where no action of an information set
is kept she plays her default. So a plan x' of the kept sequences *extends* to a plan of the whole form,

    x = P x',    x[s] = x'[s] for a kept s,
                 x[s] = x'[t] * (what the default plays from t to s)  where t is the longest kept beginning
                        of s and nothing is kept in the set after t,
                 x[s] = 0  where another action of that set is kept,

and y = Q y' in the same way. The payoffs of the restricted game are A' = P' A Q: what the whole game pays
if both go on by default wherever the restriction ends. (Where Muench gives a temporary leaf the value of
the default against a best response within it, we give it the value of both defaults: that depends on the
two plans alone, so it holds in every form, with or without a tree.)

**Bounds.** Extended plans are plans: min over Y of <P x', A y> is a lower bound of the value of the whole
game, for every x', and max over X of <x, A Q y'> an upper one. Restricting player 1 alone therefore
gives a game whose value is at most that of the whole, player 2 alone one whose value is at least that.

**Growing.** With the sequences of a best response kept, the best response is an extended plan. So a double
oracle that adds them makes progress until no best response gains, at the latest when everything is
kept, and the restriction is the form itself. :meth:`Restriction.grow` computes anew only the payoffs of
sequences whose extension changed. The order of the kept sequences depends on which they are, not on when
they came; :attr:`Restriction.numbers` are the whole form's, the same in every restriction of it, and
:meth:`Restriction.carry` takes plans of a smaller restriction to where they are now.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.payoffs.base import Payoff
from equipoise.sequence.payoffs.sparse import Sparse
from equipoise.sequence.reductions.base import Plans
from equipoise.sequence.reductions.restrict import Mask, Numbers, Sequences
from equipoise.sequence.treeplex import Treeplex

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Side:
    """One player's part of a restriction.

    Attributes
    ----------
    sequences, behaviour
        Her sequences in the whole form, and what her default plays there.
    kept, space, numbers
        Which of them are kept, the treeplex of those, and their numbers in the whole form.
    owner, weight
        P: entry ``s`` of an extended plan is ``weight[s]`` times entry ``owner[s]`` of the restricted one,
        both numbered as in the whole form.
    """

    sequences: Sequences
    behaviour: Floats
    kept: Mask
    space: Treeplex
    numbers: Numbers
    owner: Numbers
    weight: Floats

    @classmethod
    def of(cls, sequences: Sequences, behaviour: Floats, kept: Mask) -> Side:
        """Return the part with these sequences, and all that they begin with, kept."""
        kept = kept.copy()
        kept[0] = True
        for level in reversed(sequences.levels):
            kept[sequences.parent[level[kept[level]]]] = True
        owner, weight = np.arange(len(kept)), kept.astype(np.float64)
        entered = sequences.entered(kept)
        for level in sequences.levels:
            outside = level[~entered[sequences.infoset[level]]]
            before = sequences.parent[outside]
            owner[outside] = owner[before]
            weight[outside] = weight[before] * behaviour[outside]
        return cls(sequences, behaviour, kept, *sequences.subspace(kept), owner, weight)

    @cached_property
    def place(self) -> Numbers:
        """Where a kept sequence of the whole form is in the restricted one."""
        place = np.zeros(len(self.kept), dtype=np.int64)
        place[self.numbers] = np.arange(len(self.numbers))
        return place

    def with_more(self, marked: Mask) -> Side:
        """Return the part with the ``marked`` sequences kept as well."""
        if not (marked & ~self.kept).any():
            return self
        return Side.of(self.sequences, self.behaviour, self.kept | marked)

    def extend(self, plan: NDArray[Any]) -> NDArray[Any]:
        """Return P times ``plan``."""
        whole = np.zeros(len(self.kept), plan.dtype)
        whole[self.numbers] = plan
        return (self.weight * whole[self.owner]).astype(plan.dtype, copy=False)

    def gather(self, gain: Floats) -> Floats:
        """Return P' times ``gain``: what the kept sequences earn, with all that goes on by default."""
        whole = np.bincount(self.owner, self.weight * gain, len(gain))
        return np.asarray(whole[self.numbers])

    @cached_property
    def entered(self) -> Mask:
        """Say in which information sets of the whole form some action is kept."""
        return self.sequences.entered(self.kept)

    @cached_property
    def held(self) -> Floats:
        """What is played in the whole form whatever the restricted plan is, -1 where that is to be chosen.

        Zero where another action of the set is kept, the default where none is.
        """
        is_entered = np.append(True, self.entered)[1 + self.sequences.infoset]
        return np.where(self.kept, -1.0, np.where(is_entered, 0.0, self.behaviour))

    def carry(self, plan: NDArray[Any]) -> Floats:
        """Return the restricted plan that does what ``plan`` of the whole form does, where it can."""
        behaviour = self.sequences.space.behaviour(plan.astype(np.float64))
        return self.space.plan(self.space.behaviour(behaviour[self.numbers]))

    def columns_of(self, chosen: Mask) -> tuple[Numbers, Any]:
        """Return the sequences on which some columns of P are not zero, and P with only these columns.

        ``chosen`` marks columns by their numbers in the whole form.
        """
        from scipy import sparse

        rows = np.flatnonzero(chosen[self.owner] & (self.weight != 0))
        entries = self.weight[rows], (np.arange(len(rows)), self.place[self.owner[rows]])
        return rows, sparse.csr_matrix(entries, (len(rows), len(self.numbers)))

    def changed(self, before: Side) -> Mask:
        """Mark the columns of P that are not as they were, by their numbers in the whole form."""
        other = np.flatnonzero((self.owner != before.owner) | (self.weight != before.weight))
        changed = self.kept & ~before.kept
        changed[self.owner[other]] = changed[before.owner[other]] = True
        return changed


class Entries(NamedTuple):
    """Payoffs A' by coordinates, numbered as in the whole form."""

    row: Numbers
    column: Numbers
    value: Floats


@dataclass(frozen=True, eq=False)
class Restriction:
    """A form restricted to some sequences of each player, a default strategy outside.

    Its payoffs are computed when they are asked for: a method may work on the whole form as well, with what
    is not kept :attr:`Side.held`.
    """

    whole: SequenceForm
    sides: tuple[Side, Side]
    name: ClassVar[str] = "restrict"

    @classmethod
    def of(
        cls,
        form: SequenceForm,
        rows: ArrayLike = (),
        columns: ArrayLike = (),
        default: Plans | None = None,
    ) -> Restriction:
        """Restrict ``form``.

        Parameters
        ----------
        form
            The whole form.
        rows, columns
            Numbers of the sequences that player 1 and player 2 keep, in the order of the form's plans. What
            a kept sequence begins with is kept with it.
        default
            Realization plans of both players; where they never come, and without any, all actions are
            played alike.
        """
        plans = default or tuple(space.plan(space.uniform()) for space in (form.X, form.Y))
        first, second = (
            Side.of(Sequences(space), space.behaviour(plan), kept)
            for space, plan, kept in (
                (form.X, plans[0], _mask(rows, form.X, "rows")),
                (form.Y, plans[1], _mask(columns, form.Y, "columns")),
            )
        )
        return cls(form, (first, second))

    @cached_property
    def entries(self) -> Entries:
        """The payoffs A'."""
        first, second = self.sides
        return _payoffs(self.whole.A, first, second, first.kept, second.kept)

    def __repr__(self) -> str:
        kept = (f"{own.space.size:,} of {own.sequences.space.size:,}" for own in self.sides)
        return f"<Restriction of '{self.whole.name}': {' x '.join(kept)} sequences>"

    @cached_property
    def form(self) -> SequenceForm:
        """The restricted form."""
        whole, (first, second) = self.whole, self.sides
        A = Sparse.from_entries(
            first.place[self.entries.row],
            second.place[self.entries.column],
            self.entries.value,
            (first.space.size, second.space.size),
        )
        own = f"{whole.fingerprint}, restricted"
        return SequenceForm(first.space, second.space, A, whole.name, own, units=whole.units)

    @property
    def numbers(self) -> tuple[Numbers, Numbers]:
        """The kept sequences of both players, by their numbers in the whole form."""
        return self.sides[0].numbers, self.sides[1].numbers

    def lift(self, x: NDArray[Any], y: NDArray[Any]) -> Plans:
        """Return the plans of the whole form that play the default outside."""
        return self.sides[0].extend(x), self.sides[1].extend(y)

    def grow(self, more_rows: ArrayLike = (), more_columns: ArrayLike = ()) -> Restriction:
        """Return the restriction that keeps these sequences as well; this one stays as it is."""
        whole, (X, Y) = self.whole, self.sides
        first = X.with_more(_mask(more_rows, whole.X, "rows"))
        second = Y.with_more(_mask(more_columns, whole.Y, "columns"))
        grown = Restriction(whole, (first, second))
        if "entries" in vars(self):
            vars(grown)["entries"] = self._entries_with(first, second)
        return grown

    def _entries_with(self, first: Side, second: Side) -> Entries:
        """Return the payoffs of a larger restriction: those that have changed are computed."""
        (X, Y), A = self.sides, self.whole.A
        rows, columns = first.changed(X), second.changed(Y)
        same = np.flatnonzero(~(rows[self.entries.row] | columns[self.entries.column]))
        anew = _payoffs(A, first, second, rows, columns)
        pairs = zip(self.entries, anew, strict=True)
        return Entries(*(np.concatenate((old[same], new)) for old, new in pairs))

    def carry(self, smaller: Restriction, x: NDArray[Any], y: NDArray[Any]) -> Plans:
        """Return plans of this form that do what plans of a ``smaller`` restriction did: a warm start.

        Where a set was left to the default and is not any more, the default's choice among the kept
        actions is taken; if it has none there, all of them alike.
        """
        first, second = smaller.lift(x, y)
        return self.sides[0].carry(first), self.sides[1].carry(second)


def _payoffs(A: Payoff, first: Side, second: Side, rows: Mask, columns: Mask) -> Entries:
    """Return the entries of P' A Q in the marked rows and in the marked columns."""
    none: Numbers = np.zeros(0, dtype=np.int64)
    parts = [(none, none, np.zeros(0))]
    for marked, others in ((rows, second.kept), (first.kept & ~rows, columns)):
        (own, P), (other, Q) = first.columns_of(marked), second.columns_of(others)
        if len(own) and len(other):
            part = (P.T @ (A.restricted(own, other).matrix() @ Q)).tocoo()
            parts.append((first.numbers[part.row], second.numbers[part.col], part.data))
    return Entries(*(np.concatenate(own) for own in zip(*parts, strict=True)))


def _mask(given: ArrayLike, space: Treeplex, what: str) -> Mask:
    """Mark the sequences with the ``given`` numbers, which are checked."""
    numbers, marked = np.asarray(given), np.zeros(space.size, dtype=bool)
    if numbers.size == 0:
        return marked
    is_whole = numbers.ndim == 1 and np.issubdtype(numbers.dtype, np.integer)
    if not is_whole or numbers.min() < 0 or numbers.max() >= space.size:
        raise EquipoiseError(
            f"Restriction, {what}: found {given!r:.80}, expected numbers of sequences from 0 to "
            f"{space.size - 1}."
        )
    marked[numbers] = True
    return marked
