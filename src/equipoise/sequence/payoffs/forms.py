"""Matrices over pairs of buckets, each stored in the form in which products are cheapest.

Three forms, of which the cheapest is taken for each matrix when it is built:

* ``DENSE``: written out component by component, for BLAS;
* ``LISTS``: for each target, a list of sources with values;
* ``STEPS``: lists as well, over the sources and their running sums (:mod:`.stepwise`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.sequence.payoffs.stepwise import stepwise, weights, written_out
from equipoise.sequence.payoffs.tiling import Tiling

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]
Numbers = NDArray[np.int64]

DENSE, LISTS, STEPS = 0, 1, 2
TOGETHER = 3  # entries of a list that a kernel takes in one go: lists are filled up with zeros

_DENSE_COST = 0.6  # of a multiplication in BLAS, relative to one in a list
_LARGEST, _EMPTIEST = 2**24, 0.1  # larger or emptier components are not searched for steps
_EXACT = 1e-12


class Matrices(NamedTuple):
    """The matrices for products from a source to a target, as kernels take them.

    Matrix ``m`` has form ``form[m]``. Dense ones, if any, are in ``dense[m]``, target by source, component ``c``
    from ``start[c]`` on. The list of target ``t`` is ``pointer[m, t] .. pointer[m, t + 1]`` of ``row``
    and ``value``: a row below the number of sources of the component is a source, one above it a
    running sum of them in the order ``order[m]`` with weights ``weight[m]``.
    """

    form: NDArray[np.uint8]
    start: Numbers
    dense: NDArray[Any] | None
    pointer: Indices
    row: Indices
    value: NDArray[Any]
    order: Indices
    weight: NDArray[Any]


class _Lists(NamedTuple):
    """A matrix by entries (target, row, value), and the running sums that they may use."""

    target: Numbers
    row: Numbers
    value: Floats
    order: Numbers
    weight: Floats

    @property
    def cost(self) -> int:
        """Multiplications of a product: a running sum is worth two."""
        return len(self.value) + 2 * int(np.count_nonzero(self.weight))


class _Components:
    """Pairs of buckets by component: bounds, places of the deals in them, and their values."""

    def __init__(self, cut: Tiling, source: int, at: list[Numbers], values: Floats) -> None:
        self.source, self.target = cut.component[source], cut.component[1 - source]
        self.width, self.height = np.diff(self.source), np.diff(self.target)
        self.start = np.concatenate(([0], np.cumsum(self.height * self.width)))
        component = np.searchsorted(self.source, at[source], side="right") - 1
        self.column = at[source] - self.source[component]
        self.row = at[1 - source]
        local = self.row - self.target[component]
        self.place = self.start[component] + local * self.width[component] + self.column
        self.values = values

    @property
    def pairs(self) -> int:
        """Number of pairs within the components, possible or not."""
        return int(self.start[-1])

    def full(self) -> Floats:
        """Return all matrices written out."""
        full = np.zeros((len(self.values), self.pairs))
        full[:, self.place] = self.values
        return full

    def lists(self, m: int) -> _Lists:
        """Return the entries of matrix ``m`` as they are."""
        own = np.flatnonzero(self.values[m])
        none = np.zeros(self.source[-1])
        entries = self.row[own], self.column[own], self.values[m][own]
        return _Lists(*entries, none.astype(np.int64), none)

    def steps(self) -> list[_Lists] | None:
        """Return all matrices by steps; ``None`` if that cannot pay."""
        largest = int((self.height * self.width).max(initial=0))
        if largest > _LARGEST or len(self.place) < _EMPTIEST * self.pairs:
            return None
        full, count = self.full(), len(self.values)
        parts: list[list[tuple[Any, ...]]] = [[] for _ in range(count)]
        order = np.zeros((count, self.source[-1]), dtype=np.int64)
        weight = np.zeros((count, self.source[-1]))
        shapes = np.stack([self.height, self.width], axis=1)
        for shape in np.unique(shapes, axis=0):
            alike = np.flatnonzero((shapes == shape).all(axis=1))
            h, w = (int(n) for n in shape)
            place = self.start[alike][:, None] + np.arange(h * w)
            blocks = full[:, place].reshape(count, len(alike), h, w)
            row_weight, column_weight = weights(np.abs(blocks).max(axis=0))
            for m in range(count):
                found = stepwise(blocks[m], row_weight, column_weight)
                error = np.abs(written_out(found) - blocks[m]).max()
                if error > _EXACT * np.abs(blocks[m]).max(initial=1e-300):
                    return None
                for entries, shift in ((found.rest, 0), (found.jump, w)):
                    c, t, s = np.nonzero(entries)
                    target = self.target[alike][c] + t
                    parts[m].append((target, s + shift, entries[c, t, s]))
                own = self.source[alike][:, None] + np.arange(w)
                order[m, own], weight[m, own] = found.order, found.weight
        joined = [[np.concatenate(own) for own in zip(*part, strict=True)] for part in parts]
        return [_Lists(a, b, c, order[m], weight[m]) for m, (a, b, c) in enumerate(joined)]


def matrices(cut: Tiling, source: int, at: list[Numbers], values: Floats, dtype: Any) -> Matrices:
    """Store the matrices whose rows are ``values``, for deals in which players have places ``at``."""
    components = _Components(cut, source, at, values)
    steps = components.steps()
    form, lists = [], []
    for m in range(len(values)):
        candidates = {LISTS: components.lists(m), **({STEPS: steps[m]} if steps else {})}
        cheapest = min(candidates, key=lambda f: candidates[f].cost)
        is_dense = candidates[cheapest].cost > _DENSE_COST * components.pairs
        form.append(DENSE if is_dense else cheapest)
        lists.append(candidates[cheapest])
    sources, targets = int(components.source[-1]), int(components.target[-1])
    pointer, index, value = _packed(form, lists, targets)
    dense = components.full().astype(dtype) if DENSE in form else None
    return Matrices(
        form=np.array(form, dtype=np.uint8),
        start=components.start,
        dense=dense,
        pointer=pointer,
        row=index,
        value=value.astype(dtype),
        order=np.array([own.order for own in lists], np.uint32).reshape(len(lists), sources),
        weight=np.array([own.weight for own in lists], dtype).reshape(len(lists), sources),
    )


def _packed(form: list[int], lists: list[_Lists], targets: int) -> tuple[Indices, Indices, Floats]:
    """Put all lists one after the other, each filled up to a multiple of ``TOGETHER``."""
    pointer = np.zeros((len(lists), targets + 1), dtype=np.int64)
    index, value = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    base = 0
    for m, own in enumerate(lists):
        if form[m] == DENSE:
            continue
        sizes = np.bincount(own.target, minlength=targets)
        room = np.cumsum(-(-sizes // TOGETHER) * TOGETHER)
        begin = np.concatenate(([0], room))
        order = np.argsort(own.target, kind="stable")
        rank = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        place = begin[own.target[order]] + rank
        indices, values = np.zeros(begin[-1], dtype=np.int64), np.zeros(begin[-1])
        indices[place], values[place] = own.row[order], own.value[order]
        pointer[m] = base + begin
        base += int(begin[-1])
        index.append(indices)
        value.append(values)
    return (
        pointer.astype(np.uint32),
        np.concatenate(index).astype(np.uint32),
        np.concatenate(value),
    )
