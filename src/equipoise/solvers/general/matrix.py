"""Equilibria of two-player general-sum matrix games, exactly.

Player 1 picks row i with probability x_i and is paid (A y)_i; player 2 picks column j with
probability y_j and is paid (x B)_j. All is computed in whole numbers (payoffs are rationals, and
equilibria do not change when a player's payoffs are scaled by a positive factor or shifted), so
there is no tolerance to choose and what comes out is an equilibrium, not nearly one.

:func:`lemke_howson` follows a path of complementary pivots to one equilibrium, for every label dropped
at the start. Ties in the ratio test are broken lexicographically, so that it ends on degenerate games
too. All equilibria: :mod:`equipoise.solvers.general.extreme`.

Sources: Lemke and Howson 1964; von Stengel 2002, "Computing equilibria for two-person games" (sections
2.3-2.6: best-response polytopes, lexicographic pivoting); integer pivoting as in Bareiss 1968. For
more players there are best-response gaps only (:func:`equipoise.certificates.gap.certify`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.trees.normal import NormalGame
from equipoise.strategy.profile import Strategy

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
    A, B = whole_matrices(game)
    labels = sum(A.shape)
    if not 0 <= dropped < labels:
        raise EquipoiseError(
            f"{game.name}: the dropped label is {dropped}, expected a number from 0 to {labels - 1}."
        )
    return _follow(game, A, B, dropped)


def lemke_howson_all(game: NormalGame) -> list[Equilibrium]:
    """Return the equilibria that :func:`lemke_howson` reaches, over all labels, each once."""
    A, B = whole_matrices(game)
    found = (_follow(game, A, B, dropped) for dropped in range(sum(A.shape)))
    return list({(point.x, point.y): point for point in found}.values())


class Tableau:
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

    def copy(self) -> Tableau:
        """Return a tableau to pivot elsewhere."""
        other = copy(self)
        other.table, other.basis = self.table.copy(), self.basis.copy()
        return other

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

    def positive(self) -> frozenset[int]:
        """Return the labels of the variables that are not zero."""
        values = zip(self.basis, self.table[:, -1], strict=True)
        return frozenset(label for label, value in values if value)

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
    replies = {True: Tableau(A, own, other), False: Tableau(B.T.copy(), other, own)}
    is_first = dropped >= rows
    label = dropped
    while True:
        label = replies[is_first].enter(label)
        if label == dropped:
            break
        is_first = not is_first
    return Equilibrium(game, replies[False].mixed(), replies[True].mixed())


def whole_matrices(game: NormalGame) -> tuple[Integers, Integers]:
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
