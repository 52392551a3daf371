"""Distributions and rounds: laws of cutting, and bad input refused with its place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from signal_games import random_cdf

from equipoise.errors import EquipoiseError
from equipoise.games.bayesian.betting_round import (
    BettingRound,
    bet_or_check,
    kuhn_round,
    paid_leaf,
    raise_or_fold,
    river,
    showdown_leaf,
)
from equipoise.games.bayesian.distributions import Cdf, Signals
from equipoise.games.bayesian.game import BayesianGame, UtilityGame

ROUNDS = {
    "bet or check": bet_or_check(3.0),
    "river": river(2.0),
    "kuhn": kuhn_round(),
    "raise or fold": raise_or_fold(),
}


@pytest.mark.parametrize("betting", ROUNDS.values(), ids=ROUNDS)
def test_every_combination_of_plans_leads_to_one_leaf(betting: BettingRound) -> None:
    table = betting.reach[0]
    for reach in betting.reach[1:]:
        table = np.einsum("...l,pl->...pl", table, reach)
    assert (table.sum(axis=-1) == 1.0).all()


def test_plans_are_named_as_in_appendix_c() -> None:
    assert river().plans[0] == ("bet-call", "bet-fold", "check-call", "check-fold")
    assert set(river().plans[1]) == {
        f"{a}/{b}" for a in ("raise", "call", "fold") for b in ("bet", "check")
    }
    assert "fold/fold/call" in raise_or_fold().plans[2]
    # The difference between best and worst payment is 12 (section 8.3).
    assert raise_or_fold().span == 12.0
    assert river(2.0).constant_sum == 2.0
    assert kuhn_round().constant_sum == 0.0


def test_deeper_trees_put_answers_in_brackets() -> None:
    betting = BettingRound(
        (
            paid_leaf("P1 a, P2 x, P1 l", 1, 0),
            paid_leaf("P1 a, P2 x, P1 r", 0, 1),
            paid_leaf("P1 a, P2 y, P1 l", 0, 1),
            paid_leaf("P1 a, P2 y, P1 r", 1, 0),
            paid_leaf("P1 b", 0, 0),
        )
    )
    assert betting.plans[0] == ("a-(l/l)", "a-(l/r)", "a-(r/l)", "a-(r/r)", "b")
    assert betting.plan_of(0, {(): "a", ("a", "x"): "r", ("a", "y"): "l"}) == "a-(r/l)"


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), cuts=st.lists(st.floats(0, 1), max_size=6))
def test_cutting_cells_keeps_the_distribution(seed: int, cuts: list[float]) -> None:
    rng = np.random.default_rng(seed)
    cdfs = random_cdf(rng), random_cdf(rng)
    signals = Signals.continuous(*cdfs)
    fine = signals.refine(cuts)
    for cdf, mass in zip(cdfs, fine.mass, strict=True):
        np.testing.assert_allclose(np.cumsum(mass), cdf(fine.edges[1:]), atol=1e-12)
    joint = Signals.dependent(np.outer(*signals.mass), signals.edges).refine(cuts)
    np.testing.assert_allclose(joint.joint, np.outer(*fine.mass), atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 30))
def test_discretized_signals_are_sums_of_masses(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    cdfs = random_cdf(rng), random_cdf(rng)
    coarse = Signals.continuous(*cdfs).discretized(n)
    assert coarse.finite
    for cdf, mass in zip(cdfs, coarse.mass, strict=True):
        np.testing.assert_allclose(np.cumsum(mass), cdf(coarse.edges[1:]), atol=1e-9)


def test_decks_deal_different_cards_and_buckets_add_up() -> None:
    deck = Signals.deck(6)
    assert deck.joint is not None
    assert np.trace(deck.joint) == 0.0
    groups = np.kron(np.eye(3), np.ones((1, 2)))
    buckets = Signals.deck(6, 3).joint
    np.testing.assert_allclose(buckets, groups @ deck.joint @ groups.T, atol=1e-15)


def test_an_approximated_cdf_says_how_far_it_is_off() -> None:
    def square(x: np.ndarray) -> np.ndarray:
        return np.asarray(x) ** 2

    cdf = Cdf.approximate(square, 0.0, 1.0, 20)
    fine = np.linspace(0.0, 1.0, 5001)
    worst = np.abs(cdf(fine) - fine**2).max()
    # The first piece, from 0 to 20^-1/2, is off by a quarter of its probability.
    assert 0.25 / 20 <= worst + 1e-9 <= cdf.error <= 0.26 / 20
    assert Cdf.approximate(square, 0.0, 1.0, 200).error <= 0.26 / 200


def test_a_density_says_how_far_it_is_off() -> None:
    def h(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return 1.0 - 0.5 * (2 * x - 1) * (2 * y - 1)

    errors = [Signals.density(h, cells=n).error for n in (2, 4, 8)]
    assert errors[0] > errors[1] > errors[2] > 0.0
    flat = Signals.density(lambda x, y: np.ones_like(x * y), cells=3)
    assert flat.error == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(flat.joint, np.full((3, 3), 1 / 9), atol=1e-12)


def test_utilities_as_code_say_how_far_they_are_off() -> None:
    def utility(actions: tuple[str, ...], x: tuple[float, ...]) -> tuple[float, float]:
        return x[0] * (actions[0] == "in"), x[1] * (actions[1] == "in")

    game = UtilityGame.from_function([("in", "out")] * 2, utility, Signals.uniform(), cells=10)
    assert game.error == pytest.approx(0.05)
    finite = UtilityGame.from_function(
        [("in", "out")] * 2, utility, Signals.discrete([0.5, 0.5], [0.5, 0.5])
    )
    assert finite.error == 0.0
    np.testing.assert_allclose(finite.tables[0][0, 0], [[1.0, 1.0], [2.0, 2.0]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Cdf.points([[0, 0], [0.5, 0.7], [0.8, 0.6], [1, 1]]), r"breakpoint 3: found F\(0.8\) = 0.6 after F\(0.5\) = 0.7"),
        (lambda: Cdf.points([[0, 0], [0.5, 0.4], [0.5, 0.6], [1, 1]]), "breakpoint 3: found x = 0.5 after 0.5"),
        (lambda: Cdf.points([[0, 0.1], [1, 1]]), "running from 0.1 to 1, expected 0 to 1"),
        (lambda: Cdf.points([[0, 0]]), "at least two breakpoints"),
        (lambda: Cdf.points([0, 1]), "list of pairs"),
        (lambda: Cdf.points([["a", 0], [1, 1]]), "list of pairs"),
        (lambda: Cdf.points([[0, float("nan")], [1, 1]]), "not a number"),
        (lambda: Signals.continuous(Cdf.uniform(), Cdf.uniform(0, 2)), "different intervals"),
        (lambda: Signals.discrete([0.5, 0.4], [0.5, 0.5]), "Signals of P1: expected 2 probabilities"),
        (lambda: Signals.dependent([[0.5, 0.4], [0.3, 0.2]]), "sum to one"),
        (lambda: Signals.dependent([[0.5, 0.5]]), "square table"),
        (lambda: Signals.dependent([[1.0]], [0.0]), "expected 2 increasing edges"),
        (lambda: Signals.density(lambda x, y: x - y), "negative"),
        (lambda: Signals.deck(10, 3), "found 3 buckets, expected a divisor"),
        (lambda: Signals.discrete([1.0], [1.0]).refine([0.5]), "cannot be cut"),
        (lambda: BayesianGame(river(), Signals.uniform(3)), "signals for 3 players, expected 2"),
        (lambda: BettingRound(()), "no leaf"),
        (lambda: BettingRound((paid_leaf("P1 a", 0, 0),), "middle"), "'low' or 'high'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: BettingRound((paid_leaf("P1 a", 0, 0), paid_leaf("P2 b", 0, 0))), "both P1 and P2 to act"),
        (lambda: BettingRound((paid_leaf("P1 a", 0, 0), paid_leaf("P1 a, P2 b", 0, 0))), "with actions after it"),
        (lambda: BettingRound((paid_leaf("P3 a", 0, 0),)), "outside P1 to P2"),
        (lambda: BettingRound((paid_leaf("P1 a", 0, float("inf")),)), "expected finite ones between"),
        (lambda: BettingRound((paid_leaf("P1 a", 0, 0), paid_leaf("P1 b", 0, 0, 0))), "expected 2"),
        (lambda: paid_leaf(f"P{'9' * 5000} bet", 0, 0), "found 'P99"),
        (lambda: paid_leaf("P0 bet", 0, 0), "found 'P0 bet', expected steps such as 'P1 bet'"),
        (lambda: paid_leaf("P² bet", 0, 0), "found 'P² bet', expected steps such as 'P1 bet'"),
        (lambda: paid_leaf("bet", 0, 0), "found 'bet', expected steps such as 'P1 bet'"),
        (lambda: showdown_leaf("P0 bet", (1, 1), (0, 0)), "found 'P0 bet'"),
        (lambda: UtilityGame.from_function([("a",)], lambda a, x: (0, 0), Signals.uniform()), "two players"),
        (lambda: UtilityGame.from_function([("a",)] * 2, lambda a, x: (0,), Signals.uniform()), "expected two finite payments"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_its_place(make: Callable[[], object], message: str) -> None:
    with pytest.raises(EquipoiseError, match=message):
        make()
