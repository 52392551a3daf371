"""Equities of two to six ranges of hold'em hands, exact: who wins how often when all cards are dealt.

A range is a weight for each hand. A deal takes one hand from every range, no card twice, with the product
of the weights; then every completion of the board is as likely. Two roads, with one result:

* deal by deal, those that differ by names of suits counted once: best for a few hands;
* for two ranges, board by board: hands sorted by strength, running sums of the other range's weights, hands
  that share a card taken out by inclusion and exclusion: best for many.

Who wins does not depend on names of suits. So where one of two ranges does not tell suits apart, the other may
be replaced by its mean over all ways to name them, and then boards, too, are needed once for each class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import comb, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.cards.deck import STANDARD, Cards, Deck
from equipoise.cards.equity import check_board, completions, final_boards, subsets
from equipoise.cards.evaluate import FIVE_CARD, Evaluator, evaluator
from equipoise.errors import EquipoiseError
from equipoise.numerics.memory import free_memory_mb
from equipoise.numerics.threads import LANES, spread

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Each = Callable[[float], None]

MOST_PLAYERS = 6
_CARDS = 5  # on a whole board
_BATCH = 1 << 27  # hands ranked between two reports
_MOST = 10**13  # hands ranked in all: hours on two cores
_SORTED = 8  # to rank a hand and sort it among many costs about so many times as much as to rank it
_BYTES = (
    64  # for each deal, beside its hands: the codes of two namings of its suits, and their order
)


@dataclass(frozen=True)
class Matchup:
    """What each range wins.

    Attributes
    ----------
    shares
        Expected share of the pot of each range; ties are split.
    wins, ties
        How likely each range has the best hand alone, and shares it.
    deals
        Number of ways to deal the hands, those of weight zero left out.
    """

    shares: tuple[float, ...]
    wins: tuple[float, ...]
    ties: tuple[float, ...]
    deals: int


def matchup(
    ranges: Sequence[ArrayLike],
    board: ArrayLike = (),
    *,
    deck: Deck = STANDARD,
    each: Each | None = None,
) -> Matchup:
    """Return the equities of ``ranges``, weights over all two-card hands in order, on ``board``.

    ``each`` is told, now and then, the share of the work that is done.
    """
    shared = check_board(deck, board, _CARDS)
    hands = subsets(deck.size, 2)
    weights = [_checked(own, place, shared, hands) for place, own in enumerate(ranges)]
    if not 2 <= len(weights) <= MOST_PLAYERS:
        raise EquipoiseError(
            f"equity: found {len(weights)} hands or ranges, expected two to {MOST_PLAYERS}."
        )
    ranks, renamings = evaluator(FIVE_CARD, 2 + _CARDS, deck), _renamings(hands, shared, deck)
    sizes = [int((own > 0).sum()) for own in weights]
    by_deals = prod(sizes) * comb(deck.size - 2 * len(weights) - len(shared), _CARDS - len(shared))
    if len(weights) == 2:
        is_any = not len(shared) and any(_is_symmetric(own, renamings) for own in weights)
        whole = comb(deck.size - len(shared), _CARDS - len(shared)) / (
            len(renamings) if is_any else 1
        )
        if _SORTED * whole * sum(sizes) < 2 * by_deals / len(renamings):
            return _by_boards(weights, hands, shared, renamings, ranks, each)
    return _by_deals(weights, hands, shared, renamings, ranks, each)


def _checked(given: ArrayLike, place: int, board: Cards, hands: Cards) -> Floats:
    """Return a range without the hands that hold a card of the board."""
    weights = np.array(given, dtype=np.float64)
    if weights.shape != (len(hands),) or not (weights >= 0).all() or np.isinf(weights).any():
        raise EquipoiseError(
            f"range {place + 1}: found weights of shape {weights.shape}, expected {len(hands)} numbers "
            "that are not negative."
        )
    if not weights.any():
        raise EquipoiseError(
            f"range {place + 1}: found no hand of a positive weight, expected at least one."
        )
    weights[np.isin(hands, board).any(axis=1)] = 0.0
    if not weights.any():
        raise EquipoiseError(
            f"range {place + 1}: found no hand that the board leaves, expected at least one."
        )
    return weights


def _by_deals(
    weights: list[Floats],
    hands: Cards,
    board: Cards,
    renamings: Numbers,
    ranks: Evaluator,
    each: Each | None,
) -> Matchup:
    """Deal by deal."""
    from equipoise.cards.matchup_kernels import count_deals

    classes, mass, total = _classes(weights, hands, renamings)
    players, tables, deck = len(weights), ranks.tables, ranks.deck
    left = deck.size - 2 * players - len(board)
    boards = subsets(left, _CARDS - len(board))
    if (ranked := len(classes) * len(boards) * players) > _MOST:
        raise EquipoiseError(
            f"equity: found {len(classes):,} deals that differ by more than names of suits, each with "
            f"{len(boards):,} boards: {ranked:.1e} hands to rank, expected at most {_MOST:.0e}: narrower "
            "ranges, or more cards on the board."
        )
    keys = tables.keys[hands]
    codes, bits = keys[:, :, 0].sum(axis=1)[classes], keys[:, :, 1].sum(axis=1)[classes]
    code, held = ranks.start + tables.keys[board, 0].sum(), tables.keys[board, 1].sum()
    sums, sharing = np.zeros((3, players)), np.arange(1, players + 1)
    batch = max(LANES, _BATCH // (len(boards) * players))
    for begin in range(0, len(classes), batch):
        some = slice(begin, begin + batch)
        counts = np.zeros((len(classes[some]), players, players), dtype=np.int64)

        def count(
            _: int, low: int, high: int, some: slice = some, counts: Numbers = counts
        ) -> None:
            free, strength = np.zeros(deck.size, np.uint8), np.zeros(players, np.uint16)
            own = (codes[some][low:high], bits[some][low:high], boards, code, held, deck.size)
            count_deals(*own, tables, free, strength, counts[low:high])

        spread(len(counts), count)
        found = np.tensordot(mass[some], counts, axes=1)
        sums += [(found / sharing).sum(axis=1), found[:, 0], found[:, 1:].sum(axis=1)]
        if each is not None:
            each(min(begin + batch, len(classes)) / len(classes))
    return _result(sums / len(boards) / mass.sum(), total)


def _by_boards(
    weights: list[Floats],
    hands: Cards,
    board: Cards,
    renamings: Numbers,
    ranks: Evaluator,
    each: Each | None,
) -> Matchup:
    """Board by board, two ranges."""
    from equipoise.cards.matchup_kernels import DIGIT, add_boards

    deals = _pairs(weights, hands)
    boards, times, (first, second) = _boards(weights, board, renamings, ranks.deck)
    held = np.flatnonzero((first > 0) | (second > 0))
    cards, first, second = hands[held], first[held], second[held]
    keys, tables = ranks.tables.keys[cards], ranks.tables
    codes, bits = keys[:, :, 0].sum(axis=1), keys[:, :, 1].sum(axis=1)
    totals = np.zeros((LANES, 3))
    batch = max(LANES, _BATCH // (_SORTED * len(cards)))
    for begin in range(0, len(boards), batch):
        some, own_times = boards[begin : begin + batch], times[begin : begin + batch]

        def add(
            lane: int, low: int, high: int, some: Cards = some, own_times: Floats = own_times
        ) -> None:
            order = np.zeros((2, len(cards) + (1 << DIGIT)), dtype=np.uint32)
            sums = np.zeros((2, ranks.deck.size + 1))
            own = (some[low:high], own_times[low:high], cards, codes, bits, first, second)
            add_boards(*own, tables, ranks.start, order, sums, totals[lane])

        spread(len(some), add)
        if each is not None:
            each(min(begin + batch, len(boards)) / len(boards))
    win, kept, mass = totals.sum(axis=0)
    if mass <= 0:
        raise EquipoiseError("equity: found no hands without a common card, expected some.")
    loss, tie = mass - kept, kept - win
    sums = np.array([[win + tie / 2, loss + tie / 2], [win, loss], [tie, tie]]) / mass
    return _result(sums, deals)


def _boards(
    weights: list[Floats], board: Cards, renamings: Numbers, deck: Deck
) -> tuple[Cards, Floats, list[Floats]]:
    """Return whole boards, how many each stands for, and the ranges that are to be met there.

    Before the flop one board of each class will do, if a range does not tell suits apart: the other is replaced by its
    mean.
    """
    if not len(board) and any(_is_symmetric(own, renamings) for own in weights):
        boards, copies = final_boards(deck, _CARDS)
        return boards, copies.astype(np.float64), [own[renamings].mean(axis=0) for own in weights]
    boards = completions(deck, board, _CARDS, board)
    return boards, np.ones(len(boards)), weights


def _classes(
    weights: list[Floats], hands: Cards, renamings: Numbers
) -> tuple[Numbers, Floats, int]:
    """Return deals that differ by more than names of suits, how likely each is, and the number of all deals.

    A deal is a row of numbers of hands. Its code has the place of a hand in each range, renamed hands among
    them, as a digit; the least of the codes of all its renamings is that of its class.
    """
    deals, likely = _deals(weights, hands)
    if not len(deals):
        raise EquipoiseError("equity: found no hands without a common card, expected some.")
    known = [np.unique(renamings[:, own > 0]) for own in weights]
    best = np.full(len(deals), np.iinfo(np.int64).max)
    for renaming in renamings:
        code = np.zeros(len(deals), dtype=np.int64)
        for own, held in zip(known, deals.T, strict=True):
            places = np.zeros(len(hands), dtype=np.int64)
            places[own] = np.arange(len(own))
            code *= len(own)
            code += places[renaming][held]
        np.minimum(best, code, out=best)
    codes, place = np.unique(best, return_inverse=True)
    classes = np.empty((len(codes), len(known)), dtype=np.int64)
    for player in reversed(range(len(known))):
        codes, digit = np.divmod(codes, len(known[player]))
        classes[:, player] = known[player][digit]
    mass: Floats = np.bincount(place.reshape(-1), likely).astype(np.float64)
    return classes, mass, len(deals)


def _deals(weights: list[Floats], hands: Cards) -> tuple[NDArray[np.uint16], Floats]:
    """Return a hand from each range, no card twice, by their numbers, and how likely each such deal is."""
    bits = (np.uint64(1) << hands.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    deals, likely = np.zeros((1, 0), dtype=np.uint16), np.ones(1)
    gone = np.zeros(1, dtype=np.uint64)
    for own in weights:
        held = np.flatnonzero(own)
        _require_memory(len(deals) * len(held), len(weights))
        one, two = np.nonzero(gone[:, None] & bits[held] == 0)
        two = held[two]
        deals = np.concatenate([deals[one], two[:, None].astype(np.uint16)], axis=1)
        gone, likely = gone[one] | bits[two], likely[one] * own[two]
    return deals, likely


def _require_memory(deals: int, players: int) -> None:
    """Raise if so many deals do not fit into what the machine has left."""
    needed, free = deals * (_BYTES + 2 * players) / 2**20, free_memory_mb()
    if free is not None and needed > free:
        raise EquipoiseError(
            f"equity: found {deals:,} ways or more to deal these ranges, which need {needed:,.0f} MB, expected "
            f"at most the {free:,.0f} MB that are free: narrower ranges."
        )


def _pairs(weights: list[Floats], hands: Cards) -> int:
    """Return the number of pairs of hands of two ranges that share no card."""
    first, second = (own > 0 for own in weights)
    by_card = np.bincount(hands[first].reshape(-1), minlength=int(hands.max()) + 1)
    # Of the hands with either card, the very same one was taken out twice.
    met = first.sum() - by_card[hands].sum(axis=1) + first
    return int(met[second].sum())


def _renamings(hands: Cards, board: Cards, deck: Deck) -> Numbers:
    """Return a row for each way to rename suits that leaves the board as it is: a hand for every hand."""
    number = np.zeros((deck.size, deck.size), dtype=np.int64)
    number[hands[:, 0], hands[:, 1]] = number[hands[:, 1], hands[:, 0]] = np.arange(len(hands))
    cards, suits = np.arange(deck.size), len(deck.suits)
    maps = [
        cards // suits * suits + np.array(own)[cards % suits] for own in permutations(range(suits))
    ]
    return np.array([number[tuple(own[hands].T)] for own in maps if set(own[board]) == set(board)])


def _is_symmetric(weights: Floats, renamings: Numbers) -> bool:
    """Say whether hands that differ by names of suits have one weight."""
    return bool((weights[renamings] == weights).all())


def _result(sums: Floats, deals: int) -> Matchup:
    shares, wins, ties = (tuple(row.tolist()) for row in sums)
    return Matchup(shares, wins, ties, deals)
