"""How many chips are where, read off the leaves of a two-player poker betting tree.

A :class:`~equipoise.games.signals.betting.BettingTree` keeps payments at leaves alone. In poker, where actions
are fold (f), check (k), call (c), bet (b) and raise (r), they say it all: who folds loses what she has put in,
and where everybody checks and calls to the end, the showdown is about what each has put in then. So this
works for limit betting, no-limit betting, and betting models read from files alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree

FOLD, PASSIVE, ACTIVE = "f", ("k", "c"), ("b", "r")


@dataclass(frozen=True, eq=False)
class Chips:
    """What is in the pot at every node of a betting tree.

    Attributes
    ----------
    matched
        What each player will have put in after a call or check: the larger contribution.
    paid
        What the player who acts has put in.
    passive, fold
        The child in which she checks or calls, and the one in which she folds; -1 where there is none.
    bets
        Bets and raises so far in the round; blinds are one.
    start
        The first node of the round.
    """

    matched: NDArray[np.float64]
    paid: NDArray[np.float64]
    passive: NDArray[np.int64]
    fold: NDArray[np.int64]
    bets: NDArray[np.int64]
    start: NDArray[np.int64]

    def owed(self, node: int) -> float:
        """Return what a call costs."""
        return float(self.matched[node] - self.paid[node])

    def pot(self, node: int) -> float:
        """Return what is in the pot."""
        return float(self.matched[node] + self.paid[node])

    def added(self, node: int, child: int) -> float:
        """Return what the player adds who goes from ``node`` to ``child`` (not by folding)."""
        return float(self.matched[child] - self.paid[node])


@lru_cache(maxsize=16)
def chips(tree: BettingTree) -> Chips:
    """Return what is in the pot at every node; raise if ``tree`` is not two-player poker."""
    nodes = len(tree.parent)
    passive: NDArray[np.int64] = np.full(nodes, -1)
    fold: NDArray[np.int64] = np.full(nodes, -1)
    bets: NDArray[np.int64] = np.zeros(nodes, dtype=np.int64)
    start: NDArray[np.int64] = np.zeros(nodes, dtype=np.int64)
    for node in range(1, nodes):
        parent, label = int(tree.parent[node]), tree.action[node]
        if label == FOLD:
            fold[parent] = node
        elif label in PASSIVE:
            passive[parent] = node
        elif not label.startswith(ACTIVE):
            _refuse(tree, node)
    for node in range(nodes):
        parent = int(tree.parent[node])
        if parent < 0 or tree.round[node] > tree.round[parent]:
            start[node], bets[node] = node, int(parent < 0 and fold[0] >= 0)
        else:
            start[node] = start[parent]
            bets[node] = bets[parent] + tree.action[node].startswith(ACTIVE)
    matched = np.abs(tree.scale)
    paid = np.zeros(nodes)
    for node in range(nodes - 1, -1, -1):
        if tree.player[node] == TERMINAL:
            continue
        if tree.players != 2 or passive[node] < 0:
            _refuse(tree, node)
        matched[node] = matched[passive[node]]
        away = fold[node]
        if away >= 0 and tree.kind[away] != NO_OUTCOME:
            _refuse(tree, int(away))
        paid[node] = matched[node] if away < 0 else -tree.base[away, tree.player[node]]
    return Chips(matched, paid, passive, fold, bets, start)


def _refuse(tree: BettingTree, node: int) -> None:
    raise EquipoiseError(
        f"history '{tree.histories[node]}': found other actions than those of poker between two players, "
        "expected fold (f), check (k) or call (c), bets (b...) and raises (r...)."
    )
