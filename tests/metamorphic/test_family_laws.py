"""The laws of units and constants in the other families: signals, Bayesian, repeated, stochastic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_registry import SIGNALS, solved

from equipoise.certificates.gap import certify
from equipoise.games.bayesian.betting_round import BettingRound, bet_or_check, kuhn_round, river
from equipoise.games.bayesian.distributions import Signals
from equipoise.games.bayesian.game import BayesianGame
from equipoise.games.repeated.game import RepeatedGame
from equipoise.games.signals.betting import TERMINAL
from equipoise.games.tournaments.stochastic import ExplicitGame
from equipoise.solvers.bayesian.signal_lp import zero_sum
from equipoise.solvers.driver import Iterations, Relative
from equipoise.solvers.repeated.cav import solve_repeated
from equipoise.solvers.stochastic.fictitious import fictitious_play
from equipoise.solvers.stochastic.stochastic import ALGORITHMS, VI_FP, solve_stochastic

POWERS = (-60, 1, 40)
FEW = Relative(1e-6) | Iterations(12)


def with_payments(game, factor=1.0, constant=0.0):
    """A game with signals whose payments are multiplied, and a constant passed from 2 to 1."""
    tree = game.tree
    base = factor * tree.base
    base[tree.player == TERMINAL] += [constant, -constant]
    return replace(game, tree=replace(tree, base=base, scale=factor * tree.scale))


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("name", ["auto", "lp", "dcfr", "dcfr(dtype=float32)", "egt", "smoothing"])
@pytest.mark.parametrize("game", SIGNALS)
def test_units_of_a_game_with_signals(game, name, power):
    before, unit = SIGNALS[game](), 2.0**power
    one, other = (solved(g, name, FEW) for g in (before, with_payments(before, unit)))
    for mine, yours in zip(one.plans, other.plans, strict=True):
        np.testing.assert_array_equal(mine, yours)
    assert (other.lower, other.upper) == (unit * one.lower, unit * one.upper)


@pytest.mark.parametrize("game", SIGNALS)
def test_a_constant_in_a_game_with_signals(game):
    before = SIGNALS[game]()
    one = solved(before, "lp", Relative(1e-9))
    after = with_payments(before, constant=1000.0)
    other = solved(after, "lp", Relative(1e-9))
    stake = one.form.units.stake
    assert other.form.units.stake == pytest.approx(stake, rel=1e-12)
    assert other.value - 1000 == pytest.approx(one.value, abs=1e-9 * stake + 1e-12)
    assert certify(after, other.strategy).gap <= 1e-8 * stake


SHAPES = {"bet or check": bet_or_check(), "river": river(2.0), "kuhn": kuhn_round()}


def finite_signals() -> Signals:
    """Four signals a player, not all alike."""
    edges = np.linspace(0.0, 1.0, 5)
    mass = np.array([0.1, 0.2, 0.3, 0.4])
    return Signals(edges, (mass, mass[::-1].copy()), finite=True)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_units_of_a_bayesian_game(shape, power):
    def value(betting: BettingRound) -> float:
        return zero_sum(BayesianGame(betting, finite_signals()))[0]

    assert value(SHAPES[shape].scaled(2.0**power)) == 2.0**power * value(SHAPES[shape])


def repeated(factor=1.0, constant=0.0) -> RepeatedGame:
    rng = np.random.default_rng(5)
    return RepeatedGame(factor * rng.integers(-8, 9, (2, 3, 2)) + constant, [0.25, 0.75])


@pytest.mark.parametrize("power", POWERS)
def test_units_of_a_repeated_game(power):
    one, other = solve_repeated(repeated()), solve_repeated(repeated(2.0**power))
    assert (other.lower, other.upper) == (2.0**power * one.lower, 2.0**power * one.upper)


def test_constants_and_names_in_a_repeated_game():
    one, other = solve_repeated(repeated()), solve_repeated(repeated(constant=1000.0))
    assert other.value - 1000 == pytest.approx(one.value, abs=one.gap + other.gap + 1e-9)
    game = repeated()
    turned = RepeatedGame(game.matrices[::-1, ::-1, ::-1], game.prior[::-1])
    found = solve_repeated(turned)
    assert found.value == pytest.approx(one.value, abs=one.gap + found.gap + 1e-12)
    # A row that pays less than every other one, whatever the state, is of no use.
    worse = np.concatenate([game.matrices, game.matrices.min() - np.ones((2, 1, 2))], axis=1)
    found = solve_repeated(RepeatedGame(worse, game.prior))
    assert found.value == pytest.approx(one.value, abs=one.gap + found.gap + 1e-12)


def duel(factor: float) -> ExplicitGame:
    """Two states of matching pennies: the loser of the first plays on for the second's prizes."""
    return ExplicitGame.of(
        [
            [[[3 * factor, 0.0], 1], [1, [0.0, 2 * factor]]],
            [[[0.0, factor], [2 * factor, 0.0]], [[factor, 0.0], [0.0, factor]]],
        ],
        [2, 2],
    )


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name != VI_FP])
def test_units_of_a_stochastic_game(algorithm, power):
    def found(factor):
        game = duel(factor)
        start = np.full(game.nodes, factor)
        stop = Relative(5e-2) | Iterations(2)
        return solve_stochastic(game, start, fictitious_play, algorithm, stop)

    one, other = found(1.0), found(2.0**power)
    assert other.status is one.status
    np.testing.assert_array_equal(one.profile, other.profile)
    np.testing.assert_array_equal(2.0**power * one.values, other.values)
