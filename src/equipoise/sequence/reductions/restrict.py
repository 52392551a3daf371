"""A sequence form without some of its sequences: what is left after elimination, to be solved.

``restrict(form, rows, columns)`` keeps the sequences that two masks mark, with their constraints
and payoffs, and remembers where they came from. Its result is a sequence form like any other; plans
for it become plans for the whole form by :meth:`Restricted.lift`, which puts zeros in place of what
was dropped. Which sequences may be dropped without changing the value is for others to say
(:mod:`.eliminate`)::

    left = eliminate(game.tree, signal_rounds(game))
    small = restrict(form, left.sequences(0), left.sequences(1))
    solution = solve(form, Reduced.to(small, LP()))
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.treeplex import Treeplex

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]

MOST_PAYOFFS = 20_000_000


@dataclass(frozen=True, eq=False)
class Restricted:
    """A smaller form, and for each player the sequences of the whole one that it keeps, in order.

    ``sizes`` are the numbers of sequences of the whole form.
    """

    form: SequenceForm
    kept: tuple[Numbers, Numbers]
    sizes: tuple[int, int]
    name: ClassVar[str] = "eliminate"

    def lift(self, x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the plans of the whole form that never play what was dropped."""
        whole = np.zeros(self.sizes[0], x.dtype), np.zeros(self.sizes[1], y.dtype)
        for plan, place, own in zip(whole, self.kept, (x, y), strict=True):
            plan[place] = own
        return whole

    def then(self, further: Restricted) -> Restricted:
        """Return this restriction and ``further``, one of its form, as one."""
        first, second = (old[new] for old, new in zip(self.kept, further.kept, strict=True))
        return Restricted(further.form, (first, second), self.sizes)


def restrict(form: SequenceForm, rows: Mask, columns: Mask) -> Restricted:
    """Keep the sequences of player 1 in ``rows`` and those of player 2 in ``columns``.

    Masks are in the order of strategies. The payoffs of the result are written out, so a form of more
    than some ten million is refused.
    """
    if form.A.nonzeros > MOST_PAYOFFS:
        raise EquipoiseError(
            f"Restriction of '{form.name}': found {form.A.nonzeros:,} payoffs, expected at most "
            f"{MOST_PAYOFFS:,}, since they are written out; solve the whole game instead."
        )
    order = [None if form.canonical is None else form.canonical(player) for player in (0, 1)]
    X, first = _restrict_space(form.X, rows, order[0], "rows")
    Y, second = _restrict_space(form.Y, columns, order[1], "columns")
    own = f"{form.fingerprint}, restricted"
    A = form.A.restricted(first, second)
    small = SequenceForm(X, Y, A, form.name, own, units=form.units)
    return Restricted(small, (first, second), (form.X.size, form.Y.size))


def _restrict_space(
    space: Treeplex, marked: Mask, order: NDArray[np.uint32] | None, what: str
) -> tuple[Treeplex, Numbers]:
    """Return the treeplex of the kept sequences, one block a set, and their old numbers."""
    if marked.shape != (space.size,) or not marked[0]:
        raise EquipoiseError(
            f"Restriction, {what}: found a mask of shape {marked.shape}, expected ({space.size},) "
            "with the empty sequence kept."
        )
    keep = marked.copy()
    if order is not None:
        keep[order] = marked
    sequences = Sequences(space)
    for level in sequences.levels:
        keep[level] &= keep[sequences.parent[level]]
    played = sequences.entered(keep)
    stuck = np.flatnonzero(keep[sequences.set_parent] & ~played)
    if len(stuck):
        raise EquipoiseError(
            f"Restriction, {what}: found no action kept after sequence "
            f"{sequences.set_parent[stuck[0]]}, expected at least one wherever the player may still come."
        )
    return sequences.subspace(keep)


class Sequences:
    """The sequences of a treeplex one by one.

    Attributes
    ----------
    parent, infoset
        For each sequence, the one before its last action, and the information set of that action (-1
        for the empty one, which is its own parent).
    set_parent
        For each information set, the sequence that leads to it.
    """

    def __init__(self, space: Treeplex) -> None:
        self.space = space
        rows, columns, _, _ = space.constraint_entries()
        self.set_parent: Numbers = space.parents().astype(np.int64)
        self.infoset: Numbers = np.full(space.size, -1)
        self.infoset[columns[: space.size]] = rows[: space.size] - 1
        self.parent: Numbers = np.append(self.set_parent, 0)[self.infoset]

    @cached_property
    def levels(self) -> list[Numbers]:
        """The sequences of one action, of two actions, ...: parents come before children."""
        depth = np.zeros(self.space.size, dtype=np.int64)
        level = np.flatnonzero(self.infoset >= 0)
        while len(level):
            # In every round those are raised whose parents were: a sequence is, as often as it is long.
            depth[level] += 1
            level = level[depth[self.parent[level]] >= depth[level]]
        order = np.argsort(depth, kind="stable")
        return np.split(order, np.cumsum(np.bincount(depth)))[1:-1]

    def entered(self, keep: Mask) -> Mask:
        """Say in which information sets some action is kept."""
        entered = np.zeros(len(self.set_parent), dtype=bool)
        entered[self.infoset[1:][keep[1:]]] = True
        return entered

    def sums(self, values: NDArray[np.float64], behaviour: Any = None) -> NDArray[np.float64]:
        """Return, for each sequence, the sum of ``values`` over it and all that begin with it.

        With a ``behaviour``, each counts as often as that plays it from there on.
        """
        total = values.copy()
        for level in reversed(self.levels):
            share = 1.0 if behaviour is None else behaviour[level]
            total += np.bincount(self.parent[level], share * total[level], len(total))
        return total

    def best(self, worth: NDArray[np.float64], among: Any = True) -> NDArray[np.float64]:
        """Return, for each information set, the largest ``worth`` of its actions, or of those ``among`` them."""
        best = np.full(len(self.set_parent), -np.inf)
        np.maximum.at(best, self.infoset[1:], np.where(among, worth, -np.inf)[1:])
        return best

    def worth(self, gain: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each sequence earns, at the best, with all that may begin with it."""
        worth = gain.copy()
        for level in reversed(self.levels):
            best = np.full(len(self.set_parent), -np.inf)
            np.maximum.at(best, self.infoset[level], worth[level])
            sets = np.unique(self.infoset[level])
            worth += np.bincount(self.set_parent[sets], best[sets], len(worth))
        return worth

    def subspace(self, keep: Mask) -> tuple[Treeplex, Numbers]:
        """Return the treeplex of the kept sequences, one block a set, and their numbers in this one.

        With a sequence, those that it begins with are to be kept. The order is that of the sets, and of
        their actions: it depends on what is kept alone.
        """
        own = np.flatnonzero(keep[1:]) + 1
        own = own[np.argsort(self.infoset[own], kind="stable")]
        sets, actions = np.unique(self.infoset[own], return_counts=True)
        number = np.zeros(len(keep), dtype=np.int64)
        number[own] = np.arange(1, len(own) + 1)
        small = Treeplex.of_sets(actions, number[self.set_parent[sets]])
        return small, np.append(0, own)
