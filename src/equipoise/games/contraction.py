"""Deals of three hands to a jam/fold hand: contractions of tables over classes of starting hands.

Players are D (first to act), S and B, of classes i, j and k. All that a hand of three players needs
follows from one table, the deals of three classes by the order of their hands, contracted with one
player's strategy: *margins*, which leave the classes of the other two. Only a fold of D is different: then
S and B play a pot with strategies of their own.

Tables of three classes are symmetric under renaming, so pairs x <= y are enough: the orders of y, x are
those of x, y *flipped*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.cards.showdown import COMBOS, PLACES, three_way, two_way
from equipoise.cards.showdown.tables import TWO_WAY_BOARDS
from equipoise.numerics.threads import spread

Counts = NDArray[np.float64]

CLASSES = 169
ORDERS = 13
DEALS = {2: 1326 * 1225, 3: 1326 * 1225 * 1128}
"""Deals of two and of three hands, in order of the players."""
BATCH = 12
"""States contracted at once; their margins take 2.2 MB each."""
JAM_D, JAM_S, CALL_S, CALL_D, CALL_JAM_S, CALL_BOTH = range(6)
"""Decisions of three players, by what going in means: the fourth is B's after D, the fifth after S."""
FROZEN = (JAM_D, CALL_S, CALL_BOTH)
"""The decisions of D, S and B that bring all three in: margins freeze one of them."""

HIGH, LOW = np.tril_indices(CLASSES)
"""Classes of the pairs LOW <= HIGH, by number."""


