"""What plans are worth, as expressions in cuts: the left and right sides of indifference.

:class:`LeafWorth` serves betting rounds, whose payments depend on who has the better signal: what a
leaf contributes is a product, over the other players, of probabilities that are linear in their
cuts. :class:`TableWorth` serves finite games whose payments are tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from equipoise.games.bayesian.betting_round import shares
from equipoise.games.bayesian.game import BayesianGame, SignalGame, UtilityGame
from equipoise.numerics.polynomial import Polynomial, total
from equipoise.solvers.bayesian.cuts import Cuts, Edge, Point

Floats = NDArray[np.float64]
Plans = Sequence[Sequence[str]]


def worth_of(game: SignalGame, cuts: Cuts, regions: Plans) -> LeafWorth | TableWorth:
    """Return what says how much plans are worth against ``regions`` divided by ``cuts``."""
    if game.round is None:
        return TableWorth(game, cuts, regions)
    return LeafWorth(game, cuts, regions)


class LeafWorth:
    """Plans of a betting round against regions."""

    def __init__(self, game: BayesianGame, cuts: Cuts, regions: Plans) -> None:
        self.game = game
        self.cuts = cuts
        self.regions = regions
        self._leaf = cache(self._contribution)

    def advantage(self, player: int, own: int, plan: int, point: Point, seen: int) -> Polynomial:
        """Return how much more ``own`` is worth than ``plan`` to ``player`` with the signal ``point``.

        ``seen`` is the cell whose conditional masses apply there, should signals be dependent.
        """
        reach = self.game.round.reach[player][own] - self.game.round.reach[player][plan]
        return total(
            self._leaf(player, int(k), point, seen) * float(reach[k]) for k in np.flatnonzero(reach)
        )

    def _contribution(self, player: int, leaf: int, point: Point, seen: int) -> Polynomial:
        """Return what ``leaf`` adds to a plan that leads to it: see ``strategy.regions.interim``."""
        end = self.game.round.leaves[leaf]
        masses = self.game.signals.conditional(player, seen)
        others = [j for j in range(self.game.players) if j != player]
        arrive = {j: self._arrive(j, leaf, point, tuple(masses[j].tolist())) for j in others}
        worth = _product(anywhere for anywhere, _, _ in arrive.values()) * end.lose[player]
        if player in end.contenders:
            for z, weight in shares(self.game.players):
                share = _product(
                    worse + same * z if j in end.contenders else anywhere
                    for j, (anywhere, worse, same) in arrive.items()
                )
                worth = worth + share * (weight * (end.win[player] - end.lose[player]))
        return worth

    def _arrive(
        self, other: int, leaf: int, point: Point, masses: tuple[float, ...]
    ) -> tuple[Polynomial, Polynomial, Polynomial]:
        """Return how likely ``other`` comes to ``leaf`` with any signal, a worse one, the same one."""
        reach = self.game.round.reach[other][:, leaf]
        coming = [
            r for r, plan in enumerate(self.regions[other]) if reach[self.game.plan(other, plan)]
        ]

        def under(place: Point) -> Polynomial:
            both = self.cuts.below_both
            return total(
                both(masses, (other, r + 1), place) - both(masses, (other, r), place)
                for r in coming
            )

        anywhere = under(Edge(len(masses)))
        lower, upto = under(point), Polynomial()
        if isinstance(point, Edge) and self.game.signals.finite:
            upto = under(Edge(point.cells + 1)) - lower
        worse = anywhere - lower - upto if self.game.round.better == "low" else lower
        return anywhere, worse, upto


class TableWorth:
    """Plans of a game with tables of payments against regions."""

    def __init__(self, game: UtilityGame, cuts: Cuts, regions: Plans) -> None:
        self.game = game
        self.cuts = cuts
        self.regions = regions

    def advantage(self, player: int, own: int, plan: int, point: Point, seen: int) -> Polynomial:
        """Return how much more ``own`` is worth than ``plan`` to ``player`` with the signal ``seen``."""
        other = 1 - player
        table = self.game.tables[player]
        if player == 1:
            table = table.transpose(1, 0, 3, 2)
        mass = self.game.signals.conditional(player, seen)[other]
        gains = (table[own] - table[plan])[:, seen] * mass
        terms = []
        for region, name in enumerate(self.regions[other]):
            high, low = self.cuts.fills((other, region + 1)), self.cuts.fills((other, region))
            row = gains[self.game.plan(other, name)]
            terms += [(b - a) * float(g) for a, b, g in zip(low, high, row, strict=True) if g]
        return total(terms)


def _product(factors: Iterable[Polynomial]) -> Polynomial:
    product = Polynomial.of(1.0)
    for factor in factors:
        product = product * factor
    return product
