"""Partition refinement: the coarsest way to merge things that no relation can tell apart.

Things come in kinds (all views of one player in one round are one kind). A :class:`Relation` is a
sparse matrix M from one kind to another. A partition is *stable* if things x, x' of one class
satisfy, for every relation M that starts at their kind and every class C of the kind it leads to,

    sum_{y in C} M[x, y] = sum_{y in C} M[x', y].

Stable partitions have a coarsest one. It is found by starting from one class per kind and splitting
by these sums until nothing splits (colour refinement; Paige and Tarjan, 1987, for the unweighted
case). The sums of one thing are folded into a 64-bit hash, so that a pass costs little more than
reading the matrices. A collision could only merge too much; :func:`instability` of the result is
therefore measured in the end, and the refinement repeated with another salt if it is not zero.
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


def coarsest_stable(sizes: Sequence[int], relations: Sequence[Relation]) -> list[Indices]:
    """Return the coarsest stable partition: for each kind, the class of each of its things.

    ``sizes`` says how many things there are of each kind. Classes are numbered from 0 in order of
    their first member.
    """
    for salt in range(8):
        classes = _refine(sizes, relations, np.uint64(salt))
        if all(instability(relation, classes).max(initial=0.0) == 0 for relation in relations):
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
    sums = _class_sums(relation, classes)
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

    The tolerance is relative to ``scale``, by default to the largest value. Levels are separated at gaps between neighbours in sorted order, so equal values that rounding
    has pushed apart stay together wherever they lie.
    """
    if len(values) == 0:
        return np.zeros(0, dtype=np.int64)
    gap = TOLERANCE * (np.abs(values).max() if scale is None else scale)
    ordered = np.sort(np.append(values, 0.0))
    starts = ordered[np.flatnonzero(np.diff(ordered, prepend=-np.inf) > gap)]
    levels = np.searchsorted(starts, values, side="right")
    return levels - np.searchsorted(starts, 0.0, side="right")


def _refine(sizes: Sequence[int], relations: Sequence[Relation], salt: np.uint64) -> list[Indices]:
    """Split by hashed sums until the number of classes of every kind stands still."""
    classes: list[Indices] = [np.zeros(size, dtype=np.uint32) for size in sizes]
    hashes: list[Hashes] = [np.zeros(size, dtype=np.uint64) for size in sizes]
    pending = set(range(len(sizes)))
    while pending:
        for index, relation in enumerate(relations):
            if relation.target in pending:
                tag = _mix(np.uint64(index) + (salt << np.uint64(32)))
                sums = _class_sums(relation, classes)
                hashes[relation.source] += _row_hashes(sums, relation.scale, tag)
        finer = [number_classes(h) for h in hashes]
        pending = {kind for kind, c in enumerate(finer) if _count(c) > _count(classes[kind])}
        classes = finer
        hashes = [_mix(c.astype(np.uint64)) for c in classes]
    return classes


def _class_sums(relation: Relation, classes: Sequence[Indices]) -> Any:
    """Return the CSR matrix of sums over the target's classes, one row a source thing."""
    target = classes[relation.target]
    shape = len(target), _count(target)
    member = Relation.of((0, 0), shape, np.arange(len(target)), target, np.ones(len(target)))
    return relation.matrix @ member.matrix


def _row_hashes(sums: Any, scale: float, tag: np.uint64) -> Hashes:
    """Hash every row of ``sums`` as the set of its (class, level of the sum) pairs.

    Sums of zero do not count: whether SciPy stores them depends on cancellation.
    """
    levels = levels_of(sums.data, scale)
    cells = _mix(_mix(levels.view(np.uint64) ^ tag) + sums.indices.astype(np.uint64))
    cells[levels == 0] = 0
    running = np.concatenate(([np.uint64(0)], np.cumsum(cells, dtype=np.uint64)))
    hashes: Hashes = running[sums.indptr[1:]] - running[sums.indptr[:-1]]
    return hashes


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
