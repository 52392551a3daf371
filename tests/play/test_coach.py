"""The coach: values are the game's, and luck is what it says it is."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import equipoise
from equipoise.games.poker.game import leduc
from equipoise.play.agents import Mixed, StrategyPlayer, Uniform, always_call, always_raise
from equipoise.play.coach import Advice, Coach, Score, strategy_of
from equipoise.play.episode import Episode
from equipoise.road.result import Result


@pytest.fixture(scope="module")
def solved() -> dict[str, Result]:
    return {
        "kuhn": equipoise.solve("kuhn"),
        "poker": equipoise.solve(leduc(3, 2), gap="1e-3r"),
        "auction": equipoise.solve("auction", gap="1e-3r"),
    }


@pytest.mark.parametrize("name", ["kuhn", "poker", "auction"])
@pytest.mark.parametrize("seat", [0, 1])
def test_luck_is_zero_on_average(name: str, seat: int, solved: dict[str, Result]) -> None:
    """Whatever a player does, payoff and luck-adjusted payoff have one mean; the spread is less."""
    result = solved[name]
    coach = Coach.against(result.game, result.strategy, seat, Uniform())
    value, fool, opponent = coach.value, random.Random(seat), Uniform()
    opponent.reset(5)
    differences, payoffs, adjusted = [], [], []
    for seed in range(2500):
        hand, score, choices = Episode(result.game, seed), Score(), []
        while (player := hand.player) is not None:
            seen = hand.observation(player)
            action = fool.choice(seen.actions) if player == seat else opponent.act(seen)
            if player == seat:
                choices.append((coach.advise(seen), action))
            hand.act(action)
        assert hand.payoffs is not None
        score.count(hand.payoffs[seat], value, choices)
        payoffs.append(score.total)
        adjusted.append(score.adjusted)
        differences.append(score.total - score.adjusted)
    error = np.std(differences) / math.sqrt(len(differences))
    assert abs(np.mean(differences)) < 4 * error
    assert np.std(adjusted) < np.std(payoffs)


def test_whoever_follows_the_coach_scores_its_value(solved: dict[str, Result]) -> None:
    """With equilibrium against equilibrium no choice that is made costs anything."""
    result = solved["kuhn"]
    coach = Coach.against(result.game, result.strategy, 0, result.strategy)
    assert coach.value == pytest.approx(-1 / 18)  # Kuhn (1950)
    players = [StrategyPlayer(result.strategy), StrategyPlayer(result.strategy)]
    score = Score()
    for seed in range(200):
        hand, choices = Episode("kuhn", seed), []
        while (player := hand.player) is not None:
            seen = hand.observation(player)
            action = players[player].act(seen)
            if player == 0:
                choices.append((coach.advise(seen), action))
            hand.act(action)
        assert hand.payoffs is not None
        score.count(hand.payoffs[0], coach.value, choices)
    assert score.adjusted == pytest.approx(-200 / 18)
    assert score.cost == pytest.approx(0, abs=1e-9)
    assert score.best == score.decisions > 200
    assert score.error > 0
    assert score.mean == score.total / 200


@pytest.mark.parametrize("agent", [Uniform(), always_call(), always_raise()])
@pytest.mark.parametrize("name", ["poker", "leduc"])
def test_agents_are_strategies(name: str, agent: Mixed, solved: dict[str, Result]) -> None:
    result = solved.get(name) or equipoise.solve(name, gap="1e-1r")
    strategy = strategy_of(result.game, result.strategy, agent)
    for seed in range(10):
        hand = Episode(result.game, seed)
        while (player := hand.player) is not None:
            seen = hand.observation(player)
            assert strategy.of(result.game)[f"{player + 1}|{seen.infoset}"] == pytest.approx(
                dict(agent.policy(seen))
            )
            hand.act(agent.act(seen))


def test_costs_are_beside_the_best() -> None:
    advice = Advice(("f", "c"), (0.5, 0.5), (-1.0, 2.0))
    assert (advice.value, advice.cost("f"), advice.cost("c"), advice.gain("f")) == (0.5, 3, 0, -1.5)
    score = Score()
    assert math.isnan(score.mean)
    assert math.isnan(score.error)
