"""Both players at once: X x Y as one treeplex, the payoff as one skew operator.

A product of treeplexes is a treeplex: after the sequences of player 1 come those of player 2, whose
empty sequence is the only action of an information set at the root. With z = (x, y) and

    S z = (A y, -A' x),        what every sequence of either player gains at z,

S is skew, <S z, w> = -<z, S w>, and the gap of z is one support function (Gilpin 2009, 8.19 and 8.29):

    F(z) = max over w in X x Y of <S z, w> = max_u <u, A y> - min_v <x, A v>.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.sequence.build import SequenceForm
from equipoise.sequence.treeplex import SAME, Blocks, Indices, Treeplex

Floats = NDArray[np.float64]


class Pair:
    """The two players of ``form`` as one."""

    def __init__(self, form: SequenceForm) -> None:
        self.form = form
        self._cut = form.X.size
        self.space = product(form.X, form.Y)

    def join(self, x: NDArray[Any], y: NDArray[Any]) -> Floats:
        """Return z = (x, y)."""
        return np.concatenate((x, y)).astype(np.float64)

    def split(self, z: Floats) -> tuple[Floats, Floats]:
        """Return (x, y)."""
        return z[: self._cut], z[self._cut :]

    def gains(self, z: Floats) -> Floats:
        """Return S z: two products."""
        gains = np.empty_like(z)
        (x, y), (first, second) = self.split(z), self.split(gains)
        self.form.A.times(y, first)
        self.form.A.transpose_times(x, second)
        np.negative(second, second)
        return gains


def product(X: Treeplex, Y: Treeplex) -> Treeplex:
    """Return X x Y: the sequences of X, then those of Y."""
    first, second, shift = X.blocks, Y.blocks, np.uint32(X.size)
    # The empty sequence of Y: one information set with one action after the empty sequence of X.
    start, actions, buckets, parent, link = (
        np.concatenate((a, np.array([root], np.uint32), b))
        for a, root, b in (
            (first.start, shift, second.start + shift),
            (first.actions, 1, second.actions),
            (first.buckets, 1, second.buckets),
            (first.parent, 0, second.parent + shift),
            (first.link, SAME, _moved(second.link, len(first.links))),
        )
    )
    links = np.concatenate((first.links, second.links))
    return Treeplex(Blocks(start, actions, buckets, parent, link, links))


def _moved(link: Indices, by: int) -> Indices:
    """Return places in ``links`` after ``by`` others were put before them."""
    return np.where(link == SAME, SAME, link + np.uint32(by))
