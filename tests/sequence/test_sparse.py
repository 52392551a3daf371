"""Sparse payoffs: coordinates in, both orders out, and samples of nature's moves by hand."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.games.trees.classic import kuhn
from equipoise.sequence.build import build
from equipoise.sequence.payoffs.sparse import Deals, Sparse

# Nature's tree: 0 -> (1, 2), 1 -> (3, 4), 2 -> (5, 6); its complete sequences are 3 to 6.
PARENT = np.array([-1, 0, 0, 1, 1, 2, 2])
# Shares are relative: the weights need not sum to one.
PROBABILITY = np.array([0, 0, 0, 0.05, 0.1, 0.15, 0.2])
NONE = np.zeros(0, dtype=np.uint32)


def deals() -> Deals:
    return Deals(PARENT, PROBABILITY, NONE, NONE, np.zeros(0), NONE)


@pytest.mark.parametrize(("proportion", "count"), [(0.2, 1), (0.5, 2), (0.6, 3), (1.0, 4)])
def test_a_sample_holds_the_share_of_each_node_that_it_drew(proportion: float, count: int) -> None:
    factor = deals().sample(proportion, np.random.default_rng(4))
    drawn = [node for node in range(3, 7) if factor[node] > 0]
    assert len(drawn) == count
    mass = sum(PROBABILITY[node] for node in drawn) / PROBABILITY.sum()
    under = {0: range(3, 7), 1: (3, 4), 2: (5, 6), **{node: (node,) for node in range(3, 7)}}
    for node, leaves in under.items():
        kept = sum(PROBABILITY[leaf] for leaf in leaves if leaf in drawn)
        whole = sum(PROBABILITY[leaf] for leaf in leaves)
        assert factor[node] == pytest.approx(kept / whole / mass, abs=1e-12)


def test_entries_at_one_place_are_added_up_and_those_that_cancel_are_dropped() -> None:
    rows, columns = np.array([0, 1, 1, 0, 2]), np.array([1, 0, 0, 1, 2])
    payoff = Sparse.from_entries(rows, columns, np.array([1.0, 2, 3, -1, 4]), (3, 4))
    expected = np.zeros((3, 4))
    expected[1, 0], expected[2, 2] = 5, 4
    np.testing.assert_array_equal(payoff.matrix().toarray(), expected)
    assert payoff.nonzeros == 2
    assert payoff.deals is None
    assert repr(payoff) == "<Sparse 3 x 4: 2 nonzeros>"
    np.testing.assert_array_equal(payoff.times(np.arange(4.0)), expected @ np.arange(4.0))
    np.testing.assert_array_equal(payoff.transpose_times(np.arange(3.0)), expected.T @ np.arange(3))


def test_what_a_kernel_takes_is_stored_by_rows_and_by_columns() -> None:
    payoff = Sparse.from_entries(np.array([0, 1]), np.array([1, 0]), np.array([2.0, 3]), (2, 2))
    stored = payoff.stored
    assert stored is not None
    assert (stored[0], stored[1]) == (payoff.by_row, payoff.by_column)


def test_a_sample_of_a_tree_stores_only_what_it_drew() -> None:
    form = build(kuhn())
    part = form.A.sampled(0.5, np.random.default_rng(1))
    drawn, whole = part.matrix().toarray(), form.A.matrix().toarray()
    assert part.nonzeros == np.count_nonzero(drawn) < form.A.nonzeros
    # Kuhn's six deals are equally likely: each one drawn counts twice, the others not at all.
    ratio = drawn[whole != 0] / whole[whole != 0]
    assert set(np.round(ratio, 12)) == {0.0, 2.0}


def test_the_whole_sample_of_a_tree_is_the_game() -> None:
    form = build(kuhn())
    whole = form.A.sampled(1.0, np.random.default_rng(1))
    np.testing.assert_allclose(whole.matrix().toarray(), form.A.matrix().toarray(), atol=1e-15)
