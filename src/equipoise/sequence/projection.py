"""Euclidean projection onto a treeplex: ComplexSubproblem of seed 000, section 8.5.1.

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

We allow weights w > 0 in the norm, |u|^2 = sum_s w_s u_s^2; the seed's are one. They cost nothing.

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
from equipoise.sequence.treeplex import Treeplex, parent_of

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]

# Up to this length a list is sorted by insertion, which is faster than merging.
_SHORT = np.uint32(12)


class _Lists(NamedTuple):
    """Breakpoints of many functions: that of ``i`` is at ``place[i]``, ``length[i]`` long."""

    place: Indices
    length: Indices
    mass: Floats
    level: Floats
    slope: Floats


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
        self._work = np.empty((4, int(sets.max(initial=1))))

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
        _project(
            self.space.blocks, g, self.weight, self._sequences, self._sets, self._work, plan
        )
        return plan


def _room(capacity: NDArray[np.int64]) -> _Lists:
    """Return empty lists with these capacities."""
    end = np.cumsum(capacity)
    total = int(end[-1]) if len(end) else 0
    place = (end - capacity).astype(np.uint32)
    return _Lists(place, np.zeros_like(place), *(np.empty(total) for _ in range(3)))


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
def _project(
    blocks: Any, g: Any, weight: Any, sequences: Any, sets: Any, work: Any, plan: Any
) -> None:
    """Both passes of the dynamic program."""
    _bottom_up(blocks, g, weight, sequences, sets, work)
    _top_down(blocks, sequences, sets, plan)


@njit(cache=True)
def _sort(key: Any, value: Any, low: Any, high: Any, room: Any) -> None:
    """Sort ``key[low:high]``, and ``value`` along with it.

    What is sorted here was put together from sorted lists, so there are few runs: long lists are
    sorted by merging neighbouring ones until one is left.
    """
    if high - low <= _SHORT:
        for i in range(low + np.uint32(1), high):
            moved, along = key[i], value[i]
            j = i
            while j > low and key[j - np.uint32(1)] > moved:
                key[j], value[j] = key[j - np.uint32(1)], value[j - np.uint32(1)]
                j = np.uint32(j - 1)
            key[j], value[j] = moved, along
        return
    runs = high - low
    while runs > 1:
        runs = np.uint32(0)
        i = low
        while i < high:
            runs = np.uint32(runs + 1)
            middle = _run(key, i, high)
            if middle == high:
                break
            end = _run(key, middle, high)
            left = np.uint32(middle - i)
            for a in range(left):
                room[0, a], room[1, a] = key[np.uint32(i + a)], value[np.uint32(i + a)]
            a, b = np.uint32(0), middle
            while a < left:
                if b < end and key[b] < room[0, a]:
                    key[i], value[i] = key[b], value[b]
                    b = np.uint32(b + 1)
                else:
                    key[i], value[i] = room[0, a], room[1, a]
                    a = np.uint32(a + 1)
                i = np.uint32(i + 1)
            i = end


@njit(cache=True)
def _run(key: Any, start: Any, high: Any) -> Any:
    """Return the end, at most ``high``, of the ascending run that begins at ``start``."""
    end = np.uint32(start + 1)
    while end < high and not key[end] < key[end - np.uint32(1)]:
        end = np.uint32(end + 1)
    return end


@njit(cache=True)
def _finish(sequences: Any, s: Any, room: Any) -> None:
    """Turn the collected slope changes of sequence ``s`` into its breakpoints."""
    place = sequences.place[s]
    end = np.uint32(place + sequences.length[s])
    mass, level, slope = sequences.mass, sequences.level, sequences.slope
    _sort(mass, slope, np.uint32(place + 1), end, room)
    for i in range(np.uint32(place + 1), end):
        before = np.uint32(i - 1)
        level[i] = level[before] + slope[before] * (mass[i] - mass[before])
        slope[i] += slope[before]


@njit(cache=True)
def _add_up(work: Any, count: Any, sets: Any, j: Any) -> None:
    """Write the breakpoints of set ``j``, from the changes of the slope of theta at sorted levels."""
    place = sets.place[j]
    mass = rate = before = 0.0
    written = np.uint32(0)
    for i in range(count):
        level = work[0, i]
        if i > 0:
            mass += rate * (level - before)
        if mass >= 1.0:
            break
        before = level
        rate += work[1, i]
        c = np.uint32(place + written)
        sets.mass[c], sets.level[c], sets.slope[c] = mass, level, 1.0 / rate
        written = np.uint32(written + 1)
    sets.length[j] = written


@njit(cache=True)
def _bottom_up(blocks: Any, g: Any, weight: Any, sequences: Any, sets: Any, work: Any) -> None:
    """Make the functions of all sequences and information sets."""
    key, value, room = work[0], work[1], work[2:]
    for s in range(np.uint32(1), np.uint32(len(g))):
        place = sequences.place[s]
        sequences.length[s] = 1
        sequences.mass[place] = 0.0
        sequences.level[place], sequences.slope[place] = -g[s], weight[s]
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
                place = sequences.place[s]
                before = 0.0
                for c in range(place, np.uint32(place + sequences.length[s])):
                    rate = 1.0 / sequences.slope[c]
                    key[n], value[n] = sequences.level[c], rate - before
                    before = rate
                    n = np.uint32(n + 1)
            _sort(key, value, np.uint32(0), n, room)
            _add_up(work, n, sets, j)
            parent = parent_of(blocks, b, k)
            if parent > 0:
                _pass_on(sequences, parent, sets, j)


@njit(cache=True)
def _pass_on(sequences: Any, s: Any, sets: Any, j: Any) -> None:
    """Add the function of set ``j`` to that of its parent ``s``: value and slope at 0, slope changes."""
    place, head = sets.place[j], sequences.place[s]
    end = np.uint32(head + sequences.length[s])
    sequences.level[head] += sets.level[place]
    sequences.slope[head] += sets.slope[place]
    for c in range(np.uint32(place + 1), np.uint32(place + sets.length[j])):
        sequences.mass[end] = sets.mass[c]
        sequences.slope[end] = sets.slope[c] - sets.slope[np.uint32(c - 1)]
        end = np.uint32(end + 1)
    sequences.length[s] = end - head


@njit(cache=True)
def _segment(values: Any, low: Any, high: Any, value: Any) -> Any:
    """Return the last place from ``low`` to ``high`` whose entry is at most ``value``, or ``low``."""
    while high - low > 1:
        middle = np.uint32((low + high) // 2)
        if values[middle] <= value:
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
            j = np.uint32(first + k)
            place = sets.place[j]
            c = _segment(sets.mass, place, np.uint32(place + sets.length[j]), t)
            level = sets.level[c] + sets.slope[c] * (t - sets.mass[c])
            total = 0.0
            best = np.uint32(blocks.start[b] + k)
            for a in range(actions):
                s = np.uint32(blocks.start[b] + a * width + k)
                place = sequences.place[s]
                if sequences.level[place] < sequences.level[sequences.place[best]]:
                    best = s
                c = _segment(
                    sequences.level, place, np.uint32(place + sequences.length[s]), level
                )
                share = (level - sequences.level[c]) / sequences.slope[c]
                plan[s] = max(sequences.mass[c] + share, 0.0)
                total += plan[s]
            # Rounding leaves the shares a little off the mass; where they vanish, the first to rise has all.
            if total <= 0.0:
                plan[best] = t
            else:
                for a in range(actions):
                    plan[np.uint32(blocks.start[b] + a * width + k)] *= t / total
        first = np.uint32(first + width)
