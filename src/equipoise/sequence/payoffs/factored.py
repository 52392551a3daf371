"""Payoffs of games with signals, never written out: sums of Kronecker products.

What players do and what nature deals factor (seed 000, section 10.2): with F the betting leaves of
a round that end in a fold and S those that end in a showdown,

    A = sum over rounds of  F ⊗ B + S ⊗ W,

where B holds the probability of each pair of buckets and W that probability times the expected
outcome. A :class:`Term` is one such product with its betting factor by coordinates: leaf ``l`` puts
``coefficient[l] * matrix`` at row ``row[l]`` and column ``column[l]`` of A.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.threads import spread
from equipoise.sequence.payoffs.tiles import Half, Tiling, add_tiles, half, packing

Indices = NDArray[np.uint32]


class Lists(NamedTuple):
    """A bucket matrix by rows, as a kernel takes it."""

    start: Indices
    column: Indices
    value: NDArray[Any]


@dataclass(frozen=True, eq=False)
class BucketMatrix:
    """A sparse matrix over pairs of buckets."""

    csr: Any

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


@dataclass(frozen=True, eq=False)
class Term:
    """A Kronecker product: betting leaves by coordinates, and a matrix over buckets."""

    matrix: BucketMatrix
    row: Indices
    column: Indices
    coefficient: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LastRound:
    """The tiled payoffs of the last round.

    Attributes
    ----------
    cut
        Which buckets stand together.
    pairs, values
        The deals, as buckets of the two players, and each matrix's value in each of them.
    leaf_matrix, leaf_units, leaf_scale
        For each leaf of the betting tree: which matrix, both players' units, the coefficient.
    trunk, units
        For each player, how many sequences the trunk has, and how many units a tile.
    """

    cut: Tiling
    pairs: tuple[Indices, Indices]
    values: NDArray[np.float64]
    leaf_matrix: NDArray[Any]
    leaf_units: tuple[NDArray[Any], NDArray[Any]]
    leaf_scale: NDArray[np.float64]
    trunk: tuple[int, int]
    units: tuple[int, int]

    @cached_property
    def _halves(self) -> dict[Any, Half]:
        return {}

    def half(self, source: int, dtype: Any) -> Half:
        """Return the payoffs for products from ``source`` to the other player."""
        key = (source, np.dtype(dtype))
        if key not in self._halves:
            leaves = (self.leaf_matrix, *self.leaf_units, self.leaf_scale)
            self._halves[key] = half(self.cut, source, self.values, self.pairs, leaves, dtype)
        return self._halves[key]

    def terms(self) -> list[Term]:
        """Return the same payoffs as Kronecker terms, tile by tile (for writing them out)."""
        from scipy import sparse

        at = [self.cut.place[player][self.pairs[player]] for player in (0, 1)]
        bounds = [self.cut.bounds(player) for player in (0, 1)]
        tile = np.searchsorted(bounds[0], at[0], side="right") - 1
        terms = []
        for m, values in enumerate(self.values):
            own = self.leaf_matrix == m
            for p in range(len(bounds[0]) - 1):
                here = np.flatnonzero((tile == p) & (values != 0))
                width = [int(bounds[i][p + 1] - bounds[i][p]) for i in (0, 1)]
                place = [at[i][here] - bounds[i][p] for i in (0, 1)]
                csr = sparse.coo_matrix((values[here], tuple(place)), shape=tuple(width)).tocsr()
                base = [self.trunk[i] + self.units[i] * int(bounds[i][p]) for i in (0, 1)]
                rows, columns = (base[i] + self.leaf_units[i][own] * width[i] for i in (0, 1))
                terms.append(
                    Term(
                        BucketMatrix(csr),
                        rows.astype(np.uint32),
                        columns.astype(np.uint32),
                        self.leaf_scale[own],
                    )
                )
        return terms


@dataclass(frozen=True, eq=False)
class Factored:
    """The payoff of a game with signals: Kronecker terms, and the last round in tiles.

    ``sampler`` makes the payoff of a game in which nature plays a sample of her deals.
    """

    terms: tuple[Term, ...]
    shape: tuple[int, int]
    last: LastRound | None = None
    sampler: Callable[[float, np.random.Generator], Factored] | None = None

    @cached_property
    def _all_terms(self) -> tuple[Term, ...]:
        return (*self.terms, *(self.last.terms() if self.last is not None else ()))

    @cached_property
    def nonzeros(self) -> int:
        """Number of nonzero entries of the matrix that is never written out."""
        places = [pair for term in self.terms for pair in zip(term.row, term.column, strict=True)]
        if len(set(places)) < len(places):
            # Two kinds of payment meet in one leaf, so entries may add up or cancel.
            return int(self.matrix().nnz)
        return sum(len(term.row) * term.matrix.csr.nnz for term in self._all_terms)

    def times(self, y: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return ``A @ y``."""
        return self._product(1, y, out)

    def transpose_times(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return ``A.T @ x``."""
        return self._product(0, x, out)

    def _product(self, source: int, vector: NDArray[Any], out: NDArray[Any] | None) -> NDArray[Any]:
        """Return the gradient of the player facing ``source``, who plays ``vector``."""
        if vector.shape != (self.shape[source],):
            raise EquipoiseError(
                f"Payoff product: the vector has shape {vector.shape}, "
                f"expected ({self.shape[source]},)."
            )
        if out is None:
            out = np.empty(self.shape[1 - source], dtype=vector.dtype)
        out[:] = 0
        self.add_terms(source, vector, out)
        if self.last is not None:
            self._add_last(source, vector, out)
        return out

    def add_terms(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Add to ``out`` the earlier rounds' payoffs against ``plan`` of player ``source``."""
        for term in self.terms:
            matrix = term.matrix.transpose if source == 0 else term.matrix
            place = (term.column, term.row) if source == 0 else (term.row, term.column)
            scale = term.coefficient.astype(plan.dtype)
            _multiply(matrix.kernel(plan.dtype), *place, scale, plan, out)

    def _add_last(self, source: int, vector: NDArray[Any], out: NDArray[Any]) -> None:
        assert self.last is not None
        half = self.last.half(source, vector.dtype)
        tail, result = vector[self.last.trunk[source] :], out[self.last.trunk[1 - source] :]
        one = half.value.dtype.type(1)
        spread(
            len(half.tile_source) - 1,
            lambda lane, low, high: add_tiles(half, low, high, one, tail, result, packing(half)),
        )

    def matrix(self) -> Any:
        """Return the operator as a SciPy CSR matrix: for small games, and for counting."""
        from scipy import sparse

        rows, columns, values = [], [], []
        for term in self._all_terms:
            coo = term.matrix.csr.tocoo()
            for row, column, scale in zip(term.row, term.column, term.coefficient, strict=True):
                rows.append(coo.row.astype(np.int64) + int(row))
                columns.append(coo.col.astype(np.int64) + int(column))
                values.append(coo.data * scale)
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        matrix = sparse.coo_matrix(entries, shape=self.shape).tocsr()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return matrix

    def sampled(self, proportion: float, random: np.random.Generator) -> Factored:
        """Return the operator of a game in which nature plays only a sample of her deals."""
        if self.sampler is None:
            raise EquipoiseError("Sampling: found a sample, expected the payoffs of all deals.")
        return self.sampler(proportion, random)


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def _multiply(matrix: Any, row: Any, column: Any, scale: Any, vector: Any, out: Any) -> None:
    """Add one Kronecker term's product: leaf by leaf, row by row."""
    for leaf in range(len(row)):
        source = vector[column[leaf] :]
        for i in range(len(matrix.start) - 1):
            total = scale[0] * 0
            for k in range(matrix.start[i], matrix.start[i + 1]):
                total += matrix.value[k] * source[matrix.column[k]]
            out[np.uint32(row[leaf] + i)] += scale[leaf] * total
