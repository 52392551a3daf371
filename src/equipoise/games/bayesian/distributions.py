"""Private signals: where they lie on the line, and how they are distributed.

The signal line is cut into *cells*. In a continuous game a cell is an interval on which every
player's density is constant (so that the distribution functions are piecewise linear); in a finite
game it is one signal: signal j is the cell from j - 1 to j, and a threshold inside it means that the
signal is mixed (Ganzfried and Sandholm 2010, section 6.2). Signals are independent, or dependent
through the joint mass of pairs of cells (two players).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import EquipoiseError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cdf:
    """A continuous, piecewise-linear distribution function: ``F(x[k]) = F[k]``.

    ``error`` is the largest distance from the function it stands for, should it approximate one.
    """

    x: Floats
    F: Floats
    error: float = 0.0

    def __post_init__(self) -> None:
        x, F = np.asarray(self.x, dtype=float), np.asarray(self.F, dtype=float)
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "F", F)
        if x.ndim != 1 or x.shape != F.shape or len(x) < 2:
            raise EquipoiseError("CDF: expected at least two breakpoints, each a pair (x, F(x)).")
        if not (np.isfinite(x).all() and np.isfinite(F).all()):
            raise EquipoiseError(
                "CDF: found a breakpoint that is not a number, expected finite ones."
            )
        if (np.diff(x) <= 0).any():
            k = int(np.argmax(np.diff(x) <= 0)) + 1
            raise EquipoiseError(
                f"CDF, breakpoint {k + 1}: found x = {x[k]:g} after {x[k - 1]:g}, expected increasing x."
            )
        if (np.diff(F) < 0).any():
            k = int(np.argmax(np.diff(F) < 0)) + 1
            raise EquipoiseError(
                f"CDF, breakpoint {k + 1}: found F({x[k]:g}) = {F[k]:g} after F({x[k - 1]:g}) = {F[k - 1]:g}, expected a CDF that does not decrease."
            )
        if abs(F[0]) > 1e-12 or abs(F[-1] - 1.0) > 1e-12:
            raise EquipoiseError(
                f"CDF: found it running from {F[0]:g} to {F[-1]:g}, expected 0 to 1."
            )

    @classmethod
    def uniform(cls, low: float = 0.0, high: float = 1.0) -> Cdf:
        """Return the uniform distribution on [low, high]."""
        return cls(np.array([low, high]), np.array([0.0, 1.0]))

    @classmethod
    def points(cls, pairs: Sequence[Sequence[float]]) -> Cdf:
        """Return the function through ``pairs`` of (x, F(x))."""
        table: Floats
        try:
            table = np.asarray(pairs, dtype=float)
        except (TypeError, ValueError):
            table = np.empty((0, 0))
        if table.ndim != 2 or table.shape[1] != 2:
            raise EquipoiseError("CDF: expected a list of pairs [x, F(x)].")
        return cls(table[:, 0], table[:, 1])

    @classmethod
    def approximate(
        cls, function: Callable[[Any], Any], low: float, high: float, pieces: int = 32
    ) -> Cdf:
        """Return a piecewise-linear stand-in for ``function``, with its measured error.

        The breakpoints are the quantiles 0, 1/pieces, ..., 1, found by bisection. ``error`` bounds
        |F̂ − F|: between two points of a fine grid neither leaves its values there.
        """
        targets = np.linspace(0.0, 1.0, pieces + 1)
        left, right = np.full(pieces + 1, float(low)), np.full(pieces + 1, float(high))
        for _ in range(60):
            middle = 0.5 * (left + right)
            is_below = np.asarray(function(middle)) < targets
            left, right = np.where(is_below, middle, left), np.where(is_below, right, middle)
        x = np.unique(np.concatenate([[low], right[1:-1], [high]]))
        F = np.asarray(function(x), dtype=float)
        F[0], F[-1] = 0.0, 1.0
        fine = np.linspace(x[:-1], x[1:], 1025)
        exact, ours = np.asarray(function(fine), dtype=float), np.interp(fine, x, F)
        above, below = exact[1:] - ours[:-1], ours[1:] - exact[:-1]
        error = float(np.maximum(above, below).max())
        return cls(x, F, error)

    def __call__(self, x: ArrayLike) -> Floats:
        """Return F at ``x``."""
        return np.asarray(np.interp(np.asarray(x, dtype=float), self.x, self.F))


@dataclass(frozen=True)
class Signals:
    """Where the signals lie and how they are distributed.

    Attributes
    ----------
    edges
        Edges of the cells, increasing.
    mass
        For every player, the probability of every cell.
    joint
        For dependent signals of two players, the probability of every pair of cells.
    finite
        Whether a cell is one signal (ties occur) or an interval (they do not).
    error
        Largest distance between the distribution functions asked for and those used.
    """

    edges: Floats
    mass: tuple[Floats, ...]
    joint: Floats | None = None
    finite: bool = False
    error: float = 0.0

    def __repr__(self) -> str:
        kind = "joint" if self.joint is not None else "independent"
        return f"<Signals: {self.players} players, {self.cells} cells, {kind}>"

    @classmethod
    def continuous(cls, *cdfs: Cdf) -> Signals:
        """Return independent continuous signals, one distribution function a player."""
        if len({(c.x[0], c.x[-1]) for c in cdfs}) != 1:
            raise EquipoiseError(
                "Signals: found CDFs over different intervals, expected one signal line."
            )
        edges = np.unique(np.concatenate([c.x for c in cdfs]))
        return cls(edges, tuple(np.diff(c(edges)) for c in cdfs), error=max(c.error for c in cdfs))

    @classmethod
    def uniform(cls, players: int = 2) -> Signals:
        """Return independent signals, uniform on [0, 1]."""
        return cls.continuous(*[Cdf.uniform()] * players)

    @classmethod
    def discrete(cls, *masses: ArrayLike) -> Signals:
        """Return independent signals from {1, ..., n}, one probability vector a player."""
        mass = tuple(np.asarray(m, dtype=float) for m in masses)
        for i, m in enumerate(mass):
            if (
                m.ndim != 1
                or m.shape != mass[0].shape
                or (m < 0).any()
                or abs(m.sum() - 1.0) > 1e-9
            ):
                raise EquipoiseError(
                    f"Signals of P{i + 1}: expected {len(mass[0])} probabilities that sum to one."
                )
        return cls(np.arange(len(mass[0]) + 1.0), mass, finite=True)

    @classmethod
    def dependent(cls, joint: ArrayLike, edges: ArrayLike | None = None) -> Signals:
        """Return dependent signals of two players from the probabilities of pairs of cells.

        Without ``edges`` the cells are the finite signals {1, ..., n}; with them they are intervals,
        on whose pairs the joint density is constant.
        """
        table = np.asarray(joint, dtype=float)
        if (
            table.ndim != 2
            or table.shape[0] != table.shape[1]
            or (table < 0).any()
            or abs(table.sum() - 1.0) > 1e-9
        ):
            raise EquipoiseError(
                "Joint signals: expected a square table of probabilities that sum to one."
            )
        line = np.arange(len(table) + 1.0) if edges is None else np.asarray(edges, dtype=float)
        if line.shape != (len(table) + 1,) or (np.diff(line) <= 0).any():
            raise EquipoiseError(f"Joint signals: expected {len(table) + 1} increasing edges.")
        return cls(line, (table.sum(axis=1), table.sum(axis=0)), table, finite=edges is None)

    @classmethod
    def density(
        cls, h: Callable[[Any, Any], Any], low: float = 0.0, high: float = 1.0, cells: int = 16
    ) -> Signals:
        """Return dependent continuous signals with joint density ``h``, constant on ``cells``² squares.

        Masses are integrated with 8 x 8 Gauss points a square and normalised; ``error`` is half the
        L1 distance between ``h`` and its stand-in: the most any event's probability is off.
        """
        nodes, weights = np.polynomial.legendre.leggauss(8)
        width = (high - low) / cells
        x = (low + width * (np.arange(cells)[:, None] + 0.5 * (nodes + 1.0))).ravel()
        values = np.broadcast_to(
            np.asarray(h(x[:, None], x[None, :]), dtype=float), (len(x), len(x))
        )
        if not np.isfinite(values).all() or (values < 0).any() or not values.any():
            raise EquipoiseError(
                "Joint density: found a value that is negative or not a number, expected a density."
            )
        blocks = values.reshape(cells, 8, cells, 8)
        w = weights / 2.0
        mass = np.einsum("aibj,i,j->ab", blocks, w, w)
        off = np.einsum("aibj,i,j->", np.abs(blocks - mass[:, None, :, None]), w, w)
        signals = cls.dependent(mass / mass.sum(), np.linspace(low, high, cells + 1))
        return replace(signals, error=float(0.5 * off / mass.sum()))

    @classmethod
    def deck(cls, n: int, buckets: int | None = None) -> Signals:
        """Return two cards dealt without replacement from {1, ..., n}.

        With ``buckets``, consecutive cards are grouped into as many equal groups, and each player is
        told her group only (the abstraction of section 8.1).
        """
        groups = n if buckets is None else buckets
        if n < 2 or groups < 1 or n % groups:
            raise EquipoiseError(
                f"Deck of {n} cards: found {groups} buckets, expected a divisor of the number of cards."
            )
        size = n // groups
        joint = np.full((groups, groups), float(size * size))
        np.fill_diagonal(joint, size * (size - 1.0))
        return cls.dependent(joint / (n * (n - 1.0)))

    @property
    def players(self) -> int:
        """Number of players."""
        return len(self.mass)

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.edges) - 1

    @property
    def line(self) -> tuple[float, float]:
        """Low and high end of the signal line."""
        return float(self.edges[0]), float(self.edges[-1])

    def position(self, point: ArrayLike) -> Floats:
        """Return ``point`` as a number of cells from the low end: position 2.25 is a quarter into cell 2."""
        return np.asarray(
            np.interp(np.asarray(point, dtype=float), self.edges, np.arange(self.cells + 1.0))
        )

    def conditional(self, player: int, cell: int) -> tuple[Floats, ...]:
        """Return every player's cell masses as ``player`` sees them from inside ``cell``."""
        if self.joint is None:
            return self.mass
        row = self.joint[cell] if player == 0 else self.joint[:, cell]
        seen = row / row.sum() if row.sum() > 0 else row
        return (self.mass[0], seen) if player == 0 else (seen, self.mass[1])

    def refine(self, points: ArrayLike) -> Signals:
        """Return the same continuous signals with the cells cut at ``points`` too."""
        if self.finite:
            raise EquipoiseError("Signals: finite signals cannot be cut further.")
        inside = np.clip(np.asarray(points, dtype=float), self.edges[0], self.edges[-1])
        edges = np.unique(np.concatenate([self.edges, inside]))
        old = np.clip(np.searchsorted(self.edges, edges[:-1], side="right") - 1, 0, self.cells - 1)
        share = np.diff(edges) / np.diff(self.edges)[old]
        joint = (
            None if self.joint is None else self.joint[np.ix_(old, old)] * np.outer(share, share)
        )
        return replace(
            self, edges=edges, mass=tuple(m[old] * share for m in self.mass), joint=joint
        )

    def discretized(self, n: int) -> Signals:
        """Return finite signals: each continuous signal replaced by which of ``n`` parts it is in.

        The parts are equal in the average of the players' probabilities, and keep their places on the
        line, so that a cut means the same in both games.
        """
        average = np.concatenate([[0.0], np.cumsum(np.mean(self.mass, axis=0))])
        cuts = np.interp(np.linspace(0.0, 1.0, n + 1), average, self.edges)
        cuts[0], cuts[-1] = self.edges[0], self.edges[-1]
        fine = self.refine(cuts)
        part = np.clip(np.searchsorted(cuts, fine.edges[:-1], side="right") - 1, 0, n - 1)
        sums = np.zeros((n, fine.cells))
        sums[part, np.arange(fine.cells)] = 1.0
        joint = None if fine.joint is None else sums @ fine.joint @ sums.T
        return Signals(cuts, tuple(sums @ m for m in fine.mass), joint, True, self.error)
