"""Elimination of dominated actions: Gilpin's sizes, and values that stay what they were."""

import numpy as np
import pytest
from hypothesis import given, settings
from random_signals import signals_from, tables
from reference_lp import Form, solve_lp

from equipoise.abstraction.base import coarsen
from equipoise.abstraction.dominated import _parent_deals, eliminate
from equipoise.abstraction.gameshrink import gameshrink
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.files.rules import library, library_game
from equipoise.games.signals.limit import limit
from equipoise.games.signals.views import signal_rounds, views

TWO_BETS = limit(2, bets=(2, 4), cap=2, antes=1)


def test_gilpins_reduced_program():
    """Gilpin 2009, section 5.2.1: 1,237,238 square before, 1,190,443 x 1,181,084 after.

    His is the program in which player 2 chooses: in ours, rows and columns are exchanged.
    """
    game = poker.rhode_island()
    rounds = coarsen(signal_rounds(game), gameshrink(game, "histogram"))
    assert eliminate(game.tree, rounds, turns=()).program_size() == (1_237_238, 1_237_238)
    assert eliminate(game.tree, rounds, turns=(2,)).program_size() == (1_181_084, 1_190_443)


def test_gilpins_reduced_program_without_abstraction():
    """Gilpin 2009, section 5.2.1: 91,224,226 square before, 89,471,986 x 89,121,538 after.

    In the last round, for each of the 49 ways to come there, hands that cannot lose have five
    actions of player 1 and six of player 2 too many. Concrete hands are counted by their class.
    """
    rounds = signal_rounds(poker.rhode_island())
    last = rounds[2]
    worst = np.full(last.views[0], np.inf)
    np.minimum.at(worst, last.pairs[0], last.values["showdown"])
    hands = np.bincount(last.pairs[0], last.weight) * 52 * 51 * 50
    unbeatable = round(hands[worst >= 0].sum())
    assert unbeatable == 7_152
    assert 91_224_226 - 49 * 5 * unbeatable == 89_471_986
    assert 91_224_226 - 49 * 6 * unbeatable == 89_121_538


def test_unbeatable_hands_do_not_slow_down():
    game = poker.rhode_island(5, 3)
    tree, names = game.tree, views(game)
    left = eliminate(tree, signal_rounds(game), turns=(2,))
    low, *_, jack, queen, king = game.deck.ranks
    royal, weak = names.find(2, f"{king}a{queen}a{jack}a"), names.find(2, f"{low}a{jack}b{king}c")
    stop = {"kBf", "kBc", "kBrRf", "bRf", "bRc"} | {"kK", "kBrF", "kBrC", "bF", "bC", "bRrF"}
    for node in range(1, len(tree.parent)):
        start, _, history = tree.histories[node].rpartition("/")
        if start == "kK/kK" and history:
            assert left.alive[node][royal] == (history not in stop), history
            assert left.alive[node][weak], history


SMALL = [
    (poker.kuhn(), poker.kuhn().tree),
    (poker.leduc(), poker.leduc().tree),
    (poker.leduc(4, 3), poker.leduc(4, 3).tree),
    (poker.rhode_island(3, 3), limit(3, bets=(1000, 2000, 2000), cap=1, antes=500)),
    (poker.rhode_island(3, 2), limit(3, bets=(10, 20, 20), cap=(1, 1, 2), antes=5)),
    *((library_game(name), library_game(name).tree) for name in library()),
]


def reduced(form, left):
    """Value and plan of player 1 when both players keep to what is left."""
    rows, columns = left.sequences(0), left.sequences(1)
    x, y = form.plans
    found, plan = solve_lp(
        x.E[:, rows], x.e, y.E[:, columns], y.e, form.A.tocsr()[rows][:, columns]
    )
    whole = np.zeros(len(rows))
    whole[rows] = plan
    return found, whole


@pytest.mark.parametrize(("game", "tree"), SMALL, ids=lambda x: getattr(x, "name", ""))
def test_equilibria_of_what_is_left_are_equilibria(game, tree):
    rounds = signal_rounds(game)
    form, left = Form(tree, rounds), eliminate(tree, rounds)
    exact, _ = form.solve()
    found, plan = reduced(form, left)
    assert not left.sequences(0).all()
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-9)
    assert form.worst_case(plan) == pytest.approx(exact, rel=1e-9, abs=1e-9)


def test_kuhn_leaves_what_kuhn_left():
    """Kuhn (1950): never fold a king, never call with a jack, always bet a king in position."""
    game = poker.kuhn()
    left = eliminate(game.tree, signal_rounds(game))
    jack, queen, king = range(3)

    def gone(history):
        return np.flatnonzero(~left.alive[game.tree.find(history)]).tolist()

    assert gone("bF") == gone("kBf") == [king]
    assert gone("bC") == gone("kBc") == [jack]
    assert gone("kK") == [king]
    # Then, on the second pass: a queen in either seat has only kings and bluffs to meet.
    assert gone("kB") == [queen]


@given(tables())
@settings(max_examples=25, deadline=None)
def test_elimination_keeps_the_value_of_random_games(drawn):
    weights, outcomes, parents, _ = drawn
    rounds = signals_from(weights, outcomes, parents)
    form, left = Form(TWO_BETS, rounds), eliminate(TWO_BETS, rounds)
    exact, _ = form.solve()
    found, plan = reduced(form, left)
    assert found == pytest.approx(exact, abs=1e-8)
    assert form.worst_case(plan) == pytest.approx(exact, abs=1e-8)


@given(tables())
@settings(max_examples=25, deadline=None)
def test_some_action_is_always_left(drawn):
    weights, outcomes, parents, _ = drawn
    left = eliminate(TWO_BETS, signals_from(weights, outcomes, parents))
    for node in np.flatnonzero(TWO_BETS.player >= 0):
        assert np.any([left.alive[child] for child in TWO_BETS.children(int(node))], axis=0).all()


@given(tables())
@settings(max_examples=25, deadline=None)
def test_deals_extend_their_parents(drawn):
    """Also where the players have different numbers of views."""
    weights, outcomes, parents, _ = drawn
    before, after = signals_from(weights, outcomes, parents)
    place = _parent_deals(before, after)
    for player in (0, 1):
        above = after.parents[player][after.pairs[player]]
        assert (before.pairs[player][place] == above).all()


def test_deals_extend_their_parents_where_player_2_knows_more():
    before, after = signals_from(
        np.ones((2, 3)), np.zeros((2, 3)), (np.array([0, 1]), np.array([0, 1, 2]))
    )
    assert sorted(_parent_deals(before, after).tolist()) == list(range(6))


def test_more_rounds_eliminate_more():
    game = poker.leduc()
    rounds = signal_rounds(game)
    every, last = eliminate(game.tree, rounds), eliminate(game.tree, rounds, turns=(1,))
    assert every.sequences(0).sum() <= last.sequences(0).sum() < len(last.sequences(0))
    assert all((a <= b).all() for a, b in zip(every.alive, last.alive, strict=True))


def test_refuses_signals_of_another_game():
    with pytest.raises(EquipoiseError, match="signals of 1 rounds, expected 2 players and 2"):
        eliminate(poker.leduc().tree, signal_rounds(poker.kuhn()))
