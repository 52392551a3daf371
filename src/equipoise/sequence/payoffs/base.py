"""Payoffs as linear operators.

A two-player zero-sum game in sequence form is max_x min_y <x, A y>. Solvers need ``A @ y`` and
``A.T @ x``: that is the core of :class:`Payoff`, with ``<x, A y> = <A.T x, y>``. An operator says in one
method, :meth:`Payoff.write`, what each player's sequences earn against the other's plan. What else an operator can
do it says itself: solvers ask for an *ability* and never look at the class. An operator that can do
nothing but multiply works everywhere where no ability is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.sequence.payoffs.by_board import ByBoard
    from equipoise.sequence.payoffs.factored import Term
    from equipoise.sequence.payoffs.last_round import Tiled
    from equipoise.sequence.payoffs.over_runouts import Runouts

Indices = NDArray[np.uint32]


class Rows(NamedTuple):
    """A sparse matrix by rows, as kernels take it."""

    start: Indices
    column: Indices
    value: NDArray[Any]


Entries = tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]
"""Some entries of a matrix: rows, columns and values; those at one place add up."""


class Stored(NamedTuple):
    """The entries of an operator, by rows and by columns."""

    by_row: Rows
    by_column: Rows


class Payoff(ABC):
    """The payoff to player 1 as a bilinear form on the two players' realization plans.

    ``shape`` are the numbers of sequences of player 1 and player 2.
    """

    shape: tuple[int, int]

    def times(self, y: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return ``A @ y``, in ``out`` if given."""
        return self._product(1, y, out)

    def transpose_times(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return ``A.T @ x``, in ``out`` if given."""
        return self._product(0, x, out)

    def _product(self, source: int, plan: NDArray[Any], out: NDArray[Any] | None) -> NDArray[Any]:
        """Return what the other player's sequences earn (or pay) against ``plan`` of player ``source``."""
        self._require(plan, source)
        if out is None:
            out = np.empty(self.shape[1 - source], dtype=plan.dtype)
        self.write(source, plan, out)
        return out

    @abstractmethod
    def write(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Write the product with player ``source``'s ``plan`` into ``out``: by A if she is 1, by A.T if 0."""

    @property
    def stored(self) -> Stored | None:
        """Ability: the entries, where the operator holds them."""
        return None

    @property
    def tiled(self) -> Tiled | None:
        """Ability: the last round in tiles, for methods that work tile by tile."""
        return None

    @property
    def runouts(self) -> Runouts | None:
        """Ability: payoffs between real hands, for methods that work board by board."""
        return None

    @property
    def by_board(self) -> ByBoard | None:
        """Ability: payoffs between real hands, for products batched over boards."""
        return None

    @property
    def kronecker(self) -> tuple[Term, ...] | None:
        """Ability: the operator as a sum of Kronecker products, for dense products on any device."""
        return None

    @property
    def nonzeros(self) -> int:
        """Number of nonzero entries of the matrix."""
        return int(self.matrix().nnz)

    def matrix(self) -> Any:
        """Ability: return the operator as a SciPy CSR matrix."""
        raise EquipoiseError(f"{type(self).__name__} payoffs: found no way to write them out.")

    def sampled(self, proportion: float, random: np.random.Generator) -> Payoff:
        """Ability: return the operator of the game in which nature plays only a sample.

        The sample holds ``ceil(proportion * |Θ|)`` of nature's complete sequences Θ, drawn without
        repetition; their probabilities are rescaled to sum to one (Gilpin 2009, section 9.3).
        """
        raise EquipoiseError(f"{type(self).__name__} payoffs: found no deals to take a sample of.")

    def restricted(self, rows: NDArray[Any], columns: NDArray[Any]) -> Payoff:
        """Ability: return the operator on some sequences of each player, in this order."""
        from equipoise.sequence.payoffs.sparse import Sparse

        part = self.matrix().tocsr()[rows][:, columns].tocoo()
        return Sparse.from_entries(part.row, part.col, part.data, part.shape)

    def _require(self, vector: NDArray[Any], player: int) -> None:
        """Raise unless ``vector`` is as long as a plan of ``player``."""
        if vector.shape != (self.shape[player],):
            raise EquipoiseError(
                f"Payoff product: the vector has shape {vector.shape}, "
                f"expected ({self.shape[player]},)."
            )


def joined(parts: Iterable[Entries]) -> Entries:
    """Return all parts one after the other; a game may have no payoffs at all."""
    none: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    rows, columns, values = zip((none, none, np.zeros(0)), *parts, strict=True)
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(values)


def written_out(parts: Iterable[Entries], shape: tuple[int, int]) -> Any:
    """Return the SciPy CSR matrix with these entries, zeros left out."""
    from scipy import sparse

    rows, columns, values = joined(parts)
    matrix = sparse.coo_matrix((values, (rows, columns)), shape=shape).tocsr()
    matrix.eliminate_zeros()
    return matrix
