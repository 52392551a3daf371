"""Units of payoffs: what is solved is always a game in which about one is at stake.

Tolerances, targets and starting points of methods are numbers, so they mean something only beside
what is at stake. A sequence form therefore holds payoffs A in units of its own: with s the *stake*, the
largest minus the smallest payoff,

    payoff to player 1  =  shift + unit * A,        unit = the power of two with 1 <= s / unit < 2.

Division by a power of two is exact: a game and the same game in other units are solved alike, bit for
bit. The shift is what player 1 is paid whatever happens, taken out before anything is rounded; a game in
which the payoffs add up to a constant is a zero-sum game like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree
from equipoise.games.trees.extensive import ExtensiveGame, Floats
from equipoise.numerics.powers import power_below


@dataclass(frozen=True)
class Units:
    """How the user counts what a form counts in units of its own."""

    stake: float = 1.0
    shift: float = 0.0

    @cached_property
    def unit(self) -> float:
        """What one in the form is to the user: a power of two."""
        return power_below(self.stake)


PLAIN = Units()
"""Units of a form whose payoffs are the user's own."""

Ranges = Sequence[Mapping[str, tuple[float, float]]]
"""For each round and kind of outcome, its least and largest value at scale one."""


def tree_units(game: ExtensiveGame) -> tuple[Units, Floats]:
    """Return the units of a tree, and what each of its outcomes pays player 1 in them."""
    low, high = game.payoff_range(0)
    sure = game.sure_payoff(0)
    units = Units(float(high - low), float(sure))
    payoffs = np.array([float(number - sure) for number in game.numbers]) if sure else game.floats
    return units, payoffs[game.payoff[:, 0]] / units.unit


def betting_units(tree: BettingTree, ranges: Ranges) -> tuple[Units, BettingTree]:
    """Return the units of a game with signals, and its betting tree with payments in them."""
    ends = np.array(_extremes(tree, ranges))
    low, high = float(ends.min()), float(ends.max())
    units = Units(high - low, min(max(0.0, low), high))
    base = tree.base / units.unit
    base[:, :2] += np.array([-1.0, 1.0]) * (units.shift / units.unit)
    return units, replace(tree, base=base, scale=tree.scale / units.unit)


def _extremes(tree: BettingTree, ranges: Ranges) -> list[float]:
    """Return the least and the most that player 1 may be paid at each leaf."""
    worth = {
        (turn, k): own[kind]
        for turn, own in enumerate(ranges)
        for k, kind in enumerate(tree.kinds)
        if kind in own
    }
    worth |= {(turn, NO_OUTCOME): (0.0, 0.0) for turn in range(len(ranges))}
    return [
        float(tree.base[leaf, 0] + tree.scale[leaf] * end)
        for leaf in np.flatnonzero(tree.player == TERMINAL)
        for end in worth[int(tree.round[leaf]), int(tree.kind[leaf])]
    ]
