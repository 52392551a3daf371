"""Extensive-form games as flat arrays.

Nodes are numbered in preorder (a parent before its children, siblings in action order), so a
top-down pass is a loop over 0..n-1 and a bottom-up pass the same loop backwards. Probabilities and
payoffs are kept as exact rationals in one table of distinct numbers; the float arrays that solvers
use are derived from it. :mod:`equipoise.games.trees.builder` builds such games.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import EquipoiseError, require_type

CHANCE = -1
TERMINAL = -2

LARGEST = Fraction(10) ** 300
"""Payoffs are at most so large in size, so that their sums and differences are floats."""

# Sums of payoffs may differ by this part of what is at stake, and by units in the last place.
_SUM_SLACK, _UNITS = 1e-12, 4 * 2.0**-52

Number = int | float | Fraction
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ExtensiveGame:
    """A finite extensive-form game.

    Its players may forget what they knew or did; see :attr:`forgetful`.

    Attributes
    ----------
    name, players
        Name of the game and of each player.
    parent, slot
        Parent of each node (-1 at the root) and the node's place among its siblings.
    player
        Who acts: a player's index, ``CHANCE`` or ``TERMINAL``.
    infoset
        Information set of each decision node, -1 elsewhere. Sets are numbered by first visit.
    probability
        Place in ``numbers`` of the probability of the edge into each node (1 unless nature moved).
    outcome, payoff
        ``outcome[v]`` is the row of a terminal node ``v`` in ``payoff`` (-1 elsewhere), whose entries
        are places in ``numbers``, one column a player.
    numbers
        The distinct exact numbers of the game.
    infoset_player, infoset_label, infoset_actions
        Owner, printable name and action labels of each information set.
    chance_label
        Label of the edge into each child of a chance node, by node; other nodes are absent.
    """

    name: str
    players: tuple[str, ...]
    parent: Ints
    slot: Ints
    player: Ints
    infoset: Ints
    probability: NDArray[np.uint32]
    outcome: Ints
    payoff: NDArray[np.uint32]
    numbers: tuple[Fraction, ...]
    infoset_player: Ints
    infoset_label: tuple[str, ...]
    infoset_actions: tuple[tuple[str, ...], ...]
    chance_label: Mapping[int, str]

    def __repr__(self) -> str:
        return (
            f"<ExtensiveGame '{self.name}': {len(self.players)} players, {self.nodes:,} nodes, "
            f"{self.infosets:,} information sets>"
        )

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.parent)

    @property
    def listed(self) -> ExtensiveGame:
        """Ability: the game with all its nodes, which it is itself."""
        return self

    @property
    def poker(self) -> None:
        """Ability: the game as one of hole cards and a board, which this one is not."""
        return None

    @property
    def infosets(self) -> int:
        """Number of information sets of all players."""
        return len(self.infoset_player)

    @cached_property
    def floats(self) -> Floats:
        """``numbers`` as floats."""
        return np.array([float(number) for number in self.numbers])

    @cached_property
    def payoffs(self) -> Floats:
        """Payoff of each outcome (rows) to each player (columns)."""
        return self.floats[self.payoff]

    @cached_property
    def terminals(self) -> NDArray[np.intp]:
        """Terminal nodes, in order."""
        return np.flatnonzero(self.player == TERMINAL)

    @cached_property
    def action_count(self) -> Ints:
        """Number of actions of each information set."""
        return np.array([len(actions) for actions in self.infoset_actions], dtype=np.int32)

    @cached_property
    def depth_levels(self) -> list[NDArray[np.intp]]:
        """Nodes grouped by depth, the root first."""
        # Jump twice as far up in each pass: as many passes as the depth has binary digits.
        depth = (self.parent >= 0).astype(np.int32)
        above = self.parent.copy()
        while (below := np.flatnonzero(above >= 0)).size:
            depth[below] += depth[above[below]]
            above[below] = above[above[below]]
        small = depth.astype(np.int16) if depth.max() < 2**15 else depth
        order = np.argsort(small, kind="stable")  # linear in 16 bits
        return np.split(order, np.cumsum(np.bincount(depth))[:-1])

    @cached_property
    def first_sequence(self) -> Ints:
        """First sequence of each information set among its owner's; 0 is the empty sequence."""
        first = np.zeros(self.infosets, dtype=np.int32)
        for player in range(len(self.players)):
            own = np.flatnonzero(self.infoset_player == player)
            first[own] = (
                1 + np.concatenate(([0], np.cumsum(self.action_count[own])[:-1]))[: len(own)]
            )
        return first

    @property
    def tree(self) -> ExtensiveGame:
        """The game as a tree: itself. A matrix has one, too, which whoever needs a tree asks for."""
        return self

    def sequences(self, player: int) -> int:
        """Number of sequences of ``player``, the empty one included."""
        return 1 + int(self.action_count[self.infoset_player == player].sum())

    @cached_property
    def last_sequence(self) -> Ints:
        """Last sequence each player (row) has played on the way to each node (column)."""
        last = np.zeros((len(self.players), self.nodes), dtype=np.int32)
        for level in self.depth_levels[1:]:
            above = self.parent[level]
            last[:, level] = last[:, above]
            moved = self.player[above] >= 0
            nodes, above = level[moved], above[moved]
            sets = self.infoset[above]
            last[self.player[above], nodes] = self.first_sequence[sets] + self.slot[nodes]
        return last

    @cached_property
    def forgetful(self) -> int | None:
        """First information set whose nodes follow different own sequences, if there is one.

        Without one the game has perfect recall (Kuhn 1953): a player remembers what she knew and
        did.
        """
        decisions = np.flatnonzero(self.player >= 0)
        sets = self.infoset[decisions]
        last = self.last_sequence[self.player[decisions], decisions]
        expected = np.zeros(self.infosets, dtype=np.int32)
        expected[sets[::-1]] = last[::-1]
        wrong = sets[last != expected[sets]]
        return int(wrong[0]) if len(wrong) else None

    def require_perfect_recall(self) -> None:
        """Raise, naming the player and the information set, if someone forgets."""
        if (place := self.forgetful) is not None:
            raise EquipoiseError(
                f"{self.name}: player {self.infoset_player[place] + 1} reaches the information set "
                f"{self.infoset_label[place]!r} after different own actions, expected perfect recall "
                "to solve the game."
            )

    @cached_property
    def parent_sequence(self) -> Ints:
        """Last sequence of the owner on the way to each information set, which perfect recall fixes."""
        self.require_perfect_recall()
        decisions = np.flatnonzero(self.player >= 0)
        parent = np.zeros(self.infosets, dtype=np.int32)
        parent[self.infoset[decisions]] = self.last_sequence[self.player[decisions], decisions]
        return parent

    @cached_property
    def chance_reach(self) -> Floats:
        """Product of nature's probabilities on the way to each node."""
        reach = self.floats[self.probability]
        for level in self.depth_levels[1:]:
            reach[level] *= reach[self.parent[level]]
        return reach

    def payoff_range(self, player: int) -> tuple[Fraction, Fraction]:
        """Return the smallest and the largest payoff of ``player``."""
        found = [self.numbers[place] for place in np.unique(self.payoff[:, player])]
        return min(found), max(found)

    def sure_payoff(self, player: int) -> Fraction:
        """Return what ``player`` is paid whatever happens: the payoff in her range nearest to zero.

        Nobody's choice depends on it, so solvers and certificates take it out before they round.
        """
        low, high = self.payoff_range(player)
        return min(max(Fraction(0), low), high)

    @cached_property
    def family(self) -> str:
        """``zero-sum`` for two players whose payoffs add up to a constant, else ``general-sum``."""
        return "zero-sum" if len(self.players) == 2 and self._uneven is None else "general-sum"

    @cached_property
    def _uneven(self) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]] | None:
        """Payoffs of two players in two outcomes that do not add up to the same, if there are any.

        Sums that differ by rounding alone are the same: rules written in Python compute in floats.
        """
        rows = [(self.numbers[i], self.numbers[j]) for i, j in np.unique(self.payoff, axis=0)]
        total = rows[0][0] + rows[0][1]
        (low, high), size = self.payoff_range(0), max(max(map(abs, row)) for row in rows)
        slack = Fraction(_SUM_SLACK) * (high - low) + Fraction(_UNITS) * size
        for row in rows:
            if abs(row[0] + row[1] - total) > slack:
                return rows[0], row
        return None

    def require_constant_sum(self) -> None:
        """Raise unless there are two players whose payoffs add up to the same in every outcome."""
        if len(self.players) != 2:
            raise EquipoiseError(
                f"{self.name}: found {len(self.players)} players, expected a two-player zero-sum game; "
                "'equipoise nash' takes others."
            )
        if self._uneven is not None:
            first, second = self._uneven
            raise EquipoiseError(
                f"{self.name}: outcomes pay {float(first[0]):g} and {float(first[1]):g}, "
                f"{float(second[0]):g} and {float(second[1]):g}, expected a zero-sum game (payoffs that "
                "add up to a constant); 'equipoise nash' takes others."
            )

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the structure a strategy depends on: owners, actions and order of the sets."""
        digest = hashlib.sha256(f"{self.nodes}|{len(self.players)}".encode())
        for array in (self.parent, self.player, self.infoset):
            digest.update(np.ascontiguousarray(array).tobytes())
        digest.update("\0".join("\1".join(actions) for actions in self.infoset_actions).encode())
        return digest.hexdigest()[:16]


def are_payoffs(values: ArrayLike) -> bool:
    """Whether all of ``values`` are numbers that payoffs may be: no NaN, and at most :data:`LARGEST`."""
    return bool(np.all(np.abs(np.asarray(values, dtype=np.float64)) <= float(LARGEST)))


def exact(value: Number, place: str) -> Fraction:
    """Return ``value`` as a rational; floats such as 1/3 become the simple fraction they round.

    A float that no fraction with a denominator up to a million rounds to is taken at face value.
    """
    require_type(place, value, (Real, Decimal), "a number")
    number = value if isinstance(value, (int, Fraction)) else float(value)
    if not -LARGEST <= number <= LARGEST:
        raise EquipoiseError(
            f"{place}: found the number {_written(number)}, expected one between -1e300 and 1e300."
        )
    if not isinstance(number, float):
        return Fraction(number)
    simple = Fraction(number).limit_denominator(10**6)
    return simple if float(simple) == number else Fraction(number)


def _written(number: float | Fraction) -> str:
    """Return a number for an error: of a rational too large to be read, the power of ten near it."""
    if isinstance(number, float):
        return str(number)
    digits = math.log10(2) * (number.numerator.bit_length() - number.denominator.bit_length())
    return f"{'-' * (number < 0)}1e{digits:.0f}"
