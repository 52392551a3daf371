"""Treeplex passes on arrays: whole levels at a time, in any library of the array API standard.

Blocks of a treeplex that are equally deep and alike in shape (number of actions, buckets, link to
their parents) are one *group*: an array ``blocks x actions x buckets``. Vectors are kept in *level
order*, where the sequences of a group stand together; a pass is then one operation on each group's
slice, and there are some tens of groups even where a game has millions of sequences.

Top-down passes gather: each information set takes its parent's entry. Bottom-up passes gather, too
(the standard has no scattered addition): a group's sequences take the values of the information sets
that follow them, through lists padded with a place that holds zero. First buckets are added up to
their parents' buckets, then blocks to their parents' rows.

Only the standard's functions are used (array-api-strict checks that in the tests), so the array in
hand decides where the work is done. Nothing here imports Numba.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.treeplex import SAME, Treeplex

Array = Any
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Device:
    """An array library (its standard namespace), a device of it, and the type of numbers."""

    xp: Any
    device: Any = None
    dtype: str = "float64"

    @property
    def floats(self) -> Any:
        """The library's own name of ``dtype``."""
        return getattr(self.xp, self.dtype)

    def put(self, numbers: NDArray[Any]) -> Array:
        """Copy a NumPy array here: floats as ``dtype``, indices as 64-bit integers."""
        is_float = numbers.dtype.kind == "f"
        kind = self.floats if is_float else self.xp.int64
        plain = np.ascontiguousarray(numbers, dtype=np.float64 if is_float else np.int64)
        return self.xp.asarray(plain, dtype=kind, device=self.device)

    def zeros(self, shape: Any) -> Array:
        """Return zeros."""
        return self.xp.zeros(shape, dtype=self.floats, device=self.device)

    def ones(self, shape: Any) -> Array:
        """Return ones."""
        return self.xp.ones(shape, dtype=self.floats, device=self.device)

    def get(self, array: Array) -> NDArray[Any]:
        """Copy an array back to NumPy."""
        host = array.cpu() if hasattr(array, "cpu") else array
        host = host.get() if hasattr(host, "get") and not isinstance(host, np.ndarray) else host
        return np.from_dlpack(host) if hasattr(host, "__dlpack__") else np.asarray(host)


@dataclass(eq=False)
class Group:
    """Blocks alike: sequence (n, a, k) is at ``first + (n * actions + a) * width + k``.

    Attributes
    ----------
    sets
        The place of its first information set, in level order.
    index
        The place of each information set's parent sequence, ``blocks * width`` of them.
    fold
        For each bucket of the parents' rows, the buckets that extend it, padded with ``width``;
        ``None`` where buckets stay the same.
    pulls
        For each group of children, and for each own row (n, a), the blocks that follow it, padded
        with the number of blocks.
    values
        What each information set earned in the last bottom-up pass, folded to the parents' buckets,
        with a row of zeros at the end for padding.
    """

    first: int
    sets: int
    blocks: int
    actions: int
    width: int
    index: Array
    fold: Array | None = None
    pulls: list[tuple[Group, Array, int]] = field(default_factory=list)
    values: Array = None
    wide: Array = None

    @property
    def last(self) -> int:
        """The place after the last sequence."""
        return self.first + self.blocks * self.actions * self.width

    @property
    def shape(self) -> tuple[int, int, int]:
        """Blocks, actions, buckets."""
        return self.blocks, self.actions, self.width


