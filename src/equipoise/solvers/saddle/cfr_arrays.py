"""The CFR family on arrays: NumPy, PyTorch or CuPy, on a processor or a GPU.

The same iteration as :mod:`equipoise.solvers.saddle.cfr_compiled`, one whole level of the treeplex at a
time. Plans stay on the device, and so does the measuring of the gap, in double precision; nothing comes
back but bounds, and the plans worth keeping. Nothing here imports Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from equipoise.numerics.device import Array, Device
from equipoise.sequence.backends.array_payoff import ArrayPayoff
from equipoise.sequence.backends.arrays import ArrayTreeplex
from equipoise.sequence.build import SequenceForm
from equipoise.solvers.base import Plan
from equipoise.solvers.driver import Arrays
from equipoise.solvers.saddle.cfr import CFR, kept_numbers


class _ArrayForm:
    """A form on a device."""

    def __init__(self, form: SequenceForm, device: Device) -> None:
        self.X, self.Y = ArrayTreeplex(form.X, device), ArrayTreeplex(form.Y, device)
        self.A = ArrayPayoff(form.A, self.X, self.Y)
        self.is_raked = form.A.by_board is not None and form.A.by_board.inner.is_raked

    def bounds(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Return ``min_y' <x, A y'>`` and ``max_x' <x', A y>``, on the device.

        Where payments do not cancel, only the difference has a meaning: what both players could gain.
        """
        gains = self.A.gains(0, y), self.A.gains(1, x)
        lower, upper = -self.Y.maximum(gains[1]), self.X.maximum(gains[0])
        if self.is_raked:
            xp = self.X.xp
            lower = lower + xp.sum(x * gains[0]) + xp.sum(y * gains[1])
        return lower, upper


class _ArraySide:
    """One player's arrays; without optimism she plays from the regrets themselves."""

    def __init__(self, space: ArrayTreeplex, optimistic: bool) -> None:
        self.space = space
        self.regret = space.filled(0.0)
        self.play = space.filled(0.0) if optimistic else self.regret
        self.average = space.filled(1.0)

    @cached_property
    def best(self) -> Array:
        """Room for the best average."""
        return self.space.empty()

    def state(self) -> dict[str, Array]:
        """Return what must be kept."""
        arrays = {"regret": self.regret, "average": self.average}
        return arrays if self.play is self.regret else {**arrays, "play": self.play}


