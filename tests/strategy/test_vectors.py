"""Strategy vectors: parts of realization plans, checked against the sequence form's."""

from __future__ import annotations

import numpy as np
import pytest
from tests.certificates.test_agreement import strategy_of

from equipoise.games import poker
from equipoise.sequence.build import build
from equipoise.strategy.vectors import strategy_vectors
from equipoise.strategy.views import view_layout


@pytest.mark.parametrize("player", [0, 1])
def test_vectors_are_plans(player: int) -> None:
    game = poker.rhode_island(3, 2)
    strategy = strategy_of(game, "random", np.random.default_rng(4))
    form, layout = build(game), view_layout(game)
    assert form.canonical is not None
    space = (form.X, form.Y)[player]
    behaviour = np.empty(space.size)
    behaviour[form.canonical(player)] = strategy.behaviour[player]
    plan = space.plan(behaviour)[form.canonical(player)]
    starts = layout.starts(player)
    for turn in range(game.rounds):
        parts = [
            plan[begin:end].reshape(actions, -1)
            for (when, actions), begin, end in zip(
                layout.nodes[player], starts[:-1], starts[1:], strict=True
            )
            if when == turn
        ]
        found = strategy_vectors(game, strategy, player, turn)
        assert found == pytest.approx(np.concatenate(parts).T, abs=1e-12)
