"""Clusters within clusters, many points, and histograms: against trying everything, and against their laws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from equipoise.errors import EquipoiseError
from equipoise.numerics import clusterings
from equipoise.numerics.clusterings import in_space
from equipoise.numerics.condense import cells
from equipoise.numerics.histograms import for_earth_mover, histograms
from equipoise.numerics.nested import nested_clusters


def squared_error(values, weights, labels):
    """Return the weighted sum of squared distances to the means of the clusters."""
    points, total = values.reshape(len(values), -1), 0.0
    for k in np.unique(labels):
        own, mass = points[labels == k], weights[labels == k]
        total += float(mass @ ((own - np.average(own, axis=0, weights=mass)) ** 2).sum(axis=1))
    return total


@pytest.mark.parametrize("seed", range(8))
def test_numbers_below_parents_are_divided_as_brute_force_does(seed):
    random = np.random.default_rng(seed)
    parents = np.array([0, 1, 0, 2, 1, 0, 2])
    values, weights = random.random(7), random.random(7) + 0.1
    for total in range(3, 8):
        found = nested_clusters(parents, weights, values, total)
        assert len(np.unique(found)) == found.max() + 1 <= total
        # Every way to name the states by (parent, one of three): at most `total` names.
        ways = (parents * 3 + np.array(way) for way in product(range(3), repeat=7))
        best = min(
            squared_error(values, weights, way) for way in ways if len(np.unique(way)) <= total
        )
        assert squared_error(values, weights, found) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("width", [None, 4])
def test_clusters_lie_below_parents_in_their_order(width):
    random = np.random.default_rng(3)
    parents = random.permutation(np.arange(60) % 5)
    features = random.random(60) if width is None else random.random((60, width))
    found = nested_clusters(parents, random.random(60), features, 17)
    assert len(np.unique(found)) == found.max() + 1 == 17
    above = [set(parents[found == k].tolist()) for k in range(17)]
    assert all(len(own) == 1 for own in above)
    assert [own.pop() for own in above] == sorted(parents[np.unique(found, return_index=True)[1]])


def test_parents_get_no_more_than_they_may_have():
    random = np.random.default_rng(4)
    parents = np.arange(40) % 2
    values = np.where(parents == 0, random.random(40), 0.01 * random.random(40))
    free = nested_clusters(parents, np.ones(40), values, 10)
    assert len(np.unique(free[parents == 0])) > 6
    bound = nested_clusters(parents, np.ones(40), values, 10, most=6)
    assert len(np.unique(bound[parents == 0])) == 6


def test_likely_states_are_told_apart_first():
    parents, values = np.array([0, 0, 1, 1]), np.array([0.1, 0.2, 0.1, 0.2])
    for heavy in (0, 1):
        weights = np.where(parents == heavy, 10.0, 1.0)
        found = nested_clusters(parents, weights, values, 3)
        assert len(np.unique(found[parents == heavy])) == 2


@pytest.mark.parametrize(
    ("parents", "weights", "features", "total", "message"),
    [
        ([0, 0, 1], [1.0, 1.0, 1.0], [0.1, 0.2, 0.3], 1, "found room for 1, expected at least 2"),
        ([0, 0, 2], [1.0, 1.0, 1.0], [0.1, 0.2, 0.3], 3, "no state below parent 1"),
        ([0, 0, -1], [1.0, 1.0, 1.0], [0.1, 0.2, 0.3], 3, "expected numbers from 0"),
        ([0.5, 0, 1], [1.0, 1.0, 1.0], [0.1, 0.2, 0.3], 3, "expected numbers from 0"),
        ([], [], [], 3, "expected numbers from 0"),
        ([0, 0], [1.0], [0.1, 0.2], 2, "expected one of each"),
        ([0, 1], [1.0, 0.0], [0.1, 0.2], 2, "sum to zero"),
    ],
)
def test_what_cannot_be_divided(parents, weights, features, total, message):
    with pytest.raises(EquipoiseError, match=message):
        nested_clusters(parents, weights, features, total)


# Many points


def many(random, count=3000):
    """Return weighted points about 40 centres."""
    centres = random.random((40, 5))
    points = centres[random.integers(0, 40, count)] + 0.05 * random.random((count, 5))
    return points, random.random(count)


@pytest.mark.parametrize("metric", ["l2", "l1"])
def test_many_points_are_clustered_nearly_as_well_as_few(monkeypatch, metric):
    points, weights = many(np.random.default_rng(0), 700)
    slow = in_space(points, weights, 30, metric)
    monkeypatch.setattr(clusterings, "_MANY", 200)
    fast = in_space(points, weights, 30, metric)
    for k in (1, 2, 10, 30):
        errors = [squared_error(points, weights, found.labels(k)) for found in (slow, fast)]
        assert len(np.unique(fast.labels(k))) == k
        assert errors[1] <= 1.1 * errors[0]


def test_many_points_far_apart_are_put_apart():
    random = np.random.default_rng(1)
    truth = random.permutation(np.arange(3000) % 7)
    points = 3.0 * np.eye(7)[truth] + 0.1 * random.random((3000, 7))
    labels = in_space(points, np.ones(3000), 7).labels(7)
    assert len({*zip(labels.tolist(), truth.tolist(), strict=True)}) == 7


def test_points_that_never_occur_are_clustered_too():
    points = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [5.0, 5.1]])
    found = in_space(points, [1.0, 1.0, 0.0, 0.0], 4)
    labels = found.labels(2)
    assert labels[0] != labels[1]  # what occurs is told apart first
    assert labels[2] == labels[3]
    assert found.labels(4)[0] != found.labels(4)[1]  # what never occurs need not be told apart


def test_cells_are_small_and_divide_all_points():
    points, weights = many(np.random.default_rng(2))
    before = np.inf
    for most in (1, 2, 16, 128, 1024):
        found = cells(points, weights, most)
        assert len(np.unique(found)) == found.max() + 1 == most
        error = squared_error(points, weights, found)
        assert error < before
        before = error
    assert len(np.unique(cells(points[:5], weights[:5], 9))) == 5  # no more cells than points


# Histograms


def test_histograms_count_what_follows():
    found = histograms(
        np.array([0, 0, 2, 2], np.uint32), np.array([1, 0, 2, 2]), [1.0, 3.0, 1.0, 1.0], (4, 3)
    )
    assert found.tolist() == [[0.75, 0.25, 0.0], [0.0] * 3, [0.0, 0.0, 1.0], [0.0] * 3]


def test_earth_is_moved_along_a_line():
    random = np.random.default_rng(6)
    rows, centres = random.dirichlet(np.ones(6), size=2), np.sort(random.random(6))
    points = for_earth_mover(rows, centres)
    expected = wasserstein_distance(centres, centres, *rows)
    assert np.abs(points[0] - points[1]).sum() == pytest.approx(expected, abs=1e-12)
