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
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from equipoise.cards.deck import STANDARD, Cards, Deck
from equipoise.errors import EquipoiseError

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
        wrong = _index(
            hands, self._round_of, self._weights, ranks, tables, _BINOMIAL, _ONES, result
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
        _unindex(numbers, configuration, ranks, self._first, tables, _BINOMIAL, hands, orbits)
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


@njit(cache=True)
def _multisets(values: Any, size: Any) -> Any:
    """C(values + size - 1, size) for a size of 1 to 4: multisets drawn from ``values`` values."""
    if size == 1:
        return values
    if size == 2:
        return values * (values + 1) // 2
    if size == 3:
        return values * (values + 1) * (values + 2) // 6
    return values * (values + 1) * (values + 2) * (values + 3) // 24


@njit(cache=True)
def _index(
    hands: Any,
    round_of: Any,
    weights: Any,
    ranks: Any,
    tables: Any,
    binomial: Any,
    ones: Any,
    result: Any,
) -> Any:
    """Fill ``result``; return the first hand that holds a card twice, or -1."""
    cards, suits = hands.shape[1], weights.shape[1]
    used = np.zeros(suits, dtype=np.uint32)  # ranks seen in earlier rounds, as masks
    now = np.zeros(suits, dtype=np.uint32)  # ranks seen in this round
    position = np.zeros(suits, dtype=np.int64)  # the suit indices
    radix = np.zeros(suits, dtype=np.int64)
    by_shape = np.zeros(suits, dtype=np.int64)
    for h in range(hands.shape[0]):
        used[:] = 0
        position[:] = 0
        radix[:] = 1
        code = 0
        first = 0
        while first < cards:
            now[:] = 0
            last = first
            while last < cards and round_of[last] == round_of[first]:
                card = np.uint32(hands[h, last])
                rank, suit = card // np.uint32(suits), card % np.uint32(suits)
                bit = np.uint32(1) << rank
                if (used[suit] | now[suit]) & bit:
                    return h
                now[suit] |= bit
                code += weights[round_of[first], suit]
                last += 1
            for s in range(suits):
                if now[s]:
                    position[s] += radix[s] * _subset_number(now[s], used[s], binomial, ones)
                    radix[s] *= binomial[ranks - ones[used[s]], ones[now[s]]]
                    used[s] |= now[s]
            first = last
        for p in range(suits):
            by_shape[p] = position[tables.order[code, p]]
        k = tables.configuration[code]
        result[h] = tables.start[k] + _combine(by_shape, tables.span[k], tables.group[k])
    return -1


@njit(cache=True)
def _subset_number(members: Any, used: Any, binomial: Any, ones: Any) -> Any:
    """Colexicographic number of the set ``members`` among the ranks not ``used``."""
    number, rest = 0, members
    while rest:
        below = (rest & (~rest + np.uint32(1))) - np.uint32(1)
        number += binomial[ones[below & ~used], ones[below & members] + 1]
        rest &= rest - np.uint32(1)
    return number


@njit(cache=True)
def _combine(position: Any, span: Any, group: Any) -> Any:
    """Number of a hand within its configuration: its groups' multisets in mixed radix.

    Sorts ``position``, the suit indices in order of shape, downwards within each group.
    """
    total, radix = 0, 1
    for p in range(len(group)):
        size = group[p]
        if size == 0:
            continue
        for last in range(p + 1, p + size):
            for i in range(last, p, -1):
                if position[i] > position[i - 1]:
                    position[i], position[i - 1] = position[i - 1], position[i]
        for i in range(size):
            total += radix * _multisets(position[p + i], size - i)
        radix *= _multisets(span[p], size)
    return total


@njit(cache=True)
def _unindex(
    numbers: Any,
    configuration: Any,
    ranks: Any,
    first: Any,
    tables: Any,
    binomial: Any,
    hands: Any,
    orbits: Any,
) -> Any:
    """Invert :func:`_index` given each hand's configuration; ``numbers`` count from its start."""
    shape = tables.shape
    suits, rounds = shape.shape[1], shape.shape[2]
    position = np.zeros(suits, dtype=np.int64)
    free = np.zeros(ranks, dtype=np.int64)  # ranks not used by earlier rounds, ascending
    cursor = np.zeros(rounds, dtype=np.int64)  # where the round's next card goes
    for h in range(len(numbers)):
        k = configuration[h]
        orbits[h] = _split(numbers[h], tables.span[k], tables.group[k], position)
        for i in range(rounds):
            cursor[i] = first[i]
        for suit in range(suits):
            for rank in range(ranks):
                free[rank] = rank
            left = ranks
            for i in range(rounds):
                count = shape[k, suit, i]
                position[suit], number = divmod(position[suit], binomial[left, count])
                place = left
                for size in range(count, 0, -1):
                    place -= 1
                    while binomial[place, size] > number:
                        place -= 1
                    number -= binomial[place, size]
                    hands[h, cursor[i]] = free[place] * suits + suit
                    cursor[i] += 1
                    left -= 1
                    for j in range(place, left):
                        free[j] = free[j + 1]


@njit(cache=True)
def _split(number: Any, span: Any, group: Any, position: Any) -> Any:
    """Invert :func:`_combine` into ``position``; return how many hands the suits' renamings give.

    That is the multinomial of the suits over runs of equal shape and equal suit index.
    """
    renamings, run, rest = 1, 0, 0
    for p in range(len(group)):
        if group[p]:
            size = group[p]
            number, rest = divmod(number, _multisets(span[p], size))
        position[p] = _largest(rest, size, span[p])
        rest -= _multisets(position[p], size)
        size -= 1
        run = run + 1 if group[p] == 0 and position[p] == position[p - 1] else 1
        renamings = renamings * (p + 1) // run
    return renamings


@njit(cache=True)
def _largest(number: Any, size: Any, span: Any) -> Any:
    """Return the largest value below ``span`` with at most ``number`` multisets of ``size``."""
    if size == 1:
        return number
    low, high = 0, span
    while high - low > 1:
        middle = (low + high) // 2
        if _multisets(middle, size) <= number:
            low = middle
        else:
            high = middle
    return low
