"""Re-solving the last round of a game: with beliefs alone, or so that nothing is lost.

Given a strategy of the whole game, its last round is solved anew for one player, the *keeper*, who has played by it
up to there. What the opponent brings along may be

* ``unsafe``: her own part of the strategy, by Bayes' rule, as GS1 and GS2 did (Gilpin 2009, section 6). She need not
  have played so, and the result may be worse than what there was;
* ``resolve``: whatever she likes, but she may leave each situation s for the value v[s] that a best response
  to the old strategy earns there (Burch, Johanson and Bowling 2014). If the game so changed is solved, no situation is
  worth more to her than before: the keeper loses nothing;
* ``maxmargin``: in each public situation she chooses the s with the largest u[s] - v[s], and the keeper makes that as
  small as it gets: the worst margin is the largest (Moravcik et al. 2016). Margins are of counterfactual values.

All public situations are solved at once: the trunk of the keeper is held fixed, that of the opponent is replaced
by what she enters with. A situation is a sequence of the opponent after which the last round may begin, before its
signals come; it says what she knows there. Spots of real hands make games of their promises instead, for any
method (:mod:`equipoise.games.poker.spot_promises`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.poker.spot_promises import MAXMARGIN, RESOLVE
from equipoise.sequence.build import SequenceForm
from equipoise.solvers.base import Plan
from equipoise.solvers.saddle.cfr import CFR, member
from equipoise.solvers.saddle.cfr_boards import best_blocks
from equipoise.solvers.saddle.cfr_compiled import CFRRun
from equipoise.solvers.saddle.regret import Stretch
from equipoise.solvers.saddle.tiled import TiledIteration

GADGETS = ("unsafe", RESOLVE, MAXMARGIN)


def promised(form: SequenceForm, keeper: int, plan: Plan) -> NDArray[np.float64]:
    """Return for each sequence of the opponent's trunk what the last round is worth to her at best.

    Counterfactual values in the form's units, against the keeper's ``plan``.
    """
    payoff = _tiled(form)
    other = 1 - keeper
    space, trunk = (form.X, form.Y)[other], payoff.last.trunk[other]
    product = form.A.times(plan) if other == 0 else -form.A.transpose_times(plan)
    worth = np.zeros(trunk)
    first = np.uint32(np.searchsorted(space.blocks.start, trunk))
    ends = first, np.uint32(len(space.blocks.start))
    row = np.zeros(space.widest)
    best_blocks(Stretch(space.blocks, *ends, np.uint32(trunk), worth, product[trunk:]), row, None)
    return worth


def situations(form: SequenceForm, player: int) -> NDArray[np.int64]:
    """Return the sequences of a player's trunk after which the last round may begin."""
    space, trunk = (form.X, form.Y)[player], _tiled(form).last.trunk[player]
    parents = space.parents().astype(np.int64)
    block = np.searchsorted(space.blocks.start, trunk)
    first = int(space.blocks.buckets[:block].astype(np.int64).sum())
    return np.unique(parents[first:][parents[first:] < trunk])


def resolve(
    form: SequenceForm,
    keeper: int,
    plans: tuple[Plan, Plan],
    gadget: str,
    iterations: int,
    publics: NDArray[np.int64] | None = None,
    method: CFR | None = None,
) -> Plan:
    """Return the keeper's plan with the last round solved anew.

    Parameters
    ----------
    form, plans
        A form whose last round is in tiles, and a strategy of it, in double precision.
    keeper
        The player whose last round is solved.
    gadget
        One of :data:`GADGETS`.
    iterations
        How long: the method is anytime, and what was found so far is what is returned.
    publics
        For each of the opponent's :func:`situations`, the number of its public situation: for ``maxmargin``.
    method
        A member of the CFR family.
    """
    if gadget not in GADGETS:
        raise EquipoiseError(f"gadget: found '{gadget}', expected one of {', '.join(GADGETS)}.")
    if gadget == MAXMARGIN and publics is None:
        raise EquipoiseError("maxmargin: found no public situations, expected a number for each.")
    run = _ResolvingRun(method or member("dcfr"), form, keeper, plans, gadget, publics)
    run.advance(iterations)
    return run.point()[keeper]


def _tiled(form: SequenceForm) -> Any:
    payoff = form.A.tiled
    if payoff is None:
        raise EquipoiseError(
            "re-solving: found a form without tiles, expected a last round in tiles."
        )
    return payoff


class _ResolvingRun(CFRRun):
    """A member of the CFR family at work on the last round."""

    def __init__(
        self,
        method: CFR,
        form: SequenceForm,
        keeper: int,
        plans: tuple[Plan, Plan],
        gadget: str,
        publics: NDArray[np.int64] | None,
    ) -> None:
        self.keeper, self.plans, self.gadget, self.publics = keeper, plans, gadget, publics
        super().__init__(method, form, 1)

    def _engine(self) -> Callable[[Any], None]:
        return _Gadget(self, _tiled(self.form), self.sides).run


class _Gadget(TiledIteration):
    """Iterations over the last round alone; trunks are what the gadget says."""

    def __init__(self, run: _ResolvingRun, payoff: Any, sides: Any) -> None:
        super().__init__(payoff, sides)
        self.keeper, self.is_safe = run.keeper, run.gadget != "unsafe"
        other = 1 - run.keeper
        for player in (0, 1):
            trunk = self.trunk[player]
            trunk.plan[:] = run.plans[player][: trunk.size]
            sides[player].average[: trunk.size] = trunk.plan
        if not self.is_safe:
            return
        self.places = situations(run.form, other)
        self.promised = promised(run.form, run.keeper, run.plans[run.keeper])[self.places]
        self.publics = run.publics if run.gadget == MAXMARGIN else None
        shape = (2, len(self.places)) if self.publics is None else (len(self.places),)
        self.regrets = np.zeros(shape)
        self.trunk[other].plan[:] = 0
        self._enter()

    def _enter(self) -> None:
        """Lay down what the opponent enters with: a share of each situation, or of each public one."""
        positive = np.maximum(self.regrets, 0.0)
        if self.publics is None:
            total = positive.sum(axis=0)
            self.share = np.where(total > 0, positive[0] / np.where(total > 0, total, 1.0), 0.5)
        else:
            total = np.bincount(self.publics, positive)[self.publics]
            even = 1.0 / np.bincount(self.publics)[self.publics]
            self.share = np.where(total > 0, positive / np.where(total > 0, total, 1.0), even)
        self.trunk[1 - self.keeper].plan[self.places] = self.share

    def _trunk_plan(self, player: int, row: Any) -> None:
        """Nothing: it is what it is."""

    def _trunk_regrets(self, player: int, row: Any) -> None:
        """Update what the opponent enters with from what she would earn there, and what she was promised."""
        if player == self.keeper or not self.is_safe:
            return
        earned = self.trunk[player].lanes.sum(axis=0)[self.places].astype(np.float64)
        if self.publics is None:
            value = self.share * earned + (1.0 - self.share) * self.promised
            self.regrets += np.stack([earned - value, self.promised - value])
        else:
            excess = earned - self.promised
            value = np.bincount(self.publics, self.share * excess)
            self.regrets += excess - value[self.publics]
        self.regrets *= np.where(self.regrets > 0, row[0], 0.0)
        self._enter()
