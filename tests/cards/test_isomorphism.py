"""Suit isomorphism: known sizes, and the laws of a numbering, exhaustively on small decks."""

from itertools import combinations, pairwise, permutations
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.cards.deck import STANDARD, Deck
from equipoise.cards.isomorphism import HandIndexer
from equipoise.errors import EquipoiseError

# Hold'em: Waugh (2013) and the program published with it. All follow from Burnside's lemma too.
KNOWN_SIZES = {
    (2, 3, 1, 1): [169, 1286792, 55190538, 2428287420],
    (2, 4): [169, 13960050],
    (2, 5): [169, 123156254],
    (3,): [1755],
    (4,): [16432],
    (5,): [134459],
    (1, 1, 1): [13, 325, 9997],
}


@pytest.mark.parametrize("rounds", KNOWN_SIZES)
def test_known_sizes(rounds):
    indexer = HandIndexer(rounds)
    assert [indexer.size(r) for r in range(len(rounds))] == KNOWN_SIZES[rounds]


SMALL = [
    ((1, 1), Deck.small(3, 2)),
    ((1, 1, 1), Deck.small(4, 4)),
    ((2, 2), Deck.small(4, 3)),
    ((1, 2, 1), Deck.small(3, 4)),
    ((4,), Deck.small(3, 4)),
    ((4, 1), Deck.small(2, 4)),
    ((2, 1), Deck.small(5, 1)),
    ((3, 3), Deck.small(2, 3)),
]


def burnside(rounds, deck: Deck) -> int:
    """Count classes as the mean number of hands that a renaming of suits leaves as they are.

    Such a hand's rounds are unions of the renaming's cycles (one copy of each cycle per rank), so
    their number is a coefficient of the product, over those copies, of 1 + sum_i x_i^length.
    """
    suits = range(len(deck.suits))
    fixed = 0
    renamings = list(permutations(suits))
    for renaming in renamings:
        ways = {(0,) * len(rounds): 1}
        for length in cycle_lengths(renaming) * len(deck.ranks):
            more = dict(ways)
            for taken, count in ways.items():
                for i in range(len(rounds)):
                    grown = (*taken[:i], taken[i] + length, *taken[i + 1 :])
                    if grown[i] <= rounds[i]:
                        more[grown] = more.get(grown, 0) + count
            ways = more
        fixed += ways.get(tuple(rounds), 0)
    return fixed // len(renamings)


def cycle_lengths(renaming) -> list[int]:
    lengths, seen = [], set()
    for suit in renaming:
        length = 0
        while suit not in seen:
            seen.add(suit)
            suit, length = renaming[suit], length + 1
        lengths += [length] if length else []
    return lengths


@pytest.mark.parametrize(
    ("rounds", "deck"), [*((rounds, STANDARD) for rounds in [*KNOWN_SIZES, (7,), (2, 2)]), *SMALL]
)
def test_sizes_agree_with_burnsides_lemma(rounds, deck):
    assert HandIndexer(rounds, deck).size(len(rounds) - 1) == burnside(rounds, deck)


def every_hand(rounds, deck: Deck) -> np.ndarray:
    """Every hand, as the cards of its rounds in order."""
    hands = [()]
    for cards in rounds:
        hands = [
            hand + drawn
            for hand in hands
            for drawn in combinations([c for c in range(deck.size) if c not in hand], cards)
        ]
    return np.array(hands)


def slow_classes(hands: np.ndarray, rounds, deck: Deck) -> list[tuple]:
    """The least image of each hand over all renamings of the suits."""
    suits, cuts = len(deck.suits), np.cumsum((0, *rounds))
    images = []
    for renaming in map(np.array, permutations(range(suits))):
        renamed = hands // suits * suits + renaming[hands % suits]
        for first, last in pairwise(cuts):
            renamed[:, first:last].sort(axis=1)
        images.append([tuple(hand) for hand in renamed.tolist()])
    return [min(same) for same in zip(*images, strict=True)]


