"""Treeplex passes on arrays: whole levels at a time, in any library of the array API standard.

Blocks of a treeplex that are equally deep and alike in shape (number of actions, buckets, link to
their parents) are one *group*: an array ``actions x blocks x buckets``. Vectors are kept in *level
order*, where the sequences of a group stand together; a pass is then one operation on each group's
slice, and there are some ten groups even where a game has millions of sequences. Groups of one width
stand together in a *band*, a matrix with a row for each (action, block).

Top-down passes gather: each block takes its parent's row, and of it each bucket the entry that it
extends. Bottom-up passes gather, too (the standard has no scattered addition): first buckets are added
up to their parents' buckets, which makes a row of what a band's followers earn, then a group's rows take the
rows that follow them, through lists filled up with a row of zeros. Lists stand in columns: what neighbours
take lies side by side.

Only the standard's functions are used (array-api-strict checks that in the tests), so the array in
hand decides where the work is done. Nothing here imports Numba.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.device import Array, Device
from equipoise.sequence.backends.levels import (
    Band,
    Group,
    Ints,
    group_blocks,
    level_order,
    padded_lists,
)
from equipoise.sequence.backends.updates import Updates
from equipoise.sequence.treeplex import SAME, Treeplex

_ALIGNED = 4


class ArrayTreeplex:
    """A treeplex whose vectors are arrays of a library, in level order.

    Its passes are those of :class:`~equipoise.sequence.treeplex.Treeplex`. A block's buckets must
    extend one row, as they do in forms that are not cut into tiles.
    """

    def __init__(self, space: Treeplex, device: Device) -> None:
        self.space, self.device, self.xp = space, device, device.xp
        self.size, self.infosets = space.size, space.infosets
        members = group_blocks(space)
        self._members = members
        self._first, self._apart = level_order(space, members)
        self._updates = Updates(device)
        self.bands = self._bands(members)
        self._followers: dict[Band, list[Ints]] = {band: [] for band in self.bands}
        sets = np.cumsum([0, *(len(own) * int(space.blocks.buckets[own[0]]) for own in members)])
        self.groups = [self._group(own, int(at)) for own, at in zip(members, sets, strict=False)]
        self._earned = {band: self._connect(band) for band in self.bands}

    def _bands(self, members: list[Ints]) -> list[Band]:
        """Return the runs of groups that are equally wide; the empty sequence is one of its own."""
        bands = [Band(0, 1, 1)]
        for own in members:
            first = int(self._first[own[0]])
            width = int(self.space.blocks.buckets[own[0]])
            last = first + len(own) * int(self.space.blocks.actions[own[0]]) * width
            if bands[-1].width == width and bands[-1].first > 0:
                first = bands.pop().first
            bands.append(Band(first, last, width))
        return bands

    def places(self, sequences: Ints) -> Ints:
        """Return the places in level order of some sequences, which have their treeplex's own numbers."""
        blocks = self.space.blocks
        if not len(blocks.start):
            return np.zeros(len(sequences), dtype=np.int64)
        start = blocks.start.astype(np.int64)
        place, after = np.zeros(len(sequences), dtype=np.int64), np.flatnonzero(sequences > 0)
        block = np.searchsorted(start, sequences[after], side="right") - 1
        wide = blocks.buckets[block].astype(np.int64)
        action, bucket = np.divmod(sequences[after] - start[block], wide)
        place[after] = self._first[block] + action * self._apart[block] + bucket
        return place

    @cached_property
    def place(self) -> Ints:
        """The place in level order of every sequence."""
        return self.places(np.arange(self.size))

    def band_numbers(self, places: Ints) -> Ints:
        """Return which of the bands each of ``places`` is in."""
        first = np.array([band.first for band in self.bands])
        return np.searchsorted(first, places, side="right") - 1

    def band_of(self, places: Ints) -> tuple[Band, Ints]:
        """Return the one band in which rows begin at ``places``, and their numbers there."""
        (number,) = set(self.band_numbers(places).tolist())
        band = self.bands[number]
        return band, (places - band.first) // band.width

    def _group(self, own: Ints, sets: int) -> Group:
        """Lay out the blocks ``own``, which are alike."""
        blocks, b, put = self.space.blocks, int(own[0]), self.device.put
        actions, width = int(blocks.actions[b]), int(blocks.buckets[b])
        above, rows = self.band_of(self.places(blocks.parent[own].astype(np.int64)))
        before = sum(map(len, self._followers[above]))
        self._followers[above].append(rows)
        earned = slice(before, before + len(own))
        group = Group(int(self._first[b]), sets, len(own), actions, width, above, put(rows), earned)
        if blocks.link[b] != SAME or above.width != width:
            at = int(blocks.link[b])
            is_same = blocks.link[b] == SAME
            link = np.arange(width) if is_same else blocks.links[at : at + width].astype(np.int64)
            if link.max(initial=0) >= above.width:
                raise EquipoiseError(
                    f"Arrays: a block's buckets follow rows of {above.width} and entry {link.max()}, "
                    "expected them to follow one row: build the form with tiles=False."
                )
            fold = padded_lists(link, above.width, width).T
            group.link, group.fold = put(link), put(np.where(fold < width, fold, 0))
            group.inside = put((fold < width).astype(np.float64))
        return group

    def _connect(self, band: Band) -> Array:
        """Return room for what follows a band, and tell its groups which rows of that follow theirs."""
        row = np.concatenate([np.zeros(0, dtype=np.int64), *self._followers[band]])
        for group in self.groups:
            first, rows = (group.first - band.first) // band.width, group.actions * group.blocks
            here = np.flatnonzero((first <= row) & (row < first + rows))
            if band.first <= group.first < band.last and len(here):
                lists = padded_lists(row[here] - first, rows, len(row), here)
                group.pulls = self.device.put(lists.T)
        return self.device.zeros((len(row) + 1, band.width))

    # Vectors in and out.

    def empty(self) -> Array:
        """Return room for a vector, whose second entry is where a GPU can read several numbers at once.

        That is the first of the first group, and all groups begin so if widths are multiples of four.
        """
        return self.device.empty((_ALIGNED - 1 + self.size,))[_ALIGNED - 1 :]

    def filled(self, number: float) -> Array:
        """Return a vector full of a number."""
        vector = self.empty()
        vector[:] = number
        return vector

    def put(self, vector: NDArray[Any]) -> Array:
        """Copy a NumPy vector in the treeplex's own order."""
        ordered = np.empty(self.size)
        ordered[self.place] = vector
        return self.device.put(ordered)

    def get(self, vector: Array) -> NDArray[Any]:
        """Return a vector as a NumPy one, in the treeplex's own order."""
        return self.device.get(vector)[self.place]

    def slices(self, vector: Array) -> Iterator[tuple[Group, Array]]:
        """Yield each group with its part of ``vector``, as actions x blocks x buckets."""
        for group in self.groups:
            yield group, self.part(group, vector)

    def rows(self, band: Band, vector: Array) -> Array:
        """Return a band of ``vector`` as a matrix."""
        return self.xp.reshape(vector[band.first : band.last], (-1, band.width))

    def part(self, group: Group, vector: Array) -> Array:
        """Return a group's part of ``vector``."""
        return self.xp.reshape(vector[group.first : group.last], group.shape)

    def set_part(self, group: Group, vector: Array, part: Array) -> None:
        """Put a group's part into ``vector``."""
        vector[group.first : group.last] = self.xp.reshape(part, (-1,))

    # Passes.

    def uniform(self) -> Array:
        """Return the behaviour that plays every action alike."""
        behaviour = self.filled(1.0)
        for group in self.groups:
            behaviour[group.first : group.last] = 1.0 / group.actions
        return behaviour

    def plan(self, behaviour: Array) -> Array:
        """Return the realization plan of ``behaviour``."""
        plan = self.filled(1.0)
        for group, part in self.slices(self._checked(behaviour)):
            self.set_part(group, plan, part * self._arrivals(group, plan))
        return plan

    def behaviour(self, plan: Array) -> Array:
        """Return the behaviour of ``plan``; where the plan never goes, it is uniform."""
        behaviour = self.filled(1.0)
        for group, part in self.slices(self._checked(plan)):
            self.set_part(group, behaviour, self._normalised(part))
        return behaviour

    def reach(self, play: Array, average: Array, row: Array) -> Array:
        """Return the plan of the behaviour in proportion to the positive part of ``play``.

        It is uniform where that adds up to no more than a tie, and goes into the ``average``, in place.
        ``row`` is one of :meth:`equipoise.solvers.saddle.cfr.CFR.schedule`.
        """
        plan, pieces = self.empty(), self._updates.pieces
        plan[0:1] = 1.0
        for group in self.groups:
            arrives = self.device.apart(self.xp.reshape(self._arrivals(group, plan), (-1,)))
            own = (pieces(self.part(group, vector)) for vector in (play, plan, average))
            self._updates.reach(next(own), arrives, *own, row)
        return plan

    def support(self, gradient: Array, *, overwrite: bool = False) -> float:
        """Return ``max_x <gradient, x>`` over the treeplex."""
        return float(self.maximum(gradient))

    def maximum(self, gradient: Array) -> Array:
        """Return the same without waiting for it: a number on the device."""
        return self.bottom_up(self._checked(gradient), lambda _, gain: self.xp.max(gain, axis=0))

    def best_response(self, gradient: Array) -> tuple[float, Array]:
        """Return ``max_x <gradient, x>`` and a pure plan that attains it; ties go to the first action."""
        xp, behaviour = self.xp, self.filled(1.0)

        def choose(group: Group, gain: Array) -> Array:
            order = xp.arange(group.actions, device=self.device.device)[:, None, None]
            first = xp.argmax(gain, axis=0, keepdims=True)
            self.set_part(group, behaviour, xp.astype(order == first, self.device.floats))
            return xp.max(gain, axis=0)

        value = self.bottom_up(self._checked(gradient), choose)
        return float(value), self.plan(behaviour)

    def regrets(self, regret: Array, play: Array, gradient: Array, row: Array) -> Array:
        """Update regrets (and what is played from) in place, and return the value of current play.

        ``row`` is one of :meth:`equipoise.solvers.saddle.cfr.CFR.schedule`; without optimism ``play`` is
        ``regret`` itself.
        """
        pieces = self._updates.pieces

        def update(group: Group, gain: Array, follows: Array | None) -> Array:
            value = self._updates.regrets(
                pieces(self.part(group, regret)),
                None if play is regret else pieces(self.part(group, play)),
                pieces(gain),
                None if follows is None else pieces(follows),
                row,
            )
            return self.xp.reshape(value, (group.blocks, group.width))

        return self._upwards(gradient, update)

    def smoothed_maximum(
        self, gradient: Array, weight: Array, origin: Array, *, entropic: bool
    ) -> tuple[Array, Array]:
        """Return max_x <gradient, x> - d(x) and the behaviour that attains it.

        ``weight`` (of information sets, in level order) and ``origin`` (the centre, or its logarithm
        for the entropy) say which dilated prox function d is meant: :mod:`equipoise.sequence.prox`.
        """
        xp, behaviour = self.xp, self.filled(1.0)
        maximise = self._softmax if entropic else self._projection

        def choose(group: Group, gain: Array) -> Array:
            w = xp.reshape(
                weight[group.sets : group.sets + group.blocks * group.width],
                (1, group.blocks, group.width),
            )
            centre = self.part(group, origin)
            point, value = maximise(gain / w, centre)
            self.set_part(group, behaviour, point)
            return value * w[0, :, :]

        return self.bottom_up(self._checked(gradient), choose), behaviour

    def _softmax(self, scores: Array, origin: Array) -> tuple[Array, Array]:
        """The entropy's maximiser, in proportion to exp(scores + origin), and its value."""
        xp, shifted = self.xp, scores + origin
        largest = xp.max(shifted, axis=0, keepdims=True)
        powers = xp.exp(shifted - largest)
        total = xp.sum(powers, axis=0, keepdims=True)
        return powers / total, (largest + xp.log(total))[0, :, :]

    def _projection(self, scores: Array, origin: Array) -> tuple[Array, Array]:
        """The Euclidean maximiser: the projection of scores + origin onto the simplex."""
        xp, actions = self.xp, scores.shape[0]
        point = scores + origin
        point = point - xp.max(point, axis=0, keepdims=True)
        falling = xp.sort(point, axis=0, descending=True)
        number = xp.reshape(self.device.put(np.arange(1.0, actions + 1)), (actions, 1, 1))
        levels = (xp.cumulative_sum(falling, axis=0) - 1.0) / number
        # The level is that of the largest set of components which all lie above their own level.
        kept = xp.sum(xp.astype(falling > levels, self.device.floats), axis=0, keepdims=True)
        at = xp.where(number == kept, levels, xp.zeros_like(levels))
        point = point - xp.sum(at, axis=0, keepdims=True)
        point = xp.where(point > 0, point, xp.zeros_like(point))
        step = point - origin
        return point, xp.sum(point * scores - 0.5 * step * step, axis=0)

    def bottom_up(self, gradient: Array, choose: Callable[[Group, Array], Array]) -> Array:
        """Return the value of the root when ``choose(group, gains)`` is an information set's value.

        The gain of a sequence is its own entry of ``gradient`` and the values of all that follows.
        """

        def added(group: Group, gain: Array, follows: Array | None) -> Array:
            return choose(group, gain if follows is None else gain + follows)

        return self._upwards(gradient, added)

    def _upwards(
        self, gradient: Array, choose: Callable[[Group, Array, Array | None], Array]
    ) -> Array:
        """Do the same with gains in two parts: a sequence's own, and what follows if anything does."""
        for group in reversed(self.groups):
            value = choose(group, self.part(group, gradient), self._follows(group))
            self._earned[group.above][group.earned, :] = self._folded(group, value)
        return gradient[0] + self.xp.sum(self._earned[self.bands[0]])

    def _follows(self, group: Group) -> Array | None:
        """Return what follows each sequence of a group."""
        if group.pulls is None:
            return None
        (earned,) = (self._earned[b] for b in self.bands if b.first <= group.first < b.last)
        most, rows = group.pulls.shape
        taken = self.device.take(earned, self.xp.reshape(group.pulls, (-1,)))
        if most > 1:
            taken = self.xp.sum(self.xp.reshape(taken, (most, rows, group.width)), axis=0)
        return self.xp.reshape(taken, group.shape)

    def _folded(self, group: Group, value: Array) -> Array:
        """Return what the information sets of a group are worth, added up to their parents' buckets."""
        if group.fold is None:
            return value
        spread = self.device.take(value, self.xp.reshape(group.fold, (-1,)), axis=1)
        spread = self.xp.reshape(spread, (group.blocks, *group.fold.shape))
        return self.xp.sum(spread * group.inside, axis=1)

    def _arrivals(self, group: Group, plan: Array) -> Array:
        """Return what each information set's parent has in ``plan``, blocks x buckets."""
        arrives = self.device.take(self.rows(group.above, plan), group.rows)
        return arrives if group.link is None else self.device.take(arrives, group.link, axis=1)

    def _normalised(self, part: Array) -> Array:
        """Return the behaviour in proportion to the positive part."""
        (positive,), scale, even = self._updates.shares([part])
        return positive * scale + even

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
            for own in self._members
        ]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])
