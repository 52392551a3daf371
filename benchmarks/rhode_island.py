"""Rhode Island Hold'em from rules to certificate: time, memory, and bytes against the machine's bandwidth.

    python -m benchmarks.rhode_island [--gaps 1,0.1,0.01] [--algorithm NAME] [--json FILE]

Run it on an idle machine. It reports the time of each step; when the solve reached each gap; the time of a
certificate; the most memory held until the solve ended and until the certificate was there; and how close an iteration comes to what memory allows:

* *pass*: with single precision numbers (4 bytes), an iteration that goes vector by vector reads each
  player's regrets and writes her plan, reads plan and average and writes the average, reads the plan and
  writes the gradient, reads regrets and gradient and writes the regrets: ten numbers a sequence, some
  156 MB a player in Rhode Island. That is the floor for such an iteration.
* *least*: if plans and gradients never leave the cache, as here, five of the ten are left. The payoffs are
  read besides, once a product.
* *copy bandwidth*: bytes read and written a second when a large array is copied, with as many threads, in
  the same run.
* *ratio*: the time of an iteration over the time in which the copy would move those bytes. Iterations and
  copies take turns, and the median of the turns' ratios counts: what other work on the machine slows, it
  slows for both.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import markdown, processor
from equipoise.abstraction.gameshrink import gameshrink
from equipoise.certificates.gap import certify
from equipoise.games.base import load
from equipoise.games.signals.stage_game import StageGame
from equipoise.numerics.threads import cores, spread
from equipoise.sequence.build import SequenceForm, build
from equipoise.solvers.auto import choose
from equipoise.solvers.base import Context, Method, Solution, solve
from equipoise.solvers.driver import Gap
from equipoise.solvers.methods import method
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.strategy.lift import lift

NUMBERS_A_PASS, LEAST_NUMBERS = 10, 5
COPIED_BYTES = 256 * 2**20
ITERATIONS, TURNS = 4, 25


class Clock:
    """Wall-clock and CPU seconds of named steps."""

    def __init__(self) -> None:
        self.steps: dict[str, tuple[float, float]] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time the block."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.steps[name] = time.perf_counter() - wall, time.process_time() - cpu


def seconds(work: Callable[[], object]) -> float:
    """Return the wall-clock time of ``work``."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def copying() -> Callable[[], None]:
    """Return what copies a large array on all cores."""
    source = np.ones(COPIED_BYTES // 4, dtype=np.float32)
    target = np.zeros_like(source)

    def part(lane: int, low: int, high: int) -> None:
        np.copyto(target[low:high], source[low:high])

    return lambda: spread(len(source), part)


def traffic(form: SequenceForm) -> dict[str, float]:
    """Compare an iteration in single precision with the copy."""
    run = DCFR("float32").start(form, Context())
    run.advance(2)
    copy = copying()
    copy()
    turns = np.array(
        [(seconds(lambda: run.advance(ITERATIONS)), seconds(copy)) for _ in range(TURNS)]
    )
    # In each turn: milliseconds of an iteration, bytes a second, and bytes in the time of an iteration.
    iteration = turns[:, 0] / ITERATIONS
    bandwidth = 2 * COPIED_BYTES / turns[:, 1]
    copied = float(np.median(iteration * bandwidth))
    whole, least = (n * 4 * (form.X.size + form.Y.size) for n in (NUMBERS_A_PASS, LEAST_NUMBERS))
    payoffs, tiled = 0, form.A.tiled
    if tiled is not None:
        halves = [tiled.last.half(source, np.float32) for source in (0, 1)]
        arrays = [array for half in halves for array in half.matrices if array is not None]
        payoffs = sum(array.nbytes for array in arrays)
    return {
        "threads": cores(),
        "iteration_ms": 1e3 * float(np.median(iteration)),
        "fastest_ms": 1e3 * float(iteration.min()),
        "pass_mb": whole / 1e6,
        "least_mb": least / 1e6,
        "payoffs_mb": payoffs / 1e6,
        "copy_gb_s": float(np.median(bandwidth)) / 1e9,
        "ratio_to_pass": copied / whole,
        "ratio_to_least": copied / least,
    }


def solves(
    form: SequenceForm, gaps: Sequence[float], algorithm: str
) -> dict[float, tuple[Method, Solution]]:
    """Solve to each gap, once for each method that is chosen on the way."""
    found: dict[float, tuple[Method, Solution]] = {}
    chosen = {g: choose(form, g)[0] if algorithm == "auto" else method(algorithm) for g in gaps}
    for solver in dict.fromkeys(chosen.values()):
        own = [g for g in gaps if chosen[g] == solver]
        solution = solve(form, solver, Gap(min(own)))
        found.update(dict.fromkeys(own, (solver, solution)))
    return found


def reached(solution: Solution, target: float) -> tuple[float, float, int]:
    """Return wall-clock seconds, CPU seconds and iterations at the first gap below ``target``."""
    row = next(row for row in solution.log if row.gap <= target)
    return row.seconds, row.cpu_seconds, row.iterations


def run(name: str, gaps: Sequence[float], algorithm: str) -> dict[str, Any]:
    """Measure everything."""
    clock = Clock()
    warm_up()
    with clock.step("load"):
        game = load(name)
    assert isinstance(game, StageGame)
    with clock.step("abstract"):
        coarse = gameshrink(game)
    with clock.step("build"):
        form = build(game, coarse)
    if not gaps:
        return {"game": game.name, "processor": processor(), "traffic": traffic(form)}
    found = solves(form, gaps, algorithm)
    solved = peak_memory_mb()
    solver, solution = found[min(gaps)]
    with clock.step("lift"):
        strategy = lift(solution.strategy.astype(precision(solver)), coarse)
    with clock.step("certify"):
        proof = certify(game, strategy)
    return {
        "game": game.name,
        "processor": processor(),
        "buckets": [first for first, _ in coarse.buckets],
        "steps": clock.steps,
        "gaps": {
            target: (how.name, precision(how), *reached(what, target))
            for target, (how, what) in sorted(found.items(), reverse=True)
        },
        "certificate": {
            "gap": proof.gap,
            "solver_gap": solution.gap,
            "value_from": -proof.best_responses[1],
            "value_to": proof.best_responses[0],
        },
        "memory_mb": {"solved": solved, "certified": peak_memory_mb()},
        "traffic": traffic(form),
    }


def precision(solver: Method) -> str:
    """Return the type of numbers that a method works with."""
    return str(getattr(solver, "dtype", "float64"))


def peak_memory_mb() -> float:
    """Return the most memory this process has held, in units of 2^20 bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def warm_up() -> None:
    """Compile every kernel on a small deck, so that no step is charged for it."""
    game = load("rhode_island(ranks=3,suits=2)")
    assert isinstance(game, StageGame)
    coarse = gameshrink(game)
    for dtype in ("float32", "float64"):
        solution = solve(build(game, coarse), DCFR(dtype), Gap(1000.0))
        certify(game, lift(solution.strategy, coarse))


def report(result: dict[str, Any]) -> str:
    """Return the tables."""
    numbers = [(name, f"{value:.4g}") for name, value in result["traffic"].items()]
    if "gaps" not in result:
        title = f"{result['game']} on {result['processor']}"
        return f"{title}\n\n{markdown(('what', 'value'), numbers)}"
    steps = [(n, f"{wall:.2f}", f"{cpu:.2f}") for n, (wall, cpu) in result["steps"].items()]
    gaps = [
        (f"{target:g}", name, dtype, f"{wall:.1f}", f"{cpu:.1f}", f"{iterations:,}")
        for target, (name, dtype, wall, cpu, iterations) in result["gaps"].items()
    ]
    numbers += [(name, f"{value:.6f}") for name, value in result["certificate"].items()]
    numbers += [(f"memory_mb, {name}", f"{mb:.0f}") for name, mb in result["memory_mb"].items()]
    return "\n\n".join(
        [
            f"{result['game']} on {result['processor']}, buckets {'/'.join(map(str, result['buckets']))}",
            markdown(("step", "seconds", "CPU seconds"), steps),
            markdown(("gap", "method", "precision", "seconds", "CPU seconds", "iterations"), gaps),
            markdown(("what", "value"), numbers),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="Rhode Island Hold'em, from rules to certificate.")
    parser.add_argument("--game", default="rhode_island", help="a game with signals")
    parser.add_argument(
        "--gaps",
        default="1,0.1,0.01",
        help="targets in chips, with commas; none for iterations alone",
    )
    parser.add_argument("--algorithm", default="auto", help="a method, as in 'equipoise solve'")
    parser.add_argument("--json", type=Path, help="write the numbers to this file, too")
    options = parser.parse_args(arguments)
    result = run(options.game, [float(g) for g in options.gaps.split(",") if g], options.algorithm)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))
    print(report(result))


if __name__ == "__main__":
    main()
