"""How much anybody could gain by leaving a profile of a Bayesian game (the seed's ex-post check).

Ganzfried and Sandholm (2010), section 8.3.2, search for the best response among parametric models.
Here no model is needed: against fixed strategies, what a plan is worth is, between two consecutive
cell edges, a polynomial in the player's own signal (of degree n - 1 with n players), so the best
response and its value are found exactly, cell by cell, from the roots of the differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from equipoise.games.bayesian import SignalGame, UtilityGame
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


def certify(game: SignalGame, profile: Profile) -> Certificate:
    """Return the values of ``profile`` in ``game`` and every player's best-response gain."""
    values, gains, worst = [], [], []
    for player in range(game.players):
        value, gain, pointwise = _player(game, player, profile)
        values.append(value)
        gains.append(gain)
        worst.append(pointwise)
    return Certificate(tuple(values), tuple(gains), tuple(worst), _error(game, profile))


def _error(game: SignalGame, profile: Profile) -> float:
    """Bound how far any gain is off because payments or distributions were approximated.

    A payment off by e moves a gain by at most 2e. Joint probabilities off by δ in total variation move
    an expectation by at most δ times the spread of payments, a gain by twice that. Distribution
    functions off by δ move the mass of a region by at most 2δ, so what a plan is worth by 2δ times the
    spread and the number of the others' regions (and one more, cut by the player's own signal), and a
    gain by twice that; and they move the average of the gain over the player's own signals by at most
    δ times its variation, which is at most twice the spread for every region of anybody.
    """
    spread, delta = max(game.spread), game.signals.error
    payments = 2.0 * game.error if isinstance(game, UtilityGame) else 0.0
    if game.signals.joint is not None:
        return payments + 2.0 * spread * delta
    regions = sum(1 + int(np.any(np.diff(m, axis=0) != 0, axis=1).sum()) for m in profile.mixture)
    return payments + 2.0 * spread * delta * (2 * (regions + game.players) + regions + 1)


def _player(game: SignalGame, player: int, profile: Profile) -> tuple[float, float, float]:
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
        curves = np.linalg.solve(np.vander(nodes, increasing=True), table[:, :, cell]).astype(
            np.float64
        )
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
    for low, high in pairwise(ends):
        middle = (0.5 * (low + high)) ** np.arange(len(got))
        best = curves[:, int(np.argmax(middle @ curves))] - got
        regret += float(best @ ((high**powers - low**powers) / powers))
        points = [
            low,
            high,
            *(
                r
                for r in _roots(
                    np.asarray(np.polynomial.polynomial.polyder(best), dtype=np.float64)
                )
                if low < r < high
            ),
        ]
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
