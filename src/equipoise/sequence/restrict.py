"""A sequence form without some of its sequences: what is left after elimination, to be solved.

``restrict(form, rows, columns)`` keeps the sequences that two masks mark, with their constraints
and payoffs, and remembers where they came from. Its result is a sequence form like any other; a
plan for it becomes a plan for the whole form by :meth:`Restricted.lift`, which puts zeros in place
of what was dropped. Which sequences may be dropped without changing the value is for others to say
(:mod:`equipoise.abstraction.dominated`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.payoff import Sparse
from equipoise.sequence.treeplex import Treeplex

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Restricted:
    """A smaller form, and for each player the sequences of ``whole`` that it keeps, in its order."""

    whole: SequenceForm
    form: SequenceForm
    kept: tuple[Numbers, Numbers]

    def lift(self, player: int, plan: NDArray[Any]) -> NDArray[Any]:
        """Return the plan of the whole form that never plays what was dropped."""
        space = (self.whole.X, self.whole.Y)[player]
        lifted = np.zeros(space.size, dtype=plan.dtype)
        lifted[self.kept[player]] = plan
        return lifted


def restrict(form: SequenceForm, rows: Mask, columns: Mask) -> Restricted:
    """Keep the sequences of player 1 in ``rows`` and those of player 2 in ``columns``.

    The payoffs of the result are written out, so the form should be of moderate size.
    """
    X, first = _restrict_space(form.X, rows, "rows")
    Y, second = _restrict_space(form.Y, columns, "columns")
    matrix = form.A.matrix().tocsr()[first][:, second].tocoo()
    A = Sparse.from_entries(matrix.row, matrix.col, matrix.data, (X.size, Y.size))
    small = replace(form, X=X, Y=Y, A=A, fingerprint=f"{form.fingerprint}, restricted")
    return Restricted(form, small, (first, second))


def _restrict_space(space: Treeplex, keep: Mask, what: str) -> tuple[Treeplex, Numbers]:
    """Return the treeplex of the kept sequences, one block a set, and their old numbers."""
    if keep.shape != (space.size,) or not keep[0]:
        raise EquipoiseError(
            f"Restriction, {what}: found a mask of shape {keep.shape}, expected ({space.size},) "
            "with the empty sequence kept."
        )
    blocks, parents = space.blocks, space.parents()
    kept, number = [0], {0: 0}
    sets: list[tuple[int, int, int, None]] = []
    place = 0
    for start, actions, buckets in zip(*blocks[:3], strict=True):
        for bucket in range(int(buckets)):
            parent = int(parents[place])
            place += 1
            if parent not in number:
                continue
            own = [int(start) + a * int(buckets) + bucket for a in range(int(actions))]
            left = [sequence for sequence in own if keep[sequence]]
            if not left:
                raise EquipoiseError(
                    f"Restriction, {what}: found no action kept after sequence {parent}, expected "
                    "at least one wherever the player may still come."
                )
            sets.append((len(left), 1, number[parent], None))
            number.update({sequence: len(kept) + i for i, sequence in enumerate(left)})
            kept += left
    return Treeplex.from_rows(sets), np.array(kept, dtype=np.int64)
