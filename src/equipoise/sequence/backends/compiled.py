"""Treeplex passes as compiled loops over blocks, on NumPy vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from equipoise.numerics.kernels import EXACT, EXACT_INNER
from equipoise.sequence.treeplex import SAME


@njit(**EXACT_INNER)
def parent_of(blocks: Any, b: Any, k: Any) -> Any:
    """Return the parent sequence of bucket ``k`` of block ``b``."""
    if blocks.link[b] == SAME:
        return np.uint32(blocks.parent[b] + k)
    return np.uint32(blocks.parent[b] + blocks.links[blocks.link[b] + k])


@njit(**EXACT)
def plan(blocks: Any, behaviour: Any, out: Any) -> None:
    """Top-down: plan[(I, a)] = plan[parent(I)] * behaviour[(I, a)]."""
    out[0] = behaviour[0]
    for b in range(np.uint32(len(blocks.start))):
        width = blocks.buckets[b]
        for k in range(width):
            reach = out[parent_of(blocks, b, k)]
            for a in range(blocks.actions[b]):
                s = np.uint32(blocks.start[b] + a * width + k)
                out[s] = reach * behaviour[s]


@njit(**EXACT)
def behaviour(blocks: Any, plan: Any, out: Any) -> None:
    """Normalise within each information set; uniform where nothing is reached."""
    out[0] = 1
    for b in range(np.uint32(len(blocks.start))):
        width, actions = blocks.buckets[b], blocks.actions[b]
        for k in range(width):
            total = plan[0] * 0
            for a in range(actions):
                total += max(plan[np.uint32(blocks.start[b] + a * width + k)], 0)
            for a in range(actions):
                s = np.uint32(blocks.start[b] + a * width + k)
                out[s] = max(plan[s], 0) / total if total > 0 else 1.0 / actions


@njit(**EXACT)
def support(blocks: Any, gain: Any, best: Any) -> Any:
    """Bottom-up maximum, action by action so that the inner loop runs along the buckets."""
    for i in range(len(blocks.start)):
        b = np.uint32(len(blocks.start) - 1 - i)
        width, start = blocks.buckets[b], blocks.start[b]
        for k in range(width):
            best[k] = gain[start + k]
        for a in range(1, blocks.actions[b]):
            row = np.uint32(start + a * width)
            for k in range(width):
                best[k] = max(best[k], gain[row + k])
        for k in range(width):
            gain[parent_of(blocks, b, k)] += best[k]
    return gain[0]


@njit(**EXACT)
def best_response(blocks: Any, gain: Any, behaviour: Any, best: Any) -> Any:
    """Bottom-up maximum that also records the first best action."""
    for i in range(len(blocks.start)):
        b = np.uint32(len(blocks.start) - 1 - i)
        width, start = blocks.buckets[b], blocks.start[b]
        for k in range(width):
            chosen = 0
            best[k] = gain[start + k]
            for a in range(1, blocks.actions[b]):
                value = gain[np.uint32(start + a * width + k)]
                if value > best[k]:
                    best[k] = value
                    chosen = a
            behaviour[np.uint32(start + chosen * width + k)] = 1
            gain[parent_of(blocks, b, k)] += best[k]
    return gain[0]
