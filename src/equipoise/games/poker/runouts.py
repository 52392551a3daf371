"""Runouts: the boards that a spot may come to, those alike up to a renaming of suits taken together.

Let G be the renamings of suits that leave the board and both ranges of a spot as they are. Of the cards that
may come next, one of each orbit under G is dealt, and it stands for all of them; what is left of G then
(the renamings that keep that card, too) sorts the cards of the street after it, and so on. The hands of a
player on a board are told apart up to what is left of G there: a *bucket* is such a set of hands, of one hand
where nothing is left. If ranges are not symmetric, G is the identity alone, and every card is dealt.

Strategies of spots that treat alike what is alike lose nothing: the game has no other reason to
tell the orbits apart (Gilpin and Sandholm 2007, on isomorphic signals).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.deck import Cards, Deck
from equipoise.games.poker.ranges import all_hands, hand_number
from equipoise.games.poker.spots import Spot

Numbers = NDArray[np.int64]
Renaming = NDArray[np.int64]  # a card for every card

DEAD = -1
"""The bucket of a hand that shares a card with the board."""


@dataclass(frozen=True, eq=False)
class Runout:
    """A board of a spot.

    Attributes
    ----------
    cards
        The board.
    parent
        The board before its last card, as a place in the street before; -1 for the first.
    copies
        How many boards of the spot it stands for.
    buckets
        For each player, the bucket of each hand of the range, or ``DEAD``.
    widths
        For each player, the number of buckets.
    links
        For each player and bucket, the bucket it comes from on the board before.
    group
        The renamings that are left.
    """

    cards: Cards
    parent: int
    copies: int
    buckets: tuple[Numbers, Numbers]
    widths: tuple[int, int]
    links: tuple[Numbers, Numbers]
    group: tuple[Renaming, ...]


class BoardTree:
    """The boards of ``spot``, street by street."""

    def __init__(self, spot: Spot) -> None:
        self.spot = spot
        self._hand_number = _hand_numbers(spot)
        self._known: dict[tuple[int, bytes], Numbers] = {}
        group = _symmetries(spot)
        root = self._runout(np.sort(spot.board), -1, 1, group, None)
        self.streets: list[list[Runout]] = [[root]]
        while len(self.streets) < spot.streets:
            self.streets.append(self._next(self.streets[-1]))

    def _next(self, street: list[Runout]) -> list[Runout]:
        """Deal one card of each orbit to every board of a street."""
        found = []
        for place, board in enumerate(street):
            for card, size in self.orbits(board):
                left = tuple(g for g in board.group if g[card] == card)
                cards = np.append(board.cards, np.uint8(card))
                found.append(self._runout(cards, place, board.copies * size, left, board))
        return found

    def orbits(self, board: Runout) -> list[tuple[int, int]]:
        """Return the cards that may come, one of each orbit, and how many it stands for."""
        free = np.setdiff1d(np.arange(self.spot.deck.size), board.cards)
        images = np.stack([g[free] for g in board.group])
        is_first = images.min(axis=0) == free
        sizes = [len(set(images[:, i].tolist())) for i in np.flatnonzero(is_first)]
        return list(zip(free[is_first].tolist(), sizes, strict=True))

    def _runout(
        self,
        cards: Cards,
        parent: int,
        copies: int,
        group: tuple[Renaming, ...],
        before: Runout | None,
    ) -> Runout:
        buckets, widths, links = [], [], []
        for player, hands in enumerate(self.spot.hands):
            on_board = np.zeros(self.spot.deck.size, dtype=bool)
            on_board[cards] = True
            live = ~(on_board[hands[:, 0]] | on_board[hands[:, 1]])
            first = np.min([self.moved(player, g) for g in group], axis=0)
            kept, inverse = np.unique(first[live], return_inverse=True)
            bucket = np.full(len(hands), DEAD, dtype=np.int64)
            bucket[live] = inverse
            buckets.append(bucket)
            widths.append(len(kept))
            links.append(kept * 0 if before is None else before.buckets[player][kept])
        return Runout(
            cards,
            parent,
            copies,
            (buckets[0], buckets[1]),
            (widths[0], widths[1]),
            (links[0], links[1]),
            group,
        )

    def moved(self, player: int, renaming: Renaming) -> Numbers:
        """Return the place of each hand of a range after a renaming."""
        key = player, renaming.tobytes()
        if key not in self._known:
            hands = renaming[self.spot.hands[player]]
            places = self._hand_number[player][hands.min(axis=1), hands.max(axis=1)]
            self._known[key] = places
        return self._known[key]

    def locate(self, cards: Sequence[int]) -> tuple[int, Renaming]:
        """Return the board that stands for the spot's with ``cards`` after it, and how to rename to it.

        The board is a place in the street that so many cards lead to.
        """
        place, renaming = 0, np.arange(self.spot.deck.size)
        for street, card in enumerate(cards):
            group = self.streets[street][place].group
            images = [g[renaming[card]] for g in group]
            least = int(np.argmin(images))
            renaming = group[least][renaming]
            place = self._children[street][place, int(images[least])]
        return place, renaming

    @cached_property
    def _children(self) -> list[dict[tuple[int, int], int]]:
        """For each street, where each board goes with each of its cards."""
        return [
            {(board.parent, int(board.cards[-1])): i for i, board in enumerate(street)}
            for street in self.streets[1:]
        ]

    def hands(self, player: int, place: int, renaming: Renaming, street: int) -> Numbers:
        """Return the bucket of each hand of a range on a board that :meth:`locate` found, or ``DEAD``."""
        return self.streets[street][place].buckets[player][self.moved(player, renaming)]

    def deals(self, street: int) -> int:
        """Return how many runouts to a street there are for every pair of hands."""
        left = self.spot.deck.size - len(self.spot.board) - 4
        return int(np.prod([left - j for j in range(street)], dtype=np.int64))

    @cached_property
    def sequences(self) -> tuple[int, int]:
        """For each player, the numbers of a strategy: what a solve must hold in memory."""
        return self._count(0), self._count(1)

    def begin(self, player: int) -> int:
        """Return the first sequence of the first street, after those with which a player enters."""
        promise = self.spot.promise
        if promise is None or promise.player != player:
            return 1
        return 1 + promise.sequences(self.streets[0][0].widths[player])

    def slots(self, player: int, street: int) -> int:
        """Return how many actions of a player there are on a board of a street, at all her decisions."""
        tree = self.spot.tree
        own = np.flatnonzero((tree.player == player) & (tree.round == street))
        return sum(len(tree.successors[v]) for v in own.tolist())

    def on_street(self, player: int, street: int) -> int:
        """Return the numbers of a player's strategy on a street."""
        return self.slots(player, street) * sum(b.widths[player] for b in self.streets[street])

    def _count(self, player: int) -> int:
        return self.begin(player) + sum(
            self.on_street(player, street) for street in range(len(self.streets))
        )


