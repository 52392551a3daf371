"""Clusterings: the exact one against brute force, the others against their laws; sharing; transport."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from equipoise.errors import EquipoiseError
from equipoise.numerics.clusterings import Clusterings, by_linkage, in_space, on_line
from equipoise.numerics.program import Program, optimize
from equipoise.numerics.sharing import share
from equipoise.numerics.transport import common_units, squared_on_line, transport_cost

Floats = NDArray[np.float64]


def squared_error(points: Floats, weights: Floats, labels: NDArray[np.uint32]) -> float:
    """Return the weighted sum of squared distances to the means of the clusters."""
    points = points.reshape(len(points), -1)
    total = 0.0
    for k in np.unique(labels):
        own, mass = points[labels == k], weights[labels == k]
        total += float(mass @ ((own - np.average(own, axis=0, weights=mass)) ** 2).sum(axis=1))
    return total


def all_partitions(size: int, k: int) -> list[NDArray[np.uint32]]:
    """Return every way to put ``size`` points into exactly k clusters, not just intervals."""
    # A cluster's number is at most one above those before it: no clustering comes twice.
    found = [[0]]
    for _ in range(size - 1):
        found = [[*labels, new] for labels in found for new in range(max(labels) + 2)]
    return [np.array(labels, dtype=np.uint32) for labels in found if max(labels) + 1 == k]


@pytest.mark.parametrize("seed", range(12))
def test_numbers_are_clustered_as_brute_force_does(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 8))
    values = random.integers(0, 12, size) / 7.0  # ties are likely
    weights = random.random(size) + 0.1
    found = on_line(values, weights, size)
    assert found.most == len(np.unique(values))
    for k in range(1, found.most + 1):
        labels = found.labels(k)
        best = min(squared_error(values, weights, other) for other in all_partitions(size, k))
        assert len(np.unique(labels)) == k
        assert found.errors[k - 1] == pytest.approx(best, abs=1e-12)
        assert squared_error(values, weights, labels) == pytest.approx(best, abs=1e-12)
        assert all(
            labels[i] == labels[j]
            for i, j in combinations(range(size), 2)
            if values[i] == values[j]
        )


def test_errors_of_numbers_are_convex() -> None:
    random = np.random.default_rng(5)
    found = on_line(random.random(300), random.random(300), 120)
    steps = np.diff(found.errors)
    assert (steps <= 1e-12).all()
    assert (np.diff(steps) >= -1e-12).all()


def test_rounding_does_not_put_equal_numbers_apart() -> None:
    values = np.array([0.1 + 0.2, 0.3, 0.5, 0.5 + 1e-15])
    found = on_line(values, np.ones(4), 4)
    assert found.most == 2
    assert found.labels(2).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("metric", ["l2", "l1"])
@pytest.mark.parametrize("seed", range(4))
def test_vectors_are_clustered_well(seed: int, metric: str) -> None:
    random = np.random.default_rng(seed)
    points, weights = random.random((7, 3)), random.random(7) + 0.1
    found = in_space(points, weights, 7, metric)  # type: ignore[arg-type]  # one of the metrics
    assert found.most == 7
    assert found.errors[-1] == pytest.approx(0.0, abs=1e-12)
    for k in range(1, 8):
        labels = found.labels(k)
        assert len(np.unique(labels)) == k
        if metric == "l2":
            # Never better than the best there is, and nearly as good.
            best = min(squared_error(points, weights, other) for other in all_partitions(7, k))
            assert best - 1e-9 <= squared_error(points, weights, labels) <= 1.05 * best + 1e-9


def test_vectors_far_apart_are_put_apart() -> None:
    random = np.random.default_rng(2)
    truth = np.repeat(np.arange(5), 8)
    points = np.eye(5)[truth] + 0.01 * random.random((40, 5))
    assert in_space(points, np.ones(40), 5).labels(5).tolist() == truth.tolist()
    assert in_space(points, np.ones(40), 5, "l1").labels(5).tolist() == truth.tolist()


def test_vectors_twice_are_one_point() -> None:
    points = np.repeat(np.random.default_rng(1).random((4, 2)), 3, axis=0)
    found = in_space(points, np.ones(12), 12)
    assert found.most == 4
    assert found.labels(4).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


@pytest.mark.parametrize("seed", range(5))
def test_links_are_cut_at_a_threshold(seed: int) -> None:
    """The components of "no further apart than the k-th longest link" are the clusters."""
    random = np.random.default_rng(seed)
    points = random.random((9, 2))
    away = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    found = by_linkage(away, 9)
    for k in range(1, 10):
        labels = found.labels(k)
        assert len(np.unique(labels)) == k
        inside = [away[np.ix_(labels == c, labels != c)].min(initial=9.0) for c in range(k)]
        # Every cluster is a chain of links shorter than any way out of it.
        for c in range(k):
            own = np.flatnonzero(labels == c)
            assert by_linkage(away[np.ix_(own, own)], 1).errors[0] == pytest.approx(
                sum_of_chain(away[np.ix_(own, own)], min(inside))
            )


def sum_of_chain(away: Floats, limit: float) -> float:
    """Return the length of a spanning tree by growing components (Kruskal); links stay below ``limit``."""
    label, total = np.arange(len(away)), 0.0
    for i, j in sorted(combinations(range(len(away)), 2), key=lambda pair: away[pair]):
        if label[i] != label[j]:
            assert away[i, j] <= limit
            total += float(away[i, j])
            label[label == label[j]] = label[i]
    return total


@pytest.mark.parametrize("seed", range(20))
def test_sharing_is_as_good_as_trying_everything(seed: int) -> None:
    random = np.random.default_rng(seed)
    errors = [random.random(random.integers(1, 6)) for _ in range(random.integers(1, 5))]
    for total in range(len(errors), sum(map(len, errors)) + 2):
        found = share(errors, total)
        assert found.min() >= 1
        assert found.sum() <= total
        ways = product(*(range(1, len(own) + 1) for own in errors))
        best = min(cost(errors, way) for way in ways if sum(way) <= total)
        if total < sum(map(len, errors)):
            assert cost(errors, found.tolist()) == pytest.approx(best, abs=1e-12)
        else:
            assert found.tolist() == [len(own) for own in errors]  # enough for everybody


def cost(errors: list[Floats], way: tuple[int, ...] | list[int]) -> float:
    return sum(float(own[k - 1]) for own, k in zip(errors, way, strict=True))


@pytest.mark.parametrize("seed", range(3))
def test_sharing_solves_the_0_1_program(seed: int) -> None:
    """The program as Gilpin (2009) states it, given to HiGHS."""
    random = np.random.default_rng(seed)
    errors = [np.sort(random.random(12))[::-1].cumsum()[::-1] for _ in range(9)]
    total = 40
    rows = np.zeros((10, 9 * 12))
    rows[0] = np.tile(np.arange(1, 13), 9)
    for i in range(9):
        rows[1 + i, 12 * i : 12 * (i + 1)] = 1.0
    program = Program(
        c=np.concatenate(errors),
        A=rows,
        row_lower=np.array([0.0, *np.ones(9)]),
        row_upper=np.array([float(total), *np.ones(9)]),
        upper=1.0,
        integer=np.ones(9 * 12, dtype=bool),
    )
    best = optimize(program).require_optimal("sharing").objective
    assert cost(errors, share(errors, total).tolist()) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_transport_is_matching_is_a_program(seed: int) -> None:
    random = np.random.default_rng(seed)
    levels = np.sort(random.random(4))
    counts = [random.multinomial(10, np.ones(4) / 4) for _ in range(2)]
    a, b = (count / 10 for count in counts)
    square = (levels[:, None] - levels) ** 2
    here, there = (np.repeat(np.arange(4), count) for count in counts)
    whole = square[np.ix_(here, there)]
    matched = whole[linear_sum_assignment(whole)].mean()
    assert common_units(np.concatenate([a, b])) in (1, 2, 5, 10)
    assert transport_cost(square, a, b, 10) == pytest.approx(matched, abs=1e-12)
    assert transport_cost(square, a, b) == pytest.approx(matched, abs=1e-9)
    assert squared_on_line(levels, a, b) == pytest.approx(matched, abs=1e-12)


def test_shares_without_units() -> None:
    assert common_units(np.array([1 / 3, 2 / 3])) == 3
    assert common_units(np.array([np.sqrt(0.5), 1 - np.sqrt(0.5)])) is None


@pytest.mark.parametrize(
    ("points", "weights", "message"),
    [
        ([0.5, 0.2], [0.0, 0.0], "sum to zero"),
        ([0.5, 0.2], [1.0], "a weight for each"),
        ([], [], "at least one point"),
        ([0.5, np.nan], [1.0, 1.0], "not finite"),
        ([0.5, 0.2], [1.0, -1.0], "negative"),
    ],
)
def test_what_cannot_be_clustered(points: list[float], weights: list[float], message: str) -> None:
    for method in (on_line, in_space):
        with pytest.raises(EquipoiseError, match=message):
            method(np.array(points), np.array(weights), 2)


def test_what_cannot_be_asked_for() -> None:
    found: Clusterings = on_line([0.1, 0.2], [1.0, 1.0], 5)
    with pytest.raises(EquipoiseError, match="expected 1 to 2"):
        found.labels(3)
    with pytest.raises(EquipoiseError, match="expected one of l2, l1"):
        in_space([[0.1], [0.2]], [1.0, 1.0], 2, "l3")  # type: ignore[arg-type]  # refused
    with pytest.raises(EquipoiseError, match="found 1 children for 2 parents"):
        share([np.ones(2), np.ones(2)], 1)
