"""Two states: pieces of v with their kernels, and the tangent over the prior."""

from __future__ import annotations

import numpy as np
import pytest
from random_games import random_game

from equipoise.games.repeated.game import EXAMPLES
from equipoise.solvers.repeated.cav_pieces import pieces, tangent


def test_the_pieces_of_the_examples() -> None:
    # v = t (1 - t): one piece. Zamir's: 4t, 2 - 4t, 4t - 2, 4 - 4t, with corners at 1/4, 1/2, 3/4.
    (one,) = pieces(EXAMPLES["unrevealing"].unit_matrices)
    assert (one.start, one.stop) == (0, 1)
    ends = [piece.stop for piece in pieces(EXAMPLES["partial"].unit_matrices)]
    assert ends == pytest.approx([0.25, 0.5, 0.75, 1], abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_pieces_tell_v_and_its_slope(seed: int) -> None:
    game = random_game(seed, 2, 6)
    matrices = game.unit_matrices
    covered = 0.0
    for piece in pieces(matrices):
        covered += piece.stop - piece.start
        h = 1e-6 * (piece.stop - piece.start)
        for t in piece.start + np.array([0.1, 0.5, 0.9]) * (piece.stop - piece.start):
            q = np.array([[t - h, 1 - t + h], [t, 1 - t], [t + h, 1 - t - h]])
            below, here, above = (game.values(q) - game.shift) / game.range
            _, _, v = piece.kernel.solve(t)
            assert v == pytest.approx(here, abs=1e-10)
            assert piece.kernel.slope(t) == pytest.approx((above - below) / (2 * h), abs=1e-4)
    assert covered == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_the_tangent_is_above_v_and_touches_it(seed: int) -> None:
    game = random_game(seed, 2, 6)
    line = tangent(game.unit_matrices, game.prior)
    values = (game.values(line.points) - game.shift) / game.range
    assert line.points @ line.z == pytest.approx(values, abs=1e-12)
    assert line.points[:, 0].min() <= game.prior[0] <= line.points[:, 0].max()
    t = np.linspace(0, 1, 501)
    q = np.column_stack([t, 1 - t])
    assert (q @ line.z - (game.values(q) - game.shift) / game.range).min() >= -1e-12
