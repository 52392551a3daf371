"""Laws of payoff operators: a class is listed once, with examples, and inherits them all."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sequence.payoff_laws import EXAMPLES, LAWS

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.cards.deck import Deck
from equipoise.cards.evaluate import three_card_ranks
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.signals.limit import limit
from equipoise.sequence.build import build
from equipoise.sequence.payoffs import on_boards
from equipoise.sequence.payoffs.base import Payoff
from equipoise.sequence.payoffs.on_boards import LEAVES, OnBoards
from equipoise.sequence.payoffs.ranked import Ranked, RankedHands, RankedLeaves
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Iterations
from equipoise.solvers.saddle.cfr import TABLE

# Who posted the small blind may fold before the other has done anything.
BLINDS = poker.poker_game(
    "Leduc with blinds",
    deck=Deck.small(3, 2),
    hole=1,
    board=(0, 1),
    tree=limit(2, bets=(2, 4), cap=2, blinds=(1, 2), first=(0, 1)),
    showdown="pair",
    big_blind=2,
)

PAYOFFS = [example for examples in EXAMPLES.values() for example in examples]


def test_every_class_of_payoffs_is_listed():
    ours = {own for own in Payoff.__subclasses__() if own.__module__.startswith("equipoise.")}
    assert ours == set(EXAMPLES)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("A", PAYOFFS, ids=lambda A: type(A).__name__)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=5, deadline=None)
def test_law(A, law, seed):
    law(A, np.random.default_rng(seed))


class Bare(Payoff):
    """An operator with the core alone."""

    def __init__(self, A: Payoff) -> None:
        self.shape, self._inner = A.shape, A

    def write(self, source, plan, out):
        self._inner.write(source, plan, out)


def test_the_core_is_enough_to_solve_and_what_is_missing_is_said():
    form = build(poker.leduc())
    bare = replace(form, A=Bare(form.A))
    assert solve(bare, TABLE["dcfr"], Iterations(300)).gap < 0.02
    for ability in (bare.A.matrix, lambda: bare.A.sampled(0.5, np.random.default_rng())):
        with pytest.raises(EquipoiseError, match="Bare payoffs"):
            ability()


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_the_core_alone_inherits_the_laws(law):
    law(Bare(build(poker.leduc()).A), np.random.default_rng(1))


def test_products_that_are_not_adjoint_break_a_law():
    class Crooked(Bare):
        def write(self, source, plan, out):
            super().write(source, plan, out)
            out[-1] += 1e-6 * source

    with pytest.raises(AssertionError):
        LAWS[0](Crooked(build(poker.leduc()).A), np.random.default_rng(1))


def test_ranked_showdowns_are_those_of_the_cards():
    # Pairs of private cards and one on the board, by the ranking of three cards.
    board, deck = 17, range(30, 52)
    holes = np.array([(a, b) for a in deck for b in deck if a < b])
    strength = three_card_ranks(np.column_stack([holes, np.full(len(holes), board)]))
    leaf = RankedLeaves(*(np.zeros(1, np.uint32),) * 2, base=np.zeros(1), scale=np.ones(1))
    even = np.ones(len(holes))
    A = Ranked(RankedHands.of(holes, strength), leaf, (even, even), (len(holes),) * 2)
    y = np.random.default_rng(0).random(len(holes))
    gains = A.times(y)
    for h in range(0, len(holes), 17):
        met = [k for k in range(len(holes)) if not set(holes[h]) & set(holes[k])]
        won = sum(y[k] * np.sign(int(strength[h]) - int(strength[k])) for k in met)
        assert gains[h] == pytest.approx(won, abs=1e-10)


@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize(
    "game",
    [
        *(
            poker.kuhn(4),
            poker.leduc(4, 3),
            poker.no_limit_leduc(3, 2, 6),
            poker.rhode_island(4, 3),
        ),
        BLINDS,
    ],
    ids=lambda game: game.name,
)
def test_boards_pay_what_the_factors_do(game, leaves):
    """Deals listed pair by pair, and hands on boards: two roads to the same payoffs, abstracted or not."""
    random = np.random.default_rng(0)
    for form in (build(game), build(game, gameshrink(game))):
        A = OnBoards.of(form, leaves)
        x, y = random.random(form.X.size), random.random(form.Y.size)
        np.testing.assert_allclose(A.times(y), form.A.times(y), atol=1e-13)
        np.testing.assert_allclose(A.transpose_times(x), form.A.transpose_times(x), atol=1e-13)


def test_boards_are_spread_over_cores_without_changing_a_bit(monkeypatch):
    A = OnBoards.of(build(poker.rhode_island(4, 2)))
    y = np.random.default_rng(0).random(A.shape[1])
    alone = A.times(y)
    monkeypatch.setattr(on_boards, "_WORTH_THREADS", 0)
    np.testing.assert_array_equal(OnBoards(A.lanes, A.shape).times(y), alone)


def test_games_too_large_for_their_boards_are_refused():
    form = replace(build(poker.leduc()), game=poker.limit_holdem())
    with pytest.raises(EquipoiseError, match="too many deals"):
        OnBoards.of(form)


def test_a_hand_given_twice_is_refused():
    with pytest.raises(EquipoiseError, match="twice"):
        RankedHands.of(np.array([[1, 2], [2, 1]]), np.array([1, 1]))
