"""Streets: the hands on the boards of each round of a poker game, as arrays of one shape.

Of the first common cards one of each class is kept, with its number of copies (in hold'em 1,755 flops
instead of 22,100); what follows is enumerated. Then every board of a round has as many cards left, hands
are the sets of their places in one fixed order, and where a hand of one street is found on the next
depends on the places of the new cards alone. Work on boards is work on regular arrays, in batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.deck import Cards
from equipoise.games.poker.canonical import hand_indexer
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.rounds import Floats

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Street:
    """The hands of a round on any of its boards.

    Attributes
    ----------
    turn
        The round.
    dealt
        Every set of cards that this round may add to a board, as places among the cards left before.
    hands
        Every hand, as places among the cards left now.
    place
        ``place[d, h]`` is the number here of hand ``h`` of the street before once ``dealt[d]`` has come;
        ``len(hands)`` if one of the hand's cards was dealt.
    """

    turn: int
    dealt: Cards
    hands: Cards
    place: Numbers

    @cached_property
    def back(self) -> Numbers:
        """The inverse: ``back[d, h]`` is the number on the street before of hand ``h`` of this one."""
        found = np.empty((len(self.dealt), len(self.hands)), dtype=np.int64)
        deal, before = np.nonzero(self.place < len(self.hands))
        found[deal, self.place[deal, before]] = before
        return found


class Streets:
    """The rounds of ``game``: those before the first common cards, and the streets after them.

    Attributes
    ----------
    quiet
        Number of rounds before any common card.
    holes
        Every hand of hole cards, for those rounds.
    first, copies
        The first common cards, one of each class, and the number of boards that each stands for.
    streets
        The later rounds. The first of them is dealt ``first``; its ``dealt`` and ``place`` are empty.
    """

    def __init__(self, game: PokerGame) -> None:
        self.game = game
        self.holes = sets(game.deck.size, game.hole)
        public = [turn for turn, count in enumerate(game.public) if count]
        self.quiet = public[0] if public else game.rounds
        self.first, self.copies = _first_cards(game)
        self.streets: list[Street] = []
        left = game.deck.size
        for turn in range(self.quiet, game.rounds):
            dealt = game.public[turn]
            before = self.streets[-1].hands if self.streets else None
            self.streets.append(_street(turn, left, dealt, game.hole, before))
            left -= dealt

    @property
    def boards(self) -> int:
        """Number of boards of the last round, classes of first cards counted once."""
        return len(self.first) * self.ways(len(self.streets) - 1)

    def ways(self, place: int) -> int:
        """Return how many boards of street ``place`` follow one class of first common cards."""
        count = 1
        for street in self.streets[1 : place + 1]:
            count *= len(street.dealt)
        return count

    def after(self, number: int, place: int) -> Cards:
        """Return the boards of street ``place`` that follow class ``number`` of the first common cards."""
        boards = self.first[number : number + 1]
        for street in self.streets[1 : place + 1]:
            boards = self.extended(boards, street)
        return boards

    @cached_property
    def alike(self) -> tuple[Numbers, Numbers]:
        """Which whole boards after a class are the same but for the order in which cards came.

        The number of the first of each set of such boards, and the set of every board: the same for all classes.
        In hold'em the 2,352 boards after a flop are 1,176 sets.
        """
        boards = np.sort(self.after(0, len(self.streets) - 1), axis=1)
        number = set_numbers(boards.astype(np.intp), self.game.deck.size)
        _, first, which = np.unique(number, return_index=True, return_inverse=True)
        return first, which.reshape(-1)

    def hole_numbers(self, number: int) -> Numbers:
        """Return the row of :attr:`holes` of each hand on the first street, on board ``number``."""
        held = self.held(self.first[number : number + 1], self.streets[0])[0]
        return set_numbers(held.astype(np.intp), self.game.deck.size)

    def left(self, boards: Cards) -> Cards:
        """Return the cards left on each board, in order."""
        is_left = np.ones((len(boards), self.game.deck.size), dtype=bool)
        np.put_along_axis(is_left, boards.astype(np.intp), False, axis=1)
        return np.nonzero(is_left)[1].astype(np.uint8).reshape(len(boards), -1)

    def extended(self, boards: Cards, street: Street) -> Cards:
        """Return every board that ``street`` makes of ``boards``: all of the first board's, and so on."""
        added = self.left(boards)[:, street.dealt.astype(np.intp)]
        shape = (*added.shape[:2], boards.shape[1])
        whole = np.concatenate([np.broadcast_to(boards[:, None], shape), added], axis=2)
        return np.asarray(whole.reshape(-1, whole.shape[2]))

    def held(self, boards: Cards, street: Street) -> Cards:
        """Return the hole cards of every hand on every board."""
        return np.asarray(self.left(boards)[:, street.hands.astype(np.intp)])


def set_numbers(chosen: NDArray[Any], cards: int) -> Numbers:
    """Return the row of :func:`sets` where each set of places (along the last axis, in order) is found."""
    count = chosen.shape[-1]
    total = np.full(chosen.shape[:-1], comb(cards, count) - 1, dtype=np.int64)
    for position in range(count):
        # Sets that agree so far and have a later place here come after this one.
        later = np.array(
            [comb(cards - 1 - c, count - position) for c in range(cards)], dtype=np.int64
        )
        total -= later[chosen[..., position]]
    return total


def sets(cards: int, count: int) -> Cards:
    """Return every set of ``count`` of the places 0 to ``cards - 1``, one a row."""
    rows = list(combinations(range(cards), count))
    return np.array(rows, dtype=np.uint8).reshape(len(rows), count)


def _first_cards(game: PokerGame) -> tuple[Cards, Floats]:
    """Return the first common cards, one of each class, and the number of copies of each."""
    groups = game.groups(game.rounds - 1)[1:2]
    if not groups:
        return np.zeros((1, 0), dtype=np.uint8), np.ones(1)
    indexer = hand_indexer(game, groups)
    every = np.arange(indexer.size(0))
    return indexer.unindex(0, every), indexer.orbit(0, every).astype(np.float64)


def _street(turn: int, left: int, count: int, hole: int, before: Cards | None) -> Street:
    """Return the street on which ``count`` of ``left`` cards are dealt to boards with hands ``before``."""
    hands = sets(left - count, hole)
    if before is None:
        return Street(turn, sets(0, 0), hands, np.zeros((1, 0), dtype=np.int64))
    dealt = sets(left, count)
    number = {tuple(hand): h for h, hand in enumerate(hands.tolist())}
    place = np.full((len(dealt), len(before)), len(hands), dtype=np.int64)
    for row, gone in zip(place, dealt.tolist(), strict=True):
        moved = before - sum((before > card).astype(np.uint8) for card in gone)
        free = np.flatnonzero(~np.isin(before, gone).any(axis=1))
        row[free] = [number[tuple(hand)] for hand in moved[free].tolist()]
    return Street(turn, dealt, hands, place)
