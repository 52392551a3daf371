"""Games with all-ins and rounds without decisions: engine, abstraction and elimination."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.games.random_rules import random_game

from equipoise.abstraction.dominated import eliminate
from equipoise.abstraction.gameshrink import gameshrink
from equipoise.certificates.gap import certify
from equipoise.games import poker
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import signal_rounds
from equipoise.sequence.build import build
from equipoise.sequence.payoffs.factored import Factored
from equipoise.sequence.reductions.restrict import restrict
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Iterations
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.solvers.saddle.lp import LP
from equipoise.strategy.lift import lift


def both_move(game: StageGame) -> bool:
    return {0, 1} <= set(game.tree.player.tolist())


def test_an_all_in_keeps_the_last_round_in_tiles() -> None:
    game = poker.no_limit_leduc()
    form = build(game)
    assert isinstance(form.A, Factored)
    assert form.A.last is not None
    is_all_in = (game.tree.scale != 0) & (game.tree.acted.max(axis=1) == 0)
    assert is_all_in.any()
    solution = solve(form, DCFR(), Iterations(400))
    proof = certify(game, solution.strategy)
    assert proof.gap == pytest.approx(solution.gap, abs=1e-12)
    # The value that OpenSpiel's universal_poker has, with fold, call, pot and all-in.
    assert solution.lower <= -0.06556422390517838 <= solution.upper
    assert solution.gap < 0.005


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_sound_abstractions_and_eliminations_keep_the_value(seed: int) -> None:
    game = random_game(Random(seed))
    assume(both_move(game))
    form, coarse = build(game), gameshrink(game)
    value = solve(form, LP()).value
    lossless = solve(build(game, coarse), LP())
    assert lossless.value == pytest.approx(value, abs=1e-7)
    assert certify(game, lift(lossless.strategy, coarse)).gap == pytest.approx(0, abs=1e-7)
    left = eliminate(game.tree, signal_rounds(game))
    small = restrict(form, left.sequences(0), left.sequences(1))
    assert solve(small.form, LP()).value == pytest.approx(value, abs=1e-7)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_regret_minimisation_reaches_the_value(seed: int) -> None:
    game = random_game(Random(seed))
    assume(both_move(game))
    form = build(game)
    solution, value = solve(form, DCFR(), Iterations(200)), solve(form, LP()).value
    slack = 1e-9 * (1 + np.abs(game.tree.scale).max())
    assert solution.lower - slack <= value <= solution.upper + slack
    assert certify(game, solution.strategy).gap == pytest.approx(solution.gap, abs=1e-9)
