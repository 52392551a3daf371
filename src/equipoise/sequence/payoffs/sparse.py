"""Payoffs of any game tree, entry by entry, and nature's sequences behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.payoffs.base import Indices, Payoff, Rows, Stored

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Deals:
    """Nature's sequences as a tree, and the payoff entries before they were added up.

    Node ``t`` of the tree is what nature has done on the way to a leaf of the game; its parent
    ``parent[t] < t`` is one move less. ``probability`` is nature's own for complete sequences (the
    leaves of this tree), zero for the others. A game may end early, so an entry can belong to any
    node.
    """

    parent: NDArray[np.int64]
    probability: Floats
    rows: Indices
    columns: Indices
    values: Floats
    node: Indices

    def sample(self, proportion: float, random: np.random.Generator) -> Floats:
        """Draw complete sequences and return the factor by which each node's entries change.

        A node keeps the share of its probability that the sample holds, relative to the share that
        the whole sample holds: then the sampled probabilities sum to one everywhere.
        """
        complete = np.flatnonzero(self.probability > 0)
        count = int(np.ceil(proportion * len(complete)))
        chosen = np.zeros(len(self.parent))
        drawn = random.choice(complete, size=count, replace=False)
        chosen[drawn] = self.probability[drawn]
        total = self.probability.copy()
        for t in range(len(self.parent) - 1, 0, -1):
            chosen[self.parent[t]] += chosen[t]
            total[self.parent[t]] += total[t]
        factor: Floats = (chosen / total) / (chosen[0] / total[0])
        return factor


@dataclass(frozen=True, eq=False)
class Sparse(Payoff):
    """Payoffs of any game tree, stored by rows and by columns; ``deals`` is for sampling."""

    by_row: Rows
    by_column: Rows
    shape: tuple[int, int]
    deals: Deals | None = None

    @classmethod
    def from_entries(
        cls,
        rows: NDArray[Any],
        columns: NDArray[Any],
        values: NDArray[Any],
        shape: tuple[int, int],
        deals: Deals | None = None,
    ) -> Sparse:
        """Build from coordinates; entries at one place are added up."""
        from scipy import sparse

        matrix = sparse.coo_matrix((values, (rows, columns)), shape=shape).tocsr()
        matrix.eliminate_zeros()
        return cls(_rows(matrix), _rows(matrix.T.tocsr()), shape, deals)

    def __repr__(self) -> str:
        return f"<Sparse {self.shape[0]:,} x {self.shape[1]:,}: {self.nonzeros:,} nonzeros>"

    @property
    def stored(self) -> Stored:
        """The entries."""
        return Stored(self.by_row, self.by_column)

    @property
    def nonzeros(self) -> int:
        """Number of nonzero entries."""
        return len(self.by_row.column)

    def write(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Write the product into ``out``."""
        from equipoise.sequence.backends.products import multiply

        multiply(self.by_row if source == 1 else self.by_column, plan, out)

    def matrix(self) -> Any:
        """Return the matrix in SciPy's CSR form."""
        from scipy import sparse

        start, column, value = self.by_row
        return sparse.csr_matrix(
            (value, column.astype(np.int64), start.astype(np.int64)), self.shape
        )

    def restricted(self, rows: NDArray[Any], columns: NDArray[Any]) -> Sparse:
        """Return the operator on some sequences of each player; no others are looked at."""
        place = np.full(self.shape[1], -1, dtype=np.int64)
        place[columns] = np.arange(len(columns))
        start = self.by_row.start.astype(np.int64)
        counts = (start[1:] - start[:-1])[rows]
        row = np.repeat(np.arange(len(rows)), counts)
        entry = np.arange(len(row)) + np.repeat(
            start[:-1][rows] - (np.cumsum(counts) - counts), counts
        )
        column = place[self.by_row.column[entry]]
        kept = np.flatnonzero(column >= 0)
        values = self.by_row.value[entry[kept]]
        return Sparse.from_entries(row[kept], column[kept], values, (len(rows), len(columns)))

    def sampled(self, proportion: float, random: np.random.Generator) -> Sparse:
        """Return the operator restricted to a random sample of nature's sequences."""
        if not 0 < proportion <= 1:
            raise EquipoiseError(f"Sampling: the proportion is {proportion}, expected 0 < p <= 1.")
        if self.deals is None:
            raise EquipoiseError("Sampling: found a game without chance moves, expected some.")
        deals = self.deals
        factor = deals.sample(proportion, random)[deals.node]
        keep = factor > 0
        values = deals.values[keep] * factor[keep]
        return Sparse.from_entries(deals.rows[keep], deals.columns[keep], values, self.shape)


def _rows(matrix: Any) -> Rows:
    matrix.sort_indices()
    return Rows(
        matrix.indptr.astype(np.uint32),
        matrix.indices.astype(np.uint32),
        np.ascontiguousarray(matrix.data, dtype=np.float64),
    )
