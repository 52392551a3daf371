"""Roll-outs: published matchups, brute force on small decks, and the laws of a showdown."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.cards.deck import STANDARD, Deck
from equipoise.cards.equity import all_in, rollout
from equipoise.cards.evaluate import FIVE_CARD, THREE_CARD, evaluator
from equipoise.cards.starting import starting_hands
from equipoise.errors import EquipoiseError


def test_aces_against_kings():
    """All 61,642,944 deals of the two classes."""
    outcomes = all_in(starting_hands("AA"), starting_hands("KK"))
    assert (outcomes.win, outcomes.tie) == (50371344, 285228)
    assert outcomes.win + outcomes.tie + outcomes.loss == 61642944


@pytest.mark.parametrize(
    ("first", "second", "percent"), [("AKs", "QQ", 46.0485), ("22", "AKo", 52.6492)]
)
def test_published_matchups(first, second, percent):
    value = all_in(starting_hands(first), starting_hands(second)).value
    assert float(value) == pytest.approx(percent / 100, abs=5e-7)


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [("AdAc", "KhKs", (1388072, 6538, 317694)), ("AdAc", "Td9d", (1338249, 6912, 367143))],
)
def test_matchups_counted_by_poker_eval(first, second, counts):
    """GNU poker-eval's counts over C(48, 5) boards: brainwagon.org, "Texas Hold'em Trivia" (2005)."""
    outcomes = all_in(STANDARD.parse(first), STANDARD.parse(second))
    assert (outcomes.win, outcomes.tie, outcomes.loss) == counts


def brute_force(board, hole: int, ranks, bins: int) -> dict[tuple[int, ...], list[int]]:
    """Outcomes and histogram of every hand, dealing every board and opponent one by one."""
    deck, found = range(ranks.deck.size), {}
    for hand in combinations([c for c in deck if c not in board], hole):
        row = [0] * (3 + bins)
        left = [c for c in deck if c not in board and c not in hand]
        for rest in combinations(left, ranks.cards - hole - len(board)):
            final = (*board, *rest)
            others = list(combinations([c for c in left if c not in rest], hole))
            own = int(ranks([*hand, *final]))
            theirs = ranks([[*other, *final] for other in others]).tolist()
            win, tie = sum(own > t for t in theirs), sum(own == t for t in theirs)
            row[0] += win
            row[1] += tie
            row[2] += len(theirs) - win - tie
            row[3 + min((2 * win + tie) * bins // (2 * len(theirs)), bins - 1)] += 1
        found[hand] = row
    return found


SMALL = [
    ([], 1, evaluator(THREE_CARD, 3, Deck.small(4, 3))),
    ([3], 1, evaluator(THREE_CARD, 3, Deck.small(5, 2))),
    ([0, 7], 1, evaluator(THREE_CARD, 3, Deck.small(5, 2))),
    ([], 2, evaluator(THREE_CARD, 3, Deck.small(3, 4))),
    ([1, 2], 2, evaluator(FIVE_CARD, 5, Deck.small(6, 2))),
]


@pytest.mark.parametrize(("board", "hole", "ranks"), SMALL)
def test_rollout_agrees_with_brute_force(board, hole, ranks):
    found = rollout(board, hole=hole, bins=4, ranks=ranks)
    expected = brute_force(board, hole, ranks, 4)
    table = np.column_stack([found.win, found.tie, found.loss, found.histogram])
    assert {tuple(h): row for h, row in zip(found.hands.tolist(), table.tolist(), strict=True)} == (
        expected
    )


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, 51), min_size=6, max_size=7, unique=True))
def test_rollout_is_all_in_against_everyone(cards):
    """Two roads: sorted hands with shared cards taken out, and dealing each pair of hands."""
    hand, board = sorted(cards[:2]), cards[2:]
    others = list(combinations([c for c in range(52) if c not in cards], 2))
    ours = rollout(board)
    row = int(np.flatnonzero((ours.hands == hand).all(axis=1))[0])
    pairs = all_in(hand, others, board)
    assert [ours.win[row], ours.tie[row], ours.loss[row]] == [pairs.win, pairs.tie, pairs.loss]


@given(st.lists(st.integers(0, 51), min_size=3, max_size=5, unique=True))
@settings(max_examples=5, deadline=None)
def test_what_one_wins_another_loses(board):
    found = rollout(board, bins=10)
    assert found.win.sum() == found.loss.sum()
    assert len(set((found.win + found.tie + found.loss).tolist())) == 1
    assert len(set(found.histogram.sum(axis=1).tolist())) == 1
    opponents = (found.win + found.tie + found.loss) // found.histogram.sum(axis=1)
    tenths = 10 * (2 * found.win + found.tie)
    assert (2 * opponents * (found.histogram @ np.arange(10)) <= tenths).all()
    assert (2 * opponents * (found.histogram @ np.arange(1, 11)) >= tenths).all()


# Exact values against a random hand: jazbo.com/poker/huholdem.html.
AGAINST_A_RANDOM_HAND = {
    "AA": 0.8520371,
    "KK": 0.8239568,
    "AKs": 0.6704463,
    "77": 0.6623602,
    "A4s": 0.5903364,
    "QJo": 0.5813469,
    "T8s": 0.5233437,
    "85o": 0.4142753,
}


@pytest.mark.slow
def test_published_values_against_a_random_hand():
    """C(50, 5) C(45, 2) deals for each hand, from 134,459 boards up to a renaming of suits."""
    found = rollout()
    assert set((found.win + found.tie + found.loss).tolist()) == {2118760 * 990}
    values = dict(zip(map(tuple, found.hands.tolist()), found.value.tolist(), strict=True))
    for name, published in AGAINST_A_RANDOM_HAND.items():
        for hand in starting_hands(name).tolist():
            assert values[tuple(hand)] == pytest.approx(published, abs=5e-8)


def test_starting_hands_name_169_classes():
    names = [
        a + b + kind
        for i, a in enumerate(STANDARD.ranks)
        for j, b in enumerate(STANDARD.ranks)
        for kind in ([""] if i == j else ["s", "o"] if i > j else [])
    ]
    hands = [tuple(hand) for name in names for hand in starting_hands(name).tolist()]
    assert len(names) == 169
    assert len(hands) == len(set(hands)) == 1326


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: starting_hands("AKx"), "Starting hand 'AKx'"),
        (lambda: starting_hands("A"), "Starting hand 'A'"),
        (lambda: rollout(hole=3), "found hole=3"),
        (lambda: rollout(bins=0), "bins=0"),
        (
            lambda: rollout(hole=2, ranks=evaluator(THREE_CARD, 3, Deck.small(4, 1))),
            "found a deck of 4 cards, expected at least 5",
        ),
        (lambda: rollout([0, 0, 1]), "Board: found 2c2c2d, expected at most 5 distinct cards"),
        (lambda: all_in([0, 1], [2, 3], range(4, 10)), "expected at most 5 distinct cards"),
        (lambda: all_in([0, 1], [2]), "hands of 2 and 1 cards"),
        (lambda: all_in([0, 1], [1, 2]), "no pair of hands without a common card"),
    ],
)
def test_bad_input_is_told_in_a_sentence(make, sentence):
    with pytest.raises(EquipoiseError) as error:
        make()
    assert sentence in str(error.value)
