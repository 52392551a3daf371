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
from equipoise.sequence.build import build


def assert_counted_right(game: StageGame) -> None:
    counted, tree = sizes(game), unroll(game)
    assert counted.nodes == tree.nodes
    assert counted.infosets == tuple((tree.infoset_player == p).sum() for p in (0, 1))
    assert counted.sequences == tuple(tree.sequences(p) for p in (0, 1))
    payoffs = build(tree).A.matrix().data
    assert counted.payoff_nonzeros == (np.abs(payoffs) > 1e-12).sum()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_sizes_are_those_of_the_explicit_tree(seed: int) -> None:
    assert_counted_right(random_game(Random(seed)))
