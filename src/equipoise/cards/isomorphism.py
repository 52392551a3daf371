"""Hands up to a renaming of suits, numbered without gaps.

After Waugh, "A fast and optimal hand isomorphism algorithm" (2013). Cards come in rounds; within a
round their order does not matter, between rounds it does. Two hands are isomorphic when a
permutation of the suits turns one into the other.

Look at one suit at a time. Its *shape* says how many of its cards came in each round. Given the
shape, the *suit index* numbers which ranks they were: round by round, the colexicographic number of
the set among the ranks still left in the suit, as digits of a mixed radix. The suits' shapes,
sorted, are the hand's *configuration*. Suits of one shape are interchangeable, so ``m`` of them,
with ``N`` suit indices each, are a multiset, one of C(N + m - 1, m). A hand's index is the start of
its configuration plus the numbers of these multisets in mixed radix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, product
from math import comb, prod
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from equipoise.cards.deck import STANDARD, Cards, Deck
from equipoise.errors import EquipoiseError, require_type
from equipoise.numerics.kernels import EXACT, EXACT_INNER

Index = NDArray[np.int64]

_MAX_RANKS = 16
_MAX_SUITS = 4
_MAX_CODES = 1 << 24  # entries allowed in the table from suit counts to configurations


class _Round(NamedTuple):
    """Tables of one round.

    A hand whose cards' weights sum to ``code`` has configuration ``configuration[code]``, and
    ``order[code]`` sorts its suits by shape. Configuration ``k`` owns the indices from ``start[k]``
    up to ``start[k + 1]``. At its position ``p`` stands a suit of shape ``shape[k, p]`` (cards per
    round) with ``span[k, p]`` suit indices; ``group[k, p]`` suits of that shape start there (0 if
    the group started before).
    """

    configuration: NDArray[np.int32]
    order: NDArray[np.uint8]
    start: Index
    shape: Index
    span: Index
    group: Index

    @property
    def size(self) -> int:
        return int(self.start[-1])


class HandIndexer:
    """Numbers the hands of each round, 0 to ``size(round) - 1``, one number per isomorphism class.

    ``cards_per_round=(2, 3, 1, 1)`` is a hold'em hand with its flop, turn and river in this order;
    ``(2, 5)`` the same with the board as a set; ``(3,)`` a flop alone. Rounds count from 0, and a
    hand of round ``r`` is the cards of rounds 0 to ``r`` in order.

    >>> indexer = HandIndexer((2, 3, 1, 1))
    >>> indexer.size(0), indexer.size(1)
    (169, 1286792)
    """

    def __init__(self, cards_per_round: Sequence[int], deck: Deck = STANDARD) -> None:
        self.deck = deck
        for count in cards_per_round:
            require_type("HandIndexer cards_per_round", count, Integral, "whole numbers")
        self.cards_per_round = tuple(int(count) for count in cards_per_round)
        self._validate()
        suits = len(deck.suits)
        self._weights = _weights(self.cards_per_round, suits)
        self._first = np.cumsum(self.cards_per_round) - self.cards_per_round
        self._round_of = np.repeat(np.arange(len(self.cards_per_round)), self.cards_per_round)
        self._rounds = [
            _build_round(self.cards_per_round[: last + 1], len(deck.ranks), self._weights)
            for last in range(len(self.cards_per_round))
        ]

    def _validate(self) -> None:
        """Refuse what the tables cannot hold."""
        counts, deck = self.cards_per_round, self.deck
        if not counts or min(counts) < 1 or sum(counts) > deck.size:
            raise EquipoiseError(
                f"HandIndexer cards_per_round: found {counts}, expected positive numbers "
                f"that sum to at most {deck.size} cards."
            )
        if len(deck.ranks) > _MAX_RANKS or len(deck.suits) > _MAX_SUITS:
            raise EquipoiseError(
                f"HandIndexer deck: found {len(deck.ranks)} ranks and {len(deck.suits)} suits, "
                f"expected at most {_MAX_RANKS} and {_MAX_SUITS}."
            )
        codes = prod((count + 1) ** (len(deck.suits) - 1) for count in counts)
        hands = prod(comb(deck.size - sum(counts[:i]), n) for i, n in enumerate(counts))
        if codes > _MAX_CODES or hands >= 1 << 62:
            raise EquipoiseError(
                f"HandIndexer cards_per_round: found {counts} from {deck.size} cards, "
                "expected fewer cards or rounds (the tables would not fit)."
            )

    def cards(self, round: int) -> int:
        """Return the number of cards of a hand in ``round``."""
        return sum(self.cards_per_round[: self._check(round) + 1])

    def size(self, round: int) -> int:
        """Return the number of isomorphism classes in ``round``."""
        return self._rounds[self._check(round)].size

    def index(self, round: int, cards: ArrayLike) -> Index:
        """Return the index of each hand; a hand is a row along the last axis of ``cards``."""
        tables, found = self._rounds[self._check(round)], self.deck.check(cards)
        if found.ndim == 0 or found.shape[-1] != self.cards(round):
            raise EquipoiseError(
                f"Hands of round {round}: found shape {found.shape}, "
                f"expected (..., {self.cards(round)})."
            )
        hands = np.ascontiguousarray(found.reshape(-1, found.shape[-1]))
        result = np.empty(len(hands), dtype=np.int64)
        ranks = len(self.deck.ranks)
        scratch = np.empty((4, len(self.deck.suits)), dtype=np.int64)
        wrong = _index(
            hands, self._round_of, self._weights, ranks, tables, _BINOMIAL, _ONES, scratch, result
        )
        if wrong >= 0:
            raise EquipoiseError(
                f"Hand {wrong} ({self.deck.text(hands[wrong])}): found a card twice, "
                "expected distinct cards."
            )
        return result.reshape(found.shape[:-1])

    def unindex(self, round: int, index: ArrayLike) -> Cards:
        """Return a hand of each class: the cards of its rounds in order, along a new last axis."""
        return self._unindex(round, index)[0]

    def orbit(self, round: int, index: ArrayLike) -> Index:
        """Return how many hands each class has, over all renamings of suits."""
        return self._unindex(round, index)[1]

    def canonical(self, round: int, cards: ArrayLike) -> Cards:
        """Return the representative, the same for all hands of a class, of each hand."""
        return self.unindex(round, self.index(round, cards))

    def _unindex(self, round: int, index: ArrayLike) -> tuple[Cards, Index]:
        tables, found = self._rounds[self._check(round)], np.asarray(index)
        if found.size and found.dtype.kind not in "iu":
            place = f"Hand indices of round {round}"
            raise EquipoiseError(f"{place}: found {found.dtype} values, expected integers.")
        if found.size and (found.min() < 0 or found.max() >= tables.size):
            raise EquipoiseError(
                f"Hand indices of round {round}: found {found.min()} to {found.max()}, "
                f"expected 0 to {tables.size - 1}."
            )
        indices = found.astype(np.int64).ravel()
        configuration = np.searchsorted(tables.start, indices, side="right") - 1
        hands = np.empty((len(indices), self.cards(round)), dtype=np.uint8)
        orbits = np.empty(len(indices), dtype=np.int64)
        numbers, ranks = indices - tables.start[configuration], len(self.deck.ranks)
        scratch = np.empty((2, max(ranks, len(self.cards_per_round))), dtype=np.int64)
        _unindex(
            numbers, configuration, ranks, self._first, tables, _BINOMIAL, scratch, hands, orbits
        )
        return hands.reshape(*found.shape, -1), orbits.reshape(found.shape)

    def _check(self, round: int) -> int:
        if not 0 <= round < len(self.cards_per_round):
            raise EquipoiseError(
                f"HandIndexer round: found {round}, expected 0 to {len(self.cards_per_round) - 1}."
            )
        return round


def _weights(cards_per_round: Sequence[int], suits: int) -> Index:
    """Weight of a card of each round and suit in the code of the hand's suit counts.

    The counts of a round are digits in base ``cards + 1``; the last suit's follows from the rest,
    and weighs nothing. Codes of a prefix of rounds are prefixes of the number.
    """
    weights = np.zeros((len(cards_per_round), suits), dtype=np.int64)
    unit = 1
    for i, cards in enumerate(cards_per_round):
        weights[i, :-1] = unit * (cards + 1) ** np.arange(suits - 1)
        unit *= (cards + 1) ** (suits - 1)
    return weights


def _build_round(cards_per_round: Sequence[int], ranks: int, weights: Index) -> _Round:
    """Enumerate the ways to spread the rounds' cards over the suits, and number the sorted ones."""
    suits = weights.shape[1]
    spreads = [list(_compositions(cards, suits)) for cards in cards_per_round]
    codes = prod((cards + 1) ** (suits - 1) for cards in cards_per_round)
    configuration = np.full(codes, -1, dtype=np.int32)
    order = np.zeros((codes, suits), dtype=np.uint8)
    found: dict[tuple[tuple[int, ...], ...], int] = {}
    for spread in product(*spreads):
        shapes = tuple(zip(*spread, strict=True))
        if max(map(sum, shapes)) > ranks:
            continue
        code = sum(int(weights[i] @ counts) for i, counts in enumerate(spread))
        order[code] = sorted(range(suits), key=shapes.__getitem__, reverse=True)
        key = tuple(shapes[suit] for suit in order[code])
        configuration[code] = found.setdefault(key, len(found))
    span = [[_span(shape, ranks) for shape in key] for key in found]
    group = [_group_sizes(key) for key in found]
    sizes = [
        prod(comb(n + m - 1, m) for n, m in zip(spans, groups, strict=True))
        for spans, groups in zip(span, group, strict=True)
    ]
    return _Round(
        configuration,
        order,
        np.array([0, *accumulate(sizes)], dtype=np.int64),
        np.array(list(found), dtype=np.int64),
        np.array(span, dtype=np.int64),
        np.array(group, dtype=np.int64),
    )


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to write ``total`` as an ordered sum of ``parts`` numbers from zero up."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _span(shape: Sequence[int], ranks: int) -> int:
    """Return the number of suit indices of a shape."""
    return prod(comb(ranks - sum(shape[:i]), count) for i, count in enumerate(shape))


