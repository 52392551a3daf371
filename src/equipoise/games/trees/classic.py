"""Kuhn poker, Leduc poker and liar's dice, written as rules.

They follow :class:`equipoise.games.trees.builder.Rules` and are the examples to copy for a game of your own:
a state is a small tuple, and each method answers one question about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from equipoise.cards.deck import Deck
from equipoise.errors import EquipoiseError
from equipoise.games.files.fields import shown
from equipoise.games.trees.builder import from_rules
from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame, Number
from equipoise.games.trees.growth import require_room

# Beyond these no tree fits anywhere; nothing is counted, let alone listed, before they are checked.
_MOST_CARDS, _MOST_SIDES = 10_000, 30
_RANKS, _SUITS = 13, 4


def _require_whole(game: str, **bounds: tuple[int, int, int]) -> None:
    """Raise unless each named parameter is a whole number between its bounds."""
    for name, (value, least, most) in bounds.items():
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise EquipoiseError(
                f"{game}: {name} is {shown(value)}, expected a whole number from {least} to {most:,}."
            )


class Kuhn:
    """Kuhn (1950): ``cards`` cards, one each, ante 1, one bet of 1; value -1/18 with three cards.

    A state is (cards dealt, history of p and b).
    """

    players = 2
    _OVER = frozenset({"pp", "pbp", "pbb", "bp", "bb"})

    def __init__(self, cards: int = 3) -> None:
        _require_whole("kuhn", cards=(cards, 2, _MOST_CARDS))
        self.cards = cards
        names = _card_names(cards, 1)
        # One suit needs no name: J, Q, K.
        self.names = names if cards > _RANKS else [name[0] for name in names]

    def initial(self) -> tuple[tuple[int, ...], str]:
        """No cards, no history."""
        return (), ""

    def player(self, state: tuple[tuple[int, ...], str]) -> int:
        """Nature deals twice, then the players alternate."""
        dealt, history = state
        if len(dealt) < 2:
            return CHANCE
        return TERMINAL if history in self._OVER else len(history) % 2

    def actions(self, state: tuple[tuple[int, ...], str]) -> Sequence[str]:
        """Pass (check or fold) or bet (bet or call)."""
        return ("p", "b")

    def _left(self, dealt: tuple[int, ...]) -> list[int]:
        return [card for card in range(self.cards) if card not in dealt]

    def chance(self, state: tuple[tuple[int, ...], str]) -> Sequence[tuple[str, Number]]:
        """Any card that is left, uniformly."""
        left = self._left(state[0])
        return [(self.names[card], Fraction(1, len(left))) for card in left]

    def next(self, state: tuple[tuple[int, ...], str], index: int) -> tuple[tuple[int, ...], str]:
        """Deal a card or append an action."""
        dealt, history = state
        if len(dealt) < 2:
            return (*dealt, self._left(dealt)[index]), history
        return dealt, history + "pb"[index]

    def information(self, state: tuple[tuple[int, ...], str]) -> str:
        """Own card and the history."""
        dealt, history = state
        return f"{self.names[dealt[len(history) % 2]]}{history}"

    def payoffs(self, state: tuple[tuple[int, ...], str]) -> Sequence[Number]:
        """The better card wins 1, or 2 after a called bet; a fold loses the ante."""
        (first, second), history = state
        better = 1 if first > second else -1
        if history == "bp":
            gain = 1
        elif history == "pbp":
            gain = -1
        else:
            gain = better * (2 if "b" in history else 1)
        return gain, -gain


class LeducState(NamedTuple):
    """Private cards, public card (-1: not dealt), finished rounds' history, this round's, chips in."""

    private: tuple[int, ...]
    public: int
    before: str
    history: str
    paid: tuple[int, int]


def _card_names(ranks: int, suits: int) -> list[str]:
    """Return ``Jc``, ``Jd``, ``Qc``, ...; numbers where a deck of cards has no more names."""
    if ranks > _RANKS or suits > _SUITS:
        return [str(card) for card in range(ranks * suits)]
    deck = Deck.small(ranks, suits)
    return [deck.text(card) for card in range(deck.size)]


class Leduc:
    """Leduc poker with OpenSpiel's rules: ante 1, bets of 2 then 4, at most two bets a round.

    ``ranks`` x ``suits`` cards; one private card each, a public card before the second round; a pair
    with it beats any other card. Value -0.085606424078 for 3 x 2 (OpenSpiel's tests).
    """

    players = 2

    def __init__(self, ranks: int = 3, suits: int = 2) -> None:
        _require_whole("leduc", ranks=(ranks, 1, _MOST_CARDS), suits=(suits, 1, _MOST_CARDS))
        if ranks * suits < 3:
            raise EquipoiseError(
                f"leduc: {ranks} ranks x {suits} suits make {ranks * suits} cards, expected 3 or more."
            )
        self.suits = suits
        self.deck = range(ranks * suits)
        self.names = _card_names(ranks, suits)

    def initial(self) -> LeducState:
        """Antes are in, nothing is dealt."""
        return LeducState((), -1, "", "", (1, 1))

    def player(self, state: LeducState) -> int:
        """Nature deals two cards, later a third; player 1 opens both rounds."""
        if len(state.private) < 2:
            return CHANCE
        history = state.history
        if history.endswith("f"):
            return TERMINAL
        if history.endswith("cc") or (history.endswith("c") and "r" in history):
            return CHANCE if state.public < 0 else TERMINAL
        return len(history) % 2

    def actions(self, state: LeducState) -> Sequence[str]:
        """Fold only against a bet; raise at most twice a round."""
        raises = state.history.count("r")
        if raises == 0:
            return ("c", "r")
        return ("f", "c", "r") if raises == 1 else ("f", "c")

    def _left(self, state: LeducState) -> list[int]:
        return [card for card in self.deck if card not in state.private]

    def chance(self, state: LeducState) -> Sequence[tuple[str, Number]]:
        """Any card that is left, uniformly."""
        left = self._left(state)
        return [(self.names[card], Fraction(1, len(left))) for card in left]

    def next(self, state: LeducState, index: int) -> LeducState:
        """Deal, or act: a call evens the chips, a raise adds the round's bet on top."""
        private, public, before, history, paid = state
        if len(private) < 2:
            card = self._left(state)[index]
            return LeducState((*private, card), public, before, history, paid)
        if self.player(state) == CHANCE:
            return LeducState(private, self._left(state)[index], history + "/", "", paid)
        action = self.actions(state)[index]
        if action != "f":
            bet = (2 if public < 0 else 4) if action == "r" else 0
            top = max(paid) + bet
            paid = (top, paid[1]) if len(history) % 2 == 0 else (paid[0], top)
        return LeducState(private, public, before, history + action, paid)

    def information(self, state: LeducState) -> str:
        """Own card, public card, and both histories."""
        own = self.names[state.private[len(state.history) % 2]]
        public = "" if state.public < 0 else self.names[state.public]
        return f"{own}|{public}|{state.before}{state.history}"

    def payoffs(self, state: LeducState) -> Sequence[Number]:
        """A fold loses what the folder paid; a showdown goes to the pair, then the higher rank."""
        if state.history.endswith("f"):
            loser = (len(state.history) - 1) % 2
            gain = -state.paid[0] if loser == 0 else state.paid[1]
            return gain, -gain
        board = state.public // self.suits
        first, second = (card // self.suits for card in state.private)
        strength = [(rank == board, rank) for rank in (first, second)]
        gain = state.paid[0] * ((strength[0] > strength[1]) - (strength[0] < strength[1]))
        return gain, -gain


class LiarsDice:
    """Liar's dice with one die each (OpenSpiel's rules): bids rise, the highest face is wild.

    A bid is (quantity, face), in increasing order; "liar" challenges the last bid, which stands if
    that many dice show its face or the wild one. Value -0.027131782945736 with six sides (OpenSpiel's
    tests). A state is (dice rolled, bids so far); bid ``2 * sides`` is the challenge.
    """

    players = 2

    def __init__(self, sides: int = 6) -> None:
        _require_whole("liars_dice", sides=(sides, 1, _MOST_SIDES))
        self.sides = sides
        self.liar = 2 * sides
        bids = (f"{1 + bid // sides}-{1 + bid % sides}" for bid in range(self.liar))
        self.names = (*bids, "liar")

    def initial(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """No dice, no bids."""
        return (), ()

    def player(self, state: tuple[tuple[int, ...], tuple[int, ...]]) -> int:
        """Nature rolls twice, then the players bid in turn until one challenges."""
        dice, bids = state
        if len(dice) < 2:
            return CHANCE
        return TERMINAL if bids and bids[-1] == self.liar else len(bids) % 2

    def _first_bid(self, bids: tuple[int, ...]) -> int:
        return bids[-1] + 1 if bids else 0

    def actions(self, state: tuple[tuple[int, ...], tuple[int, ...]]) -> Sequence[str]:
        """Any higher bid, or a challenge once there is one."""
        bids = state[1]
        return self.names[self._first_bid(bids) :] if bids else self.names[:-1]

    def chance(
        self, state: tuple[tuple[int, ...], tuple[int, ...]]
    ) -> Sequence[tuple[str, Number]]:
        """A fair die."""
        return [(str(face + 1), Fraction(1, self.sides)) for face in range(self.sides)]

    def next(
        self, state: tuple[tuple[int, ...], tuple[int, ...]], index: int
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Roll a die or make a bid."""
        dice, bids = state
        if len(dice) < 2:
            return (*dice, index + 1), bids
        return dice, (*bids, self._first_bid(bids) + index)

    def information(self, state: tuple[tuple[int, ...], tuple[int, ...]]) -> str:
        """Own die and all bids."""
        dice, bids = state
        return " ".join([str(dice[len(bids) % 2]), *(self.names[bid] for bid in bids)])

    def payoffs(self, state: tuple[tuple[int, ...], tuple[int, ...]]) -> Sequence[Number]:
        """The challenged bidder wins if the bid stands."""
        dice, bids = state
        quantity, face = 1 + bids[-2] // self.sides, 1 + bids[-2] % self.sides
        stands = sum(die in (face, self.sides) for die in dice) >= quantity
        bidder = len(bids) % 2
        gain = 1 if stands == (bidder == 0) else -1
        return gain, -gain


def kuhn(cards: int = 3) -> ExtensiveGame:
    """Return the tree of :class:`Kuhn` poker: 1 + n + 9 n (n - 1) nodes."""
    rules = Kuhn(cards)
    require_room("kuhn", 1 + cards + 9 * cards * (cards - 1))
    return from_rules(rules, "kuhn" if cards == 3 else f"kuhn(cards={cards})")


def leduc(ranks: int = 3, suits: int = 2) -> ExtensiveGame:
    """Return the tree of :class:`Leduc` poker: 15 nodes of betting a round, which 5 ways go through."""
    rules, cards = Leduc(ranks, suits), ranks * suits
    require_room("leduc", 1 + cards + cards * (cards - 1) * (15 + 5 * 15 * (cards - 2)))
    name = "leduc" if (ranks, suits) == (3, 2) else f"leduc(ranks={ranks},suits={suits})"
    return from_rules(rules, name)


def liars_dice(sides: int = 6) -> ExtensiveGame:
    """Return the tree of :class:`LiarsDice`: bids are sets of 2 s, most of them called once."""
    rules = LiarsDice(sides)
    require_room("liars_dice", 1 + sides + sides**2 * (2 ** (2 * sides + 1) - 1))
    return from_rules(rules, "liars_dice" if sides == 6 else f"liars_dice(sides={sides})")
