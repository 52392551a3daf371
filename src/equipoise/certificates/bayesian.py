"""How much anybody could gain by leaving a profile of a Bayesian game: the ex-post check.

Ganzfried and Sandholm (2010), section 8.3.2, search for the best response among parametric models.
Here no model is needed: against fixed strategies, what a plan is worth is, between two consecutive
cell edges, a polynomial in the player's own signal (of degree n - 1 with n players), so the best
response and its value are found exactly, cell by cell, from the roots of the differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.certificates.certificate import Certificate
from equipoise.games.bayesian.game import SignalGame
from equipoise.strategy.regions import Profile, Regions, interim

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class BayesianCertificate(Certificate):
    """What a profile of a Bayesian game is worth, and what its best replies would gain.

    Attributes
    ----------
    worst
        Largest gain of every player at any one signal: the ε of an every-private-signal equilibrium
        (Definition 9). Signals of zero density count.
    error
        How far ``epsilon`` may be off because distribution functions were approximated.
    """

    worst: tuple[float, ...] = ()
    error: float = 0.0

    @property
    def gap(self) -> float:
        """Largest gain of any player."""
        return max(self.gains)

    @property
    def epsilon(self) -> float:
        """The gap, as Ganzfried and Sandholm call it."""
        return self.gap

    def summary(self) -> dict[str, Any]:
        """Return the certificate in the words of the JSON objects that commands print."""
        return {
            "values": self.values,
            "gains": self.gains,
            "gap": self.gap,
            "epsilon": self.epsilon,
            "epsilon_at_any_signal": max(self.worst),
            "error": self.error,
        }


def certify_bayesian(game: SignalGame, profile: Profile) -> BayesianCertificate:
    """Return the values of ``profile`` in ``game`` and every player's best-response gain."""
    values, gains, worst = [], [], []
    for player in range(game.players):
        value, gain, pointwise = _player(game, player, profile)
        values.append(value)
        gains.append(gain)
        worst.append(pointwise)
    return BayesianCertificate(
        values=tuple(values),
        best_responses=tuple(value + gain for value, gain in zip(values, gains, strict=True)),
        gains=tuple(gains),
        worst=tuple(worst),
        error=_error(game, profile),
    )


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
    payments = 2.0 * game.error
    if game.signals.joint is not None:
        return payments + 2.0 * spread * delta
    regions = sum(1 + int(np.any(np.diff(m, axis=0) != 0, axis=1).sum()) for m in profile.mixture)
    return payments + 2.0 * spread * delta * (2 * (regions + game.players) + regions + 1)


def nemesis(game: SignalGame, player: int, profile: Profile) -> Regions:
    """Return the best response of ``player`` to the others in ``profile``, as her regions alone."""
    edges = profile.signals.edges
    plans: list[str] = []
    starts: list[float] = []
    for cell, curves in enumerate(_curves(game, player, profile)):
        width = float(edges[cell + 1] - edges[cell])
        for low, _, best in _pieces(curves):
            plans.append(game.plans[player][best])
            starts.append(float(edges[cell]) + low * width)
    whole = Regions((tuple(plans),), (tuple(starts[1:]),))
    return whole.merged(*profile.signals.line)


def _player(game: SignalGame, player: int, profile: Profile) -> tuple[float, float, float]:
    """Return value, gain and largest gain at a signal of one player."""
    value = gain = worst = 0.0
    mass, mixture = profile.signals.mass[player], profile.mixture[player]
    for cell, curves in enumerate(_curves(game, player, profile)):
        mean, regret, most = _cell(curves, curves @ mixture[cell])
        value += mass[cell] * mean
        gain += mass[cell] * regret
        worst = max(worst, most)
    return float(value), float(gain), float(worst)


def _curves(game: SignalGame, player: int, profile: Profile) -> Iterator[Floats]:
    """Yield, cell by cell, what plans are worth: column p has plan p's coefficients on [0, 1]."""
    degree = 0 if profile.signals.finite else game.players - 1
    nodes = 0.5 * (1.0 - np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1)))
    table = np.stack([interim(game, player, profile, float(t)) for t in nodes])
    solved = np.linalg.solve(np.vander(nodes, increasing=True), table.reshape(degree + 1, -1))
    yield from np.moveaxis(solved.reshape(table.shape), 2, 0)


def _pieces(curves: Floats) -> Iterator[tuple[float, float, int]]:
    """Yield the parts of [0, 1] in which one plan is best, and that plan."""
    plans = curves.shape[1]
    cuts = {0.0, 1.0}
    for p in range(plans):
        for q in range(p):
            cuts.update(_roots(curves[:, p] - curves[:, q]))
    for low, high in pairwise(sorted(cuts)):
        middle = (0.5 * (low + high)) ** np.arange(len(curves))
        yield low, high, int(np.argmax(middle @ curves))


def _cell(curves: Floats, got: Floats) -> tuple[float, float, float]:
    """Return the means over a cell of ``got`` and of (best plan − ``got``), and the latter's maximum."""
    powers = np.arange(1, len(got) + 1)
    regret = most = 0.0
    for low, high, plan in _pieces(curves):
        more = curves[:, plan] - got
        regret += float(more @ ((high**powers - low**powers) / powers))
        flat = _roots(more[1:] * powers[:-1])
        points = np.array([low, high, *(t for t in flat if low < t < high)])
        most = max(most, float(np.polynomial.polynomial.polyval(points, more).max()))
    return float(got @ (1.0 / powers)), max(regret, 0.0), most


def _roots(polynomial: Floats) -> list[float]:
    """Return the real roots inside (0, 1) of a polynomial given by increasing coefficients."""
    size = np.abs(polynomial).max(initial=0.0)
    kept = np.trim_zeros(np.where(np.abs(polynomial) > 1e-14 * size, polynomial, 0.0), "b")
    if len(kept) < 2:
        return []
    roots = np.polynomial.polynomial.polyroots(kept)
    return [float(r.real) for r in roots if abs(r.imag) < 1e-12 and 0.0 < r.real < 1.0]
