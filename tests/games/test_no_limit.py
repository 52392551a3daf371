"""No-limit betting: laws, PokerKit as an oracle for the rules, and limit betting as a special case."""

from __future__ import annotations

from typing import Any

import numpy as np
import pokerkit
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.cards.deck import Deck
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.files.openspiel import load_openspiel
from equipoise.games.signals.bet_sizes import BetSize, Wager, bet_size
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree
from equipoise.games.signals.limit import limit
from equipoise.games.signals.no_limit import no_limit
from equipoise.games.signals.unroll import unroll
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.saddle.lp import LP

AUTOMATIONS = (
    pokerkit.Automation.ANTE_POSTING,
    pokerkit.Automation.BET_COLLECTION,
    pokerkit.Automation.BLIND_OR_STRADDLE_POSTING,
    pokerkit.Automation.CARD_BURNING,
    pokerkit.Automation.HOLE_DEALING,
    pokerkit.Automation.BOARD_DEALING,
    pokerkit.Automation.CHIPS_PUSHING,
    pokerkit.Automation.CHIPS_PULLING,
)

SIZES = st.lists(
    st.sampled_from(["33%", "50%", "100%", "250%", "2x", "2.5x", "4x", 1, 3, 10, "min", "all-in"]),
    min_size=1,
    max_size=2,
    unique=True,
)


@st.composite
def games(draw: st.DrawFn) -> tuple[BettingTree, int, Any]:
    """Return two rounds of hold'em betting, the cap, and a start of the same hand in PokerKit."""
    big = draw(st.integers(2, 4))
    small, ante = draw(st.integers(1, big - 1)), draw(st.integers(0, 2))
    stacks = [big + ante + draw(st.integers(0, 30)) for _ in range(2)]
    pot_limit, cap = draw(st.booleans()), draw(st.sampled_from([2, 3]))
    tree = no_limit(
        2,
        stacks=stacks,
        # The bounds are among the sizes, so that PokerKit's can be compared with them.
        bets=[[*draw(SIZES), "min", "all-in"] for _ in range(2)],
        raises=[[*draw(SIZES), "min", "all-in"], ["min", "all-in"]],
        cap=cap,
        antes=ante,
        blinds=(small, big),
        first=(0, 1),
        pot_limit=pot_limit,
        chip=1,
    )

    def start() -> Any:
        # In PokerKit's heads-up game the last seat posts the small blind: our player 1.
        common = (AUTOMATIONS, True, ante, (small, big), big, list(reversed(stacks)), 2)
        if not pot_limit:
            return pokerkit.NoLimitTexasHoldem.create_state(*common)
        return pokerkit.PotLimitOmahaHoldem.create_state(*common)

    return tree, cap, start


def play(tree: BettingTree, node: int, state: Any) -> Any:
    """Play the way to ``node`` in PokerKit.

    There the larger stack cannot bet just what puts the other one all-in, if that is less than a
    full bet: it bets more, and gets back what cannot be called.
    """
    path = []
    while node:
        path.append(tree.action[node])
        node = int(tree.parent[node])
    for action in reversed(path):
        if action == "f":
            state.fold()
        elif action in "kc":
            state.check_or_call()
        else:
            least = state.min_completion_betting_or_raising_to_amount
            state.complete_bet_or_raise_to(max(int(action[1:]), least))
    return state


@settings(max_examples=60, deadline=None)
@given(games(), st.data())
def test_pokerkit_agrees_on_turns_bounds_and_payoffs(game: Any, data: st.DataObject) -> None:
    tree, cap, start = game
    node = data.draw(st.integers(0, len(tree.parent) - 1))
    while True:
        check(tree, node, cap, play(tree, node, start()))
        if tree.player[node] == TERMINAL:
            return
        node = data.draw(st.sampled_from(tree.children(node)))


def check(tree: BettingTree, node: int, cap: int, state: Any) -> None:
    if tree.player[node] != TERMINAL:
        assert state.actor_index == 1 - tree.player[node]
        labels = [tree.action[v] for v in tree.children(node)]
        assert ("f" in labels) == (state.checking_or_calling_amount > 0)
        amounts = [int(label[1:]) for label in labels if label[0] in "br"]
        if raises_in_round(tree, node) < cap:
            check_amounts(amounts, state)
        else:
            assert not amounts  # PokerKit has no cap
    elif tree.kind[node] == NO_OUTCOME:
        assert not state.status
        assert tree.base[node].tolist() == list(reversed(state.payoffs))
    else:
        assert state.actor_index is None or state.street_index == 2
        paid = [a - b for a, b in zip(state.starting_stacks, state.stacks, strict=True)]
        assert tree.scale[node] == min(paid)
        assert tree.base[node].tolist() == [0, 0]


