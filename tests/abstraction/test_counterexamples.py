"""The counter-examples of Gilpin 2009, section 5.4.1: refused, or not merged."""

import numpy as np
import pytest
from reference_lp import solve_lp

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.errors import EquipoiseError
from equipoise.games.signals.limit import limit
from equipoise.games.signals.rounds import SignalRound
from equipoise.games.signals.stage_game import check_order, ordered_game
from equipoise.games.signals.views import signal_rounds
from equipoise.games.trees.builder import TreeBuilder
from equipoise.sequence.build import build

ONE_BET = limit(1, bets=(1,), cap=1, antes=1)


def jiang(merge):
    """A game in the manner of Figure 5.5, zero-sum; ``merge`` contracts the subtrees at a and b.

    The figure itself is not part of the text; this game has the properties that the text lists. Nature
    picks a, b (a quarter each) or z. At a and b, which player 2 cannot tell apart, she stays out, or
    goes in, to c after a and to d after b. Subtrees at a and b are isomorphic and pay the same, but
    player 1 confuses c with z and recognises d. Knowing d, he makes going in a loss for her, so c is
    never reached and he plays right in {c, z}. After the merger he no longer can.
    """
    tree = TreeBuilder("figure 5.5", ("one", "two"))
    branches = [("ab", 0.5)] if merge else [("a", 0.25), ("b", 0.25)]
    *forks, z = tree.chance(0, [*branches, ("z", 0.5)])
    for name, fork in zip("ab", forks, strict=False):
        stay, enter = tree.decide(fork, 1, "ab", ("stay out", "go in"))
        tree.end(stay, (0, 0))
        left, right = tree.decide(enter, 0, "d" if name == "b" else "cz", ("left", "right"))
        tree.end(left, (2, -2))
        tree.end(right, (-1, 1))
    left, right = tree.decide(z, 0, "cz", ("left", "right"))
    tree.end(left, (0, 0))
    tree.end(right, (1, -1))
    return tree.build()


def game_value(game):
    form = build(game)
    (E, e), (F, f) = form.X.constraints(), form.Y.constraints()
    value = solve_lp(E, e, F, f, form.A.matrix())[0]
    return form.units.shift + form.units.unit * value


def test_figure_5_5_merging_changes_the_value():
    assert game_value(jiang(merge=False)) == pytest.approx(1 / 2, abs=1e-9)
    assert game_value(jiang(merge=True)) == pytest.approx(1 / 3, abs=1e-9)


def test_figure_5_5_is_refused():
    with pytest.raises(EquipoiseError, match="found a ExtensiveGame, expected a game with signals"):
        gameshrink(jiang(merge=False))


J1, J2, K = range(3)


def order_of_one(card):
    """K over J1 and J2, which are equal."""
    return int(card == K)


def order_of_two(card):
    """J2 over K over J1."""
    return {J2: 2, K: 1, J1: 0}[card]


def two_jacks(second):
    """Two jacks and a king; the players' utilities follow their own orders of cards."""

    def outcome(public, private):
        (mine,), (theirs,) = private
        return (
            np.sign(order_of_one(mine) - order_of_one(theirs)),
            np.sign(second(theirs) - second(mine)),
        )

    return ordered_game(
        "two jacks and a king",
        signals=("J1", "J2", "K"),
        public=(0,),
        private=(1,),
        tree=ONE_BET,
        ranking=lambda public, private: order_of_one(private[0]),
        outcomes={"showdown": outcome},
    )


def test_two_jacks_without_a_common_order_is_refused():
    game = two_jacks(order_of_two)
    with pytest.raises(EquipoiseError, match="increase with the ranking"):
        check_order(game)
    with pytest.raises(EquipoiseError, match="expected a zero-sum game"):
        gameshrink(game)


def test_two_jacks_with_a_common_order_merges_them():
    maps = gameshrink(two_jacks(order_of_one)).maps
    assert [m.tolist() for m in maps[0]] == [[0, 0, 1]] * 2


def test_two_jacks_written_as_signals_is_not_merged():
    """Both players' utilities as kinds of outcome: the jacks stay apart, for player 1 as well."""
    deals = np.array([(a, b) for a in range(3) for b in range(3) if a != b], dtype=np.uint32)
    none = np.zeros(3, np.uint32)
    signals = SignalRound(
        parents=(none, none),
        pairs=(deals[:, 0], deals[:, 1]),
        weight=np.full(6, 1 / 6),
        values={
            "one": np.array([float(np.sign(order_of_one(a) - order_of_one(b))) for a, b in deals]),
            "two": np.array([float(np.sign(order_of_two(b) - order_of_two(a))) for a, b in deals]),
        },
    )
    assert gameshrink((signals,)).buckets == ((3, 3),)
    kept = signal_rounds(two_jacks(order_of_one))[0]
    np.testing.assert_allclose(kept.values["showdown"], signals.values["one"])
