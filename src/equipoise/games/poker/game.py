"""Poker as data: a deck, cards dealt in each round, a betting tree, a ranking of hands.

Kuhn, Leduc and Texas hold'em (limit and no-limit) and Rhode Island hold'em differ in these four things only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.deck import Deck
from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import BettingTree, played_out
from equipoise.games.signals.chance import Deal, WithoutReplacement
from equipoise.games.signals.limit import limit
from equipoise.games.signals.no_limit import no_limit
from equipoise.games.signals.stage_game import OrderedGame, View, showdowns

if TYPE_CHECKING:
    from equipoise.cards.evaluate import Evaluator

Strength = Callable[[Deck, NDArray[np.uint8], NDArray[np.uint8]], NDArray[np.integer]]
"""From rows of hole cards and rows of board cards to numbers: the larger hand wins."""


@dataclass(frozen=True, eq=False, repr=False)
class PokerGame(OrderedGame):
    """A game with ordered signals over a deck: hole cards in round one, then a common board.

    Cards that come together to the same place are a set: a view holds them sorted.

    Attributes
    ----------
    deck
        The cards; signals are their numbers.
    strength
        The order of hands, for many hands at once.
    suited
        Whether ``strength`` looks at suits. If not, cards of one rank are interchangeable.
    big_blind
        The unit in which players count what they win, where there is one; 0 where there is none.
    """

    deck: Deck
    strength: Strength
    suited: bool
    big_blind: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hole < 1 or self.public[0] or any(any(row) for row in self.private[1:]):
            raise EquipoiseError(
                f"{self.name}: expected hole cards in round 1, and only board cards after it."
            )
        for turn in range(self.rounds):
            if self.tree.kinds_ending(turn) and any(self.public[turn + 1 :]):
                raise EquipoiseError(
                    f"{self.name}: found a showdown in round {turn + 1}, expected none before the "
                    "whole board is out."
                )

    @property
    def poker(self) -> PokerGame:
        """Ability: the game as one of hole cards and a board, which it is itself."""
        return self

    def _outcomes_cancel(self) -> bool:
        """A pot is won, lost or shared, so there is no need to look at every deal."""
        return True

    @property
    def hole(self) -> int:
        """Number of private cards of each player."""
        return self.private[0][0]

    def groups(self, turn: int) -> tuple[int, ...]:
        """Return how many cards of a view in round ``turn`` came together: hole cards first."""
        return (self.hole, *(count for count in self.public[: turn + 1] if count))

    def view(self, player: int, deal: Deal) -> View:
        """Return the player's hole cards and the board, each group as a set."""
        seen = super().view(player, deal)
        cards: list[int] = []
        for count in self.groups(self.rounds - 1):
            cards += sorted(seen[len(cards) : len(cards) + count])
        return tuple(cards)

    def view_count(self, player: int, turn: int) -> int:
        """Return the number of hands of round ``turn``, suits told apart."""
        return _ways(self.deck.size, self.groups(turn))

    def pair_count(self, turn: int) -> int:
        """Return the number of pairs of hands that two players can hold in round ``turn``."""
        return _ways(self.deck.size, (self.hole, *self.groups(turn)))


def _ways(cards: int, groups: Sequence[int]) -> int:
    """Return the ways to deal one set of each size, one after another."""
    left = [cards - sum(groups[:i]) for i in range(len(groups))]
    return math.prod(map(math.comb, left, groups))


