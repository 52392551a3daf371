"""Nash equilibria of general games: any number of players, any payoffs.

Where at most two players have a choice, an equilibrium is the end of a path of complementary pivots
(:mod:`equipoise.solvers.general.tracing`). With more players, where an equilibrium with large
payments is asked for, or where the path was lost, it is a point of a mixed-integer program
(:mod:`equipoise.solvers.general.mip`). What is returned is always a profile, with what anybody could
gain by leaving it: the best one found, however short the time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equipoise.errors import EquipoiseError
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame
from equipoise.numerics.clock import Deadline, TimeUpError
from equipoise.numerics.encodings import Encoding
from equipoise.solvers.general import mip, tracing
from equipoise.solvers.general.plans import Behaviour, Plans
from equipoise.solvers.general.search import Search
from equipoise.strategy.profile import Strategy

TARGET = 1e-9
"""By default a player may gain this share of what is at stake for her."""

# A path is lost to rounding now and then; another prior leads along another one.
_PRIORS = 5


@dataclass(frozen=True)
class NashAnswer:
    """A profile, and how it was found.

    Attributes
    ----------
    status
        ``equilibrium`` if no player can gain more than her target; ``limit`` if time ran out first.
    strategy
        The profile.
    values, gains
        What it pays the players, and what each would gain by leaving it, by the solver's own account.
    targets
        What each may gain in an equilibrium.
    method
        ``tracing`` or ``mip``.
    programs, binaries, seconds
        How many programs were solved, the 0-1 columns of the last one, and the time all took.
    """

    status: Literal["equilibrium", "limit"]
    strategy: Strategy
    values: tuple[float, ...]
    gains: tuple[float, ...]
    targets: tuple[float, ...]
    method: Literal["tracing", "mip"]
    programs: int
    binaries: int
    seconds: float

    @property
    def epsilon(self) -> float:
        """The most any player could gain."""
        return max(self.gains)


def nash(
    game: ExtensiveGame | NormalGame,
    *,
    weights: Sequence[float] | None = None,
    breakpoints: int | None = None,
    encoding: Encoding = "logarithmic",
    target: float | None = None,
    seed: int = 0,
    time_limit: float = 60.0,
    monitor: Callable[[str, float], None] | None = None,
) -> NashAnswer:
    """Return an equilibrium of ``game``, or the best profile found in the time.

    With two players, ``weights`` asks for the one with the largest weighted payments. ``breakpoints``
    and ``encoding`` say how to start with three or more (see :mod:`equipoise.solvers.general.mip`).
    ``target`` is what a player may gain at most, by default a share of what is at stake for her.
    ``monitor`` is told now and then what is going on, and the share of the time that has passed.
    """
    deadline = Deadline(time_limit)
    tree = game.tree if isinstance(game, NormalGame) else game
    _require(tree, weights, target, time_limit)
    plans = Plans(tree)
    targets = [TARGET * stakes if target is None else target for stakes in plans.stakes]
    search = Search(plans, targets, deadline, monitor)
    rng = np.random.default_rng(seed)
    try:
        search.look(plans.uniform())
        if weights is None and tracing.fits(plans):
            _trace(search, rng)
        if not search.is_done or weights is not None:
            search.method = "mip"
            if len(tree.players) <= 2:
                mip.exact(search, weights)
            else:
                mip.approach(search, breakpoints, encoding, rng)
    except TimeUpError:
        pass
    return _answer(search)


def _require(
    tree: ExtensiveGame, weights: Sequence[float] | None, target: float | None, time_limit: float
) -> None:
    """Raise unless the arguments of :func:`nash` make sense."""
    players = len(tree.players)
    if players > 2 and weights is not None:
        raise EquipoiseError(
            f"Nash: found weights for {players} players, expected them for two only."
        )
    if weights is not None and len(weights) != players:
        raise EquipoiseError(f"Nash: found {len(weights)} weights, expected one a player.")
    if weights is not None and not all(map(math.isfinite, weights)):
        raise EquipoiseError(f"Nash: found the weights {list(weights)}, expected finite numbers.")
    if target is not None and not target >= 0:
        raise EquipoiseError(f"Nash: the target is {target}, expected a number >= 0.")
    if not time_limit > 0:
        raise EquipoiseError(f"Nash: the time limit is {time_limit}, expected a positive number.")


def _trace(search: Search, rng: np.random.Generator) -> None:
    """Follow paths from priors drawn at random until one ends in an equilibrium."""
    plans = search.plans
    for _ in range(_PRIORS):
        search.say("following a path")
        prior: Behaviour = plans.choose(lambda actions: rng.dirichlet(np.full(actions, 4.0)))
        found = tracing.trace(plans, prior, search.deadline)
        if found is not None:
            search.look(found)
        if search.is_done:
            return


def _answer(search: Search) -> NashAnswer:
    """Return the best profile of ``search`` in the units of the rules."""
    plans, best = search.plans, search.best
    tree = plans.tree
    units = [float(unit) for unit in plans.unit]
    return NashAnswer(
        status="equilibrium" if search.is_done else "limit",
        strategy=Strategy(tree.name, tree.fingerprint, best.behaviour),
        values=tuple(
            float(low) + unit * float(value)
            for low, unit, value in zip(plans.low, units, best.values, strict=True)
        ),
        gains=tuple(unit * float(gain) for unit, gain in zip(units, best.gains, strict=True)),
        targets=tuple(search.targets),
        method=search.method,
        programs=search.programs,
        binaries=search.binaries,
        seconds=search.deadline.spent,
    )
