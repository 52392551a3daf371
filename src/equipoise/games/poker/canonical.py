"""Views of a poker game up to the symmetries of its deck.

Renaming suits changes no payoff, and where hands compare by rank alone, neither does exchanging
any cards of one rank. Views that such a renaming turns into each other are one. Deals are not
listed one by one: for every canonical board, with its number of copies, all pairs of hole cards are
compared at once.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations, combinations_with_replacement, permutations, product
from math import comb, factorial
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.cards.deck import Cards, Deck
from equipoise.cards.starting import starting_hand
from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import SHOWDOWN
from equipoise.games.signals.rounds import Floats, SignalRound, fingerprint

_SUITS = "abcd"
_MAX_PAIRS = 30_000_000  # up to renamings of suits
_SHOWDOWNS = 1000  # in a digest of rules

Numbers = NDArray[np.int64]


class Indexer(Protocol):
    """What :class:`equipoise.cards.isomorphism.HandIndexer` offers."""

    def size(self, round: int) -> int:
        """Number of classes of hands of the first ``round + 1`` groups."""

    def index(self, round: int, cards: ArrayLike) -> Numbers:
        """Class of each hand."""

    def unindex(self, round: int, index: ArrayLike) -> Cards:
        """A hand of each class."""

    def orbit(self, round: int, index: ArrayLike) -> Numbers:
        """Number of hands of each class."""


class RankIndexer:
    """Numbers hands by the ranks in each of their groups, suits ignored."""

    def __init__(self, cards_per_round: Sequence[int], deck: Deck) -> None:
        self._deck, self._groups = deck, tuple(cards_per_round)
        self._hands = [self._list(self._groups[: j + 1]) for j in range(len(self._groups))]
        self._codes = [self._code(ranks) for ranks in self._hands]

    def size(self, round: int) -> int:
        """Number of sequences of rank multisets."""
        return len(self._codes[round])

    def index(self, round: int, cards: ArrayLike) -> Numbers:
        """Number of each hand's ranks, group by group."""
        ranks = self._deck.rank_of(cards)
        first = 0
        for count in self._groups[: round + 1]:
            ranks[..., first : first + count].sort(axis=-1)
            first += count
        return np.searchsorted(self._codes[round], self._code(ranks))

    def unindex(self, round: int, index: ArrayLike) -> Cards:
        """Hands with these ranks; the k-th card of a rank has the k-th suit."""
        ranks = self._hands[round][np.asarray(index)]
        same = ranks[..., :, None] == ranks[..., None, :]
        suit = np.tril(same, -1).sum(axis=-1)
        return np.asarray(ranks * len(self._deck.suits) + suit, dtype=np.uint8)

    def orbit(self, round: int, index: ArrayLike) -> Numbers:
        """Ways to choose the suits: within a group, a set for every rank from those still left."""
        hands = self._hands[round][np.asarray(index)]
        return np.array([self._copies(hand, round) for hand in hands], dtype=np.int64)

    def _copies(self, hand: NDArray[np.int64], round: int) -> int:
        ways, first = 1, 0
        for count in self._groups[: round + 1]:
            before, group = hand[:first], hand[first : first + count]
            for rank in set(group.tolist()):
                left = len(self._deck.suits) - int((before == rank).sum())
                ways *= comb(left, int((group == rank).sum()))
            first += count
        return ways

    def _list(self, groups: Sequence[int]) -> Numbers:
        """List the hands that the deck can hold, as ranks, in order of their codes."""
        ranks, suits = range(len(self._deck.ranks)), len(self._deck.suits)
        choices = [combinations_with_replacement(ranks, count) for count in groups]
        hands = (sum(parts, ()) for parts in product(*choices))
        return np.array(
            [hand for hand in hands if max(map(hand.count, hand)) <= suits], dtype=np.int64
        ).reshape(-1, sum(groups))

    def _code(self, ranks: NDArray[np.integer]) -> Numbers:
        base = len(self._deck.ranks) ** np.arange(ranks.shape[-1])[::-1]
        return np.asarray((ranks * base).sum(axis=-1), dtype=np.int64)


