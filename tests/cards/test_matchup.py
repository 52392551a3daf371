"""Equities of ranges: both roads, against counts and against slow enumeration."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.cards import matchup as roads
from equipoise.cards.deck import STANDARD, Cards, Deck
from equipoise.cards.equity import all_in, check_board, subsets
from equipoise.cards.evaluate import FIVE_CARD, evaluator, five_card_ranks
from equipoise.cards.matchup import Matchup, matchup
from equipoise.cards.starting import starting_hands
from equipoise.errors import EquipoiseError
from equipoise.games.poker.ranges import all_hands, parse_range

SHORT = Deck.small(5, 3)
HANDS = subsets(SHORT.size, 2)


def slow(ranges: list[np.ndarray], board: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """Deal every hand and every board, one by one."""
    totals, deals = np.zeros((3, len(ranges))), 0

    def deal(place: int, held: tuple[tuple[int, ...], ...], weight: float) -> None:
        nonlocal deals
        gone = {card for hand in held for card in hand} | set(board)
        if place < len(ranges):
            for hand, own in zip(HANDS.tolist(), ranges[place], strict=True):
                if own and not gone & set(hand):
                    deal(place + 1, (*held, tuple(hand)), weight * own)
            return
        deals += 1
        left = [card for card in range(SHORT.size) if card not in gone]
        for rest in combinations(left, 5 - len(board)):
            rows = np.array([[*hand, *board, *rest] for hand in held])
            ranks = five_card_ranks(rows, SHORT)
            best = ranks == ranks.max()
            totals[0] += weight * best / best.sum()
            totals[1] += weight * (best & (best.sum() == 1))
            totals[2] += weight * (best & (best.sum() > 1))

    deal(0, (), 1.0)
    return totals / totals[0].sum(), deals


def same(found: Matchup, expected: tuple[np.ndarray, int]) -> None:
    np.testing.assert_allclose([found.shares, found.wins, found.ties], expected[0], atol=1e-12)
    assert found.deals == expected[1]


def by_road(road: Callable[..., Matchup], weights: list[np.ndarray], board: Cards) -> Matchup:
    """Take one of the roads, on a short deck."""
    renamings = roads._renamings(HANDS, board, SHORT)
    return road(weights, HANDS, board, renamings, evaluator(FIVE_CARD, 7, SHORT), None)


@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_two_roads_and_the_slow_one(data: st.DataObject) -> None:
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    board = tuple(random.permutation(SHORT.size)[: data.draw(st.integers(3, 5))].tolist())
    ranges = [random.random(len(HANDS)) * (random.random(len(HANDS)) < 0.1) for _ in range(2)]
    cards = check_board(SHORT, board, 5)
    try:
        weights = [roads._checked(own, i, cards, HANDS) for i, own in enumerate(ranges)]
        by_deals = by_road(roads._by_deals, weights, cards)
    except EquipoiseError:
        return
    expected = slow(ranges, board)
    same(by_deals, expected)
    same(by_road(roads._by_boards, weights, cards), expected)


def test_three_ranges() -> None:
    random = np.random.default_rng(4)
    ranges = [random.random(len(HANDS)) * (random.random(len(HANDS)) < 0.06) for _ in range(3)]
    same(matchup(ranges, (0, 4, 8), deck=SHORT), slow(ranges, (0, 4, 8)))


def test_four_ranges_where_suits_are_alike() -> None:
    # Two of the three suits may change places on this board: deals are counted by classes.
    random = np.random.default_rng(7)
    ranges = [np.zeros(len(HANDS)) for _ in range(4)]
    for own in ranges:
        own[random.permutation(len(HANDS))[:7]] = 1.0
    board = check_board(SHORT, (0, 3, 6, 9), 5)
    assert len(roads._renamings(HANDS, board, SHORT)) == 2
    same(matchup(ranges, board, deck=SHORT), slow(ranges, tuple(board.tolist())))


def test_suits_alike_need_fewer_boards() -> None:
    # A range that tells no suits apart, from an empty board: one board of each class is enough, whatever the
    # other range is.
    random = np.random.default_rng(2)
    ranks = HANDS // 3
    kind = ranks[:, 0] * 5 + ranks[:, 1] + 25 * (HANDS[:, 0] % 3 == HANDS[:, 1] % 3)
    plain, any_one = random.random(50)[kind], random.random(len(HANDS))
    board = check_board(SHORT, (), 5)
    renamings = roads._renamings(HANDS, board, SHORT)
    assert roads._is_symmetric(plain, renamings)
    assert not roads._is_symmetric(any_one, renamings)
    every = len(roads._boards([any_one, any_one], board, renamings, SHORT)[0])
    for weights in ([plain, any_one], [any_one, plain], [plain, plain[::-1].copy()]):
        assert len(roads._boards(weights, board, renamings, SHORT)[0]) < every
        found = by_road(roads._by_boards, weights, board)
        expected = by_road(roads._by_deals, weights, board)
        np.testing.assert_allclose(found.shares, expected.shares, atol=1e-12)
        np.testing.assert_allclose(found.ties, expected.ties, atol=1e-12)
        assert found.deals == expected.deals


def test_every_hand_against_a_range_that_tells_suits_apart() -> None:
    found = matchup([parse_range("random"), parse_range("AhKd")])
    one = all_in(starting_hands("AhKd"), all_hands(STANDARD))
    assert found.deals == 1225
    assert found.wins[1] == pytest.approx(int(one.win) / 1225 / comb(48, 5), abs=1e-12)
    assert found.ties[1] == pytest.approx(int(one.tie) / 1225 / comb(48, 5), abs=1e-12)


def test_more_hands_to_rank_than_hours_have_room_for_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    aces = parse_range("AA")
    monkeypatch.setattr(roads, "_MOST", 10**6)
    with pytest.raises(
        EquipoiseError, match=r"deals that differ by more than names of suits, each with 1,712,304 "
    ):
        matchup([aces, parse_range("KK")])


def test_aces_against_kings() -> None:
    # An exact count: 50,371,344 wins and 285,228 ties of 61,642,944.
    found = matchup([parse_range("AA"), parse_range("KK")])
    assert found.wins[0] == pytest.approx(50_371_344 / 61_642_944, abs=1e-14)
    assert found.ties[0] == pytest.approx(285_228 / 61_642_944, abs=1e-14)
    assert found.deals == 36


def test_single_hands_as_all_in() -> None:
    flop = STANDARD.parse("Td9d6h")
    found = matchup([parse_range("AhKh"), parse_range("QQ")], flop)
    expected = all_in(starting_hands("AhKh"), starting_hands("QQ"), flop)
    assert found.shares[0] == pytest.approx(float(expected.value), abs=1e-14)


def test_too_many_deals_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    every = [np.ones(1326)] * 3
    monkeypatch.setattr(roads, "free_memory_mb", lambda: 2000.0)
    with pytest.raises(
        EquipoiseError, match="ways or more to deal these ranges, which need"
    ) as error:
        matchup(every, STANDARD.parse("Td9d6h"))
    # After the flop two hands can be dealt in 1,176 x 1,081 ways, and a third is one of 1,176, shared cards or not.
    assert f"{1176 * 1081 * 1176:,} ways" in str(error.value)
    aces, kings, queens = (parse_range(name) for name in ("AA", "KK", "QQ"))
    assert matchup([aces, kings, queens], STANDARD.parse("Td9d6h2s3c")).deals == 6**3


def test_refusals() -> None:
    aces = parse_range("AA")
    with pytest.raises(EquipoiseError, match="1 hands or ranges, expected two to 6"):
        matchup([aces])
    with pytest.raises(EquipoiseError, match="range 2: found no hand that the board leaves"):
        matchup([aces, parse_range("AhAd")], STANDARD.parse("Ah2c3c"))
    with pytest.raises(EquipoiseError, match="range 2: found no hand of a positive weight"):
        matchup([aces, parse_range("KK:0")])
    with pytest.raises(EquipoiseError, match="no hands without a common card"):
        matchup([parse_range("AhAd"), parse_range("AhAc")], STANDARD.parse("2h2c3c"))
    with pytest.raises(EquipoiseError, match="not negative"):
        matchup([aces, -aces])
    with pytest.raises(EquipoiseError, match="found Ah2c3c4d5s6d, expected at most 5"):
        matchup([aces, aces], STANDARD.parse("Ah2c3c4d5s6d"))
