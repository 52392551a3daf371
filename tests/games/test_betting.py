"""Laws of betting trees, their text, and PokerKit as an oracle for the rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree
from equipoise.games.signals.explicit import explicit_stage
from equipoise.games.signals.limit import limit
from equipoise.games.signals.stages import assemble

TREES = {
    "kuhn": limit(1, bets=(1,), cap=1, antes=1),
    "leduc": limit(2, bets=(2, 4), cap=2, antes=1),
    "rhode island": limit(3, bets=(1000, 2000, 2000), cap=3, antes=500),
    "hold'em, three rounds": limit(3, bets=(2, 2, 4), cap=4, blinds=(1, 2), first=(0, 1, 1)),
    "three players": limit(1, bets=(1,), cap=2, antes=1, players=3),
    "four players": limit(1, bets=(2,), cap=1, blinds=(1, 2, 0, 0), first=2, players=4),
}


@pytest.fixture(params=TREES.values(), ids=TREES.keys())
def tree(request: pytest.FixtureRequest) -> BettingTree:
    return request.param


def test_preorder(tree: BettingTree) -> None:
    """The next node is the first child, or the next sibling of the nearest ancestor with one."""
    order: list[int] = []

    def walk(node: int) -> None:
        order.append(node)
        for child in tree.children(node):
            walk(child)

    walk(0)
    assert order == list(range(len(tree.parent)))


def test_leaves_and_only_leaves_are_terminal(tree: BettingTree) -> None:
    has_child = np.zeros(len(tree.parent), dtype=bool)
    has_child[tree.parent[1:]] = True
    assert np.array_equal(~has_child, tree.player == TERMINAL)
    assert not tree.scale[has_child].any()


def test_rounds_never_go_back(tree: BettingTree) -> None:
    assert (tree.round[1:] >= tree.round[tree.parent[1:]]).all()


def test_payments_are_zero_sum(tree: BettingTree) -> None:
    """Two players: base cancels. More: base and the pot, which is shared out, cancel."""
    shared = tree.scale if tree.players > 2 else 0
    assert np.allclose(tree.base.sum(axis=1) + shared, 0)


def test_history_leads_back(tree: BettingTree) -> None:
    assert len(set(tree.histories)) == len(tree.parent)
    assert all(tree.find(text) == node for node, text in enumerate(tree.histories))


def test_history_by_hand() -> None:
    tree = TREES["rhode island"]
    node = tree.find("kK/bRc/kBr")
    assert [tree.action[v] for v in tree.children(node)] == ["f", "c", "r"]
    assert tree.player[node] == 1
    assert tree.round[node] == 2
    # Antes 500; round two: three players' bets of 2000 make 4000 each; round three 2000 and 4000.
    fold = tree.find("kK/bRc/kBrF")
    assert tree.base[fold].tolist() == [6500, -6500]
    assert tree.kind[fold] == NO_OUTCOME
    call = tree.find("kK/bRc/kBrC")
    assert tree.scale[call] == 8500
    assert tree.kinds[tree.kind[call]] == "showdown"
    assert tree.base[call].tolist() == [0, 0]


@pytest.mark.parametrize("text", ["kk", "kK", "kK/bRcc", "z", "kK/bRc/kBrF/", "/", "kK/b R"])
def test_wrong_history_is_refused(text: str) -> None:
    """Wrong case, a missing or extra separator, an action too many, an unknown letter."""
    with pytest.raises(EquipoiseError, match=f"history '{text}': .* cannot follow"):
        TREES["rhode island"].find(text)


def test_sizes_by_hand() -> None:
    """Figure 5.1 of Gilpin (2009): 21 nodes, 8 decisions, 7 leaves that go on, in each round."""
    assert len(TREES["rhode island"].parent) == 14 + 7 * (14 + 7 * 21)
    assert len(TREES["kuhn"].parent) == 9
    assert len(TREES["leduc"].parent) == 10 + 5 * 15


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("cap", {"cap": 0}),
        ("cap", {"cap": (1, 0)}),
        ("bets", {"bets": (1,)}),
        ("bet", {"bets": (1, -2)}),
        ("first", {"first": 2}),
        ("first", {"first": (0, 0, 0)}),
        ("antes", {"antes": -1}),
        ("blinds", {"blinds": (1, 2, 3)}),
        ("players", {"players": 1}),
        ("rounds", {"rounds": 0}),
    ],
)
def test_bad_limits_name_the_field(field: str, arguments: dict[str, object]) -> None:
    rules: dict[str, object] = {"rounds": 2, "bets": (1, 2), "cap": 2, "antes": 1, **arguments}
    with pytest.raises(EquipoiseError, match=field):
        limit(**rules)  # type: ignore[arg-type] # wrong on purpose


LABELS = st.from_regex(r"[a-z][a-z0-9-]{0,5}", fullmatch=True)


def _stages(depth: int) -> st.SearchStrategy[dict[str, object]]:
    leaf = st.one_of(
        st.fixed_dictionaries({"stake": st.integers(0, 5)}),
        st.fixed_dictionaries({"fold": st.integers(1, 2), "stake": st.integers(0, 5)}),
        st.fixed_dictionaries({"over": st.just(True), "pay": st.integers(-5, 5)}),
        st.fixed_dictionaries({"outcome": st.just("showdown")}),
    )
    if depth == 0:
        return leaf
    actions = st.dictionaries(LABELS, _stages(depth - 1), min_size=1, max_size=3)
    return leaf | st.fixed_dictionaries({"player": st.integers(1, 2), "actions": actions})


@settings(max_examples=60, deadline=None)
@given(st.lists(_stages(2), min_size=1, max_size=3))
def test_explicit_stages_obey_the_laws(stages: list[dict[str, object]]) -> None:
    tree = assemble([explicit_stage(stage) for stage in stages], paid=(1, 1))
    test_preorder(tree)
    test_leaves_and_only_leaves_are_terminal(tree)
    test_rounds_never_go_back(tree)
    test_payments_are_zero_sum(tree)
    test_history_leads_back(tree)


def test_limit_written_out_is_limit() -> None:
    """Kuhn's betting as nested data gives the same arrays."""
    end = {"f": {"fold": 1, "stake": [0, 1]}, "c": {"stake": 1}}
    answer = {"f": {"fold": 2, "stake": [1, 0]}, "c": {"stake": 1}}
    description = {
        "player": 1,
        "actions": {
            "k": {"player": 2, "actions": {"k": {}, "b": {"player": 1, "actions": end}}},
            "b": {"player": 2, "actions": answer},
        },
    }
    ours, theirs = assemble([explicit_stage(description)], paid=(1, 1)), TREES["kuhn"]
    assert ours.histories == theirs.histories
    for column in ("parent", "round", "player", "base", "scale", "kind"):
        assert np.array_equal(getattr(ours, column), getattr(theirs, column)), column


