"""Payoffs of games with signals, never written out: sums of Kronecker products.

What players do and what nature deals factor (Gilpin 2009, section 10.2): with F the betting leaves of
a round that end in a fold and S those that end in a showdown,

    A = sum over rounds of  F ⊗ B + S ⊗ W,

where B holds the probability of each pair of buckets and W that probability times the expected
outcome. A :class:`Term` is one such product with its betting factor by coordinates: leaf ``l`` puts
``coefficient[l] * matrix`` at row ``row[l]`` and column ``column[l]`` of A.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.device import Array, Device
from equipoise.sequence.payoffs.base import Entries, Payoff, joined, written_out

if TYPE_CHECKING:
    from equipoise.sequence.payoffs.last_round import LastRound, Tiled

Indices = NDArray[np.uint32]


class Lists(NamedTuple):
    """A bucket matrix by rows, as a kernel takes it."""

    start: Indices
    column: Indices
    value: NDArray[Any]


class BucketMatrix:
    """A matrix over pairs of buckets, sparse: ``csr``."""

    def __init__(self, csr: Any) -> None:
        self._csr = csr

    @property
    def csr(self) -> Any:
        """The matrix in the memory of the processor."""
        return self._csr

    @property
    def dense(self) -> DenseMatrix | None:
        """Ability: the matrix as an array of a device, where it is kept so."""
        return None

    @cached_property
    def transpose(self) -> BucketMatrix:
        """The transposed matrix."""
        return BucketMatrix(self.csr.T.tocsr())

    @cached_property
    def _kernels(self) -> dict[Any, Lists]:
        return {}

    def kernel(self, dtype: Any) -> Lists:
        """Return the form that products use, with values of ``dtype``."""
        key = np.dtype(dtype)
        if key not in self._kernels:
            self.csr.sort_indices()
            self._kernels[key] = Lists(
                self.csr.indptr.astype(np.uint32),
                self.csr.indices.astype(np.uint32),
                self.csr.data.astype(key),
            )
        return self._kernels[key]


class DenseMatrix(BucketMatrix):
    """A matrix over pairs of buckets that is an ``array`` of ``device``; it is listed for those alone who want lists."""

    def __init__(self, array: Array, device: Device) -> None:
        self.array, self.device = array, device

    @property
    def dense(self) -> DenseMatrix:
        """The matrix itself."""
        return self

    @cached_property
    def csr(self) -> Any:
        """The matrix, listed."""
        from scipy import sparse

        return sparse.csr_matrix(self.device.get(self.array))

    def is_on(self, device: Device) -> bool:
        """Say whether arrays of ``device`` can be multiplied by this one."""
        return self.device.xp is device.xp and self.device.device == device.device

    def times(self, towards: int, dtype: Any) -> Callable[[Array], Array]:
        """Return what multiplies rows over the buckets of one player by the matrix, ``towards`` the other."""
        xp, array = self.device.xp, self._as(dtype)
        # A view, not a copy: products read it either way.
        right = array if towards else xp.permute_dims(array, (1, 0))
        return lambda rows: xp.matmul(rows, right)

    def _as(self, dtype: Any) -> Array:
        """Return the array in a precision, made once."""
        if dtype not in self._kept:
            self._kept[dtype] = self.device.xp.astype(self.array, dtype, copy=False)
        return self._kept[dtype]

    @cached_property
    def _kept(self) -> dict[Any, Array]:
        return {}


@dataclass(frozen=True, eq=False)
class Term:
    """A Kronecker product: betting leaves by coordinates, and a matrix over buckets."""

    matrix: BucketMatrix
    row: Indices
    column: Indices
    coefficient: NDArray[np.float64]

    def entries(self) -> Iterator[Entries]:
        """Yield the payoffs of each leaf as rows, columns and values."""
        coo = self.matrix.csr.tocoo()
        for row, column, scale in zip(self.row, self.column, self.coefficient, strict=True):
            rows, columns = coo.row.astype(np.int64), coo.col.astype(np.int64)
            yield rows + int(row), columns + int(column), coo.data * scale


@dataclass(frozen=True, eq=False)
class Factored(Payoff):
    """The payoff of a game with signals: Kronecker terms, and the last round in tiles.

    ``sampler`` makes the payoff of a game in which nature plays a sample of her deals.
    """

    terms: tuple[Term, ...]
    shape: tuple[int, int]
    last: LastRound | None = None
    sampler: Callable[[float, np.random.Generator], Factored] | None = None

    def __repr__(self) -> str:
        last = "" if self.last is None else ", the last round in tiles"
        return f"<Factored {self.shape[0]:,} x {self.shape[1]:,}: {len(self.terms)} terms{last}>"

    @property
    def tiled(self) -> Tiled | None:
        """The last round, if it is in tiles."""
        if self.last is None:
            return None
        from equipoise.sequence.payoffs.last_round import Tiled

        return Tiled(self.last, self.add_terms)

    @property
    def kronecker(self) -> tuple[Term, ...] | None:
        """The terms, if they are all there is."""
        return self.terms if self.last is None else None

    @cached_property
    def nonzeros(self) -> int:
        """Number of nonzero entries of the matrix that is never written out."""
        places = [pair for term in self.terms for pair in zip(term.row, term.column, strict=True)]
        if len(set(places)) < len(places) or (self.last is not None and self.last.overlaps):
            # Two kinds of payment meet in one leaf, so entries may add up or cancel.
            return int(self.matrix().nnz)
        earlier = sum(len(term.row) * int(term.matrix.csr.nnz) for term in self.terms)
        return earlier + (self.last.nonzeros if self.last is not None else 0)

    def write(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Write the product into ``out``: earlier rounds, then the last one."""
        out[:] = 0
        self.add_terms(source, plan, out)
        if self.last is not None:
            self.last.add(source, plan, out)

    def add_terms(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Add to ``out`` the earlier rounds' payoffs against ``plan`` of player ``source``."""
        from equipoise.sequence.backends.products import multiply_term

        for term in self.terms:
            matrix = term.matrix.transpose if source == 0 else term.matrix
            place = (term.column, term.row) if source == 0 else (term.row, term.column)
            scale = term.coefficient.astype(plan.dtype)
            multiply_term(matrix.kernel(plan.dtype), *place, scale, plan, out)

    def matrix(self) -> Any:
        """Return the operator as a SciPy CSR matrix: for small games, and for counting."""
        return written_out(self._entries(), self.shape)

    def restricted(self, rows: NDArray[Any], columns: NDArray[Any]) -> Payoff:
        """Return the operator on some sequences of each player; no more than these are written out."""
        from equipoise.sequence.payoffs.sparse import Sparse

        number = [np.full(size, -1, dtype=np.int64) for size in self.shape]
        number[0][rows], number[1][columns] = np.arange(len(rows)), np.arange(len(columns))
        parts = []
        for first, second, values in self._entries():
            i, j = number[0][first], number[1][second]
            kept = np.flatnonzero((i >= 0) & (j >= 0))
            parts.append((i[kept], j[kept], values[kept]))
        return Sparse.from_entries(*joined(parts), (len(rows), len(columns)))

    def _entries(self) -> Iterator[Entries]:
        """Yield the payoffs leaf by leaf as rows, columns and values."""
        for term in self.terms:
            yield from term.entries()
        if self.last is not None:
            yield from self.last.entries()

    def sampled(self, proportion: float, random: np.random.Generator) -> Factored:
        """Return the operator of a game in which nature plays only a sample of her deals."""
        if self.sampler is None:
            raise EquipoiseError("Sampling: found a sample, expected the payoffs of all deals.")
        return self.sampler(proportion, random)
