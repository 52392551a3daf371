"""Probabilities in whole numbers of 1/65535: half the space of single precision, and nothing lost in a file.

A strategy is rounded before it is certified, so that what is certified is what is stored. The most probable
action of an information set takes what rounding leaves, so probabilities still sum to one; with at most n
actions none is off by more than n / 131070.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.strategy.profile import Strategy

UNITS = 65535


def quantised(strategy: Strategy) -> Strategy:
    """Return ``strategy``, of a game with signals, with probabilities that are multiples of 1/65535."""
    layout = strategy.layout
    assert layout is not None, "a game with signals has a layout"
    vectors = []
    for player, vector in enumerate(strategy.behaviour):
        units = np.full(len(vector), UNITS, dtype=np.uint16)
        starts = layout.starts(player).tolist()
        for (_, actions), begin, end in zip(
            layout.nodes[player], starts[:-1], starts[1:], strict=True
        ):
            block = vector[begin:end].reshape(actions, -1).astype(np.float64)
            rounded = np.rint(block / block.sum(axis=0) * UNITS).astype(np.int64)
            most = rounded.argmax(axis=0)
            rounded[most, np.arange(rounded.shape[1])] += UNITS - rounded.sum(axis=0)
            units[begin:end] = rounded.reshape(-1)
        vectors.append(from_units(units))
    return replace(strategy, behaviour=tuple(vectors))


def to_units(vector: NDArray[Any]) -> NDArray[np.uint16]:
    """Return the whole numbers of a vector that was :func:`quantised`."""
    units = np.rint(vector.astype(np.float64) * UNITS)
    if np.abs(units / UNITS - vector).max(initial=0.0) > 1e-6:
        raise EquipoiseError(
            "strategy: found probabilities between multiples of 1/65535, expected none."
        )
    return units.astype(np.uint16)


def from_units(units: NDArray[np.uint16]) -> NDArray[np.float32]:
    """Return probabilities."""
    return (units / np.float32(UNITS)).astype(np.float32)
