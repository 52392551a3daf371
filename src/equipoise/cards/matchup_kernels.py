"""The compiled loops of :mod:`equipoise.cards.matchup`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from equipoise.cards.rank_kernel import rank_of
from equipoise.numerics.kernels import EXACT, EXACT_INNER

PLACE = 16  # bits for the place of a hand beside its rank
DIGIT = 8  # bits of a rank that are sorted at a time


@njit(**EXACT)
def count_deals(
    codes: Any,
    bits: Any,
    boards: Any,
    code: Any,
    board: Any,
    deck: Any,
    tables: Any,
    left: Any,
    ranks: Any,
    counts: Any,
) -> None:
    """Count ``counts[d, p, n]``: on how many boards player ``p`` of deal ``d`` has the best hand, ``n`` others with her.

    ``codes`` and ``bits`` are the sums of the keys of each player's cards, ``code`` and ``board`` those of the common
    cards; ``boards`` has rows of places among the cards ``left``.
    """
    keys = tables.keys
    players, more = codes.shape[1], boards.shape[1]
    for d in range(codes.shape[0]):
        gone = board
        for p in range(players):
            gone |= bits[d, p]
        free = np.uintp(0)
        for own in range(deck):
            if not gone & keys[own, 1]:
                left[free] = own
                free += np.uintp(1)
        for b in range(boards.shape[0]):
            shared, held = code, board
            for i in range(more):
                card = np.uintp(left[np.uintp(boards[b, i])])
                shared += keys[card, 0]
                held |= keys[card, 1]
            best, others = np.uint16(0), np.uintp(0)
            for p in range(players):
                rank = rank_of(tables, shared + codes[d, p], held | bits[d, p])
                ranks[p] = rank
                if rank > best:
                    best, others = rank, np.uintp(0)
                elif rank == best:
                    others += np.uintp(1)
            for p in range(players):
                if ranks[p] == best:
                    counts[d, p, others] += 1


@njit(**EXACT)
def add_boards(
    boards: Any,
    copies: Any,
    hands: Any,
    codes: Any,
    bits: Any,
    first: Any,
    second: Any,
    tables: Any,
    start: Any,
    order: Any,
    sums: Any,
    total: Any,
) -> None:
    """Add to ``total`` the weight of the deals that the first range wins, does not lose, and has in all.

    ``codes`` and ``bits`` are the sums of the keys of the cards of each hand. ``order`` is scratch for twice the hands
    that a board leaves, from weak to strong: a rank and a place each. Sums over the second range are kept for
    all hands (place 0) and for those with each card: those seen on the way up, and every one.
    """
    keys = tables.keys
    seen, every = sums[0], sums[1]
    for b in range(boards.shape[0]):
        code, board = start, np.uint64(0)
        for i in range(boards.shape[1]):
            card = np.uintp(boards[b, i])
            code += keys[card, 0]
            board |= keys[card, 1]
        for i in range(sums.shape[1]):
            seen[i] = every[i] = 0.0
        live = np.uintp(0)
        for place in range(hands.shape[0]):
            h = np.uintp(place)
            if not board & bits[h]:
                rank = rank_of(tables, code + codes[h], board | bits[h])
                order[0, live] = (np.uint32(rank) << np.uint32(PLACE)) | np.uint32(h)
                live += np.uintp(1)
                _put(every, hands, h, second[h])
        _sort(order[0], order[1], live, PLACE)
        _sort(order[1], order[0], live, PLACE + DIGIT)
        win, kept, mass = 0.0, 0.0, 0.0
        low = np.uintp(0)
        while low < live:
            rank, high = order[0, low] >> np.uint32(PLACE), low
            while high < live and order[0, high] >> np.uint32(PLACE) == rank:
                h = np.uintp(order[0, high] & np.uint32((1 << PLACE) - 1))
                win += first[h] * _apart(seen, hands, h)
                high += np.uintp(1)
            for k in range(low, high):
                h = np.uintp(order[0, k] & np.uint32((1 << PLACE) - 1))
                _put(seen, hands, h, second[h])
            for k in range(low, high):
                h = np.uintp(order[0, k] & np.uint32((1 << PLACE) - 1))
                # A hand is among those with each of its cards: taken out twice, put back once.
                kept += first[h] * (_apart(seen, hands, h) + second[h])
                mass += first[h] * (_apart(every, hands, h) + second[h])
            low = high
        total[0] += copies[b] * win
        total[1] += copies[b] * kept
        total[2] += copies[b] * mass


@njit(**EXACT)
def _sort(given: Any, out: Any, count: Any, low: Any) -> None:
    """Sort the first numbers ``given`` by the digit that starts at bit ``low``; those of one digit stay in order."""
    places = out[len(out) - (1 << DIGIT) :]
    for i in range(1 << DIGIT):
        places[i] = 0
    mask = np.uint32((1 << DIGIT) - 1)
    for i in range(count):
        places[np.uintp((given[i] >> np.uint32(low)) & mask)] += np.uint32(1)
    before = np.uint32(0)
    for i in range(1 << DIGIT):
        own = places[i]
        places[i] = before
        before += own
    for i in range(count):
        digit = np.uintp((given[i] >> np.uint32(low)) & mask)
        out[np.uintp(places[digit])] = given[i]
        places[digit] += np.uint32(1)


@njit(**EXACT_INNER)
def _put(sums: Any, hands: Any, h: Any, weight: Any) -> None:
    sums[0] += weight
    sums[np.uintp(hands[h, 0]) + np.uintp(1)] += weight
    sums[np.uintp(hands[h, 1]) + np.uintp(1)] += weight


@njit(**EXACT_INNER)
def _apart(sums: Any, hands: Any, h: Any) -> Any:
    low, high = np.uintp(hands[h, 0]) + np.uintp(1), np.uintp(hands[h, 1]) + np.uintp(1)
    return sums[0] - sums[low] - sums[high]