@pytest.mark.parametrize(
    ("match", "stage"),
    [
        ("stage.player", {"player": 3, "actions": {"a": {}}}),
        ("stage.actions", {"player": 1, "actions": {}}),
        ("stage.actions", {"player": 1, "actions": {"Up": {}}}),
        (r"stage\.a\.pay", {"player": 1, "actions": {"a": {"pay": "much"}}}),
        (r"stage\.a\.prize", {"player": 1, "actions": {"a": {"prize": 3}}}),
        (r"stage\.a\.scale", {"player": 1, "actions": {"a": {"scale": 3}}}),
        ("more than one", {"fold": 1, "over": True}),
        (r"stage\.stake", {"stake": [1, 2, 3]}),
    ],
)
def test_bad_stage_names_the_place(match: str, stage: dict[str, object]) -> None:
    with pytest.raises(EquipoiseError, match=match):
        assemble([explicit_stage(stage)], paid=(1, 1))


def test_pokerkit_agrees_on_limit_holdem() -> None:
    """PokerKit plays every line of two rounds of limit hold'em: turns, legal actions, pots agree.

    It allows four raises besides the blind before the flop; our cap counts the blind as a bet.
    """
    pokerkit = pytest.importorskip("pokerkit")
    tree = limit(2, bets=(2, 2), cap=(5, 4), blinds=(1, 2), first=(0, 1))

    def play(node: int) -> object:
        path = []
        while node:
            path.append(tree.action[node])
            node = int(tree.parent[node])
        state = pokerkit.FixedLimitTexasHoldem.create_state(
            (
                pokerkit.Automation.ANTE_POSTING,
                pokerkit.Automation.BET_COLLECTION,
                pokerkit.Automation.BLIND_OR_STRADDLE_POSTING,
                pokerkit.Automation.CARD_BURNING,
                pokerkit.Automation.HOLE_DEALING,
                pokerkit.Automation.BOARD_DEALING,
                pokerkit.Automation.CHIPS_PUSHING,
                pokerkit.Automation.CHIPS_PULLING,
            ),
            True,
            0,
            (1, 2),
            2,
            4,
            1000,
            2,
        )
        for action in reversed(path):
            if action == "f":
                state.fold()
            elif action in "kc":
                state.check_or_call()
            else:
                state.complete_bet_or_raise_to()
        return state

    # In PokerKit's heads-up game the last seat posts the small blind: our player 1.
    for node in range(len(tree.parent)):
        state = play(node)
        if tree.player[node] != TERMINAL:
            assert state.actor_index == 1 - tree.player[node]
            legal = {tree.action[v] for v in tree.children(node)}
            assert bool(legal & {"b", "r"}) == state.can_complete_bet_or_raise_to()
            assert ("f" in legal) == (state.checking_or_calling_amount > 0)
        elif tree.kind[node] == NO_OUTCOME:
            assert not state.status
            assert tree.base[node].tolist() == list(reversed(state.payoffs))
        else:
            assert state.street_index == 2
            assert tree.scale[node] == state.total_pot_amount / 2
