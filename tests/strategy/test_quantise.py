"""Probabilities in whole numbers: near to what they were, summing to one, and the same in a file."""

from __future__ import annotations

import numpy as np
import pytest
from tests.certificates.test_agreement import strategy_of

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.strategy.quantise import from_units, quantised, to_units
from equipoise.strategy.views import view_layout


@pytest.mark.parametrize("seed", range(3))
def test_rounding_is_small_and_keeps_sums(seed: int) -> None:
    game = poker.leduc()
    strategy = strategy_of(game, "inside", np.random.default_rng(seed))
    found, layout = quantised(strategy), view_layout(game)
    for player, (mine, theirs) in enumerate(zip(found.behaviour, strategy.behaviour, strict=True)):
        assert np.abs(mine - theirs).max() <= 3 / 131070 + 1e-7
        assert layout.sums(player, mine) == pytest.approx(1.0, abs=1e-6)
        units = to_units(mine)
        assert np.array_equal(from_units(units), mine)
        assert (layout.sums(player, units) == 65535).all()


def test_other_probabilities_are_no_whole_numbers() -> None:
    with pytest.raises(EquipoiseError, match="multiples of 1/65535"):
        to_units(np.array([1.0, 0.3333, 0.6667]))
