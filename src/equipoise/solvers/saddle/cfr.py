"""Counterfactual regret minimisation: the whole family as rows of one table.

In every information set, regrets R of the actions are kept; the next behaviour is proportional to
their positive part, and uniform where it adds up to nothing. What rounding may leave of regrets that cancel
counts as nothing (:meth:`CFR.tie`): rounding would choose the action there, another one on each device. With
r the instantaneous counterfactual regret of iteration t, a row of the table sets

    R  <-  (R + r) * (t^alpha / (t^alpha + 1)  where positive,  t^beta / (t^beta + 1) elsewhere)
    play from  max(R + optimism * r, 0)
    average  <-  average * ((t - 1) / t)^gamma + plan        (then normalised)

so alpha = inf keeps positive regrets, beta = -inf drops negative ones. Players alternate, and
averages are of realization plans. Where an exponent is a pair (c, d) it is c + d * t / n for a
planned horizon of n iterations.

The rows and their sources are in :mod:`equipoise.solvers.saddle.cfr_table`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.backends.devices import DEVICES, device
from equipoise.sequence.build import SequenceForm
from equipoise.solvers.base import Context, MethodRun
from equipoise.solvers.driver import Arrays, require_sizes
from equipoise.solvers.methods import spelled
from equipoise.solvers.saddle.cfr_table import MEMBERS, Exponent

_DEFAULT_HORIZON = 10_000
# Sums of some dozens of products make up a regret, and each rounds.
_ROUNDING = 32.0

PACKED = "int16"
"""The ``dtype`` of regrets and averages in 16 bits a number (:mod:`equipoise.solvers.saddle.packed_rows`), of spots."""


@dataclass(frozen=True)
class CFR:
    """A member of the family: a row of :data:`TABLE`, or parameters of your own."""

    alpha: Exponent = math.inf
    beta: Exponent = math.inf
    gamma: Exponent = 0.0
    optimism: float = 0.0
    horizon: int | None = None
    dtype: str = "float64"
    device: str = "compiled"

    def __post_init__(self) -> None:
        if self.device not in DEVICES:
            raise EquipoiseError(
                f"{self.name}: device is {self.device}, expected one of {', '.join(DEVICES)}."
            )
        if self.dtype not in ("float32", "float64", PACKED):
            raise EquipoiseError(
                f"{self.name}: dtype is {self.dtype}, expected float32 or float64, or {PACKED} for spots."
            )
        if self.dtype == PACKED and self.device != "compiled":
            raise EquipoiseError(
                f"{self.name}: dtype is {PACKED} on {self.device}, expected float32 or float64 there."
            )
        if self.dtype == PACKED and self.optimism:
            raise EquipoiseError(
                f"{self.name}: dtype is {PACKED}, expected float32 or float64 for a method with optimism."
            )
        for option in ("alpha", "beta", "gamma", "optimism"):
            value = getattr(self, option)
            numbers = value if isinstance(value, tuple) and len(value) == 2 else (value,)
            if not all(isinstance(n, int | float) and not math.isnan(n) for n in numbers):
                raise EquipoiseError(
                    f"{self.name}: {option} is {value!r}, expected a number or a pair of numbers."
                )
        if self.horizon is not None and not (isinstance(self.horizon, int) and self.horizon > 0):
            raise EquipoiseError(
                f"{self.name}: horizon is {self.horizon!r}, expected a whole number > 0."
            )

    def start(self, form: SequenceForm, context: Context) -> MethodRun:
        """Return a run from uniform play, as compiled loops or on a device's arrays."""
        horizon = self.horizon or context.horizon or _DEFAULT_HORIZON
        if self.dtype == PACKED:
            if form.A.runouts is None:
                raise EquipoiseError(
                    f"{self.name}: dtype is {PACKED}, which is for spots without joint beliefs, expected "
                    "float32 or float64."
                )
            if context.start is not None:
                raise EquipoiseError(
                    f"{self.name}: dtype is {PACKED}, which begins with uniform play, expected float32 or "
                    "float64 to begin with other plans."
                )
            from equipoise.solvers.saddle.cfr_packed import PackedRun

            return PackedRun(self, form, horizon)
        if self.device == "compiled" and form.A.runouts is not None:
            from equipoise.solvers.saddle.cfr_boards import BoardsRun

            return BoardsRun(self, form, horizon, context.start)
        if self.device == "compiled":
            from equipoise.solvers.saddle.cfr_compiled import CFRRun

            return CFRRun(self, form, horizon, context.start)
        from equipoise.solvers.saddle.cfr_arrays import ArrayCFRRun

        return ArrayCFRRun(self, form, horizon, device(self.device, self.dtype), context.start)

    @property
    def floats(self) -> str:
        """The precision of the arithmetic, whatever numbers are kept in."""
        return "float32" if self.dtype == PACKED else self.dtype

    def tie(self, form: SequenceForm) -> float:
        """Return what the positive regrets of an information set must add up to, to count.

        About one is at stake in a form, and the share of an information set in it: regrets that would cancel
        but for rounding come to some parts in ``eps`` of that, and those that matter to far more.
        """
        sets = max(1, form.X.infosets + form.Y.infosets)
        return _ROUNDING * float(np.finfo(self.floats).eps) / sets

    def schedule(
        self, first: int, count: int, horizon: int, weight: float, tie: float = 0.0
    ) -> tuple[Any, float]:
        """Return (positive factor, negative factor, optimism, share of the average, ``tie``) by iteration.

        ``weight`` is the total weight of the average before iteration ``first``; the one after the
        last iteration is returned too.
        """
        t = np.arange(first, first + count, dtype=np.float64)
        table = np.empty((count, 5))
        with np.errstate(over="ignore"):
            for column, exponent in enumerate((self.alpha, self.beta)):
                # t^e / (t^e + 1), written so that neither end overflows.
                table[:, column] = 1.0 / (1.0 + t ** -_exponent(exponent, t, horizon))
                if isinstance(exponent, float) and math.isinf(exponent):
                    table[:, column] = 1.0 if exponent > 0 else 0.0
        table[:, 2], table[:, 4] = self.optimism, tie
        decay = ((t - 1) / t) ** _exponent(self.gamma, t, horizon)
        for i in range(count):
            weight = weight * decay[i] + 1.0
            table[i, 3] = 1.0 / weight
        return table, weight

    @property
    def name(self) -> str:
        """Name as the command line spells it: the nearest row, and what differs from it."""
        return spelled(self)


def kept_numbers(state: Arrays) -> tuple[float, int]:
    """Return the weight of the average and the horizon that a run's ``state`` holds."""
    weight, horizon = float(state["weight"]), int(state["horizon"])
    require_sizes({"horizon": horizon}, {"weight": weight})
    return weight, horizon


def _exponent(exponent: Exponent, t: NDArray[np.float64], horizon: int) -> Any:
    if isinstance(exponent, tuple):
        return exponent[0] + exponent[1] * np.minimum(t / horizon, 1.0)
    return exponent


TABLE: dict[str, CFR] = {
    name: CFR(row.alpha, row.beta, row.gamma, row.optimism) for name, row in MEMBERS.items()
}
"""The rows of :data:`equipoise.solvers.saddle.cfr_table.MEMBERS` as methods."""


def member(name: str, **options: Any) -> CFR:
    """Return the row ``name`` of :data:`TABLE`, with ``options`` changed."""
    return replace(TABLE[name], **options)


def DCFR(dtype: str = "float64", gamma: float = 2.0) -> CFR:
    """Discounted CFR with the parameters (1.5, 0, ``gamma``): the choice for poker at scale."""
    return member("dcfr", gamma=gamma, dtype=dtype)