def poker_game(
    name: str,
    *,
    deck: Deck,
    hole: int,
    board: Sequence[int],
    tree: BettingTree,
    showdown: str,
    big_blind: float = 0.0,
) -> PokerGame:
    """Return the game with ``hole`` cards a player and ``board[j]`` common cards in round ``j``.

    ``showdown`` names how hands compare, one of ``SHOWDOWNS``. Where ``tree`` has a showdown before
    the last round (an all-in), the rest of the board is dealt first.
    """
    if showdown not in SHOWDOWNS:
        raise EquipoiseError(
            f"{name}: showdown: found {showdown!r}, expected one of {', '.join(SHOWDOWNS)}."
        )
    needed = tree.players * hole + sum(board)
    if needed > deck.size:
        raise EquipoiseError(
            f"{name}: deck: found {deck.size} cards, expected at least the {needed} that are dealt."
        )
    strength, suited, hands = SHOWDOWNS[showdown]
    if (hole, sum(board)) not in hands:
        raise EquipoiseError(
            f"{name}: showdown: found {hole} hole and {sum(board)} board cards, expected for "
            f"{showdown!r} {' or '.join(f'{own} and {common}' for own, common in hands)}."
        )

    @lru_cache(maxsize=100_000)
    def ranking(public: Deal, private: Deal) -> int:
        rows = (np.array([cards], dtype=np.uint8) for cards in (private, public))
        return int(strength(deck, *rows)[0])

    return PokerGame(
        name=name,
        signals=tuple(deck.text(card) for card in range(deck.size)),
        chance=WithoutReplacement((Fraction(1),) * deck.size),
        public=tuple(board),
        private=tuple(((hole if j == 0 else 0),) * tree.players for j in range(len(board))),
        tree=played_out(tree, len(board) - 1),
        outcomes=showdowns(tree, ranking),
        ranking=ranking,
        deck=deck,
        strength=strength,
        suited=suited,
        big_blind=big_blind,
    )


def _named(game: str, **parameters: tuple[int, int]) -> str:
    """Name a game with those of its parameters, each with its default, that are not the default."""
    given = [f"{key}={value}" for key, (value, usual) in parameters.items() if value != usual]
    return f"{game}({','.join(given)})" if given else game


def kuhn(cards: int = 3, players: int = 2) -> PokerGame:
    """Kuhn (1950): one card each, ante 1, a single bet of 1; value -1/18 with three cards."""
    return poker_game(
        _named("kuhn", cards=(cards, 3), players=(players, 2)),
        deck=Deck.small(cards),
        hole=1,
        board=(0,),
        tree=limit(1, bets=(1,), cap=1, antes=1, players=players),
        showdown="high-card",
    )


def leduc(ranks: int = 3, suits: int = 2, players: int = 2) -> PokerGame:
    """Leduc poker with OpenSpiel's rules: ante 1, bets of 2 and 4, at most two bets a round."""
    return poker_game(
        _named("leduc", ranks=(ranks, 3), suits=(suits, 2), players=(players, 2)),
        deck=Deck.small(ranks, suits),
        hole=1,
        board=(0, 1),
        tree=limit(2, bets=(2, 4), cap=2, antes=1, players=players),
        showdown="pair",
    )


def no_limit_leduc(ranks: int = 3, suits: int = 2, stack: int = 12) -> PokerGame:
    """No-limit Leduc poker: ante 1, bets and raises of the pot or all-in.

    With twelve antes these are the stacks and sizes of DeepStack's Leduc (Moravcik et al. 2017).
    """
    return poker_game(
        _named("no_limit_leduc", ranks=(ranks, 3), suits=(suits, 2), stack=(stack, 12)),
        deck=Deck.small(ranks, suits),
        hole=1,
        board=(0, 1),
        tree=no_limit(2, stacks=stack, antes=1, bets=("100%", "all-in")),
        showdown="pair",
    )


def rhode_island(ranks: int = 13, suits: int = 4) -> PokerGame:
    """Rhode Island hold'em (Shi and Littman 2001; Gilpin 2009, section 3.1.2).

    Ante 500, bets of 1000, 2000 and 2000, at most three bets a round, player 1 first; the best
    three-card hand wins. In the full deck the ace is high and low.
    """
    return poker_game(
        _named("rhode_island", ranks=(ranks, 13), suits=(suits, 4)),
        deck=Deck.small(ranks, suits),
        hole=1,
        board=(0, 1, 1),
        tree=limit(3, bets=(1000, 2000, 2000), cap=3, antes=500),
        showdown="three-card",
    )


