"""What nature deals in every round of an abstraction, from how often the buckets of the last one meet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.games.signals.betting import SHOWDOWN, BettingTree
from equipoise.games.signals.rounds import Floats, Indices, SignalRound


def rounds_of_pairs(
    tree: BettingTree, parents: Sequence[Indices], met: Floats, won: Floats
) -> tuple[SignalRound, ...]:
    """Return what nature deals in each round, given how often buckets of the last one meet and win.

    Only the last round is counted: as every bucket has a parent, the deals of an earlier round are those of
    the last one, added up. The children of a bucket are numbered one after another.
    """
    rounds = []
    for turn in range(len(parents) - 1, -1, -1):
        shown = won if SHOWDOWN in tree.kinds_ending(turn) else None
        rounds.append(_round(parents[turn], met, shown))
        met, won = (_added_up(matrix, parents[turn]) for matrix in (met, won))
    return tuple(reversed(rounds))


def _round(parents: Indices, met: Floats, won: Floats | None) -> SignalRound:
    """Return the deals of a round: the pairs of buckets that meet, and who wins on average."""
    first, second = np.nonzero(met)
    count = met[first, second]
    values = {} if won is None else {SHOWDOWN: won[first, second] / count}
    pairs = first.astype(np.uint32), second.astype(np.uint32)
    return SignalRound((parents, parents), pairs, count / count.sum(), values)


def _added_up(matrix: Floats, parents: Indices) -> Floats:
    """Return a matrix over buckets added up over the children of each pair of parents."""
    first = np.flatnonzero(np.diff(parents, prepend=-1 - int(parents[0])))
    return np.asarray(np.add.reduceat(np.add.reduceat(matrix, first, axis=0), first, axis=1))
