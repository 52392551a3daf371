"""Certificates: brute force, two roads, known exploitabilities, and bounds that must hold."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise import certify
from equipoise.abstraction.gameshrink import gameshrink
from equipoise.cards.deck import Deck
from equipoise.certificates import Certificate
from equipoise.certificates.tree import certify_tree
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.files.rules import library, library_game
from equipoise.games.signals.limit import limit
from equipoise.games.signals.unroll import unroll
from equipoise.games.signals.views import signal_rounds
from equipoise.games.trees.classic import kuhn, leduc
from equipoise.games.trees.normal import from_matrices
from equipoise.sequence.build import build, game_fingerprint
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Iterations
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.strategy.lift import lift
from equipoise.strategy.profile import Layout, Strategy
from equipoise.strategy.views import on_tree

seeds = st.integers(0, 2**32 - 1)


def random_tree_strategy(game, random):
    vectors = []
    for player in range(len(game.players)):
        vector = random.random(game.sequences(player)) + 1e-3
        for i in np.flatnonzero(game.infoset_player == player):
            own = slice(game.first_sequence[i], game.first_sequence[i] + game.action_count[i])
            vector[own] /= vector[own].sum()
        vectors.append(vector)
    return Strategy(game.name, game.fingerprint, tuple(vectors))


def random_signal_strategy(game, random):
    counts = [signals.views for signals in signal_rounds(game)]
    layout = Layout.of(game.tree, counts)
    vectors = []
    for player in (0, 1):
        parts = [np.ones(1)]
        for turn, actions in layout.nodes[player]:
            block = random.random((actions, counts[turn][player]))
            block[0, random.random(counts[turn][player]) < 0.2] = 0.0
            parts.append((block / block.sum(axis=0)).reshape(-1))
        vectors.append(np.concatenate(parts))
    return Strategy(game.name, game_fingerprint(game), tuple(vectors), layout)


@given(seeds, st.lists(st.integers(1, 3), min_size=2, max_size=4))
@settings(max_examples=30, deadline=None)
def test_normal_form_against_brute_force_for_any_number_of_players(seed, shape):
    random = np.random.default_rng(seed)
    payoffs = [random.integers(-5, 6, size=shape) for _ in shape]
    game = from_matrices("random", *[p.astype(object) for p in payoffs])
    mixed = [random.dirichlet(np.ones(n)) for n in shape]
    strategy = Strategy(
        "random", game.fingerprint, tuple(np.concatenate(([1.0], m)) for m in mixed)
    )
    proof = certify(game, strategy)
    for player, payoff in enumerate(payoffs):
        value = best = 0.0
        by_action = np.zeros(shape[player])
        for profile in itertools.product(*(range(n) for n in shape)):
            others = np.prod([mixed[i][a] for i, a in enumerate(profile) if i != player])
            by_action[profile[player]] += others * payoff[profile]
        value, best = float(mixed[player] @ by_action), float(by_action.max())
        assert proof.values[player] == pytest.approx(value, abs=1e-12)
        assert proof.best_responses[player] == pytest.approx(best, abs=1e-12)
        assert proof.gains[player] == pytest.approx(best - value, abs=1e-12)


def test_uniform_leduc_has_its_published_exploitability():
    # OpenSpiel's exploitability of the uniform policy is 2.373611 a player.
    game = leduc()
    form = build(game)
    uniform = Strategy("leduc", game.fingerprint, (form.X.uniform(), form.Y.uniform()))
    assert certify(game, uniform).gap / 2 == pytest.approx(2.373611111, abs=1e-8)


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_rigorous_bounds_enclose_the_exact_gain(seed):
    # Kuhn in exact rationals: the gain of each player, from the definition.
    game = kuhn()
    strategy = random_tree_strategy(game, np.random.default_rng(seed))
    proof = certify(game, strategy, rigorous=True)
    plain = certify(game, strategy)
    for player in (0, 1):
        exact = exact_gain(game, strategy, player)
        assert proof.gains[player] >= exact
        assert proof.gains[player] == pytest.approx(float(exact), abs=1e-12)
        assert plain.gains[player] == pytest.approx(float(exact), abs=1e-12)


def exact_gain(game, strategy, player):
    """Best response minus value in rational arithmetic, over all pure strategies of ``player``."""
    own = np.flatnonzero(game.infoset_player == player)
    exact = {}
    for i in range(game.infosets):
        first, count = game.first_sequence[i], game.action_count[i]
        weights = [Fraction(w) for w in strategy.behaviour[game.infoset_player[i]][first:][:count]]
        exact[i] = [w / sum(weights) for w in weights]

    def expected(choice):
        total = Fraction(0)
        for leaf in game.terminals:
            reach, node = Fraction(1), int(leaf)
            while node:
                above, slot = int(game.parent[node]), int(game.slot[node])
                if game.player[above] == -1:
                    reach *= game.numbers[game.probability[node]]
                else:
                    i = int(game.infoset[above])
                    reach *= choice[i][slot] if i in choice else exact[i][slot]
                node = above
            total += reach * game.numbers[game.payoff[game.outcome[leaf], player]]
        return total

    pure = [[[Fraction(a == b) for b in range(2)] for a in range(2)] for _ in own]
    best = max(
        expected(dict(zip(own.tolist(), choice, strict=True)))
        for choice in itertools.product(*pure)
    )
    return best - expected({})


def two_hole_cards():
    """Hold'em in small: two hole cards each, a flop of three, seven cards in all."""
    return poker.poker_game(
        "small hold'em",
        deck=Deck.small(7),
        hole=2,
        board=(0, 3),
        tree=limit(2, bets=(1, 2), cap=1, antes=1),
        showdown="five-card",
    )


