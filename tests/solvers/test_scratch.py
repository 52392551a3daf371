"""Kernels must not read what they have not written: scratch memory may hold anything."""

import numpy as np
import pytest

from equipoise.games import poker
from equipoise.games.trees import classic
from equipoise.sequence.build import build
from equipoise.solvers.base import Context
from equipoise.solvers.saddle.cfr import DCFR


@pytest.mark.parametrize("game", [classic.kuhn(), poker.leduc()], ids=["tree", "signals"])
def test_results_do_not_depend_on_what_scratch_memory_held(game):
    form = build(game)
    points = []
    for garbage in (0.0, np.nan, np.inf):
        run = DCFR().start(form, Context(0, 1e-9, None, lambda: False))
        for side in run.sides:
            side.scratch[:] = garbage
        run.advance(3)
        points.append(np.concatenate(run.point()))
    np.testing.assert_array_equal(points[0], points[1])
    np.testing.assert_array_equal(points[0], points[2])
