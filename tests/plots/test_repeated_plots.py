"""Pictures of repeated games: the hull that is drawn, and what is drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equipoise.errors import EquipoiseError
from equipoise.games.repeated.game import EXAMPLES, RepeatedGame
from equipoise.plots.repeated import concave_hull, curves, draw, plays
from equipoise.solvers.repeated.cav import solve_repeated
from equipoise.solvers.repeated.cav_grid import grid


def test_the_hull_of_a_curve() -> None:
    q = grid(2, 200)
    t = q[:, 0]
    # Zamir's v has peaks of 1 at 1/4 and 3/4; its hull is min(4t, 1, 4 - 4t).
    hull = concave_hull(q, EXAMPLES["partial"].values(q))
    assert hull == pytest.approx(np.minimum(1, np.minimum(4 * t, 4 - 4 * t)), abs=1e-9)


def test_the_hull_of_a_concave_or_flat_function_is_itself() -> None:
    q = grid(3, 20)
    for v in ((q**0.5).sum(axis=1), np.ones(len(q)), q @ [1.0, 2.0, 3.0]):
        for unit in (1.0, 1e-200, 1e300):
            assert concave_hull(q, unit * v) / unit == pytest.approx(v, abs=1e-9)


def test_the_curves_go_through_the_answer() -> None:
    solution = solve_repeated(EXAMPLES["partial"])
    chart = curves(solution)
    v, cav, splitting, prior = chart.series
    assert np.interp(0.5, cav.x, cav.y) == pytest.approx(1, abs=1e-6)
    assert np.interp(0.5, v.x, v.y) == pytest.approx(0, abs=1e-6)
    assert sorted(splitting.x) == pytest.approx([0.25, 0.75], abs=1e-6)
    assert prior.x == pytest.approx([0.5])
    assert not splitting.is_line


def test_plays_are_drawn_beside_the_value() -> None:
    chart = plays("title", 0.25, {"a": np.array([1.0, 0.5])}, np.array([1, 10]))
    assert [series.name for series in chart.series] == ["a", "value"]
    assert chart.series[1].y == pytest.approx([0.25, 0.25])


def test_four_states_cannot_be_drawn(tmp_path: Path) -> None:
    solution = solve_repeated(RepeatedGame(np.zeros((4, 1, 1)), [0.25] * 4))
    with pytest.raises(EquipoiseError, match="found 4 states, expected two"):
        draw(tmp_path / "four", solution)
