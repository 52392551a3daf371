"""Roll-outs: how often a hand wins, ties and loses when the rest of the board is dealt.

A state's value is w + d/2 over all roll-outs (Gilpin 2009, section 6.1); here it is scaled to [0, 1].
Everything is exact: boards are enumerated, up to a renaming of suits where that saves work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from equipoise.cards.deck import Cards, Deck
from equipoise.cards.evaluate import FIVE_CARD, Evaluator, evaluator
from equipoise.cards.isomorphism import HandIndexer
from equipoise.errors import EquipoiseError

Counts = NDArray[np.int64]

_CHUNK = 256  # boards ranked at a time


@dataclass(frozen=True)
class Outcomes:
    """Numbers of wins, ties and losses: of one matchup, or an array over hands."""

    win: Counts | np.int64
    tie: Counts | np.int64
    loss: Counts | np.int64

    @property
    def value(self) -> NDArray[np.float64]:
        """Expected share of the pot, (w + d/2) / (w + d + l)."""
        return np.asarray((self.win + self.tie / 2) / (self.win + self.tie + self.loss))


@dataclass(frozen=True)
class Rollout(Outcomes):
    """Outcomes of every hand on a board against one hand drawn uniformly from the other cards.

    ``histogram[h, b]`` is the number of final boards on which the value of ``hands[h]`` falls into
    bin ``b`` of equal bins over [0, 1], the last closed.
    """

    hands: Cards
    histogram: Counts


def all_in(
    first: ArrayLike, second: ArrayLike, board: ArrayLike = (), ranks: Evaluator | None = None
) -> Outcomes:
    """Return the outcomes for ``first`` against ``second``, over every way to complete ``board``.

    Each side is a hand or rows of hands; of rows, all pairs without a common card count.

    >>> from equipoise.cards.starting import starting_hands
    >>> outcomes = all_in(starting_hands("AA"), starting_hands("KK"))
    >>> int(outcomes.win), int(outcomes.tie), int(outcomes.loss)
    (50371344, 285228, 10986372)
    """
    ranks = evaluator(FIVE_CARD, 7) if ranks is None else ranks
    one, two = (np.atleast_2d(ranks.deck.check(side)) for side in (first, second))
    hole = one.shape[1]
    if two.shape[1] != hole or not 1 <= hole <= ranks.cards:
        raise EquipoiseError(
            f"All-in: found hands of {hole} and {two.shape[1]} cards, expected equal numbers "
            f"from 1 to {ranks.cards}."
        )
    shared = check_board(ranks.deck, board, ranks.cards - hole)
    totals = np.zeros(3, dtype=np.int64)
    for deal, times in _deals(one, two, shared, ranks.deck):
        own, other, start = np.split(deal, (hole, 2 * hole))
        boards = completions(ranks.deck, start, ranks.cards - hole, deal)
        margin = ranks(_beside(own, boards)).astype(np.int32) - ranks(_beside(other, boards))
        totals += times * np.array([(margin > 0).sum(), (margin == 0).sum(), (margin < 0).sum()])
    return Outcomes(*totals)


def rollout(
    board: ArrayLike = (), *, hole: int = 2, bins: int = 50, ranks: Evaluator | None = None
) -> Rollout:
    """Roll out every hand of ``hole`` cards (one or two) from ``board`` to the end.

    On each final board, hands are sorted by rank, and a running count of weaker and equal hands gives
    every hand's outcomes at once; opponents that share a card with it are taken out per card.
    """
    ranks = evaluator(FIVE_CARD, 7) if ranks is None else ranks
    deck, final = ranks.deck, ranks.cards - hole
    if hole not in (1, 2) or bins < 1:
        raise EquipoiseError(
            f"Roll-out: found hole={hole} and bins={bins}, expected hole 1 or 2 and a positive bins."
        )
    if deck.size < final + 2 * hole:
        raise EquipoiseError(
            f"Roll-out: found a deck of {deck.size} cards, expected at least {final + 2 * hole}."
        )
    shared = check_board(deck, board, final)
    left = np.setdiff1d(np.arange(deck.size), shared)
    hands = left[subsets(len(left), hole)].astype(np.uint8)
    number = np.zeros((deck.size, deck.size), dtype=np.int64)
    number[hands[:, 0], hands[:, -1]] = np.arange(len(hands))
    opponents = comb(deck.size - final - hole, hole)
    by_card = np.zeros((2, deck.size), dtype=np.int64)
    counts = np.zeros((len(hands), 3), dtype=np.int64)
    histogram = np.zeros((len(hands), bins), dtype=np.int64)
    for boards, weights in _final_boards(deck, shared, final):
        held = _hands_beside(deck, boards, hole)
        strength = ranks(
            np.concatenate(
                [held, np.broadcast_to(boards[:, None], (*held.shape[:2], final))], axis=2
            )
        )
        order = np.argsort(strength, axis=1, kind="stable")
        _tally(held, strength, order, weights, number, opponents, *by_card, counts, histogram)
    if not len(shared):
        _average_over_renamings(HandIndexer((hole,), deck).index(0, hands), counts, histogram)
    win, tie, loss = np.ascontiguousarray(counts.T)
    return Rollout(win, tie, loss, hands, histogram)


def _deals(one: Cards, two: Cards, board: Cards, deck: Deck) -> Iterator[tuple[Cards, int]]:
    """Yield the pairs of hands on ``board``, up to a renaming of suits, and how often each occurs."""
    deals = np.hstack([np.repeat(one, len(two), axis=0), np.tile(two, (len(one), 1))])
    deals = np.hstack([deals, np.broadcast_to(board, (len(deals), len(board)))])
    ascending = np.sort(deals, axis=1)
    deals = deals[(ascending[:, 1:] != ascending[:, :-1]).all(axis=1)]
    if not len(deals):
        raise EquipoiseError("All-in: found no pair of hands without a common card, expected one.")
    rounds = [cards for cards in (one.shape[1], two.shape[1], len(board)) if cards]
    indexer, last = HandIndexer(rounds, deck), len(rounds) - 1
    classes, times = np.unique(indexer.index(last, deals), return_counts=True)
    yield from zip(indexer.unindex(last, classes), times.tolist(), strict=True)


def check_board(deck: Deck, board: ArrayLike, final: int) -> Cards:
    """Return ``board`` as cards, or say what is wrong with it."""
    found = np.asarray(board)
    cards = deck.check(found if found.size else np.empty(0, dtype=np.uint8))
    if cards.ndim != 1 or len(cards) > final or len(np.unique(cards)) < len(cards):
        raise EquipoiseError(
            f"Board: found {deck.text(cards)}, expected at most {final} distinct cards."
        )
    return cards


@lru_cache(maxsize=8)
def subsets(values: int, size: int) -> Cards:
    """Return every subset of ``size`` of the numbers below ``values``, as rows."""
    flat = chain.from_iterable(combinations(range(values), size))
    return np.fromiter(flat, dtype=np.uint8).reshape(comb(values, size), size)


def completions(deck: Deck, board: Cards, final: int, gone: Cards) -> Cards:
    """Return every board of ``final`` cards that extends ``board`` by cards not ``gone``."""
    left = np.setdiff1d(np.arange(deck.size), gone).astype(np.uint8)
    return _beside(board, left[subsets(len(left), final - len(board))])


def _beside(cards: Cards, rows: Cards) -> Cards:
    """Return ``rows`` with the same ``cards`` put before each."""
    return np.hstack([np.broadcast_to(cards, (len(rows), len(cards))), rows])


def _final_boards(deck: Deck, board: Cards, final: int) -> Iterator[tuple[Cards, Counts]]:
    """Yield final boards in chunks, each with the number of boards it stands for.

    From an empty board all suits are alike, so one board of each isomorphism class is enough.
    """
    if len(board):
        boards = completions(deck, board, final, board)
        weights = np.ones(len(boards), dtype=np.int64)
    else:
        boards, weights = final_boards(deck, final)
    for first in range(0, len(boards), _CHUNK):
        yield boards[first : first + _CHUNK], weights[first : first + _CHUNK]


def final_boards(deck: Deck, final: int) -> tuple[Cards, Counts]:
    """Return a board of ``final`` cards of each class, suits being alike, and the sizes of the classes."""
    indexer = HandIndexer((final,), deck)
    classes = np.arange(indexer.size(0))
    return indexer.unindex(0, classes), indexer.orbit(0, classes)


def _hands_beside(deck: Deck, boards: Cards, hole: int) -> Cards:
    """Return, for each board, every hand of the other cards."""
    free = np.ones((len(boards), deck.size), dtype=bool)
    np.put_along_axis(free, boards.astype(np.intp), False, axis=1)
    left = np.nonzero(free)[1].astype(np.uint8).reshape(len(boards), -1)
    return left[:, subsets(left.shape[1], hole)]


def _average_over_renamings(classes: Counts, *tables: Counts) -> None:
    """Give isomorphic hands their mean: what boards up to a renaming of suits leave uneven."""
    sizes = np.bincount(classes)
    for table in tables:
        sums = np.zeros((len(sizes), table.shape[1]), dtype=np.int64)
        np.add.at(sums, classes, table)
        table[:] = (sums // sizes[:, None])[classes]


@njit(cache=True)
def _tally(
    held: Any,
    strength: Any,
    order: Any,
    weights: Any,
    number: Any,
    opponents: Any,
    weaker: Any,
    equal: Any,
    counts: Any,
    histogram: Any,
) -> Any:
    """Add the outcomes of each board's hands, weakest first, to ``counts`` and ``histogram``.

    ``weaker`` and ``equal`` (all zero) count hands by card. A hand itself is among the equals of
    each of its cards: taken out ``hole`` times, it is put back ``hole - 1`` times.
    """
    boards, hands, hole = held.shape
    bins = histogram.shape[1]
    for b in range(boards):
        first = 0
        while first < hands:
            last = first
            while last < hands and strength[b, order[b, last]] == strength[b, order[b, first]]:
                for j in range(hole):
                    equal[held[b, order[b, last], j]] += 1
                last += 1
            for i in range(first, last):
                h = order[b, i]
                win, tie = first, last - first + hole - 1
                for j in range(hole):
                    win -= weaker[held[b, h, j]]
                    tie -= equal[held[b, h, j]]
                row = number[held[b, h, 0], held[b, h, hole - 1]]
                counts[row, 0] += weights[b] * win
                counts[row, 1] += weights[b] * tie
                counts[row, 2] += weights[b] * (opponents - win - tie)
                histogram[row, min((2 * win + tie) * bins // (2 * opponents), bins - 1)] += weights[
                    b
                ]
            for i in range(first, last):
                for j in range(hole):
                    card = held[b, order[b, i], j]
                    weaker[card] += 1
                    equal[card] = 0
            first = last
        for card in range(len(weaker)):
            weaker[card] = 0
