"""GameShrink: published sizes, laws on random games, and values by linear programming."""

import numpy as np
import pytest
from hypothesis import given, settings
from random_signals import blow_up, signals_from, tables
from reference_lp import Form, solve_lp, value

from equipoise.abstraction.base import Partition, coarsen
from equipoise.abstraction.gameshrink import METHODS, gameshrink
from equipoise.abstraction.lossless import defect, is_stable
from equipoise.certificates.gap import certify
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.files.rules import library, library_game
from equipoise.games.signals.filters import all_views, filter_by
from equipoise.games.signals.limit import limit
from equipoise.games.signals.unroll import unroll
from equipoise.games.signals.views import signal_rounds, views
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Iterations
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.strategy.lift import lift

# One bet a round keeps the linear programs small; which views may merge depends on signals alone.
THREE_ROUNDS = limit(3, bets=(1000, 2000, 2000), cap=1, antes=500)
TWO_ROUNDS = limit(2, bets=(2, 4), cap=1, antes=1)
GAMES = [
    poker.kuhn(),
    poker.kuhn(6),
    poker.leduc(),
    poker.leduc(5, 3),
    poker.rhode_island(2, 3),
    poker.rhode_island(4, 2),
    poker.rhode_island(4, 3),
]
NAMES = [game.name for game in GAMES]


@pytest.mark.parametrize(
    ("method", "flop", "turn"),
    [
        ("sound", 325, 7969),  # issue tracker; checked by certificates in the full game
        ("histogram", 205, 1774),  # Gilpin 2009, sections 5.2.1 and 10.2: the published partition
        ("suits", 325, 9997),  # hands up to renaming suits
    ],
)
def test_rhode_island_sizes(method, flop, turn):
    assert gameshrink(poker.rhode_island(), method).buckets == (
        (13, 13),
        (flop, flop),
        (turn, turn),
    )


def test_rhode_island_methods_form_a_chain():
    rounds = signal_rounds(poker.rhode_island())
    suits, sound, histogram = (gameshrink(rounds, m) for m in ("suits", "sound", "histogram"))
    assert suits.refines(sound)
    assert sound.refines(histogram)
    assert is_stable(rounds, sound)
    assert not is_stable(rounds, histogram)


@pytest.mark.parametrize("game", GAMES, ids=NAMES)
def test_sound_is_stable_and_cannot_be_shrunk_again(game):
    rounds = signal_rounds(game)
    sound = gameshrink(rounds)
    assert is_stable(rounds, sound)
    assert gameshrink(coarsen(rounds, sound)).buckets == sound.buckets


@pytest.mark.parametrize("game", GAMES, ids=NAMES)
def test_players_of_a_symmetric_game_get_the_same_buckets(game):
    for method in METHODS:
        for first, second in gameshrink(game, method).maps:
            np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    "game", [poker.leduc(), poker.leduc(3, 3), poker.rhode_island(3, 2)], ids=lambda g: g.name
)
def test_sound_finds_the_symmetries_of_the_deck_by_itself(game):
    """From concrete cards one gets what one gets from hands up to suits."""
    concrete = gameshrink(signal_rounds(game, symmetry=False))
    assert concrete.buckets == gameshrink(game).buckets


