"""Partition refinement against its definition."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.numerics.refinement import (
    LabelledRelation,
    Relation,
    _mix,
    coarsest_stable,
    instability,
    levels_of,
    number_classes,
)


def dense(source, target, matrix):
    rows, columns = np.nonzero(matrix)
    return Relation.of((source, target), matrix.shape, rows, columns, matrix[rows, columns])


def set_partitions(n):
    """All ways to number n things by class, in order of first members."""
    if n == 0:
        yield ()
        return
    for rest in set_partitions(n - 1):
        for c in range(max(rest, default=-1) + 2):
            yield (*rest, c)


def is_stable(relations, classes):
    for relation in relations:
        matrix = relation.matrix.toarray()
        target = classes[relation.target]
        sums = np.stack([matrix[:, target == c].sum(axis=1) for c in np.unique(target)], axis=1)
        mine = classes[relation.source]
        if any(not np.allclose(sums[mine == c], sums[mine == c][0]) for c in np.unique(mine)):
            return False
    return True


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_is_the_coarsest_of_all_stable_partitions(seed):
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 5, size=2)
    relations = [
        dense(s, t, random.integers(-1, 2, size=(sizes[s], sizes[t])) / 3.0)
        for s, t in ((0, 1), (1, 0), (0, 0))
        if random.random() < 0.8
    ]
    found = coarsest_stable(sizes, relations)
    assert is_stable(relations, found)
    for first, second in itertools.product(*(set_partitions(n) for n in sizes)):
        classes = [np.array(first), np.array(second)]
        if is_stable(relations, classes):  # then it refines the one found
            for fine, coarse in zip(classes, found, strict=True):
                assert len({*zip(fine, coarse, strict=True)}) == len({*fine})


def test_rounding_does_not_split():
    tenths = np.array([[0.1] * 3 + [0.0], [0.3, 0.0, 0.0, 0.0]])  # 0.1 + 0.1 + 0.1 != 0.3
    assert tenths[0].sum() != tenths[1].sum()
    classes = coarsest_stable([2, 4], [dense(0, 1, tenths)])
    np.testing.assert_array_equal(classes[0], [0, 0])


def test_values_that_cancel_are_as_good_as_absent():
    cancel = np.array([[1 / 3, -1 / 3], [0.0, 0.0]])
    np.testing.assert_array_equal(coarsest_stable([2, 2], [dense(0, 1, cancel)])[0], [0, 0])


def test_sums_that_all_cancel_are_all_zero():
    """0.1 + 0.2 - 0.3 is rounding, whatever it is compared with: it must not be its own scale."""
    cancels = Relation.of((0, 1), (2, 3), [0, 0, 0, 1], [0, 1, 2, 0], [0.1, 0.2, -0.3, 0.0])
    assert cancels.matrix.sum(axis=1)[0] != 0
    classes = coarsest_stable([2, 3], [cancels])
    assert [len(set(own.tolist())) for own in classes] == [1, 1]
    assert instability(cancels, classes).max() == 0


def test_levels_keep_neighbours_together_and_zero_at_zero():
    values = np.array([0.0, 1e-14, -1e-14, 1.0, 1.0 + 1e-13, -1.0, 1.0 + 1e-6])
    np.testing.assert_array_equal(levels_of(values), [0, 0, 0, 1, 1, -1, 2])


def test_classes_are_numbered_by_first_member():
    np.testing.assert_array_equal(number_classes(np.array([7, 3, 7, 9, 3])), [0, 1, 0, 2, 1])


def test_instability_names_the_class_and_the_size_of_the_difference():
    relation = dense(0, 1, np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]))
    together = [np.array([0, 0, 1], np.uint32), np.array([0, 1], np.uint32)]
    np.testing.assert_allclose(instability(relation, together), [0.5, 0.0])


@pytest.mark.parametrize("size", [0, 1])
def test_kinds_without_relations_stay_whole(size):
    classes = coarsest_stable([size], [])
    np.testing.assert_array_equal(classes[0], np.zeros(size))


def test_sums_that_shade_into_each_other_are_refused():
    # Each is within the tolerance of its neighbour, the ends are not within it of each other.
    shades = 1.0 + np.arange(4) * 0.8e-11
    with pytest.raises(EquipoiseError, match="found sums that differ by about the tolerance"):
        coarsest_stable([4, 1], [dense(0, 1, shades[:, None])])


def test_keys_are_scrambled_by_splitmix64():
    # The first number that the generator of Steele, Lea and Flood (2014) gives from seeds 0 and 1234567.
    found = _mix(np.array([0, 1234567], dtype=np.uint64))
    assert found.tolist() == [0xE220A8397B1DCDAF, 6457827717110365317]


# Labels


def edges(source, target, labels):
    """The labelled relation of a matrix in which zero is no edge."""
    rows, columns = np.nonzero(labels)
    start = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(labels)))))
    return LabelledRelation(source, target, start, columns, labels[rows, columns])


def by_label(source, target, labels):
    """The same as one relation a label, which is what it stands for."""
    found = sorted(set(labels[labels != 0].tolist()))
    return [dense(source, target, (labels == label).astype(float)) for label in found]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_labels_stand_for_a_relation_each(seed):
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 7, size=2)
    tables = [
        (s, t, random.integers(0, 3, size=(sizes[s], sizes[t])))
        for s, t in ((0, 1), (1, 0), (0, 0))
    ]
    found = coarsest_stable(sizes, [edges(*table) for table in tables])
    slow = coarsest_stable(sizes, [one for table in tables for one in by_label(*table)])
    for own, other in zip(found, slow, strict=True):
        np.testing.assert_array_equal(own, other)


def test_labels_are_counted_not_added():
    one_of_two, two_of_one = np.array([[2, 0]]), np.array([[1, 1]])
    table = np.concatenate([one_of_two, two_of_one])
    assert coarsest_stable([2, 2], [edges(0, 1, table)])[0].tolist() == [0, 1]
    assert coarsest_stable([2, 2], [dense(0, 1, table.astype(float))])[0].tolist() == [0, 0]


def test_what_is_not_stable_is_seen():
    relation = edges(0, 1, np.array([[1, 2], [2, 1], [1, 1]]))
    ends = [np.zeros(2, np.uint32), np.arange(2, dtype=np.uint32)]
    for classes, ends_alike, ends_apart in (([0, 0, 1], True, False), ([0, 1, 0], False, False)):
        mine = np.array(classes, np.uint32)
        assert relation.is_stable([mine, ends[0]]) == ends_alike
        assert relation.is_stable([mine, ends[1]]) == ends_apart
    assert relation.is_stable([np.arange(3, dtype=np.uint32), ends[1]])


def test_too_many_classes_are_left_apart():
    """Classes of a path split one after the other: who wants at most four need not wait for all."""
    path = edges(0, 0, np.diag(np.ones(9, int), 1))
    assert len(set(coarsest_stable([10], [path])[0])) == 10
    assert coarsest_stable([10], [path], most=4)[0].tolist() == list(range(10))
    loop = edges(0, 0, np.roll(np.eye(10, dtype=int), 1, axis=1))
    assert coarsest_stable([10], [loop], most=4)[0].tolist() == [0] * 10
    assert coarsest_stable([10], [loop], most=1)[0].tolist() == [0] * 10
