"""Payoffs between real hands over all runouts of a board.

A leaf of the betting tree that ends the game on a street pays, on each board b of that street and to hands
h and k that share no card,

    w1[h] w2[k] f[b] (base + scale sign(strength[h] - strength[k])),

with w the weights of the hands and f the share of the deals that board b stands for. On the last street all
leaves of a board are one sweep over the sorted hands (:mod:`.board_sums`); on earlier streets hands have
no strength yet, and leaves where all chips are in pay by *equities*: a matrix for each board, the signs summed
over what may follow.

A board's sequences stand together, slot by slot (a slot is an action of the player on that street), bucket by
bucket. Where a part of the pots is taken, payments do not cancel: then ``times`` is what player 1 is
paid, ``transpose_times`` what player 2 loses, and the two are no longer adjoint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.numerics.threads import spread
from equipoise.sequence.payoffs.base import Payoff
from equipoise.sequence.payoffs.hand_rows import BoardHalf, HandRows, LeafColumns, scratch

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


class StreetLeaves(NamedTuple):
    """Leaves that end the game on a street: both players' slots, what each is paid, and the scale."""

    slots: tuple[Numbers, Numbers]
    base: tuple[Floats, Floats]
    scale: Floats


class BoardPairs(NamedTuple):
    """All pairs of hands on a board: both players' cards and buckets, and two matrices."""

    cards: tuple[Numbers, Numbers]
    buckets: tuple[Numbers, Numbers]
    met: Floats
    wins: Floats


