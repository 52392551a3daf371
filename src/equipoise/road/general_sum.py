"""Games of any number of players whose payoffs need not add up to anything: trees and matrices.

The answer is a Nash equilibrium (:mod:`equipoise.solvers.general.nash`): a profile that no player gains
by leaving alone, up to her own target. Games with signals are taken as their trees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError
from equipoise.road.behavioural import Behavioural
from equipoise.road.families import Found, Wish

if TYPE_CHECKING:
    from equipoise.certificates import Certificate
    from equipoise.games.trees.extensive import ExtensiveGame
    from equipoise.solvers.general.search import Method

METHODS = ("auto", "nash", "tracing", "mip")


@dataclass(frozen=True)
class GeneralSum(Behavioural):
    """The family of general-sum games."""

    name: str = "general-sum"

    def stake(self, game: ExtensiveGame) -> float:
        """Return the least of what is at stake for any player: a target that suits all."""
        ranges = [game.payoff_range(player) for player in range(len(game.players))]
        return float(min(high - low for low, high in ranges))

    def solve(self, game: ExtensiveGame, wish: Wish) -> Found:
        """Search for an equilibrium, for a minute unless another limit is given."""
        from equipoise.solvers.general.nash import SECONDS, nash

        options = wish.only(self.name, "weights", "breakpoints", "encoding")
        if wish.method not in (None, *METHODS):
            raise EquipoiseError(
                f"method '{wish.method}': found it for the general-sum game '{game.name}', expected "
                f"one of {', '.join(METHODS)}."
            )
        name, fingerprint = self.identity(game)
        own = {"game": name, "fingerprint": fingerprint, "method": "nash", "seed": wish.seed}
        seconds = SECONDS if math.isinf(wish.limits.seconds) else wish.limits.seconds
        with wish.steps.take("solve"), wish.show(wish.limits) as monitor:
            answer = nash(
                game,
                target=wish.gap,
                method=next((name for name in _WHY if name == wish.method), None),
                seed=wish.seed,
                time_limit=seconds,
                iterations=wish.limits.iterations,
                **wish.hooks(own, monitor, wish.before()),
                **options,
            )
        return Found(
            strategy=answer.strategy,
            target=answer.targets,
            stake=self.stake(game),
            method=answer.method,
            why=_WHY[answer.method],
            status=answer.status,
            iterations=answer.iterations,
            seconds=answer.seconds,
            cpu_seconds=answer.cpu_seconds,
            log=answer.log,
            details={"programs": answer.programs},
        )

    def figures(self, certificate: Certificate) -> dict[str, Any]:
        """Return values and gains, player by player."""
        return {
            "values": certificate.values,
            "gains": certificate.gains,
            "gap": certificate.gap,
            "epsilon": max(certificate.gains),
        }


_WHY: dict[Method, str] = {
    "tracing": "at most two players have a choice: a path of pivots ends in an equilibrium",
    "mip": "an equilibrium is a point of a mixed-integer program",
}