def _group_sizes(shapes: Sequence[tuple[int, ...]]) -> list[int]:
    """Return the length of each run of equal shapes at its first place, and zeros elsewhere."""
    runs = [len(list(run)) for _, run in groupby(shapes)]
    return [size for run in runs for size in (run, *[0] * (run - 1))]


_BINOMIAL = np.array(
    [[comb(n, k) for k in range(_MAX_RANKS + 1)] for n in range(_MAX_RANKS + 1)], dtype=np.int64
)
_ONES = np.array([mask.bit_count() for mask in range(1 << _MAX_RANKS)], dtype=np.uint8)


# Kernels are few and whole, with plain loops and scratch given from outside: calls between kernels, slices and
# allocations take longer to compile than everything else here.


@njit(**EXACT_INNER)
def _multisets(values: Any, size: Any) -> Any:
    """C(values + size - 1, size) for a size of 1 to 4: multisets drawn from ``values`` values."""
    if size == 1:
        return values
    if size == 2:
        return values * (values + 1) // 2
    if size == 3:
        return values * (values + 1) * (values + 2) // 6
    return values * (values + 1) * (values + 2) * (values + 3) // 24


@njit(**EXACT)
def _index(
    hands: Any,
    round_of: Any,
    weights: Any,
    ranks: Any,
    tables: Any,
    binomial: Any,
    ones: Any,
    scratch: Any,
    result: Any,
) -> Any:
    """Fill ``result``; return the first hand that holds a card twice, or -1.

    ``scratch`` has, for each suit: the ranks seen in earlier rounds and in this one, as masks, its suit
    index and the radix of the index's next digit.
    """
    configuration, order, start, _, span, group = tables
    used, now, position, radix = 0, 1, 2, 3
    cards, suits = hands.shape[1], weights.shape[1]
    for h in range(hands.shape[0]):
        for s in range(suits):
            scratch[used, s] = scratch[now, s] = scratch[position, s] = 0
            scratch[radix, s] = 1
        code = 0
        for c in range(cards):
            card = np.int64(hands[h, c])
            rank = card // suits
            suit = card - rank * suits
            bit = 1 << rank
            if (scratch[used, suit] | scratch[now, suit]) & bit:
                return h
            scratch[now, suit] |= bit
            code += weights[round_of[c], suit]
            if c + 1 < cards and round_of[c + 1] == round_of[c]:
                continue
            # The round is over: the colexicographic number of each suit's new ranks among those left.
            for s in range(suits):
                seen, members = scratch[used, s], scratch[now, s]
                if members == 0:
                    continue
                number, rest = 0, members
                while rest:
                    below = (rest & -rest) - 1
                    number += binomial[ones[below & ~seen], ones[below & members] + 1]
                    rest &= rest - 1
                scratch[position, s] += scratch[radix, s] * number
                scratch[radix, s] *= binomial[ranks - ones[seen], ones[members]]
                scratch[used, s] |= members
                scratch[now, s] = 0
        # Groups of suits of one shape: sorted downwards, a multiset; the multisets in mixed radix.
        k = configuration[code]
        total, unit = start[k], 1
        for p in range(suits):
            size = group[k, p]
            for last in range(p, p + size):
                i, value = last, scratch[position, order[code, last]]
                while i > p and scratch[now, i - 1] < value:
                    scratch[now, i] = scratch[now, i - 1]
                    i -= 1
                scratch[now, i] = value
            for i in range(size):
                total += unit * _multisets(scratch[now, p + i], size - i)
            if size:
                unit *= _multisets(span[k, p], size)
        result[h] = total
    return -1


