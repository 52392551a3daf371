"""Lossy abstraction against slow references: what is clustered, and how far things are from each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from equipoise.abstraction.expectation import by_strength
from equipoise.abstraction.potential import Distance, _histograms, by_potential
from equipoise.abstraction.threshold import view_differences
from equipoise.abstraction.view_tree import ViewTree, view_trees
from equipoise.games import poker
from equipoise.games.signals.views import signal_rounds


@pytest.fixture(scope="module")
def tree() -> ViewTree:
    """The views of a player of Rhode Island Hold'em with three ranks and two suits."""
    return view_trees(signal_rounds(poker.rhode_island(3, 2)))[0]


def best_on_line(points: np.ndarray, weights: np.ndarray, count: int) -> float:
    """Least weighted squared error of ``count`` clusters, over all ways to cut the sorted points."""
    order = np.argsort(points)
    points, weights = points[order], weights[order]

    def error(low: int, high: int) -> float:
        p, w = points[low:high], weights[low:high]
        return float(w @ (p - w @ p / w.sum()) ** 2)

    ways = combinations(range(1, len(points)), count - 1)
    return min(
        sum(error(a, b) for a, b in zip((0, *cuts), (*cuts, len(points)), strict=True))
        for cuts in ways
    )


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
def test_strengths_to_a_power_are_clustered_best(tree: ViewTree, power: float) -> None:
    views = np.arange(0, len(tree.weights[2]), 6)[:10]
    points, weights = tree.strengths[2][views] ** power, tree.weights[2][views]
    found = by_strength(tree, power)(2, views, 4)
    for count in range(1, min(4, found.most) + 1):
        label = found.labels(count)
        centre = np.bincount(label, weights * points) / np.bincount(label, weights)
        error = float(weights @ (points - centre[label]) ** 2)
        assert error == pytest.approx(best_on_line(points, weights, count), abs=1e-12)


def last_round(outcomes: np.ndarray) -> ViewTree:
    """One round whose views lose, draw or win so often."""
    count, levels = len(outcomes), np.array([0.0, 0.5, 1.0])
    return ViewTree(
        parents=(np.zeros(count, np.uint32),),
        weights=(np.ones(count) / count,),
        strengths=(outcomes @ levels,),
        levels=levels,
        outcomes=outcomes,
        against=np.zeros((count, 1)),
    )


def test_the_last_round_is_clustered_by_strength_or_by_outcomes() -> None:
    """Who always draws is as strong as who wins half: one to the first, and two to the second."""
    tree = last_round(np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5], [0.0, 0.0, 1.0]]))
    views = np.arange(3)
    strengths = by_potential(tree, [3], leaves="strength")(0, views, 3)
    outcomes = by_potential(tree, [3], leaves="outcomes")(0, views, 3)
    assert (strengths.most, outcomes.most) == (2, 3)


@pytest.mark.parametrize("distance", ["l1", "l2", "emd"])
def test_histograms_are_of_what_follows(tree: ViewTree, distance: Distance) -> None:
    """Rows tell how often each cluster of strengths follows; for the earth mover, at which distances."""
    views = np.arange(len(tree.weights[1]))
    size = 200  # more than there are strengths: every cluster is one strength
    points = _histograms(tree, 1, views, size, distance)
    levels = np.unique(tree.strengths[2].round(12))
    rows = np.zeros((len(views), len(levels)))
    for child, parent in enumerate(tree.parents[2].tolist()):
        place = int(np.abs(levels - tree.strengths[2][child]).argmin())
        rows[parent, place] += tree.weights[2][child]
    rows /= rows.sum(axis=1, keepdims=True)
    for i, j in combinations(range(0, len(views), 3), 2):
        if distance == "emd":
            expected = wasserstein_distance(levels, levels, rows[i], rows[j])
        else:
            expected = np.abs(rows[i] - rows[j]).sum()
        assert np.abs(points[i] - points[j]).sum() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("distance", "error"), [("l2", 0.5**0.5 / 3), ("l1", 1 / 3)])
def test_errors_are_in_the_distance_that_is_asked_for(distance: Distance, error: float) -> None:
    """Of the last two, each is half a step in two places from the other: 1 in L1, the root of 1/2 in L2."""
    tree = last_round(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.5, 0.5]]))
    found = by_potential(tree, [3], distance, "outcomes")(0, np.arange(3), 3)
    assert found.labels(2).tolist() in ([0, 1, 1], [1, 0, 0])
    assert found.errors[1] == pytest.approx(error)


def by_quantiles(levels: np.ndarray, a: np.ndarray, b: np.ndarray, steps: int) -> float:
    """Least squared cost between two distributions whose masses are multiples of 1 / steps."""
    one = np.repeat(levels, np.rint(a * steps).astype(int))
    other = np.repeat(levels, np.rint(b * steps).astype(int))
    return float(((one - other) ** 2).mean())


def test_last_views_differ_by_their_sorted_outcomes(tree: ViewTree) -> None:
    types, differences = view_differences(tree)
    steps = 3  # cards that the opponent may hold: 6 less three that are seen
    for i, j in combinations(range(0, len(tree.outcomes), 5), 2):
        expected = by_quantiles(tree.levels, tree.outcomes[i], tree.outcomes[j], steps)
        found = differences[-1][types[-1][i], types[-1][j]]
        assert found == pytest.approx(expected, abs=1e-9)
