"""The controlled comparison of abstraction algorithms: Tables 6.6 to 6.9 of Gilpin (2009), ours beside his.

Agents of Rhode Island hold'em are equilibria of its abstractions, by expectation (EB), expectation squared
(EB2) and potential (PA), at seven granularities. They meet in both seats, exactly, in two games:

* the *histogram game*, whose players see 13/205/1774 buckets: what the thesis took for Rhode Island;
* the *true game* of 52 cards, through its lossless abstraction of 13/325/7969 classes, in which best
  responses and payoffs are the full game's (``docs/soundness.md``).

    python experiments/abstraction_study.py [--table 6.6] [--gap 0.1] [--store FOLDER] [--only-solved]
        [--results FILE] [--method threshold ...] [--granularity 13-25-125 ...] [--only-solve]

An agent is solved once and kept in FOLDER; what is interrupted goes on from its checkpoint. Figures are kept
in FILE, ``results/abstraction_study.json`` unless told otherwise, and what is there is not computed again.
With ``--only-solved`` nothing is solved; with ``--only-solve`` agents are solved and nobody meets.

The same study of a game of one's own, any two-player game with signals:

    python experiments/abstraction_study.py --game mine.toml --granularity 4-8-20 --granularity 4-12-60

One thread is fastest on games as small as these, and on a busy machine by far: ``NUMBA_NUM_THREADS=1``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import equipoise
from equipoise.abstraction.base import Partition
from equipoise.errors import EquipoiseError
from equipoise.files import discard, write_atomically
from equipoise.games.signals.stage_game import StageGame
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap
from equipoise.solvers.methods import method as solver
from equipoise.strategy.lift import lift
from equipoise.strategy.profile import Strategy
from equipoise.strategy.store import (
    CHECKPOINT,
    load,
    load_solved,
    save,
    save_strategy,
    strategy_of,
)

RESULTS = Path(__file__).parent / "results" / "abstraction_study.json"
GRANULARITIES = (
    "13-25-125",
    "13-50-250",
    "13-75-500",
    "13-100-750",
    "13-125-1000",
    "13-150-1250",
    "13-205-1774",
)
METHODS = {"EB": "expectation", "EB2": "expectation-squared", "PA": "potential"}
PAIRS = (("EB", "EB2"), ("EB", "PA"), ("EB2", "PA"))
# The games in which agents meet, and the abstractions that stand for them.
GAMES = {"histogram": "histogram", "true": "gameshrink"}
GAME = "rhode-island"
SOLVER = "dcfr(dtype=float32)"
_OF_SOLVING = ("gap", "lower", "upper", "iterations", "cpu_seconds")

Plan = NDArray[np.float64]
Cells = dict[str, dict[str, float]]


class Met(NamedTuple):
    """An agent in one of the games: its plans, and what every sequence earns against them."""

    x: Plan
    y: Plan
    against_y: Plan


class Yardstick:
    """A game in which agents meet, as a sequence form."""

    def __init__(self, game: StageGame, name: str) -> None:
        self.partition = equipoise.abstract(game, GAMES[name])
        self.form = build(game, self.partition)

    def enter(self, strategy: Strategy, own: Partition) -> Met:
        """Return an agent, a strategy of the abstraction ``own``, as it plays here."""
        return self.met(lift(strategy, own, onto=self.partition))

    def met(self, strategy: Strategy) -> Met:
        """Return an agent, a strategy of this very model."""
        plans = []
        for player, space in enumerate((self.form.X, self.form.Y)):
            assert self.form.canonical is not None
            behaviour = np.empty(space.size)
            behaviour[self.form.canonical(player)] = strategy.behaviour[player]
            plans.append(space.plan(behaviour, behaviour))
        return Met(plans[0], plans[1], self.form.A.times(plans[1]))

    def value(self, first: Met, second: Met) -> float:
        """Return what player 1 earns."""
        return self.form.units.shift + self.form.units.unit * float(first.x @ second.against_y)

    def mean(self, agent: Met, other: Met) -> float:
        """Return what ``agent`` earns against ``other``, as the mean over both seats."""
        return (self.value(agent, other) - self.value(other, agent)) / 2

    def nemesis(self, agent: Met) -> float:
        """Return what ``agent`` earns against the best opponent, as the mean over both seats."""
        least = -self.form.Y.support(-self.form.A.transpose_times(agent.x))
        most = self.form.X.support(agent.against_y)
        return self.form.units.unit * (least - most) / 2


def _load(spec: str) -> StageGame:
    """Return a game with signals."""
    game = equipoise.load(spec)
    if not isinstance(game, StageGame):
        raise EquipoiseError(f"{spec}: found a game without signals, expected one with rounds.")
    return game


class Study:
    """Agents and figures, computed when they are asked for and kept in files.

    Agents are solved for the betting of the game ``played``; the ``suffix`` tells their files from those of
    the game itself.
    """

    def __init__(
        self, store: Path, results: Path, gap: float, *, game: str = GAME, solves: bool = True
    ) -> None:
        self.game, self.store, self.gap, self.solves = _load(game), store, gap, solves
        self.spec, self.results, self.played, self.suffix = game, results, self.game, ""
        self.figures: dict[str, Any] = json.loads(results.read_text()) if results.exists() else {}
        store.mkdir(parents=True, exist_ok=True)

    @lru_cache(maxsize=2)  # noqa: B019  # a study lives as long as the script
    def yardstick(self, name: str) -> Yardstick:
        """Return the game called ``name``."""
        return Yardstick(self.game, name)

    @cache  # noqa: B019  # a study lives as long as the script
    def partition(self, name: str) -> Partition:
        """Return the abstraction called ``name``."""
        start = time.process_time()
        found = equipoise.abstract(self.game, name)
        seconds = time.process_time() - start
        if "abstraction_seconds" not in self.figures.get("agents", {}).get(name, {}):
            counts = {f"buckets_{r + 1}": n for r, (n, _) in enumerate(found.buckets)}
            self.keep("agents", name, {**counts, "abstraction_seconds": seconds})
        return found

    def solved(self, name: str) -> tuple[Strategy, Partition] | None:
        """Return the equilibrium of the abstraction called ``name``; solve it if need be."""
        partition = self.partition(name)
        file = self.store / f"{partition.digest}{self.suffix}.eqp"
        if not file.exists():
            if not self.solves:
                return None
            self._solve(name, partition, file)
        bundle = load_solved(file)
        # Who made the file may have kept his figures elsewhere, or another name for these buckets.
        self.keep("agents", name + self.suffix, {key: bundle.metadata[key] for key in _OF_SOLVING})
        return strategy_of(file, bundle), partition

    def _solve(self, name: str, partition: Partition, file: Path) -> None:
        """Solve an abstraction, from a checkpoint if there is one, and keep what is found."""
        form, kept = build(self.played, partition), file.with_suffix(".checkpoint")
        print(f"solving {name}: {form}", flush=True)
        found = solve(
            form,
            solver(SOLVER),
            Gap(self.gap),
            checkpoint=lambda arrays: save(kept, CHECKPOINT, arrays, {"of": name}),
            resume=load(kept, CHECKPOINT).arrays if kept.exists() else None,
        )
        figures = {key: getattr(found, key) for key in _OF_SOLVING}
        save_strategy(
            file, found.strategy.astype(np.float32), metadata={"abstraction": name, **figures}
        )
        discard(kept)

    def keep(self, kind: str, name: str, figures: dict[str, float]) -> None:
        """Add figures to the file of results."""
        known = self.figures.setdefault(kind, {}).setdefault(name, {})
        if figures.items() <= known.items():
            return
        known.update(figures)
        text = json.dumps(self.figures, indent=1, sort_keys=True) + "\n"
        self.results.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self.results, lambda out: out.write(text.encode()))

    def agents(self, methods: Sequence[str], granularities: Sequence[str]) -> None:
        """Solve agents, the coarsest first."""
        for granularity in granularities:
            for method in methods:
                self.solved(f"{method}({granularity})")

    def meetings(self, methods: dict[str, str], granularities: Sequence[str]) -> None:
        """Let all agents of a granularity meet, in both games."""
        for game in GAMES:
            for granularity in granularities:
                known = self.figures.get(game, {}).get(granularity, {})
                if set(wanted(methods)) <= known.keys():
                    continue
                start = time.process_time()
                found = dict(self._meet(game, granularity, methods))
                if found:
                    seconds = time.process_time() - start
                    self.keep(game, granularity, {**found, "cpu_seconds": seconds})
                    print(f"{granularity} met in the {game} game: {seconds:.1f} s", flush=True)

    def _meet(
        self, game: str, granularity: str, methods: dict[str, str]
    ) -> Iterator[tuple[str, float]]:
        yardstick, here = self.yardstick(game), {}
        for short, method in methods.items():
            agent = self.solved(f"{method}({granularity})")
            if agent is not None:
                here[short] = yardstick.enter(*agent)
        for a, b in ((a, b) for i, a in enumerate(here) for b in list(here)[i + 1 :]):
            yield f"{a} vs {b}", yardstick.mean(here[a], here[b])
        best = self.solved(GAMES[game])
        optimal = None if best is None else yardstick.enter(*best)
        for short, agent in here.items():
            yield f"{short} value", yardstick.value(agent, agent)
            yield f"{short} nemesis", yardstick.nemesis(agent)
            if optimal is not None:
                yield f"{short} equilibrium", yardstick.mean(agent, optimal)
                yield "value", yardstick.value(optimal, optimal)


def wanted(methods: dict[str, str]) -> Iterator[str]:
    """Yield the names of all figures of a granularity in a game."""
    names = list(methods)
    yield from (f"{a} vs {b}" for i, a in enumerate(names) for b in names[i + 1 :])
    yield from (f"{a} {kind}" for a in names for kind in ("value", "nemesis", "equilibrium"))
    yield "value"


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve, let meet, and print the tables."""
    from tables_6 import TABLES, print_table

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", choices=[*TABLES], action="append")
    parser.add_argument("--gap", type=float, default=0.1)
    parser.add_argument("--store", type=Path, default=Path("abstraction-study"))
    parser.add_argument("--results", type=Path)
    parser.add_argument("--game", default=GAME)
    parser.add_argument("--method", action="append", default=[])
    parser.add_argument("--granularity", action="append")
    parser.add_argument("--only-solved", action="store_true")
    parser.add_argument("--only-solve", action="store_true")
    given = parser.parse_args(arguments)
    is_published = given.game == GAME
    if not (is_published or given.granularity):
        parser.error(f"{given.game}: found no --granularity, expected some, such as 4-8-20")
    granularities = given.granularity or GRANULARITIES
    results = given.results or (RESULTS if is_published else given.store / "figures.json")
    study = Study(given.store, results, given.gap, game=given.game, solves=not given.only_solved)
    methods = {**METHODS, **{name: name for name in given.method}}
    study.agents(list(methods.values()), granularities)
    if given.only_solve:
        return
    study.meetings(methods, granularities)
    for table in given.table or TABLES:
        print_table(table, study.figures, is_published=is_published)


if __name__ == "__main__":
    main()
