"""Bayesian games: equilibria in regions of signals, from qualitative models given or proposed.

The gap is the largest gain of any player (the ε of Ganzfried and Sandholm 2010), by best responses in the
game itself.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError, require_type
from equipoise.road.families import Family, Found, Sheet, Wish

if TYPE_CHECKING:
    from equipoise.certificates.bayesian import BayesianCertificate
    from equipoise.games.bayesian.game import SignalGame
    from equipoise.games.bayesian.parametric import ParametricModel
    from equipoise.games.files.bayesian import Problem
    from equipoise.road.result import Result
    from equipoise.solvers.bayesian.qualitative import Answer, Products
    from equipoise.solvers.driver import Arrays, Stop
    from equipoise.strategy.regions import RegionStrategy
    from equipoise.strategy.store import Bundle, Metadata

    Game = Problem | SignalGame

METHOD = "qualitative"
SECONDS = 60.0
"""How long to look by default."""
GAIN = 1e-6
"""What a player may gain by default, in parts of what is at stake."""


@dataclass(frozen=True)
class Bayesian(Family):
    """The family of Bayesian games."""

    name: str = "bayesian"
    draws = True

    def identity(self, game: Game) -> tuple[str, str]:
        """Return the title, and the digest of plans and signals."""
        problem = problem_of(game)
        return problem.title, problem.fingerprint

    def stake(self, game: Game) -> float:
        """Return the most that is at stake for any player."""
        return max(problem_of(game).game.spread)

    def solve(self, game: Game, wish: Wish) -> Found:
        """Solve the mixed-integer programs of the models, for a minute unless told otherwise."""
        from equipoise.solvers.driver import Relative

        if wish.method not in (None, "auto", METHOD):
            raise EquipoiseError(
                f"method '{wish.method}': found it for a Bayesian game, expected auto or qualitative."
            )
        wish.only(self.name, "products", "propose")
        problem = problem_of(game)
        stop = (wish.limits | (wish.gap or Relative(GAIN))).at(self.stake(game))
        if math.isinf(stop.seconds):
            stop = replace(stop, seconds=SECONDS)
        with wish.steps.take("solve"):
            answer = _answer(problem, stop, wish)
        return Found(
            strategy=_strategy(problem, answer),
            target=stop.gap,
            stake=self.stake(game),
            method=METHOD,
            why=_why(answer),
            status=answer.status,
            iterations=answer.programs,
            seconds=answer.seconds,
            cpu_seconds=answer.cpu_seconds,
            log=answer.log,
            details={
                "model": answer.model.name,
                "text": answer.model.text,
                "program": {
                    "rows": answer.rows,
                    "columns": answer.columns,
                    "binaries": answer.binaries,
                },
            },
        )

    def certify(
        self, game: Game, strategy: RegionStrategy, *, rigorous: bool = False
    ) -> BayesianCertificate:
        """Find every player's best response in the game itself."""
        from equipoise.certificates.bayesian import certify_bayesian
        from equipoise.strategy.regions import RegionStrategy

        require_type("certify", strategy, RegionStrategy, "a strategy of regions")
        if rigorous:
            raise EquipoiseError(
                "--rigorous: found a Bayesian game, expected a game given as a tree."
            )
        rules = problem_of(game).game
        return certify_bayesian(rules, strategy.regions.profile(rules))

    def pack(self, strategy: RegionStrategy) -> tuple[Arrays, Metadata]:
        """Return cuts, plans and thresholds."""
        from equipoise.strategy.regions import packed

        return packed(strategy)

    def unpack(self, path: Path, bundle: Bundle, game: Game) -> RegionStrategy:
        """Return the strategy of ``game`` in ``bundle``."""
        from equipoise.strategy.regions import strategy_of

        problem = problem_of(game)
        return strategy_of(path, bundle, problem.fingerprint, problem.game)

    def sizes(self, game: Game) -> dict[str, Any]:
        """Return the numbers of players, plans, cells of signals, and models."""
        problem = problem_of(game)
        return {
            "players": problem.players,
            "plans": [len(own) for own in problem.game.plans],
            "cells": problem.game.signals.cells,
            "models": len(problem.models),
        }

    def tables(self, result: Result) -> Iterator[Sheet]:
        """Yield regions and thresholds."""
        strategy: RegionStrategy = result.strategy
        low, high = problem_of(result.game).game.signals.line
        rows: list[tuple[str | float, ...]] = []
        both = zip(strategy.regions.plans, strategy.regions.cuts, strict=True)
        for i, (plans, cuts) in enumerate(both):
            ends = zip(plans, (low, *cuts), (*cuts, high), strict=True)
            rows += [(f"P{i + 1}  {plan}", float(a), float(b)) for plan, a, b in ends]
        yield Sheet("", ("region", "from", "to"), rows)
        named = [(name, at) for own in strategy.thresholds for name, at in own.items()]
        yield Sheet("", ("threshold", "at"), [(name, float(at)) for name, at in named])

    def draw(self, result: Result, stem: Path) -> tuple[Path, ...]:
        """Draw the lines of signals as a page and as a picture."""
        from equipoise.plots.regions import signal_lines, write_html, write_png

        problem = problem_of(result.game)
        page, picture = Path(f"{stem}.html"), Path(f"{stem}.png")
        profile = result.strategy.regions.profile(problem.game)
        lines = signal_lines(profile, problem.game.plans, result.strategy.thresholds)
        write_html(page, problem.title, lines)
        write_png(picture, problem.title, lines)
        return page, picture


