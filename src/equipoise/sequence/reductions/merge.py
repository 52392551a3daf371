"""Lossless shrinking of any sequence form: sequences that play the same part are merged.

Colour refinement (Grohe, Kersting, Mladenov and Selman 2014, "Dimension reduction via colour
refinement", for linear programs): colour sequences and information sets of both players so that two
of one colour have the same action number, the same parent colour, the same colours below them, and
the same multiset of (payoff, opponent's colour). The coarsest such colouring is equitable, and then

* giving every sequence the value of its colour turns a plan of the merged game into a plan of the
  full one (in every information set the same constraint appears), and
* the gradient of a merged plan is the same for all sequences of a colour, so best responses, and
  with them the gap, are the same in both games.

This finds suit symmetry in Leduc poker (936 information sets become 288) and any other symmetry that
keeps the order of actions, without being told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.refinement import LabelledRelation, coarsest_stable, levels_of
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.payoffs.base import Payoff, Rows
from equipoise.sequence.payoffs.sparse import Sparse
from equipoise.sequence.treeplex import Treeplex

Classes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Shrunk:
    """A smaller form with the same value, and the class of each sequence of the full form."""

    form: SequenceForm
    classes: tuple[Classes, Classes]
    name: ClassVar[str] = "shrink"

    def lift(self, x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the plans of the full form that play alike within each class."""
        return x[self.classes[0]], y[self.classes[1]]


class _Side:
    """One player's tree as relations between her sequences and her information sets."""

    def __init__(self, player: int, space: Treeplex) -> None:
        blocks = space.blocks
        self.size, self.sequences, self.sets = space.size, player, 2 + player
        self.parent = space.parents().astype(np.int64)
        self.start = blocks.start.astype(np.int64)
        self.actions = blocks.actions.astype(np.int64)
        self.infoset = np.repeat(np.arange(len(self.start)), self.actions)
        self.slot = np.arange(1, space.size) - self.start[self.infoset]

    def relations(self) -> list[LabelledRelation]:
        """Return what is above and below; actions in one information set have their numbers."""
        count, sets, plain = len(self.start), self.sets, np.zeros(len(self.start), np.int64)
        own = np.append(self.start - 1, self.size - 1)
        above = np.concatenate(([0], np.arange(self.size)))
        children = np.bincount(self.parent, minlength=self.size)
        below = np.concatenate(([0], np.cumsum(children)))
        order = np.argsort(self.parent, kind="stable")
        return [
            LabelledRelation(sets, self.sequences, np.arange(count + 1), self.parent, plain),
            LabelledRelation(sets, self.sequences, own, np.arange(1, self.size), self.slot),
            LabelledRelation(self.sequences, sets, above, self.infoset, self.slot),
            LabelledRelation(self.sequences, sets, below, order, plain),
        ]

    def merged(self, number: NDArray[Any]) -> tuple[Treeplex, Classes]:
        """Return the treeplex of the classes of information sets, and each sequence's place in it."""
        kept = np.unique(number, return_index=True)[1]
        actions = self.actions[kept]
        start = 1 + np.cumsum(actions) - actions
        place = np.zeros(self.size, dtype=np.int64)
        place[1:] = start[number[self.infoset]] + self.slot
        parents = place[self.parent[kept]]
        rows = zip(actions.tolist(), parents.tolist(), strict=True)
        return Treeplex.from_rows([(count, 1, parent, None) for count, parent in rows]), place


def shrink(form: SequenceForm, worth: float = 1.0) -> Shrunk:
    """Merge what plays the same part in ``form``, whose payoff must hold its entries.

    The result is checked to be lossless: every merged sequence must see the same payoffs against
    every class. If rounding blurs that, nothing is merged. Neither is it as soon as more than the share
    ``worth`` of sequences and information sets is known to be left: it would gain too little.
    """
    A, stored = form.A, form.A.stored
    if stored is None:
        raise EquipoiseError(
            f"Merging '{form.name}': found payoffs that are not written out, as in a game with signals, "
            "expected those of a tree; signals are merged by an abstraction."
        )
    sides = _Side(0, form.X), _Side(1, form.Y)
    relations = [_payoffs(0, stored.by_row), _payoffs(1, stored.by_column)]
    relations += [relation for side in sides for relation in side.relations()]
    sizes = [side.size for side in sides] + [len(side.start) for side in sides]
    most = worth * sum(sizes)
    classes = coarsest_stable(sizes, relations, most)
    if sum(len(own) and int(own.max()) + 1 for own in classes) > most:
        return _unmerged(form)
    (X, rows), (Y, columns) = (side.merged(classes[side.sets]) for side in sides)
    coo = A.matrix().tocoo()
    merged = Sparse.from_entries(rows[coo.row], columns[coo.col], coo.data, (X.size, Y.size))
    small = SequenceForm(X, Y, merged, form.name, form.fingerprint, units=form.units)
    result = Shrunk(small, (rows, columns))
    is_lossless = _is_lossless(A, float(np.abs(stored.by_row.value).sum()), result)
    return result if is_lossless else _unmerged(form)


def _unmerged(form: SequenceForm) -> Shrunk:
    """Return the whole form, as what is left of it."""
    return Shrunk(form, (np.arange(form.X.size), np.arange(form.Y.size)))


def _payoffs(player: int, rows: Rows) -> LabelledRelation:
    """Return what a player's sequences are paid; what differs by rounding alone has one label."""
    return LabelledRelation(player, 1 - player, rows.start, rows.column, levels_of(rows.value))


def _is_lossless(A: Payoff, total: float, small: Shrunk) -> bool:
    """Check that a random plan of the merged game has equal gradients within every class."""
    random = np.random.default_rng(0)
    for rows, own, other in (
        (A.times, small.classes[0], small.classes[1]),
        (A.transpose_times, small.classes[1], small.classes[0]),
    ):
        gradient = rows(random.random(int(other.max()) + 1)[other])
        size = np.bincount(own)
        mean = np.bincount(own, gradient) / size
        if np.abs(gradient - mean[own]).max() > 1e-10 * total:
            return False
    return True
