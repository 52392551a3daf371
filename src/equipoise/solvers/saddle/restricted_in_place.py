"""Solving the restricted games of a double oracle in the whole game, where what is not kept is held.

A restricted game written out is smaller than the whole one, and loses what makes the whole one fast: payoffs
that factor into betting and cards, and tiles that stay in the cache. So where payoffs are in tiles, regrets are
kept in the whole game: an action that is not kept is never played, and a set of which none is kept plays its
default (:attr:`equipoise.sequence.reductions.grow.Side.held`). That is the restricted game, iterate by
iterate, at the price of the whole one. When it grows, nothing has to be carried over: regrets and averages stay
where they are, what is new begins without any.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.sequence.build import SequenceForm
from equipoise.sequence.reductions.base import Plans
from equipoise.sequence.reductions.grow import Restriction
from equipoise.solvers.base import Context, Method, next_check
from equipoise.solvers.driver import Arrays
from equipoise.solvers.saddle.cfr import CFR
from equipoise.solvers.saddle.cfr_compiled import CFRRun
from equipoise.solvers.saddle.restricted_lp import Patience

_AT_ONCE = 200
"""Iterations between two measurements: a few milliseconds beside most of a second where games are large."""


class InPlace:
    """A member of the CFR family at work on the whole form, from restriction to restriction."""

    is_exact = False
    """Whether the last restricted game was left because its gap got no smaller."""

    def __init__(self, form: SequenceForm, method: Method, context: Context) -> None:
        self.form, self.context = form, context
        run = method.start(form, replace(context, start=None))
        assert isinstance(run, CFRRun)
        self.run = run

    @staticmethod
    def suits(form: SequenceForm, method: Method) -> bool:
        """Whether ``method`` can hold what is not kept, and ``form`` is fast as a whole."""
        is_compiled = isinstance(method, CFR) and method.device == "compiled"
        return is_compiled and form.A.tiled is not None

    def solve(self, small: Restriction, tolerance: float) -> Plans:
        """Return plans of ``small`` with a gap of at most ``tolerance``, if there is time."""
        first, second = small.sides
        self.run.hold((first.held, second.held))
        patience = Patience(self.run.iterations)
        while True:
            done = self.run.iterations
            self.run.advance(min(next_check(done) - done, _AT_ONCE))
            x, y = self.run.point()
            # Carried, since the average still has what was played by default before a set was entered.
            plans = first.carry(x), second.carry(y)
            gap = self._gap(small, plans)
            self.is_exact = patience.is_over(self.run.iterations, gap) and gap > tolerance
            if gap <= tolerance or self.is_exact or self.context.should_stop():
                return plans

    def _gap(self, small: Restriction, plans: Plans) -> float:
        """Return the gap of ``plans`` in the restricted game, by products of the whole one."""
        (first, second), (x, y) = small.sides, small.lift(*plans)
        gains = self.form.A.times(y), -self.form.A.transpose_times(x)
        return sum(
            side.space.support(side.gather(gain), overwrite=True)
            for side, gain in zip((first, second), gains, strict=True)
        )

    def state(self) -> Arrays:
        """Return regrets, averages, what is held, and how many iterations these are the work of."""
        held = {
            f"held.{player}": np.full(side.space.size, -1.0) if side.held is None else side.held
            for player, side in enumerate(self.run.sides)
        }
        return {"iterations": np.array(self.run.iterations), **held, **self.run.state()}

    def restore(self, state: Arrays) -> None:
        """Begin from :meth:`state`."""
        self.run.hold((state["held.0"], state["held.1"]))
        self.run.iterations = int(state["iterations"])
        self.run.restore(state)
