"""Repeated games with incomplete information (Gilpin 2009, chapter 11): ours beside theirs.

Prints the tables of ``docs/repeated.md``: the examples of section 11.3 with their strategies; a game
with an irrational splitting; where Theorem 13 fails; random games, certified and checked against the
grid method and against linear programs; and plays.

    python experiments/repeated.py [--games 500] [--stages 2000]

The random games take about 15 s of CPU, the plays a minute.
"""

from __future__ import annotations

import argparse
import math
import time
from itertools import combinations

import numpy as np

from equipoise.games.repeated.game import EXAMPLES, RepeatedGame
from equipoise.numerics.program import Program, optimize
from equipoise.play.repeated import Greedy, RandomInformed, Spiteful, pairings, play
from equipoise.solvers.driver import Status
from equipoise.solvers.repeated.cav import RepeatedSolution, solve_repeated
from equipoise.solvers.repeated.cav_grid import grid_error, solve_p1

# Section 11.3: the value, and the chance of playing U for ever in states A and B.
PUBLISHED = {"unrevealing": "0.25", "revealing": "0", "partial": "1"}
# How many of the random games have how many states, actions at most, and to what gap; grid's C.
RANDOM = ((2, 6, 1e-6, 50, 0.4), (3, 4, 1e-3, 16, 0.3), (4, 4, 1e-3, 8, 0.3))


def heading(text: str) -> None:
    """Print a section title."""
    print(f"\n{text}\n{'-' * len(text)}")


def examples() -> None:
    """The three games of Gilpin 2009, and the irrational one."""
    heading("Examples")
    for name, game in EXAMPLES.items():
        solution = solve_repeated(game, 1e-9)
        theirs = PUBLISHED.get(name, f"{1 - math.sqrt(0.5):.10f} by hand")
        always_u = solution.informed.lottery @ solution.informed.actions[:, 0]
        print(
            f"{name:12} value {solution.value:.10f} (gap {solution.gap:.1e}), expected {theirs}; "
            f"revealed {solution.informed.share_revealed:.1%}; "
            f"U with probability {always_u[0]:.6f} in A, {always_u[1]:.6f} in B"
        )


def theorem_13() -> None:
    """How much the grid misses of a game that peaks between its points."""
    heading("Theorem 13: v* is claimed to miss at most 1/C")
    for states, divisions in ((2, 1), (3, 1), (4, 2), (5, 2), (5, 7), (6, 3)):
        subsets = list(combinations(range(states), (states + 1) // 2))
        payoffs = [[[float(k in subset) for subset in subsets]] for k in range(states)]
        game = RepeatedGame(payoffs, np.full(states, 1 / states))
        missing = solve_repeated(game).value - solve_p1(game, 1 / divisions).value
        bound = grid_error(states, divisions)
        print(
            f"K = {states}, C = {divisions}: misses {missing:.6f}, claimed {1 / divisions:.6f}, "
            f"our bound {bound:.6f}"
        )


def random_game(rng: np.random.Generator, states: int, most: int) -> RepeatedGame:
    """One of up to ``most`` actions a player; every third has small integers, and so many ties."""
    shape = (states, *rng.integers(2, most + 1, 2))
    coarse = rng.random() < 1 / 3
    payoffs = rng.integers(-2, 3, shape).astype(float) if coarse else rng.random(shape)
    return RepeatedGame(payoffs, rng.dirichlet(np.ones(states)))


def random_games(count: int) -> None:
    """Certify random games; check them against the grid, and z against linear programs."""
    heading(f"{count} random games")
    rng = np.random.default_rng(2009)
    for states, most, tolerance, divisions, share in RANDOM:
        times, cells, faults = [], [], 0
        for _ in range(round(count * share)):
            game = random_game(rng, states, most)
            start = time.process_time()
            solution = solve_repeated(game, tolerance)
            times.append(time.process_time() - start)
            cells.append(solution.cells)
            faults += not is_right(solution, tolerance, divisions, rng)
        print(
            f"K = {states}, up to {most} x {most}, gap {tolerance:.0e}: {len(times)} games, "
            f"{faults} faults; CPU {np.mean(times):.3f} s on average, {max(times):.3f} s at most; "
            f"cells {np.median(cells):.0f} in the median, {max(cells):,} at most"
        )


def is_right(
    solution: RepeatedSolution, tolerance: float, divisions: int, rng: np.random.Generator
) -> bool:
    """Whether bounds are in order and close, the grid agrees, and z majorises v at random points."""
    game = solution.game
    on_grid = solve_p1(game, game.range / divisions)
    slack = 1e-9 * game.range
    q = rng.dirichlet(np.ones(len(game.states)), 3)
    majorised = all(solution.hyperplane @ at >= value_by_lp(game.average(at)) - slack for at in q)
    return bool(
        solution.status is Status.CONVERGED
        and solution.lower <= solution.upper <= solution.lower + tolerance
        and on_grid.value <= solution.upper + slack
        and solution.lower <= on_grid.value + on_grid.error + slack
        and majorised
    )


def value_by_lp(A: np.ndarray) -> float:
    """Linear program (11.4): min w subject to A y <= w, y a distribution."""
    m, n = A.shape
    program = Program(
        c=np.append(np.zeros(n), 1.0),
        A=np.block([[A, -np.ones((m, 1))], [np.ones((1, n)), np.zeros((1, 1))]]),
        row_lower=np.append(np.full(m, -np.inf), 1.0),
        row_upper=np.append(np.zeros(m), 1.0),
        lower=np.append(np.zeros(n), -np.inf),
    )
    return optimize(program).require_optimal("value").objective


def plays(stages: int) -> None:
    """Average payoffs by pairing, and the distance to the target set times root n."""
    three = RepeatedGame(
        np.random.default_rng(3).random((3, 4, 4)), [0.2, 0.3, 0.5], name="random, 3 states"
    )
    for game in (EXAMPLES["partial"], EXAMPLES["irrational"], three):
        solution = solve_repeated(game, 1e-8 * game.range)
        heading(f"Plays of {game.name}: value {solution.value:.6f}, {stages} stages, 20 seeds")
        paths = pairings(solution.informed, solution.uninformed, stages, range(20))
        for name, path in paths.items():
            marks = "  ".join(f"{n}: {path[n - 1]:.4f}" for n in (10, 100, stages))
            print(f"{name:30} {marks}")
        approach(solution, stages)


def approach(solution: RepeatedSolution, stages: int) -> None:
    """Distance of the average payments to the target, against those who know the strategy."""
    game, root = solution.game, np.sqrt(np.arange(1, stages + 1))
    sides = {
        "greedy": Greedy(solution.uninformed),
        "spiteful": Spiteful(solution.uninformed),
        "optimal": solution.informed,
        "random": RandomInformed(game),
    }
    for name, side in sides.items():
        found = []
        for seed in range(20):
            state, rng = seed % len(game.states), np.random.default_rng(seed)
            one = play(game, side, solution.uninformed, state, stages, rng)
            found.append(np.linalg.norm(np.maximum(one.payments - solution.hyperplane, 0), axis=1))
        scaled = np.mean(found, axis=0) * root
        marks = "  ".join(f"{n}: {scaled[n - 1]:.3f}" for n in (10, 100, stages))
        print(f"distance * sqrt(n), {name:10} {marks}  (bound {solution.uninformed.reach:.3f})")


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--stages", type=int, default=2000)
    arguments = parser.parse_args()
    examples()
    theorem_13()
    random_games(arguments.games)
    if arguments.stages:
        plays(arguments.stages)


if __name__ == "__main__":
    main()