@lru_cache(maxsize=4)
def board_tree(spot: Spot) -> BoardTree:
    """Return the boards of ``spot``."""
    return BoardTree(spot)


def _symmetries(spot: Spot) -> tuple[Renaming, ...]:
    """Return the renamings of suits that leave all the rules as they are, the identity first."""
    is_margin = spot.promise is not None and spot.promise.is_margin
    if is_margin or spot.joint is not None:
        # Hands that are alike would be chosen together, and count for as many as they are; and beliefs about pairs
        # leave none alike.
        return (np.arange(spot.deck.size),)
    promised = () if spot.promise is None else (spot.promise.values,)
    alike = (*spot.weights, *(lock.play for lock in spot.locks), *promised)
    return tuple(
        renaming
        for renaming in symmetries(spot.deck, alike)
        if np.array_equal(np.sort(renaming[spot.board]), np.sort(spot.board))
    )


def symmetries(deck: Deck, rows: Sequence[NDArray[np.float64]]) -> Iterator[Renaming]:
    """Yield the renamings of suits that leave arrays with a row a hand as they are, the identity first."""
    for renaming in _renamings(deck):
        moved = hand_number(np.sort(renaming[all_hands(deck)], axis=1), deck.size)
        if all(np.array_equal(own[moved], own, equal_nan=True) for own in rows):
            yield renaming


def _renamings(deck: Deck) -> list[Renaming]:
    cards = np.arange(deck.size)
    rank, suit = deck.rank_of(cards), deck.suit_of(cards)
    suits = len(deck.suits)
    return [rank * suits + np.array(own)[suit] for own in permutations(range(suits))]


def _hand_numbers(spot: Spot) -> tuple[Numbers, Numbers]:
    """For each player, the place of every hand in the range, by its cards, the lower one first."""
    tables = []
    for hands in spot.hands:
        table = np.full((spot.deck.size, spot.deck.size), DEAD, dtype=np.int64)
        table[hands[:, 0], hands[:, 1]] = np.arange(len(hands))
        tables.append(table)
    return tables[0], tables[1]
