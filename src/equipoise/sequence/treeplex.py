"""Strategy spaces of the sequence form: a treeplex is a list of blocks.

A player's sequence-form strategies (realization plans) are the vectors x >= 0 with

    x[0] = 1,    sum_a x[(I, a)] = x[parent(I)]   for every information set I

(von Stengel 1996; Gilpin 2009, section 2.3.2). A *block* holds the information sets that share one
decision point of the public tree: ``actions`` x ``buckets`` sequences, stored action by action, so
that sequence ``start + a * buckets + k`` is action ``a`` in bucket ``k``. Bucket ``k`` follows the
sequence ``parent + links[link + k]``, or ``parent + k`` when ``link`` is ``SAME``: within a round
the bucket stays the same. In a general extensive-form game every block has one bucket.

Blocks are in topological order: a top-down pass runs forwards, a bottom-up pass backwards. The passes
themselves are in :mod:`equipoise.sequence.backends`; this module needs no compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]

SAME = np.uint32(0xFFFFFFFF)


class Blocks(NamedTuple):
    """The arrays of a treeplex, as kernels take them."""

    start: Indices
    actions: Indices
    buckets: Indices
    parent: Indices
    link: Indices
    links: Indices

    def before(self, last: int, widths: NDArray[Any]) -> int:
        """Return how many blocks come before the last round, whose sequences begin at ``last``.

        Its tiles, so many wide, have as many blocks each. Those of no width, where a player holds no hand, have no
        sequences: where they start does not tell them from the end of the round before.
        """
        wide = int(np.count_nonzero((self.start >= last) & (self.buckets > 0)))
        each = wide // max(1, int(np.count_nonzero(widths)))
        return len(self.start) - each * len(widths)


@dataclass(frozen=True, eq=False)
class Treeplex:
    """A strategy space in the form of the module's docstring."""

    blocks: Blocks

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[tuple[int, int, int, NDArray[Any] | None]],
    ) -> Treeplex:
        """Build from (actions, buckets, parent base, link or None) for each block in order.

        A link is the offset from the parent base for each bucket. The same array object given
        twice is stored once.
        """
        links: list[NDArray[Any]] = []
        place_of: dict[int, int] = {}
        total = 0
        start, link = [], []
        size = 1
        for actions, buckets, _, offsets in rows:
            start.append(size)
            size += actions * buckets
            if offsets is None:
                link.append(SAME)
                continue
            if id(offsets) not in place_of:
                place_of[id(offsets)] = total
                links.append(offsets)
                total += len(offsets)
            link.append(np.uint32(place_of[id(offsets)]))
        if size >= 2**32:
            raise EquipoiseError(f"Treeplex: found {size} sequences, expected fewer than 2^32.")
        blocks = Blocks(
            start=np.array(start, dtype=np.uint32),
            actions=np.array([row[0] for row in rows], dtype=np.uint32),
            buckets=np.array([row[1] for row in rows], dtype=np.uint32),
            parent=np.array([row[2] for row in rows], dtype=np.uint32),
            link=np.array(link, dtype=np.uint32),
            links=np.concatenate([np.zeros(0), *links]).astype(np.uint32),
        )
        return cls(blocks)

    @classmethod
    def of_sets(cls, actions: NDArray[Any], parents: NDArray[Any]) -> Treeplex:
        """Build from single information sets: how many actions each has, and which sequence it follows."""
        ends = 1 + np.cumsum(actions, dtype=np.int64)
        one = np.ones(len(actions), dtype=np.uint32)
        blocks = Blocks(
            start=(ends - actions).astype(np.uint32),
            actions=actions.astype(np.uint32),
            buckets=one,
            parent=parents.astype(np.uint32),
            link=SAME * one,
            links=np.zeros(0, dtype=np.uint32),
        )
        return cls(blocks)

    def __repr__(self) -> str:
        return f"<Treeplex: {self.size:,} sequences, {self.infosets:,} information sets>"

    @cached_property
    def size(self) -> int:
        """Number of sequences, the empty one included."""
        return 1 + int((self.blocks.actions.astype(np.int64) * self.blocks.buckets).sum())

    @cached_property
    def infosets(self) -> int:
        """Number of information sets."""
        return int(self.blocks.buckets.astype(np.int64).sum())

    @cached_property
    def widest(self) -> int:
        """Largest number of buckets in a block (at least one): the scratch a kernel needs."""
        return int(self.blocks.buckets.max(initial=1))

    def parents(self) -> Indices:
        """Return the parent sequence of every information set, block by block."""
        blocks = self.blocks
        block, bucket = self._sets()
        moved = blocks.link[block] != SAME
        bucket[moved] = blocks.links[blocks.link[block[moved]] + bucket[moved]]
        return (blocks.parent[block] + bucket).astype(np.uint32)

    def _sets(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the block of every information set, and its bucket there."""
        buckets = self.blocks.buckets.astype(np.int64)
        block = np.repeat(np.arange(len(buckets)), buckets)
        return block, np.arange(len(block)) - (np.cumsum(buckets) - buckets)[block]

    def constraints(self) -> tuple[Any, Floats]:
        """Return ``(E, e)`` with ``E x = e`` the equalities of the module's docstring."""
        from scipy import sparse

        rows, columns, values, right = self.constraint_entries()
        return sparse.csr_matrix((values, (rows, columns)), (len(right), self.size)), right

    def constraint_entries(self) -> tuple[Any, Any, Floats, Floats]:
        """Return rows, columns and values of E, and e: the equalities by coordinates.

        Row 0 fixes the empty sequence; one row an information set follows, in block order.
        """
        buckets = self.blocks.buckets.astype(np.int64)
        block = np.repeat(np.arange(len(buckets)), self.blocks.actions.astype(np.int64) * buckets)
        place = np.arange(1, self.size) - self.blocks.start[block]
        sets = 1 + (np.cumsum(buckets) - buckets)[block] + place % buckets[block]
        rows = np.concatenate(([0], sets, np.arange(1, 1 + self.infosets)))
        columns = np.concatenate((np.arange(self.size), self.parents()))
        values = np.concatenate((np.ones(self.size), -np.ones(self.infosets)))
        right = np.zeros(1 + self.infosets)
        right[0] = 1.0
        return rows, columns, values, right

    def uniform(self, dtype: Any = np.float64) -> NDArray[Any]:
        """Return the behaviour that plays every action alike."""
        _, actions, buckets = self.blocks[:3]
        behaviour = np.ones(self.size, dtype=dtype)
        behaviour[1:] = np.repeat(1.0 / actions, actions.astype(np.int64) * buckets)
        return behaviour

    def plan(self, behaviour: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the realization plan of ``behaviour`` (conditional probabilities, entry 0 is 1).

        ``out`` may be ``behaviour`` itself, which is then overwritten.
        """
        from equipoise.sequence.backends import compiled

        plan = np.empty_like(self._checked(behaviour, "behaviour")) if out is None else out
        compiled.plan(self.blocks, behaviour, plan)
        return plan

    def behaviour(self, plan: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the behaviour of ``plan``; where the plan never goes, it is uniform.

        The uniform choice off the path is the definition used everywhere: saved strategies, play
        and certificates agree on it. ``out`` may be ``plan`` itself.
        """
        from equipoise.sequence.backends import compiled

        behaviour = np.empty_like(self._checked(plan, "plan")) if out is None else out
        compiled.behaviour(self.blocks, plan, behaviour)
        return behaviour

    def best_response(self, gradient: NDArray[Any]) -> tuple[float, NDArray[Any]]:
        """Return ``max_x <gradient, x>`` over the treeplex and a pure plan that attains it.

        Ties go to the first action.
        """
        from equipoise.sequence.backends import compiled

        gain = self._checked(gradient, "gradient").copy()
        behaviour = np.zeros(self.size, dtype=gain.dtype)
        behaviour[0] = 1.0
        value = compiled.best_response(
            self.blocks, gain, behaviour, np.empty(self.widest, gain.dtype)
        )
        return float(value), self.plan(behaviour)

    def support(self, gradient: NDArray[Any], *, overwrite: bool = False) -> float:
        """Return ``max_x <gradient, x>`` alone: the support function of the treeplex."""
        from equipoise.sequence.backends import compiled

        gain = self._checked(gradient, "gradient").astype(np.float64, copy=not overwrite)
        return float(compiled.support(self.blocks, gain, np.empty(self.widest)))

    def _checked(self, vector: NDArray[Any], what: str) -> NDArray[Any]:
        if vector.shape != (self.size,):
            raise EquipoiseError(
                f"Treeplex: {what} has shape {vector.shape}, expected ({self.size},)."
            )
        return vector