@njit(**EXACT)
def _unindex(
    numbers: Any,
    configuration: Any,
    ranks: Any,
    first: Any,
    tables: Any,
    binomial: Any,
    scratch: Any,
    hands: Any,
    orbits: Any,
) -> None:
    """Invert :func:`_index` given each hand's configuration; ``numbers`` count from its start.

    A class has as many hands as there are ways to give the suits their shapes and indices: the
    multinomial of the suits over runs of equal shape and equal suit index. ``scratch`` has where the
    next card of each round goes, and the ranks that a suit's earlier rounds have left, ascending.
    """
    _, _, _, shape, span, group = tables
    cursor, free = 0, 1
    suits, rounds = shape.shape[1], shape.shape[2]
    for h in range(len(numbers)):
        k, number = configuration[h], numbers[h]
        size, rest, before, run, renamings = 0, 0, -1, 0, 1
        for i in range(rounds):
            scratch[cursor, i] = first[i]
        for suit in range(suits):
            if group[k, suit]:
                size, before = group[k, suit], -1
                count = _multisets(span[k, suit], size)
                rest = number % count
                number //= count
            # The largest suit index with at most ``rest`` multisets below it.
            low, high = (0, span[k, suit]) if size > 1 else (rest, rest)
            while high - low > 1:
                middle = (low + high) // 2
                if _multisets(middle, size) <= rest:
                    low = middle
                else:
                    high = middle
            rest -= _multisets(low, size)
            size -= 1
            run = run + 1 if low == before else 1
            renamings = renamings * (suit + 1) // run
            before = low
            # Its digits are the rounds' sets of ranks.
            for rank in range(ranks):
                scratch[free, rank] = rank
            left = ranks
            for i in range(rounds):
                count = binomial[left, shape[k, suit, i]]
                digit = low % count
                low //= count
                place = left
                for members in range(shape[k, suit, i], 0, -1):
                    place -= 1
                    while binomial[place, members] > digit:
                        place -= 1
                    digit -= binomial[place, members]
                    hands[h, scratch[cursor, i]] = scratch[free, place] * suits + suit
                    scratch[cursor, i] += 1
                    left -= 1
                    for j in range(place, left):
                        scratch[free, j] = scratch[free, j + 1]
        orbits[h] = renamings