def raises_in_round(tree: BettingTree, node: int) -> int:
    """Count the bets and raises of the node's round on the way to it, a blind as one."""
    turn, count = tree.round[node], int(tree.round[node] == 0)
    while node and tree.round[tree.parent[node]] == turn:
        count += tree.action[node][0] in "br"
        node = int(tree.parent[node])
    return count


def check_amounts(amounts: list[int], state: Any) -> None:
    """Compare amounts with PokerKit's bounds; it lets the larger stack bet what cannot be called."""
    least = state.min_completion_betting_or_raising_to_amount
    most = state.max_completion_betting_or_raising_to_amount
    if least is None:
        assert not amounts
        return
    effective = min(stack + bet for stack, bet in zip(state.stacks, state.bets, strict=True))
    assert amounts[0] == min(least, effective)
    assert amounts[-1] == min(most, effective)
    assert all(
        state.can_complete_bet_or_raise_to(amount) or amount == effective for amount in amounts
    )


LEDUC = (
    "universal_poker(betting=nolimit,numPlayers=2,numRounds=2,blind={} {},firstPlayer=1 1,"
    "numSuits=2,numRanks=3,numHoleCards=1,numBoardCards=0 1,stack={} {},bettingAbstraction=fcpa)"
)


@pytest.mark.parametrize("blinds", [(1, 1), (1, 2)])
@pytest.mark.parametrize("stacks", [(3, 3), (5, 5), (12, 12), (8, 3)])
def test_openspiel_agrees_on_leduc(blinds: tuple[int, int], stacks: tuple[int, int]) -> None:
    """Nodes, sequences and values of universal_poker: fold, call, a raise of the pot, all-in.

    With unequal stacks it has bets that nobody can call besides, so there only the values agree.
    """
    pytest.importorskip("pyspiel")
    theirs = load_openspiel(LEDUC.format(*blinds, *stacks))
    posted = {"antes": 1} if blinds == (1, 1) else {"blinds": blinds}
    # Antes or blinds: the checker cannot tell which argument an unpacked one is.
    game = poker.poker_game(
        "leduc",
        deck=Deck.small(3, 2),
        hole=1,
        board=(0, 1),
        tree=no_limit(2, stacks=stacks, bets=("100%", "all-in"), **posted),  # type: ignore[arg-type]
        showdown="pair",
    )
    ours = unroll(game)
    if stacks[0] == stacks[1]:
        assert (ours.nodes, ours.infosets) == (theirs.nodes, theirs.infosets)
        assert [ours.sequences(p) for p in (0, 1)] == [theirs.sequences(p) for p in (0, 1)]
    value = solve(build(theirs), LP()).value
    assert solve(build(game), LP()).value == pytest.approx(value, abs=1e-9)
    assert solve(build(ours), LP()).value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("blinds", [(), (1, 2)])
def test_fixed_sizes_and_deep_stacks_are_limit_betting(blinds: tuple[int, ...]) -> None:
    """A raise by the size of the bet, at most so often, is limit betting."""
    theirs = limit(2, bets=(2, 4), cap=(2, 3), antes=1, blinds=blinds)
    ours = no_limit(2, stacks=100, bets=[[2], [4]], cap=(2, 3), antes=1, blinds=blinds, smallest=2)
    for column in ("parent", "round", "player", "base", "scale", "kind"):
        assert np.array_equal(getattr(ours, column), getattr(theirs, column)), column
    assert [label[:1] for label in ours.action] == list(theirs.action)


