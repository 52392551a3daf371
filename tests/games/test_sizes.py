"""Sizes from the factors against those of the explicit tree and of its linear program."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.random_rules import random_game

from equipoise.games.signals.sizes import sizes
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.unroll import unroll
from equipoise.games.trees.extensive import ExtensiveGame


def assert_counted_right(game: StageGame) -> None:
    counted, tree = sizes(game), unroll(game)
    assert counted.nodes == tree.nodes
    assert counted.infosets == tuple((tree.infoset_player == p).sum() for p in (0, 1))
    assert counted.sequences == tuple(tree.sequences(p) for p in (0, 1))
    assert counted.payoff_nonzeros == nonzeros(tree)


def nonzeros(tree: ExtensiveGame) -> int:
    """Count the pairs of last sequences whose payoffs to player 1, weighted by nature, do not cancel."""
    ends = tree.terminals
    pairs = tree.last_sequence[0, ends].astype(np.int64) * tree.sequences(1)
    _, place = np.unique(pairs + tree.last_sequence[1, ends], return_inverse=True)
    payoffs = tree.payoffs[tree.outcome[ends], 0] * tree.chance_reach[ends]
    return int((np.abs(np.bincount(place, payoffs)) > 1e-12).sum())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_sizes_are_those_of_the_explicit_tree(seed: int) -> None:
    assert_counted_right(random_game(Random(seed)))
