"""Iterated elimination of dominated actions, in any sequence form.

Where a form knows the two factors of its game, they say what may go (:mod:`equipoise.abstraction.dominated`).
Elsewhere, as in a tree, the form alone says it. With g_s the row of payoffs of sequence s, follow some
plan of one's own after action b, and let U_a be, opponent's sequence by opponent's sequence, the most that
any plan after action a of the same information set may earn:

    L_b = g_b + sum of the rows that the plan plays after b,
    U_a = g_a + sum over the sets I after a of the entrywise maximum of U over the actions of I.

Since plans y of the opponent are not negative, <U_a, y> bounds what a can earn. So if

    min over y in Y of <L_b - U_a, y>  >=  0,

one support function of her treeplex, then whatever a earns, b earns as well: the weight of a moves to b
and its plan, against every y, and the value stays. The step is taken for both players in turn until nothing
is dominated; an equilibrium of what is left is one of the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.numerics.clock import TimeUpError, raising
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.reductions.restrict import Mask, Restricted, restrict
from equipoise.sequence.treeplex import Treeplex

TOLERANCE = 1e-12
"""Payoffs that differ by less than this part of the largest one are taken as equal."""


def eliminate(form: SequenceForm, should_stop: Callable[[], bool] = lambda: False) -> Restricted:
    """Return what is left of ``form`` when dominated actions of both players are eliminated.

    Who stops it early is left with more actions, but with no fewer equilibria.
    """
    if form.survivors is not None:
        left = form.survivors()
        return restrict(form, left.sequences(0), left.sequences(1))
    small = restrict(form, *(np.ones(space.size, dtype=bool) for space in (form.X, form.Y)))
    with suppress(TimeUpError):
        before = None
        while small is not before:
            before = small
            for player in (0, 1):
                part = small.form
                masks = [np.ones(space.size, dtype=bool) for space in (part.X, part.Y)]
                masks[player] = _undominated(part, player, raising(should_stop))
                if not masks[player].all():
                    small = small.then(restrict(part, *masks))
    return small


def _undominated(form: SequenceForm, player: int, check: Callable[[], None]) -> Mask:
    """Mark the sequences of ``player`` that are left after one look at all of her sets."""
    payoffs = form.A.matrix() if player == 0 else -form.A.matrix().T.tocsr()
    own, other = (form.X, form.Y) if player == 0 else (form.Y, form.X)
    sequences = _sequences(own)
    likely = other.plan(other.uniform())
    most, sure = _bounds(own, payoffs, sequences, likely, check)
    slack = TOLERANCE * np.abs(payoffs.data).max(initial=0.0)
    # Against uniform play first: one number tells most pairs apart.
    at_most, at_least = most @ likely, sure @ likely
    left = np.ones(own.size, dtype=bool)
    for actions in sequences:
        check()
        for a in actions:
            for b in actions:
                if b == a or not left[b] or at_least[b] < at_most[a] - slack:
                    continue
                worse = (most[a] - sure[b]).toarray().ravel()
                if other.support(worse) <= slack:
                    left[a] = False
                    break
    return left


def _sequences(space: Treeplex) -> list[list[int]]:
    """Return the sequences that each information set ends in, action by action."""
    rows: list[list[int]] = []
    for start, actions, buckets in zip(*(part.tolist() for part in space.blocks[:3]), strict=True):
        rows += [[start + a * buckets + k for a in range(actions)] for k in range(buckets)]
    return rows


def _bounds(
    space: Treeplex,
    payoffs: Any,
    sequences: list[list[int]],
    likely: NDArray[np.float64],
    check: Callable[[], None],
) -> tuple[Any, Any]:
    """Return U and L of the module's docstring as sparse matrices, one row a sequence.

    The plan behind L is the best one against the opponent's plan ``likely``.
    """
    from scipy import sparse

    def rows_of(places: list[int]) -> Any:
        """Return the matrix that takes out the rows at ``places``."""
        ones = np.ones(len(places))
        return sparse.csr_matrix((ones, (range(len(places)), places)), (len(places), space.size))

    most = sure = payoffs.tocsr()
    parents = space.parents().astype(np.int64)
    depth = np.zeros(space.size, dtype=np.int64)
    for actions, parent in zip(sequences, parents.tolist(), strict=True):
        depth[actions] = depth[parent] + 1
    above = depth[parents]
    for level in range(int(depth.max()) - 1, -1, -1):
        check()
        sets = np.flatnonzero(above == level).tolist()
        worth = sure @ likely
        widest = max(len(sequences[i]) for i in sets)
        # Sets of few actions repeat their last one: a maximum does not notice.
        slots = [[sequences[i][min(k, len(sequences[i]) - 1)] for i in sets] for k in range(widest)]
        best = reduce(lambda one, two: one.maximum(two), (rows_of(own) @ most for own in slots))
        chosen = [max(sequences[i], key=worth.__getitem__) for i in sets]
        up = rows_of(parents[sets].tolist()).T
        most, sure = most + up @ best, sure + up @ (rows_of(chosen) @ sure)
    return most.tocsr(), sure.tocsr()
