"""Equities of two to six ranges of hold'em hands, exact: who wins how often when all cards are dealt.

A range is a weight for each hand. A deal takes one hand from every range, no card twice, with the product
of the weights; then every completion of the board is as likely. Two roads, with one result:

* deal by deal, those that differ by names of suits counted once: best for a few hands;
* for two ranges, board by board: hands sorted by strength, running sums of the other range's weights, hands
  that share a card taken out by inclusion and exclusion: best for many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import comb, prod
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from equipoise.cards.deck import STANDARD, Cards, Deck
from equipoise.cards.equity import check_board, completions, final_boards, subsets
from equipoise.cards.evaluate import FIVE_CARD, evaluator
from equipoise.errors import EquipoiseError
from equipoise.numerics.memory import free_memory_mb

Floats = NDArray[np.float64]
Each = Callable[[float], None]

MOST_PLAYERS = 6
_CARDS = 5  # on a whole board
_CHUNK = 1 << 16  # boards of one deal ranked at a time
_BOARDS = 128  # boards with all hands at a time
_COPIES = 32  # bytes for each card of a deal: some copies, to compare it with its renamings


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
    sizes = [int((own > 0).sum()) for own in weights]
    left = deck.size - 2 * len(weights) - len(shared)
    by_deals = prod(sizes) * comb(left, _CARDS - len(shared)) * len(weights)
    whole = comb(deck.size - len(shared), _CARDS - len(shared))
    # To rank and sort a hand among many costs about ten times as much as to rank it.
    if len(weights) == 2 and 10 * whole * sum(sizes) < by_deals:
        return _by_boards(weights, hands, shared, deck, each)
    return _by_deals(weights, hands, shared, deck, each)


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
    weights: list[Floats], hands: Cards, board: Cards, deck: Deck, each: Each | None
) -> Matchup:
    """Deal by deal."""
    deals, likely = _deals(weights, hands, len(board))
    if not len(deals):
        raise EquipoiseError("equity: found no hands without a common card, expected some.")
    players, total = len(weights), len(deals)
    classes, place = np.unique(_renamed(deals, board, deck), axis=0, return_inverse=True)
    mass = np.bincount(place.reshape(-1), likely)
    ranks = evaluator(FIVE_CARD, 2 + _CARDS, deck)
    sums = np.zeros((3, players))
    for done, (deal, weight) in enumerate(zip(classes.astype(np.uint8), mass, strict=True)):
        # A renaming of suits renames the board's, too.
        own, common = deal[: 2 * players].reshape(players, 2), deal[2 * players :]
        counts, boards = np.zeros((3, players)), completions(deck, common, _CARDS, deal)
        for start in range(0, len(boards), _CHUNK):
            some = boards[start : start + _CHUNK]
            beside = np.broadcast_to(some, (players, *some.shape))
            held = np.broadcast_to(own[:, None], (*beside.shape[:2], 2))
            strength = ranks(np.concatenate([held, beside], axis=2))
            is_best = strength == strength.max(axis=0)
            sharing = is_best.sum(axis=0)
            counts[0] += (is_best / sharing).sum(axis=1)
            counts[1] += (is_best & (sharing == 1)).sum(axis=1)
            counts[2] += (is_best & (sharing > 1)).sum(axis=1)
        sums += weight * counts / len(boards)
        if each is not None:
            each((done + 1) / len(classes))
    return _result(sums / mass.sum(), total)


def _by_boards(
    weights: list[Floats], hands: Cards, board: Cards, deck: Deck, each: Each | None
) -> Matchup:
    """Board by board, two ranges."""
    first, second = weights
    held = np.flatnonzero((first > 0) | (second > 0))
    cards, first, second = hands[held], first[held], second[held]
    ranks = evaluator(FIVE_CARD, 2 + _CARDS, deck)
    total = np.zeros(3)
    done, count = 0, 0
    for boards, copies, count in _boards(weights, hands, board, deck):
        free = ~(cards[None, :, :, None] == boards[:, None, None, :]).any(axis=(2, 3))
        place, hand = np.nonzero(free)
        strength = np.zeros(free.shape, dtype=np.int64)
        strength[place, hand] = ranks(np.concatenate([cards[hand], boards[place]], axis=1))
        order = np.argsort(strength, axis=1)
        _add_board(cards, strength, order, copies, first, second, deck.size, total)
        done += len(boards)
        if each is not None:
            each(done / count)
    win, tie, mass = total
    if mass <= 0:
        raise EquipoiseError("equity: found no hands without a common card, expected some.")
    loss = mass - win - tie
    sums = np.array([[win + tie / 2, loss + tie / 2], [win, loss], [tie, tie]]) / mass
    meets = [_meeting(cards, first > 0), _meeting(cards, second > 0)]
    return _result(sums, int((meets[0] * (second > 0)).sum()))


def _boards(
    weights: list[Floats], hands: Cards, board: Cards, deck: Deck
) -> Iterator[tuple[Cards, Floats, int]]:
    """Yield whole boards in batches, how many each stands for, and the number of them in all.

    Where neither range tells suits apart, nor a board is out, one of each class will do.
    """
    if not len(board) and all(_is_symmetric(own, hands, deck) for own in weights):
        boards, sizes = final_boards(deck, _CARDS)
        copies = sizes.astype(np.float64)
    else:
        boards = completions(deck, board, _CARDS, board)
        copies = np.ones(len(boards))
    for start in range(0, len(boards), _BOARDS):
        yield boards[start : start + _BOARDS], copies[start : start + _BOARDS], len(boards)


def _is_symmetric(weights: Floats, hands: Cards, deck: Deck) -> bool:
    """Say whether hands that differ by names of suits have one weight."""
    suits = len(deck.suits)
    number = np.zeros((deck.size, deck.size), dtype=np.int64)
    number[hands[:, 0], hands[:, 1]] = number[hands[:, 1], hands[:, 0]] = np.arange(len(hands))
    for renaming in permutations(range(suits)):
        cards = _rename(hands, np.array(renaming), suits)
        if not np.array_equal(weights, weights[number[cards[:, 0], cards[:, 1]]]):
            return False
    return True


def _deals(weights: list[Floats], hands: Cards, board: int) -> tuple[Cards, Floats]:
    """Return one hand from each range, no card twice, and how likely each such deal is."""
    deals, likely = np.zeros((1, 0), dtype=np.uint8), np.ones(1)
    cards = 2 * len(weights) + board
    for own in weights:
        held = np.flatnonzero(own)
        _require_memory(len(deals) * len(held), cards)
        one, two = np.repeat(np.arange(len(deals)), len(held)), np.tile(held, len(deals))
        shares = (deals[one][:, :, None] == hands[two][:, None, :]).any(axis=(1, 2))
        one, two = one[~shares], two[~shares]
        deals = np.concatenate([deals[one], hands[two]], axis=1)
        likely = likely[one] * own[two]
    return deals, likely


def _require_memory(deals: int, cards: int) -> None:
    """Raise if so many deals of so many cards do not fit into what the machine has left."""
    needed, free = deals * cards * _COPIES / 2**20, free_memory_mb()
    if free is not None and needed > free:
        raise EquipoiseError(
            f"equity: found {deals:,} ways or more to deal these ranges, which need {needed:,.0f} MB, expected "
            f"at most the {free:,.0f} MB that are free: narrower ranges."
        )


def _renamed(deals: Cards, board: Cards, deck: Deck) -> NDArray[np.int64]:
    """Return every deal with the board, suits renamed so that those alike are the same."""
    suits, players = len(deck.suits), deals.shape[1] // 2
    cards = np.concatenate([deals, np.broadcast_to(board, (len(deals), len(board)))], axis=1)
    best: NDArray[np.int64] | None = None
    for renaming in permutations(range(suits)):
        other = _rename(cards, np.array(renaming), suits)
        other[:, : 2 * players].reshape(len(deals), players, 2).sort(axis=2)
        other[:, 2 * players :].sort(axis=1)
        if best is None:
            best = other
            continue
        differs = other != best
        place = differs.argmax(axis=1)
        row = np.arange(len(deals))
        best = np.where((other[row, place] < best[row, place])[:, None], other, best)
    assert best is not None
    return best


def _rename(cards: Cards, renaming: NDArray[np.int64], suits: int) -> NDArray[np.int64]:
    whole = cards.astype(np.int64)
    return np.ascontiguousarray(whole // suits * suits + renaming[whole % suits])


def _meeting(cards: Cards, is_held: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return, for each hand, the number of those held that share no card with it."""
    by_card = np.bincount(cards[is_held].reshape(-1), minlength=int(cards.max()) + 1)
    return np.asarray(is_held.sum() - by_card[cards].sum(axis=1) + is_held)


