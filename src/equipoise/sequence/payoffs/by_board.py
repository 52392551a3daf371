"""Payoffs over runouts with all boards of a street side by side, for products batched over boards.

A leaf pays ``coefficient * K[b]`` between the buckets of both players on each board b of its street, with one
of three matrices for each board: *met*, the weight of all deals with two buckets; *won*, the same with the
signs of showdowns; and, where all chips are in before the last street, the equities: ``won`` summed over the
boards to come. A product is then batched over boards, both ways with the same matrices: a showdown need not
be a sweep over sorted hands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.sequence.payoffs.base import Payoff
from equipoise.sequence.payoffs.over_runouts import Runouts

Numbers = NDArray[np.int64]

MET, WON = "met", "won"


class BoardTerm(NamedTuple):
    """Leaves of one street with one kind of matrix.

    ``row`` and ``column`` are the first sequences of both players' rows, ``paid`` what each is paid: to player 1,
    and what player 2 loses.
    """

    street: int
    matrix: str
    row: Numbers
    column: Numbers
    paid: tuple[NDArray[np.float64], NDArray[np.float64]]


class PaddedHands(NamedTuple):
    """The hands of one player on some boards, a row a board: cards, weights, buckets, and strengths.

    Places that are left over have no weight.
    """

    low: Numbers
    high: Numbers
    weight: NDArray[np.float64]
    bucket: Numbers
    strength: Numbers


@dataclass(frozen=True, eq=False)
class ByBoard(Payoff):
    """The payoff of the module's docstring.

    Attributes
    ----------
    shape, inner
        The numbers of sequences, and the same payoffs board after board.
    places
        Given a player, returns the place here of every sequence of ``inner``.
    starts, rooms
        For each street and player, the first sequence, and the buckets that every board has room for.
    parents, links
        For each street, the board above of each board; and for each player, the bucket above of each bucket.
    """

    shape: tuple[int, int]
    inner: Runouts
    places: Callable[[int], Numbers]
    starts: tuple[tuple[int, int], ...]
    rooms: tuple[tuple[int, int], ...]
    parents: tuple[Numbers, ...]
    links: tuple[tuple[Numbers, Numbers], ...]

    def write(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Write the product of the payoffs board after board, put in its places."""
        product = np.empty(self.inner.shape[1 - source], dtype=plan.dtype)
        self.inner.write(source, plan[self.places(source)], product)
        out[:] = 0
        out[self.places(1 - source)] = product

    def __repr__(self) -> str:
        return f"<ByBoard {self.shape[0]:,} x {self.shape[1]:,}: {len(self.rooms)} streets>"

    def matrix(self) -> Any:
        """Return the operator as a SciPy CSR matrix, for small spots."""
        from scipy import sparse

        inner = self.inner.matrix().tocoo()
        place = self.places(0)[inner.row], self.places(1)[inner.col]
        return sparse.csr_matrix((inner.data, place), shape=self.shape)

    @property
    def by_board(self) -> ByBoard:
        """Itself, for products batched over boards."""
        return self

    def terms(self) -> Iterator[BoardTerm]:
        """Yield the leaves of all streets."""
        for street, own in enumerate(self.inner.streets):
            for leaves, is_early in ((own.leaves, False), (own.all_in, True)):
                row, column = (
                    self.starts[street][i] + leaves.slots[i] * own.boards * self.rooms[street][i]
                    for i in (0, 1)
                )
                base = leaves.base[0], -leaves.base[1]
                for matrix, paid in ((MET, base), (WON, (leaves.scale, leaves.scale))):
                    used = (paid[0] != 0) | (paid[1] != 0)
                    if used.any() and not (is_early and matrix == MET):
                        both = (paid[0][used], paid[1][used])
                        yield BoardTerm(street, matrix, row[used], column[used], both)

    def padded(self, street: int, player: int, low: int, high: int) -> PaddedHands:
        """Return the hands of ``player`` on the boards ``low .. high`` of a street."""
        rows = self.inner.streets[street].rows[player]
        start = rows.start[low : high + 1].astype(np.int64)
        count = np.diff(start)
        most = int(count.max(initial=1))
        inside = np.arange(most) < count[:, None]
        part = slice(int(start[0]), int(start[-1]))

        def spread(values: NDArray[Any], dtype: Any, fill: int) -> NDArray[Any]:
            table = np.full((high - low, most), fill, dtype=dtype)
            table[inside] = values
            return table

        strengths = []
        for b in range(low, high):
            bounds = rows.bounds[int(rows.first[b]) : int(rows.first[b + 1])].astype(np.int64)
            strengths.append(np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)))
        return PaddedHands(
            spread(rows.low[part], np.int64, 0),
            spread(rows.high[part], np.int64, 0),
            spread(rows.weight[part], np.float64, 0),
            spread(rows.bucket[part], np.int64, 0),
            spread(np.concatenate(strengths), np.int64, 0),
        )
