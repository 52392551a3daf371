"""Euclidean projection onto a treeplex: ComplexSubproblem of seed 000, section 8.5.1.

For an information set (or a sequence) Q and a vector g let

    v_Q(t) = min { 1/2 |u|^2 - <g, u> : u in t Q },        lambda_Q = v_Q'.

lambda_Q is increasing and piecewise linear in the mass t, and so is its inverse theta_Q. Bottom-up,
each is made from those below it:

* a sequence s (C3, then step 1a): lambda_s(t) = t - g_s + sum of lambda_I(t) over the information
  sets I that follow s: functions are added at equal t;
* an information set I (C2, step 1b): theta_I = sum of theta_(I, a) over its actions: functions are
  added at equal lambda.

Top-down, an information set of mass t has the multiplier lambda_I(t), and its actions the masses
theta_(I, a)(lambda_I(t)).

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

from equipoise.sequence.treeplex import Treeplex, _parent

Floats = NDArray[np.float64]


class _Lists(NamedTuple):
    """Breakpoints of many functions: that of ``i`` is at ``place[i]``, ``length[i]`` long."""

    place: NDArray[np.int64]
    length: NDArray[np.int64]
    mass: Floats
    level: Floats
    slope: Floats


class Projection:
    """Projections onto one treeplex; it owns the room that they need."""

    def __init__(self, space: Treeplex) -> None:
        self.space = space
        sequences = np.ones(space.size, dtype=np.int64)
        sets = np.zeros(space.infosets, dtype=np.int64)
        _capacities(space.blocks, sequences, sets)
        # The empty sequence has mass one: its function is never needed.
        sequences[0] = 0
        self._sequences, self._sets = _room(sequences), _room(sets)
        self._work = np.empty((4, int(sets.max(initial=1))))

    def __call__(self, point: Floats) -> Floats:
        """Return the plan nearest to ``point`` in the Euclidean norm."""
        plan = np.empty_like(point)
        _bottom_up(self.space.blocks, point, self._sequences, self._sets, self._work)
        _top_down(self.space.blocks, self._sequences, self._sets, plan)
        return plan


def _room(capacity: NDArray[np.int64]) -> _Lists:
    """Return empty lists with these capacities."""
    end = np.cumsum(capacity)
    total = int(end[-1]) if len(end) else 0
    return _Lists(end - capacity, np.zeros_like(end), *(np.empty(total) for _ in range(3)))


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
            sequences[_parent(blocks, b, k)] += sets[first + k] - 1


@njit(cache=True)
def _sort(key: Any, value: Any, room: Any) -> None:
    """Sort ``key``, and ``value`` along with it: merge neighbouring runs until one is left.

    What is sorted here was put together from sorted lists, so there are few runs.
    """
    n = len(key)
    runs = n
    while runs > 1:
        runs = 0
        i = 0
        while i < n:
            runs += 1
            middle = _run(key, i)
            if middle == n:
                break
            end = _run(key, middle)
            left = middle - i
            for a in range(left):
                room[0, a], room[1, a] = key[i + a], value[i + a]
            a, b = 0, middle
            while a < left:
                if b < end and key[b] < room[0, a]:
                    key[i], value[i] = key[b], value[b]
                    b += 1
                else:
                    key[i], value[i] = room[0, a], room[1, a]
                    a += 1
                i += 1
            i = end


@njit(cache=True)
def _run(key: Any, start: Any) -> Any:
    """Return the end of the ascending run that begins at ``start``."""
    end = start + 1
    while end < len(key) and not key[end] < key[end - 1]:
        end += 1
    return end


@njit(cache=True)
def _finish(sequences: Any, s: Any, room: Any) -> None:
    """Turn the collected slope changes of sequence ``s`` into its breakpoints."""
    place, count = sequences.place[s], sequences.length[s]
    mass = sequences.mass[place : place + count]
    level = sequences.level[place : place + count]
    slope = sequences.slope[place : place + count]
    _sort(mass[1:], slope[1:], room)
    for i in range(1, count):
        level[i] = level[i - 1] + slope[i - 1] * (mass[i] - mass[i - 1])
        slope[i] += slope[i - 1]


@njit(cache=True)
def _add_up(level: Any, change: Any, sets: Any, j: Any) -> None:
    """Write the breakpoints of set ``j``, from the changes of the slope of theta at sorted levels."""
    place = sets.place[j]
    mass = rate = 0.0
    count = 0
    for i in range(len(level)):
        if i > 0:
            mass += rate * (level[i] - level[i - 1])
        if mass >= 1.0:
            break
        rate += change[i]
        sets.mass[place + count] = mass
        sets.level[place + count] = level[i]
        sets.slope[place + count] = 1.0 / rate
        count += 1
    sets.length[j] = count


@njit(cache=True)
def _bottom_up(blocks: Any, g: Any, sequences: Any, sets: Any, work: Any) -> None:
    """Make the functions of all sequences and information sets."""
    for leaf in range(1, len(g)):
        place = sequences.place[leaf]
        sequences.length[leaf] = 1
        sequences.mass[place], sequences.level[place], sequences.slope[place] = 0.0, -g[leaf], 1.0
    first = len(sets.length)
    for i in range(len(blocks.start)):
        b = np.uint32(len(blocks.start) - 1 - i)
        width = blocks.buckets[b]
        first -= width
        for k in range(width):
            j = first + k
            n = 0
            for a in range(blocks.actions[b]):
                s = np.uint32(blocks.start[b] + a * width + k)
                if sequences.length[s] > 1:
                    _finish(sequences, s, work[2:])
                place = sequences.place[s]
                before = 0.0
                for c in range(place, place + sequences.length[s]):
                    rate = 1.0 / sequences.slope[c]
                    work[0, n], work[1, n] = sequences.level[c], rate - before
                    before = rate
                    n += 1
            _sort(work[0, :n], work[1, :n], work[2:])
            _add_up(work[0, :n], work[1, :n], sets, j)
            parent = _parent(blocks, b, k)
            if parent > 0:
                _pass_on(sequences, parent, sets, j)


@njit(cache=True)
def _pass_on(sequences: Any, s: Any, sets: Any, j: Any) -> None:
    """Add the function of set ``j`` to that of its parent ``s``: value and slope at 0, slope changes."""
    place, end = sets.place[j], sequences.place[s] + sequences.length[s]
    sequences.level[sequences.place[s]] += sets.level[place]
    sequences.slope[sequences.place[s]] += sets.slope[place]
    for c in range(1, sets.length[j]):
        sequences.mass[end] = sets.mass[place + c]
        sequences.slope[end] = sets.slope[place + c] - sets.slope[place + c - 1]
        end += 1
    sequences.length[s] = end - sequences.place[s]


@njit(cache=True)
def _segment(values: Any, value: Any) -> Any:
    """Return the last place in the sorted ``values`` that is at most ``value``, or -1."""
    low, high = -1, len(values)
    while high - low > 1:
        middle = (low + high) // 2
        if values[middle] <= value:
            low = middle
        else:
            high = middle
    return low


@njit(cache=True)
def _top_down(blocks: Any, sequences: Any, sets: Any, plan: Any) -> None:
    """Share out the mass of every information set among its actions."""
    plan[0] = 1.0
    first = 0
    for b in range(np.uint32(len(blocks.start))):
        width, actions = blocks.buckets[b], blocks.actions[b]
        for k in range(width):
            t = plan[_parent(blocks, b, k)]
            place, count = sets.place[first + k], sets.length[first + k]
            c = place + max(_segment(sets.mass[place : place + count], t), 0)
            level = sets.level[c] + sets.slope[c] * (t - sets.mass[c])
            total = 0.0
            best = np.uint32(blocks.start[b] + k)
            for a in range(actions):
                s = np.uint32(blocks.start[b] + a * width + k)
                place, count = sequences.place[s], sequences.length[s]
                if sequences.level[place] < sequences.level[sequences.place[best]]:
                    best = s
                plan[s] = 0.0
                c = _segment(sequences.level[place : place + count], level)
                if c >= 0:
                    c += place
                    share = (level - sequences.level[c]) / sequences.slope[c]
                    plan[s] = sequences.mass[c] + share
                    total += plan[s]
            # Rounding leaves the shares a little off the mass; where they vanish, the first to rise has all.
            if total <= 0.0:
                plan[best] = t
            else:
                for a in range(actions):
                    plan[np.uint32(blocks.start[b] + a * width + k)] *= t / total
        first += width
