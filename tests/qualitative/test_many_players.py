"""Three players: Ganzfried and Sandholm's game, both encodings, and products that are piecewise linear."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from signal_games import RAISE_OR_FOLD, models, random_cdf

from equipoise.certificates.bayesian import certify_bayesian
from equipoise.errors import EquipoiseError
from equipoise.games.bayesian.betting_round import raise_or_fold
from equipoise.games.bayesian.distributions import Signals
from equipoise.games.bayesian.game import BayesianGame
from equipoise.numerics import clock
from equipoise.numerics.encodings import ENCODINGS, Encoding
from equipoise.solvers.bayesian.qualitative import Products, attempt, qualitative
from equipoise.solvers.driver import Status

UNIFORM = BayesianGame(raise_or_fold(), Signals.uniform(3))


def test_the_equilibrium_solves_the_equations() -> None:
    answer = qualitative(UNIFORM, models(UNIFORM.round, RAISE_OR_FOLD), products=Products(5))
    a, b, c, d, e, f = (answer.thresholds[name] for name in "abcdef")
    # If player 1 folds, players 2 and 3 play alone: at f player 3 wins with probability
    # (c - f) / c of a pot of 8, paying 2 more; at c > f player 2 wins only if player 3 folds.
    assert 8 * (c - f) / c == pytest.approx(2.0, abs=1e-9)
    assert (1 - f) * 2 - f * 4 == pytest.approx(-1.0, abs=1e-9)
    assert 0 < d < b < e < a < f < c < 1


# Section 8.3: "We obtained an epsilon of 0.01 using just 5 breakpoints".
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_few_breakpoints_are_enough(encoding: Encoding) -> None:
    answer = qualitative(
        UNIFORM, models(UNIFORM.round, RAISE_OR_FOLD), products=Products(5, encoding)
    )
    assert answer.status is Status.CONVERGED
    assert certify_bayesian(UNIFORM, answer.raw.profile(UNIFORM)).epsilon <= 0.02
    assert certify_bayesian(UNIFORM, answer.regions.profile(UNIFORM)).epsilon <= 1e-12


@pytest.mark.slow
def test_fifty_breakpoints() -> None:
    # A busy machine must not end in the coarser model that a time limit falls back to.
    candidates = models(UNIFORM.round, RAISE_OR_FOLD)
    answer = qualitative(UNIFORM, candidates, products=Products(50), time_limit=3600.0)
    assert answer.status is Status.CONVERGED
    assert certify_bayesian(UNIFORM, answer.raw.profile(UNIFORM)).epsilon <= 1e-3
    assert certify_bayesian(UNIFORM, answer.regions.profile(UNIFORM)).epsilon <= 1e-5


@pytest.mark.parametrize("seed", [1, 2])
def test_other_distributions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cdf = random_cdf(rng)
    game = BayesianGame(raise_or_fold(), Signals.continuous(cdf, cdf, cdf))
    answer = qualitative(game, models(game.round, RAISE_OR_FOLD), products=Products(5))
    assert answer.status is Status.CONVERGED
    assert certify_bayesian(game, answer.regions.profile(game)).epsilon <= 1e-9


def test_scip_takes_products_as_they_are() -> None:
    pytest.importorskip("pyscipopt")
    answer = qualitative(
        UNIFORM, models(UNIFORM.round, RAISE_OR_FOLD), products=Products(solver="scip")
    )
    assert answer.status is Status.CONVERGED
    assert answer.binaries == 0
    assert certify_bayesian(UNIFORM, answer.raw.profile(UNIFORM)).epsilon <= 1e-8


def test_scip_and_highs_agree_on_what_is_infeasible() -> None:
    pytest.importorskip("pyscipopt")
    wrong = models(UNIFORM.round, RAISE_OR_FOLD.replace("<= f <= c", "<= c <= f"))
    for products in (Products(5), Products(solver="scip")):
        assert attempt(UNIFORM, wrong, "full", 20.0, products) == "infeasible"


def test_scip_that_is_not_installed_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    with pytest.raises(EquipoiseError, match="pyscipopt is not installed"):
        qualitative(UNIFORM, models(UNIFORM.round, RAISE_OR_FOLD), products=Products(solver="scip"))


def test_if_many_breakpoints_take_too_long_few_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def slow(*arguments: Any) -> Any:
        tried.append(arguments[4].breakpoints)
        return "limit" if tried[-1] > 5 else attempt(*arguments)

    monkeypatch.setattr("equipoise.solvers.bayesian.qualitative.attempt", slow)
    answer = qualitative(UNIFORM, models(UNIFORM.round, RAISE_OR_FOLD), products=Products(50))
    assert tried == [50, 5]
    assert certify_bayesian(UNIFORM, answer.regions.profile(UNIFORM)).epsilon <= 1e-9


def test_the_time_limit_holds_while_the_program_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock that goes on by a millisecond a look, 0.05 s do not suffice for thousands of rows."""
    looks = iter(range(10**9))
    monkeypatch.setattr(clock.time, "monotonic", lambda: 0.001 * next(looks))
    game_models = models(UNIFORM.round, RAISE_OR_FOLD)
    assert attempt(UNIFORM, game_models, "full", 0.05, Products(50)) == "limit"
    assert next(looks) < 100
    answer = qualitative(UNIFORM, game_models, time_limit=0.05, products=Products(50))
    # Without any time there is a profile still, in the order that the model asks for.
    assert answer.status is Status.TIME_LIMIT
    assert answer.rows == 0
    for a, b in answer.model.closure:
        assert answer.thresholds[a] <= answer.thresholds[b]
    assert np.isfinite(certify_bayesian(UNIFORM, answer.regions.profile(UNIFORM)).epsilon)
