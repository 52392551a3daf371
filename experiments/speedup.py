"""Parallel products and iterations: ours beside theirs (Gilpin 2009, Table 10.2).

    python experiments/speedup.py [--full] [--threads 1,2]

Times a matrix-vector product and an iteration of discounted CFR on several numbers of threads, on
the sound abstraction of Rhode Island Hold'em (quick mode: a smaller deck). Wall-clock times: run it on
an idle machine. The results of a product do not depend on the number of threads, which is checked.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence

import numpy as np

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.games.base import load
from equipoise.games.signals.stage_game import StageGame
from equipoise.sequence.build import SequenceForm, build
from equipoise.solvers.base import Context
from equipoise.solvers.saddle.cfr import DCFR

QUICK = "rhode_island(ranks=7,suits=3)"
FULL = "rhode_island"
SECONDS = 1.0
PUBLISHED = {  # threads: seconds and speed-up of a product, and of an EGT iteration
    1: "278.958 s 1.00x   1425.786 s 1.00x",
    2: "140.579 s 1.98x    734.366 s 1.94x",
    3: " 92.851 s 3.00x    489.947 s 2.91x",
    4: " 68.831 s 4.05x    383.793 s 3.72x",
}


def best_time(work: Callable[[], object]) -> float:
    """Return the shortest of several wall-clock times: others only ever make one longer."""
    times: list[float] = []
    while sum(times) < SECONDS or len(times) < 3:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(form: SequenceForm, threads: int) -> tuple[float, float, bytes]:
    """Return the times of a product and of an iteration, and the bytes of the product."""
    os.environ["EQUIPOISE_THREADS"] = str(threads)
    y = form.Y.plan(form.Y.uniform()).astype(np.float32)
    out = np.empty(form.X.size, dtype=np.float32)
    product = best_time(lambda: form.A.times(y, out))
    run = DCFR("float32").start(form, Context())
    return product, best_time(lambda: run.advance(1)), out.tobytes()


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Parallel speed-up.")
    parser.add_argument("--full", action="store_true", help="the whole deck")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, with commas")
    options = parser.parse_args(arguments)
    game = load(FULL if options.full else QUICK)
    assert isinstance(game, StageGame)
    form = build(game, gameshrink(game))
    print(f"{game.name}: {form.X.size:,} sequences a player, float32")
    print(
        f"{'threads':>7} {'product':>19} {'DCFR iteration':>19}   published: product, EGT iteration"
    )
    base: tuple[float, float, bytes] | None = None
    for threads in map(int, options.threads.split(",")):
        found = measure(form, threads)
        base = base or found
        assert found[2] == base[2], "the product depends on the number of threads"
        cells = [f"{t:10.4f} s {one / t:5.2f}x" for t, one in zip(found[:2], base[:2], strict=True)]
        print(f"{threads:7} {'  '.join(cells)}   {PUBLISHED.get(threads, '')}")
    print("published: an abstraction of Texas Hold'em, 61,498,656,400 nonzeros")


if __name__ == "__main__":
    main()
