"""Solving a tournament: first with two players left, then with three.

What a player earns after another has gone does not depend on how they got there, so the states with
fewer players are solved first, to a tenth of the gain, and are prizes to those with more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError, require_type
from equipoise.games.tournaments.jamfold import JamFold, tournament_game
from equipoise.games.tournaments.tournament import Hands, Tournament
from equipoise.numerics.mdp import Values
from equipoise.solvers.driver import (
    Arrays,
    Checkpoint,
    Hooks,
    Relative,
    Status,
    Stop,
    drive,
    named,
    watch,
)
from equipoise.solvers.log import LogRow
from equipoise.solvers.stochastic.fictitious import fictitious_play
from equipoise.solvers.stochastic.jamfold import regret_matching
from equipoise.solvers.stochastic.stochastic import (
    ALGORITHMS,
    PI_FP,
    Inner,
    StochasticRun,
    StochasticSolution,
)
from equipoise.strategy.tournament import Plays, TournamentStrategy

INNER: dict[str, Inner] = {"regret": regret_matching, "fictitious": fictitious_play}
"""Inner loops by name: regret matching on linearised hands, and fictitious play."""

GAIN = 1e-5
"""Share of the prize pool that players may gain, by default."""

_FEWER = 0.1
"""Share of the gain that states with fewer players may make up: what is left is for the others."""


@dataclass(frozen=True, eq=False)
class TournamentSolution:
    """A strategy with the values of its nodes, and the road to it.

    Status, gain, iterations and log are those with all players left. If the time was too short to
    measure any strategy there, the gain is infinite, and the values are what the solver believed.
    """

    strategy: TournamentStrategy
    algorithm: str
    status: Status
    gain: float
    iterations: int
    seconds: float
    cpu_seconds: float
    log: tuple[LogRow, ...]

    def __repr__(self) -> str:
        return (
            f"<TournamentSolution by {self.algorithm}: {self.status.value}, gain at most {self.gain:.3g}, "
            f"{self.iterations:,} iterations, {self.seconds:.3g} s>"
        )

    @property
    def values(self) -> dict[int, Values]:
        """What nodes are worth, by players left."""
        return self.strategy.values


def solve_tournament(
    tournament: Tournament,
    algorithm: str = PI_FP,
    stop: Stop | None = None,
    *,
    inner: str = "regret",
    **hooks: Unpack[Hooks],
) -> TournamentSolution:
    """Solve ``tournament`` until no player can gain more than ``stop.gap`` at any state.

    Parameters
    ----------
    algorithm, inner
        A row of :data:`equipoise.solvers.stochastic.stochastic.ALGORITHMS`, and of :data:`INNER`.
    stop
        When to stop; by default, at a gain of 1/100,000 of the prize pool.
    hooks
        As for :func:`equipoise.solvers.driver.drive` (``monitor``, ``checkpoint``, ``resume``), which is run once for each number of players
        left, on one clock. Iterations are limited with all players left only.
    """
    require_type("solve_tournament", tournament, Tournament, "a tournament")
    if algorithm not in ALGORITHMS or inner not in INNER:
        raise EquipoiseError(
            f"Algorithm: found {algorithm} with {inner}, expected one of {', '.join(ALGORITHMS)} with "
            f"{' or '.join(INNER)}."
        )
    stop = (stop or Relative(GAIN)).at(tournament.pool)
    done: dict[int, StochasticSolution] = {}
    plays: dict[int, Plays] = {}
    stages = _Stages(hooks.get("resume") or {}, hooks.get("checkpoint"))
    with watch(stop) as watched:
        for m in range(2, tournament.players + 1):
            hands, own = Hands(tournament, m), _stop(stop, m, m == tournament.players)
            game = tournament_game(hands, done[m - 1].values if m > 2 else None)
            run = StochasticRun(
                game, hands.icm(), INNER[inner], algorithm, own.gap, watched.should_stop
            )
            hooks |= {"checkpoint": stages.saver(m), "resume": stages.begin(m, game)}
            status, progress = drive(run, own, watched, **hooks)
            stages.end(m, progress.state())
            done[m] = StochasticSolution.of(run, algorithm, status, progress, watched.clock)
            plays[m] = game.plays(done[m].profile).copy()
    return _solution(tournament, algorithm, done, plays)


class _Stages:
    """What a checkpoint holds: the states of all runs so far, their names led by the players left."""

    def __init__(self, resume: Mapping[str, NDArray[Any]], checkpoint: Checkpoint | None) -> None:
        self._resume, self._checkpoint = _current(resume), checkpoint
        self._done: Arrays = {}
        self._has_moved = False

    def saver(self, m: int) -> Callable[[Arrays], None] | None:
        """Return the checkpoint of the run with m players left."""
        checkpoint = self._checkpoint
        if checkpoint is None:
            return None
        return lambda arrays: checkpoint(self._done | _led(m, arrays))

    def begin(self, m: int, game: JamFold) -> Arrays | None:
        """Return what the run with m players left continues from, if anything.

        If those with fewer players have been solved further, then what was measured with more was
        measured for other prizes, and the best of it is not known any longer.
        """
        arrays = named(self._resume, f"{m}.")
        if not arrays:
            return None
        _require_best(named(arrays, "best."), m, game)
        return {k: v for k, v in arrays.items() if not (self._has_moved and k.startswith("best"))}

    def end(self, m: int, arrays: Arrays) -> None:
        """Remember how the run with m players left ended."""
        before = named(self._resume, f"{m}.").get("run_counters")
        self._has_moved |= before is not None and not np.array_equal(before, arrays["run_counters"])
        self._done |= _led(m, arrays)


def _led(m: int, arrays: Arrays) -> Arrays:
    """Return ``arrays`` with the players left before their names."""
    return {f"{m}.{name}": array for name, array in arrays.items()}


def _current(arrays: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
    """Return the arrays of a checkpoint, with those of an earlier version as they are called now.

    It knew no best profile, so its last one is measured once more.
    """
    found: Arrays = {}
    for m in (2, 3):
        names = ("iterations", "values", "profile", "log")
        old = {name: arrays[f"{name}.{m}"] for name in names if f"{name}.{m}" in arrays}
        if len(old) == len(names) and all(array.ndim for array in old.values()):
            n = int(old["iterations"][0])
            run = {
                "values": old["values"],
                "profile": old["profile"],
                "marks": np.array([1, n - 1]),
            }
            found |= _led(m, {f"run.{name}": array for name, array in run.items()})
            found |= _led(m, {"run_counters": np.array([n, n]), "log": old["log"][:-1]})
    return found or arrays


def _require_best(best: Arrays, m: int, game: JamFold) -> None:
    """Raise unless ``best`` is empty or a measured profile of ``game``."""
    if not best:
        return
    for name in ("profile", "values", "claimed"):
        found = best.get(name)
        if found is None or found.dtype != np.float64 or not np.isfinite(found).all():
            raise EquipoiseError(
                f"Checkpoint: array {m}.best.{name} is missing or has something else than finite "
                "numbers, expected those."
            )
        if name != "profile" and found.shape != (game.nodes,):
            raise EquipoiseError(
                f"Checkpoint: array {m}.best.{name} has shape {found.shape}, expected {(game.nodes,)}."
            )
    game.require(best["profile"])


def _stop(stop: Stop, m: int, last: bool) -> Stop:
    """Return when to stop with m players left, so that gains at all of them add up to the target."""
    if not last:
        return replace(stop, gap=_FEWER * stop.gap, iterations=np.inf)
    return stop if m == 2 else replace(stop, gap=(1 - _FEWER) * stop.gap)


def _solution(
    tournament: Tournament,
    algorithm: str,
    done: Mapping[int, StochasticSolution],
    plays: dict[int, Plays],
) -> TournamentSolution:
    """Put the solutions by players left together; the last one's status is the whole's."""
    top = done[tournament.players]
    return TournamentSolution(
        strategy=TournamentStrategy(
            tournament, plays, {m: solution.values for m, solution in done.items()}
        ),
        algorithm=algorithm,
        status=top.status,
        gain=top.gain,
        iterations=top.iterations,
        seconds=top.seconds,
        cpu_seconds=top.cpu_seconds,
        log=top.log,
    )
