"""Decks: parsing and printing undo each other, and bad input is told in a sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.cards.deck import STANDARD, Deck
from equipoise.errors import EquipoiseError

DECKS = [STANDARD, Deck.small(3), Deck.small(3, 2), Deck.small(13, 4), Deck("JK", "cd")]


@given(st.data())
def test_parse_undoes_text(data):
    deck = data.draw(st.sampled_from(DECKS))
    cards = data.draw(st.lists(st.integers(0, deck.size - 1), unique=True))
    assert deck.parse(deck.text(cards)).tolist() == cards


def test_a_card_is_its_rank_times_suits_plus_its_suit():
    cards = STANDARD.parse("2c Ah 7d")
    assert cards.tolist() == [0, 12 * 4 + 2, 5 * 4 + 1]
    assert STANDARD.rank_of(cards).tolist() == [0, 12, 5]
    assert STANDARD.suit_of(cards).tolist() == [0, 2, 1]


def test_named_decks():
    assert Deck.standard() == STANDARD == Deck.small(13, 4)
    assert Deck.small(3).text(np.arange(3)) == "JQK"
    assert Deck.small(3, 2).text(np.arange(6)) == "JcJdQcQdKcKd"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Deck("KK", "c"), "Deck.ranks: found 'KK'"),
        (lambda: Deck("JQK", ""), "Deck.suits: found ''"),
        (lambda: Deck("J K", "c"), "Deck.ranks: found 'J K'"),
        (lambda: Deck("".join(map(chr, range(500, 800))), "c"), "found 300 cards"),
        (lambda: Deck.small(0), "Deck.small ranks: found 0"),
        (lambda: Deck.small(3, 5), "Deck.small suits: found 5"),
        (lambda: STANDARD.parse("Ah7"), "Cards 'Ah7': found 3 characters"),
        (lambda: STANDARD.parse("1h"), "Cards '1h': found rank '1'"),
        (lambda: STANDARD.parse("Ax"), "Cards 'Ax': found suit 'x'"),
        (lambda: STANDARD.parse("AhAh"), "found a card twice"),
        (lambda: STANDARD.text([52]), "Cards: found 52, expected 0 to 51"),
        (lambda: STANDARD.text([-1]), "Cards: found -1"),
        (lambda: STANDARD.check([0.5]), "found float64 values"),
    ],
)
def test_bad_input_is_told_in_a_sentence(make, sentence):
    with pytest.raises(EquipoiseError) as error:
        make()
    assert sentence in str(error.value)
