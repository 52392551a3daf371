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
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.payoffs.base import Payoff, Rows
from equipoise.sequence.payoffs.sparse import Sparse
from equipoise.sequence.treeplex import Treeplex

Colours = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_MULTIPLIERS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], np.uint64
)
_DIGITS = 13


@dataclass(frozen=True, eq=False)
class Shrunk:
    """A smaller form with the same value, and the class of each sequence of the full form."""

    form: SequenceForm
    classes: tuple[Colours, Colours]
    name: ClassVar[str] = "shrink"

    def lift(self, x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the plans of the full form that play alike within each class."""
        return x[self.classes[0]], y[self.classes[1]]


class _Side:
    """One player's tree as arrays, for refinement. A colour is a hash: equal colours, equal hashes."""

    def __init__(self, space: Treeplex, rows: Rows) -> None:
        blocks = space.blocks
        self.space, self.payoff = space, _payoff_colours(rows.value)
        self.column, self.ends = rows.column.astype(np.int64), rows.start.astype(np.int64)
        self.parent = space.parents().astype(np.int64)
        self.start = blocks.start.astype(np.int64)
        self.actions = blocks.actions.astype(np.int64)
        self.infoset = np.repeat(np.arange(len(self.start)), self.actions)
        self.slot = np.arange(1, space.size) - self.start[self.infoset]
        self.colour: Hashes = np.zeros(space.size, dtype=np.uint64)
        self.colour[1:] = _mix(self.actions[self.infoset], 1 + self.slot)

    def refine(self, opponent: Hashes) -> int:
        """Split colours by what their sequences see; return the new number of colours."""
        seen = _mix(self.payoff, opponent[self.column])
        total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(seen, dtype=np.uint64)))
        own = total[self.ends[1:]] - total[self.ends[:-1]]
        sets = self._set_colours()
        below = np.zeros(self.space.size, dtype=np.uint64)
        np.add.at(below, self.parent, _mix(sets, sets))
        siblings = np.zeros(self.space.size, dtype=np.uint64)
        siblings[1:] = sets[self.infoset]
        key = _mix(self.colour, siblings) ^ (own * _MULTIPLIERS[2]) ^ (below * _MULTIPLIERS[3])
        self.colour = _mix(key, key)
        return len(np.unique(self.colour))

    def _set_colours(self) -> Hashes:
        """Colour information sets by their parent's colour and their actions' colours in order."""
        actions = np.zeros(len(self.start), dtype=np.uint64)
        np.add.at(actions, self.infoset, _mix(self.colour[1:], self.slot))
        return _mix(self.colour[self.parent], actions)

    def merged(self) -> tuple[Treeplex, Colours]:
        """Return the treeplex of the colours, and each sequence's place in it."""
        _, first, number = np.unique(self._set_colours(), return_index=True, return_inverse=True)
        order = np.argsort(first)
        kept = first[order]
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        actions = self.actions[kept]
        start = 1 + np.cumsum(actions) - actions
        place = np.zeros(self.space.size, dtype=np.int64)
        place[1:] = start[rank[number.reshape(-1)][self.infoset]] + self.slot
        parents = place[self.parent[kept]]
        rows = zip(actions.tolist(), parents.tolist(), strict=True)
        return Treeplex.from_rows([(count, 1, parent, None) for count, parent in rows]), place


def shrink(form: SequenceForm, worth: float = 1.0) -> Shrunk:
    """Merge what plays the same part in ``form``, whose payoff must hold its entries.

    The result is checked to be lossless: every merged sequence must see the same payoffs against
    every class. If rounding blurs that, nothing is merged. Neither is it as soon as more than the share
    ``worth`` of the sequences is known to be left: colours only split, so it would gain too little.
    """
    A, stored = form.A, form.A.stored
    if stored is None:
        raise EquipoiseError(
            f"Merging '{form.name}': found payoffs that are not written out, as in a game with signals, "
            "expected those of a tree; signals are merged by an abstraction."
        )
    first, second = _Side(form.X, stored.by_row), _Side(form.Y, stored.by_column)
    before, most = 0, worth * (form.X.size + form.Y.size)
    while True:
        colours = first.refine(second.colour) + second.refine(first.colour)
        if colours > most:
            return _unmerged(form)
        if colours == before:
            break
        before = colours
    (X, rows), (Y, columns) = first.merged(), second.merged()
    coo = A.matrix().tocoo()
    merged = Sparse.from_entries(rows[coo.row], columns[coo.col], coo.data, (X.size, Y.size))
    small = SequenceForm(X, Y, merged, form.name, form.fingerprint, units=form.units)
    result = Shrunk(small, (rows, columns))
    is_lossless = _is_lossless(A, float(np.abs(stored.by_row.value).sum()), result)
    return result if is_lossless else _unmerged(form)


def _unmerged(form: SequenceForm) -> Shrunk:
    """Return the whole form, as what is left of it."""
    return Shrunk(form, (np.arange(form.X.size), np.arange(form.Y.size)))


def _payoff_colours(values: NDArray[np.float64]) -> Colours:
    """Number the distinct payoffs, taking those that differ by rounding alone as one."""
    scale = np.abs(values).max(initial=1e-300)
    return np.unique(np.round(values / scale, _DIGITS), return_inverse=True)[1].reshape(-1)


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


def _mix(a: NDArray[Any], b: NDArray[Any]) -> Hashes:
    """Hash pairs of numbers to 64 bits."""
    with np.errstate(over="ignore"):
        x: Hashes = a.astype(np.uint64) * _MULTIPLIERS[0] + b.astype(np.uint64) * _MULTIPLIERS[1]
        x ^= x >> np.uint64(29)
        x *= _MULTIPLIERS[2]
        x ^= x >> np.uint64(32)
        x *= _MULTIPLIERS[3]
        x ^= x >> np.uint64(31)
    return x
