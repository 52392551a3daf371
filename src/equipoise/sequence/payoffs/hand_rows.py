"""Hands and leaves of the boards of a street as arrays: what :mod:`.board_sums` and array devices multiply by."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.uint32]


class HandRows(NamedTuple):
    """The live hands of one player on every board of a street, from weak to strong.

    Those of board b are the rows ``start[b] .. start[b + 1]``; they fall into as many groups as boards have
    strengths, and group g of the board has the rows ``bounds[first[b] + g] .. bounds[first[b] + g + 1]``,
    counted from the board's first. ``same`` is the row of the very same hand among the opponent's, or
    their number if there is none.
    """

    start: Indices
    low: NDArray[np.uint8]
    high: NDArray[np.uint8]
    weight: NDArray[Any]
    bucket: Indices
    same: Indices
    first: Indices
    bounds: Indices


class LeafColumns(NamedTuple):
    """The leaves of a street as columns, in one direction.

    ``slot`` is the source's sequence (a slot of the street) of each column; the first ``shown`` columns are
    those of showdowns, those from ``met`` on of payments whatever the hands. Showdown column j pays
    ``scale[j]`` in slot ``shown_slot[j]`` of the target; payment i is ``base[i]`` times column ``paid[i]``
    in slot ``paid_slot[i]``.
    """

    slot: Indices
    shown: np.uint32
    met: np.uint32
    shown_slot: Indices
    scale: NDArray[Any]
    paid: Indices
    paid_slot: Indices
    base: NDArray[Any]


class BoardHalf(NamedTuple):
    """A street's payoffs from one player, the source, to the other, on every board.

    For each board, ``sources`` and ``targets`` say where the player's sequences begin and how many buckets she has
    there; ``factor`` is its weight in the whole.
    """

    source: HandRows
    target: HandRows
    leaves: LeafColumns
    sources: Indices
    targets: Indices
    factor: NDArray[Any]


def scratch(half: BoardHalf, cards: int, dtype: Any) -> tuple[NDArray[Any], ...]:
    """Return room for one lane: the rows of P, two tables of sums, and a row of each kind."""
    columns = len(half.leaves.slot)
    rows = int(np.diff(half.source.start).max()) + 1
    return (
        np.zeros((rows, columns), dtype=dtype),
        np.zeros((cards + 1, columns), dtype=dtype),
        np.zeros((cards + 1, columns), dtype=dtype),
        np.zeros(columns, dtype=dtype),
    )