class ArrayCFRRun:
    """A member of the CFR family at work on a device."""

    def __init__(
        self,
        method: CFR,
        form: SequenceForm,
        horizon: int,
        device: Device,
        start: tuple[Plan, Plan] | None = None,
    ) -> None:
        self.method, self.form, self.horizon, self.device = method, form, horizon, device
        self.plain = form.plain
        self.on = _ArrayForm(self.plain, device)
        self.sides = tuple(_ArraySide(s, method.optimism != 0) for s in (self.on.X, self.on.Y))
        self.weight = 0.0
        self.iterations = self.gradients = 0
        self.finished = False
        self._tie = method.tie(form)
        self._row = device.zeros((5,))
        self._step: Callable[[], None] | None = None
        if start is not None:
            for player, (side, plan) in enumerate(zip(self.sides, start, strict=True)):
                side.average[:] = self._put(player, plan)
                side.regret[:] = side.space.behaviour(side.average)
                side.play[:] = side.regret

    def _iterate(self) -> None:
        """Do one iteration by the schedule in ``_row``."""
        for player, (me, other) in enumerate((self.sides, self.sides[::-1])):
            plan = other.space.reach(other.play, other.average, self._row)
            me.space.regrets(me.regret, me.play, self.on.A.gains(player, plan), self._row)

    def advance(self, iterations: int) -> None:
        """Do ``iterations`` alternating updates of both players."""
        table, self.weight = self.method.schedule(
            self.iterations + 1, iterations, self.horizon, self.weight, self._tie
        )
        rows = self.device.put(table)
        for i in range(iterations):
            self._row[:] = rows[i, :]
            if self.iterations + i < _WARM_UP:
                self._iterate()
            else:
                self._step = self._step or self._fixed()
                self._step()
        self.iterations += iterations
        self.gradients += 2 * iterations

    def _fixed(self) -> Callable[[], None]:
        """Return the iteration as the device does it best; recording one must leave no trace."""
        arrays = [array for side in self.sides for array in side.state().values()]
        before = [self.device.xp.asarray(array, copy=True) for array in arrays]
        step = self.device.fixed(self._iterate)
        for array, was in zip(arrays, before, strict=True):
            array[:] = was
        return step

    def bounds(self) -> tuple[float, float]:
        """Return what the average plans prove, in the form's units and double precision."""
        self._measure()
        lower, upper = self._device64.get(self._found).tolist()
        return lower, upper

    @cached_property
    def _device64(self) -> Device:
        return replace(self.device, dtype="float64")

    @cached_property
    def _found(self) -> Array:
        """The two bounds."""
        return self._device64.zeros((2,))

    @cached_property
    def _measure(self) -> Callable[[], None]:
        """Puts the bounds of the average plans into ``_found``."""
        # Of spots there may be no room for a second form, and none is needed: a certificate follows.
        is_double = self.device.dtype == "float64" or self.plain.A.by_board is not None
        on = self.on if is_double else _ArrayForm(self.plain, self._device64)
        xp = self.device.xp

        def measure() -> None:
            plans = [
                space.plan(space.behaviour(xp.astype(side.average, on.X.device.floats)))
                for space, side in zip((on.X, on.Y), self.sides, strict=True)
            ]
            self._found[0], self._found[1] = on.bounds(*plans)

        measure()
        return self.device.fixed(measure)

    def keep(self) -> None:
        """Remember the average plans, on the device."""
        for side in self.sides:
            side.best[:] = side.average

    def kept(self) -> tuple[Plan, Plan]:
        """Return the plans that were kept, in the form's own order."""
        return self._get(0, self.sides[0].best), self._get(1, self.sides[1].best)

    def point(self) -> tuple[Plan, Plan]:
        """Return the average plans, in the form's own order."""
        return self._get(0, self.sides[0].average), self._get(1, self.sides[1].average)

    def _get(self, player: int, vector: Array) -> Plan:
        """Return a vector of the device in the order of the form that is solved."""
        own = self.sides[player].space.get(vector).astype(self.method.dtype)
        order = self._orders[player]
        if order is None:
            return own
        plan = np.empty((self.form.X, self.form.Y)[player].size, dtype=own.dtype)
        plan[order[0]] = own[order[1]]
        return plan

    def _put(self, player: int, plan: Plan) -> Array:
        """Put a vector in the order of the form that is solved on the device."""
        order = self._orders[player]
        own = plan
        if order is not None:
            own = np.zeros(self.sides[player].space.size, dtype=plan.dtype)
            own[order[1]] = plan[order[0]]
        return self.sides[player].space.put(own)

    @cached_property
    def _orders(self) -> list[tuple[Any, Any] | None]:
        """The places of every entry of a strategy in the form, and in its plain version."""
        here, there = self.form.canonical, self.plain.canonical
        if self.plain is self.form or here is None or there is None:
            return [None, None]
        return [(here(player), there(player)) for player in (0, 1)]

    def state(self) -> Arrays:
        """Return regrets, predictions and averages, in the form's own order."""
        state: Arrays = {"weight": np.array(self.weight), "horizon": np.array(self.horizon)}
        for player, side in enumerate(self.sides):
            for name, array in side.state().items():
                state[f"{name}.{player}"] = self._get(player, array)
        return state

    def restore(self, state: Arrays) -> None:
        """Continue from :meth:`state`."""
        self.weight, self.horizon = kept_numbers(state)
        for player, side in enumerate(self.sides):
            for name, array in side.state().items():
                array[:] = self._put(player, state[f"{name}.{player}"])


# So many iterations are done operation by operation before a device is given one whole.
_WARM_UP = 3