@pytest.mark.parametrize(("rounds", "deck"), SMALL)
def test_exhaustively_on_small_decks(rounds, deck):
    """The index is a bijection between classes, found the slow way, and 0 .. size - 1."""
    indexer = HandIndexer(rounds, deck)
    for last in range(len(rounds)):
        hands = every_hand(rounds[: last + 1], deck)
        classes = slow_classes(hands, rounds[: last + 1], deck)
        index = indexer.index(last, hands)
        numbers, first, orbits = np.unique(index, return_index=True, return_counts=True)
        assert numbers.tolist() == list(range(indexer.size(last)))
        assert len(set(zip(classes, index.tolist(), strict=True))) == len(set(classes))
        assert len(set(classes)) == indexer.size(last)
        assert (indexer.index(last, indexer.unindex(last, numbers)) == numbers).all()
        assert (indexer.orbit(last, numbers) == orbits).all()
        assert (indexer.canonical(last, hands[first]) == indexer.unindex(last, numbers)).all()


@pytest.mark.parametrize("rounds", [(2, 3), (5,), (1, 1, 1)])
def test_every_index_of_standard_decks(rounds):
    indexer, last = HandIndexer(rounds), len(rounds) - 1
    numbers = np.arange(indexer.size(last))
    assert (indexer.index(last, indexer.unindex(last, numbers)) == numbers).all()
    deals = prod(comb(52 - sum(rounds[:i]), n) for i, n in enumerate(rounds))
    assert indexer.orbit(last, numbers).sum() == deals


HOLDEM = HandIndexer((2, 3, 1, 1))


@given(st.integers(0, 3), st.data())
def test_index_undoes_unindex(round, data):
    index = data.draw(st.integers(0, HOLDEM.size(round) - 1))
    hand = HOLDEM.unindex(round, index)
    assert len(set(hand.tolist())) == HOLDEM.cards(round)
    assert HOLDEM.index(round, hand) == index


@given(
    st.integers(0, 3),
    st.lists(st.integers(0, 51), min_size=7, max_size=7, unique=True),
    st.permutations(range(4)),
    st.randoms(),
)
def test_renaming_suits_and_reordering_a_round_change_nothing(round, hand, suits, random):
    renamed = [4 * (card // 4) + suits[card % 4] for card in hand]
    hole, flop = renamed[:2], renamed[2:5]
    random.shuffle(hole)
    random.shuffle(flop)
    cards = HOLDEM.cards(round)
    shuffled = [*hole, *flop, *renamed[5:]]
    assert HOLDEM.index(round, hand[:cards]) == HOLDEM.index(round, shuffled[:cards])


@given(st.integers(1, 3), st.data())
def test_isomorphic_hands_have_isomorphic_pasts(round, data):
    """Perfect recall: the class of a round decides the class of the round before."""
    index = data.draw(st.integers(0, HOLDEM.size(round) - 1))
    hand = HOLDEM.unindex(round, index)
    suits = np.array(data.draw(st.permutations(range(4))))
    renamed = hand // 4 * 4 + suits[hand % 4]
    before = HOLDEM.cards(round - 1)
    assert HOLDEM.index(round - 1, hand[:before]) == HOLDEM.index(round - 1, renamed[:before])


def test_shape_is_kept():
    hands = HOLDEM.unindex(1, [[0, 1, 2], [3, 4, 5]])
    assert hands.shape == (2, 3, 5)
    assert HOLDEM.index(1, hands).tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: HandIndexer(()), "cards_per_round: found ()"),
        (lambda: HandIndexer((2, 0)), "cards_per_round: found (2, 0)"),
        (lambda: HandIndexer((4, 4), Deck.small(3, 2)), "sum to at most 6 cards"),
        (lambda: HandIndexer((10, 10, 10)), "the tables would not fit"),
        (lambda: HandIndexer((1,), Deck("abc", "12345")), "found 3 ranks and 5 suits"),
        (lambda: HOLDEM.size(4), "round: found 4, expected 0 to 3"),
        (lambda: HOLDEM.index(0, [0, 1, 2]), "found shape (3,), expected (..., 2)"),
        (lambda: HOLDEM.index(0, [[0, 1], [7, 7]]), "Hand 1 (3s3s): found a card twice"),
        (lambda: HOLDEM.unindex(0, 169), "expected 0 to 168"),
        (lambda: HOLDEM.unindex(0, [1.5]), "round 0: found float64 values, expected integers"),
        (lambda: HOLDEM.orbit(0, ["AA"]), "round 0: found <U2 values, expected integers"),
        (lambda: HandIndexer((2, 3.5)), "cards_per_round: found 3.5, expected whole numbers"),
    ],
)
def test_bad_input_is_told_in_a_sentence(make, sentence):
    with pytest.raises(EquipoiseError) as error:
        make()
    assert sentence in str(error.value)


def test_the_standard_deck_is_the_default():
    assert HOLDEM.deck == STANDARD
