"""Equilibria of two-player general-sum matrix games, exactly.

Player 1 picks row i with probability x_i and is paid (A y)_i; player 2 picks column j with
probability y_j and is paid (x B)_j. Both methods compute in whole numbers (payoffs are rationals, and
equilibria do not change when a player's payoffs are scaled by a positive factor or shifted), so
there is no tolerance to choose and what comes out is an equilibrium, not nearly one.

* :func:`support_enumeration` tries all pairs of supports of equal size. It finds every equilibrium of
  a nondegenerate game. A degenerate game may have infinitely many; of those it finds the ones at
  which the indifference equations of some pair of supports have a single solution, at least one.
* :func:`lemke_howson` follows a path of complementary pivots to one equilibrium, for every label
  dropped at the start. Ties in the ratio test are broken lexicographically, so that it ends on
  degenerate games too.

Sources: Lemke and Howson 1964; von Stengel 2002, "Computing equilibria for two-person games" (sections
2.3-2.6: best-response polytopes, lexicographic pivoting); integer pivoting as in Bareiss 1968. For
more players there are best-response gaps only (:func:`equipoise.certificates.gap.gap`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.trees.normal import NormalGame
from equipoise.strategy.profile import Strategy

MOST_SUPPORTS = 1_000_000

Integers = NDArray[Any]
"""Arrays of Python's whole numbers, which never overflow."""