DECKS = [
    poker.kuhn(),
    poker.kuhn(5),
    poker.leduc(),
    poker.leduc(4, 3),
    poker.rhode_island(3, 2),
]


def test_two_hole_cards_on_the_public_tree():
    assert_both_trees_agree(two_hole_cards(), 7)


@given(st.sampled_from(DECKS), seeds)
@settings(max_examples=15, deadline=None)
def test_the_public_tree_agrees_with_the_explicit_one(game, seed):
    assert_both_trees_agree(game, seed)


def assert_both_trees_agree(game, seed):
    strategy = random_signal_strategy(game, np.random.default_rng(seed))
    fast, tree = certify(game, strategy), unroll(game)
    slow = certify_tree(tree, on_tree(game, tree, strategy))
    for name in ("values", "best_responses", "gains"):
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", library())
def test_games_that_are_not_poker_are_certified_on_their_tree(name):
    game = library_game(name)
    coarse = gameshrink(game)
    solution = solve(build(game, coarse), DCFR(), Iterations(200))
    proof = certify(game, lift(solution.strategy, coarse))
    assert proof.gap == pytest.approx(solution.gap, abs=1e-6)
    assert proof.value == pytest.approx(solution.value, abs=1e-6)


@pytest.mark.parametrize("game", [poker.leduc(), poker.rhode_island(4, 2)])
def test_sound_abstraction_keeps_the_gap_when_lifted(game):
    coarse = gameshrink(game)
    solution = solve(build(game, coarse), DCFR(), Iterations(100))
    proof = certify(game, lift(solution.strategy, coarse))
    assert proof.gap == pytest.approx(solution.gap, abs=1e-6)


def test_strategies_of_other_games_are_refused():
    strategy = random_tree_strategy(kuhn(), np.random.default_rng(0))
    with pytest.raises(EquipoiseError, match=r"Strategy of 'kuhn'.*expected one of 'leduc'"):
        certify(leduc(), strategy)
    abstract = solve(
        build(poker.leduc(), gameshrink(poker.leduc())), DCFR(), Iterations(2)
    ).strategy
    with pytest.raises(EquipoiseError, match="an abstraction that is not at hand"):
        certify(poker.leduc(), replace(abstract, abstraction=None))
    with pytest.raises(EquipoiseError, match="Strategy of 'kuhn'"):
        certify(poker.leduc(), strategy)


def test_a_strategy_must_be_a_distribution():
    game = kuhn()
    strategy = random_tree_strategy(game, np.random.default_rng(0))
    for bad, message in (
        (-0.5, "negative or non-finite"),
        (float("nan"), "negative or non-finite"),
    ):
        vectors = [vector.copy() for vector in strategy.behaviour]
        vectors[0][3] = bad
        with pytest.raises(EquipoiseError, match=message):
            certify(game, Strategy("kuhn", game.fingerprint, tuple(vectors)))
    vectors = [vector * 0 for vector in strategy.behaviour]
    with pytest.raises(EquipoiseError, match="no positive probability"):
        certify(game, Strategy("kuhn", game.fingerprint, tuple(vectors)))


def test_the_value_is_between_its_bounds_though_gains_are_rounded():
    below = float(np.nextafter(0.1, 0))
    proof = Certificate((0.1, -0.1), (below, float(np.nextafter(-0.1, -1))), (below - 0.1,) * 2)
    assert proof.gap < 0
    told = proof.summary()
    assert told["lower"] == told["value"] == told["upper"] == 0.1
