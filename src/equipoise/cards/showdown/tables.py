"""The tables of showdowns between classes of hands: what they hold, and the ones that are shipped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.bundle import load, save
from equipoise.cards.showdown.classes import PERMUTED, sorting, triple_number

TWO_WAY_BOARDS = 1_712_304
"""Boards beside two hands, C(48, 5)."""

THREE_WAY_BOARDS = 1_370_754
"""Boards beside three hands, C(46, 5)."""

_KIND = "two-way showdowns"
_SHIPPED = Path(__file__).with_name("two_way.eqp")


@dataclass(frozen=True, eq=False)
class TwoWay:
    """Exact counts of showdowns between two classes of hands, ``[own, other]``.

    ``pairs`` are the pairs of hands without a common card; ``win`` and ``tie`` count over pairs and
    boards, of which there are ``pairs * TWO_WAY_BOARDS``.
    """

    pairs: NDArray[np.int64]
    win: NDArray[np.int64]
    tie: NDArray[np.int64]

    @property
    def value(self) -> NDArray[np.float64]:
        """Expected share of the pot, (w + d/2) / (w + d + l)."""
        return np.asarray((self.win + self.tie / 2) / (self.pairs * TWO_WAY_BOARDS))


@dataclass(frozen=True, eq=False)
class ThreeWay:
    """Probabilities of the 13 orders of three hands, for every triple of classes.

    ``orders[triple_number(i, j, k)]`` is for hands ``a``, ``b``, ``c`` of classes ``i <= j <= k``,
    over triples of hands without a common card and boards, all equally likely. ``triples[i, j, k]``
    is the number of such triples; where it is zero (three pairs of aces), so are the probabilities.

    ``error`` bounds each probability's error: its standard error if the table is sampled from
    boards, otherwise the largest error made by rounding it.
    """

    triples: NDArray[np.int16]
    orders: NDArray[np.float32]
    error: float

    def __call__(self, i: ArrayLike, j: ArrayLike, k: ArrayLike) -> NDArray[np.float32]:
        """Return the probabilities of :data:`ORDERS` for hands of these classes, in any order."""
        row, columns = triple_number(i, j, k), PERMUTED[sorting(i, j, k)]
        return np.asarray(self.orders[row[..., None], columns])


@lru_cache(maxsize=1)
def two_way() -> TwoWay:
    """Return the exact table of two-way showdowns.

    >>> table = two_way()
    >>> int(table.win[0, 14]), int(table.tie[0, 14]), int(table.pairs[0, 14])  # AA against KK
    (50371344, 285228, 36)
    """
    arrays = load(_SHIPPED, _KIND).arrays
    return TwoWay(*(arrays[name].astype(np.int64) for name in ("pairs", "win", "tie")))


def save_two_way(path: str | Path, table: TwoWay) -> None:
    """Write the table in the form that is shipped."""
    arrays = {name: getattr(table, name).astype(np.uint32) for name in ("pairs", "win", "tie")}
    save(path, _KIND, arrays, {})


@lru_cache(maxsize=1)
def three_way() -> ThreeWay:
    """Return the table of three-way showdowns."""
    from equipoise.cards.showdown.sample import sampled_three_way  # counts need Numba

    return sampled_three_way()