Mixed = tuple[Fraction, ...]


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium ``(x, y)`` and what it pays the two players."""

    game: NormalGame = field(repr=False, compare=False)
    x: Mixed
    y: Mixed

    @property
    def payoffs(self) -> tuple[Fraction, Fraction]:
        """Expected payoffs of both players."""
        by_row = (self.game.payoff * np.array(self.y)[None, :, None]).sum(axis=1)
        first, second = (by_row * np.array(self.x)[:, None]).sum(axis=0)
        return Fraction(first), Fraction(second)

    @property
    def strategy(self) -> Strategy:
        """The equilibrium as behaviour, in floats."""
        behaviour = tuple(np.array([1.0, *map(float, mixed)]) for mixed in (self.x, self.y))
        return Strategy(self.game.name, self.game.fingerprint, behaviour)


def support_enumeration(game: NormalGame) -> Iterator[Equilibrium]:
    """Yield equilibria, those of small supports first, each once."""
    A, B = _matrices(game)
    rows, columns = A.shape
    pairs = math.comb(rows + columns, rows) - 1
    if pairs > MOST_SUPPORTS:
        raise EquipoiseError(
            f"{game.name}: a {rows} x {columns} game has {pairs:,} pairs of supports, expected at "
            f"most {MOST_SUPPORTS:,}; Lemke-Howson has no such limit."
        )
    return _enumerate(game, A, B)


def _enumerate(game: NormalGame, A: Integers, B: Integers) -> Iterator[Equilibrium]:
    seen: set[tuple[Mixed, Mixed]] = set()
    rows, columns = A.shape
    for size in range(1, min(rows, columns) + 1):
        for own in combinations(range(rows), size):
            for other in combinations(range(columns), size):
                y = _indifferent(A, own, other)
                if y is None:
                    continue
                x = _indifferent(B.T, other, own)
                if x is not None and (x, y) not in seen:
                    seen.add((x, y))
                    yield Equilibrium(game, x, y)


def _indifferent(A: Integers, own: Sequence[int], other: Sequence[int]) -> Mixed | None:
    """Return the mix of ``other`` to which all of ``own`` are best responses, if there is one only.

    Solves A_IJ y_J = u, sum y_J = 1 for y_J and u by elimination.
    """
    size = len(own)
    system = np.zeros((size + 1, size + 2), dtype=object)
    system[:size, :size] = A[np.ix_(own, other)]
    system[:size, size] = -1
    system[size, :size] = 1
    system[size, size + 1] = 1
    solution = _solve(system)
    if solution is None or min(solution[:size]) < 0:
        return None
    mixed = [Fraction(0)] * A.shape[1]
    for place, weight in zip(other, solution, strict=False):
        mixed[place] = weight
    if max(A[:, other] @ np.array(solution[:size], dtype=object)) > solution[size]:
        return None
    return tuple(mixed)


def _solve(system: Integers) -> list[Fraction] | None:
    """Solve whole-number equations ``[M | b]``; ``None`` if M is singular."""
    size = len(system)
    previous = 1
    for place in range(size):
        usable = np.flatnonzero(system[place:, place])
        if not len(usable):
            return None
        first = place + int(usable[0])
        if first != place:
            system[[place, first]] = system[[first, place]]
        previous = _pivot(system, place, place, previous)
    return [Fraction(value, previous) for value in system[:, -1]]


def _pivot(table: Integers, row: int, column: int, previous: int) -> int:
    """Pivot whole numbers in place and return the new common denominator.

    All entries are minors of the original table, so the divisions leave no remainder (Bareiss).
    """
    pivot: int = table[row, column]
    kept = table[row].copy()
    table[:] = (table * pivot - np.outer(table[:, column], kept)) // previous
    table[row] = kept
    return pivot


def lemke_howson(game: NormalGame, dropped: int = 0) -> Equilibrium:
    """Return the equilibrium at the end of the path on which label ``dropped`` is missing.

    Labels 0, 1, ... are player 1's strategies, then player 2's.
    """
    A, B = _matrices(game)
    labels = sum(A.shape)
    if not 0 <= dropped < labels:
        raise EquipoiseError(
            f"{game.name}: the dropped label is {dropped}, expected a number from 0 to {labels - 1}."
        )
    return _follow(game, A, B, dropped)


def lemke_howson_all(game: NormalGame) -> list[Equilibrium]:
    """Return the equilibria that :func:`lemke_howson` reaches, over all labels, each once."""
    A, B = _matrices(game)
    found = (_follow(game, A, B, dropped) for dropped in range(sum(A.shape)))
    return list({(point.x, point.y): point for point in found}.values())


class _Tableau:
    """``matrix z + slack = 1`` with ``z, slack >= 0``, in a basis; entries share a denominator.

    Variables are named by labels: that of the strategy that ``z`` plays, or of the other player's
    strategy that falls short of a best response by ``slack``.
    """

    def __init__(self, matrix: Integers, slacks: Sequence[int], variables: Sequence[int]) -> None:
        height = len(matrix)
        one = np.array([[1]] * height, dtype=object)
        identity = np.array(np.eye(height, dtype=int).tolist(), dtype=object)
        self.table = np.hstack([matrix, identity, one])
        self.column = {label: place for place, label in enumerate([*variables, *slacks])}
        self.basis = list(slacks)
        self.variables = variables
        self.denominator = 1

    def enter(self, label: int) -> int:
        """Bring the variable of this label into the basis and return the label that leaves."""
        column = self.column[label]
        row = self._leaving(column)
        self.denominator = _pivot(self.table, row, column, self.denominator)
        left, self.basis[row] = self.basis[row], label
        return left

    def _leaving(self, column: int) -> int:
        """Return the row of the lexicographic minimum ratio test: right side, then the slacks."""
        entries = self.table[:, column]
        rows = [row for row in range(len(entries)) if entries[row] > 0]
        for compared in (-1, *range(len(self.variables), len(self.column))):
            if len(rows) == 1:
                break
            ratios = [Fraction(self.table[row, compared], entries[row]) for row in rows]
            least = min(ratios)
            rows = [row for row, ratio in zip(rows, ratios, strict=True) if ratio == least]
        return rows[0]

    def mixed(self) -> Mixed:
        """Return the variables that are strategies, scaled to sum to one."""
        value = dict(zip(self.basis, self.table[:, -1], strict=True))
        weights = [value.get(label, 0) for label in self.variables]
        return tuple(Fraction(weight, sum(weights)) for weight in weights)


def _follow(game: NormalGame, A: Integers, B: Integers, dropped: int) -> Equilibrium:
    """Pivot in turn in the two best-response polytopes until the dropped label is back."""
    rows, columns = A.shape
    own, other = range(rows), range(rows, rows + columns)
    # Basic slacks of A y <= 1 carry player 1's labels, those of B'x <= 1 player 2's.
    replies = {True: _Tableau(A, own, other), False: _Tableau(B.T.copy(), other, own)}
    is_first = dropped >= rows
    label = dropped
    while True:
        label = replies[is_first].enter(label)
        if label == dropped:
            break
        is_first = not is_first
    return Equilibrium(game, replies[False].mixed(), replies[True].mixed())


def _matrices(game: NormalGame) -> tuple[Integers, Integers]:
    """Return both payoff matrices as positive whole numbers with the same equilibria."""
    if len(game.players) != 2:
        raise EquipoiseError(
            f"{game.name}: found {len(game.players)} players, expected two for a matrix game; for "
            "more there are best-response gaps only."
        )
    return _positive(game.payoff[..., 0]), _positive(game.payoff[..., 1])


def _positive(payoffs: NDArray[Any]) -> Integers:
    """Scale and shift rationals to whole numbers >= 1."""
    common = math.lcm(*(value.denominator for value in payoffs.flat))
    whole = np.vectorize(lambda value: int(value * common), otypes=[object])(payoffs)
    shifted: Integers = whole - whole.min() + 1
    return shifted
