"""A tree as its players see it: sequences, plans, and what plans earn.

Equilibria do not change when a player's payoffs are shifted, or scaled by a positive factor. So every
player is paid here from 0 on, in her own unit: a power of two within a factor of two of what is at
stake for her (the largest payoff less the smallest). Nothing a solver does depends on the units of
the rules then. Both are done in exact rationals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.games.trees.extensive import ExtensiveGame

Floats = NDArray[np.float64]
Behaviour = tuple[Floats, ...]


class Plans:
    """Information sets and payoffs of a tree, arranged by player and sequence.

    Attributes
    ----------
    parent
        The own sequence that leads to each information set.
    own
        The information sets of each player, those that come first in the tree first.
    low, unit, stakes
        Of each player: the smallest payoff, the unit she is paid in here, and what is at stake.
    paid
        Payoffs at the terminals (rows) to each player (columns), times the chances of nature.
    """

    def __init__(self, tree: ExtensiveGame) -> None:
        self.tree = tree
        self.parent = tree.parent_sequence
        self.own = [np.flatnonzero(tree.infoset_player == i).tolist() for i in self.players]
        self.last = tree.last_sequence[:, tree.terminals]
        scales = [_scale([tree.numbers[k] for k in np.unique(pays)]) for pays in tree.payoff.T]
        self.low = [low for low, _, _ in scales]
        self.unit = [unit for _, unit, _ in scales]
        self.stakes = [stakes for _, _, stakes in scales]

    @property
    def players(self) -> range:
        """The players by number."""
        return range(len(self.tree.players))

    @cached_property
    def payoffs(self) -> Floats:
        """Payoff of each outcome to each player, from 0 on and in her unit."""
        tree = self.tree
        columns = []
        for pays, low, unit in zip(tree.payoff.T, self.low, self.unit, strict=True):
            used, place = np.unique(pays, return_inverse=True)
            shifted = [float((tree.numbers[k] - low) / unit) for k in used]
            columns.append(np.array(shifted)[place])
        return np.stack(columns, axis=1)

    @cached_property
    def paid(self) -> Floats:
        """See the class."""
        ends = self.tree.terminals
        return self.payoffs[self.tree.outcome[ends]] * self.tree.chance_reach[ends, None]

    def sequences(self, infoset: int) -> slice:
        """Return the sequences that end at ``infoset``."""
        first = int(self.tree.first_sequence[infoset])
        return slice(first, first + int(self.tree.action_count[infoset]))

    def choose(self, rule: Callable[[int], Floats]) -> Behaviour:
        """Return the behaviour that is ``rule(n)`` at every set of n actions."""
        vectors = []
        for player in self.players:
            vector = np.ones(self.tree.sequences(player))
            for k in self.own[player]:
                own = self.sequences(k)
                vector[own] = rule(own.stop - own.start)
            vectors.append(vector)
        return tuple(vectors)

    def uniform(self) -> Behaviour:
        """Return the profile that plays all actions alike."""
        return self.choose(lambda actions: np.full(actions, 1.0 / actions))

    def weights(self, player: int, behaviour: Floats) -> Floats:
        """Return the realization plan of a player's behaviour."""
        weights = behaviour.copy()
        for k in self.own[player]:
            weights[self.sequences(k)] *= weights[self.parent[k]]
        return weights

    def rewards(self, player: int, weights: Sequence[Floats]) -> Floats:
        """Return what each sequence earns ``player`` at the terminals right after it."""
        reach = self.paid[:, player].copy()
        for other in self.players:
            if other != player:
                reach *= weights[other][self.last[other]]
        return sums(self.last[player], reach, self.tree.sequences(player))

    def slopes(
        self, player: int, other: int, weights: Sequence[Floats]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        """Return how the rewards of ``player`` change with the plan of ``other``, the rest fixed.

        Sequences of the one, sequences of the other, and the derivatives: the nonzero entries of a
        matrix.
        """
        reach = self.paid[:, player].copy()
        for third in self.players:
            if third not in (player, other):
                reach *= weights[third][self.last[third]]
        width = self.tree.sequences(other)
        used = np.flatnonzero(reach)
        keys = self.last[player, used].astype(np.int64) * width + self.last[other, used]
        cells, place = np.unique(keys, return_inverse=True)
        return cells // width, cells % width, sums(place, reach[used], len(cells))

    def behaviour(self, plans: Sequence[Floats]) -> Behaviour:
        """Return the behaviour of realization plans; where a set is not reached, best replies."""
        vectors, unreached = [], []
        for player, plan in enumerate(plans):
            plan = np.clip(plan, 0.0, 1.0) + 0.0  # which makes -0.0 a plain zero
            vector = np.ones(len(plan))
            for k in self.own[player]:
                own = self.sequences(k)
                mass = plan[own].sum()
                if mass > 1e-9:
                    vector[own] = plan[own] / mass
                else:
                    vector[own] = 1.0 / (own.stop - own.start)
                    unreached.append(k)
            vectors.append(vector)
        return self._improve(vectors, unreached)

    def _improve(self, vectors: list[Floats], unreached: Sequence[int]) -> Behaviour:
        """Let players reply best to the others at the sets in ``unreached``."""
        weights = [self.weights(player, vector) for player, vector in enumerate(vectors)]
        chosen = set(unreached)
        for player, vector in enumerate(vectors):
            worth = self.rewards(player, weights)
            for k in reversed(self.own[player]):
                own = self.sequences(k)
                if k in chosen:
                    vector[own] = np.arange(own.stop - own.start) == np.argmax(worth[own])
                worth[self.parent[k]] += worth[own] @ vector[own]
        return tuple(vectors)

    def account(self, behaviour: Behaviour) -> tuple[Floats, Floats]:
        """Return what a profile pays, and the most each player would gain by leaving it."""
        weights = [self.weights(player, vector) for player, vector in enumerate(behaviour)]
        values, best = np.zeros(len(weights)), np.zeros(len(weights))
        for player, weight in enumerate(weights):
            worth = self.rewards(player, weights)
            values[player] = weight @ worth
            for k in reversed(self.own[player]):
                worth[self.parent[k]] += worth[self.sequences(k)].max()
            best[player] = worth[0]
        return values, np.maximum(best - values, 0.0)


def sums(places: NDArray[Any], amounts: Floats, count: int) -> Floats:
    """Add up the amounts that go to each of ``count`` places."""
    return np.asarray(np.bincount(places, amounts, count), dtype=np.float64)


def _scale(payoffs: Sequence[Fraction]) -> tuple[Fraction, Fraction, float]:
    """Return the smallest of ``payoffs``, a power of two near their range, and the range.

    Of a range too small for a float nothing is at stake.
    """
    low, stakes = min(payoffs), max(payoffs) - min(payoffs)
    if not float(stakes):
        return low, Fraction(1), 0.0
    exponent = stakes.numerator.bit_length() - stakes.denominator.bit_length()
    return low, Fraction(2) ** exponent, float(stakes)