def _order_number(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of the order with these places of three hands, for rows of them."""
    return np.array([int(np.flatnonzero((row == PLACES).all(axis=1))[0]) for row in places])


FLIP = _order_number(PLACES[:, [1, 0, 2]])
"""The order of hands b, a, c that is each order of hands a, b, c."""
RENAMED = np.stack(
    [_order_number(PLACES[:, [*(p for p in range(3) if p != own), own]]) for own in range(3)]
)
"""``RENAMED[p, o]``: what order o of D, S and B is for the other two players, and then p."""


@lru_cache(maxsize=2)
def pair_table(players: int) -> Counts:
    """Return deals of two hands, beside any third with three players, ``[t, first, second]``.

    They are all of them, those that the first wins, and those that tie.
    """
    table, times = two_way(), DEALS[players] // DEALS[2]
    counts = (table.pairs * float(TWO_WAY_BOARDS), table.win, table.tie)
    return np.stack(counts) * (times / TWO_WAY_BOARDS)


@dataclass(frozen=True, eq=False)
class TripleTable:
    """Deals of three hands.

    ``orders[h, pair, o]`` counts those with classes ``LOW[pair]``, ``HIGH[pair]`` and h, by the order
    of their hands. ``ranked[t, i, j, k]`` counts all of classes i, j, k, those in which i beats j, and
    those in which i and j tie.
    """

    orders: NDArray[np.float32]
    ranked: NDArray[np.float32]


@lru_cache(maxsize=1)
def triple_table() -> TripleTable:
    """Return the deals of three hands."""
    table = three_way()
    orders = np.empty((CLASSES, len(LOW), ORDERS), dtype=np.float32)
    ranked = np.empty((3, CLASSES, CLASSES, CLASSES), dtype=np.float32)
    wanted = np.stack([np.ones(ORDERS), PLACES[:, 0] < PLACES[:, 1], PLACES[:, 0] == PLACES[:, 1]])
    for h in range(CLASSES):
        orders[h] = table(LOW, HIGH, h) * table.triples[LOW, HIGH, h][:, None]
        for t, weights in enumerate(wanted.astype(np.float32)):
            ranked[t, LOW, HIGH, h] = orders[h] @ weights
            ranked[t, HIGH, LOW, h] = orders[h] @ weights[FLIP]
    return TripleTable(orders, ranked)


@dataclass(frozen=True, eq=False)
class Contraction:
    """A batch of states, contracted.

    Attributes
    ----------
    plays
        Probabilities of going in, by state, decision and class.
    margins
        ``[state, p, pair, o]``: deals in which player p makes his frozen decision to go in, by the
        classes of the other two and the order of theirs and his hands.
    d_folds
        ``[state, t, i]``: deals in which S and B play for the pot when D has folded, if he always did.
    """

    plays: Counts
    margins: NDArray[np.float32]
    d_folds: Counts

    def likelihoods(self) -> Counts:
        """Return the counts of deals by slot and class, ``[state, slot, h]``.

        Slots are those of :class:`equipoise.games.jamfold.JamFold`. What happens without a showdown is
        what is left of a decision's deals, so that the slots of an action add up exactly.
        """
        a, d, b, c, e, c_both = np.moveaxis(self.plays, 1, 0)
        total = pair_table(3)[0]  # symmetric
        dealt = np.broadcast_to(COMBOS * (DEALS[3] / 1326), a.shape)
        d_three, s_three, b_three = (
            self._sums(1, c_both, 0), self._sums(0, c_both, 0), self._sums(0, b, 1),
        )  # fmt: skip
        d_called, s_calls, s_alone = b @ total, a @ total, dealt - a @ total
        d_meets_s = _met(b, 0) - _between(0, 1, d_three)
        d_meets_b = _met(c, 0) - _between(0, 2, self._sums(1, c, 0))
        s_meets_d = _met(a, 1) - _between(0, 1, s_three)
        s_meets_b = _met(e, 0) - _between(1, 2, self._sums(0, e, 0))
        b_meets_d = _met(a, 1) - _between(0, 2, self._sums(1, a, 1))
        b_meets_s = _met(d, 1) - _between(1, 2, self._sums(0, d, 1))
        s_fold = _between(0, 2, self._sums(0, c, 0))
        d_fold = np.moveaxis(self.d_folds, 1, 0)
        rows = [
            # D folds: S wins alone, B wins alone, or they meet.
            d @ total - d_fold[0], dealt - d @ total, *_ranked(d_fold),
            # D jams: he wins alone, or meets S, B or both.
            dealt - d_called - d_meets_b[0], *_ranked(d_meets_s), *_ranked(d_meets_b), *d_three,
            # S folds, or jams, when D has folded; folds, or calls, when D has jammed.
            s_alone,
            s_alone - s_meets_b[0], *_ranked(s_meets_b),
            s_calls - s_fold[0], *_ranked(s_fold),
            *_ranked(s_meets_d), *s_three,
            # B folds, or calls, when D is in; when S is in; when both are.
            b_meets_d[0], *_ranked(b_meets_d),
            b_meets_s[0], *_ranked(b_meets_s),
            *_ranked(_between(0, 1, b_three)), *b_three,
        ]  # fmt: skip
        return np.stack(rows, axis=1)

    def only(self, states: NDArray[np.int64]) -> Contraction:
        """Return the contraction of these states of the batch."""
        return Contraction(self.plays[states], self.margins[states], self.d_folds[states])

    def _sums(self, frozen: int, weights: Counts, weighted: int) -> Counts:
        """Return deals ``[o, state, h]`` in which player ``frozen`` and one with ``weights`` are in.

        ``weighted`` is 1 if the weights are of the first of the other two, and h of the second.
        """
        out = np.empty((len(weights), CLASSES, ORDERS))
        spread(
            len(weights),
            lambda _, low, high: _sum_margins(
                self.margins[:, frozen], weights, weighted, FLIP, low, high, out
            ),
        )
        return np.moveaxis(out[..., RENAMED[frozen]], 2, 0)


def contractions(plays: Counts) -> Iterator[tuple[slice, Contraction]]:
    """Contract the tables with ``plays[state, decision, class]``, batch by batch."""
    for low in range(0, len(plays), BATCH):
        batch = slice(low, min(low + BATCH, len(plays)))
        yield batch, contract(plays[batch])


def contract(plays: Counts) -> Contraction:
    """Contract the tables with the strategies of a few states."""
    tables, size = triple_table(), len(plays)
    single = plays.astype(np.float32)
    margins = single[:, FROZEN].reshape(-1, CLASSES) @ tables.orders.reshape(CLASSES, -1)
    pots = single[:, JAM_S, :, None] * single[:, CALL_JAM_S, None, :]
    folds = [pots.reshape(size, -1) @ table.reshape(-1, CLASSES) for table in tables.ranked]
    return Contraction(
        plays=np.ascontiguousarray(plays),
        margins=margins.reshape(size, 3, len(LOW), ORDERS),
        d_folds=np.stack(folds, axis=1).astype(np.float64),
    )


def _met(weights: Counts, weighted: int) -> Counts:
    """Return deals ``[t, state, h]`` against a player with ``weights``, who is first if ``weighted``."""
    form = "txy,sx->tsy" if weighted else "txy,sy->tsx"
    return np.asarray(np.einsum(form, pair_table(3), weights))


def _between(first: int, second: int, orders: Counts) -> Counts:
    """Return deals by orders of three hands as all, wins and ties of ``first`` against ``second``."""
    own, other = PLACES[:, first], PLACES[:, second]
    return np.stack(
        [orders.sum(axis=0), orders[own < other].sum(axis=0), orders[own == other].sum(axis=0)]
    )


def _ranked(deals: Counts) -> tuple[Counts, Counts, Counts]:
    """Return deals that the first hand wins, ties and loses, of all, wins and ties."""
    total, win, tie = deals
    return win, tie, total - win - tie


@njit(cache=True, nogil=True)
def _sum_margins(
    margins: Any, weights: Any, weighted: Any, flip: Any, low: Any, high: Any, out: Any
) -> None:
    """Fill ``out[s, h, o]`` with the sums of margins over the class of the player with weights."""
    straight = np.empty((CLASSES, ORDERS), dtype=np.float32)
    flipped = np.empty((CLASSES, ORDERS), dtype=np.float32)
    for s in range(low, high):
        straight[:] = 0
        flipped[:] = 0
        pair = 0
        for y in range(CLASSES):
            for x in range(y + 1):
                row = margins[s, pair]
                # The pair stands for (x, y) and, flipped, for (y, x).
                own, other = (y, x) if weighted else (x, y)
                _add(straight[own], np.float32(weights[s, other]), row)
                if x != y:
                    _add(flipped[other], np.float32(weights[s, own]), row)
                pair += 1
        for h in range(CLASSES):
            for o in range(ORDERS):
                out[s, h, o] = straight[h, o] + flipped[h, flip[o]]


@njit(cache=True, nogil=True)
def _add(total: Any, weight: Any, row: Any) -> None:
    """Add a multiple of a row of orders."""
    if weight > 0:
        for o in range(ORDERS):
            total[o] += weight * row[o]
