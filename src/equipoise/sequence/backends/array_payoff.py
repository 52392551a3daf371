"""Payoff products on arrays: Kronecker terms as dense or batched matrix products.

A :class:`~equipoise.sequence.payoffs.factored.Term` puts ``coefficient[l] * matrix`` at row ``row[l]``
and column ``column[l]`` of A for every betting leaf l. Towards one player, the opponent's rows are multiplied
all at once by the matrix over buckets, then the products that reach the same own row are added up, those of
all terms in one pass that writes each row once:

    gradient[row] = sum over leaves l of this row  coefficient[l] * (plan[column[l]] @ matrix')

Where the matrix falls into components that never meet (hands on different boards), the product is
batched over the components, padded to one width: for Rhode Island hold'em 325 products of 25 x 25
instead of one of 7969 x 7969. A matrix that was counted on the device stays there, and serves both players and all
terms. Payoffs of trees are lists of entries, gathered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.device import Array, Device
from equipoise.sequence.backends.arrays import ArrayTreeplex
from equipoise.sequence.backends.board_matrices import BoardMatrices
from equipoise.sequence.backends.levels import Band, Ints, padded_lists
from equipoise.sequence.payoffs.base import Payoff
from equipoise.sequence.payoffs.by_board import ByBoard

# Batches are used where they are at most this share of the whole matrix.
_BATCHED_SHARE = 0.5


class ArrayPayoff:
    """The payoffs on arrays of a library, in level order: A to player 1, and -A to player 2."""

    def __init__(self, payoff: Payoff, X: ArrayTreeplex, Y: ArrayTreeplex) -> None:
        self.shape = X.size, Y.size
        self._towards = [_Gradient(X, Y), _Gradient(Y, X)]
        if payoff.by_board is not None:
            self._add_boards(payoff.by_board)
            return
        terms = payoff.kronecker
        matrix = payoff.matrix() if terms is None else None
        for term in terms or ():
            for towards, places in ((0, (term.row, term.column)), (1, (term.column, term.row))):
                dense = term.matrix.dense
                if dense is not None and dense.is_on(X.device):
                    multiplier = dense.times(towards, X.device.floats)
                else:
                    csr = term.matrix.csr.T if towards else term.matrix.csr
                    multiplier = _multiplier(csr.tocsr(), X.device)
                paid = -term.coefficient if towards else term.coefficient
                self._towards[towards].add_term(multiplier, *places, paid)
        if matrix is not None:
            self._towards[0].add_entries(matrix)
            self._towards[1].add_entries(-matrix.T)

    def _add_boards(self, payoff: ByBoard) -> None:
        """Add the leaves of a spot: matrices for every board, both ways the same."""
        matrices = BoardMatrices(payoff, self._towards[0].device)
        for term in payoff.terms():
            for towards, places in ((0, (term.row, term.column)), (1, (term.column, term.row))):
                multiplier = matrices.times(term.street, term.matrix, towards)
                paid = -term.paid[1] if towards else term.paid[0]
                self._towards[towards].add_term(multiplier, *places, paid)

    def gains(self, player: int, plan: Array) -> Array:
        """Return what the sequences of a player earn against the other's ``plan``: ``A @ y`` or ``-A.T @ x``."""
        return self._towards[player].of(plan)

    def times(self, y: Array) -> Array:
        """Return ``A @ y``."""
        return self.gains(0, y)

    def transpose_times(self, x: Array) -> Array:
        """Return ``A.T @ x``."""
        return -self.gains(1, x)


class _Gradient:
    """The product towards one player's treeplex."""

    def __init__(self, target: ArrayTreeplex, source: ArrayTreeplex) -> None:
        self.target, self.source = target, source
        self.device: Device = target.device
        self._terms: dict[Band, list[_Rows]] = {}
        self._parts: list[_Entries] = []
        self._add_up = self.device.fused(self._added_up, any_size=True)

    def add_term(
        self,
        multiplier: Callable[[Array], Array],
        row: NDArray[Any],
        column: NDArray[Any],
        coefficient: NDArray[Any],
    ) -> None:
        """Add ``coefficient[l] * matrix`` at (row[l], column[l]), places in the treeplexes' own order.

        The ``multiplier`` multiplies rows over source buckets by the matrix, transposed; what it returns may
        have more axes than one after the rows.
        """
        rows, columns = (
            own.places(part.astype(np.int64))
            for own, part in ((self.target, row), (self.source, column))
        )
        # Where play comes to a round by ways that skip others, its rows stand in more than one band.
        bands = np.stack([self.target.band_numbers(rows), self.source.band_numbers(columns)])
        for pair in np.unique(bands, axis=1).T:
            here = np.flatnonzero((bands == pair[:, None]).all(axis=0))
            into, own = self.target.band_of(rows[here])
            taken = self.source.band_of(columns[here])
            term = _Rows(self, multiplier, (into, own), taken, coefficient[here])
            self._terms.setdefault(into, []).append(term)

    def add_entries(self, matrix: Any) -> None:
        """Add a sparse matrix, entry by entry."""
        self._parts.append(_Entries(self, matrix.tocsr()))

    def of(self, vector: Array) -> Array:
        """Return the product with the source's ``vector``."""
        if tuple(vector.shape) != (self.source.size,):
            raise EquipoiseError(
                f"Payoff product: the vector has shape {tuple(vector.shape)}, expected "
                f"({self.source.size},)."
            )
        out = self.target.empty()
        for band in self.target.bands:
            terms = self._terms.get(band)
            if terms is None:
                out[band.first : band.last] = 0.0
                continue
            products = [term.product(vector) for term in terms]
            self._add_up(
                self.device.apart(self.target.rows(band, out)),
                products,
                [term.places for term in terms],
                [term.coefficient for term in terms],
            )
        for part in self._parts:
            part.add(vector, out)
        return out

    def _added_up(
        self, out: Array, products: list[Array], places: list[Array], coefficients: list[Array]
    ) -> None:
        """Write ``sum over terms and m  coefficient[m, r] * product[place[m, r]]`` to every row r of ``out``."""
        xp, found = self.device.xp, []
        for product, place, coefficient in zip(products, places, coefficients, strict=True):
            rows = xp.reshape(product, (product.shape[0], -1))
            taken = self.device.take(rows, xp.reshape(place, (-1,)))
            taken = xp.reshape(taken, (*place.shape, -1))
            found.append(xp.sum(taken * coefficient[:, :, None], axis=0))
        out[:, :] = reduce(add, found)


