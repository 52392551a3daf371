"""Centres of many points: laws of k-means, the exact answer on a line, and the thorough one in space."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.numerics.clusterings import in_space, on_line
from equipoise.numerics.lloyd import centres_of


def points_at_random(seed: int, count: int = 200, size: int = 4) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.dirichlet(np.ones(size), count), random.random(count) + 0.1


@pytest.mark.parametrize("metric", ["l2", "l1"])
@pytest.mark.parametrize("seed", range(3))
def test_more_centres_never_cost(seed: int, metric: str) -> None:
    points, weights = points_at_random(seed)
    found = centres_of(points, weights, 12, metric)
    assert [len(own) for own in found.centres] == list(range(1, 13))
    assert (np.diff(found.errors) <= 0).all()
    for own, error in zip(found.centres, found.errors, strict=True):
        away = points[:, None] - own
        far = np.abs(away).sum(axis=2) if metric == "l1" else np.sqrt((away**2).sum(axis=2))
        nearest = weights @ far.min(axis=1)
        # What is printed is the best so far; the centres are those of this very number.
        assert nearest >= error - 1e-9


def test_one_centre_is_the_mean_and_enough_are_the_points() -> None:
    points, weights = points_at_random(5, count=6)
    found = centres_of(points, weights, 10)
    assert found.centres[0][0] == pytest.approx(np.average(points, axis=0, weights=weights))
    assert len(found.errors) == 6
    assert found.errors[-1] == pytest.approx(0.0, abs=1e-7)


def test_numbers_have_the_best_centres() -> None:
    random = np.random.default_rng(3)
    values, weights = random.random(60), random.random(60)
    found, best = centres_of(values[:, None], weights, 5), on_line(values, weights, 5)
    assert found.errors == pytest.approx(best.errors)
    for k in range(1, 6):
        nearest = np.abs(values[:, None] - found.centres[k - 1][:, 0]).argmin(axis=1)
        assert len({*zip(nearest.tolist(), best.labels(k).tolist(), strict=True)}) == k


def test_it_comes_near_to_the_thorough_way() -> None:
    points, weights = points_at_random(7)
    found, thorough = centres_of(points, weights, 8), in_space(points, weights, 8)
    assert (found.errors <= 1.15 * thorough.errors).all()
    again = centres_of(points, weights, 8)
    assert np.array_equal(again.errors, found.errors)