@pytest.mark.parametrize(
    ("game", "tree"),
    [
        (poker.leduc(), poker.leduc().tree),
        (poker.rhode_island(3, 2), THREE_ROUNDS),
        (poker.rhode_island(3, 3), THREE_ROUNDS),
        (poker.rhode_island(3, 4), THREE_ROUNDS),
    ],
    ids=["leduc", "ri(3,2)", "ri(3,3)", "ri(3,4)"],
)
def test_sound_keeps_the_value_and_lifts_equilibria(game, tree):
    rounds = signal_rounds(game)
    sound = gameshrink(rounds)
    full, coarse = Form(tree, rounds), Form(tree, coarsen(rounds, sound))
    exact, _ = full.solve()
    found, plan = coarse.solve()
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-9)
    lifted = full.lift(plan, coarse, sound.maps)
    assert full.worst_case(lifted) == pytest.approx(exact, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", library())
def test_sound_keeps_the_value_of_games_that_are_not_poker(name):
    game = library_game(name)
    rounds = signal_rounds(game)
    coarse = coarsen(rounds, gameshrink(game))
    assert value(game.tree, coarse) == pytest.approx(value(game.tree, rounds), abs=1e-9)


@pytest.mark.parametrize(
    "game", [poker.leduc(), poker.rhode_island(3, 3)], ids=lambda game: game.name
)
def test_a_strategy_loses_as_much_in_the_full_game_as_in_a_sound_abstraction(game):
    """The theorem, for strategies far from equilibrium: certificate against abstract gap."""
    sound = gameshrink(game)
    solution = solve(build(game, sound), DCFR(), stop=Iterations(7))
    proof = certify(game, lift(solution.strategy, sound))
    assert proof.gap > 0.01
    assert proof.gap == pytest.approx(solution.gap, rel=1e-9)
    published = gameshrink(game, "histogram")
    solution = solve(build(game, published), DCFR(), stop=Iterations(200))
    assert certify(game, lift(solution.strategy, published)).gap > 1.5 * solution.gap


@pytest.mark.parametrize("method", ["sound", "histogram"])
def test_coarsening_is_the_filtered_game(method):
    """Coarsened signals against the tree of the filtered game, unrolled node by node."""
    game = poker.leduc()
    rounds = signal_rounds(game, symmetry=False)
    abstraction = gameshrink(rounds, method)

    def bucket(player, turn, view):
        return abstraction.maps[turn][player][all_views(game, player, turn).index(view)]

    form = build(unroll(game, filter_by(game, bucket)))
    units = form.units.unit
    unrolled = units * solve_lp(*form.X.constraints(), *form.Y.constraints(), form.A.matrix())[0]
    assert value(game.tree, coarsen(rounds, abstraction)) == pytest.approx(unrolled, abs=1e-9)


def test_leduc_by_histograms_is_not_lossless():
    """The smallest familiar counter-example: a king on a jack is merged with a king on a queen."""
    game = poker.leduc()
    rounds, names = signal_rounds(game), views(game)
    histogram = gameshrink(game, "histogram")
    assert histogram.buckets == ((3, 3), (7, 7))
    buckets = histogram.maps[1][0]
    ranks = game.deck.ranks
    king, queen, jack = ranks[::-1][:3]
    merged = {(king + jack, king + queen), (jack + king, jack + queen)}
    for one, other in merged:
        assert buckets[names.find(1, one)] == buckets[names.find(1, other)]
    full, coarse = Form(game.tree, rounds), Form(game.tree, coarsen(rounds, histogram))
    exact, _ = full.solve()
    found, plan = coarse.solve()
    assert exact == pytest.approx(-0.085606424078, abs=1e-11)  # OpenSpiel's tests
    assert found == pytest.approx(-0.0687011758, abs=1e-9)  # measured here
    assert full.worst_case(full.lift(plan, coarse, histogram.maps)) < exact - 0.3


@given(tables())
@settings(max_examples=25, deadline=None)
def test_sound_undoes_planted_copies(drawn):
    weights, outcomes, parents, random = drawn
    original = signals_from(weights, outcomes, parents)
    copies = [random.integers(1, 4, size=n) for n in weights.shape]
    *copied, order = blow_up(weights, outcomes, parents, copies, random)
    rounds = signals_from(*copied)
    sound = gameshrink(rounds)
    assert is_stable(rounds, sound)
    assert sound.buckets == gameshrink(original).buckets
    planted = Partition.of(rounds, [[np.arange(n) for n in rounds[0].views], order])
    assert planted.refines(sound)


@given(tables())
@settings(max_examples=25, deadline=None)
def test_sound_keeps_the_value_of_random_games(drawn):
    weights, outcomes, parents, random = drawn
    copies = [random.integers(1, 3, size=n) for n in weights.shape]
    *copied, _ = blow_up(weights, outcomes, parents, copies, random)
    rounds = signals_from(*copied)
    coarse = coarsen(rounds, gameshrink(rounds))
    assert value(TWO_ROUNDS, coarse) == pytest.approx(value(TWO_ROUNDS, rounds), abs=1e-8)


@given(tables())
@settings(max_examples=25, deadline=None)
def test_defect_is_zero_exactly_for_stable_abstractions(drawn):
    weights, outcomes, parents, _ = drawn
    rounds = signals_from(weights, outcomes, parents)
    identity, sound = Partition.identity(rounds), gameshrink(rounds)
    assert all(not d.any() for pair in defect(rounds, identity) for d in pair)
    trivial = Partition.of(rounds, [[np.zeros(n, int) for n in s.views] for s in rounds])
    assert is_stable(rounds, trivial) == trivial.refines(sound)


def test_sound_may_merge_what_matching_keeps_apart():
    """Expected outcomes are enough: odds of 1, 0 and -1 against an opponent who cannot tell."""
    outcomes = np.array([[1, -1], [0, 0], [-1, 1]])
    rounds = signals_from(np.ones((3, 2)), outcomes, (np.zeros(3, int), np.zeros(2, int)))
    assert gameshrink(rounds).buckets == ((1, 1), (1, 1))
    assert gameshrink(rounds, "histogram").buckets == ((1, 1), (2, 1))
    assert value(TWO_ROUNDS, rounds) == pytest.approx(
        value(TWO_ROUNDS, coarsen(rounds, gameshrink(rounds))), abs=1e-9
    )


def test_refuses_what_it_cannot_shrink():
    with pytest.raises(EquipoiseError, match="found 'magic', expected one of sound, histogram"):
        gameshrink(poker.kuhn(), "magic")
    with pytest.raises(EquipoiseError, match="found a dict, expected a game with signals"):
        gameshrink({})
    with pytest.raises(EquipoiseError, match="found 3 players"):
        gameshrink(poker.kuhn(4, players=3))


@given(tables())
@settings(max_examples=25, deadline=None)
def test_defects_change_seats_with_the_players(drawn):
    """Whose views differ is told player by player, also where one of them has none that do."""
    weights, outcomes, parents, _ = drawn
    rounds = signals_from(weights, outcomes, parents)
    seats = signals_from(weights.T, -outcomes.T, parents[::-1])
    before = [np.arange(p.max() + 1) for p in parents]
    fine = [np.arange(len(p)) for p in parents]
    for last in (parents, (fine[0], parents[1])):
        here = defect(rounds, Partition.of(rounds, [before, list(last)]))
        there = defect(seats, Partition.of(seats, [before[::-1], list(last)[::-1]]))
        for ours, theirs in zip(here, there, strict=True):
            np.testing.assert_allclose(ours[0], theirs[1], atol=1e-12)
            np.testing.assert_allclose(ours[1], theirs[0], atol=1e-12)
        if last is not parents:
            continue
        # Of a view that nothing is merged with, nothing differs.
        alone = [np.bincount(p)[p] == 1 for p in parents]
        for player in (0, 1):
            single = np.unique(parents[player][alone[player]])
            assert (here[-1][player][single] <= 1e-12).all()
