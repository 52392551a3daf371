"""Payoffs on a known board between concrete hands: linear time in the hands.

Both players hold one or two cards of the deck; the board is out, so every hand has a strength. With
w1, w2 the weights of the players' hands (their ranges), a betting leaf l pays

    A[row[l] + h, column[l] + k] = w1[h] w2[k] (base[l] + scale[l] sign(strength[h] - strength[k]))

where hands h and k share no card, and nothing where they do. A product costs a sweep over the sorted
hands for each leaf (:mod:`equipoise.cards.ranked`) instead of all pairs of hands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.cards.ranked import compatible, showdown
from equipoise.errors import EquipoiseError
from equipoise.sequence.payoffs.base import Entries, Payoff, written_out

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]


class RankedHands(NamedTuple):
    """Hands on a board: their cards (a row each), strengths, and order from weak to strong."""

    holes: NDArray[np.uint8]
    strength: NDArray[np.int64]
    order: NDArray[np.int64]

    @classmethod
    def of(cls, holes: NDArray[Any], strength: NDArray[Any]) -> RankedHands:
        """Sort hands of one or two cards by strength."""
        if holes.ndim != 2 or holes.shape[1] not in (1, 2) or strength.shape != holes.shape[:1]:
            raise EquipoiseError(
                f"Ranked payoffs: found cards of shape {holes.shape} and strengths of shape "
                f"{strength.shape}, expected one or two cards and one strength for each hand."
            )
        if len(np.unique(np.sort(holes, axis=1), axis=0)) < len(holes):
            raise EquipoiseError("Ranked payoffs: found a hand twice, expected different hands.")
        order = np.argsort(strength, kind="stable")
        return cls(holes.astype(np.uint8), strength.astype(np.int64), order.astype(np.int64))

    @property
    def deck(self) -> int:
        """One more than the highest card."""
        return int(self.holes.max(initial=0)) + 1

    def meet(self) -> NDArray[np.bool_]:
        """Return which pairs of hands share no card."""
        shared = self.holes[:, None, :, None] == self.holes[None, :, None, :]
        return np.asarray(~shared.any(axis=(2, 3)))


class RankedLeaves(NamedTuple):
    """Betting leaves: first sequence of each player, and coefficients of fold and showdown."""

    row: Indices
    column: Indices
    base: Floats
    scale: Floats


@dataclass(frozen=True, eq=False)
class Ranked(Payoff):
    """The payoff of the module's docstring; ``weights`` are w1 and w2."""

    hands: RankedHands
    leaves: RankedLeaves
    weights: tuple[Floats, Floats]
    shape: tuple[int, int]

    def write(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Write the product into ``out``: the loser's sign is the other one."""
        out[:] = 0
        row, column, base, scale = self.leaves
        places = (column, row) if source == 1 else (row, column)
        signed = scale if source == 1 else -scale
        own, other = self.weights[source], self.weights[1 - source]
        _add(self.hands, *places, base, signed, own, other, self.hands.deck, plan, out)

    @cached_property
    def nonzeros(self) -> int:
        """Number of nonzero entries."""
        return int(self.matrix().nnz)

    def matrix(self) -> Any:
        """Return the operator as a SciPy CSR matrix: for small games."""
        return written_out(self._entries(), self.shape)

    def _entries(self) -> Iterator[Entries]:
        """Yield the payoffs leaf by leaf."""
        pairs = np.where(self.hands.meet(), np.outer(*self.weights), 0.0)
        wins = pairs * np.sign(np.subtract.outer(self.hands.strength, self.hands.strength))
        first, second = np.indices(pairs.shape)
        for row, column, base, scale in zip(*self.leaves, strict=True):
            values = base * pairs + scale * wins
            yield (int(row) + first).ravel(), (int(column) + second).ravel(), values.ravel()


@njit(cache=True, error_model="numpy")
def _add(
    hands: Any, from_: Any, to: Any, base: Any, scale: Any, own: Any, other: Any, deck: Any,
    vector: Any, out: Any,
) -> None:  # fmt: skip
    """Add the payoffs of all leaves, sums in double precision."""
    count = len(own)
    reach, met = np.empty(count), np.empty(count)
    cards = np.empty((2, deck))
    for leaf in range(len(from_)):
        for h in range(count):
            reach[h] = own[h] * vector[from_[leaf] + h]
        if base[leaf] != 0:
            compatible(hands.holes, hands.order, reach, cards[0], met)
            for h in range(count):
                out[to[leaf] + h] += other[h] * base[leaf] * met[h]
        if scale[leaf] != 0:
            showdown(hands.holes, hands.order, hands.strength, reach, cards, met)
            for h in range(count):
                out[to[leaf] + h] += other[h] * scale[leaf] * met[h]
