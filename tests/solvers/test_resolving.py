"""Re-solving the last round: safe gadgets keep their promises, in the full game, and margins are what they say."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.certificates.gap import certify
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import load
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.solvers.saddle.resolving import promised, resolve, situations
from equipoise.strategy.lift import lift

sys.path.append(str(Path(__file__).parents[2] / "experiments"))
import resolving as experiment


@pytest.fixture(scope="module")
def coarse():
    """A strategy of a small deck that an abstraction, and a short solve, leave beatable."""
    game = poker.rhode_island(4, 2)
    model = gameshrink(game, "histogram")
    base = lift(solve(build(game, model), DCFR(), Gap(100.0)).strategy, model)
    form = build(game)
    return game, form, base, experiment.plans_of(form, base)


@pytest.mark.parametrize("gadget", ["resolve", "maxmargin"])
def test_safe_gadgets_lose_nothing(coarse, gadget: str) -> None:
    game, form, base, plans = coarse
    before = certify(game, base)
    new = []
    for keeper in (0, 1):
        publics = experiment.public_situations(game, form, 1 - keeper)
        plan = resolve(form, keeper, plans, gadget, 600, publics)
        after = promised(form, keeper, plan) - promised(form, keeper, plans[keeper])
        assert form.units.unit * np.maximum(after, 0.0).sum() < 1.0
        new.append(plan)
    proof = certify(game, experiment.strategy_of(form, tuple(new), base))
    for found, was in zip(proof.best_responses, before.best_responses, strict=True):
        assert found < was + 1.0
    assert proof.gap < before.gap


def test_the_trunk_stays_as_it_is(coarse) -> None:
    _, form, _, plans = coarse
    plan = resolve(form, 0, plans, "unsafe", 20)
    trunk = form.A.tiled.last.trunk[0]
    np.testing.assert_allclose(plan[:trunk], plans[0][:trunk], atol=1e-12)
    assert np.abs(plan[trunk:] - plans[0][trunk:]).max() > 0.01


def test_promises_add_up_to_the_best_response(coarse) -> None:
    """With the promises at the leaves of the trunk, its best response is that of the whole game."""
    _, form, _, plans = coarse
    gain = -form.A.transpose_times(plans[0])
    whole = form.Y.support(gain)
    trunk = form.A.tiled.last.trunk[1]
    shorter = gain.copy()
    shorter[:trunk] += promised(form, 0, plans[0])
    shorter[trunk:] = 0
    assert form.Y.support(shorter) == pytest.approx(whole, abs=1e-12)


def test_public_situations_are_those_of_betting_and_board(coarse) -> None:
    game, form, _, _ = coarse
    publics = experiment.public_situations(game, form, 1)
    assert len(publics) == len(situations(form, 1))
    # Seven ways to bet through each of two rounds; a flop of each of four ranks, suits being alike.
    assert len(np.unique(publics)) == 7 * 7 * 4


def test_what_cannot_be_resolved(coarse) -> None:
    _, form, _, plans = coarse
    with pytest.raises(EquipoiseError, match="found 'x', expected one of unsafe"):
        resolve(form, 0, plans, "x", 1)
    with pytest.raises(EquipoiseError, match="expected a number for each"):
        resolve(form, 0, plans, "maxmargin", 1)
    kuhn = build(load("kuhn"))
    with pytest.raises(EquipoiseError, match="expected a last round in tiles"):
        promised(kuhn, 0, np.ones(kuhn.X.size))
