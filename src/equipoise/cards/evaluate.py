"""Hand ranks: larger is better, equal is a tie.

Poker hands are compared by the best ``size`` cards (three or five) out of those held. Two facts
decide a hand: the multiset of its ranks, and, if ``size`` of its cards share a suit, which ranks
that suit has. Each is a table look-up:

* The multiset is numbered without gaps by splitting the ranks into a low and a high half. Read the
  counts of a half as digits in base ``suits + 1``; that code is a sum over cards. The number is
  ``row[low code] + column[high code]``: ``row`` is where the multisets with this low half start,
  ``column`` numbers the high halves with the same count of cards.
* The ranks of a suit are a bit mask.

One 64-bit sum per hand holds both codes and the suit counts. For a standard deck the tables take
about 0.6 MB, mostly untouched, and milliseconds to fill.

Ranks are dense, 1 to :attr:`Evaluator.classes` (7462 for five cards of a standard deck), and the
same whether a hand of five is evaluated alone or as the best of seven.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.cards.deck import STANDARD, Deck
from equipoise.errors import EquipoiseError

Ranks = NDArray[np.uint16]
_Ints = NDArray[np.int64]

HIGH = 24  # where, in the 64-bit sum, the code of the high half starts
SUITS = 48  # where the suit counts start, four bits each
MASK = 16  # bits of the rank mask kept for each suit
_MAX_CARDS = 7


@dataclass(frozen=True)
class Ranking:
    """How hands of ``size`` cards compare: categories, worst first, and the patterns behind them.

    ``patterns`` names the category of each multiset of rank counts; straights and flushes are known
    by their names. Within a category hands compare by rank, most frequent ranks first.
    """

    size: int
    categories: tuple[str, ...]
    patterns: tuple[tuple[tuple[int, ...], str], ...]


THREE_CARD = Ranking(
    3,
    ("high card", "pair", "flush", "straight", "three of a kind", "straight flush"),
    (((1, 1, 1), "high card"), ((2, 1), "pair"), ((3,), "three of a kind")),
)
"""Three-card poker: Table 3.1 of Gilpin (2009), where straights beat flushes."""

FIVE_CARD = Ranking(
    5,
    (
        "high card",
        "pair",
        "two pair",
        "three of a kind",
        "straight",
        "flush",
        "full house",
        "four of a kind",
        "straight flush",
    ),
    (
        ((1, 1, 1, 1, 1), "high card"),
        ((2, 1, 1, 1), "pair"),
        ((2, 2, 1), "two pair"),
        ((3, 1, 1), "three of a kind"),
        ((3, 2), "full house"),
        ((4, 1), "four of a kind"),
    ),
)
"""Standard poker."""


class Tables(NamedTuple):
    """What a hand's rank is looked up in.

    Attributes
    ----------
    keys
        For each card, its term of the 64-bit sum, and its bit in the masks of all suits.
    row, column
        For each code of a half, its part of the number of a multiset.
    best
        For each multiset, its rank when no suit has enough cards.
    flush
        For each mask of ranks of one suit, the rank of the best flush in it; 0 if there is none.
    """

    keys: NDArray[np.uint64]
    row: NDArray[np.uint32]
    column: NDArray[np.uint32]
    best: Ranks
    flush: Ranks


class Evaluator:
    """Ranks of hands of ``cards`` cards, compared by their best ``ranking.size``.

    With ``ace_low`` the deck's highest rank also plays below its lowest in a straight (A-2-3, never
    K-A-2), and that straight is the lowest of all. By default it does if it is an ace (``A``).
    """

    def __init__(
        self, ranking: Ranking, cards: int, deck: Deck = STANDARD, *, ace_low: bool | None = None
    ) -> None:
        if not ranking.size <= cards <= _MAX_CARDS:
            raise EquipoiseError(
                f"Hand of {cards} cards: expected {ranking.size} to {_MAX_CARDS} cards."
            )
        if len(deck.ranks) > MASK or len(deck.suits) > 4 or deck.size < cards:
            raise EquipoiseError(
                f"Deck of {len(deck.ranks)} ranks and {len(deck.suits)} suits: expected at most "
                f"{MASK} ranks and 4 suits, and the {cards} cards of a hand."
            )
        self.ranking, self.cards, self.deck = ranking, cards, deck
        multisets = [_Multisets(deck, count) for count in range(ranking.size, cards + 1)]
        is_low = deck.ranks[-1] == "A" if ace_low is None else ace_low
        exact, flushes = _exact_values(ranking, multisets[0].counts, is_low)
        values = np.unique(np.concatenate([exact, flushes[flushes >= 0]]))
        self._category = values >> (4 * ranking.size)
        best = np.searchsorted(values, exact) + 1
        for smaller, larger in pairwise(multisets):
            best = _best_of_subsets(best, smaller, larger)
        flush = np.where(flushes >= 0, np.searchsorted(values, flushes) + 1, 0)
        self.tables = Tables(
            _card_keys(deck),
            multisets[-1].row,
            multisets[-1].column,
            best.astype(np.uint16),
            _best_of_submasks(flush).astype(np.uint16),
        )

    @property
    def start(self) -> np.uint64:
        """Where the 64-bit sum starts: so many cards of a suit as count set the top bit of its number."""
        size = self.ranking.size
        return np.uint64(sum((8 - size) << (SUITS + 4 * suit) for suit in range(4)))

    @property
    def classes(self) -> int:
        """Number of distinct ranks; ranks run from 1 to this."""
        return len(self._category)

    def __call__(self, cards: ArrayLike) -> Ranks:
        """Return the rank of each hand; a hand is a row along the last axis of ``cards``."""
        found = self.deck.check(cards)
        if found.ndim == 0 or found.shape[-1] != self.cards:
            raise EquipoiseError(f"Hands: found shape {found.shape}, expected (..., {self.cards}).")
        hands = np.ascontiguousarray(found.reshape(-1, self.cards))
        ranks = np.empty(len(hands), dtype=np.uint16)
        wrong = _rank_hands(hands, self.tables, self.start, ranks)
        if wrong >= 0:
            raise EquipoiseError(
                f"Hand {wrong} ({self.deck.text(hands[wrong])}): found a card twice, "
                "expected distinct cards."
            )
        return ranks.reshape(found.shape[:-1])

    def category(self, ranks: ArrayLike) -> NDArray[np.int64]:
        """Return the category of each rank, as a position in ``ranking.categories``."""
        found = np.asarray(ranks, dtype=np.int64)
        if found.size and (found.min() < 1 or found.max() > self.classes):
            raise EquipoiseError(f"Hand ranks: expected values from 1 to {self.classes}.")
        return self._category[found - 1]


@lru_cache(maxsize=32)
def evaluator(
    ranking: Ranking, cards: int, deck: Deck = STANDARD, *, ace_low: bool | None = None
) -> Evaluator:
    """Return the :class:`Evaluator` of these arguments, built once."""
    return Evaluator(ranking, cards, deck, ace_low=ace_low)


def three_card_ranks(cards: ArrayLike, deck: Deck = STANDARD, *, ace_low: bool = True) -> Ranks:
    """Rank hands of three cards as in Rhode Island hold'em (Gilpin 2009, Table 3.1)."""
    return evaluator(THREE_CARD, 3, deck, ace_low=ace_low)(cards)


