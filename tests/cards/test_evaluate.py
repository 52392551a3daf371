"""Hand ranks: exhaustive category counts, an outside oracle, a slow reference, and laws."""

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pokerkit import Card, StandardHighHand

from equipoise.cards.deck import STANDARD, Deck
from equipoise.cards.evaluate import (
    FIVE_CARD,
    THREE_CARD,
    Evaluator,
    evaluator,
    five_card_ranks,
    leduc_ranks,
    three_card_ranks,
)
from equipoise.cards.isomorphism import HandIndexer
from equipoise.errors import EquipoiseError

# Number of hands in each category. Three cards: 22,100 times the probabilities of Table 3.1 of
# Gilpin (2009), which fixes ace high and low. Five and seven cards: Wikipedia, "Poker probability".
THREE_CARD_COUNTS = [16440, 3744, 1096, 720, 52, 48]
FIVE_CARD_COUNTS = [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]
SEVEN_CARD_COUNTS = [
    23294460,
    58627800,
    31433400,
    6461620,
    6180020,
    4047644,
    3473184,
    224848,
    41584,
]


def all_hands(cards: int, deck: Deck = STANDARD) -> np.ndarray:
    return np.array(list(combinations(range(deck.size), cards)), dtype=np.uint8)


def category_counts(hands: np.ndarray, ranks: Evaluator, weights=None) -> list[int]:
    found = np.bincount(
        ranks.category(ranks(hands)), weights, minlength=len(ranks.ranking.categories)
    )
    return found.astype(np.int64).tolist()


def test_three_card_categories():
    counts = category_counts(all_hands(3), evaluator(THREE_CARD, 3))
    assert counts == THREE_CARD_COUNTS
    published = [0.74389, 0.16941, 0.04959, 0.03258, 0.00235, 0.00217]  # Table 3.1
    assert np.allclose(np.array(counts) / 22100, published, atol=5e-6, rtol=0)


def test_five_card_categories():
    five = evaluator(FIVE_CARD, 5)
    assert five.classes == 7462  # Suffecool, "Cactus Kev's poker hand evaluator"
    assert category_counts(all_hands(5), five) == FIVE_CARD_COUNTS


def test_seven_card_categories():
    """All 133,784,560 hands, as 6,009,159 suit-isomorphism classes with their numbers of hands."""
    indexer, seven = HandIndexer((7,)), evaluator(FIVE_CARD, 7)
    classes = np.arange(indexer.size(0))
    hands, orbits = indexer.unindex(0, classes), indexer.orbit(0, classes)
    assert category_counts(hands, seven, orbits) == SEVEN_CARD_COUNTS
    assert len(np.unique(seven(hands))) == 4824  # distinct best fives; Wikipedia


def pokerkit_order(hands: np.ndarray) -> list[StandardHighHand]:
    texts = [STANDARD.text(hand) for hand in hands]
    return [StandardHighHand.from_game(tuple(Card.parse(text))) for text in texts]


@pytest.mark.parametrize("cards", [5, 6, 7])
def test_order_agrees_with_pokerkit(cards):
    rng = np.random.default_rng(cards)
    hands = np.array([rng.choice(52, cards, replace=False) for _ in range(600)])
    ranks, theirs = five_card_ranks(hands), pokerkit_order(hands)
    for i, j in pairwise(range(len(hands))):
        assert (ranks[i] > ranks[j]) == (theirs[i] > theirs[j])
        assert (ranks[i] == ranks[j]) == (theirs[i] == theirs[j])


def test_best_of_seven_is_the_best_of_its_fives():
    rng = np.random.default_rng(1)
    hands = np.array([rng.choice(52, 7, replace=False) for _ in range(5000)])
    fives = [five_card_ranks(hands[:, list(five)]) for five in combinations(range(7), 5)]
    assert (five_card_ranks(hands) == np.max(fives, axis=0)).all()


def test_only_an_ace_is_low_too():
    """The highest rank of an odd deck is below its lowest only if it is an ace, as in short-deck hold'em."""

    def category(text: str, ranks: str) -> str:
        deck = Deck(ranks, "cd")
        five = evaluator(FIVE_CARD, 5, deck)
        return FIVE_CARD.categories[int(five.category(five_card_ranks(deck.parse(text), deck)))]

    assert category("Ac6c7d8c9c", "6789TJQKA") == "straight"
    assert category("Ac6c7c8c9c", "6789TJQKA") == "straight flush"
    assert category("8c2c3d4c5c", "2345678") == "high card"
    assert category("8c2c3c4c5c", "2345678") == "flush"
    assert category("2c3c4d5c6c", "2345678") == "straight"


