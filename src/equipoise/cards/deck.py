"""Decks: ranks times suits, cards as small integers.

The card of rank ``r`` and suit ``s`` is the integer ``r * len(suits) + s``: cards of one rank are
adjacent and higher ranks have larger numbers. Arrays of cards are ``uint8``.

>>> deck = Deck.standard()
>>> deck.parse("Ah7d")
array([50, 21], dtype=uint8)
>>> deck.text([50, 21])
'Ah7d'
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import EquipoiseError, require_type

Cards = NDArray[np.uint8]

STANDARD_RANKS = "23456789TJQKA"
STANDARD_SUITS = "cdhs"


@dataclass(frozen=True)
class Deck:
    """One card for every pair of a rank symbol (lowest first) and a suit symbol.

    In a deck with a single suit, a card is written by its rank alone: ``K``, not ``Kc``.
    """

    ranks: str = STANDARD_RANKS
    suits: str = STANDARD_SUITS

    def __post_init__(self) -> None:
        for field, symbols in (("ranks", self.ranks), ("suits", self.suits)):
            distinct = isinstance(symbols, str) and len(set(symbols)) == len(symbols)
            if not distinct or not symbols or any(symbol.isspace() for symbol in symbols):
                raise EquipoiseError(
                    f"Deck.{field}: found {symbols!r}, expected distinct visible characters."
                )
        if self.size > 256:
            raise EquipoiseError(f"Deck: found {self.size} cards, expected at most 256.")

    @staticmethod
    def standard() -> Deck:
        """Return the usual 52 cards, deuce to ace in four suits."""
        return Deck()

    @staticmethod
    def small(ranks: int, suits: int = 1) -> Deck:
        """Return the deck of Kuhn (``small(3)``) or Leduc poker (``small(3, 2)``): king on top.

        The ace joins, on top, only when all thirteen ranks are asked for.
        """
        for field, found, limit in (("ranks", ranks, 13), ("suits", suits, 4)):
            require_type(
                f"Deck.small {field}", found, Integral, f"a whole number from 1 to {limit}"
            )
            if not 1 <= found <= limit:
                raise EquipoiseError(
                    f"Deck.small {field}: found {found}, expected 1 to {limit} "
                    "(larger decks: name the symbols yourself, Deck(ranks=..., suits=...))."
                )
        symbols = STANDARD_RANKS if ranks == 13 else STANDARD_RANKS[12 - ranks : 12]
        return Deck(symbols, STANDARD_SUITS[:suits])

    @property
    def size(self) -> int:
        """Number of cards."""
        return len(self.ranks) * len(self.suits)

    def rank_of(self, cards: ArrayLike) -> NDArray[np.intp]:
        """Rank of each card, 0 for the lowest."""
        return np.asarray(cards, dtype=np.intp) // len(self.suits)

    def suit_of(self, cards: ArrayLike) -> NDArray[np.intp]:
        """Suit of each card, as a position in ``suits``."""
        return np.asarray(cards, dtype=np.intp) % len(self.suits)

    def parse(self, text: str) -> Cards:
        """Return the cards written in ``text``, in order; white space is ignored."""
        symbols = "".join(text.split())
        width = 1 if len(self.suits) == 1 else 2
        if len(symbols) % width:
            raise EquipoiseError(
                f"Cards '{text}': found {len(symbols)} characters, expected a rank and a suit each."
            )
        cards = [self._card(symbols[i : i + width], text) for i in range(0, len(symbols), width)]
        if len(set(cards)) < len(cards):
            raise EquipoiseError(f"Cards '{text}': found a card twice, expected distinct cards.")
        return np.array(cards, dtype=np.uint8)

    def _card(self, name: str, text: str) -> int:
        """Return the card called ``name``; ``text`` is where it was found."""
        suit_name = name[1:] or self.suits
        rank, suit = self.ranks.find(name[0]), self.suits.find(suit_name)
        if rank < 0:
            raise EquipoiseError(
                f"Cards '{text}': found rank '{name[0]}', expected one of {self.ranks}."
            )
        if suit < 0:
            raise EquipoiseError(
                f"Cards '{text}': found suit '{suit_name}', expected one of {self.suits}."
            )
        return rank * len(self.suits) + suit

    def text(self, cards: ArrayLike) -> str:
        """Write ``cards`` (one card or a sequence of them) the way :meth:`parse` reads them."""
        return "".join(self._name(int(card)) for card in self.check(cards).ravel())

    def _name(self, card: int) -> str:
        rank, suit = divmod(card, len(self.suits))
        return self.ranks[rank] + (self.suits[suit] if len(self.suits) > 1 else "")

    def check(self, cards: ArrayLike) -> Cards:
        """Return ``cards`` as a ``uint8`` array, or say which value is not a card of this deck."""
        found = np.asarray(cards)
        if found.size and not np.issubdtype(found.dtype, np.integer):
            raise EquipoiseError(f"Cards: found {found.dtype} values, expected integers.")
        if found.size and (found.min() < 0 or found.max() >= self.size):
            wrong = int(found[(found < 0) | (found >= self.size)].flat[0])
            raise EquipoiseError(f"Cards: found {wrong}, expected 0 to {self.size - 1}.")
        return found.astype(np.uint8, copy=False)


STANDARD = Deck()
"""The usual 52 cards."""
