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
_BLOCK = 4096
"""Columns of a product that stay in the cache."""
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

        Slots are those of :class:`equipoise.games.tournaments.jamfold.JamFold`. What happens without a showdown is
        what is left of a decision's deals, so that the slots of an action add up exactly.
        """
        a, d, b, c, e, c_both = np.moveaxis(self.plays, 1, 0)
        dealt = np.broadcast_to(COMBOS * (DEALS[3] / 1326), a.shape)
        d_three, s_three, b_three = (
            self._sums(1, c_both, 0), self._sums(0, c_both, 0), self._sums(0, b, 1),
        )  # fmt: skip
        d_called, s_calls, s_jams = _met(b, 0)[0], _met(a, 1)[0], _met(d, 0)[0]
        s_alone = dealt - s_calls
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
            s_jams - d_fold[0], dealt - s_jams, *_ranked(d_fold),
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
    """Contract the tables with the strategies of a few states.

    Strategies are sparse, and a matrix product that skips what is zero does no more than a fifth of
    the work of a dense one.
    """
    tables, size = triple_table(), len(plays)
    plays = np.ascontiguousarray(plays)
    margins = np.empty((size, 3, len(LOW) * ORDERS), dtype=np.float32)
    columns = tables.orders.reshape(CLASSES, -1)
    frozen = np.ascontiguousarray(plays[:, FROZEN])
    spread(margins.shape[2], lambda _, low, high: _freeze(frozen, columns, low, high, margins))
    d_folds = np.empty((size, 3, CLASSES))
    spread(size, lambda _, low, high: _fold(plays, tables.ranked, low, high, d_folds))
    return Contraction(plays, margins.reshape(size, 3, len(LOW), ORDERS), d_folds)


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
def _freeze(weights: Any, columns: Any, low: Any, high: Any, out: Any) -> None:
    """Fill columns ``low .. high`` of ``out[s, p]`` with weights[s, p] @ columns, block by block."""
    for begin in range(low, high, _BLOCK):
        end = min(begin + _BLOCK, high)
        for s in range(weights.shape[0]):
            for p in range(weights.shape[1]):
                total = out[s, p, begin:end]
                for c in range(len(total)):
                    total[c] = 0
                for h in range(CLASSES):
                    weight = np.float32(weights[s, p, h])
                    if weight > 0:
                        _add(total, weight, columns[h, begin:end])


@njit(cache=True, nogil=True)
def _fold(plays: Any, ranked: Any, low: Any, high: Any, out: Any) -> None:
    """Fill ``out[s, t]`` with the deals in which S jams after D's fold and B calls, by D's class.

    Many terms go into each sum, which has to be in double precision for that.
    """
    for s in range(low, high):
        for t in range(3):
            for i in range(CLASSES):
                out[s, t, i] = 0.0
            for j in range(CLASSES):
                for k in range(CLASSES):
                    weight = plays[s, JAM_S, j] * plays[s, CALL_JAM_S, k]
                    if weight > 0:
                        _add(out[s, t], weight, ranked[t, j, k])


@njit(cache=True, nogil=True)
def _sum_margins(
    margins: Any, weights: Any, weighted: Any, flip: Any, low: Any, high: Any, out: Any
) -> None:
    """Fill ``out[s, h, o]`` with the sums of margins over the class of the player with weights."""
    straight = np.empty((CLASSES, ORDERS), dtype=np.float32)
    flipped = np.empty((CLASSES, ORDERS), dtype=np.float32)
    for s in range(low, high):
        for h in range(CLASSES):
            for o in range(ORDERS):
                straight[h, o] = flipped[h, o] = 0
        pair = 0
        for y in range(CLASSES):
            for x in range(y + 1):
                row = margins[s, pair]
                # The pair stands for (x, y) and, flipped, for (y, x).
                own, other = (y, x) if weighted else (x, y)
                if weights[s, other] > 0:
                    _add(straight[own], np.float32(weights[s, other]), row)
                if x != y and weights[s, own] > 0:
                    _add(flipped[other], np.float32(weights[s, own]), row)
                pair += 1
        for h in range(CLASSES):
            for o in range(ORDERS):
                out[s, h, o] = straight[h, o] + flipped[h, flip[o]]


@njit(cache=True, nogil=True)
def _add(total: Any, weight: Any, row: Any) -> None:
    """Add a multiple of a row."""
    for c in range(len(row)):
        total[c] += weight * row[c]