def slow_three_card_value(hand, deck: Deck) -> tuple:
    """Table 3.1 read aloud."""
    ranks = sorted(deck.rank_of(hand).tolist(), reverse=True)
    flush = len(set(deck.suit_of(hand).tolist())) == 1
    runs = {tuple(range(top, top - 3, -1)): top for top in range(2, len(deck.ranks))}
    runs.setdefault((len(deck.ranks) - 1, 1, 0), 1)
    straight = tuple(ranks) in runs
    counts = Counter(ranks)
    order = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    if straight:
        return (5 if flush else 3, [runs[tuple(ranks)]])
    if len(counts) == 1:
        return (4, order)
    if flush:
        return (2, order)
    return (1 if len(counts) == 2 else 0, order)


@pytest.mark.parametrize("deck", [Deck.small(n, s) for n, s in [(3, 3), (4, 4), (6, 2), (13, 1)]])
def test_three_card_ranks_agree_with_a_slow_reference(deck):
    hands = all_hands(3, deck)
    values = [slow_three_card_value(hand, deck) for hand in hands]
    order = sorted(range(len(hands)), key=lambda i: values[i])
    ranks = three_card_ranks(hands, deck)
    for i, j in pairwise(order):
        assert (ranks[i] == ranks[j]) == (values[i] == values[j])
        assert ranks[i] <= ranks[j]


def test_three_card_examples():
    """The order of Table 3.1, its example hands, and both ends of the ace."""
    falling = [
        "KsQsJs",
        "QsQhQc",
        "AsKhQd",
        "5h4s3c",
        "3h2sAc",
        "8d5d2d",
        "3h2d2s",
        "Js9h2c",
    ]
    ranks = [int(three_card_ranks(STANDARD.parse(text))) for text in falling]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == len(ranks)
    high_card = three_card_ranks(STANDARD.parse("2hAsKc"))
    assert evaluator(THREE_CARD, 3).category(high_card) == 0  # no straight around the corner
    wheel = STANDARD.parse("3h2sAc")
    assert (
        evaluator(THREE_CARD, 3, ace_low=False).category(three_card_ranks(wheel, ace_low=False))
        == 0
    )


def test_leduc_ranks():
    deck = Deck.small(3, 2)
    hole, board = np.meshgrid(np.arange(6), np.arange(6), indexing="ij")
    ranks = leduc_ranks(hole, board, deck)
    assert ranks[deck.parse("Jc"), deck.parse("Jd")] > ranks[deck.parse("Kc"), deck.parse("Jd")]
    assert ranks[deck.parse("Kc"), deck.parse("Jd")] > ranks[deck.parse("Qc"), deck.parse("Jd")]
    assert ranks[deck.parse("Kc"), deck.parse("Kd")] > ranks[deck.parse("Jc"), deck.parse("Jd")]
    assert ranks[deck.parse("Qc"), deck.parse("Jd")] == ranks[deck.parse("Qd"), deck.parse("Jd")]


HANDS = st.sampled_from([3, 5, 6, 7]).flatmap(
    lambda n: st.lists(st.integers(0, 51), min_size=n, max_size=n, unique=True)
)


@given(HANDS, st.permutations(range(4)), st.randoms())
def test_renaming_suits_and_reordering_cards_change_nothing(hand, suits, random):
    rank = three_card_ranks if len(hand) == 3 else five_card_ranks
    renamed = [4 * (card // 4) + suits[card % 4] for card in hand]
    random.shuffle(renamed)
    assert rank(hand) == rank(renamed)


@given(st.lists(st.integers(0, 51), min_size=7, max_size=7, unique=True))
def test_another_card_never_hurts(hand):
    ranks = [int(five_card_ranks(hand[:n])) for n in (5, 6, 7)]
    assert ranks == sorted(ranks)


def test_shape_is_kept():
    hands = np.arange(35).reshape(5, 7)
    assert five_card_ranks(np.stack([hands, hands])).shape == (2, 5)
    assert five_card_ranks(np.empty((0, 7), dtype=int)).shape == (0,)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: five_card_ranks([[0, 1, 2, 3, 4], [0, 1, 2, 3, 0]]), "Hand 1 (2c2d2h2s2c)"),
        (lambda: five_card_ranks([0, 1, 2, 3, 52]), "found 52"),
        (lambda: five_card_ranks([0, 1, 2, 3]), "Hand of 4 cards: expected 5 to 7"),
        (lambda: five_card_ranks(3), "found a single number"),
        (lambda: evaluator(FIVE_CARD, 5)([0, 1]), "found shape (2,), expected (..., 5)"),
        (lambda: evaluator(THREE_CARD, 3, Deck.small(2, 1)), "the 3 cards of a hand"),
        (lambda: evaluator(FIVE_CARD, 5).category(0), "expected values from 1 to 7462"),
    ],
)
def test_bad_input_is_told_in_a_sentence(make, sentence):
    with pytest.raises(EquipoiseError) as error:
        make()
    assert sentence in str(error.value)
