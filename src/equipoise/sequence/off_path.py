"""What players do where their own plans never lead.

An average plan says nothing of information sets that it hardly reaches: what is left there is what early iterations
did, or nothing at all. It is of no account in equilibrium, but it is asked for: by who looks up what follows an
action that is not played, and by what such an action is said to cost. There a player does what is best,
now and later, against an opponent who does what her plan says but for a trembling hand (Selten 1975): at each of
her sets she takes the action of her behaviour with probability 1 - t, and any one, each as likely, with t. So
beliefs are those of Bayes' rule wherever she may be.

The rest of the plan stays as it is. At most a share of ``HARDLY`` of a hand goes elsewhere at each such set, and what
the other could gain changes by no more than comes of that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.numerics.kernels import KERNEL
from equipoise.sequence.backends.compiled import parent_of
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.payoffs.over_runouts import Runouts

HARDLY = 1e-5
"""The share of a hand below which a set counts as not reached."""

TREMBLE = 1e-3
"""How often an opponent does anything at all."""


def settled(
    form: SequenceForm, plans: tuple[NDArray[Any], NDArray[Any]]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the behaviour of two plans of a spot, made the best where they hardly lead; it is written over them."""
    payoff, spaces = form.A, (form.X, form.Y)
    assert isinstance(payoff, Runouts)
    for player in (0, 1):
        other = 1 - player
        theirs = np.empty_like(plans[other])
        _tremble(spaces[other].blocks, plans[other], theirs.dtype.type(TREMBLE), theirs)
        gain = payoff.times(theirs) if player == 0 else payoff.transpose_times(theirs)
        if player == 1:
            np.negative(gain, gain)
        fixed = payoff.fixed[player]
        held = None if fixed is None else fixed.vector(len(gain), gain.dtype)
        _settle(spaces[player].blocks, plans[player], gain, gain.dtype.type(HARDLY), held)
    return plans


@njit(**KERNEL)
def _tremble(blocks: Any, weights: Any, tremble: Any, plan: Any) -> None:
    """Top-down: the plan of behaviour in proportion to ``weights``, with a trembling hand."""
    starts, choices, buckets, _, _, _ = blocks
    zero, one = weights.dtype.type(0), weights.dtype.type(1)
    plan[0] = one
    for b in range(np.uint32(len(starts))):
        start, width, actions = starts[b], buckets[b], choices[b]
        each = one / weights.dtype.type(actions)
        for k in range(width):
            total, arrives = zero, plan[parent_of(blocks, b, k)]
            for a in range(actions):
                total += weights[start + a * width + k]
            for a in range(actions):
                s = start + a * width + k
                share = weights[s] / total if total > zero else each
                plan[s] = arrives * (share + tremble * (each - share))


@njit(**KERNEL)
def _settle(blocks: Any, plan: Any, gain: Any, hardly: Any, held: Any) -> None:
    """Bottom-up: behaviour in place of the plan, the best action where less than ``hardly`` arrives.

    Where ``held`` is not negative, it is the behaviour instead.
    """
    starts, choices, buckets, _, _, _ = blocks
    zero, one = plan.dtype.type(0), plan.dtype.type(1)
    plan[0], last = one, np.uint32(len(starts) - 1)
    for i in range(np.uint32(len(starts))):
        b = last - i
        start, width, actions = starts[b], buckets[b], choices[b]
        for k in range(width):
            total, best = zero, start + k
            for a in range(actions):
                s = start + a * width + k
                total += plan[s]
                best = s if gain[s] > gain[best] else best
            worth = gain[best]
            if held is not None and held[start + k] >= zero:
                total, worth = one, zero
                for a in range(actions):
                    s = start + a * width + k
                    plan[s] = held[s]
                    worth += held[s] * gain[s]
            for a in range(actions):
                s = start + a * width + k
                chosen = one if s == best else zero
                plan[s] = plan[s] / total if total > hardly else chosen
            gain[parent_of(blocks, b, k)] += worth
