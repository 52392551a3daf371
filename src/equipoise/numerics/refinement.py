"""Partition refinement: the coarsest way to merge things that no relation can tell apart.

Things come in kinds (all views of one player in one round are one kind). A :class:`Relation` is a
sparse matrix M from one kind to another. A partition is *stable* if things x, x' of one class
satisfy, for every relation M that starts at their kind and every class C of the kind it leads to,

    sum_{y in C} M[x, y] = sum_{y in C} M[x', y].

A :class:`LabelledRelation` stands for one such matrix a label: x and x' must have as many edges of each
label into each class. Counting takes a fraction of the time of adding up.

Stable partitions have a coarsest one. It is found by starting from one class per kind and splitting
by what things see until nothing splits (colour refinement; Paige and Tarjan, 1987, for the unweighted
case). What one thing sees is folded into a 64-bit hash, so that a pass costs little more than
reading the matrices. A collision could only merge too much; the result is therefore checked in the end,
and the refinement repeated with another salt if it is not stable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]
Hashes = NDArray[np.uint64]

#: Sums closer than this, relative to the scale of their relation, count as equal: wide enough for
#: the rounding of any order of summation, far below any difference that a game means.
TOLERANCE = 1e-11


@dataclass(frozen=True)
class Relation:
    """A weighted relation from kind ``source`` to kind ``target``.

    ``matrix`` is a SciPy CSR array with a row for each thing of the one kind and a column for each
    of the other.
    """

    source: int
    target: int
    matrix: Any

    @cached_property
    def scale(self) -> float:
        """The largest sum of absolute entries in a row: what rounding of any of its sums is relative to.

        The sums themselves would not do: where all of them cancel, they are nothing but rounding.
        """
        return float(abs(self.matrix).sum(axis=1).max(initial=0.0)) if self.matrix.nnz else 0.0

    @classmethod
    def of(
        cls,
        ends: tuple[int, int],
        shape: tuple[int, int],
        rows: NDArray[Any],
        columns: NDArray[Any],
        data: NDArray[Any],
    ) -> Relation:
        """Return the relation between the kinds ``ends`` with these entries (repeated ones add)."""
        from scipy import sparse

        return cls(*ends, sparse.csr_array((data, (rows, columns)), shape=shape))

    def hashes(self, colours: Colouring, tag: np.uint64) -> Hashes:
        """Return a hash of every row's sums over the classes of ``colours``.

        Sums of zero do not count: whether SciPy stores them depends on cancellation.
        """
        sums = _class_sums(self, colours.classes)
        levels = levels_of(sums.data, self.scale)
        cells = _mix(_mix(levels.view(np.uint64) ^ tag) + sums.indices.astype(np.uint64))
        cells[levels == 0] = 0
        return _row_sums(cells, sums.indptr)

    def is_stable(self, classes: Sequence[Indices]) -> bool:
        """Say whether things of one class have the same sums."""
        return float(instability(self, classes).max(initial=0.0)) == 0.0


@dataclass(frozen=True, eq=False)
class LabelledRelation:
    """Edges with labels from kind ``source`` to kind ``target``.

    Thing x has the edges ``start[x]`` to ``start[x + 1]``; edge e leads to ``to[e]``.
    """

    source: int
    target: int
    start: NDArray[Any]
    to: NDArray[Any]
    label: NDArray[np.int64]

    @cached_property
    def _labels(self) -> Hashes:
        mixed: Hashes = _mix(self.label.astype(np.uint64))
        return mixed

    def hashes(self, colours: Colouring, tag: np.uint64) -> Hashes:
        """Return a hash of every thing's multiset of (label, colour at the other end)."""
        ends = colours.hashes + tag
        return _row_sums(_mix(self._labels + ends[self.to]), self.start)

    def is_stable(self, classes: Sequence[Indices]) -> bool:
        """Say whether things of one class have the same edges, by hashes not used before."""
        fresh = Colouring(_mix(_mix(classes[self.target].astype(np.uint64))))
        seen = self.hashes(fresh, _mix(np.uint64(self.source)))
        mine = classes[self.source]
        return bool(np.all(seen == seen[_first_members(mine)[mine]]))


class Colouring:
    """Colours of the things of one kind: equal hashes, equal colours."""

    def __init__(self, hashes: Hashes) -> None:
        self.hashes = hashes

    @cached_property
    def count(self) -> int:
        """How many colours there are."""
        ordered = np.sort(self.hashes)
        return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + bool(len(ordered))

    @cached_property
    def classes(self) -> Indices:
        """The colours' numbers, in order of first appearance."""
        return number_classes(self.hashes)


