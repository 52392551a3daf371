"""Random signal rounds for property tests, with symmetries planted in them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from equipoise.games.signals.rounds import SignalRound


def signals_from(weights, outcomes, parents):
    """Two rounds from the last round's tables: rows are views of player 1, columns of player 2."""
    rows, columns = np.nonzero(weights)
    first = parents[0][rows], parents[1][columns]
    width = parents[1].max() + 1
    cells, place = np.unique(first[0] * width + first[1], return_inverse=True)
    weight = weights[rows, columns] / weights.sum()
    zeros = [np.zeros(p.max() + 1, np.uint32) for p in parents]
    return (
        SignalRound(
            parents=(zeros[0], zeros[1]),
            pairs=((cells // width).astype(np.uint32), (cells % width).astype(np.uint32)),
            weight=np.bincount(place, weights=weight),
            values={},
        ),
        SignalRound(
            parents=(parents[0].astype(np.uint32), parents[1].astype(np.uint32)),
            pairs=(rows.astype(np.uint32), columns.astype(np.uint32)),
            weight=weight,
            values={"showdown": outcomes[rows, columns].astype(float)},
        ),
    )


def blow_up(weights, outcomes, parents, copies, random):
    """Split every view into ``copies[i][v]`` copies of random (integer) odds, in random order."""
    order = []
    for player in (0, 1):
        copy_of = np.repeat(np.arange(len(copies[player])), copies[player])
        order.append(random.permutation(copy_of))
    odds = [random.integers(1, 4, size=len(o)) for o in order]
    total = [np.bincount(o, weights=k) for o, k in zip(order, odds, strict=True)]
    share = [k / t[o] for o, k, t in zip(order, odds, total, strict=True)]
    cells = np.ix_(*order)
    return (
        weights[cells] * share[0][:, None] * share[1][None, :],
        outcomes[cells],
        tuple(p[o] for p, o in zip(parents, order, strict=True)),
        tuple(order),
    )


@st.composite
def tables(draw):
    """Weights, outcomes and parents of a random two-round game."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = tuple(draw(st.integers(2, 4)) for _ in range(2))
    weights = random.integers(0, 3, size=size).astype(float)
    weights[random.integers(size[0])] += 1  # every view of player 2 occurs
    weights[:, random.integers(size[1])] += 1
    outcomes = random.integers(-1, 2, size=size)
    parents = tuple(np.sort(np.append(random.integers(0, 2, size=n - 1), 0)) for n in size)
    parents = tuple(np.unique(p, return_inverse=True)[1] for p in parents)
    return weights, outcomes, parents, random
