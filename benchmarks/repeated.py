"""Repeated games with incomplete information: certified gaps, beside the grid method.

    python -m benchmarks.repeated [--seconds 300]

Every game is random, with payoffs in [0, 1], and solved in this process, one thread, by the certified
method and by Gilpin's grid (SolveP1) with as many points as fit into ``GRID_POINTS``. The gap is
upper - lower, that of the grid its error bound. The last table shows how far games of six states get
within the given seconds of wall-clock time, a hard one among them: the diagonal game, whose v is the
harmonic 1 / sum_k 1/q_k, curved everywhere. Times are of CPU, without that of compiling the kernel.
"""

from __future__ import annotations

import argparse
import math
import os
import time

os.environ.update({"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"})

import numpy as np

from benchmarks.report import markdown
from equipoise.games.repeated.game import EXAMPLES, RepeatedGame
from equipoise.solvers.repeated.cav import solve_repeated
from equipoise.solvers.repeated.cav_grid import solve_p1

GRID_POINTS = 20_000
SEEDS = 5
STRETCH = 1e-8
# States, actions of either player, gap to certify, and the CPU seconds it may take.
BARS = ((2, 50, 1e-8, 10.0), (3, 30, 1e-6, math.inf), (4, 5, 1e-4, 120.0), (6, 5, 1e-4, math.inf))
HEADER = (
    "game",
    "target",
    "bar, CPU s",
    "gap",
    "CPU s",
    "cells",
    "grid's gap",
    "grid's CPU s",
    "grid points",
)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0)
    seconds = parser.parse_args().seconds
    solve_repeated(EXAMPLES["partial"])  # compiles the kernel
    rows = [bar(*row, seed) for row in BARS for seed in range(SEEDS)]
    print(markdown(HEADER, rows))
    print(f"\nSix states, at most {seconds:.0f} s each:\n")
    games = {f"5 x 5, seed {seed}": random_game(6, 5, seed) for seed in range(2)}
    games["10 x 10, seed 0"] = random_game(6, 10, 0)
    games["diagonal"] = diagonal(6)
    header = ("game", "target", "gap", "wall s", "CPU s", "cells", "status")
    print(markdown(header, [stretch(name, game, seconds) for name, game in games.items()]))


def random_game(states: int, actions: int, seed: int) -> RepeatedGame:
    """Payoffs uniform in [0, 1], a prior uniform on the simplex."""
    rng = np.random.default_rng((states, actions, seed))
    return RepeatedGame(rng.random((states, actions, actions)), rng.dirichlet(np.ones(states)))


def diagonal(states: int) -> RepeatedGame:
    """State k pays 1 at (k, k) and nothing elsewhere; all states are equally likely."""
    payoffs = np.zeros((states, states, states))
    payoffs[range(states), range(states), range(states)] = 1.0
    return RepeatedGame(payoffs, np.full(states, 1 / states))


def bar(states: int, actions: int, target: float, limit: float, seed: int) -> tuple[str, ...]:
    """Solve one game by both methods."""
    game = random_game(states, actions, seed)
    start = time.process_time()
    solution = solve_repeated(game, target)
    middle = time.process_time()
    divisions = 1
    while math.comb(divisions + states, states - 1) <= GRID_POINTS:
        divisions += 1
    on_grid = solve_p1(game, game.range / divisions)
    end = time.process_time()
    return (
        f"K = {states}, {actions} x {actions}, seed {seed}",
        f"{target:.0e}",
        f"{limit:.0f}" if math.isfinite(limit) else "",
        f"{solution.gap:.1e}",
        f"{middle - start:.2f}",
        f"{solution.cells:,}",
        f"{on_grid.error:.1e}",
        f"{end - middle:.2f}",
        f"{on_grid.points:,}",
    )


def stretch(name: str, game: RepeatedGame, seconds: float) -> tuple[str, ...]:
    """Certify a game as closely as time allows."""
    start = time.process_time()
    solution = solve_repeated(game, STRETCH, seconds=seconds, cells=math.inf)
    return (
        name,
        f"{STRETCH:.0e}",
        f"{solution.gap:.1e}",
        f"{solution.seconds:.0f}",
        f"{time.process_time() - start:.0f}",
        f"{solution.cells:,}",
        solution.status.value,
    )


if __name__ == "__main__":
    main()