def five_card_ranks(cards: ArrayLike, deck: Deck = STANDARD) -> Ranks:
    """Rank hands of five, six or seven cards by the best five, as in standard poker."""
    hands = np.asarray(cards)
    if hands.ndim == 0:
        raise EquipoiseError("Hands: found a single number, expected rows of five to seven cards.")
    return evaluator(FIVE_CARD, hands.shape[-1], deck)(hands)


def leduc_ranks(hole: ArrayLike, board: ArrayLike, deck: Deck) -> Ranks:
    """Rank Leduc hands: a pair with the board beats any other card, then the higher rank wins."""
    own, shared = deck.rank_of(deck.check(hole)), deck.rank_of(deck.check(board))
    ranks: Ranks = (1 + own + len(deck.ranks) * (own == shared)).astype(np.uint16)
    return ranks


def _rank_hands(hands: NDArray[np.uint8], tables: Tables, start: np.uint64, ranks: Ranks) -> int:
    """Fill ``ranks``; return the first hand that holds a card twice, or -1.

    Compiled where there is a compiler: machines with a GPU may have none.
    """
    try:
        from equipoise.cards.rank_kernel import rank_hands
    except ImportError:
        return _rank_arrays(hands, tables, start, ranks)
    return int(rank_hands(hands, tables, start, ranks))


def _rank_arrays(hands: NDArray[np.uint8], tables: Tables, start: np.uint64, ranks: Ranks) -> int:
    """The same, hands side by side."""
    total, held = tables.keys[hands].sum(axis=1) + start, np.zeros(len(hands), dtype=np.uint64)
    twice = held.copy()
    for card in tables.keys[hands, 1].T:
        twice |= held & card
        held |= card
    if twice.any():
        return int(np.flatnonzero(twice)[0])
    code, low_bits = total[:, 0], np.uint64((1 << HIGH) - 1)
    low, high = code & low_bits, (code >> np.uint64(HIGH)) & low_bits
    ranks[:] = tables.best[tables.row[low] + tables.column[high]]
    has_suit = np.flatnonzero(code & np.uint64(0x8888 << SUITS))
    for suit in range(4):
        of_suit = (held[has_suit] >> np.uint64(MASK * suit)) & np.uint64((1 << MASK) - 1)
        ranks[has_suit] = np.maximum(ranks[has_suit], tables.flush[of_suit])
    return -1


def _card_keys(deck: Deck) -> NDArray[np.uint64]:
    """Return, per card, its term of the 64-bit sum and its bit in the masks of all suits."""
    cards = np.arange(deck.size)
    rank, suit = deck.rank_of(cards), deck.suit_of(cards)
    low_ranks, base = (len(deck.ranks) + 1) // 2, len(deck.suits) + 1
    in_high = rank >= low_ranks
    code = base ** (rank - low_ranks * in_high) << (HIGH * in_high)
    one = np.uint64(1)
    return np.column_stack(
        [
            code.astype(np.uint64) + (one << (SUITS + 4 * suit).astype(np.uint64)),
            one << (MASK * suit + rank).astype(np.uint64),
        ]
    )


