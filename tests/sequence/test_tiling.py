"""Tiles of the last round: what meets stands together, and tiles are as small as they are meant to be."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.games import poker
from equipoise.games.signals.rounds import SignalRound
from equipoise.games.signals.views import signal_rounds
from equipoise.sequence import from_signals
from equipoise.sequence.build import build
from equipoise.sequence.payoffs import tiling as module
from equipoise.sequence.payoffs.tiling import tiling


def deals(rows: int, columns: int, pairs: int, seed: int) -> SignalRound:
    """Deals between so many views of both players, a few of which may meet nobody."""
    random = np.random.default_rng(seed)
    parents = tuple(random.integers(0, 3, count).astype(np.uint32) for count in (rows, columns))
    met = np.unique(random.integers(0, rows * columns, pairs))
    meeting = tuple(part.astype(np.uint32) for part in np.divmod(met, columns))
    return SignalRound(parents, meeting, np.full(len(met), 1 / len(met)), {})


def whole_components(signals: SignalRound) -> list[tuple[set[int], set[int]]]:
    """Return who meets whom, directly or over others, by joining sets until nothing changes."""
    found = [({first}, {second}) for first, second in zip(*signals.pairs, strict=True)]
    while True:
        joined: list[tuple[set[int], set[int]]] = []
        for first, second in found:
            for own, other in joined:
                if own & first or other & second:
                    own |= first
                    other |= second
                    break
            else:
                joined.append((set(first), set(second)))
        if len(joined) == len(found):
            return joined
        found = joined


@given(
    rows=st.integers(1, 8),
    columns=st.integers(1, 8),
    pairs=st.integers(1, 12),
    seed=st.integers(0, 2**32 - 1),
)
def test_components_are_those_that_meet(rows, columns, pairs, seed):
    signals = deals(rows, columns, pairs, seed)
    cut = tiling(signals, 3)
    apart = whole_components(signals)
    assert [len(bounds) - 1 for bounds in cut.component] == [len(apart)] * 2
    for player, count in enumerate((rows, columns)):
        assert sorted(cut.order[player]) == list(range(count))
        assert cut.component[player][-1] == count
    parts = [
        tuple(
            set(order[bounds[c] : bounds[c + 1]].tolist())
            for order, bounds in zip(cut.order, cut.component, strict=True)
        )
        for c in range(len(apart))
    ]
    # Views that meet nobody are put to the first component.
    for own, other in apart:
        assert sum(own <= part[0] and other <= part[1] for part in parts) == 1


@pytest.mark.parametrize("least", [1, 40, 200, 10**6])
def test_a_tile_has_just_enough_sequences(monkeypatch, least):
    signals, slots = signal_rounds(poker.rhode_island(5, 3))[-1], 4
    monkeypatch.setattr(module, "_TILE_SEQUENCES", least)
    cut = tiling(signals, slots)
    bounds = cut.component[0]
    assert len(bounds) > 10
    for first, end in zip(cut.tile[:-1].tolist(), cut.tile[1:].tolist(), strict=True):
        assert slots * (bounds[end] - bounds[first]) >= least or end == cut.tile[-1]
        assert slots * (bounds[end - 1] - bounds[first]) < least


def test_a_bucket_has_the_sequences_of_the_last_round(monkeypatch):
    seen = []

    def looked_at(signals, slots):
        seen.append(slots)
        return tiling(signals, slots)

    monkeypatch.setattr(from_signals, "tiling", looked_at)
    game = poker.rhode_island(4, 2)
    build(replace(game))
    tree = game.tree
    actions = [
        sum(
            len(tree.children(v))
            for v in range(len(tree.parent))
            if tree.player[v] == player and tree.round[v] == 2
        )
        for player in (0, 1)
    ]
    assert seen == [max(actions)]
