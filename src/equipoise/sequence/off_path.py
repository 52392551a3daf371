"""What players do where their own plans never lead.

An average plan says nothing of information sets that it hardly reaches: what is left there is what early iterations
did, or nothing at all. It is of no account in equilibrium, but it is asked for: by who looks up what follows an
action that is not played, and by what such an action is said to cost. There a player does what is best,
now and later, against an opponent who does what her plan says but for a trembling hand (Selten 1975): at each of
her sets she takes the action of her behaviour with probability 1 - t, and any one, each as likely, with t. So
beliefs are those of Bayes' rule wherever she may be. The same holds where the opponent's locks keep all her hands
away, so that regrets have nothing to learn from.

The first player is settled first, against what the second's plan leaves open, and the second against her as she is
then. The rest of the plans stays as it is. At most a share of ``HARDLY`` of a hand goes elsewhere at each such set, and what
the other could gain changes by no more than comes of that; where she cannot come, she gains nothing.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.numerics.kernels import KERNEL
from equipoise.sequence.backends.compiled import parent_of
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.from_spot import SpotLayout
from equipoise.sequence.payoffs.over_runouts import Runouts
from equipoise.sequence.treeplex import Blocks

HARDLY = 1e-5
"""The share of a hand below which a set counts as not reached."""

TREMBLE = 1e-3
"""How often an opponent does anything at all."""


_BATCH = 400_000  # sequences of boards that are looked at at once


def settled(
    form: SequenceForm, layout: SpotLayout, plans: tuple[NDArray[Any], NDArray[Any]]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the behaviour of two plans of a spot, made the best where nobody comes; it is written over them.

    Some boards of the last street at a time: large spots have no room for whole vectors beside the plans.
    """
    payoff = form.A
    assert isinstance(payoff, Runouts)
    sides = (
        _Side(payoff, 0, form.X.blocks, layout.closed(0), plans[0]),
        _Side(payoff, 1, form.Y.blocks, layout.closed(1), plans[1]),
    )
    boards = max(1, _BATCH // max(own.slots * int(own.widths.max()) for own in sides))
    for me, other in (sides, sides[::-1]):
        above, gain = np.ones_like(other.trunk), np.zeros_like(me.trunk)
        other.tremble(other.early, above, above)
        payoff.add_trunk(other.player, above, gain)
        for low in range(0, payoff.last.boards, boards):
            high = min(low + boards, payoff.last.boards)
            ours, theirs = me.on(low, high), other.on(low, high)
            plan, below = np.empty(theirs.size, above.dtype), np.zeros(ours.size, gain.dtype)
            other.tremble(theirs, above, plan)
            begins = (ours.base, theirs.base) if me.player == 0 else (theirs.base, ours.base)
            payoff.last.add_boards(other.player, low, high, plan, below, begins)
            me.settle(ours, gain, below)
        me.settle(me.early, gain, gain)
        me.plan[0] = 1
    return plans


class _Part(NamedTuple):
    """Blocks ``low .. high``, the first of their sequences, and how many there are."""

    low: np.uint32
    high: np.uint32
    base: int
    size: int


class _Side:
    """One player: her blocks, which of them are ``closed`` to the other, and her plan.

    The ``trunk`` of the plan comes before the last street.
    """

    def __init__(
        self,
        payoff: Runouts,
        player: int,
        blocks: Blocks,
        closed: NDArray[np.bool_],
        plan: NDArray[Any],
    ) -> None:
        self.player, self.blocks, self.closed, self.plan = player, blocks, closed, plan
        self.slots, self.widths = payoff.last.slots[player], payoff.last.widths[player]
        self.trunk = plan[: payoff.trunk[player]]
        self._bounds = len(self.trunk) + self.slots * np.concatenate([[0], np.cumsum(self.widths)])
        fixed = payoff.fixed[player]
        self._held = None if fixed is None else fixed.vector(len(plan), plan.dtype)

    @cached_property
    def early(self) -> _Part:
        """What comes before the last street."""
        first = np.uint32(self.blocks.before(len(self.trunk), self.widths))
        return _Part(np.uint32(0), first, 0, len(self.trunk))

    def on(self, low: int, high: int) -> _Part:
        """Return what is on the boards ``low .. high`` of the last street."""
        first = int(self.early.high)
        count = (len(self.blocks.start) - first) // len(self.widths)
        ends = np.uint32(first + low * count), np.uint32(first + high * count)
        base = int(self._bounds[low])
        return _Part(*ends, base, int(self._bounds[high]) - base)

    def tremble(self, part: _Part, trunk: NDArray[Any], out: NDArray[Any]) -> None:
        """Write the plan of a trembling hand on a part into ``out``, from that in the ``trunk``."""
        low, high, base, _ = part
        tremble = out.dtype.type(TREMBLE)
        _tremble(self.blocks, low, high, np.uint32(base), self.plan, tremble, trunk, out)

    def settle(self, part: _Part, trunk: NDArray[Any], gain: NDArray[Any]) -> None:
        """Write behaviour over the plan on a part; what it is worth is added to the gains in the ``trunk``."""
        low, high, base, _ = part
        begin, hardly = np.uint32(base), gain.dtype.type(HARDLY)
        _settle(
            self.blocks, low, high, begin, self.plan, hardly, self.closed, self._held, trunk, gain
        )


# Plans and gains of sequences below ``base`` are in ``trunk``, others at ``s - base`` in a vector of their own.


@njit(**KERNEL)
def _tremble(
    blocks: Any, low: Any, high: Any, base: Any, weights: Any, tremble: Any, trunk: Any, plan: Any
) -> None:
    """Top-down: the plan of behaviour in proportion to ``weights``, with a trembling hand."""
    starts, choices, buckets, _, _, _ = blocks
    zero, one = weights.dtype.type(0), weights.dtype.type(1)
    for b in range(low, high):
        start, width, actions = starts[b], buckets[b], choices[b]
        each = one / weights.dtype.type(actions)
        for k in range(width):
            above = parent_of(blocks, b, k)
            arrives = plan[above - base] if above >= base else trunk[above]
            total = zero
            for a in range(actions):
                total += weights[start + a * width + k]
            for a in range(actions):
                s = start + a * width + k
                share = weights[s] / total if total > zero else each
                plan[s - base] = arrives * (share + tremble * (each - share))


@njit(**KERNEL)
def _settle(
    blocks: Any, low: Any, high: Any, base: Any, plan: Any, hardly: Any, closed: Any, held: Any,
    trunk: Any, gain: Any,
) -> None:  # fmt: skip
    """Bottom-up: behaviour in place of the plan, the best action in what is ``closed`` or less than ``hardly`` arrives.

    Where ``held`` is not negative, it is the behaviour instead.
    """
    starts, choices, buckets, _, _, _ = blocks
    zero, one = plan.dtype.type(0), plan.dtype.type(1)
    for i in range(high - low):
        b = high - np.uint32(1) - np.uint32(i)
        start, width, actions = starts[b], buckets[b], choices[b]
        for k in range(width):
            total, best = zero, start + k
            for a in range(actions):
                s = start + a * width + k
                total += plan[s]
                best = s if gain[s - base] > gain[best - base] else best
            total, worth = (zero if closed[b] else total), gain[best - base]
            if held is not None and held[start + k] >= zero:
                total, worth = one, zero
                for a in range(actions):
                    s = start + a * width + k
                    plan[s] = held[s]
                    worth += held[s] * gain[s - base]
            for a in range(actions):
                s = start + a * width + k
                chosen = one if s == best else zero
                plan[s] = plan[s] / total if total > hardly else chosen
            above = parent_of(blocks, b, k)
            if above >= base:
                gain[above - base] += worth
            else:
                trunk[above] += worth
