"""Euclidean projection onto a treeplex: ComplexSubproblem of Gilpin 2009, section 8.5.1.

For an information set (or a sequence) Q and a vector g let

    v_Q(t) = min { 1/2 |u|^2 - <g, u> : u in t Q },        lambda_Q = v_Q'.

lambda_Q is increasing and piecewise linear in the mass t, and so is its inverse theta_Q. Bottom-up,
each is made from those below it:

* a sequence s (C3, then step 1a): lambda_s(t) = w_s t - g_s + sum of lambda_I(t) over the information
  sets I that follow s: functions are added at equal t;
* an information set I (C2, step 1b): theta_I = sum of theta_(I, a) over its actions: functions are
  added at equal lambda.

Top-down, an information set of mass t has the multiplier lambda_I(t), and its actions the masses
theta_(I, a)(lambda_I(t)).

We allow weights w > 0 in the norm, |u|^2 = sum_s w_s u_s^2; Gilpin's are one. They cost nothing.

A function is a list of breakpoints: mass, lambda, and the slope of lambda to the right. Adding means
sorting the breakpoints of the parts, so a list of B costs O(B ln B) (Theorem 10). No mass exceeds
one, so breakpoints beyond it are not kept. The lists have fixed places in flat arrays: B is at most
the sum of the B of the parts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.backends.compiled import parent_of
from equipoise.sequence.treeplex import Treeplex

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]

# The small helpers below are inlined: compiled on their own they would cost as much time again.
# Up to this length a list is sorted by insertion, which is faster than merging.
_SHORT = np.uint32(12)


class _Lists(NamedTuple):
    """Breakpoints of many functions: that of ``i`` is at ``place[i]``, ``length[i]`` long."""

    place: Indices
    length: Indices
    point: Floats


# What a row of ``point`` holds.
_MASS, _LEVEL, _SLOPE = np.uint32(0), np.uint32(1), np.uint32(2)


class Projection:
    """Projections onto ``space`` in the norm of ``weight`` (default: one); it owns their room."""

    def __init__(self, space: Treeplex, weight: Floats | None = None) -> None:
        self.space = space
        self.weight = np.ones(space.size) if weight is None else weight
        if self.weight.shape != (space.size,) or not self.weight.min() > 0:
            raise EquipoiseError(
                f"Projection: found weights of shape {self.weight.shape} from "
                f"{self.weight.min(initial=np.inf):g}, expected {space.size} numbers > 0."
            )
        sequences = np.ones(space.size, dtype=np.int64)
        sets = np.zeros(space.infosets, dtype=np.int64)
        _capacities(space.blocks, sequences, sets)
        # The empty sequence has mass one: its function is never needed.
        sequences[0] = 0
        if int(sequences.sum()) >= 2**32:
            raise EquipoiseError(
                f"Projection: found {int(sequences.sum()):,} breakpoints, expected fewer than 2^32."
            )
        self._sequences, self._sets = _room(sequences), _room(sets)
        self._work, self._spare = np.empty((2, int(sets.max(initial=1)), 2))

    def __call__(self, point: Floats) -> Floats:
        """Return the plan nearest to ``point``."""
        return self.minimise(self.weight * point)

    def minimise(self, g: Floats) -> Floats:
        """Return the plan u that minimises 1/2 |u|^2 - <g, u> (8.30)."""
        if g.shape != (self.space.size,):
            raise EquipoiseError(
                f"Projection: found a vector of shape {g.shape}, expected ({self.space.size},)."
            )
        plan = np.empty_like(g)
        lists = self._sequences, self._sets
        _bottom_up(self.space.blocks, g, self.weight, *lists, self._work, self._spare)
        _top_down(self.space.blocks, *lists, plan)
        return plan


def _room(capacity: NDArray[np.int64]) -> _Lists:
    """Return empty lists with these capacities."""
    end = np.cumsum(capacity)
    place = (end - capacity).astype(np.uint32)
    return _Lists(place, np.zeros_like(place), np.empty((int(capacity.sum()), 3)))


@njit(cache=True)
def _capacities(blocks: Any, sequences: Any, sets: Any) -> None:
    """Count the breakpoints that lists may have; the one at mass zero is shared at a sequence."""
    first = np.uint32(len(sets))
    for i in range(len(blocks.start)):
        b = np.uint32(len(blocks.start) - 1 - i)
        width = blocks.buckets[b]
        first = np.uint32(first - width)
        for k in range(width):
            for a in range(blocks.actions[b]):
                sets[first + k] += sequences[np.uint32(blocks.start[b] + a * width + k)]
            sequences[parent_of(blocks, b, k)] += sets[first + k] - 1


@njit(cache=True)
def _sort(table: Any, key: Any, value: Any, low: Any, high: Any, room: Any) -> None:
    """Sort the rows ``low .. high`` of two columns of ``table`` by the first, ``key``.

    What is sorted here was put together from sorted lists, so there are few runs: long lists are
    sorted by merging neighbouring ones until one is left.
    """
    if high - low <= _SHORT:
        for i in range(low + np.uint32(1), high):
            moved, along = table[i, key], table[i, value]
            j = np.uint32(i)
            while j > low and table[np.uint32(j - 1), key] > moved:
                table[j, key] = table[np.uint32(j - 1), key]
                table[j, value] = table[np.uint32(j - 1), value]
                j = np.uint32(j - 1)
            table[j, key], table[j, value] = moved, along
        return
    runs = high - low
    while runs > 1:
        runs, out = 0, low
        while out < high:
            runs += 1
            middle = _run(table, key, out, high)
            end = _run(table, key, middle, high)
            left = np.uint32(middle - out)
            for k in range(left):
                row = np.uint32(out + k)
                room[k, 0], room[k, 1] = table[row, key], table[row, value]
            first, second = np.uint32(0), middle
            while first < left:
                if second < end and table[second, key] < room[first, 0]:
                    table[out, key], table[out, value] = table[second, key], table[second, value]
                    second = np.uint32(second + 1)
                else:
                    table[out, key], table[out, value] = room[first, 0], room[first, 1]
                    first = np.uint32(first + 1)
                out = np.uint32(out + 1)
            out = end


@njit(inline="always")
def _run(table: Any, key: Any, start: Any, high: Any) -> Any:
    """Return the end, at most ``high``, of the ascending run that begins at ``start``."""
    end = np.uint32(min(start + 1, high))
    while end < high and not table[end, key] < table[np.uint32(end - 1), key]:
        end = np.uint32(end + 1)
    return end


@njit(inline="always")
def _finish(sequences: Any, s: Any, room: Any) -> None:
    """Turn the collected slope changes of sequence ``s`` into its breakpoints."""
    place, point = sequences.place[s], sequences.point
    second, end = np.uint32(place + 1), np.uint32(place + sequences.length[s])
    _sort(point, _MASS, _SLOPE, second, end, room)
    for i in range(second, end):
        h = np.uint32(i - 1)
        rise = point[h, _SLOPE] * (point[i, _MASS] - point[h, _MASS])
        point[i, _LEVEL] = point[h, _LEVEL] + rise
        point[i, _SLOPE] += point[h, _SLOPE]


@njit(inline="always")
def _add_up(work: Any, count: Any, sets: Any, j: Any) -> None:
    """Write the breakpoints of set ``j``, from the changes of the slope of theta at sorted levels."""
    c = sets.place[j]
    mass = rate = before = 0.0
    for i in range(count):
        level = work[i, 0]
        if i > 0:
            mass += rate * (level - before)
        if mass >= 1.0:
            break
        before = level
        rate += work[i, 1]
        sets.point[c, _MASS], sets.point[c, _LEVEL] = mass, level
        sets.point[c, _SLOPE] = 1.0 / rate
        c = np.uint32(c + 1)
    sets.length[j] = c - sets.place[j]


@njit(cache=True)
def _bottom_up(
    blocks: Any, g: Any, weight: Any, sequences: Any, sets: Any, work: Any, room: Any
) -> None:
    """Make the functions of all sequences and information sets."""
    point = sequences.point
    for leaf in range(np.uint32(1), np.uint32(len(g))):
        c = sequences.place[leaf]
        sequences.length[leaf] = 1
        point[c, _MASS], point[c, _LEVEL], point[c, _SLOPE] = 0.0, -g[leaf], weight[leaf]
    first = np.uint32(len(sets.length))
    for i in range(len(blocks.start)):
        b = np.uint32(len(blocks.start) - 1 - i)
        width, actions = blocks.buckets[b], blocks.actions[b]
        first = np.uint32(first - width)
        for k in range(width):
            j = np.uint32(first + k)
            n = np.uint32(0)
            for a in range(actions):
                s = np.uint32(blocks.start[b] + a * width + k)
                if sequences.length[s] > 1:
                    _finish(sequences, s, room)
                c, before = sequences.place[s], 0.0
                for _ in range(sequences.length[s]):
                    rate = 1.0 / point[c, _SLOPE]
                    work[n, 0], work[n, 1] = point[c, _LEVEL], rate - before
                    before = rate
                    n = np.uint32(n + 1)
                    c = np.uint32(c + 1)
            _sort(work, np.uint32(0), np.uint32(1), np.uint32(0), n, room)
            _add_up(work, n, sets, j)
            parent = parent_of(blocks, b, k)
            if parent > 0:
                _pass_on(sequences, parent, sets, j)


@njit(inline="always")
def _pass_on(sequences: Any, s: Any, sets: Any, j: Any) -> None:
    """Add the function of set ``j`` to that of its parent ``s``: value and slope at 0, slope changes."""
    c, head = sets.place[j], sequences.place[s]
    end = np.uint32(head + sequences.length[s])
    sequences.point[head, _LEVEL] += sets.point[c, _LEVEL]
    sequences.point[head, _SLOPE] += sets.point[c, _SLOPE]
    for _ in range(np.uint32(1), sets.length[j]):
        before = sets.point[c, _SLOPE]
        c = np.uint32(c + 1)
        sequences.point[end, _MASS] = sets.point[c, _MASS]
        sequences.point[end, _SLOPE] = sets.point[c, _SLOPE] - before
        end = np.uint32(end + 1)
    sequences.length[s] = end - head


@njit(inline="always")
def _segment(lists: Any, i: Any, column: Any, value: Any) -> Any:
    """Return the last breakpoint of list ``i`` whose entry is at most ``value``, or the first."""
    low = lists.place[i]
    high = np.uint32(low + lists.length[i])
    while high - low > 1:
        middle = np.uint32((low + high) // 2)
        if lists.point[middle, column] <= value:
            low = middle
        else:
            high = middle
    return low


@njit(cache=True)
def _top_down(blocks: Any, sequences: Any, sets: Any, plan: Any) -> None:
    """Share out the mass of every information set among its actions."""
    plan[0] = 1.0
    first = np.uint32(0)
    for b in range(np.uint32(len(blocks.start))):
        width, actions = blocks.buckets[b], blocks.actions[b]
        for k in range(width):
            t = plan[parent_of(blocks, b, k)]
            c = _segment(sets, np.uint32(first + k), _MASS, t)
            level = sets.point[c, _LEVEL] + sets.point[c, _SLOPE] * (t - sets.point[c, _MASS])
            total, lowest = 0.0, np.inf
            best = np.uint32(0)
            for a in range(actions):
                s = np.uint32(blocks.start[b] + a * width + k)
                head = sequences.point[sequences.place[s], _LEVEL]
                if head < lowest:
                    best, lowest = s, head
                c = _segment(sequences, s, _LEVEL, level)
                share = (level - sequences.point[c, _LEVEL]) / sequences.point[c, _SLOPE]
                plan[s] = max(sequences.point[c, _MASS] + share, 0.0)
                total += plan[s]
            # Rounding leaves the shares a little off the mass; where they vanish, the first to rise has all.
            if total <= 0.0:
                plan[best] = t
            else:
                for a in range(actions):
                    plan[np.uint32(blocks.start[b] + a * width + k)] *= t / total
        first = np.uint32(first + width)
