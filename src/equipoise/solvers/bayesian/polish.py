"""Thresholds to machine precision: Newton's method on the equations of indifference.

At a cut between two regions of a continuous game, the plan below and the plan above must be worth the
same. What a plan is worth comes from rules and distributions, not from the program that found the regions.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from equipoise.games.bayesian.game import SignalGame
from equipoise.strategy.regions import EMPTY, Regions, interim

Floats = NDArray[np.float64]


def polish(game: SignalGame, regions: Regions, steps: int = 50) -> Regions:
    """Return ``regions`` with the cuts moved by Newton's method until players are indifferent there.

    Steps are of least norm, so that thresholds the equations leave free stay where they are, and
    halved until no region is empty and the largest gap shrinks; if none does, the search ends.
    """
    low, high = game.signals.line
    gaps = indifference(game, regions)
    for _ in range(steps):
        if not gaps.size or np.abs(gaps).max() <= 1e-15 * max(game.spread):
            break
        if regions.widths(low, high).min() <= EMPTY * (high - low):
            break  # no room for a derivative
        at = regions.flat()
        step = np.linalg.lstsq(_slopes(game, regions), gaps, rcond=1e-9)[0]
        for size in 0.5 ** np.arange(12):
            moved = regions.at(at - size * step)
            if moved.widths(low, high).min() > EMPTY * (high - low):
                better = indifference(game, moved)
                if np.abs(better).max() < np.abs(gaps).max():
                    break
        else:
            break
        regions, gaps = moved, better
    return regions


def _slopes(game: SignalGame, regions: Regions) -> Floats:
    """Return the derivative of every indifference by every cut, by central differences."""
    at = regions.flat()
    low, high = game.signals.line
    h = min(1e-7 * (high - low), 0.25 * regions.widths(low, high).min())
    columns = []
    for shift in np.eye(len(at)) * h:
        ahead, behind = regions.at(at + shift), regions.at(at - shift)
        columns.append((indifference(game, ahead) - indifference(game, behind)) / (2 * h))
    return np.stack(columns, axis=1)


def indifference(game: SignalGame, regions: Regions) -> Floats:
    """Return, for every cut, how much more the plan below it is worth there than the plan above it.

    A finite game has no such equation at a cut between two signals: there it is 0.
    """
    profile = regions.profile(game)
    gaps = []
    for i, (plans, cuts) in enumerate(zip(regions.plans, regions.cuts, strict=True)):
        worth = interim(game, i, profile, inside=0.0)
        for (low, high), cut in zip(pairwise(plans), cuts, strict=True):
            position = float(profile.signals.position(cut))
            cell = min(int(position + 1e-9), profile.signals.cells - 1)
            mixed = not profile.signals.finite or abs(position - round(position)) > 1e-9
            gap = worth[game.plan(i, low), cell] - worth[game.plan(i, high), cell]
            gaps.append(gap if mixed else 0.0)
    return np.array(gaps)
