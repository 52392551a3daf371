"""Where a linear function fails to majorise v: simplicial branch and bound.

Given payoffs A^k in [0, 1] and a vector z, bound  max over q in the simplex of  v(q) - z·q  from both
sides, where v(q) is the value of the average game A(q). From below by points, where a strategy of
the row player is evaluated; from above by cells, where strategies of the column player are
(:func:`control_nets`). Cells are bisected, the largest bound first, along the edge that holds most of
the bound's slack (:func:`edges_to_cut`).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.numerics.minimax import Saddles, minimax

Floats = NDArray[np.float64]

_BATCH = 16
"""Cells bisected at once, to spread the cost of a call over them."""
_ENOUGH = 0.5
"""A violation this share of the largest bound is worth a new z; exact maxima are for the end."""
_FAIRNESS = 0.05
"""Weight of an edge's bare length in the choice of the edge to cut, so that every edge has its turn."""
_CUTS = 50
"""Violated points returned at most."""
_SHORTEST = 1e-11
"""Cells with shorter edges are left alone: their bounds are at the level of rounding."""


@dataclass(frozen=True)
class Separation:
    """What was found about max v(q) - z·q.

    Attributes
    ----------
    bound
        No q in the simplex exceeds this.
    points, values
        Points where z·q < v(q), the most violated first, and lower bounds of v there.
    cells
        Cells examined.
    """

    bound: float
    points: Floats
    values: Floats
    cells: int


def separate(
    matrices: Floats, z: Floats, tolerance: float, should_stop: Callable[[int], bool]
) -> Separation:
    """Bound v(q) - z·q by ``tolerance``, or find where it is larger.

    ``should_stop`` is asked now and then, with the number of cells so far.
    """
    search = _Search(matrices, z, tolerance)
    while not search.is_done and not should_stop(search.cells):
        search.advance()
    return search.result


class _Search:
    """The branch and bound at work: a heap of open cells, and the violated points found."""

    def __init__(self, matrices: Floats, z: Floats, tolerance: float) -> None:
        self._matrices, self._z, self._tolerance = matrices, z, tolerance
        self._heap: list[tuple[float, int, Floats, int]] = []
        self._settled = -np.inf
        self._violation = 0.0
        self._found: list[tuple[Floats, Floats]] = []
        self.cells = 0
        self._add(np.eye(len(matrices))[None], np.inf)

    @property
    def is_done(self) -> bool:
        """Whether the tolerance holds everywhere, or a violation worth returning is found."""
        if not self._heap:
            return True
        top = -self._heap[0][0]
        return self._violation > self._tolerance and self._violation >= _ENOUGH * top

    @property
    def result(self) -> Separation:
        """What is known so far."""
        points = np.concatenate([points for points, _ in self._found] or [self._z[None][:0]])
        values = np.concatenate([values for _, values in self._found] or [self._z[:0]])
        order = np.argsort(points @ self._z - values)[:_CUTS]
        order = order[values[order] > points[order] @ self._z]
        top = -self._heap[0][0] if self._heap else -np.inf
        return Separation(max(self._settled, top), points[order], values[order], self.cells)

    def advance(self) -> None:
        """Bisect the cells of largest bound, and look for violations where they are cut."""
        batch = [heapq.heappop(self._heap) for _ in range(min(_BATCH, len(self._heap)))]
        bounds, _, cells, edges = zip(*batch, strict=True)
        children, middles = bisect(np.stack(cells), np.array(edges))
        centers = self._add(children, -np.array(bounds * 2))
        points = np.concatenate([middles, centers])
        values = solve_at(self._matrices, points).lower
        self._found.append((points, values))
        self._violation = max(self._violation, float((values - points @ self._z).max()))

    def _add(self, cells: Floats, parents: Floats | float) -> Floats:
        """Bound cells, keep those above the tolerance; return where their bounds may be attained.

        What bounds the parent bounds the child.
        """
        nets, shares = control_nets(self._matrices, cells, self._z)
        bounds, edges = np.minimum(nets.upper, parents), edges_to_cut(cells, shares)
        for cell, bound, edge in zip(cells, bounds.tolist(), edges.tolist(), strict=True):
            self.cells += 1
            if bound > self._tolerance and np.ptp(cell, axis=0).max() > _SHORTEST:
                heapq.heappush(self._heap, (-bound, self.cells, cell, edge))
            else:
                self._settled = max(self._settled, bound)
        return np.asarray(np.einsum("cj,cjk->ck", shares, cells))


