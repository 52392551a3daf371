"""Jam/fold tournaments: stochastic games of two or three players over all stacks and positions.

The gap is the *gain*: the most that any player can add to what he earns, at any state, by deviating for
ever. Strategies hold their rules, so that a file opens wherever it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import EquipoiseError
from equipoise.road.families import Family, Found, Wish

if TYPE_CHECKING:
    from equipoise.certificates.tournament import TournamentCertificate
    from equipoise.games.tournaments.tournament import Tournament
    from equipoise.road.checkpoints import Checkpoints
    from equipoise.solvers.driver import Arrays, Stop
    from equipoise.solvers.stochastic.tournament import TournamentSolution
    from equipoise.strategy.store import Bundle, Metadata
    from equipoise.strategy.tournament import TournamentStrategy

INNER = "regret"
"""How hands are solved, by default."""


@dataclass(frozen=True)
class Tournaments(Family):
    """The family of tournaments."""

    name: str = "tournament"

    def identity(self, game: Tournament) -> tuple[str, str]:
        """Return the tournament as ``load`` makes it, and the digest of its rules."""
        from equipoise.strategy.tournament import fingerprint

        return game.name, fingerprint(game)

    def stake(self, game: Tournament) -> float:
        """Return the sum of all prizes."""
        return game.pool

    def solve(self, game: Tournament, wish: Wish) -> Found:
        """Solve the states with fewer players left first, then all."""
        from equipoise.games.tournaments.tournament import Hands
        from equipoise.solvers.driver import Relative, Status
        from equipoise.solvers.stochastic.tournament import GAIN

        wish.only(self.name, "inner")
        stop = (wish.limits | (wish.gap or Relative(GAIN))).at(game.pool)
        inner = wish.options.get("inner") or INNER
        with wish.steps.take("solve"):
            solution = _solve(game, stop, inner, wish)
        is_measured = math.isfinite(solution.gain)
        return Found(
            strategy=solution.strategy,
            target=stop.gap,
            stake=game.pool,
            method=solution.algorithm,
            why="the fastest of four" if wish.method in (None, "auto") else "as asked for",
            status=solution.status,
            iterations=solution.iterations,
            seconds=solution.seconds,
            cpu_seconds=solution.cpu_seconds,
            log=solution.log,
            # To measure what there was no time to measure takes time, too.
            is_certified=is_measured and solution.status is not Status.INTERRUPTED,
            details={
                "inner": inner,
                "states": {m: len(Hands(game, m).states) for m in solution.strategy.plays},
            },
        )

    def certify(
        self, game: Tournament, strategy: TournamentStrategy, *, rigorous: bool = False
    ) -> TournamentCertificate:
        """Solve every player's decision process against the others."""
        from equipoise.certificates.tournament import certify_tournament

        if rigorous:
            raise EquipoiseError("--rigorous: found a tournament, expected a game given as a tree.")
        if strategy.tournament != game:
            raise EquipoiseError(
                f"found the strategy of {strategy.tournament!r}, expected one of {game!r}."
            )
        return certify_tournament(strategy)

    def pack(self, strategy: TournamentStrategy) -> tuple[Arrays, Metadata]:
        """Return plays, values and rules."""
        from equipoise.strategy.tournament import packed

        return packed(strategy)

    def unpack(self, path: Path, bundle: Bundle, game: Tournament) -> TournamentStrategy:
        """Return the strategy of ``game`` in ``bundle``."""
        from equipoise.strategy.tournament import strategy_of

        strategy = strategy_of(path, bundle)
        if strategy.tournament != game:
            raise EquipoiseError(
                f"{path}: found the strategy of {strategy.tournament!r}, expected one of {game!r}."
            )
        return strategy


def _solve(game: Tournament, stop: Stop, inner: str, wish: Wish) -> TournamentSolution:
    """Solve ``game`` from the beginning or from a checkpoint."""
    from equipoise.solvers.stochastic.stochastic import PI_FP
    from equipoise.solvers.stochastic.tournament import solve_tournament

    kept = wish.checkpoints
    held = None if kept is None else _before(kept, game)
    # A resumed solve goes on as it began.
    began = PI_FP if held is None else str(held.metadata.get("algorithm", PI_FP))
    algorithm = began if wish.method in (None, "auto") else str(wish.method)
    name, fingerprint = Tournaments().identity(game)
    own = {
        "game": name,
        "fingerprint": fingerprint,
        "algorithm": algorithm,
        "method": algorithm if inner == INNER else f"{algorithm} with {inner}",
        "seed": wish.seed,
    }
    with wish.show(stop) as monitor:
        hooks = wish.hooks(own, monitor, held)
        try:
            return solve_tournament(game, algorithm, stop, inner=inner, **hooks)
        except EquipoiseError as error:
            if kept is None or held is None:
                raise
            raise EquipoiseError(f"{kept.place}: {error}") from None


def _before(kept: Checkpoints, game: Tournament) -> Bundle | None:
    """Return the checkpoint to resume, if any; one of an earlier version as it would be written now."""
    from equipoise.games.files.tournament import rules_of

    held = kept.before()
    if held is None or "fingerprint" in held.metadata:
        return held
    was = held.metadata
    if was.get("tournament") != rules_of(game):
        return held
    name, fingerprint = Tournaments().identity(game)
    algorithm, inner = was.get("algorithm"), was.get("inner")
    method = algorithm if inner == INNER else f"{algorithm} with {inner}"
    now = {"game": name, "fingerprint": fingerprint, "method": method, "seed": 0}
    return replace(held, metadata={**was, **now})
