"""Laws of tournament hands: chips are conserved, chances sum to one, prizes to the pool."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from equipoise.errors import EquipoiseError
from equipoise.games.tournaments.tournament import (
    Decision,
    Hands,
    Outcome,
    Tournament,
    decisions,
    describe,
    leads_to,
    outcomes,
)

PUBLISHED = Tournament(3, 13_500, (300, 600), (50, 30, 20))
SMALL = [
    Tournament(3, 2700, (300, 600), (50, 30, 20)),
    Tournament(3, 900, (100, 200), (70, 30), ante=100),
    Tournament(2, 3000, (300, 600), (10,)),
    Tournament(3, 1500, (100, 300), (1,), unit=100),
]


def hands(rules: Tournament, players: int = 3) -> Hands:
    return Hands(rules, players)


def test_the_published_tournament_has_946_states() -> None:
    # Positive stacks by position that sum to 45 units: C(44, 2).
    assert len(hands(PUBLISHED).states) == 946
    assert len(Hands(PUBLISHED, 2).states) == 44
    # Strategy spaces 2^169, 2 x 2^169, 3 x 2^169 (Ganzfried and Sandholm 2008): one, two and three decisions.
    assert [d.player for d in decisions(3)] == [0, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_chips_are_conserved_and_chances_sum_to_one(rules: Tournament) -> None:
    table = Hands(rules, rules.players)
    for stacks in table.states:
        for outcome in outcomes(rules.players):
            ends = list(table.settle(stacks, outcome))
            assert sum(chance for chance, _ in ends) == pytest.approx(1)
            for _, end in ends:
                assert sum(end) == rules.units
                assert min(end) >= 0


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_transitions_are_chances_and_prizes_make_up_the_pool(rules: Tournament) -> None:
    table = Hands(rules, rules.players)
    matrices, prizes = table.transitions()
    rows = len(table.states) * len(outcomes(rules.players))
    ahead = sum(np.asarray(m.sum(axis=1)).reshape(rows, -1) for m in matrices.values())
    assert ahead.min() >= 0
    assert ahead.max() <= 1 + 1e-12
    # What is still to be won after an outcome, and what is paid, is the whole pool.
    worth = sum(
        m @ np.tile(rules.prizes[:k], len(Hands(rules, k).states)) for k, m in matrices.items()
    )
    total = (worth + prizes).reshape(rows, -1).sum(axis=1)
    assert total == pytest.approx(rules.pool)


def test_every_outcome_follows_one_action_of_each_decision_that_is_reached() -> None:
    for outcome in outcomes(3):
        for player in range(3):
            ways = [
                (decision, action)
                for decision in decisions(3)
                for action in (0, 1)
                if decision.player == player and leads_to(decision, action, outcome)
            ]
            is_walk = player == 2 and outcome.inside == (2,)
            assert len(ways) == (0 if is_walk else 1)


def test_side_pots() -> None:
    table = hands(PUBLISHED)
    # Button 5, small blind 10, big blind 30, all in. The shortest wins 15, the next the side pot of 10.
    ((_, end),) = table.settle((5, 10, 30), Outcome((0, 1, 2), (0, 1, 2)))
    assert end == (15, 10, 20)
    # The two that tie split the main pot, and the big blind wins nothing.
    ((_, end),) = table.settle((6, 10, 29), Outcome((0, 1, 2), (0, 0, 1)))
    assert end == (9, 17, 19)
    # The small blind folds his unit to the pot.
    ((_, end),) = table.settle((5, 10, 30), Outcome((0, 2), (0, 1)))
    assert end == (11, 9, 25)
    # Nobody goes in: the big blind wins the small one.
    ((_, end),) = table.settle((5, 10, 30), Outcome((2,), (0,)))
    assert end == (5, 9, 31)


def test_odd_units_are_dealt_by_coin_flips() -> None:
    table = hands(PUBLISHED)
    # A pot of 5 + 5 + 1 units, split: the odd one goes to either.
    ends = {end: chance for chance, end in table.settle((5, 10, 30), Outcome((0, 2), (0, 0)))}
    assert ends == {(6, 9, 30): 0.5, (5, 9, 31): 0.5}


def test_blinds_force_players_in() -> None:
    table = hands(PUBLISHED)
    after_fold, after_jam = Decision(1, frozenset()), Decision(1, frozenset({0}))
    # All-in by the small blind.
    assert not table.has_choice((20, 1, 24), after_fold)
    # The big blind is all-in for one unit, which the small blind has posted.
    assert not table.has_choice((20, 24, 1), after_fold)
    assert table.has_choice((20, 23, 2), after_fold)
    assert table.has_choice((20, 24, 1), after_jam)
    # The button's unit is covered by the big blind's two.
    assert not table.has_choice((1, 20, 24), Decision(2, frozenset({0})))
    assert table.has_choice((1, 20, 24), Decision(2, frozenset({0, 1})))
    # Only antes force the button in.
    assert table.has_choice((1, 20, 24), Decision(0, frozenset()))
    with_ante = Hands(Tournament(3, 900, (100, 200), (70, 30), ante=100), 3)
    assert not with_ante.has_choice((1, 4, 4), Decision(0, frozenset()))


def test_of_two_who_go_out_the_larger_stack_takes_the_better_place() -> None:
    table = hands(PUBLISHED)
    assert table.places((5, 10, 30), (0, 0, 45)) == ((), {0: 20, 1: 30, 2: 50})
    assert table.places((10, 5, 30), (0, 0, 45)) == ((), {0: 30, 1: 20, 2: 50})
    assert table.places((8, 8, 29), (0, 0, 45)) == ((), {0: 25, 1: 25, 2: 50})


def test_the_big_blind_moves_on() -> None:
    table = hands(PUBLISHED)
    # Small blind to the button, big blind to the small, button to the big.
    assert table.places((15, 15, 15), (14, 16, 15)) == ((1, 2, 0), {})
    # Nobody has it twice in a row: if the button goes, the small blind is next.
    assert table.places((15, 15, 15), (0, 15, 30)) == ((2, 1), {0: 20})
    assert table.places((15, 15, 15), (15, 0, 30)) == ((2, 0), {1: 20})
    assert table.places((15, 15, 15), (15, 30, 0)) == ((1, 0), {2: 20})


def test_decisions_in_words() -> None:
    assert [describe(3, d) for d in decisions(3)] == [
        "button jams",
        "small blind jams after a fold",
        "small blind calls the button",
        "big blind calls the button",
        "big blind calls the small blind",
        "big blind calls both",
    ]
    assert [describe(2, d) for d in decisions(2)] == [
        "small blind jams",
        "big blind calls the small blind",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 1000, (100, 200), (10,)), "Players: found 1"),
        ((4, 1000, (100, 200), (10,)), "Players: found 4"),
        ((3, 1000, (300, 600), (10,)), "expected a multiple of the unit"),
        ((3, 900, (200, 100), (10,)), "small <= big"),
        ((3, 900, (100, 200), (10, 20)), "none below the next"),
        ((3, 900, (100, 200), (10, 5, 3, 1)), "4 of them for 3 players"),
        ((3, 900, (300, 900), (10,)), "above all stacks"),
        ((3, 600, (300, 300), (10,)), "at least one unit"),
    ],
)
def test_bad_rules(arguments: tuple, message: str) -> None:
    with pytest.raises(EquipoiseError, match=message):
        Tournament(*arguments)


@pytest.mark.parametrize(
    ("stacks", "message"),
    [
        ([4500, 4500, 4400], "multiples of the unit, 300"),
        ([4500, 4500, 4800], "sum to 13500"),
        ([13500], "from 2 to 3"),
        ([0, 6000, 7500], "positive multiples"),
    ],
)
def test_stacks_that_are_no_state(stacks: list[int], message: str) -> None:
    with pytest.raises(EquipoiseError, match=message):
        PUBLISHED.state(stacks)


def test_blinds_that_nobody_can_raise_over_leave_a_choice() -> None:
    # The big blind is all-in, and the others go in or not: play comes there like anywhere else.
    rules = Tournament(3, 1800, (300, 600), (10,))
    stacks = rules.state([600, 600, 600])
    assert stacks == (2, 2, 2) == rules.equal_stacks
    assert any(Hands(rules, 3).has_choice(stacks, move) for move in decisions(3))


def test_shares_of_equals_are_exact() -> None:
    rules = Tournament(3, 900, (100, 200), (Fraction(7), Fraction(3)))
    assert Hands(rules, 3).places((3, 3, 3), (0, 0, 9))[1] == {
        0: Fraction(3, 2),
        1: Fraction(3, 2),
        2: 7,
    }


def test_a_tournament_with_too_many_states_is_refused_before_they_are_listed() -> None:
    Tournament(players=3, chips=13_500, blinds=(300, 600), prizes=(50, 30, 20))
    for players, chips in ((2, 3 * 10**9), (3, 3 * 10**7)):
        with pytest.raises(EquipoiseError, match="states, expected at most"):
            Tournament(players=players, chips=chips, blinds=(300, 600), prizes=(50, 30))
