"""Solving a tournament: first with two players left, then with three.

What a player earns after another has gone does not depend on how they got there, so the states with
fewer players are solved first, to a tenth of the gain, and are prizes to those with more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.tournaments.jamfold import JamFold, tournament_game
from equipoise.games.tournaments.tournament import Hands, Tournament
from equipoise.numerics.clock import Clock, catch_interrupt
from equipoise.numerics.mdp import Values
from equipoise.solvers.driver import Arrays, Relative, Row, Status, Stop, log_array, log_rows
from equipoise.solvers.stochastic.fictitious import fictitious_play
from equipoise.solvers.stochastic.jamfold import regret_matching
from equipoise.solvers.stochastic.stochastic import (
    ALGORITHMS,
    PI_FP,
    Inner,
    StochasticProgress,
    StochasticSolution,
    solve_stochastic,
)
from equipoise.strategy.tournament import TournamentStrategy

INNER: dict[str, Inner] = {"regret": regret_matching, "fictitious": fictitious_play}
"""Inner loops by name: regret matching on linearised hands, and fictitious play."""

GAIN = 1e-5
"""Share of the prize pool that players may gain, by default."""

_FEWER = 0.1
"""Share of the gain that states with fewer players may make up: what is left is for the others."""


@dataclass(frozen=True, eq=False)
class TournamentSolution:
    """A strategy, the values of its nodes by players left, and the road to it."""

    strategy: TournamentStrategy
    values: dict[int, Values]
    algorithm: str
    status: Status
    gain: float
    iterations: int
    log: tuple[Row, ...]


@dataclass(frozen=True)
class TournamentProgress:
    """What a monitor sees: how many players are left in the states being solved, and how it goes."""

    players: int
    inner: StochasticProgress


def solve_tournament(
    tournament: Tournament,
    algorithm: str = PI_FP,
    stop: Stop | None = None,
    *,
    inner: str = "regret",
    monitor: Callable[[TournamentProgress], None] | None = None,
    checkpoint: Callable[[Arrays], None] | None = None,
    resume: Mapping[str, NDArray[Any]] | None = None,
) -> TournamentSolution:
    """Solve ``tournament`` until no player can gain more than ``stop.gap`` at any state.

    Parameters
    ----------
    algorithm, inner
        A row of :data:`equipoise.solvers.stochastic.stochastic.ALGORITHMS`, and of :data:`INNER`.
    stop
        When to stop; by default, at a gain of 1/100,000 of the prize pool.
    monitor, checkpoint
        Called after every outer iteration; the second with arrays from which ``resume`` continues.
    """
    if algorithm not in ALGORITHMS or inner not in INNER:
        raise EquipoiseError(
            f"Algorithm: found {algorithm} with {inner}, expected one of {', '.join(ALGORITHMS)} with "
            f"{' or '.join(INNER)}."
        )
    stop = (stop or Relative(GAIN)).at(tournament.pool)
    done: dict[int, StochasticSolution] = {}
    resume = resume or {}
    clock = Clock(stop.seconds)
    with catch_interrupt() as interrupted:
        for m in range(2, tournament.players + 1):
            hands, last = Hands(tournament, m), m == tournament.players
            game = tournament_game(hands, done[m - 1].values if m > 2 else None)

            def report(progress: StochasticProgress, m: int = m) -> None:
                if monitor is not None:
                    monitor(TournamentProgress(m, progress))

            def save(progress: StochasticProgress, m: int = m) -> None:
                if checkpoint is not None:
                    finished = {k: _finished(solution) for k, solution in done.items()}
                    checkpoint(_state({**finished, m: progress}))

            start = _restored(resume, m, game)
            if start is not None and start.rows:
                clock.continue_from(start)
            done[m] = solve_stochastic(
                game,
                hands.icm(),
                INNER[inner],
                algorithm,
                _stop(stop, m, last),
                start=start,
                monitor=report,
                checkpoint=save,
                clock=clock,
                interrupted=interrupted,
            )
    return _solution(tournament, algorithm, done)


def _stop(stop: Stop, m: int, last: bool) -> Stop:
    """Return when to stop with m players left, so that gains at all of them add up to the target."""
    if not last:
        return replace(stop, gap=_FEWER * stop.gap, iterations=np.inf)
    return stop if m == 2 else replace(stop, gap=(1 - _FEWER) * stop.gap)


def _solution(
    tournament: Tournament, algorithm: str, done: Mapping[int, StochasticSolution]
) -> TournamentSolution:
    """Put the solutions by players left together; the last one's status is the whole's."""
    top = done[tournament.players]
    plays = {}
    for m, solution in done.items():
        assert isinstance(solution.game, JamFold)
        plays[m] = solution.game.plays(solution.profile).copy()
    return TournamentSolution(
        strategy=TournamentStrategy(tournament, plays),
        values={m: solution.values for m, solution in done.items()},
        algorithm=algorithm,
        status=top.status,
        gain=top.gain,
        iterations=top.iterations,
        log=top.log,
    )


def _finished(solution: StochasticSolution) -> StochasticProgress:
    """Return a solution as the progress that it ended with."""
    return StochasticProgress(
        solution.iterations, solution.claimed, solution.profile, list(solution.log)
    )


def _state(parts: Mapping[int, StochasticProgress]) -> Arrays:
    """Return solves in progress, by players left, as arrays."""
    arrays: Arrays = {}
    for m, part in parts.items():
        arrays[f"iterations.{m}"] = np.array([part.iterations])
        arrays[f"values.{m}"] = part.values
        arrays[f"profile.{m}"] = part.profile
        arrays[f"log.{m}"] = log_array(part.rows)
    return arrays


def _restored(
    arrays: Mapping[str, NDArray[Any]], m: int, game: JamFold
) -> StochasticProgress | None:
    """Return the progress with m players left that ``arrays`` hold, if any."""
    if f"profile.{m}" not in arrays:
        return None
    log = arrays.get(f"log.{m}")
    shapes = {
        "iterations": (1,),
        "values": (game.states * m,),
        "profile": arrays[f"profile.{m}"].shape,
        "log": (0 if log is None or log.ndim == 0 else len(log), 6),
    }
    for name, shape in shapes.items():
        found = arrays.get(f"{name}.{m}")
        kind = "i" if name == "iterations" else "f"
        if found is None or (found.dtype.kind, found.shape) != (kind, shape):
            raise EquipoiseError(
                f"Checkpoint: array {name}.{m} is missing or has another type or shape, expected "
                f"{shape} numbers."
            )
        if not np.isfinite(found).all():
            raise EquipoiseError(
                f"Checkpoint: array {name}.{m} has a number that is not finite, expected finite ones."
            )
    profile = np.array(arrays[f"profile.{m}"])
    game.require(profile)
    return StochasticProgress(
        iterations=int(arrays[f"iterations.{m}"][0]),
        values=np.array(arrays[f"values.{m}"]),
        profile=profile,
        rows=log_rows(arrays[f"log.{m}"]),
    )
