"""A strategy's numbers are weights: certificates are of the probabilities that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from equipoise import certify
from equipoise.errors import EquipoiseError
from equipoise.games.base import load
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Iterations
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.strategy.profile import Strategy

GAMES = ("kuhn", "rhode-island(ranks=3,suits=2)")


def solved(name: str) -> tuple[Any, Strategy]:
    game = load(name)
    return game, solve(build(game), DCFR("float32"), stop=Iterations(20)).strategy


def changed(strategy: Strategy, change: Callable[[np.ndarray], np.ndarray]) -> Strategy:
    vectors = tuple(change(vector) for vector in strategy.behaviour)
    return Strategy(strategy.game, strategy.fingerprint, vectors, strategy.layout)


@pytest.mark.parametrize("name", GAMES)
def test_a_common_factor_changes_nothing(name: str) -> None:
    game, strategy = solved(name)
    plain = certify(game, strategy)
    scaled = certify(game, changed(strategy, lambda vector: 3.0 * vector.astype(np.float64)))
    assert scaled.gap == pytest.approx(plain.gap, rel=1e-9)
    assert scaled.value == pytest.approx(plain.value, rel=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_plain_and_rigorous_certificates_are_of_the_same_strategy(name: str) -> None:
    game, strategy = solved(name)
    plain, rigorous = certify(game, strategy), certify(game, strategy, rigorous=True)
    assert plain.gap <= rigorous.gap * (1 + 1e-12)
    assert rigorous.gap == pytest.approx(plain.gap, rel=1e-6)


@pytest.mark.parametrize("name", GAMES)
def test_no_weight_at_all_is_refused(name: str) -> None:
    game, strategy = solved(name)
    with pytest.raises(EquipoiseError, match="positive probability"):
        certify(game, changed(strategy, np.zeros_like))
