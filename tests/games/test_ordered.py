"""Games with signals: laws over every one, both roads to the same payoffs, published sizes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL
from equipoise.games.signals.chance import Joint, WithoutReplacement
from equipoise.games.signals.limit import limit
from equipoise.games.signals.sizes import limit_nonzeros, payoff_nonzeros, sequence_counts, sizes
from equipoise.games.signals.stage_game import (
    OrderedGame,
    StageGame,
    check_order,
    deals,
    ordered_game,
)
from equipoise.games.signals.unroll import SignalRules, unroll
from equipoise.games.signals.views import signal_rounds, views
from equipoise.games.trees import classic
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.saddle.lp import LP


def test_deals_are_a_distribution(game: StageGame) -> None:
    """Exactly: probabilities of deals sum to one in every round, and extend one another."""
    before = {(): Fraction(1)}
    for turn in range(game.rounds):
        listed = deals(game, turn)
        assert sum(weight for _, weight in listed) == 1
        assert len(dict(listed)) == len(listed) == game.chance.prefixes(game.revealed[turn])
        length = game.revealed[turn - 1] if turn else 0
        sums: dict[tuple[int, ...], Fraction] = {}
        for deal, weight in listed:
            sums[deal[:length]] = sums.get(deal[:length], Fraction(0)) + weight
        assert sums == before
        before = dict(listed)


def test_tree_has_the_computed_sizes(game: StageGame) -> None:
    """Two roads: sizes from the factors, and the tree (which also checks recall and chance)."""
    tree, counted = unroll(game), sizes(game)
    assert tree.nodes == counted.nodes
    assert np.bincount(tree.infoset_player).tolist() == list(counted.infosets)
    assert [tree.sequences(i) for i in range(game.players)] == list(counted.sequences)


def test_payoff_matrix_has_the_computed_nonzeros(duel: StageGame) -> None:
    form = build(unroll(duel))
    counted = sizes(duel)
    assert form.A.nonzeros == counted.payoff_nonzeros
    assert counted.payoff_nonzeros == payoff_nonzeros(
        duel.tree, signal_rounds(duel, symmetry=False)
    )
    assert counted.rows is not None
    assert counted.rows + counted.columns == sum(counted.infosets) + sum(counted.sequences) + 2


def test_payoffs_are_zero_sum(game: StageGame) -> None:
    tree = unroll(game)
    assert all(sum(tree.numbers[i] for i in row) == 0 for row in tree.payoff)


def test_both_roads_pay_the_same(duel: StageGame) -> None:
    """Random behaviour: the explicit tree and the two factors give the same expected payment."""
    rng = np.random.default_rng(7)
    named = views(duel, symmetry=False)
    tree = duel.tree
    behaviour = {
        node: rng.dirichlet(
            np.ones(len(tree.successors[node])),
            size=named.rounds[tree.round[node]].views[tree.player[node]],
        )
        for node in np.flatnonzero(tree.player != TERMINAL)
    }

    total = 0.0
    for leaf in np.flatnonzero(tree.player == TERMINAL):
        deal = named.rounds[tree.round[leaf]]
        payment = np.full(len(deal.weight), tree.base[leaf, 0])
        if tree.kind[leaf] != NO_OUTCOME:
            payment += tree.scale[leaf] * deal.values[tree.kinds[tree.kind[leaf]]]
        reach = deal.weight.copy()
        child, turn = int(leaf), int(tree.round[leaf])
        now = [deal.pairs[0].astype(int), deal.pairs[1].astype(int)]
        while (node := int(tree.parent[child])) >= 0:
            while turn > tree.round[node]:
                now = [named.rounds[turn].parents[i][now[i]].astype(int) for i in range(2)]
                turn -= 1
            slot = tree.successors[node].index(child)
            reach *= behaviour[node][now[tree.player[node]], slot]
            child = node
        total += float(reach @ payment)

    assert total == pytest.approx(_explicit_value(unroll(duel), duel, behaviour), abs=1e-11)


def _explicit_value(
    explicit: ExtensiveGame, game: StageGame, behaviour: dict[int, np.ndarray]
) -> float:
    """Walk every node of the explicit tree; names of information sets say view and history."""
    named = views(game, symmetry=False)
    table = []
    for player, label in zip(explicit.infoset_player, explicit.infoset_label, strict=True):
        signals, _, history = label.partition("|")
        node = game.tree.find(history)
        view = named.find(int(game.tree.round[node]), signals, int(player))
        table.append(behaviour[node][view])
    reach = explicit.chance_reach.copy()
    plan = np.ones(explicit.nodes)
    for node in range(1, explicit.nodes):
        parent = explicit.parent[node]
        chosen = (
            table[explicit.infoset[parent]][explicit.slot[node]]
            if explicit.player[parent] >= 0
            else 1.0
        )
        plan[node] = plan[parent] * chosen
    ends = explicit.terminals
    return float((reach * plan)[ends] @ explicit.payoffs[explicit.outcome[ends], 0])


@pytest.mark.parametrize(
    ("game", "value"),
    [
        (poker.kuhn(), -1 / 18),  # Kuhn (1950)
        (poker.leduc(), -0.085606424078),  # OpenSpiel's tests
    ],
    ids=["kuhn", "leduc"],
)
def test_known_values(game: PokerGame, value: float) -> None:
    assert solve(build(unroll(game)), LP()).value == pytest.approx(value, abs=1e-9)


def test_poker_is_the_hand_written_game() -> None:
    """The factored rules and the rules written out by hand give trees of one shape."""
    for ours, theirs in ((poker.kuhn(4), classic.kuhn(4)), (poker.leduc(), classic.leduc())):
        tree = unroll(ours)
        assert (tree.nodes, tree.infosets) == (theirs.nodes, theirs.infosets)
        assert solve(build(tree), LP()).value == pytest.approx(
            solve(build(theirs), LP()).value, abs=1e-9
        )


def test_openspiel_counts_the_same_nodes() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    for ours, theirs in (
        (poker.kuhn(4, players=3), "kuhn_poker(players=3)"),
        (poker.leduc(), "leduc_poker"),
    ):
        nodes, infosets, stack = 0, set(), [pyspiel.load_game(theirs).new_initial_state()]
        while stack:
            state = stack.pop()
            nodes += 1
            if not state.is_terminal():
                if not state.is_chance_node():
                    infosets.add(state.information_state_string())
                stack.extend(state.child(action) for action in state.legal_actions())
        assert (nodes, len(infosets)) == (sizes(ours).nodes, sum(sizes(ours).infosets))


def test_published_sizes_of_rhode_island() -> None:
    """Gilpin (2009), sections 5.2.1, 5.5 and 10.2."""
    game = poker.rhode_island()
    full = sizes(game)
    assert (full.rows, full.columns) == (91_224_226, 91_224_226)
    assert full.signal_tree_nodes == 6_632_705
    assert full.nodes == 6_705_372_545  # "exceeding 3.1 billion"
    buckets = [(13, 205, 1774)] * 2
    infosets, sequences = sequence_counts(game.tree, buckets)
    assert sequences == (883_741, 883_741)
    assert infosets[0] + 1 + sequences[1] == 1_237_238
    # Of the 1,774 x 1,774 bucket pairs of the last round 75,822 meet, 74,032 do not tie on average.
    entries = limit_nonzeros(game.tree, (169, 6_393, 75_822), (0, 0, 74_032))
    assert entries + sum(infosets) + sum(sequences) == 50_428_638


def test_published_sizes_elsewhere() -> None:
    """Figure 5.2 of Gilpin (2009); limit hold'em: 3.19e14 information sets (Bowling et al. 2015)."""
    jacks_and_kings = ordered_game(
        "figure 5.2",
        signals=("J1", "J2", "K1", "K2"),
        public=(0,),
        private=(1,),
        tree=limit(1, bets=(1,), cap=1, antes=1),
        ranking=lambda public, private: private[0] // 2,
    )
    assert sizes(jacks_and_kings).nodes == 113
    holdem = sizes(poker.limit_holdem())
    assert sum(holdem.infosets) == 319_365_922_522_608
    assert holdem.nonzeros is None