class _Multisets:
    """The numbering of multisets of ``cards`` ranks described at the top of this module.

    ``counts[m, r]`` says how often multiset ``m`` holds rank ``r``.
    """

    def __init__(self, deck: Deck, cards: int) -> None:
        low_ranks, base = (len(deck.ranks) + 1) // 2, len(deck.suits) + 1
        low, high = _digits(low_ranks, base), _digits(len(deck.ranks) - low_ranks, base)
        low_cards, high_cards = low.sum(axis=1), high.sum(axis=1)
        by_cards = [np.flatnonzero(high_cards == k) for k in range(cards + 1)]
        self.column = np.zeros(len(high), dtype=np.uint32)
        for codes in by_cards:
            self.column[codes] = np.arange(len(codes))
        width = np.array([len(codes) for codes in by_cards])
        lows = np.flatnonzero(low_cards <= cards)
        rest = cards - low_cards[lows]
        self.row = np.zeros(len(low), dtype=np.uint32)
        self.row[lows] = np.cumsum(width[rest]) - width[rest]
        self._low_code = np.repeat(lows, width[rest])
        self._high_code = np.concatenate([by_cards[k] for k in rest])
        self._low_ranks, self._base = low_ranks, base
        self.counts = np.hstack([low[self._low_code], high[self._high_code]])

    def without(self, rank: int, smaller: _Multisets) -> tuple[_Ints, _Ints]:
        """Return the multisets that hold ``rank``, and their numbers in ``smaller`` without it."""
        holding = np.flatnonzero(self.counts[:, rank])
        low, high = self._low_code[holding], self._high_code[holding]
        if rank < self._low_ranks:
            low = low - self._base**rank
        else:
            high = high - self._base ** (rank - self._low_ranks)
        return holding, smaller.row[low].astype(np.int64) + smaller.column[high]


def _digits(places: int, base: int) -> _Ints:
    """Return the digits, least significant first, of every number below ``base ** places``."""
    return np.arange(base**places)[:, None] // base ** np.arange(places) % base


def _best_of_subsets(best: _Ints, smaller: _Multisets, larger: _Multisets) -> _Ints:
    """Extend ``best`` by a card: the best of n cards is the best among its subsets of n - 1."""
    extended = np.zeros(len(larger.counts), dtype=np.int64)
    for rank in range(larger.counts.shape[1]):
        holding, left = larger.without(rank, smaller)
        extended[holding] = np.maximum(extended[holding], best[left])
    return extended


def _best_of_submasks(flush: _Ints) -> _Ints:
    """Let every mask of ranks of one suit take the best value among its submasks."""
    best, masks = flush.copy(), np.arange(len(flush))
    for rank in range(int(masks[-1]).bit_length()):
        best = np.maximum(best, best[masks & ~(1 << rank)])
    return best


def _exact_values(ranking: Ranking, counts: _Ints, ace_low: bool) -> tuple[_Ints, _Ints]:
    """Order the hands of exactly ``ranking.size`` cards by integers, category first.

    Returns the value of each multiset when not of one suit, and the value of each mask of ranks
    when of one suit (-1 where the mask has another number of ranks).
    """
    size, ranks = ranking.size, counts.shape[1]
    place = {name: index << (4 * size) for index, name in enumerate(ranking.categories)}
    frequency_order = np.argsort(-(counts * ranks + np.arange(ranks)), axis=1, kind="stable")[
        :, :size
    ]
    sorted_counts = np.zeros((len(counts), size), dtype=np.int64)
    sorted_counts[:, : frequency_order.shape[1]] = np.take_along_axis(
        counts, frequency_order, axis=1
    )
    kickers = np.zeros(len(counts), dtype=np.int64)
    for column in range(frequency_order.shape[1]):
        kickers += (frequency_order[:, column] * (sorted_counts[:, column] > 0)) << (
            4 * (size - 1 - column)
        )
    value = np.full(len(counts), -1)
    for pattern, name in ranking.patterns:
        matches = (sorted_counts == np.pad(pattern, (0, size - len(pattern)))).all(axis=1)
        value[matches] = place[name] + kickers[matches]
    distinct = np.flatnonzero(counts.max(axis=1) == 1)
    masks = (counts[distinct] << np.arange(ranks)).sum(axis=1)
    flushes = np.full(1 << ranks, -1)
    flushes[masks] = place["flush"] + kickers[distinct]
    for mask, top in _straights(size, ranks, ace_low):
        value[distinct[masks == mask]] = place["straight"] + top
        flushes[mask] = place["straight flush"] + top
    return value, flushes


def _straights(size: int, ranks: int, ace_low: bool) -> Iterator[tuple[int, int]]:
    """Yield the masks of ``size`` consecutive ranks with their top ranks, the ace-low one first."""
    run = (1 << size) - 1
    if ace_low and ranks >= size:
        yield run >> 1 | 1 << (ranks - 1), size - 2
    for bottom in range(ranks - size + 1):
        yield run << bottom, bottom + size - 1
