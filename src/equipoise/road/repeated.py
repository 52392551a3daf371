"""Repeated games with incomplete information on one side: the value between two bounds.

The lower bound is what the informed player's strategy guarantees, the upper one what the uninformed
player's pays at most (:mod:`equipoise.solvers.repeated.cav`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError, require_type
from equipoise.road.families import Family, Found, Sheet, Wish

if TYPE_CHECKING:
    from equipoise.certificates.repeated import RepeatedCertificate
    from equipoise.games.repeated.game import RepeatedGame
    from equipoise.road.result import Result
    from equipoise.solvers.driver import Arrays
    from equipoise.strategy.repeated import RepeatedStrategy
    from equipoise.strategy.store import Bundle, Metadata

_DRAWN = (2, 3)
_WHY = "the least linear majorant of v, by a master program and branch and bound"


@dataclass(frozen=True)
class Repeated(Family):
    """The family of repeated games."""

    name: str = "repeated"
    draws = True

    def identity(self, game: RepeatedGame) -> tuple[str, str]:
        """Return the game's name, and the digest of its states and actions."""
        return game.name, game.fingerprint

    def stake(self, game: RepeatedGame) -> float:
        """Return the largest minus the smallest payoff."""
        return game.range

    def solve(self, game: RepeatedGame, wish: Wish) -> Found:
        """Let master and separation take turns until the bounds meet."""
        from equipoise.solvers.driver import Relative
        from equipoise.solvers.repeated.cav import RELATIVE_TOLERANCE, solve_repeated
        from equipoise.strategy.repeated import RepeatedStrategy

        options = wish.only(self.name, "cells")
        if wish.method not in (None, "auto", "cav"):
            raise EquipoiseError(
                f"method '{wish.method}': found it for the repeated game '{game.name}', expected auto "
                "or cav."
            )
        stop = (wish.limits | (wish.gap or Relative(RELATIVE_TOLERANCE))).at(game.range)
        own = {
            "game": game.name,
            "fingerprint": game.fingerprint,
            "unit": game.range,
            "method": "cav",
            "seed": wish.seed,
        }
        with wish.steps.take("solve"), wish.show(stop) as monitor:
            solution = solve_repeated(
                game,
                stop.gap,
                seconds=stop.seconds,
                iterations=stop.iterations,
                **wish.hooks(own, monitor, wish.before()),
                **options,
            )
        return Found(
            strategy=RepeatedStrategy(solution.informed, solution.uninformed),
            target=stop.gap,
            stake=game.range,
            method="cav",
            why=_WHY,
            status=solution.status,
            iterations=solution.iterations,
            seconds=solution.seconds,
            cpu_seconds=solution.cpu_seconds,
            log=solution.log,
            details={
                "cells": solution.cells,
                "revealed": solution.informed.share_revealed,
                "revealed_bits": solution.informed.bits_revealed,
            },
        )

    def certify(
        self, game: RepeatedGame, strategy: RepeatedStrategy, *, rigorous: bool = False
    ) -> RepeatedCertificate:
        """Recompute both guarantees in ``game``; they allow for rounding, ``rigorous`` or not."""
        from equipoise.certificates.repeated import certify_repeated
        from equipoise.strategy.repeated import RepeatedStrategy

        require_type("certify", strategy, RepeatedStrategy, "a strategy of a repeated game")
        if strategy.game.fingerprint != game.fingerprint:
            raise EquipoiseError(
                f"found a strategy of '{strategy.game.name}', expected one of '{game.name}' with its "
                "states and actions."
            )
        return certify_repeated(strategy.in_game(game))

    def pack(self, strategy: RepeatedStrategy) -> tuple[Arrays, Metadata]:
        """Return lottery, actions and target."""
        from equipoise.strategy.repeated import packed

        return packed(strategy)

    def unpack(self, path: Path, bundle: Bundle, game: RepeatedGame) -> RepeatedStrategy:
        """Return the strategies of ``game`` in ``bundle``."""
        from equipoise.strategy.repeated import strategy_of

        return strategy_of(path, bundle, game)

    def sizes(self, game: RepeatedGame) -> dict[str, Any]:
        """Return the numbers of states and actions."""
        states, rows, columns = game.matrices.shape
        return {"players": 2, "states": states, "rows": rows, "columns": columns}

    def tables(self, result: Result) -> Iterator[Sheet]:
        """Yield what the signals tell, how they are drawn, and how to play after them."""
        game, informed = result.game, result.strategy.informed
        splitting = informed.splitting
        signals = [str(signal + 1) for signal in range(len(splitting.weights))]
        yield Sheet(
            "What the signals tell",
            ("signal", "probability", *(f"P({state})" for state in game.states), "value"),
            [
                (signal, float(weight), *belief.tolist(), float(value))
                for signal, weight, belief, value in zip(
                    signals,
                    splitting.weights,
                    splitting.posteriors,
                    splitting.values,
                    strict=True,
                )
            ],
        )
        odds = zip(game.states, informed.lottery.tolist(), strict=True)
        yield Sheet(
            "How they are drawn",
            ("lottery", *signals),
            [(f"state {state}", *own) for state, own in odds],
        )
        plays = zip(game.rows, informed.actions.T.tolist(), strict=True)
        yield Sheet(
            "How to play after them",
            ("row", *signals),
            [(row, *weights) for row, weights in plays if any(weights)],
        )

    def draw(self, result: Result, stem: Path) -> tuple[Path, ...]:
        """Draw v and cav v, of two or three states."""
        from equipoise.plots.repeated import draw

        return draw(stem, result.strategy) if len(result.game.states) in _DRAWN else ()
