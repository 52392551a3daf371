"""All equilibria of a two-player matrix game, exactly.

With positive payoffs the best-response polytopes are P = {x ≥ 0, B'x ≤ 1} and Q = {y ≥ 0, A y ≤ 1}. A
point has the labels of its tight inequalities: a strategy that is not played, or one of the other
player's that is a best response. An *extreme* equilibrium is a pair of vertices other than 0 that
have all labels between them. Of a nondegenerate game these are all equilibria. A degenerate game may
have infinitely many: the extreme ones are the corners of *maximal Nash subsets*, products of two
polytopes whose points are interchangeable, and those that share a point make up a *component*. Every
equilibrium is in a maximal Nash subset (Winkels 1979), so no component is left out.

Vertices are found by going through the bases that stay feasible when the right sides are perturbed
lexicographically: the perturbed polytope is simple, so its bases are connected by pivots, and every
vertex has one. Maximal Nash subsets are the maximal bicliques of the graph of extreme equilibria.

Source: Avis, Rosenberg, Savani and von Stengel 2010, "Enumeration of Nash equilibria for two-player
games".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.trees.normal import NormalGame
from equipoise.numerics.clock import Deadline, TimeUpError
from equipoise.solvers.general.matrix import Equilibrium, Mixed, Tableau, whole_matrices

MOST_BASES = 1_000_000
"""A polytope with m + n inequalities in m or n dimensions may have (m + n choose m) bases."""

Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class NashSubset:
    """A maximal set of interchangeable equilibria: all mixtures of ``x`` with all mixtures of ``y``."""

    x: tuple[Mixed, ...]
    y: tuple[Mixed, ...]


@dataclass(frozen=True)
class Component:
    """A connected set of equilibria: its extreme ones, and the maximal Nash subsets it is made of."""

    extreme: tuple[Equilibrium, ...]
    subsets: tuple[NashSubset, ...]

    @property
    def is_single(self) -> bool:
        """Whether this is one isolated equilibrium."""
        return len(self.extreme) == 1


def extreme_equilibria(game: NormalGame) -> list[Equilibrium]:
    """Return the extreme equilibria of ``game``, those of small supports first."""
    return sorted(chain(*(component.extreme for component in components(game))), key=_supports)


def components(game: NormalGame, time_limit: float = math.inf) -> list[Component]:
    """Return every component of equilibria of ``game``, those with small supports first.

    Some of them would be no answer: if the time limit, in seconds, is too short for all, it is an error.
    """
    try:
        return _components(game, Deadline(time_limit))
    except TimeUpError:
        shape = " x ".join(str(len(actions)) for actions in game.actions)
        raise EquipoiseError(
            f"{game.name}: all equilibria of a {shape} game are not found in {time_limit:g} s, expected a "
            "smaller game or more time (--time); Lemke-Howson finds one of them soon."
        ) from None


def _components(game: NormalGame, deadline: Deadline) -> list[Component]:
    """Return what :func:`components` does, or raise ``TimeUpError``."""
    A, B = whole_matrices(game)
    rows, columns = A.shape
    bases = math.comb(rows + columns, rows)
    if bases > MOST_BASES:
        raise EquipoiseError(
            f"{game.name}: the polytopes of a {rows} x {columns} game may have {bases:,} bases, "
            f"expected at most {MOST_BASES:,}; Lemke-Howson has no such limit."
        )
    own, other = range(rows), range(rows, rows + columns)
    xs, x_labels = _vertices(Tableau(B.T.copy(), other, own), rows + columns, deadline)
    ys, y_labels = _vertices(Tableau(A, own, other), rows + columns, deadline)
    found = [
        Component(
            tuple(sorted((Equilibrium(game, xs[i], ys[j]) for i, j in pairs), key=_supports)),
            tuple(
                NashSubset(tuple(xs[i] for i in left), tuple(ys[j] for j in right))
                for left, right in _bicliques(pairs, deadline)
            ),
        )
        for pairs in _connected(_complementary(x_labels, y_labels, deadline))
    ]
    return sorted(found, key=lambda component: _supports(component.extreme[0]))


def _supports(point: Equilibrium) -> tuple[int, tuple[int, ...], tuple[int, ...], Mixed, Mixed]:
    """Return the key by which equilibria are listed."""
    x, y = (
        tuple(i for i, weight in enumerate(mixed) if weight > 0) for mixed in (point.x, point.y)
    )
    return len(x) + len(y), x, y, point.x, point.y


def _vertices(
    start: Tableau, labels: int, deadline: Deadline
) -> tuple[list[Mixed], NDArray[np.bool_]]:
    """Return the vertices other than 0 of a polytope, as mixed strategies, and their labels."""
    found: dict[frozenset[int], Mixed] = {}
    seen, stack = {frozenset(start.basis)}, [start]
    while stack:
        tableau = stack.pop()
        positive = tableau.positive()
        # Labels are what is not positive; a vertex has one set of them, whatever its bases.
        if positive not in found and not positive.isdisjoint(tableau.variables):
            found[positive] = tableau.mixed()
        for label in tableau.column:
            if label not in tableau.basis:
                deadline.check()
                after = tableau.copy()
                after.enter(label)
                basis = frozenset(after.basis)
                if basis not in seen:
                    seen.add(basis)
                    stack.append(after)
    tight = np.ones((len(found), labels), dtype=np.bool_)
    for row, positive in zip(tight, found, strict=True):
        row[list(positive)] = False
    return list(found.values()), tight


def _complementary(
    first: NDArray[np.bool_], second: NDArray[np.bool_], deadline: Deadline
) -> Pairs:
    """Return the pairs of rows that have all labels between them."""
    missing = (~second).astype(np.float32)
    pairs: Pairs = []
    for i, row in enumerate(~first):
        deadline.check()
        both = missing @ row.astype(np.float32)
        pairs += [(i, int(j)) for j in np.flatnonzero(both == 0)]
    return pairs


def _connected(pairs: Pairs) -> list[Pairs]:
    """Split the edges of a bipartite graph by its connected components."""
    at: dict[tuple[str, int], Pairs] = {}
    for edge in pairs:
        for end in zip("xy", edge, strict=True):
            at.setdefault(end, []).append(edge)
    parts, seen = [], set[tuple[int, int]]()
    for edge in pairs:
        if edge in seen:
            continue
        part, stack = [], [edge]
        seen.add(edge)
        while stack:
            part.append(stack.pop())
            for end in zip("xy", part[-1], strict=True):
                new = [other for other in at[end] if other not in seen]
                seen.update(new)
                stack += new
        parts.append(sorted(part))
    return parts


def _bicliques(pairs: Pairs, deadline: Deadline) -> list[tuple[Sequence[int], Sequence[int]]]:
    """Return the maximal complete bipartite subgraphs of a graph without isolated nodes.

    Their right sides are the nonempty intersections of neighbourhoods of left nodes.
    """
    near: dict[int, frozenset[int]] = {}
    for i, j in pairs:
        near[i] = near.get(i, frozenset()) | {j}
    rights: set[frozenset[int]] = set()
    for own in near.values():
        deadline.check()
        rights |= {own} | {right & own for right in rights}
    return [
        ([i for i, own in near.items() if right <= own], sorted(right))
        for right in sorted(rights - {frozenset()}, key=sorted)
    ]