def problem_of(game: Game) -> Problem:
    """Return ``game`` with its models, of which a bare game has none."""
    from equipoise.games.files.bayesian import Problem

    return game if isinstance(game, Problem) else Problem("Bayesian game", game)


def _answer(problem: Problem, stop: Stop, wish: Wish) -> Answer:
    """Solve with the models there are, or, if there are none or ``propose`` is asked for, with proposals."""
    from equipoise.solvers.bayesian.propose import discover
    from equipoise.solvers.bayesian.qualitative import PIECEWISE, qualitative

    products = wish.options.get("products") or PIECEWISE
    models = () if wish.options.get("propose") else problem.models
    own = {
        "game": problem.title,
        "fingerprint": _digest(problem.game, models, products),
        "method": METHOD,
        "seed": wish.seed,
    }
    with wish.show(stop) as monitor:
        find = partial(qualitative, models=models) if models else discover
        return find(
            problem.game,
            products=products,
            target=stop.gap,
            time_limit=stop.seconds,
            iterations=stop.iterations,
            **wish.hooks(own, monitor, wish.before()),
        )


def _digest(game: SignalGame, models: Sequence[ParametricModel], products: Products) -> str:
    """Return a digest of all that a program is made of: without it, none is known to have no solution."""
    signals, tables = game.signals, game.tables or ()
    known = [repr(products), *(model.text for model in models), repr(game.round)]
    digest = hashlib.sha256("\0".join(known).encode())
    joint = () if signals.joint is None else (signals.joint,)
    for array in (signals.edges, *signals.mass, *joint, *tables):
        digest.update(array.tobytes())
    return digest.hexdigest()


def _strategy(problem: Problem, answer: Answer) -> RegionStrategy:
    """Return what was found, with the names of its thresholds."""
    from equipoise.strategy.regions import RegionStrategy

    names = answer.model.thresholds
    return RegionStrategy(
        game=problem.title,
        fingerprint=problem.fingerprint,
        regions=answer.regions,
        model=answer.model.name,
        thresholds=tuple({name: answer.thresholds[name] for name in own} for own in names),
        rules=problem.game,
    )


def _why(answer: Answer) -> str:
    """Say what the profile stands for."""
    from equipoise.solvers.driver import Status

    if answer.status is Status.CONVERGED:
        return "indifference at thresholds is a mixed-integer program"
    if answer.status is Status.EXHAUSTED:
        return "no equilibrium of this form; the nearest profile found is shown"
    return "time is up; the best profile so far is shown"
