"""Pairs of buckets counted on a sample of boards, with the error of the sample.

The error is a total variation distance: half of the sum, over all pairs of buckets, of the amounts by which the
probabilities in the sample differ from those on all boards. No probability of any set of pairs is further off. It
is estimated by halves (Mahalanobis 1946, interpenetrating samples): of two independent parts of n1 and n2 boards
of n, with probabilities p1 and p2, the whole differs from the truth as sqrt(n1 n2) / n (p1 - p2) does, whose variance
is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from math import sqrt

import numpy as np

from equipoise.abstraction.signal_pairs import added_up
from equipoise.games.poker.boards import Batch, Boards
from equipoise.games.signals.rounds import Floats, Indices
from equipoise.numerics.device import Array

Pairs = tuple[Array, Array]


def count_sampled(
    count: Callable[[Iterable[Batch]], Pairs],
    boards: Boards,
    sample: int,
    seed: int,
    batch: int,
    parents: Sequence[Indices],
    get: Callable[[Array], Floats] = np.asarray,
) -> tuple[Pairs, tuple[float, ...]]:
    """Return what ``count`` finds on a sample of boards, and the errors of the probabilities of each round.

    ``parents`` has, for each round, the bucket of the round before of each bucket; ``get`` takes a matrix into the
    memory of the processor. A single board has no error that it could tell.
    """
    if sample < 2:
        return count(boards.sampled(sample, np.random.default_rng(seed), batch)), ()
    batch = min(batch, sample // 2)
    batches = boards.sampled(sample, np.random.default_rng(seed), batch)
    halfway = -(-(sample // 2) // batch)
    (met, won), (met_later, won_later) = count(islice(batches, halfway)), count(batches)
    first = halfway * batch
    share = sqrt(first * (sample - first)) / sample
    early, late = get(met), get(met_later)
    difference = early / early.sum() - late / late.sum()
    errors = []
    for own in reversed(parents):
        errors.append(share * float(np.abs(difference).sum()) / 2)
        difference = added_up(difference, own)
    return (met + met_later, won + won_later), tuple(reversed(errors))