def test_canonical_nonzeros_equal_raw_ones() -> None:
    """The unabstracted matrix counted through classes of hands, and hand by hand."""
    for game in (poker.leduc(3, 3), poker.rhode_island(4, 2)):
        raw = payoff_nonzeros(game.tree, signal_rounds(game, symmetry=False))
        assert sizes(game).payoff_nonzeros == raw


def test_ordered_games_are_ordered(game: StageGame) -> None:
    if isinstance(game, OrderedGame):
        check_order(game)


def test_orderings_that_differ_are_refused() -> None:
    """Gilpin (2009), section 5.4.1: player 2's utility follows J2 > K > J1, the ranking K > J."""
    mine, theirs = {0: 0, 1: 0, 2: 1}, {0: 0, 1: 2, 2: 1}

    def outcome(public: object, private: tuple[tuple[int, ...], ...]) -> tuple[int, int]:
        first, second = private[0][0], private[1][0]
        won = (mine[first] > mine[second]) - (mine[first] < mine[second])
        lost = (theirs[second] > theirs[first]) - (theirs[second] < theirs[first])
        return won, lost

    game = ordered_game(
        "two jacks",
        signals=("J1", "J2", "K"),
        public=(0,),
        private=(1,),
        tree=limit(1, bets=(1,), cap=1, antes=1),
        ranking=lambda public, private: mine[private[0]],
        outcomes={"showdown": outcome},
    )
    with pytest.raises(EquipoiseError, match=r"two jacks: outcome 'showdown' pays player 2"):
        check_order(game)
    with pytest.raises(EquipoiseError, match="zero-sum"):
        signal_rounds(game)


