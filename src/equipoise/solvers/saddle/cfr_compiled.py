"""The CFR family as compiled loops: on trees, on games with signals tile by tile, on any operator."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.numerics.kernels import KERNEL
from equipoise.sequence.backends.products import multiply
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.treeplex import Treeplex
from equipoise.solvers.base import Plan
from equipoise.solvers.driver import Arrays
from equipoise.solvers.saddle.cfr import CFR, kept_numbers
from equipoise.solvers.saddle.regret import (
    Stretch,
    blend,
    hold_blocks,
    reach_blocks,
    reach_sets,
    regret_blocks,
    regret_sets,
)


class _Side:
    """One player's arrays."""

    def __init__(self, space: Treeplex, dtype: str, optimistic: bool) -> None:
        self.space = space
        self.regret = np.zeros(space.size, dtype=dtype)
        self.play = np.zeros(space.size, dtype=dtype) if optimistic else self.regret
        # Before the first iteration, too, the average is a plan: a solve may be over by then, and is measured.
        self.average = space.plan(space.uniform(dtype))
        self.scratch = np.empty((3, space.widest), dtype=dtype)
        self.held: NDArray[Any] | None = None
        self.barely = 0.0

    def state(self) -> Arrays:
        """Return what must be kept: without optimism, play is the regrets."""
        arrays = {"regret": self.regret, "average": self.average}
        return arrays if self.play is self.regret else {**arrays, "play": self.play}

    @cached_property
    def plan(self) -> NDArray[Any]:
        """Current behaviour as a plan, for payoffs that want it whole."""
        return np.ones(self.space.size, dtype=self.regret.dtype)

    @cached_property
    def gradient(self) -> NDArray[Any]:
        """What each sequence earns against the opponent's plan."""
        return np.empty(self.space.size, dtype=self.regret.dtype)

    def _whole(self, vector: NDArray[Any]) -> Stretch:
        """Return all blocks, with plans or gradients in ``vector``."""
        blocks = self.space.blocks
        zero, end = np.uint32(0), np.uint32(len(blocks.start))
        return Stretch(blocks, zero, end, zero, vector, vector)

    def reach(self, row: Any) -> None:
        """Lay down the plan and give it its share in the average."""
        if self.space.widest == 1:
            reach_sets(self.space.blocks, self.play, self.plan, row[4])
            blend(self.average, self.plan, row[3])
        else:
            on, scratch = self._whole(self.plan), (self.scratch[0], self.scratch[1:])
            reach_blocks(on, self.play, self.average, row, *scratch)

    def update(self, row: Any) -> None:
        """Update the regrets; the gradient is used up."""
        if self.space.widest == 1:
            regret_sets(self.space.blocks, self.regret, self.play, self.gradient, row)
        else:
            on, scratch = self._whole(self.gradient), (self.scratch[0], self.scratch[1:])
            regret_blocks(on, self.regret, self.play, row, *scratch)
        self.hold()

    def hold(self) -> None:
        """Put back what is held, if anything is."""
        if self.held is None:
            return
        barely = self.play.dtype.type(self.barely)
        hold_blocks(self._whole(self.play), self.play, self.held, barely, self.scratch[0])
        if self.play is not self.regret:
            self.regret[self.held >= 0] = 0


