"""Prox functions on treeplexes, induced by prox functions on the simplex (Gilpin 2009, Theorem 4).

A prox function psi of the simplex gives the *dilated* function

    d(x) = sum_I w_I x[parent(I)] psi_I(x[I] / x[parent(I)])

over the information sets I (Hoda, Gilpin and Pena 2010). It is zero at its centre, and

    smax(d, g) = max_x <g, x> - d(x),        sargmax(d, g) = the x that attains it

take one pass bottom-up, applying psi's own smoothed maximum in each information set, and one pass
top-down. Three choices of the weights w:

* ``unit``: w = 1 everywhere, as in Gilpin 2009.
* ``kroer``: w_I = 2 + 2 max_a sum of w over the information sets that follow (I, a); Kroer, Waugh,
  Kilinc-Karzan and Sandholm 2020, Corollary 1 with beta = 2 alpha.
* ``dge``: w_I = 1 + max_a sum of w that follow; the dilated global entropy of Farina, Kroer and
  Sandholm 2021.

**Strong convexity.** Let sigma be the modulus of d in a norm. In the l2 norm sigma = 1 for

* entropy with ``dge``: there d(x) = sum_s v_s x_s ln x_s + a linear function, with v_s = w_I - (sum
  of w that follow s) >= 1, so d'' = diag(v / x) >= identity because x <= 1;
* either prox with ``kroer``: with q = x[I] / x[parent], a direction u has second derivative
  sum_I w_I / x[parent] |u[I] - u[parent] q|^2, and |u[I]|^2 <= 2 |u[I] - u[parent] q|^2 + 2 u[parent]^2;
  adding this up from the leaves gives at least |u|^2 for exactly these weights. (At the root u[parent]
  vanishes, and half the weight is enough.)

Weights that are at least c times such weights have modulus at least c. In the l1 norm the entropy has
sigma / M with M the largest l1 norm of a plan: |u|_1^2 <= (sum_s u_s^2 / x_s) (sum_s x_s). For one
information set M = w = 1 and these are Examples 8.3.1 and 8.3.2.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.simplex import project_onto, soften
from equipoise.sequence.backends.compiled import parent_of
from equipoise.sequence.treeplex import Treeplex

Floats = NDArray[np.float64]
Kind = Literal["entropy", "euclidean"]
Weights = Literal["unit", "kroer", "dge"]


class Maximum(NamedTuple):
    """A smoothed maximum of g: its value, the plan that attains it, and the gradient of d there.

    The gradient is determined up to what is constant on the treeplex. Where the maximum is interior
    it is g, and not kept.
    """

    value: float
    plan: Floats
    gradient: Floats | None


class Prox:
    """A dilated prox function d on ``space`` with the given weights, centred at ``centre``.

    ``centre`` is a behaviour (default: uniform). The entropy needs it to be positive.
    """

    def __init__(
        self,
        space: Treeplex,
        kind: Kind = "entropy",
        weights: Weights = "dge",
        centre: Floats | None = None,
    ) -> None:
        require_kind(kind, weights)
        self.space, self.kind = space, kind
        self.weight = information_weights(space, weights)
        self.centre = space.uniform() if centre is None else centre
        if kind == "entropy" and self.centre.min() <= 0:
            raise EquipoiseError("Prox function: the centre has a zero, expected positive numbers.")
        self._origin = np.log(self.centre) if kind == "entropy" else self.centre
        widest = int(space.blocks.actions.max(initial=1))
        self._scratch = np.empty(widest)

    def maximum(self, g: Floats) -> Maximum:
        """Return smax(d, g), sargmax(d, g) and the gradient of d at it."""
        gain, behaviour = g.copy(), np.empty_like(g)
        value = _maximise(
            self.space.blocks,
            self.weight,
            self._origin,
            self.kind == "entropy",
            gain,
            behaviour,
            self._scratch,
        )
        gradient = None
        if self.kind == "euclidean":
            gradient = np.zeros_like(g)
            _gradient(self.space.blocks, self.weight, self._origin, behaviour, gradient)
        return Maximum(float(value), self.space.plan(behaviour, behaviour), gradient)

    def sargmax(self, g: Floats) -> Floats:
        """Return the plan x that maximises <g, x> - d(x)."""
        return self.maximum(g).plan

    def smax(self, g: Floats) -> float:
        """Return the maximum of <g, x> - d(x)."""
        return self.maximum(g).value

    @cached_property
    def diameter(self) -> float:
        """D = max d: d is convex, so a pure plan attains it, and there it is linear in the plan."""
        if self.kind == "entropy":
            cost = -self._origin
        else:
            squares = _sums(self.space, self.centre**2)
            cost = 0.5 * (1.0 - 2.0 * self.centre + squares)
        cost = cost * _spread(self.space, self.weight)
        cost[0] = 0.0
        return self.space.support(cost)

    @cached_property
    def modulus(self) -> float:
        """Strong convexity sigma in the l2 norm (a lower bound that is exact for the scheme's own)."""
        if self.kind == "entropy":
            sure = information_weights(self.space, "dge")
        else:
            sure = information_weights(self.space, "kroer")
            sure[self.space.parents() == 0] *= 0.5
        return float((self.weight / sure).min()) if len(sure) else 1.0

    @cached_property
    def modulus_l1(self) -> float:
        """Strong convexity of the entropy in the l1 norm: ``modulus`` / M."""
        ones = np.ones(self.space.size)
        ones[0] = 0.0
        return self.modulus / max(self.space.support(ones), 1.0)


def require_kind(kind: str, weights: str) -> None:
    """Raise unless there is such a prox function with such weights."""
    if kind not in get_args(Kind) or weights not in get_args(Weights):
        raise EquipoiseError(
            f"Prox function: found '{kind}' with weights '{weights}', expected one of "
            f"{', '.join(get_args(Kind))} with one of {', '.join(get_args(Weights))}."
        )


def information_weights(space: Treeplex, scheme: Weights) -> Floats:
    """Return the weight of every information set, in block order."""
    weight = np.ones(space.infosets)
    if scheme != "unit":
        factor = 2.0 if scheme == "kroer" else 1.0
        _recur(space.blocks, factor, weight, np.zeros(space.size))
    return weight


def _spread(space: Treeplex, weight: Floats) -> Floats:
    """Return a vector over sequences that holds each information set's weight."""
    spread = np.ones(space.size)
    first = 0
    for s, a, k in zip(*(column.tolist() for column in space.blocks[:3]), strict=True):
        spread[s : s + a * k] = np.tile(weight[first : first + k], a)
        first += k
    return spread


def _sums(space: Treeplex, vector: Floats) -> Floats:
    """Return a vector over sequences that holds the sum over each one's information set."""
    sums = vector.copy()
    for s, a, k in zip(*(column.tolist() for column in space.blocks[:3]), strict=True):
        sums[s : s + a * k] = np.tile(vector[s : s + a * k].reshape(a, k).sum(axis=0), a)
    return sums


@njit(cache=True)
def _recur(blocks: Any, factor: Any, weight: Any, below: Any) -> None:
    """Bottom-up: w_I = factor * (1 + max_a sum of the weights that follow (I, a))."""
    first = np.uint32(len(weight))
    for i in range(len(blocks.start)):
        b = np.uint32(len(blocks.start) - 1 - i)
        width = blocks.buckets[b]
        first = np.uint32(first - width)
        for k in range(width):
            most = 0.0
            for a in range(blocks.actions[b]):
                most = max(most, below[np.uint32(blocks.start[b] + a * width + k)])
            weight[first + k] = factor * (1.0 + most)
            below[parent_of(blocks, b, k)] += weight[first + k]


@njit(cache=True)
def _maximise(
    blocks: Any,
    weight: Any,
    origin: Any,
    entropic: Any,
    gain: Any,
    behaviour: Any,
    scratch: Any,
) -> Any:
    """Bottom-up smoothed maximum; leaves the behaviour that attains it.

    ``origin`` is the centre, or its logarithm for the entropy.
    """
    behaviour[0] = 1.0
    first = np.uint32(len(weight))
    for i in range(len(blocks.start)):
        b = np.uint32(len(blocks.start) - 1 - i)
        width, actions = blocks.buckets[b], blocks.actions[b]
        first = np.uint32(first - width)
        h = scratch[:actions]
        for k in range(width):
            w = weight[first + k]
            start = np.uint32(blocks.start[b] + k)
            for a in range(actions):
                s = np.uint32(start + a * width)
                h[a] = gain[s] / w + origin[s]
            value = 0.0
            if entropic:
                value = soften(h)
            else:
                project_onto(h)
                for a in range(actions):
                    s = np.uint32(start + a * width)
                    value += h[a] * gain[s] / w - 0.5 * (h[a] - origin[s]) ** 2
            for a in range(actions):
                behaviour[np.uint32(start + a * width)] = h[a]
            gain[parent_of(blocks, b, k)] += w * value
    return gain[0]


@njit(cache=True)
def _gradient(blocks: Any, weight: Any, origin: Any, behaviour: Any, gradient: Any) -> None:
    """Add the gradient of the dilated Euclidean prox function, from behaviour.

    With psi(q) = 1/2 |q - c|^2 and p = x[parent]: d(p psi(x / p)) = <q - c, dx> + (psi(q) - <q - c, q>) dp.
    It is defined by behaviour where the plan is zero too, and there it is the limit from inside.
    """
    first = np.uint32(0)
    for b in range(np.uint32(len(blocks.start))):
        width = blocks.buckets[b]
        for k in range(width):
            w = weight[first + k]
            up = 0.0
            for a in range(blocks.actions[b]):
                s = np.uint32(blocks.start[b] + a * width + k)
                slope = behaviour[s] - origin[s]
                gradient[s] += w * slope
                up += 0.5 * slope * slope - slope * behaviour[s]
            gradient[parent_of(blocks, b, k)] += w * up
        first = np.uint32(first + width)
