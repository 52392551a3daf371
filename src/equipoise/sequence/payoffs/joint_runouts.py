"""Payoffs over runouts where pairs of hands have weights of their own, not products of two.

A leaf pays hands h and k that share no card ``J[h, k] f[b] (base + scale sign(strength[h] - strength[k]))``. Sums over
sorted hands need weights that are products, so here pairs are written out: two matrices for each board, and
products with them. That is a thousand times the numbers of a river with all hands, and too many for a flop.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.games.poker.ranges import hand_number
from equipoise.sequence.payoffs.over_runouts import BoardPairs, Floats, Runouts, StreetPayoff


@dataclass(frozen=True, eq=False, kw_only=True)
class JointStreet(StreetPayoff):
    """What is paid on the boards of one street; ``joint`` has a row and a column for every hand of the deck."""

    joint: Floats

    def pairs(self, board: int) -> BoardPairs:
        """Return what pairs of hands count for, by their joint weights."""
        own = super().pairs(board)
        first, second = (hand_number(cards, self.cards) for cards in own.cards)
        weight = self.joint[np.ix_(first, second)]
        return own._replace(met=own.met * weight, wins=own.wins * weight)

    @cached_property
    def _typed_matrices(self) -> dict[str, list[tuple[NDArray[Any], NDArray[Any]]]]:
        return {}

    def _matrices(self, dtype: Any) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """Return for each board what pairs of buckets count for, and what the first wins."""
        key = np.dtype(dtype).str
        if key not in self._typed_matrices:
            found = []
            for board in range(self.boards):
                own = self.pairs(board)
                # A bucket is a hand: beliefs about pairs leave no suits alike.
                place = np.ix_(np.argsort(own.buckets[0]), np.argsort(own.buckets[1]))
                found.append((own.met[place].astype(dtype), own.wins[place].astype(dtype)))
            self._typed_matrices[key] = found
        return self._typed_matrices[key]

    def add(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Add to ``out`` what the target is paid against the plan of ``source``."""
        self.add_boards(source, 0, self.boards, plan, out)
        self._add_all_in(source, plan, out)

    def add_boards(
        self, source: int, low: int, high: int, plan: NDArray[Any], out: NDArray[Any],
        begins: tuple[int, int] = (0, 0),
    ) -> None:  # fmt: skip
        """Add what the boards ``low .. high`` pay, by products with matrices."""
        target = 1 - source
        own, other = self.leaves.slots[source], self.leaves.slots[target]
        scale = self.leaves.scale if source == 1 else -self.leaves.scale
        matrices = self._matrices(plan.dtype)
        for board in range(low, high):
            reach = self.at(source, board, plan, begins[source])
            into = self.at(target, board, out, begins[target])
            for matrix, coefficient in zip(
                matrices[board], (self.leaves.base[target], scale), strict=True
            ):
                paid = np.flatnonzero(coefficient)
                sums = reach[own[paid]] @ (matrix if source == 0 else matrix.T)
                np.add.at(into, other[paid], coefficient[paid, None].astype(plan.dtype) * sums)


class JointRunouts(Runouts):
    """The payoff of the module's docstring: a product like any other to methods that work board by board."""

    @property
    def runouts(self) -> None:
        """Nothing: no sums over sorted hands."""
        return None