@dataclass(frozen=True, eq=False)
class StreetPayoff:
    """What is paid on the boards of one street.

    Attributes
    ----------
    rows
        The live hands of both players on every board.
    widths, starts, slots
        For each player, the buckets of each board, its first sequence, and the slots of the street.
    factor
        The share of the deals that each board stands for.
    leaves
        Leaves that hands decide on a whole board, or nothing does.
    all_in, sum_equities
        Leaves that equities decide, and what adds the equities of each board up.
    cards
        The size of the deck.
    """

    rows: tuple[HandRows, HandRows]
    widths: tuple[Numbers, Numbers]
    starts: tuple[Numbers, Numbers]
    slots: tuple[int, int]
    factor: Floats
    leaves: StreetLeaves
    all_in: StreetLeaves
    sum_equities: Callable[[], Iterable[Floats]]
    cards: int

    @property
    def boards(self) -> int:
        """Number of boards."""
        return len(self.factor)

    @cached_property
    def _halves(self) -> dict[tuple[int, str], BoardHalf]:
        return {}

    def half(self, source: int, dtype: Any) -> BoardHalf:
        """Return what ``source`` gives the other player, in numbers of ``dtype``."""
        key = source, np.dtype(dtype).str
        if key not in self._halves:
            target = 1 - source
            self._halves[key] = BoardHalf(
                _typed(self.rows[source], dtype),
                _typed(self.rows[target], dtype),
                _columns(self.leaves, source, dtype),
                self._places(source),
                self._places(target),
                self.factor.astype(dtype),
            )
        return self._halves[key]

    def pairs(self, board: int) -> BoardPairs:
        """Return what pairs of hands count for on a board, and what the first wins of one chip, written out."""
        one, two = (_Hands.of(rows, board) for rows in self.rows)
        shared = (one.cards[:, None, :, None] == two.cards[None, :, None, :]).any(axis=(2, 3))
        met = np.where(shared, 0.0, np.outer(one.weight, two.weight)) * self.factor[board]
        wins = met * np.sign(one.group[:, None] - two.group[None, :])
        return BoardPairs((one.cards, two.cards), (one.bucket, two.bucket), met, wins)

    def _places(self, player: int) -> NDArray[np.uint32]:
        """Return for each board the first sequence of a player, and her buckets."""
        return np.stack([self.starts[player], self.widths[player]], axis=1).astype(np.uint32)

    def scratch(self, source: int, dtype: Any) -> tuple[NDArray[Any], ...]:
        """Return room for one lane."""
        return scratch(self.half(source, dtype), self.cards, dtype)

    def add(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Add to ``out`` what the target is paid against the plan of ``source``."""

        def work(lane: int, low: int, high: int) -> None:
            self.add_boards(source, low, high, plan, out)

        self.half(source, plan.dtype)  # made once, before lanes begin
        spread(self.boards, work)
        self._add_all_in(source, plan, out)

    def add_boards(
        self, source: int, low: int, high: int, plan: NDArray[Any], out: NDArray[Any],
        begins: tuple[int, int] = (0, 0),
    ) -> None:  # fmt: skip
        """Add what the boards ``low .. high`` pay, but for leaves that equities decide.

        The plan begins at the source's sequence ``begins[source]``, ``out`` at the target's.
        """
        from equipoise.sequence.payoffs.board_sums import board_products

        half, room = self.half(source, plan.dtype), self.scratch(source, plan.dtype)
        begin, to = np.uint64(begins[source]), np.uint64(begins[1 - source])
        board_products(half, np.uint64(low), np.uint64(high), plan, begin, out, to, room)

    def _add_all_in(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Pay the leaves that equities decide, board by board."""
        own, other = self.all_in.slots[source], self.all_in.slots[1 - source]
        if not len(own):
            return
        scale = self.all_in.scale.astype(plan.dtype)[:, None]
        for b, equity in enumerate(self.equities(plan.dtype)):
            reach = self.at(source, b, plan)[own]
            won = reach @ (-equity if source == 0 else equity.T)
            np.add.at(self.at(1 - source, b, out), other, scale * won)

    @cached_property
    def _typed_equities(self) -> dict[str, list[NDArray[Any]]]:
        return {}

    def equities(self, dtype: Any) -> list[NDArray[Any]]:
        """For each board, a matrix of what buckets win less what they lose, over all that may follow.

        Only what is asked for is kept: in double precision they take 14 MB of a flop.
        """
        key = np.dtype(dtype).str
        if key not in self._typed_equities:
            own = [equity.astype(dtype, copy=False) for equity in self.sum_equities()]
            self._typed_equities[key] = own
        return self._typed_equities[key]

    def at(self, player: int, board: int, vector: NDArray[Any], begin: int = 0) -> NDArray[Any]:
        """Return the part of a player's vector that is on a board: a row a slot, a column a bucket.

        The vector begins at her sequence ``begin``.
        """
        start, width = int(self.starts[player][board]) - begin, int(self.widths[player][board])
        slots = self.slots[player]
        return vector[start : start + slots * width].reshape(slots, width)


def _typed(rows: HandRows, dtype: Any) -> HandRows:
    return rows._replace(weight=rows.weight.astype(dtype))


def _columns(leaves: StreetLeaves, source: int, dtype: Any) -> LeafColumns:
    """Order the source's slots: with a showdown alone, with both kinds of payment, with none shown."""
    own, other = leaves.slots[source], leaves.slots[1 - source]
    base = leaves.base[1 - source]
    is_shown, is_paid = leaves.scale != 0, base != 0
    shown, paid = set(own[is_shown].tolist()), set(own[is_paid].tolist())
    order = [*sorted(shown - paid), *sorted(shown & paid), *sorted(paid - shown)]
    column = {slot: j for j, slot in enumerate(order)}
    by_column = sorted(np.flatnonzero(is_shown).tolist(), key=lambda leaf: column[int(own[leaf])])
    return LeafColumns(
        slot=np.array(order, dtype=np.uint32),
        shown=np.uint32(len(shown)),
        met=np.uint32(len(shown - paid)),
        shown_slot=other[by_column].astype(np.uint32),
        scale=leaves.scale[by_column].astype(dtype),
        paid=np.array([column[slot] for slot in own[is_paid].tolist()], dtype=np.uint32),
        paid_slot=other[is_paid].astype(np.uint32),
        base=base[is_paid].astype(dtype),
    )


class Fixed(NamedTuple):
    """Sequences of a player that are not hers to choose, and the behaviour there."""

    places: Numbers
    shares: Floats

    def vector(self, size: int, dtype: Any) -> NDArray[Any]:
        """Return the behaviour as a vector of ``size`` sequences, -1 where the player is free."""
        vector = np.full(size, -1, dtype=dtype)
        vector[self.places] = self.shares
        return vector


class Entrance(NamedTuple):
    """What ``player`` is paid with the sequences 1, 2, ... by which she enters the first street or does not.

    It is the other player who pays, whatever the cards.
    """

    player: int
    amounts: Floats

    def add(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Add to ``out`` what the target is paid against the plan of ``source``."""
        own, amounts = slice(1, 1 + len(self.amounts)), self.amounts.astype(plan.dtype)
        if source == self.player:
            out[0] -= amounts @ plan[own]
        else:
            out[own] += amounts * plan[0]


@dataclass(frozen=True, eq=False)
class Runouts(Payoff):
    """The payoff of the module's docstring, street by street.

    ``fixed`` is what players may not choose, ``entry`` what is paid before the first street.
    """

    shape: tuple[int, int]
    streets: Sequence[StreetPayoff]
    is_raked: bool = False
    fixed: tuple[Fixed | None, Fixed | None] = (None, None)
    entry: Entrance | None = None

    def write(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Write what player 1 is paid, or player 2 loses, into ``out``."""
        out[:] = 0
        self.add_trunk(source, plan, out)
        self.last.add(source, plan, out)
        if source == 0:
            np.negative(out, out)

    @property
    def runouts(self) -> Runouts | None:
        """Itself, for methods that work board by board."""
        return self

    @property
    def last(self) -> StreetPayoff:
        """The last street, on whose boards all cards are out."""
        return self.streets[-1]

    @property
    def trunk(self) -> tuple[int, int]:
        """For each player, the number of sequences before the last street."""
        return int(self.last.starts[0][0]), int(self.last.starts[1][0])

    def add_trunk(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Add what the target is paid before the last street."""
        if self.entry is not None:
            self.entry.add(source, plan, out)
        for street in self.streets[:-1]:
            street.add(source, plan, out)

    def matrix(self) -> Any:
        """Return the operator as a SciPy CSR matrix: for small spots, and those nobody takes a part of."""
        from scipy import sparse

        rows, columns, values = [], [], []
        for street in self.streets:
            for b in range(street.boards):
                for row, column, value in _entries(street, b):
                    rows.append(row)
                    columns.append(column)
                    values.append(value)
        if self.entry is not None:
            places = np.arange(1, 1 + len(self.entry.amounts)), np.zeros(len(self.entry.amounts))
            sign = 1 if self.entry.player == 0 else -1
            rows.append(places[self.entry.player])
            columns.append(places[1 - self.entry.player])
            values.append(sign * self.entry.amounts)
        entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
        matrix = sparse.coo_matrix(entries, shape=self.shape).tocsr()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return matrix


def _entries(street: StreetPayoff, b: int) -> Any:
    """Yield rows, columns and values of the leaves on board ``b``, every pair of hands written out."""
    pairs = street.pairs(b)
    for leaf, scale in enumerate(street.leaves.scale.tolist()):
        places = _places(street, b, street.leaves, leaf, pairs.buckets)
        yield (*places, (street.leaves.base[0][leaf] * pairs.met + scale * pairs.wins).ravel())
    every = np.arange(street.widths[0][b]), np.arange(street.widths[1][b])
    for leaf, scale in enumerate(street.all_in.scale.tolist()):
        places = _places(street, b, street.all_in, leaf, every)
        yield (*places, (scale * street.equities(np.float64)[b]).ravel())


def _places(
    street: StreetPayoff, b: int, leaves: StreetLeaves, leaf: int, buckets: Sequence[Numbers]
) -> Any:
    """Return the sequences of both players at a leaf, for all pairs of some buckets."""
    own = [
        int(street.starts[i][b])
        + int(leaves.slots[i][leaf]) * int(street.widths[i][b])
        + buckets[i]
        for i in (0, 1)
    ]
    return [grid.ravel() for grid in np.meshgrid(*own, indexing="ij")]


class _Hands(NamedTuple):
    """The live hands of one player on one board: cards, weights, buckets, and groups of strength."""

    cards: Numbers
    weight: Floats
    bucket: Numbers
    group: Numbers

    @classmethod
    def of(cls, rows: HandRows, b: int) -> _Hands:
        part = slice(int(rows.start[b]), int(rows.start[b + 1]))
        bounds = rows.bounds[int(rows.first[b]) : int(rows.first[b + 1])].astype(np.int64)
        sizes = bounds[1:] - bounds[:-1]
        return cls(
            np.stack([rows.low[part], rows.high[part]], axis=1).astype(np.int64),
            rows.weight[part],
            rows.bucket[part].astype(np.int64),
            np.repeat(np.arange(len(sizes)), sizes),
        )