class CFRRun:
    """A member of the CFR family at work.

    One iteration is: player 2's plan (and its share in the average), player 1's regrets against it,
    player 1's plan, player 2's regrets.
    """

    def __init__(
        self, method: CFR, form: SequenceForm, horizon: int, start: tuple[Plan, Plan] | None = None
    ) -> None:
        self.method, self.form, self.horizon = method, form, horizon
        self.sides = self._begin()
        self.weight = 0.0
        self.iterations = self.gradients = 0
        self.finished = False
        self._tie = method.tie(form)
        self._iterate = self._engine()
        if start is not None:
            self._begin_at(start)

    def _begin(self) -> tuple[Any, Any]:
        """Return the arrays of both players, before the first iteration."""
        floats, optimistic = self.method.floats, self.method.optimism != 0
        return _Side(self.form.X, floats, optimistic), _Side(self.form.Y, floats, optimistic)

    def _engine(self) -> Callable[[Any], None]:
        """Return the function that does the iterations of a table, fit for the form's payoff."""
        A, is_tree = self.form.A, all(side.space.widest == 1 for side in self.sides)
        stored, tiled = A.stored, A.tiled
        is_free = all(side.held is None for side in self.sides)
        if stored is not None and is_tree and is_free:
            first, second = (
                (side.space.blocks, side.regret, side.play, side.average, side.plan, side.gradient)
                for side in self.sides
            )
            return lambda table: _iterate_tree(*stored, first, second, table)
        if tiled is not None:
            from equipoise.solvers.saddle.tiled import TiledIteration

            return TiledIteration(tiled, self.sides).run
        return self._iterate_operator

    def _iterate_operator(self, table: Any) -> None:
        """Iterate with any payoff operator: whole plans, whole gradients."""
        for row in table:
            for player, product in ((0, self.form.A.times), (1, self.form.A.transpose_times)):
                me, other = self.sides[player], self.sides[1 - player]
                other.reach(row)
                product(other.plan, me.gradient)
                if player == 1:
                    np.negative(me.gradient, me.gradient)
                me.update(row)

    def _begin_at(self, start: tuple[Plan, Plan]) -> None:
        """Play from ``start``: regrets whose positive parts are its behaviour."""
        for side, plan in zip(self.sides, start, strict=True):
            side.regret[:] = side.space.behaviour(plan)
            side.play[:] = side.regret
            side.average[:] = plan

    def hold(self, held: tuple[NDArray[Any], NDArray[Any]]) -> None:
        """From now on play by ``held`` where it is not negative; zeros rule actions out.

        So regrets are those of the game in which nothing else can be done. What is held no longer has none.
        """
        for side, own in zip(self.sides, held, strict=True):
            if side.held is not None:
                freed = (side.held >= 0) & (own < 0)
                side.regret[freed] = side.play[freed] = 0
            side.held, side.barely = own.astype(self.method.floats), 2 * self._tie
            side.hold()
        self._iterate = self._engine()

    def go_on_from(self, smaller: CFRRun, places: tuple[NDArray[Any], NDArray[Any]]) -> None:
        """Keep the regrets of a run on a ``smaller`` form, whose sequences are at ``places`` of this one.

        What is new has no regret. Iterations are counted anew: an average of the smaller form would
        take as long again to be forgotten.
        """
        for own, before, place in zip(self.sides, smaller.sides, places, strict=True):
            own.regret[place] = before.regret
            if own.play is not own.regret:
                own.play[place] = before.play

    def advance(self, iterations: int) -> None:
        """Do ``iterations`` alternating updates of both players."""
        table, self.weight = self.method.schedule(
            self.iterations + 1, iterations, self.horizon, self.weight, self._tie
        )
        self._iterate(table.astype(self.method.floats))
        self.iterations += iterations
        self.gradients += 2 * iterations

    def point(self) -> tuple[Plan, Plan]:
        """Return the average plans."""
        return self.sides[0].average, self.sides[1].average

    def state(self) -> Arrays:
        """Return regrets, predictions and averages."""
        state: Arrays = {"weight": np.array(self.weight), "horizon": np.array(self.horizon)}
        for player, side in enumerate(self.sides):
            state |= {f"{name}.{player}": array for name, array in side.state().items()}
        return state

    def restore(self, state: Arrays) -> None:
        """Continue from :meth:`state`."""
        self.weight, self.horizon = kept_numbers(state)
        for player, side in enumerate(self.sides):
            for name, array in side.state().items():
                array[:] = state[f"{name}.{player}"]


@njit(**KERNEL)
def _iterate_tree(by_row: Any, by_column: Any, first: Any, second: Any, table: Any) -> None:
    """Alternating updates with the products inside: one call does many iterations."""
    blocks1, regret1, play1, average1, plan1, gradient1 = first
    blocks2, regret2, play2, average2, plan2, gradient2 = second
    for i in range(len(table)):
        row = table[i]
        reach_sets(blocks2, play2, plan2, row[4])
        blend(average2, plan2, row[3])
        multiply(by_row, plan2, gradient1)
        regret_sets(blocks1, regret1, play1, gradient1, row)
        reach_sets(blocks1, play1, plan1, row[4])
        blend(average1, plan1, row[3])
        multiply(by_column, plan1, gradient2)
        for s in range(len(gradient2)):
            gradient2[s] = -gradient2[s]
        regret_sets(blocks2, regret2, play2, gradient2, row)
