"""Spots: the rest of a hand of hold'em, from a board, two ranges, a pot, stacks and bet sizes.

What poker players open a solver for, and what GS1 and GS2 solved in real time from the turn on (Gilpin
2009, sections 6.3.1 and 6.4.1): with the board known, every hand told apart. Player 1 acts first on every
street ("out of position"), player 2 last. A deal is likely in proportion to the weights of both hands,
which share no card with each other or the board; the cards to come are dealt from those left.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.cards.deck import STANDARD_RANKS, STANDARD_SUITS, Cards, Deck
from equipoise.errors import EquipoiseError, quoted
from equipoise.games.poker.ranges import Weights, all_hands, read_joint, scaled
from equipoise.games.poker.spot_betting import spot_tree
from equipoise.games.poker.spot_locks import Lock, read_locks
from equipoise.games.poker.spot_promises import RESOLVE, Promise, promise_text, read_promise
from equipoise.games.poker.spot_told import (
    amount,
    name_of,
    range_told,
    read_board,
    read_hands,
    share,
)
from equipoise.games.signals.betting import BettingTree
from equipoise.games.signals.no_limit import NoLimit

STREETS = ("flop", "turn", "river")
BOARD = 5

_WHOLE = 100  # pots and stacks of so many chips, all whole, are bet in whole chips
_REST = 1e-12  # of all pairs of hands; what is left is found by subtraction


@dataclass(frozen=True, eq=False, repr=False)
class Spot:
    """A spot.

    Attributes
    ----------
    name
        As :func:`equipoise.load` takes it.
    deck, board
        The cards, and those on the board: three to five.
    weights
        For each player, the weight of every hand of the deck, zero where the board has one of its cards.
    tree
        The betting, one round a street; the pot is counted as paid half by each player.
    pot, stack
        What there is to be won at the start, and what each player has left to bet.
    locks
        What some hands do at some points (:mod:`equipoise.games.poker.spot_locks`).
    promise
        What one player's hands may have in place of the spot (:mod:`equipoise.games.poker.spot_promises`).
    joint
        What a pair of hands counts for beside both weights: a row and a column for every hand of the deck.
    """

    family: ClassVar[str] = "spot"
    players: ClassVar[tuple[str, str]] = ("OOP", "IP")

    name: str
    deck: Deck
    board: Cards
    weights: tuple[Weights, Weights]
    tree: BettingTree
    pot: float
    stack: float
    locks: tuple[Lock, ...] = ()
    promise: Promise | None = None
    joint: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        own, other = (weights[weights > 0] for weights in self.weights)
        most = own.sum() * other.sum() * (1.0 if self.joint is None else self.joint.max())
        if not own @ self.met[0] > _REST * most:
            raise EquipoiseError(
                "spot: found ranges in which every two hands share a card, or weigh nothing beside those "
                "that do, expected some that do not."
            )

    def __repr__(self) -> str:
        hands = " x ".join(str(len(own)) for own in self.hands)
        return (
            f"<Spot on {self.deck.text(self.board)}: {hands} hands, {len(self.tree.parent)} lines>"
        )

    @property
    def streets(self) -> int:
        """How many streets are left to bet on."""
        return BOARD + 1 - len(self.board)

    @property
    def is_raked(self) -> bool:
        """Whether somebody else takes a part of the pots: what players win does not cancel."""
        return self.tree.uneven is not None

    @cached_property
    def hands(self) -> tuple[Cards, Cards]:
        """The hands of each player's range, a row of two cards each, in the deck's order."""
        every = all_hands(self.deck)
        return every[self.weights[0] > 0], every[self.weights[1] > 0]

    @cached_property
    def reach(self) -> tuple[Weights, Weights]:
        """What the hands of each player count for: their weights, if they are dealt.

        Hands that a player chooses are counted so that what she then wins is a mean over what they may meet.
        """
        own = [weights[weights > 0] for weights in self.weights]
        if self.promise is not None and self.promise.is_margin:
            own[self.promise.player] = 1.0 / self.met[self.promise.player]
        return own[0], own[1]

    @cached_property
    def met(self) -> tuple[Weights, Weights]:
        """For each hand of each player, the weight of the other's hands that share no card with it."""
        first, second = self.weights
        if self.joint is None:
            return _met(first, second, self.deck), _met(second, first, self.deck)
        meets = self.meets
        return meets @ second[second > 0], meets.T @ first[first > 0]

    @cached_property
    def meets(self) -> NDArray[np.float64]:
        """For each pair of hands, what it counts for beside both weights: nothing if they share a card."""
        first, second = self.hands
        meets = np.ones((len(first), len(second)))
        for mine in first.T:
            for theirs in second.T:
                meets *= mine[:, None] != theirs[None, :]
        if self.joint is not None:
            meets *= self.joint[np.ix_(*(np.flatnonzero(own > 0) for own in self.weights))]
        return meets

    @cached_property
    def pairs(self) -> float:
        """What all pairs of hands that share no card count for, or one hand if it is chosen."""
        if self.promise is not None and self.promise.is_margin:
            return 1.0
        return float(self.reach[0] @ self.met[0])

    def strengths(self, board: Cards, hands: Cards) -> NDArray[np.integer[Any]]:
        """Return the ranks of hands on a whole board: the larger wins."""
        from equipoise.cards.evaluate import five_card_ranks

        rows = np.concatenate([hands, np.tile(board, (len(hands), 1))], axis=1)
        return five_card_ranks(rows, self.deck)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of cards, ranges, betting and payments."""
        tree = self.tree
        digest = hashlib.sha256("\0".join(tree.action).encode())
        digest.update(f"{self.deck.ranks} {self.deck.suits} {self.pot!r}".encode())
        for array in (tree.parent, tree.round, tree.player, tree.base, tree.scale):
            digest.update(np.ascontiguousarray(array, dtype=np.float64).tobytes())
        for cards in (self.board, *self.weights):
            digest.update(np.ascontiguousarray(cards).tobytes())
        for lock in self.locks:
            digest.update(f"lock {lock.node}".encode() + lock.play.tobytes())
        if self.promise is not None:
            named = f"{self.promise.gadget} {self.promise.player}"
            digest.update(named.encode() + self.promise.values.tobytes())
        if self.joint is not None:
            digest.update(b"joint" + self.joint.tobytes())
        return digest.hexdigest()[:16]


def spot(
    board: str,
    oop: str | ArrayLike,
    ip: str | ArrayLike,
    pot: float,
    stack: float,
    bets: str | None = None,
    raises: str | None = None,
    donk: str | None = None,
    cap: str | int | None = None,
    add_allin: float = 0.0,
    force_allin: float = 0.0,
    merge: float = 0.0,
    rake: float = 0.0,
    rake_cap: float | None = None,
    smallest: float | None = None,
    chip: float | None = None,
    lock: str | None = None,
    keeper: str | None = None,
    promised: str | ArrayLike | None = None,
    gadget: str = RESOLVE,
    joint: str | ArrayLike | None = None,
    ranks: str = STANDARD_RANKS,
    suits: str = STANDARD_SUITS,
) -> Spot:
    """Return a spot.

    Parameters
    ----------
    board
        Three to five cards, ``Td9d6h``.
    oop, ip
        The ranges of the player who acts first and of the one who acts last
        (:mod:`equipoise.games.poker.ranges`), in text or as one number a hand.
    pot, stack
        Chips in the pot, and the chips that each player has left (the smaller stack).
    bets, raises, donk
        Sizes on offer (:mod:`equipoise.games.poker.spot_betting`); raises are of the sizes of bets unless
        given, donk bets likewise. With none of the three hands are checked down.
    cap
        Most bets and raises on a street; as many as the stacks allow unless given.
    add_allin, force_allin, merge
        Add all-in where it is at most this share of the pot; make a bet all-in where at most this share
        of the pot after a call would be left; leave out sizes within about this much of a larger one.
        By default nothing is added, forced or merged.
    rake, rake_cap
        The share of every pot that is taken from its winner, and the most that is.
    smallest
        The smallest bet: one chip unless given.
    chip
        Bets are rounded to multiples of this; zero leaves them as they are. By default to whole chips
        where pot and stack are whole numbers of at least 100.
    lock
        What some hands do at some points, as in ``k: b60 AA,KQs:0.7`` (:mod:`.spot_locks`); the rest is
        solved around it.
    keeper, promised, gadget
        The player, ``oop`` or ``ip``, who solves the spot anew; what each hand of the other was promised, in chips
        of the pot, in text or as one number a hand; and what she may do with it, ``resolve`` or ``maxmargin``
        (:mod:`.spot_promises`).
    joint
        What pairs of hands count for beside the weights of both, if beliefs are no product of two ranges: a row and a
        column for every hand of the deck, as an array or a file of NumPy's (``.npy``).
    ranks, suits
        The deck, if it is not the usual one.
    """
    deck = Deck(ranks, suits)
    cards = read_board(board, deck)
    pot, stack = amount("pot", pot), amount("stack", stack)
    smallest = None if smallest is None else amount("smallest", smallest)
    chip = None if chip is None else amount("chip", chip, 0.0)
    add_allin, force_allin = share("add_allin", add_allin), share("force_allin", force_allin)
    merge = share("merge", merge)
    whole = all(own >= _WHOLE and own.is_integer() for own in (pot, stack))
    unit = (1.0 if whole else 0.0) if chip is None else chip
    least = smallest if smallest is not None else min(unit or 1.0, stack)
    tree = spot_tree(
        BOARD + 1 - len(cards),
        pot,
        NoLimit(
            (pot / 2 + stack,) * 2,
            least,
            chip=unit,
            nearest=True,
            add=add_allin,
            force=force_allin,
            merge=merge,
        ),
        bets=bets or "",
        raises=raises,
        donk=donk,
        cap=cap,
        rake=rake,
        rake_cap=rake_cap,
    )
    if len(tree.parent) == 1:
        raise EquipoiseError(
            f"spot: stack: found {stack:g} beside a pot of {pot:g}, expected one that leaves a bet."
        )
    offered = [own for own in (bets, raises, donk) if own is not None]
    if offered and not any(action.startswith("b") for action in tree.action):
        raise EquipoiseError(
            f"spot: bets: found {', '.join(map(quoted, offered))}, with which nobody may bet, expected "
            "sizes such as '50%,a'."
        )
    weights = (read_hands("oop", oop, cards, deck), read_hands("ip", ip, cards, deck))
    promise = read_promise(keeper, promised, gadget, weights, deck)
    beliefs = None if joint is None else scaled(read_joint(joint, deck))
    told = {
        "board": deck.text(cards),
        "oop": range_told(oop, weights[0], deck),
        "ip": range_told(ip, weights[1], deck),
        "pot": pot,
        "stack": stack,
        "bets": bets,
        "raises": raises,
        "donk": donk,
        "cap": cap,
        "add_allin": add_allin,
        "force_allin": force_allin,
        "merge": merge,
        "rake": rake,
        "rake_cap": rake_cap,
        "smallest": smallest,
        "chip": chip,
        "lock": lock,
        "keeper": keeper,
        "promised": promised
        if promised is None or isinstance(promised, str)
        else promise_text(promised, deck),
        "gadget": gadget,
        "joint": joint if joint is None or isinstance(joint, str) else "array",
        "ranks": None if ranks == STANDARD_RANKS else ranks,
        "suits": None if suits == STANDARD_SUITS else suits,
    }
    found = Spot(
        name_of(told),
        deck,
        cards,
        weights,
        tree,
        pot,
        stack,
        read_locks(lock, tree, deck),
        promise,
        beliefs,
    )
    return found if promise is None or not promise.is_margin else _with_choices(found, promise)


def _with_choices(spot: Spot, promise: Promise) -> Spot:
    """Return a spot without the hands that can meet none: they are not there to be chosen."""
    weights = [own.copy() for own in spot.weights]
    own = weights[promise.player]
    own[own > 0] *= spot.met[promise.player] > 0
    return replace(spot, weights=(weights[0], weights[1]))


def _met(own: Weights, other: Weights, deck: Deck) -> Weights:
    """Return for each hand of one range the weight of those of the ``other`` that share no card with it."""
    hands, by_card = all_hands(deck), np.zeros(deck.size)
    for card in (0, 1):
        np.add.at(by_card, hands[:, card], other)
    # Hands with either card are out; the very same hand was taken out twice.
    met = other.sum() - by_card[hands].sum(axis=1) + other
    # What rounding leaves of nothing is nothing.
    return np.asarray(np.where(met > _REST * other.sum(), met, 0.0)[own > 0])
