"""How often two buckets meet, and how often each wins, counted with arrays on a device.

The counts of :mod:`equipoise.abstraction.bucket_pairs` by brute force: every pair of hands that can meet, which is
the same list on all boards, is added to the cell of its two buckets and of who wins. One pass of scattered
additions: what memory does fastest on a GPU. The counts stay there, as the matrices of a payoff: with 28,800 buckets
they would take hours to list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from equipoise.abstraction.street_buckets import StreetLookup
from equipoise.abstraction.street_features import ArrayFeatures
from equipoise.games.poker.boards import Batch
from equipoise.numerics.device import Array

BATCH, MANY = 64, 256
"""Boards at once, on a processor and on a GPU: half a million pairs of hands each in hold'em."""


# Bytes for each pair of buckets: three counts, and then two matrices and what they are made from.
_CELL = 3 * 8 + 4 * 8


def count_pairs_on_device(
    lookup: StreetLookup,
    batches: Iterable[Batch],
    buckets: int,
    each: Callable[[int], None] | None = None,
) -> tuple[Array, Array]:
    """Return how often each pair of buckets meets and wins, on the device; ``each`` is told the boards done."""
    features = lookup.features
    assert isinstance(features, ArrayFeatures), "arrays are counted with arrays"
    device, xp = features.device, features.xp
    device.require(buckets**2 * _CELL / 2**20, f"pairs of {buckets:,} buckets")
    hands = features.streets.streets[-1].hands.astype(np.int64)
    first, second = np.triu_indices(len(hands), 1)
    is_apart = ~(hands[first][:, :, None] == hands[second][:, None, :]).any(axis=(1, 2))
    left, right = features.put(first[is_apart]), features.put(second[is_apart])
    # Cells: losses, ties and wins of the first of two buckets.
    cells = xp.zeros((buckets * buckets * 3,), dtype=xp.int64, device=device.device)

    def cells_of(own: Array, ranks: Array, copies: Array) -> tuple[Array, Array]:
        mine, theirs = (xp.take(own, side, axis=1) for side in (left, right))
        better, worse = (xp.take(ranks, side, axis=1) for side in (left, right))
        outcome = xp.astype(better > worse, xp.int64) - xp.astype(better < worse, xp.int64)
        cell = (mine * buckets + theirs) * 3 + outcome + 1
        return cell, xp.broadcast_to(copies[:, None], cell.shape)

    fused = device.fused(cells_of)
    for batch in batches:
        ranks = features.ranks(batch.boards)
        own = lookup.on_boards(features.last, batch.numbers, ranks)
        cell, weights = fused(own, ranks, features.put(batch.copies.astype(np.int64)))
        device.add_at(cells, xp.reshape(cell, (-1,)), xp.reshape(weights, (-1,)))
        if each is not None:
            each(len(batch.boards))
    counts = xp.reshape(cells, (buckets, buckets, 3))
    met = xp.astype(counts[:, :, 0] + counts[:, :, 1] + counts[:, :, 2], xp.float64)
    won = xp.astype(counts[:, :, 2] - counts[:, :, 0], xp.float64)
    return met + xp.permute_dims(met, (1, 0)), won - xp.permute_dims(won, (1, 0))
