"""How much anybody could gain by leaving a profile of a Bayesian game (the seed's ex-post check).

Ganzfried and Sandholm (2010), section 8.3.2, search for the best response among parametric models.
Here no model is needed: against fixed strategies, what a plan is worth is, between two consecutive
cell edges, a polynomial in the player's own signal (of degree n - 1 with n players), so the best
response and its value are found exactly, cell by cell, from the roots of the differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.games.bayesian import BayesianGame
from equipoise.strategy.regions import Profile, interim

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Certificate:
    """What a profile is worth, and what its best replies would gain.

    Attributes
    ----------
    values
        Expected payment of every player.
    gains
        Gain of every player from her best response; ``epsilon`` is the largest.
    worst
        Largest gain of every player at any one signal: the ε of an every-private-signal equilibrium
        (Definition 9). Signals of zero density count.
    error
        How far ``epsilon`` may be off because distribution functions were approximated.
    """

    values: tuple[float, ...]
    gains: tuple[float, ...]
    worst: tuple[float, ...]
    error: float = 0.0

    @property
    def epsilon(self) -> float:
        """Largest gain of any player."""
        return max(self.gains)


def certify(game: BayesianGame, profile: Profile) -> Certificate:
    """Return the values of ``profile`` in ``game`` and every player's best-response gain."""
    values, gains, worst = [], [], []
    for player in range(game.players):
        value, gain, pointwise = _player(game, player, profile)
        values.append(value)
        gains.append(gain)
        worst.append(pointwise)
    # Each of the other players' distribution functions enters a payment at most twice a threshold
    # with a coefficient of at most the span of payments.
    cuts = sum(int(np.any(np.diff(m, axis=0) != 0, axis=1).sum()) + 1 for m in profile.mixture)
    error = 2.0 * game.round.span * game.signals.error * cuts
    return Certificate(tuple(values), tuple(gains), tuple(worst), error)


def _player(game: BayesianGame, player: int, profile: Profile) -> tuple[float, float, float]:
    """Return value, gain and largest gain at a signal of one player."""
    mass = profile.signals.mass[player]
    mixture = profile.mixture[player]
    if profile.signals.finite:
        worth = interim(game, player, profile)
        got = np.einsum("cp,pc->c", mixture, worth)
        regret = worth.max(axis=0) - got
        return float(mass @ got), float(mass @ regret), float(regret.max())
    nodes = 0.5 * (1.0 - np.cos(np.pi * np.arange(game.players) / max(game.players - 1, 1)))
    table = np.stack([interim(game, player, profile, float(t)) for t in nodes])
    value = gain = worst = 0.0
    for cell in range(profile.signals.cells):
        curves = np.linalg.solve(np.vander(nodes, increasing=True), table[:, :, cell])
        got = curves @ mixture[cell]
        mean, regret, most = _cell(curves, got)
        value += mass[cell] * mean
        gain += mass[cell] * regret
        worst = max(worst, most)
    return float(value), float(gain), float(worst)


def _cell(curves: Floats, got: Floats) -> tuple[float, float, float]:
    """Integrate one cell: ``curves[:, p]`` are the coefficients of plan p's worth on [0, 1].

    Returns the mean of ``got``, the mean of (best plan − ``got``) and the latter's maximum.
    """
    cuts = {0.0, 1.0}
    plans = curves.shape[1]
    for p in range(plans):
        for q in range(p):
            cuts.update(_roots(curves[:, p] - curves[:, q]))
    ends = np.array(sorted(cuts))
    powers = np.arange(1, len(got) + 1)
    regret = most = 0.0
    for low, high in zip(ends, ends[1:], strict=False):
        middle = 0.5 * (low + high) ** np.arange(len(got)) if len(got) == 1 else (0.5 * (low + high)) ** np.arange(len(got))
        best = curves[:, int(np.argmax(middle @ curves))] - got
        regret += float(best @ ((high**powers - low**powers) / powers))
        points = [low, high, *(r for r in _roots(np.polynomial.polynomial.polyder(best)) if low < r < high)]
        most = max(most, *(float(np.polynomial.polynomial.polyval(x, best)) for x in points))
    return float(got @ (1.0 / powers)), max(regret, 0.0), most


def _roots(polynomial: Floats) -> list[float]:
    """Return the real roots inside (0, 1) of a polynomial given by increasing coefficients."""
    size = np.abs(polynomial).max(initial=0.0)
    kept = np.trim_zeros(np.where(np.abs(polynomial) > 1e-14 * size, polynomial, 0.0), "b")
    if len(kept) < 2:
        return []
    roots = np.polynomial.polynomial.polyroots(kept)
    return [float(r.real) for r in roots if abs(r.imag) < 1e-12 and 0.0 < r.real < 1.0]
