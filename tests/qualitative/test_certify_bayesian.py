"""The ex-post check against slow references: enumeration, fine grids, and the sequence form."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from signal_games import random_cdf

from equipoise.certificates.bayesian import certify_bayesian, nemesis
from equipoise.games.bayesian.betting_round import (
    BettingRound,
    Leaf,
    bet_or_check,
    kuhn_round,
    raise_or_fold,
    river,
)
from equipoise.games.bayesian.distributions import Cdf, Signals
from equipoise.games.bayesian.game import BayesianGame, UtilityGame
from equipoise.strategy.regions import Profile, Regions, interim

GAMES = {
    "bet or check": bet_or_check(2.0),
    "river": river(3.0),
    "kuhn": kuhn_round(),
    "raise or fold": raise_or_fold(),
}


def random_profile(game: BayesianGame, rng: np.random.Generator) -> Profile:
    mixture = tuple(
        rng.dirichlet(np.ones(len(plans)), size=game.signals.cells) for plans in game.plans
    )
    return Profile(game.signals, mixture)


def payment(game: BayesianGame, leaf: Leaf, player: int, signals: tuple[int, ...]) -> float:
    """What the rules say, read off one deal."""
    if player not in leaf.contenders:
        return leaf.lose[player]
    order = [-s if game.round.better == "high" else s for s in signals]
    best = min(order[i] for i in leaf.contenders)
    winners = [i for i in leaf.contenders if order[i] == best]
    share = (player in winners) / len(winners)
    return leaf.lose[player] + (leaf.win[player] - leaf.lose[player]) * share


def enumerated(game: BayesianGame, player: int, profile: Profile) -> np.ndarray:
    """Interim worth of every plan at every signal, deal by deal."""
    cells = game.signals.cells
    worth = np.zeros((len(game.plans[player]), cells))
    for deal in product(range(cells), repeat=game.players):
        if game.signals.joint is None:
            weight = np.prod([game.signals.mass[j][s] for j, s in enumerate(deal) if j != player])
        else:
            row = game.signals.joint.sum(axis=1 - player)[deal[player]]
            weight = game.signals.joint[deal] / row
        for k, leaf in enumerate(game.round.leaves):
            comes = np.prod(
                [
                    profile.mixture[j][deal[j]] @ game.round.reach[j][:, k]
                    for j in range(game.players)
                    if j != player
                ]
            )
            worth[:, deal[player]] += (
                weight * comes * payment(game, leaf, player, deal) * game.round.reach[player][:, k]
            )
    return worth


@pytest.mark.parametrize("betting", GAMES.values(), ids=GAMES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_finite_signals_with_ties_agree_with_enumeration(betting: BettingRound, seed: int) -> None:
    rng = np.random.default_rng(seed)
    signals = Signals.discrete(*rng.dirichlet(np.ones(4), size=betting.players))
    game = BayesianGame(betting, signals)
    profile = random_profile(game, rng)
    for player in range(game.players):
        expected = enumerated(game, player, profile)
        np.testing.assert_allclose(interim(game, player, profile), expected, atol=1e-12)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_dependent_signals_agree_with_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.ones(16)).reshape(4, 4)
    game = BayesianGame(river(2.0), Signals.dependent(joint))
    profile = random_profile(game, rng)
    for player in range(2):
        expected = enumerated(game, player, profile)
        np.testing.assert_allclose(interim(game, player, profile), expected, atol=1e-12)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_table_of_payments_agrees_with_the_round_it_was_made_from(seed: int) -> None:
    rng = np.random.default_rng(seed)
    game = BayesianGame(
        bet_or_check(2.0), Signals.dependent(rng.dirichlet(np.ones(9)).reshape(3, 3))
    )
    profile = random_profile(game, rng)

    def utility(actions: tuple[str, ...], x: tuple[float, ...]) -> list[float]:
        rows = [game.round.reach[i][game.plan(i, a)] for i, a in enumerate(actions)]
        leaf = game.round.leaves[int(np.argmax(rows[0] * rows[1]))]
        return [payment(game, leaf, i, (int(x[0]), int(x[1]))) for i in range(2)]

    table = UtilityGame.from_function(game.plans, utility, game.signals)
    assert certify_bayesian(table, profile).gains == pytest.approx(
        certify_bayesian(game, profile).gains, abs=1e-12
    )
    assert certify_bayesian(table, profile).values == pytest.approx(
        certify_bayesian(game, profile).values, abs=1e-12
    )


@pytest.mark.parametrize("betting", GAMES.values(), ids=GAMES)
def test_continuous_gains_are_the_limit_of_fine_grids(betting: BettingRound) -> None:
    rng = np.random.default_rng(7)
    signals = Signals.continuous(*(random_cdf(rng) for _ in range(betting.players)))
    game = BayesianGame(betting, signals)
    profile = random_profile(game, rng)
    proof = certify_bayesian(game, profile)
    points = (np.arange(400) + 0.5) / 400
    for player in range(game.players):
        table = np.stack([interim(game, player, profile, float(t)) for t in points])
        got = np.einsum("cp,tpc->tc", profile.mixture[player], table)
        regret = (table.max(axis=1) - got).mean(axis=0) @ signals.mass[player]
        value = got.mean(axis=0) @ signals.mass[player]
        assert proof.gains[player] == pytest.approx(regret, abs=1e-5)
        assert proof.values[player] == pytest.approx(value, abs=1e-5)
        assert proof.worst[player] >= (table.max(axis=1) - got).max() - 1e-12


def test_independent_signals_are_a_special_case_of_dependent_ones() -> None:
    rng = np.random.default_rng(3)
    alone = Signals.continuous(random_cdf(rng), random_cdf(rng))
    regions = Regions((("bet", "check", "bet"), ("call", "fold")), ((0.2, 0.7), (0.55,)))
    joint = Signals.dependent(np.outer(*alone.mass), alone.edges)
    games = [BayesianGame(bet_or_check(2.0), s) for s in (alone, joint)]
    proofs = [certify_bayesian(g, regions.profile(g)) for g in games]
    assert proofs[0].gains == pytest.approx(proofs[1].gains, abs=1e-12)
    assert proofs[0].values == pytest.approx(proofs[1].values, abs=1e-12)


def test_payments_of_a_constant_sum_game_add_up() -> None:
    rng = np.random.default_rng(5)
    game = BayesianGame(raise_or_fold(), Signals.continuous(*(random_cdf(rng) for _ in range(3))))
    assert sum(certify_bayesian(game, random_profile(game, rng)).values) == pytest.approx(
        0.0, abs=1e-12
    )


def test_the_stated_error_covers_what_approximation_does() -> None:
    def square(x: np.ndarray) -> np.ndarray:
        return np.asarray(x) ** 2

    regions = Regions((("bet", "check", "bet"), ("call", "fold")), ((0.4, 0.9), (0.7,)))
    proofs = []
    for pieces in (4, 16, 1000):
        cdf = Cdf.approximate(square, 0.0, 1.0, pieces)
        game = BayesianGame(bet_or_check(2.0), Signals.continuous(cdf, cdf))
        proofs.append(certify_bayesian(game, regions.profile(game)))
    truth = proofs[-1]
    for proof in proofs[:-1]:
        assert abs(proof.epsilon - truth.epsilon) <= proof.error + truth.error
    assert proofs[0].error > proofs[1].error > truth.error > 0.0


def test_regions_that_are_out_of_order_are_refused() -> None:
    game = BayesianGame(bet_or_check(2.0), Signals.uniform())
    regions = Regions((("bet", "check", "bet"), ("call", "fold")), ((0.7, 0.2), (0.5,)))
    with pytest.raises(ValueError, match="Regions of P1: found cuts"):
        regions.profile(game)


@pytest.mark.parametrize("finite", [False, True])
@pytest.mark.parametrize("betting", GAMES.values(), ids=GAMES)
def test_a_nemesis_earns_what_the_certificate_says(betting: BettingRound, finite: bool) -> None:
    rng = np.random.default_rng(11)
    signals = Signals.continuous(*(random_cdf(rng) for _ in range(betting.players)))
    game = BayesianGame(betting, signals.discretized(9) if finite else signals)
    cuts = [np.sort(rng.uniform(0.1, 0.9, size=len(plans) - 1)) for plans in game.plans]
    regions = Regions(game.plans, tuple(tuple(own.tolist()) for own in cuts))
    profile = regions.profile(game)
    proof = certify_bayesian(game, profile)
    for player in range(game.players):
        best = nemesis(game, player, profile)
        plans, where = list(regions.plans), list(regions.cuts)
        plans[player], where[player] = best.plans[0], best.cuts[0]
        deviated = certify_bayesian(game, Regions(tuple(plans), tuple(where)).profile(game))
        expected = proof.values[player] + proof.gains[player]
        assert proof.best_responses[player] == pytest.approx(expected, abs=1e-12)
        assert deviated.values[player] == pytest.approx(expected, abs=1e-9)
        assert deviated.gains[player] <= 1e-9