def _result(sums: Floats, deals: int) -> Matchup:
    shares, wins, ties = (tuple(row.tolist()) for row in sums)
    return Matchup(shares, wins, ties, deals)


@njit(cache=True, error_model="numpy")
def _add_board(
    cards: Any,
    strength: Any,
    order: Any,
    copies: Any,
    first: Any,
    second: Any,
    deck: Any,
    total: Any,
) -> None:
    """Add to ``total`` the weight of the deals that the first range wins, shares, and has in all.

    A strength of zero is that of a hand which the board takes. Sums over the second range are kept for all
    hands (place 0) and for those with each card: weaker ones, equal ones, all.
    """
    sums = np.zeros((3, deck + 1))
    weaker, equal, every = sums[0], sums[1], sums[2]
    for b in range(len(strength)):
        sums[:] = 0.0
        hands = order.shape[1]
        for h in range(hands):
            if strength[b, h] > 0:
                _put(every, cards[h], second[h])
        i = 0
        while i < hands:
            j, rank = i, strength[b, order[b, i]]
            equal[:] = 0.0
            while j < hands and strength[b, order[b, j]] == rank:
                if rank > 0:
                    _put(equal, cards[order[b, j]], second[order[b, j]])
                j += 1
            if rank > 0:
                for k in range(i, j):
                    h = order[b, k]
                    weight = copies[b] * first[h]
                    total[0] += weight * _apart(weaker, cards[h])
                    # A hand is among those with each of its cards: taken out twice, put back once.
                    total[1] += weight * (_apart(equal, cards[h]) + second[h])
                    total[2] += weight * (_apart(every, cards[h]) + second[h])
                weaker += equal
            i = j


@njit(cache=True, error_model="numpy")
def _put(sums: Any, hand: Any, weight: Any) -> None:
    sums[0] += weight
    sums[hand[0] + 1] += weight
    sums[hand[1] + 1] += weight


@njit(cache=True, error_model="numpy")
def _apart(sums: Any, hand: Any) -> Any:
    return sums[0] - sums[hand[0] + 1] - sums[hand[1] + 1]
