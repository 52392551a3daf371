"""Sampling nature's deals in games with signals: probabilities, products, and the whole sample."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from equipoise.abstraction.base import coarsen
from equipoise.abstraction.gameshrink import gameshrink
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import load
from equipoise.games.signals.rounds import sample
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import signal_rounds
from equipoise.sequence.build import build
from equipoise.solvers.base import measure, solve
from equipoise.solvers.driver import Iterations
from equipoise.solvers.saddle.cfr import DCFR

GAMES = {
    "kuhn": poker.kuhn(),
    "leduc": poker.leduc(),
    "rhode island": poker.rhode_island(3, 2),
    "auction": load("auction"),
    "tract": load("tract"),
}


def game_of(name: str) -> StageGame:
    game = GAMES[name]
    assert isinstance(game, StageGame)
    return game


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("proportion", [0.1, 0.5, 1.0])
def test_sampled_probabilities(name: str, proportion: float) -> None:
    rounds = coarsen(signal_rounds(game_of(name)), gameshrink(game_of(name)))
    random = np.random.default_rng(1)
    found = sample(rounds, proportion, random)
    assert len(found[-1].weight) == math.ceil(proportion * len(rounds[-1].weight))
    deals = [
        dict(zip(zip(*signals.pairs, strict=True), signals.weight, strict=True))
        for signals in found
    ]
    for turn, signals in enumerate(found):
        assert signals.weight.sum() == pytest.approx(1, abs=1e-12)
        assert signals.views == rounds[turn].views
        if turn + 1 == len(found):
            continue
        # Each deal has the probability of those that extend it.
        below = dict.fromkeys(deals[turn], 0.0)
        up = found[turn + 1].parents
        for (first, second), weight in deals[turn + 1].items():
            below[up[0][first], up[1][second]] += weight
        assert below == pytest.approx(deals[turn])


@pytest.mark.parametrize("name", GAMES)
def test_the_whole_sample_is_the_game(name: str) -> None:
    form = build(game_of(name))
    whole = form.A.sampled(1.0, np.random.default_rng(0))
    assert abs(whole.matrix() - form.A.matrix()).max() <= 1e-12


@pytest.mark.parametrize("name", GAMES)
def test_products_of_a_sample(name: str) -> None:
    form = build(game_of(name))
    part = form.A.sampled(0.3, np.random.default_rng(0))
    assert part.nonzeros < form.A.nonzeros
    assert part.shape == form.A.shape
    random = np.random.default_rng(2)
    x, y = random.random(form.X.size), random.random(form.Y.size)
    matrix = part.matrix()
    np.testing.assert_allclose(part.times(y), matrix @ y, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(part.transpose_times(x), matrix.T @ x, rtol=1e-9, atol=1e-9)


def test_samples_average_to_the_game() -> None:
    """An unweighted mean of samples of equally likely deals estimates A without bias."""
    form = build(poker.kuhn())
    random = np.random.default_rng(3)
    mean = sum(form.A.sampled(0.5, random).matrix().toarray() for _ in range(4000)) / 4000
    assert np.abs(mean - form.A.matrix().toarray()).max() < 0.02


def test_a_sampled_game_can_be_solved_and_overfits() -> None:
    """Gilpin 2009, figure 9.1: the gap in the sampled game falls below the gap in the real one."""
    form = build(game_of("rhode island"))
    part = replace(form, A=form.A.sampled(0.2, np.random.default_rng(0)))
    solution = solve(part, DCFR(), Iterations(300))
    lower, upper = measure(form, solution.x, solution.y)
    assert upper - lower > 10 * solution.gap


@pytest.mark.parametrize("proportion", [0.0, -0.1, 1.5, math.nan])
def test_bad_proportions(proportion: float) -> None:
    with pytest.raises(EquipoiseError, match="expected 0 < p <= 1"):
        build(poker.kuhn()).A.sampled(proportion, np.random.default_rng(0))


def test_a_sample_is_not_sampled_again() -> None:
    random = np.random.default_rng(0)
    with pytest.raises(EquipoiseError, match="found a sample"):
        build(poker.kuhn()).A.sampled(0.5, random).sampled(0.5, random)