def coarsest_stable(
    sizes: Sequence[int],
    relations: Sequence[Relation | LabelledRelation],
    most: float = np.inf,
) -> list[Indices]:
    """Return the coarsest stable partition: for each kind, the class of each of its things.

    ``sizes`` says how many things there are of each kind. Classes are numbered from 0 in order of
    their first member. Classes only split: as soon as there are more than ``most``, every thing is left
    in a class of its own, which is stable, too.
    """
    for salt in range(8):
        colours = _refine(sizes, relations, np.uint64(salt), most)
        if sum(own.count for own in colours) > most:
            return [np.arange(size, dtype=np.uint32) for size in sizes]
        classes = [own.classes for own in colours]
        if all(relation.is_stable(classes) for relation in relations):
            return classes
    raise EquipoiseError(
        "Partition refinement: found sums that differ by about the tolerance "
        f"{TOLERANCE:g}, expected them to be equal or clearly apart; rescale the game's outcomes."
    )


def instability(relation: Relation, classes: Sequence[Indices]) -> Floats:
    """Return, for each class of the source kind, how much its members' sums differ.

    The largest difference from the sums of the class's first member, relative to the relation's scale;
    differences below :data:`TOLERANCE` are reported as zero.
    """
    sums = _class_sums(relation, classes[relation.target])
    scale = relation.scale
    mine = classes[relation.source]
    first = _first_members(mine)
    difference = abs(sums - sums[first[mine]]).max(axis=1).toarray().ravel()
    difference[difference <= TOLERANCE * scale] = 0.0
    worst = np.zeros(len(first))
    np.maximum.at(worst, mine, difference / (scale or 1.0))
    return worst


def number_classes(keys: NDArray[Any]) -> Indices:
    """Number equal ``keys`` alike, from 0, in order of first appearance."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.uint32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.uint32)
    return rank[inverse]


def levels_of(values: Floats, scale: float | None = None) -> NDArray[np.int64]:
    """Number the distinct ``values`` up to the tolerance; the level of zero is 0.

    The tolerance is relative to ``scale``, by default to the largest value. Levels are separated at gaps
    between neighbours in sorted order, so equal values that rounding has pushed apart stay together
    wherever they lie.
    """
    if len(values) == 0:
        return np.zeros(0, dtype=np.int64)
    gap = TOLERANCE * (np.abs(values).max() if scale is None else scale)
    ordered = np.sort(np.append(values, 0.0))
    starts = ordered[np.flatnonzero(np.diff(ordered, prepend=-np.inf) > gap)]
    levels = np.searchsorted(starts, values, side="right")
    return levels - np.searchsorted(starts, 0.0, side="right")


def _refine(
    sizes: Sequence[int],
    relations: Sequence[Relation | LabelledRelation],
    salt: np.uint64,
    most: float,
) -> list[Colouring]:
    """Split by what is seen until no relation is stale: none leads to a kind that has split since."""
    colours = [Colouring(np.zeros(size, dtype=np.uint64)) for size in sizes]
    looked = [0] * len(relations)  # the classes at the other end when a relation was looked at
    is_split = True
    while is_split and sum(own.count for own in colours) <= most:
        is_split = False
        for kind in range(len(sizes)):
            hashes = colours[kind].hashes
            for index, relation in enumerate(relations):
                there = colours[relation.target]
                if relation.source == kind and looked[index] < there.count:
                    looked[index] = there.count
                    tag = _mix(np.uint64(index) + (salt << np.uint64(32)))
                    hashes = hashes + relation.hashes(there, tag)
            if hashes is not colours[kind].hashes:
                colours[kind] = Colouring(_mix(hashes))
                is_split = True
    return colours


def _class_sums(relation: Relation, target: Indices) -> Any:
    """Return the CSR matrix of sums over the target's classes, one row a source thing."""
    shape = len(target), _count(target)
    member = Relation.of((0, 0), shape, np.arange(len(target)), target, np.ones(len(target)))
    return relation.matrix @ member.matrix


def _row_sums(cells: Hashes, start: NDArray[Any]) -> Hashes:
    """Add up the hashes of each row: ``start`` says where rows begin, and the last one ends."""
    running = np.concatenate(([np.uint64(0)], np.cumsum(cells, dtype=np.uint64)))
    sums: Hashes = running[start[1:]] - running[start[:-1]]
    return sums


def _mix(keys: Any) -> Any:
    """Scramble 64-bit keys (the finaliser of SplitMix64; Steele, Lea and Flood, 2014)."""
    with np.errstate(over="ignore"):
        keys = keys + np.uint64(0x9E3779B97F4A7C15)
        keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return keys ^ (keys >> np.uint64(31))


def _first_members(classes: Indices) -> NDArray[np.int64]:
    """Return the first member of each class."""
    return np.unique(classes, return_index=True)[1]


def _count(classes: Indices) -> int:
    """Return the number of classes."""
    return int(classes.max(initial=0)) + 1 if len(classes) else 0
