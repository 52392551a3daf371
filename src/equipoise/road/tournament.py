"""Jam/fold tournaments: stochastic games of two or three players over all stacks and positions.

The gap is the *gain*: the most that any player can add to what he earns, at any state, by deviating for
ever. Strategies hold their rules, so that a file opens wherever it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.errors import EquipoiseError, require_type
from equipoise.games.tournaments.tournament import POSITIONS, Hands, decisions, describe
from equipoise.road.families import Asked, Family, Found, Lines, Sheet, Wish

if TYPE_CHECKING:
    from equipoise.certificates.tournament import TournamentCertificate
    from equipoise.games.tournaments.tournament import Tournament
    from equipoise.road.checkpoints import Checkpoints
    from equipoise.road.result import Result
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
    draws = True
    holds_rules = True

    def identity(self, game: Tournament) -> tuple[str, str]:
        """Return the tournament as ``load`` makes it, and the digest of its rules."""
        from equipoise.strategy.tournament import fingerprint

        return game.name, fingerprint(game)

    def stake(self, game: Tournament) -> float:
        """Return the sum of all prizes."""
        return game.pool

    def solve(self, game: Tournament, wish: Wish) -> Found:
        """Solve the states with fewer players left first, then all."""
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
        from equipoise.strategy.tournament import TournamentStrategy

        require_type("certify", strategy, TournamentStrategy, "a strategy of a tournament")
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

    def facts(self, result: Result) -> dict[str, Any]:
        """Return how large the tournament is, the gain, and how far tables and ICM are off."""
        known, strategy = result.summary(), result.strategy
        rules = strategy.tournament
        facts = {
            "states": ", ".join(
                f"{len(Hands(rules, m).states):,} with {m} players" for m in strategy.plays
            )
        }
        if known["gap"] is None:
            return {
                **facts,
                "gain": "not measured: there was no time for it, and values are those the solver "
                "began with",
            }
        is_certified = "table_error" in known
        proven = "certified" if is_certified else "as the solver measured it"
        facts["gain"] = f"{_gain(known['gap'], rules)} ({proven})"
        if is_certified:
            facts["tables"] = _off(known["table_error"])
        return {**facts, "ICM": icm_text(furthest_from_icm(strategy))}

    def verdict(
        self, game: Tournament, certificate: TournamentCertificate
    ) -> tuple[Sheet, dict[str, Any]]:
        """Return the most that any player can gain, by players left."""
        rows: list[tuple[str | float, ...]] = [
            (f"{m} players", part.gain) for m, part in certificate.parts.items()
        ]
        header = ("with", "most that any player can gain at any state")
        facts = {"gain": _gain(certificate.gain, game), "tables": _off(certificate.error)}
        return Sheet("", header, rows), facts

    def tables(self, result: Result) -> Iterator[Sheet]:
        """Yield values and ranges where all players have equal stacks, as far as units allow."""
        rules = result.strategy.tournament
        return sheets(result.strategy, [rules.unit * stack for stack in rules.equal_stacks])

    def lines(self, result: Result, asked: Asked) -> Lines:
        """Return what players do with the hands that were asked for; players are positions."""
        count, shown = 0, []
        for line in result.strategy.decisions():
            if asked.of(line.player, line.infoset):
                count += 1
                if asked.limit is None or count <= asked.limit:
                    shown.append(line)
        return Lines(shown, count)

    def draw(self, result: Result, stem: Path) -> tuple[Path, ...]:
        """Draw the ranges at equal stacks, and how far ICM is off over all stacks."""
        from equipoise.plots.tournament import draw

        strategy, rules = result.strategy, result.strategy.tournament
        stacks = [rules.unit * stack for stack in rules.equal_stacks]
        return tuple(draw(stem, strategy, strategy.values, stacks))


def sheets(strategy: TournamentStrategy, stacks: Sequence[int]) -> Iterator[Sheet]:
    """Yield what positions are worth at ``stacks`` (in chips), and which hands go in there."""
    rules, m = strategy.tournament, len(stacks)
    hands = Hands(rules, m)
    place = hands.number[rules.state(stacks)]
    values, chip_model = (v.reshape(-1, m)[place] for v in (strategy.values[m], hands.icm()))
    columns = zip(POSITIONS[m], stacks, values.tolist(), chip_model.tolist(), strict=True)
    rows: list[tuple[str | float, ...]] = [
        (name, stack, f"{value:.4f}", f"{icm:.4f}") for name, stack, value, icm in columns
    ]
    yield Sheet("", ("position", "chips", "value", "ICM"), rows)
    shares, often = strategy.shares(stacks).tolist(), strategy.frequencies(stacks).tolist()
    yield Sheet(
        "",
        ("decision", "share of hands", "how often"),
        [
            (describe(m, d), f"{share:.1%}", "never asked" if math.isnan(n) else f"{n:.1%}")
            for d, share, n in zip(decisions(m), shares, often, strict=True)
        ],
    )


def furthest_from_icm(strategy: TournamentStrategy) -> dict[str, Any]:
    """Return the state and the position whose value ICM misses by most, over all players left."""
    found = []
    for m, values in strategy.values.items():
        hands = Hands(strategy.tournament, m)
        value, chip_model = (v.reshape(-1, m) for v in (values, hands.icm()))
        off = np.abs(value - chip_model)
        worst, position = np.unravel_index(int(off.argmax()), off.shape)
        found.append(
            {
                "stacks": [stack * strategy.tournament.unit for stack in hands.states[int(worst)]],
                "position": POSITIONS[m][int(position)],
                "value": float(value[worst, position]),
                "icm": float(chip_model[worst, position]),
            }
        )
    return max(found, key=lambda error: abs(error["value"] - error["icm"]))


def icm_text(off: dict[str, Any]) -> str:
    """Say where the chip model is furthest off."""
    return (
        f"off by up to {abs(off['icm'] - off['value']):.4f}: {off['icm']:.4f} instead of "
        f"{off['value']:.4f} for the {off['position']} of {'/'.join(map(str, off['stacks']))}"
    )


def _gain(gain: float, rules: Tournament) -> str:
    """Return a gain in words."""
    return f"{gain:.6f}, {gain / rules.pool:.5%} of the prizes"


def _off(error: float) -> str:
    """Say how far tables may be off."""
    return f"values off by at most {error:.6f} for rounded ones"


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