class _Rows:
    """One Kronecker term: the opponent's rows that it multiplies, and which products go to which own rows.

    Rows that a leaf reaches have its product and coefficient; lists are filled up with zeros of both.
    """

    def __init__(
        self,
        gradient: _Gradient,
        multiplier: Callable[[Array], Array],
        row: tuple[Band, Ints],
        column: tuple[Band, Ints],
        coefficient: NDArray[Any],
    ) -> None:
        device, self.source = gradient.device, gradient.source
        self.take, self.matrix = device.take, multiplier
        self.band, columns = column
        taken, of = np.unique(columns, return_inverse=True)
        self.taken = device.put(taken)
        into, own = row
        lists = padded_lists(own, (into.last - into.first) // into.width, len(own)).T
        self.places = device.put(np.append(of, 0)[lists])
        self.coefficient = device.put(np.append(coefficient, 0.0)[lists])

    def product(self, vector: Array) -> Array:
        """Return the opponent's rows times the matrix."""
        return self.matrix(self.take(self.source.rows(self.band, vector), self.taken))


class _Entries:
    """A sparse matrix: for each group of the target, padded lists of source places and values."""

    def __init__(self, gradient: _Gradient, matrix: Any) -> None:
        device, target, source = gradient.device, gradient.target, gradient.source
        self.xp, self.take = device.xp, device.take
        coo = matrix.tocoo()
        row, column = target.place[coo.row], source.place[coo.col]
        self.parts = []
        for first, last in [(0, 1), *((g.first, g.last) for g in target.groups)]:
            inside = np.flatnonzero((row >= first) & (row < last))
            if len(inside):
                lists = padded_lists(row[inside] - first, last - first, len(inside))
                value = np.append(coo.data[inside], 0.0)[lists.T]
                place = np.append(column[inside], 0)[lists.T]
                self.parts.append((first, last, device.put(place.reshape(-1)), device.put(value)))

    def add(self, vector: Array, out: Array) -> None:
        """Add the product to ``out``."""
        for first, last, place, value in self.parts:
            taken = self.xp.reshape(self.take(vector, place), value.shape)
            out[first:last] = out[first:last] + self.xp.sum(taken * value, axis=0)


def _multiplier(matrix: Any, device: Device) -> Any:
    """Return the function that multiplies rows over source buckets by ``matrix``, transposed."""
    batches = _batches(matrix)
    if batches is None:
        dense = device.put(np.asarray(matrix.T.todense(), dtype=np.float64))
        return lambda rows: device.xp.matmul(rows, dense)
    return _Batched(matrix, *batches, device)


def _batches(matrix: Any) -> tuple[Ints, Ints] | None:
    """Return the component of each row and column, if products by components are worth it."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    height, width = matrix.shape
    graph = sparse.bmat([[None, matrix], [matrix.T, None]])
    count, label = connected_components(graph, directed=False)
    rows, columns = label[:height].astype(np.int64), label[height:].astype(np.int64)
    tall, wide = (np.bincount(part, minlength=count).max(initial=1) for part in (rows, columns))
    if count * tall * wide > _BATCHED_SHARE * height * width:
        return None
    return rows, columns


class _Batched:
    """A matrix in components: one small matrix product for each, padded to one size."""

    def __init__(self, matrix: Any, rows: Ints, columns: Ints, device: Device) -> None:
        count = int(max(rows.max(), columns.max())) + 1
        height, width = matrix.shape
        into, outof = padded_lists(columns, count, width), padded_lists(rows, count, height)
        self.xp, self.take = device.xp, device.take
        self.count, self.wide, self.tall = count, into.shape[1], outof.shape[1]
        at = np.empty(height, dtype=np.int64)
        of = np.empty(width, dtype=np.int64)
        for place, lists in ((at, outof), (of, into)):
            inside = lists < len(place)
            place[lists[inside]] = (np.arange(lists.size).reshape(lists.shape) % lists.shape[1])[
                inside
            ]
        coo = matrix.tocoo()
        blocks = np.zeros((count, self.wide, self.tall))
        blocks[rows[coo.row], of[coo.col], at[coo.row]] = coo.data
        self.blocks = device.put(blocks)
        # Padding reads the first bucket and meets zeros of the block.
        self.into = device.put(np.where(into < width, into, 0).reshape(-1))
        self.outof = device.put(rows * self.tall + at)

    def __call__(self, rows: Array) -> Array:
        xp, leaves = self.xp, rows.shape[0]
        spread = xp.reshape(self.take(rows, self.into, axis=1), (leaves, self.count, self.wide))
        product = xp.matmul(xp.permute_dims(spread, (1, 0, 2)), self.blocks)
        flat = xp.reshape(xp.permute_dims(product, (1, 0, 2)), (leaves, self.count * self.tall))
        return self.take(flat, self.outof, axis=1)