def _broken(**changes: object) -> StageGame:
    tree = limit(1, bets=(1,), cap=1, antes=1)
    rules = {
        "signals": ("a", "b", "c"),
        "public": (0,),
        "private": (1,),
        "tree": tree,
        "ranking": lambda public, private: private[0],
        **changes,
    }
    return ordered_game("broken", **rules)  # type: ignore[arg-type] # wrong on purpose


@pytest.mark.parametrize(
    ("match", "changes"),
    [
        ("signals: found 1, expected at least the 2", {"signals": ("a",)}),
        ("signals: found 3, expected at least the 4", {"private": (2,)}),
        ("'a', expected distinct", {"signals": ("a", "a", "b")}),
        ("'a.b', expected distinct names without", {"signals": ("a.b", "a", "b")}),
        ("weights: found 2", {"weights": (1, 2)}),
        ("weights: found 0", {"weights": (1, 0, 1)}),
        ("private: found 1 rounds, expected 2", {"public": (0, 1)}),
        ("public: found 0 rounds, expected the 1 of the tree", {"public": (), "private": ()}),
        ("no negative", {"public": (-1,)}),
    ],
)
def test_bad_ordered_games_name_the_field(match: str, changes: dict[str, object]) -> None:
    with pytest.raises(EquipoiseError, match=match):
        _broken(**changes)


def test_ordered_games_draw_equal_numbers_without_replacement() -> None:
    good = _broken()
    common = {
        "name": "broken",
        "signals": good.signals,
        "public": (0,),
        "tree": good.tree,
        "outcomes": good.outcomes,
        "ranking": lambda public, private: private[0],
    }
    with pytest.raises(EquipoiseError, match="same number for every player"):
        OrderedGame(chance=good.chance, private=((1, 2),), **common)
    joint = Joint({(0, 1): Fraction(1)})
    with pytest.raises(EquipoiseError, match="without replacement"):
        OrderedGame(chance=joint, private=((1, 1),), **common)
    with pytest.raises(EquipoiseError, match="'showdown', expected one of no kinds"):
        OrderedGame(chance=good.chance, private=((1, 1),), **{**common, "outcomes": {}})


def test_draws_follow_weights() -> None:
    """p(x | X) = p(x) / Σ_{y ∉ X} p(y)."""
    chance = WithoutReplacement((Fraction(1), Fraction(2), Fraction(3)))
    assert dict(chance.draws(())) == {0: Fraction(1, 6), 1: Fraction(1, 3), 2: Fraction(1, 2)}
    assert dict(chance.draws((2,))) == {0: Fraction(1, 3), 1: Fraction(2, 3)}


def test_three_players_share_the_pot() -> None:
    """Ties divide the pot; those who folded get nothing."""
    game = poker.leduc(2, 2, players=3)
    rules = SignalRules(game)
    leaf = game.tree.find("kKk/kKk")
    jack, king, jack2, king2 = 0, 2, 1, 3
    assert rules.payoffs(((jack, king, jack2, king2), leaf)) == [-1, 2, -1]
    assert rules.payoffs(((jack, jack2, king, king2), leaf)) == [-1, -1, 2]
    folded = game.tree.find("kKk/kKbfC")
    assert rules.payoffs(((jack, king, jack2, king2), folded)) == [-1, 6, -5]


def test_too_many_deals_are_refused() -> None:
    with pytest.raises(EquipoiseError, match="6,497,400 deals"):
        deals(poker.rhode_island(), 2)
