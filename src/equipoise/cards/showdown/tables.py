"""The tables of showdowns between classes of hands: what they hold, and the ones that are shipped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.bundle import load, save
from equipoise.cards.showdown.classes import PERMUTED, sorted_triples, sorting, triple_number
from equipoise.cards.showdown.deals import count_triples
from equipoise.cards.showdown.packed import pack, unpack

TWO_WAY_BOARDS = 1_712_304
"""Boards beside two hands, C(48, 5)."""

THREE_WAY_BOARDS = 1_370_754
"""Boards beside three hands, C(46, 5)."""

TWO_WAY, THREE_WAY = (Path(__file__).with_name(f"{name}.eqp") for name in ("two_way", "three_way"))
"""Where the shipped tables are."""

_TWO, _THREE = "two-way showdowns", "three-way showdowns"


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

    ``error`` bounds each probability's error, and ``distance`` the total variation distance of each
    triple's distribution from the true one (half the sum of the 13 errors: a payoff in [0, 1] is
    wrong by at most that on average). They are the largest errors made by rounding; in a table that
    is sampled from boards, the standard error and the expected distance.
    """

    triples: NDArray[np.int64]
    orders: NDArray[np.float32]
    error: float
    distance: float

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
    arrays = load(TWO_WAY, _TWO).arrays
    return TwoWay(*(arrays[name].astype(np.int64) for name in ("pairs", "win", "tie")))


@lru_cache(maxsize=1)
def three_way() -> ThreeWay:
    """Return the table of three-way showdowns: counted exactly, then rounded.

    >>> aces, kings, queens = 0, 14, 28
    >>> f"{three_way()(aces, kings, queens)[0]:.4f}"  # the aces first, then the kings
    '0.6343'
    """
    bundle, triples = load(THREE_WAY, _THREE), count_triples()
    orders = unpack(bundle.arrays["orders"], triples[tuple(sorted_triples().T)] > 0)
    known = bundle.metadata
    return ThreeWay(triples, orders, float(known["error"]), float(known["distance"]))


def save_two_way(path: str | Path, table: TwoWay) -> None:
    """Write the table in the form that is shipped."""
    arrays = {name: getattr(table, name).astype(np.uint32) for name in ("pairs", "win", "tie")}
    save(path, _TWO, arrays, {})


def save_three_way(path: str | Path, counts: NDArray[np.integer]) -> None:
    """Write the exact counts of the orders of every triple in the form that is shipped."""
    data, error, distance = pack(counts)
    save(path, _THREE, {"orders": data}, {"error": error, "distance": distance})
