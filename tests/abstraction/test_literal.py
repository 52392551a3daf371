"""Algorithms 1 and 2 as printed, Figure 5.2, and agreement with the fast methods."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_signals import signals_from, tables
from reference_lp import value

from equipoise.abstraction.base import Partition, coarsen
from equipoise.abstraction.gameshrink import gameshrink
from equipoise.abstraction.literal import (
    READINGS,
    Isomorphism,
    UnionFind,
    has_perfect_matching,
    literal_gameshrink,
    signal_tree,
)
from equipoise.abstraction.lossless import is_stable
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.signals.limit import limit
from equipoise.games.signals.stage_game import ordered_game
from equipoise.games.signals.views import signal_rounds, views
from equipoise.numerics.refinement import number_classes


def two_jacks_two_kings():
    """The game of Figure 5.2: one card each, check or bet, then fold or call: 9 nodes."""
    return ordered_game(
        "two jacks, two kings",
        signals=("J1", "J2", "K1", "K2"),
        public=(0,),
        private=(1,),
        tree=limit(1, bets=(1,), cap=1, antes=1),
        ranking=lambda public, private: private[0] // 2,
    )


@pytest.mark.parametrize("reading", READINGS)
def test_figure_5_2_shrinks_from_113_to_39_nodes(reading):
    game = two_jacks_two_kings()
    rounds = signal_rounds(game)
    stage = len(game.tree.parent)
    assert stage == 9

    def nodes(signals):
        inner, leaves = signal_tree(signals, 0, reading).size
        return inner + leaves * stage

    found = literal_gameshrink(rounds, reading)
    assert [m.tolist() for m in found.maps[0]] == [[0, 0, 1, 1]] * 2
    assert (nodes(rounds), nodes(coarsen(rounds, found))) == (113, 39)
    for method in ("sound", "histogram"):  # with one signal each, all agree
        assert nodes(coarsen(rounds, gameshrink(game, method))) == 39


DECKS = [
    poker.kuhn(4),
    poker.leduc(),
    poker.leduc(4, 2),
    poker.rhode_island(3, 2),
    poker.rhode_island(4, 2),
]


@pytest.mark.parametrize("game", DECKS, ids=lambda g: g.name)
def test_matching_on_view_trees_is_the_histogram_rule(game):
    """Over concrete cards, all edges weigh the same: multisets are all that a matching sees."""
    rounds = signal_rounds(game, symmetry=False)
    assert sum(signal_tree(rounds, 0).frequencies.values()) == pytest.approx(1.0)
    literal, histogram = literal_gameshrink(rounds), gameshrink(rounds, "histogram")
    assert literal.refines(histogram)
    assert histogram.refines(literal)


@pytest.mark.parametrize("game", DECKS, ids=lambda g: g.name)
@pytest.mark.parametrize("reading", READINGS)
def test_sound_refines_the_literal_algorithm_on_decks(game, reading):
    rounds = signal_rounds(game, symmetry=False)
    assert gameshrink(rounds).refines(literal_gameshrink(rounds, reading))


@pytest.mark.parametrize(
    ("game", "tree"),
    [
        (poker.leduc(), poker.leduc().tree),
        (poker.rhode_island(3, 2), limit(3, bets=(1000, 2000, 2000), cap=1, antes=500)),
    ],
    ids=["leduc", "ri(3,2)"],
)
@pytest.mark.parametrize("reading", READINGS)
def test_what_the_literal_algorithm_merges_beyond_sound_is_lost(game, tree, reading):
    rounds = signal_rounds(game)
    literal = literal_gameshrink(rounds, reading)
    exact = value(tree, rounds)
    assert not is_stable(rounds, literal)
    assert abs(value(tree, coarsen(rounds, literal)) - exact) > 1e-3 * abs(exact)


def test_a_single_merger_of_isomorphic_siblings_changes_the_value():
    """Theorem 2 of Gilpin 2009 speaks of one application; in Leduc, one is too many."""
    game = poker.leduc()
    rounds, names = signal_rounds(game, symmetry=False), views(game, symmetry=False)
    jack, queen = (names.find(1, hand) for hand in ("KcJc", "KcQc"))
    king = next(node for _, node in signal_tree(rounds, 0).edges if node.seen == ((0, 0, 4),))
    below = {node.seen[0][2]: node for _, node in king.edges}
    assert names.label(0, 4) == "Kc"
    assert Isomorphism()(below[jack], below[queen])  # siblings, below the view Kc
    merged = np.arange(rounds[1].views[0])
    merged[queen] = jack
    merged = number_classes(merged)
    cards = np.arange(rounds[0].views[0])
    once = Partition.of(rounds, [[cards, cards], [merged, merged]])
    exact, found = value(game.tree, rounds), value(game.tree, coarsen(rounds, once))
    assert exact == pytest.approx(-0.085606424078, abs=1e-11)  # OpenSpiel's tests
    assert found == pytest.approx(-0.089283907264, abs=1e-11)  # measured here


@given(tables())
@settings(max_examples=40, deadline=None)
def test_isomorphic_nodes_have_equal_histograms(drawn):
    weights, outcomes, parents, _ = drawn
    rounds = signals_from(weights, outcomes, parents)
    assert literal_gameshrink(rounds).refines(gameshrink(rounds, "histogram"))


@given(tables())
@settings(max_examples=40, deadline=None)
def test_isomorphism_is_an_equivalence(drawn):
    weights, outcomes, parents, _ = drawn
    isomorphic = Isomorphism()
    tree = signal_tree(signals_from(weights, outcomes, parents), 0)
    for level in ([child for _, child in tree.edges], grandchildren(tree)):
        for x, y, z in itertools.product(level, repeat=3):
            assert isomorphic(x, x)
            assert isomorphic(x, y) == isomorphic(y, x)
            if isomorphic(x, y) and isomorphic(y, z):
                assert isomorphic(x, z)


def grandchildren(tree):
    return [node for _, child in tree.edges for _, node in child.edges]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_perfect_matching_against_all_permutations(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(0, 6))
    allowed = random.random((n, n)) < 0.4
    exists = any(all(allowed[i, p[i]] for i in range(n)) for p in itertools.permutations(range(n)))
    assert has_perfect_matching([np.flatnonzero(row).tolist() for row in allowed]) == exists


def test_union_find():
    sets = UnionFind()
    for a, b in ((1, 2), (3, 4), (2, 3), (4, 1)):
        sets.union(a, b)
    np.testing.assert_array_equal(sets.classes([1, 2, 3, 4, 5, 6, 5]), [0, 0, 0, 0, 1, 2, 1])


def test_edges_must_weigh_the_same():
    """Definition 9 asks for it; equal outcomes at unequal odds are not isomorphic."""
    weights = np.array([[1.0, 2.0], [2.0, 1.0]])
    rounds = signals_from(weights, np.array([[1, -1], [1, -1]]), (np.zeros(2, int),) * 2)
    assert literal_gameshrink(rounds).buckets[1][0] == 2


def test_refuses_what_it_cannot_read():
    rounds = signal_rounds(poker.leduc())
    with pytest.raises(EquipoiseError, match="found reading 'aloud', expected one of views, deals"):
        literal_gameshrink(rounds, "aloud")
    with pytest.raises(EquipoiseError, match="found outcomes before the last round"):
        signal_tree((rounds[1], rounds[1]), 0)