def test_by_hand() -> None:
    """Stacks of 10, ante 1: a pot bet of 2, a raise of the pot (2 + 6) to 8, all-in for 9."""
    tree = no_limit(2, stacks=10, antes=1, bets=["100%", "all-in"])
    root = [tree.action[v] for v in tree.children(0)]
    assert root == ["k", "b2", "b9"]
    assert [tree.action[v] for v in tree.children(tree.find("b2"))] == ["f", "c", "r8", "r9"]
    # Only one chip is left after r8: a short all-in, to which there is no raise.
    assert [tree.action[v] for v in tree.children(tree.find("b2,R8"))] == ["f", "c", "r9"]
    assert [tree.action[v] for v in tree.children(tree.find("b2,R8,r9"))] == ["f", "c"]
    # All chips are in: the second round has no decision.
    end = tree.find("b9,C/")
    assert tree.player[end] == TERMINAL
    assert tree.round[end] == 1
    assert tree.scale[end] == 10
    assert tree.base[tree.find("b9,F")].tolist() == [1, -1]


def test_sizes_by_hand() -> None:
    facing = Wager(bet=4, pot=12, least=8, most=50)
    assert bet_size("50%").amount(facing) == 4 + 6
    assert bet_size("2.5x").amount(facing) == 10
    assert bet_size(6).amount(facing) == 10
    assert bet_size("min").amount(facing) == 8
    assert bet_size("all-in").amount(facing) == 50
    assert bet_size(BetSize("pot", 2)) == bet_size("200%")


def test_the_smaller_stack_bounds_both_players() -> None:
    even = no_limit(2, stacks=8, blinds=(1, 2), bets=["50%", "all-in"])
    for stacks in ((8, 30), (30, 8)):
        odd = no_limit(2, stacks=stacks, blinds=(1, 2), bets=["50%", "all-in"])
        assert odd.histories == even.histories
        assert np.array_equal(odd.base, even.base)


def test_a_stack_of_a_blind_leaves_call_or_fold() -> None:
    tree = no_limit(1, stacks=2, blinds=(1, 2), bets=["all-in"])
    assert tree.histories == ("", "f", "c")
    blind = no_limit(1, stacks=2, antes=2, bets=["all-in"])
    assert blind.histories == ("",)
    assert blind.scale[0] == 2


def test_chips_that_cannot_be_divided() -> None:
    tree = no_limit(1, stacks=20, antes=1.5, bets=["50%", "100%"], cap=1, chip=1, smallest=1)
    assert [tree.action[v] for v in tree.children(0)] == ["k", "b1", "b3"]
    free = no_limit(1, stacks=20, antes=1.5, bets=["50%", "100%"], cap=1, smallest=1)
    assert [free.action[v] for v in free.children(0)] == ["k", "b1.5", "b3"]


@pytest.mark.parametrize("stacks", [8.5, (8.5, 20)])
def test_all_in_is_the_rest_of_the_stack_whatever_the_chip(stacks: Any) -> None:
    tree = no_limit(1, stacks=stacks, antes=1, bets=["50%", "all-in"], cap=2, chip=1)
    assert [tree.action[v] for v in tree.children(0)] == ["k", "b1", "b7.5"]
    assert tree.scale.max() == 8.5


@pytest.mark.parametrize(
    ("match", "changes"),
    [
        ("the size '70', expected a positive number", {"bets": ["70"]}),
        ("the size '0%'", {"bets": ["0%"]}),
        ("the size -1", {"bets": [-1]}),
        ("the size True", {"bets": [True]}),
        ("the size nan", {"raises": [float("nan")]}),
        ("bets: found 3 entries", {"bets": [["50%"], ["50%"], ["50%"]]}),
        ("bets: found 2 entries", {"bets": [["50%"], "50%"]}),
        ("stacks: found 0", {"stacks": 0}),
        ("stacks: found 3 amounts", {"stacks": (1, 2, 3)}),
        ("stacks: found 1, expected at least what is put in without a choice, 3", {"stacks": 1}),
        ("smallest: found 0", {"smallest": 0}),
        ("smallest: found no blinds", {"antes": 0, "blinds": ()}),
        ("chip: found -1", {"chip": -1}),
        ("cap: found 0", {"cap": 0}),
        ("cap: found 101", {"cap": 101}),
        ("first: found seat 2", {"first": 2}),
        ("rounds: found 0", {"rounds": 0}),
        ("more than 100 raises in a round", {"bets": ["min"], "stacks": 1000}),
    ],
)
def test_bad_rules_name_the_field(match: str, changes: dict[str, Any]) -> None:
    rules: dict[str, Any] = {
        "rounds": 2,
        "stacks": 20,
        "bets": ["50%"],
        "antes": 1,
        "blinds": (1, 2),
    }
    with pytest.raises(EquipoiseError, match=match):
        no_limit(**{**rules, **changes})
