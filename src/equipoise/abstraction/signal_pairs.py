"""What nature deals in every round of an abstraction, from how often the buckets of the last one meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equipoise.games.signals.betting import SHOWDOWN, BettingTree
from equipoise.games.signals.rounds import Floats, Indices, PairMatrices, SignalRound
from equipoise.numerics.device import Array, Device


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
        met, won = (added_up(matrix, parents[turn]) for matrix in (met, won))
    return tuple(reversed(rounds))


class BucketPairs:
    """How often buckets of the last round meet, and how often the first wins less how often it loses.

    Matrices over pairs of buckets, in double precision, in the memory of ``device``.
    """

    def __init__(self, met: Array, won: Array, device: Device) -> None:
        self.met, self.won, self.device = met, won, device

    def rounds(self, tree: BettingTree, parents: Sequence[Indices]) -> tuple[SignalRound, ...]:
        """Return what nature deals in each round, as :func:`rounds_of_pairs`, and never list it."""
        met, won, found = self.met, self.won, list[SignalRound]()
        for turn in range(len(parents) - 1, -1, -1):
            is_shown = SHOWDOWN in tree.kinds_ending(turn)
            found.append(DenseRound(parents[turn], met, won if is_shown else None, self.device))
            met, won = (_below(matrix, parents[turn], self.device) for matrix in (met, won))
        return tuple(reversed(found))


class DenseRound(SignalRound):
    """A round whose deals are matrices on a device: they are listed for those who ask for lists, and only then."""

    def __init__(self, parents: Indices, met: Array, won: Array | None, device: Device) -> None:
        self.__dict__.update(own=parents, met=met, won=won, device=device)

    @property
    def dense(self) -> PairMatrices:
        """The matrices."""
        return _Probabilities(self.__dict__["met"], self.__dict__["won"], self.__dict__["device"])

    @property
    def parents(self) -> tuple[Indices, Indices]:
        """Both players' parents of buckets: the same."""
        own: Indices = self.__dict__["own"]
        return own, own

    @property
    def pairs(self) -> tuple[Indices, Indices]:
        """The pairs of buckets that meet."""
        return self._listed.pairs

    @property
    def weight(self) -> Floats:
        """Their probabilities."""
        return self._listed.weight

    @property
    def values(self) -> Mapping[str, Floats]:
        """Their outcomes."""
        return self._listed.values

    @cached_property
    def _listed(self) -> SignalRound:
        own, there = self.__dict__, self.__dict__["device"]
        won = None if own["won"] is None else there.get(own["won"])
        return _round(own["own"], there.get(own["met"]), won)


@dataclass(frozen=True, eq=False)
class _Probabilities:
    """Matrices of counts, as those of probabilities."""

    met: Array
    won: Array | None
    device: Device

    def of(self, kind: str | None) -> Array:
        """Return the probability of each pair of buckets, times the outcome of a ``kind``."""
        found = self.met if kind is None else self.won
        assert found is not None, "a round is asked only for what ends it"
        return found / self.device.xp.sum(self.met)


def _below(matrix: Array, parents: Indices, device: Device) -> Array:
    """Return a matrix over buckets added up over the children of each pair of parents."""
    xp, count = device.xp, int(parents.max()) + 1
    for _ in range(2):
        rows = device.zeros((count, matrix.shape[1]))
        device.add_at(rows, device.put(parents.astype(np.int64)), matrix)
        matrix = xp.permute_dims(rows, (1, 0))
    return matrix


def _round(parents: Indices, met: Floats, won: Floats | None) -> SignalRound:
    """Return the deals of a round: the pairs of buckets that meet, and who wins on average."""
    first, second = np.nonzero(met)
    count = met[first, second]
    values = {} if won is None else {SHOWDOWN: won[first, second] / count}
    pairs = first.astype(np.uint32), second.astype(np.uint32)
    return SignalRound((parents, parents), pairs, count / count.sum(), values)


def added_up(matrix: Floats, parents: Indices) -> Floats:
    """Return a matrix over buckets added up over the children of each pair of parents."""
    first = np.flatnonzero(np.diff(parents, prepend=-1 - int(parents[0])))
    return np.asarray(np.add.reduceat(np.add.reduceat(matrix, first, axis=0), first, axis=1))