class CanonicalViews:
    """The views of a two-player poker game, one for each class of hands; shared by the players."""

    def __init__(self, game: PokerGame) -> None:
        self.game = game
        self.indexer = hand_indexer(game, game.groups(game.rounds - 1))

    @property
    def canonical(self) -> CanonicalViews:
        """Ability: the views as classes of hands, which they are themselves."""
        return self

    @property
    def is_listed(self) -> bool:
        """Whether all hole cards can be compared on all boards: they cannot in Texas hold'em."""
        return self.game.pair_count(self.game.rounds - 1) <= _most_pairs(self.game)

    @cached_property
    def rounds(self) -> tuple[SignalRound, ...]:
        """The deals of each round, if there are few enough."""
        if not self.is_listed:
            pairs = self.game.pair_count(self.game.rounds - 1)
            raise EquipoiseError(
                f"{self.game.name}: found {pairs:,} deals of the last round, expected at most about "
                f"{_most_pairs(self.game):,} to list them; use a table of buckets instead."
            )
        return tuple(self._round(turn) for turn in range(self.game.rounds))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the deals; where they are too many, of the cards dealt and a sample of showdowns."""
        return fingerprint(self.rounds) if self.is_listed else _rules_digest(self.game)

    def count(self, turn: int, player: int = 0) -> int:
        """Return the number of classes of hands in round ``turn``."""
        return self.indexer.size(self._group(turn))

    def parent(self, turn: int, views: ArrayLike, player: int = 0) -> NDArray[np.uint32]:
        """Return the view of the previous round that each of ``views`` extends (0 in round 0)."""
        chosen = np.asarray(views)
        if turn == 0:
            return np.zeros(chosen.shape, dtype=np.uint32)
        before, group = self._group(turn - 1), self._group(turn)
        if before == group:
            return chosen.astype(np.uint32)
        hands = self.indexer.unindex(group, chosen)[..., : sum(self.game.groups(turn - 1))]
        return self.indexer.index(before, hands).astype(np.uint32)

    def label(self, turn: int, view: int, player: int = 0) -> str:
        """Name a view: hole cards, then the board; ``Ta7b7a`` in Rhode Island hold'em.

        Suits are renamed a, b, c, d so that the text comes first in the order of its cards: with
        one card a group, in order of first appearance. Only ranks show where suits do not matter.
        """
        group = self._group(turn)
        return self._text(self.indexer.unindex(group, [view])[0].tolist(), self.game.groups(turn))

    def starting_hands(self) -> list[tuple[str, float]]:
        """Return the name of each class of hole cards, and how likely it is dealt.

        Two cards are named as usual (:func:`equipoise.cards.starting.starting_hand`), others by :meth:`label`.
        """
        every = np.arange(self.count(0))
        share = self.indexer.orbit(0, every) / comb(self.game.deck.size, self.game.hole)
        hands = self.indexer.unindex(0, every)
        is_usual = self.game.hole == 2 and self.game.suited
        names = [
            starting_hand(hand, self.game.deck) if is_usual else self.label(0, k)
            for k, hand in enumerate(hands.tolist())
        ]
        return list(zip(names, share.tolist(), strict=True))

    def find(self, turn: int, label: str, player: int = 0) -> int:
        """Return the view called ``label``, which must be written the canonical way."""
        cards, expected = self._read(label), sum(self.game.groups(turn))
        if len(cards) != expected:
            raise EquipoiseError(
                f"Cards '{label}': found {len(cards)}, expected {expected} in round {turn + 1}."
            )
        view = int(self.indexer.index(self._group(turn), cards[None])[0])
        if self.label(turn, view) != label:
            raise EquipoiseError(
                f"Cards '{label}': expected the canonical name '{self.label(turn, view)}'."
            )
        return view

    def number(self, turn: int, view: Sequence[int], player: int = 0) -> int:
        """Return the number of a view given by its cards."""
        return int(self.indexer.index(self._group(turn), np.array([view], dtype=np.uint8))[0])

    def numbers(self, turn: int, hands: Cards) -> Numbers:
        """Return the numbers of many hands: rows of hole cards, then the board."""
        return self.indexer.index(self._group(turn), hands)

    def hands(self, turn: int, views: ArrayLike) -> Cards:
        """Return a hand of each view: hole cards, then the board."""
        return self.indexer.unindex(self._group(turn), views)

    @property
    def _names_suits(self) -> bool:
        return self.game.suited and len(self.game.deck.suits) > 1

    def _read(self, label: str) -> Cards:
        """Return cards with the ranks, and the suits if they matter, that ``label`` names."""
        deck = self.game.deck
        suits = _SUITS[: len(deck.suits)]
        if self._names_suits:
            return Deck(deck.ranks, suits).parse(label)
        copies = [label[:i].count(rank) for i, rank in enumerate(label)]
        if max(copies, default=0) >= len(suits):
            raise EquipoiseError(
                f"Cards '{label}': found a rank more often than the deck's {len(suits)} suits."
            )
        if len(suits) == 1:
            return deck.parse(label)
        return Deck(deck.ranks, suits).parse(
            "".join(rank + suits[k] for rank, k in zip(label, copies, strict=True))
        )

    def _text(self, cards: Sequence[int], groups: Sequence[int]) -> str:
        deck = self.game.deck
        suits = len(deck.suits)
        hands = []
        for renamed in permutations(range(suits)):
            hand: list[tuple[int, int]] = []
            for count in groups:
                group = cards[len(hand) : len(hand) + count]
                hand += sorted((-(card // suits), renamed[card % suits]) for card in group)
            hands.append(hand)
        shown = _SUITS if self._names_suits else [""] * suits
        return "".join(deck.ranks[-rank] + shown[suit] for rank, suit in min(hands))

    def _group(self, turn: int) -> int:
        """Return the indexer's round for a round of the game."""
        return len(self.game.groups(turn)) - 1

    def _round(self, turn: int) -> SignalRound:
        game, group = self.game, self._group(turn)
        boards, copies = board_classes(game, turn)
        holes = _holes(game)
        first, second = np.nonzero(_disjoint(holes, holes))
        free = _disjoint(boards, holes)
        size = self.indexer.size(group)
        hands = np.concatenate(
            [
                np.broadcast_to(holes, (len(boards), *holes.shape)),
                np.broadcast_to(boards[:, None, :], (len(boards), len(holes), boards.shape[1])),
            ],
            axis=-1,
        )
        view = np.zeros(free.shape, dtype=np.int64)
        view[free] = self.indexer.index(group, hands[free])
        board, pair = np.nonzero(free[:, first] & free[:, second])
        key = view[board, first[pair]] * size + view[board, second[pair]]
        pairs, place = np.unique(key, return_inverse=True)
        count = np.bincount(place, weights=copies[board])
        values: dict[str, Floats] = {}
        if SHOWDOWN in game.tree.kinds_ending(turn):
            strength = np.zeros(free.shape, dtype=np.int64)
            strength[free] = game.strength(
                game.deck, hands[free][:, : game.hole], hands[free][:, game.hole :]
            )
            sign = np.sign(strength[board, first[pair]] - strength[board, second[pair]])
            values[SHOWDOWN] = np.bincount(place, weights=copies[board] * sign) / count
        parents = self.parent(turn, np.arange(size))
        return SignalRound(
            parents=(parents, parents),
            pairs=((pairs // size).astype(np.uint32), (pairs % size).astype(np.uint32)),
            weight=count / count.sum(),
            values=values,
        )


def hand_indexer(game: PokerGame, groups: Sequence[int]) -> Indexer:
    """Return what numbers hands up to the symmetries of the deck of ``game``."""
    if not game.suited:
        return RankIndexer(groups, game.deck)
    from equipoise.cards.isomorphism import HandIndexer

    return HandIndexer(groups, game.deck)


def _rules_digest(game: PokerGame) -> str:
    """Return a digest of the deck, the cards dealt in each round and who wins some showdowns."""
    deck, size = game.deck, game.hole + sum(game.public)
    digest = hashlib.sha256(repr((deck.ranks, deck.suits, game.hole, game.public)).encode())
    # The one generator whose numbers are the same in every version of Python.
    source = random.Random(0)
    hands = np.array(
        [sorted(range(deck.size), key=lambda _: source.random()) for _ in range(_SHOWDOWNS)],
        dtype=np.uint8,
    )
    own, other = hands[:, : game.hole], hands[:, size : size + game.hole]
    board = hands[:, game.hole : size]
    first, second = (game.strength(deck, hole, board) for hole in (own, other))
    digest.update((first > second).tobytes() + (first < second).tobytes())
    return digest.hexdigest()[:16]


def _most_pairs(game: PokerGame) -> int:
    """Return how many pairs of hands are listed: symmetric ones are compared once."""
    return _MAX_PAIRS * factorial(len(game.deck.suits))


def board_classes(game: PokerGame, turn: int) -> tuple[Cards, Numbers]:
    """Return a board of each class in round ``turn``, and the number of boards of the class."""
    groups = game.groups(turn)[1:]
    if not groups:
        return np.zeros((1, 0), dtype=np.uint8), np.ones(1, dtype=np.int64)
    indexer = hand_indexer(game, groups)
    every = np.arange(indexer.size(len(groups) - 1))
    return indexer.unindex(len(groups) - 1, every), indexer.orbit(len(groups) - 1, every)


def _holes(game: PokerGame) -> Cards:
    """Return every hand of hole cards."""
    return np.array(list(combinations(range(game.deck.size), game.hole)), dtype=np.uint8)


def _disjoint(first: Cards, second: Cards) -> NDArray[np.bool_]:
    """Say for each row of ``first`` and each of ``second`` whether they share no card."""
    shared = np.zeros((len(first), len(second)), dtype=bool)
    for i in range(first.shape[1]):
        for j in range(second.shape[1]):
            shared |= first[:, i, None] == second[None, :, j]
    return ~shared