def solve_at(matrices: Floats, points: Floats) -> Saddles:
    """Solve the average game at each row of ``points``."""
    return minimax(np.tensordot(points, matrices, 1))


def edges_to_cut(cells: Floats, shares: Floats) -> NDArray[np.intp]:
    """Choose an edge of every cell, numbered as by ``triu_indices(vertices, 1)``.

    The bound is loose because the maximiser is spread over the vertices, with the given shares; an
    edge's part in that is its squared length times the shares of both ends.
    """
    first, second = np.triu_indices(cells.shape[1], k=1)
    if not len(first):
        return np.zeros(len(cells), dtype=np.intp)
    lengths = ((cells[:, first] - cells[:, second]) ** 2).sum(axis=2)
    slack = lengths * (shares[:, first] * shares[:, second] + _FAIRNESS)
    return np.asarray(slack.argmax(axis=1))


def bisect(cells: Floats, edges: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Cut each cell at the middle of an edge.

    Returns the children, first all that keep one end and then all that keep the other, and the
    middles.
    """
    each = np.arange(len(cells))
    first, second = (ends[edges] for ends in np.triu_indices(cells.shape[1], k=1))
    middles = 0.5 * (cells[each, first] + cells[each, second])
    one, other = cells.copy(), cells.copy()
    one[each, first], other[each, second] = middles, middles
    return np.concatenate([one, other]), middles


def control_nets(matrices: Floats, cells: Floats, z: Floats) -> tuple[Saddles, Floats]:
    """Bound v(q) - z·q over every cell: the ``upper`` of what is returned.

    Let q_1..q_V be the vertices of a cell and y_1..y_V any strategies of the column player, mixed
    along with them: y(q) = sum_j mu_j y_j at q = sum_j mu_j q_j. Row i of A(q) y(q) is a quadratic
    form in mu, so at most its largest Bernstein coefficient over the simplex of mu, and

        max_q v(q) - z·q <= max_{i, j <= k} (e_i A(q_j) y_k + e_i A(q_k) y_j - z·q_j - z·q_k) / 2.

    The best y_1..y_V solve a minimax problem with one block a vertex. The bound is exact for a cell
    of one vertex (a matrix game); its error falls with the square of the diameter where optimal
    strategies are smooth in q, while a single y for the whole cell is only good to first order.

    The second array holds the shares of the vertices in the maximiser, cell by cell: where the bound
    is tight, it is attained at the point with these barycentric coordinates.
    """
    count, vertices, _ = cells.shape
    _, m, n = matrices.shape
    j, k = np.triu_indices(vertices)
    pairs = np.arange(len(j))
    averages = np.tensordot(cells, matrices, 1)
    M = np.zeros((len(j), vertices, count, m, n))
    M[pairs, k] = 0.5 * averages[:, j].swapaxes(0, 1)
    M[pairs, j] += 0.5 * averages[:, k].swapaxes(0, 1)
    rows = M.transpose(2, 0, 3, 1, 4).reshape(count, len(j) * m, vertices * n)
    heights = cells @ z
    nets = minimax(rows, np.repeat(-0.5 * (heights[:, j] + heights[:, k]), m, axis=1), vertices)
    halves = np.zeros((len(j), vertices))
    halves[pairs, j] = 0.5
    halves[pairs, k] += 0.5
    return nets, nets.x.reshape(count, len(j), m).sum(axis=2) @ halves