class ArrayTreeplex:
    """A treeplex whose vectors are arrays of a library, in level order.

    Its passes are those of :class:`~equipoise.sequence.treeplex.Treeplex`.
    """

    def __init__(self, space: Treeplex, device: Device) -> None:
        self.space, self.device, self.xp = space, device, device.xp
        self.size, self.infosets = space.size, space.infosets
        members = _group_blocks(space)
        self.place = _level_order(space, members)
        sets = np.cumsum([0, *(len(own) * int(space.blocks.buckets[own[0]]) for own in members)])
        self.groups = [self._group(own, int(at)) for own, at in zip(members, sets, strict=False)]
        self._connect(members)

    def _group(self, own: Ints, sets: int) -> Group:
        """Lay out the blocks ``own``, which are alike."""
        blocks, b = self.space.blocks, int(own[0])
        actions, width = int(blocks.actions[b]), int(blocks.buckets[b])
        rows = self.place[blocks.parent[own].astype(np.int64)]
        put = self.device.put
        if blocks.link[b] == SAME:
            link, fold = np.arange(width), None
        else:
            at = int(blocks.link[b])
            link = blocks.links[at : at + width].astype(np.int64)
            fold = padded_lists(link, self._width_above(b, link), width)
        index = (rows[:, None] + link[None, :]).reshape(-1)
        first = int(self.place[int(blocks.start[b])])
        group = Group(first, sets, len(own), actions, width, put(index))
        above = width
        if fold is not None:
            above = len(fold)
            group.fold = put(fold)
            group.wide = self.device.zeros((group.blocks, width + 1))
        group.values = self.device.zeros((group.blocks + 1, above))
        return group

    def _width_above(self, b: int, link: Ints) -> int:
        """Return how many buckets the parents' rows of block ``b`` have."""
        parent = int(self.space.blocks.parent[b])
        if parent == 0:
            return 1
        above = int(np.searchsorted(self.space.blocks.start, parent, side="right")) - 1
        return int(self.space.blocks.buckets[above])

    def _connect(self, members: list[Ints]) -> None:
        """Tell every group which groups follow its sequences."""
        blocks = self.space.blocks
        group_of = np.empty(len(blocks.start), dtype=np.int64)
        number = np.empty(len(blocks.start), dtype=np.int64)
        for g, own in enumerate(members):
            group_of[own], number[own] = g, np.arange(len(own))
        self.roots: list[Group] = []
        for child, own in zip(self.groups, members, strict=True):
            parent = blocks.parent[own].astype(np.int64)
            if not parent.any():
                self.roots.append(child)
                continue
            above = np.searchsorted(blocks.start, parent, side="right") - 1
            action = (parent - blocks.start[above]) // blocks.buckets[above]
            for g in np.unique(group_of[above]).tolist():
                here = np.flatnonzero(group_of[above] == g)
                group = self.groups[g]
                row = number[above[here]] * group.actions + action[here]
                lists = padded_lists(row, group.blocks * group.actions, child.blocks, here)
                group.pulls.append((child, self.device.put(lists.reshape(-1)), lists.shape[1]))

    # Vectors in and out.

    def put(self, vector: NDArray[Any]) -> Array:
        """Copy a NumPy vector in the treeplex's own order."""
        ordered = np.empty(self.size)
        ordered[self.place] = vector
        return self.device.put(ordered)

    def get(self, vector: Array) -> NDArray[Any]:
        """Return a vector as a NumPy one, in the treeplex's own order."""
        return self.device.get(vector)[self.place]

    def slices(self, vector: Array) -> Iterator[tuple[Group, Array]]:
        """Yield each group with its part of ``vector``, as blocks x actions x buckets."""
        for group in self.groups:
            yield group, self.part(group, vector)

    def part(self, group: Group, vector: Array) -> Array:
        """Return a group's part of ``vector``."""
        return self.xp.reshape(vector[group.first : group.last], group.shape)

    def set_part(self, group: Group, vector: Array, part: Array) -> None:
        """Put a group's part into ``vector``."""
        vector[group.first : group.last] = self.xp.reshape(part, (-1,))

    # Passes.

    def uniform(self) -> Array:
        """Return the behaviour that plays every action alike."""
        behaviour = self.device.ones((self.size,))
        for group in self.groups:
            behaviour[group.first : group.last] = 1.0 / group.actions
        return behaviour

    def plan(self, behaviour: Array) -> Array:
        """Return the realization plan of ``behaviour``."""
        return self._top_down(self._checked(behaviour), lambda part: part)

    def behaviour(self, plan: Array) -> Array:
        """Return the behaviour of ``plan``; where the plan never goes, it is uniform."""
        behaviour = self.device.ones((self.size,))
        for group, part in self.slices(self._checked(plan)):
            self.set_part(group, behaviour, self._normalised(part))
        return behaviour

    def reach(self, play: Array) -> Array:
        """Return the plan of the behaviour in proportion to the positive part of ``play``."""
        return self._top_down(play, self._normalised)

    def support(self, gradient: Array, *, overwrite: bool = False) -> float:
        """Return ``max_x <gradient, x>`` over the treeplex."""
        return float(
            self.bottom_up(self._checked(gradient), lambda _, gain: self.xp.max(gain, axis=1))
        )

    def best_response(self, gradient: Array) -> tuple[float, Array]:
        """Return ``max_x <gradient, x>`` and a pure plan that attains it; ties go to the first action."""
        xp, behaviour = self.xp, self.device.ones((self.size,))

        def choose(group: Group, gain: Array) -> Array:
            order = xp.arange(group.actions, device=self.device.device)[None, :, None]
            first = xp.argmax(gain, axis=1, keepdims=True)
            self.set_part(group, behaviour, xp.astype(order == first, self.device.floats))
            return xp.max(gain, axis=1)

        value = self.bottom_up(self._checked(gradient), choose)
        return float(value), self.plan(behaviour)

    def regrets(self, regret: Array, play: Array, gradient: Array, row: Array) -> Array:
        """Update regrets (and what is played from) in place, and return the value of current play.

        ``row`` is (factor of positive regrets, factor of negative ones, optimism, ...), as in
        :mod:`equipoise.solvers.saddle.cfr`; without optimism ``play`` is ``regret`` itself.
        """
        xp = self.xp

        def update(group: Group, gain: Array) -> Array:
            chosen = self._normalised(self.part(group, play))
            value = xp.sum(chosen * gain, axis=1)
            gain = gain - value[:, None, :]
            new = self.part(group, regret) + gain
            new = new * xp.where(new > 0, row[0], row[1])
            self.set_part(group, regret, new)
            if play is not regret:
                self.set_part(group, play, new + row[2] * gain)
            return value

        return self.bottom_up(gradient, update)

    def smoothed_maximum(
        self, gradient: Array, weight: Array, origin: Array, *, entropic: bool
    ) -> tuple[Array, Array]:
        """Return max_x <gradient, x> - d(x) and the behaviour that attains it.

        ``weight`` (of information sets, in level order) and ``origin`` (the centre, or its logarithm
        for the entropy) say which dilated prox function d is meant: :mod:`equipoise.sequence.prox`.
        """
        xp, behaviour = self.xp, self.device.ones((self.size,))
        maximise = self._softmax if entropic else self._projection

        def choose(group: Group, gain: Array) -> Array:
            w = xp.reshape(
                weight[group.sets : group.sets + group.blocks * group.width],
                (group.blocks, 1, group.width),
            )
            centre = self.part(group, origin)
            point, value = maximise(gain / w, centre)
            self.set_part(group, behaviour, point)
            return value * w[:, 0, :]

        return self.bottom_up(self._checked(gradient), choose), behaviour

    def _softmax(self, scores: Array, origin: Array) -> tuple[Array, Array]:
        """The entropy's maximiser, in proportion to exp(scores + origin), and its value."""
        xp, shifted = self.xp, scores + origin
        largest = xp.max(shifted, axis=1, keepdims=True)
        powers = xp.exp(shifted - largest)
        total = xp.sum(powers, axis=1, keepdims=True)
        return powers / total, (largest + xp.log(total))[:, 0, :]

    def _projection(self, scores: Array, origin: Array) -> tuple[Array, Array]:
        """The Euclidean maximiser: the projection of scores + origin onto the simplex."""
        xp, actions = self.xp, scores.shape[1]
        point = scores + origin
        point = point - xp.max(point, axis=1, keepdims=True)
        falling = xp.sort(point, axis=1, descending=True)
        number = xp.reshape(self.device.put(np.arange(1.0, actions + 1)), (1, actions, 1))
        levels = (xp.cumulative_sum(falling, axis=1) - 1.0) / number
        # The level is that of the largest set of components which all lie above their own level.
        kept = xp.sum(xp.astype(falling > levels, self.device.floats), axis=1, keepdims=True)
        at = xp.where(number == kept, levels, xp.zeros_like(levels))
        point = point - xp.sum(at, axis=1, keepdims=True)
        point = xp.where(point > 0, point, xp.zeros_like(point))
        step = point - origin
        return point, xp.sum(point * scores - 0.5 * step * step, axis=1)

    def bottom_up(self, gradient: Array, choose: Callable[[Group, Array], Array]) -> Array:
        """Return the value of the root when ``choose(group, gains)`` is an information set's value.

        The gain of a sequence is its own entry of ``gradient`` and the values of all that follows.
        """
        xp = self.xp
        for group in reversed(self.groups):
            gain = self.part(group, gradient)
            for child, lists, most in group.pulls:
                rows = xp.take(child.values, lists, axis=0)
                if most > 1:
                    rows = xp.sum(xp.reshape(rows, (-1, most, group.width)), axis=1)
                gain = gain + xp.reshape(rows, group.shape)
            self._give(group, choose(group, gain))
        total = gradient[0]
        for group in self.roots:
            total = total + xp.sum(group.values)
        return total

    def _give(self, group: Group, value: Array) -> None:
        """Keep what the information sets of a group are worth, by their parents' buckets."""
        if group.fold is None:
            group.values[: group.blocks, :] = value
            return
        group.wide[:, : group.width] = value
        above, most = group.fold.shape
        spread = self.xp.take(group.wide, self.xp.reshape(group.fold, (-1,)), axis=1)
        folded = self.xp.sum(self.xp.reshape(spread, (group.blocks, above, most)), axis=2)
        group.values[: group.blocks, :] = folded

    def _top_down(self, vector: Array, behave: Callable[[Array], Array]) -> Array:
        """Lay down a plan: each sequence is its parent's entry times its conditional probability."""
        xp, plan = self.xp, self.device.ones((self.size,))
        for group, part in self.slices(vector):
            arrives = xp.reshape(xp.take(plan, group.index), (group.blocks, 1, group.width))
            self.set_part(group, plan, arrives * behave(part))
        return plan

    def _normalised(self, part: Array) -> Array:
        """Return the positive part scaled to sum to one over the actions; uniform where it is zero."""
        xp = self.xp
        positive = xp.where(part > 0, part, xp.zeros_like(part))
        total = xp.sum(positive, axis=1, keepdims=True)
        is_positive = total > 0
        share = positive / xp.where(is_positive, total, xp.ones_like(total))
        return xp.where(is_positive, share, xp.full_like(share, 1.0 / part.shape[1]))

    def _checked(self, vector: Array) -> Array:
        if vector.shape != (self.size,):
            raise EquipoiseError(
                f"Treeplex: found a vector of shape {tuple(vector.shape)}, expected ({self.size},)."
            )
        return vector

    @cached_property
    def set_order(self) -> Ints:
        """The number in block order of the information sets, which are listed in level order."""
        blocks = self.space.blocks
        first = np.concatenate(([0], np.cumsum(blocks.buckets.astype(np.int64))))
        parts = [
            (first[own][:, None] + np.arange(int(blocks.buckets[own[0]]))).reshape(-1)
            for own in _group_blocks(self.space)
        ]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def _group_blocks(space: Treeplex) -> list[Ints]:
    """Return the blocks of each group, groups in order of depth."""
    blocks = space.blocks
    depth = np.zeros(len(blocks.start), dtype=np.int64)
    above = np.searchsorted(blocks.start, blocks.parent, side="right") - 1
    for b, up in enumerate(above.tolist()):
        depth[b] = depth[up] + 1 if up >= 0 and blocks.parent[b] > 0 else 0
    # Parents' rows of one group must be equally wide: their buckets are added up together.
    wide = np.where(blocks.parent > 0, blocks.buckets[np.maximum(above, 0)], 1)
    is_root = blocks.parent == 0
    keys = np.stack([depth, is_root, blocks.actions, blocks.buckets, blocks.link, wide]).astype(
        np.int64
    )
    if not keys.shape[1]:
        return []
    _, group = np.unique(keys, axis=1, return_inverse=True)
    return [np.flatnonzero(group == g) for g in range(int(group.max()) + 1)]


def _level_order(space: Treeplex, members: list[Ints]) -> Ints:
    """Return the place in level order of every sequence."""
    blocks = space.blocks
    place = np.zeros(space.size, dtype=np.int64)
    at = 1
    for own in members:
        size = int(blocks.actions[own[0]]) * int(blocks.buckets[own[0]])
        sequences = blocks.start[own].astype(np.int64)[:, None] + np.arange(size)
        place[sequences.reshape(-1)] = np.arange(at, at + sequences.size)
        at += sequences.size
    return place


def padded_lists(key: Ints, count: int, padding: int, items: Ints | None = None) -> Ints:
    """Return, for each key below ``count``, the items that have it, padded to one length."""
    items = np.arange(len(key)) if items is None else items
    order = np.argsort(key, kind="stable")
    sizes = np.bincount(key, minlength=count)
    column = np.arange(len(key)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    lists = np.full((count, int(sizes.max(initial=1))), padding, dtype=np.int64)
    lists[key[order], column] = items[order]
    return lists