def limit_holdem() -> PokerGame:
    """Two-player limit Texas hold'em (Gilpin 2009, section 3.1.1).

    Blinds of 1 and 2, at most four bets a round, the big blind counted as one. Player 1 is the small
    blind, first to act before the flop and last after it.
    """
    tree = limit(4, bets=(2, 2, 4, 4), cap=4, blinds=(1, 2), first=(0, 1, 1, 1))
    return holdem("limit_holdem", tree)


def no_limit_holdem(model: str = "tartanian", stack: int = 1000) -> PokerGame:
    """Two-player no-limit Texas hold'em with the bets of a betting model (Gilpin 2009, section 7.4).

    Blinds of 1 and 2, ``stack`` chips each, whole chips. Player 1 is the big blind, as in the Betting Model
    Language: second to act before the flop and first after it. ``model`` is a name of
    :data:`equipoise.games.poker.betting_models.MODELS`, or a TOML file.
    """
    from equipoise.games.poker.betting_models import model_called

    tree = no_limit(
        4, stacks=stack, model=model_called(model), blinds=(2, 1), first=(1, 0, 0, 0), chip=1
    )
    return holdem(f"no_limit_holdem(model={model!r},stack={stack})", tree)


def holdem(name: str, tree: BettingTree) -> PokerGame:
    """Return Texas hold'em with any betting of up to four rounds."""
    return poker_game(
        name,
        deck=Deck.standard(),
        hole=2,
        board=(0, 3, 1, 1),
        tree=tree,
        showdown="five-card",
        big_blind=2,
    )


def _high_card(
    deck: Deck, hole: NDArray[np.uint8], board: NDArray[np.uint8]
) -> NDArray[np.integer]:
    return deck.rank_of(hole[..., 0])


def _pair_or_high_card(
    deck: Deck, hole: NDArray[np.uint8], board: NDArray[np.uint8]
) -> NDArray[np.integer]:
    from equipoise.cards.evaluate import leduc_ranks

    return leduc_ranks(hole[..., 0], board[..., 0], deck)


@dataclass(frozen=True)
class BestCards:
    """Hands compare by their best ``size`` cards, three or five, as in poker."""

    size: int

    def evaluator(self, deck: Deck, cards: int) -> Evaluator:
        """Return what ranks hands of ``cards`` cards of ``deck``."""
        from equipoise.cards.evaluate import FIVE_CARD, THREE_CARD, evaluator

        if self.size == FIVE_CARD.size:
            return evaluator(FIVE_CARD, cards, deck)
        # The ace is low, too, only where there is a deuce for it to precede.
        has_wheel = (deck.ranks[0], deck.ranks[-1]) == ("2", "A")
        return evaluator(THREE_CARD, cards, deck, ace_low=has_wheel)

    def __call__(
        self, deck: Deck, hole: NDArray[np.uint8], board: NDArray[np.uint8]
    ) -> NDArray[np.integer]:
        """Return the rank of each hand."""
        hands = np.concatenate([hole, board], axis=-1)
        return self.evaluator(deck, hands.shape[-1])(hands)


class Showdown(NamedTuple):
    """A way to compare hands: how, whether suits matter, and the numbers of hole and board cards."""

    strength: Strength
    suited: bool
    hands: tuple[tuple[int, int], ...]


SHOWDOWNS: dict[str, Showdown] = {
    "high-card": Showdown(_high_card, False, ((1, 0),)),
    "pair": Showdown(_pair_or_high_card, False, ((1, 1),)),
    "three-card": Showdown(BestCards(3), True, ((1, 2),)),
    "five-card": Showdown(BestCards(5), True, ((2, 3), (2, 4), (2, 5))),
}
"""Kuhn's, Leduc's, Rhode Island's and Texas hold'em's showdown."""
