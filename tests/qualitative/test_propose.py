"""Models proposed by the games themselves."""

from __future__ import annotations

import numpy as np
import pytest
from signal_games import BET_OR_CHECK, models, random_rivers

from equipoise.certificates.bayesian import certify_bayesian
from equipoise.games.bayesian.betting_round import bet_or_check, kuhn_round, raise_or_fold
from equipoise.games.bayesian.distributions import Signals
from equipoise.games.bayesian.game import BayesianGame, UtilityGame
from equipoise.solvers.bayesian.propose import discover, fictitious_play, propose
from equipoise.solvers.bayesian.qualitative import Products
from equipoise.strategy.regions import Profile


def test_the_motivating_game_proposes_the_published_model() -> None:
    game = BayesianGame(bet_or_check(2.0), Signals.uniform())
    (expected,) = models(game.round, BET_OR_CHECK)
    proposed = propose(game)
    assert proposed.regions == expected.regions
    answer = discover(game)
    assert [c for own in answer.regions.cuts for c in own] == pytest.approx(
        [0.3, 0.9, 0.6], abs=1e-9
    )


def test_finite_kuhn_poker_without_a_model() -> None:
    game = BayesianGame(kuhn_round(), Signals.deck(8))
    answer = discover(game)
    assert certify_bayesian(game, answer.regions.profile(game)).epsilon <= 1e-9


def test_rivers_without_a_model() -> None:
    solved = 0
    for pot, game in random_rivers(8, seed=1):
        answer = discover(game, time_limit=20.0)
        solved += certify_bayesian(game, answer.regions.profile(game)).epsilon <= 1e-6 * pot
    assert solved >= 7


def test_three_players_without_a_model() -> None:
    game = BayesianGame(raise_or_fold(), Signals.uniform(3))
    proposed = propose(game)
    assert [len(own) for own in proposed.regions] == [2, 3, 4]
    answer = discover(game, products=Products(5))
    assert certify_bayesian(game, answer.regions.profile(game)).epsilon <= 1e-9


def test_utilities_as_code_without_a_model() -> None:
    def utility(actions: tuple[str, ...], cost: tuple[float, ...]) -> list[float]:
        entered = [a == "enter" for a in actions]
        return [
            (0.3 if all(entered) else 1.0) - c if e else 0.0
            for e, c in zip(entered, cost, strict=True)
        ]

    game = UtilityGame.from_function([("enter", "stay")] * 2, utility, Signals.uniform(), cells=16)
    answer = discover(game)
    assert answer.model.regions == (("enter", "stay"),) * 2
    assert certify_bayesian(game, answer.regions.profile(game)).epsilon <= 1e-9


def test_fictitious_play_approaches_equilibrium() -> None:
    game = BayesianGame(kuhn_round(), Signals.deck(5))
    gaps = [
        certify_bayesian(
            game, Profile(game.signals, tuple(fictitious_play(game, 0.0, rounds)))
        ).epsilon
        for rounds in (20, 500)
    ]
    assert gaps[1] < 0.3 * gaps[0]
    assert np.isfinite(gaps).all()
