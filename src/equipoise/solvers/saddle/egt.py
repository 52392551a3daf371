"""The excessive gap technique (Nesterov 2005), as in Gilpin 2009, section 8.3.

Write u_1 = A y for what each sequence of player 1 gains against y, and u_2 = -A' x for player 2, so
that both players maximise. With a prox function d_i on each side, the smoothed gap of (x, y) is

    mu_1 smax(d_1, u_1 / mu_1) + mu_2 smax(d_2, u_2 / mu_2)

and the *excessive gap condition* (8.3) says that it is at most zero. Then the true gap is at most
mu_1 D_1 + mu_2 D_2 (8.4). The method keeps the condition while it drives mu_1 and mu_2 to zero:

* :meth:`EGTRun._initial` (Algorithm 5) and :meth:`EGTRun._shrink` (Algorithm 6);
* Heuristic 1, :meth:`EGTRun._decrease` (Algorithm 8): a large tau, verified afterwards;
* Heuristic 2, :meth:`EGTRun._balance` (Algorithm 9): keep mu_1 and mu_2 close, and lower both at once.

With L = |A| / sqrt(sigma_1 sigma_2) we deviate from Gilpin's text as follows.

* Signs: step 4 of ``initial`` and of ``shrink`` must descend for player 2 (Gilpin prints +A' x), and
  the gradient of d_2 in ``initial`` is taken at the prox centre, where it vanishes.
* ``shrink`` keeps the condition if tau^2 / (1 - tau) <= mu_1 mu_2 / L^2 (Theorem 4.1 of Nesterov). With
  tau = 2 / (k + 3) the product mu_1 mu_2 falls as 2 / ((k + 1)(k + 2)), so it has to start from 2 L^2,
  not L^2; then the bound (8.6) comes out as printed. We start from mu_1 = mu_2 = sqrt(2) L.
* The verification in ``decrease`` is of the new mu_2, not the old one. Halving ends when the theorem
  guarantees the condition, so rounding cannot make it endless.
* Gilpin's tau never rises, and often stays behind what the condition would bear. ``growth`` lets it
  rise by this factor before each ``decrease``; 1 is Gilpin's. Halving still undoes at most what was too
  much, so tau is at least half the largest safe step and Theorem 6 holds as it stands.
* u_1 and u_2 are linear in the plans, so they are averaged along with them: an iteration takes three
  products, and none for its verification.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equipoise.sequence.build import SequenceForm
from equipoise.sequence.payoffs.norms import largest_entry, spectral_norm
from equipoise.sequence.prox import Floats, Kind, Maximum, Prox, Weights, require_kind
from equipoise.solvers.base import Context, Plan
from equipoise.solvers.driver import Arrays, require_sizes
from equipoise.solvers.methods import spelled
from equipoise.solvers.options import require_flag, require_number, require_whole

_BALANCED = 1.5
_REDUCTION = 0.9
# Heuristic 1 starts from a step of one half (Algorithm 10); it never grows beyond this.
_LARGEST = 0.9
# Where the gap is exactly zero the condition holds for every mu: smaller ones are of no use.
_SMALLEST = 1e-18
# Share of uniform play in a prox centre taken from a given point.
_UNIFORM = 0.01


@dataclass(frozen=True)
class EGT:
    """The excessive gap technique.

    Attributes
    ----------
    prox, weights
        Prox function of the treeplexes (:mod:`equipoise.sequence.prox`).
    aggressive
        Heuristic 1: try larger steps than the theory's and verify them.
    balance
        Heuristic 2 every so many iterations; 0 for never.
    growth
        Factor by which Heuristic 1 lets its step rise again (ours; Gilpin's is 1).
    """

    prox: Kind = "entropy"
    weights: Weights = "dge"
    aggressive: bool = True
    balance: int = 100
    growth: float = 1.2

    def __post_init__(self) -> None:
        require_kind(self.prox, self.weights)
        require_flag("egt", "aggressive", self.aggressive)
        require_whole("egt", "balance", self.balance)
        require_number("egt", "growth", self.growth, 1.0)

    @property
    def name(self) -> str:
        """Name as the command line spells it."""
        return spelled(self)

    def start(self, form: SequenceForm, context: Context) -> EGTRun:
        """Return a run from the prox centres: uniform play, or ``context.start``."""
        return EGTRun(self, form, context)


class _Point(NamedTuple):
    """Plans, gains u_1 and u_2, and smoothing mu of both players."""

    plans: tuple[Plan, Plan]
    gains: tuple[Floats, Floats]
    mu: tuple[float, float]


class EGTRun:
    """The excessive gap technique at work."""

    def __init__(self, method: EGT, form: SequenceForm, context: Context) -> None:
        self.method, self.form = method, form
        self.should_stop = context.should_stop
        self.iterations = self.gradients = 0
        self.finished = False
        self._smooth_around(_centres(form, context.start))
        self.coupling = coupling(form, self.proxes)
        self.tau = 0.5
        self.current = self._initial()
        self._smoothed: list[Maximum | None] = [None, None]

    def _smooth_around(self, centres: tuple[Floats, Floats]) -> None:
        """Set the prox functions, given the behaviours at which they vanish."""
        kind, weights = self.method.prox, self.method.weights
        self.proxes = (
            Prox(self.form.X, kind, weights, centres[0]),
            Prox(self.form.Y, kind, weights, centres[1]),
        )

    def advance(self, iterations: int) -> None:
        """Shrink mu_2 in even iterations, mu_1 in odd ones (Algorithms 7 and 10)."""
        for k in range(self.iterations, self.iterations + iterations):
            player = 1 - k % 2
            if self.method.aggressive:
                self._stride(player)
            else:
                self._decrease(player, 2.0 / (k + 3.0))
            if self.method.balance and k % self.method.balance == 0:
                self._balance()
        self.iterations += iterations

    def point(self) -> tuple[Plan, Plan]:
        """Return the current plans."""
        return self.current.plans

    def smoothed_gap(self) -> float:
        """Return the smoothed gap; the excessive gap condition (8.3) is that it is at most zero."""
        mu = self.current.mu
        return mu[0] * self._maximum(0).value + mu[1] * self._maximum(1).value

    def bound(self) -> float:
        """Return mu_1 D_1 + mu_2 D_2, which bounds the gap (8.4)."""
        mu = self.current.mu
        return mu[0] * self.proxes[0].diameter + mu[1] * self.proxes[1].diameter

    def state(self) -> Arrays:
        """Return plans, gains, prox centres, mu and tau."""
        (x, y), (u, v), mu = self.current
        c, d = (prox.centre for prox in self.proxes)
        numbers = np.array([*mu, self.tau])
        return {"x": x, "y": y, "u": u, "v": v, "c": c, "d": d, "mu_tau": numbers}

    def restore(self, state: Arrays) -> None:
        """Continue from :meth:`state`."""
        x, y, u, v, c, d = (np.array(state[name]) for name in "xyuvcd")
        self._smooth_around((c, d))
        first, second, self.tau = (float(number) for number in state["mu_tau"])
        require_sizes({"mu_1": first, "mu_2": second, "tau": self.tau, "1 - tau": 1.0 - self.tau})
        self._move(_Point((x, y), (u, v), (first, second)))

    def _gain(self, player: int, plan: Plan) -> Floats:
        """Return what each sequence of ``player`` gains against the opponent's ``plan``."""
        self.gradients += 1
        return self.form.A.times(plan) if player == 0 else -self.form.A.transpose_times(plan)

    def _maximum(self, player: int) -> Maximum:
        """Return the smoothed best response of ``player`` at the current point."""
        found = self._smoothed[player]
        if found is None:
            gain, mu = self.current.gains[player], self.current.mu[player]
            found = self._smoothed[player] = self.proxes[player].maximum(gain / mu)
        return found

    def _move(self, point: _Point) -> None:
        self.current, self._smoothed = point, [None, None]

    def _initial(self) -> _Point:
        """Algorithm 5: a point that satisfies the excessive gap condition."""
        mu = math.sqrt(2.0) * self.coupling or 1.0
        first, second = self.proxes
        centre = second.sargmax(np.zeros(self.form.Y.size))
        x = first.sargmax(self._gain(0, centre) / mu)
        v = self._gain(1, x)
        y = second.sargmax(v / mu)
        return _Point((x, y), (self._gain(0, y), v), (mu, mu))

    def _shrink(self, player: int, tau: float, toward: Floats) -> _Point:
        """Algorithm 6: the point with ``player``'s mu smaller by the factor 1 - tau.

        ``toward`` is the opponent's gain against ``player``'s smoothed best response.
        """
        other = 1 - player
        plans, gains, mu = self.current
        near = self._maximum(player)
        mixed = _mix(gains[other], toward.copy(), tau)
        mixed /= mu[other]
        reply = self.proxes[other].sargmax(mixed)
        del mixed
        pull = self._gain(player, reply)
        step = tau / ((1.0 - tau) * mu[player])
        slope = gains[player] / mu[player] if near.gradient is None else near.gradient
        moved = self.proxes[player].sargmax(slope + step * pull)
        del slope
        your_gain = _mix(gains[other], self._gain(other, moved), tau)
        my_gain = _mix(gains[player], pull, tau)
        mine = _mix(plans[player], moved, tau)
        yours = _mix(plans[other], reply, tau)
        smaller = (1.0 - tau) * mu[player]
        if player == 0:
            return _Point((mine, yours), (my_gain, your_gain), (smaller, mu[1]))
        return _Point((yours, mine), (your_gain, my_gain), (mu[0], smaller))

    def _safe_step(self) -> float:
        """Return the largest tau with tau^2 / (1 - tau) <= mu_1 mu_2 / L^2."""
        ratio = math.prod(self.current.mu) / self.coupling**2 if self.coupling else 1.0
        return 0.5 * (math.sqrt(ratio * (ratio + 4.0)) - ratio)

    def _stride(self, player: int) -> None:
        """Heuristic 1: shrink by the last tau, or a little more."""
        self.tau = self._decrease(player, min(self.method.growth * self.tau, _LARGEST))

    def _decrease(self, player: int, tau: float) -> float:
        """Algorithm 8: shrink by ``tau``, halved until the excessive gap condition holds; return it.

        Without heuristics the tau of Algorithm 7 is safe. Where Heuristic 2 has lowered mu it may not be.
        """
        before, safe = self.current, self._safe_step()
        toward = self._gain(1 - player, self._maximum(player).plan)
        near = list(self._smoothed)
        while True:
            self._move(self._shrink(player, tau, toward))
            if tau <= safe or self.smoothed_gap() <= 0.0:
                return tau
            self.current, self._smoothed = before, list(near)
            tau *= 0.5

    def _balance(self) -> None:
        """Algorithm 9: even out mu_1 and mu_2, then lower both while the condition holds."""
        for player in (1, 0):
            while self.current.mu[player] > _BALANCED * self.current.mu[1 - player]:
                if self.should_stop():
                    return
                self._stride(player)
        while max(self.current.mu) > _SMALLEST * (self.coupling or 1.0) and not self.should_stop():
            before, near = self.current, list(self._smoothed)
            lower = (_REDUCTION * before.mu[0], _REDUCTION * before.mu[1])
            self._move(before._replace(mu=lower))
            if self.smoothed_gap() > 0.0:
                self.current, self._smoothed = before, near
                return


def _mix(old: Floats, new: Floats, tau: float) -> Floats:
    """Return (1 - tau) old + tau new, in the place of ``new``: large games have little room."""
    new *= tau
    new += (1.0 - tau) * old
    return new


def _centres(form: SequenceForm, start: tuple[Plan, Plan] | None) -> tuple[Floats, Floats]:
    """Return behaviours near ``start``, positive everywhere, or uniform ones."""
    if start is None:
        return form.X.uniform(), form.Y.uniform()
    first, second = (
        (1.0 - _UNIFORM) * space.behaviour(plan) + _UNIFORM * space.uniform()
        for space, plan in zip((form.X, form.Y), start, strict=True)
    )
    return first, second


def coupling(form: SequenceForm, proxes: tuple[Prox, Prox]) -> float:
    """Return L = |A| / sqrt(sigma_1 sigma_2), in whichever norm makes it smaller.

    The spectral norm of A goes with the l2 norm (Example 8.3.2), its largest entry with the l1 norm
    in which the entropy is strongly convex (Example 8.3.1).
    """
    first, second = proxes
    constant = spectral_norm(form.A) / math.sqrt(first.modulus * second.modulus)
    if first.kind == "entropy":
        entries = largest_entry(form.A) / math.sqrt(first.modulus_l1 * second.modulus_l1)
        constant = min(constant, entries)
    return constant
