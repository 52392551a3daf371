"""Starting hands by name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from equipoise.cards.deck import STANDARD, Cards, Deck
from equipoise.errors import EquipoiseError


def starting_hands(text: str, deck: Deck = STANDARD) -> Cards:
    """Return the two-card hands that ``text`` stands for, as rows.

    ``AKs`` are the suited ones, ``AKo`` the others, ``AK`` and ``AA`` all; ``AhKd`` is itself.

    >>> [len(starting_hands(text)) for text in ("AA", "AKs", "AKo", "AK", "AhKd")]
    [6, 4, 12, 16, 1]
    """
    symbols, kind = text[:2], text[2:]
    if len(text) == 4:
        return deck.parse(text)[None, :]
    if len(symbols) != 2 or kind not in ("", "s", "o") or not set(symbols) <= set(deck.ranks):
        raise EquipoiseError(
            f"Starting hand '{text}': expected two ranks of {deck.ranks}, then nothing, 's' or 'o', "
            "or two cards."
        )
    suits = range(len(deck.suits))
    high, low = (len(suits) * deck.ranks.index(symbol) for symbol in symbols)
    hands = {
        tuple(sorted((high + s, low + t)))
        for s, t in product(suits, suits)
        if high + s != low + t and (kind == "" or (s == t) == (kind == "s"))
    }
    return np.array(sorted(hands), dtype=np.uint8).reshape(-1, 2)


def starting_hand(cards: Sequence[int], deck: Deck = STANDARD) -> str:
    """Return the usual name of a hand of two cards, whatever its suits are called.

    >>> [starting_hand(STANDARD.parse(text)) for text in ("AhAd", "KsAs", "KsAd")]
    ['AA', 'AKs', 'AKo']
    """
    suits = len(deck.suits)
    low, high = sorted(int(card) for card in cards)
    names = deck.ranks[high // suits] + deck.ranks[low // suits]
    if high // suits == low // suits:
        return names
    return names + ("s" if high % suits == low % suits else "o")
