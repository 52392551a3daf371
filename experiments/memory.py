"""Memory of first-order methods on a factored payoff matrix: ours beside theirs (Gilpin 2009, Table 10.1).

    python experiments/memory.py [--full]

Each figure is the most that the arrays of the sequence form and of the solver took together during some
iterations (the interpreter and compiled code come to about 0.15 GB more).
The explicit linear program is counted, not built: 12 bytes a nonzero. Quick mode takes the published
abstraction of Rhode Island Hold'em; ``--full`` the sound one as well.
"""

from __future__ import annotations

import argparse
import tracemalloc
from collections.abc import Sequence

from equipoise.abstraction.base import Partition, coarsen
from equipoise.abstraction.gameshrink import Method, gameshrink
from equipoise.games.base import load
from equipoise.games.signals.sizes import sizes
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import signal_rounds
from equipoise.sequence.build import build
from equipoise.solvers.base import Context
from equipoise.solvers.methods import method

SOLVERS = ("egt", "dcfr", "dcfr(dtype=float32)")
ITERATIONS = 3
BYTES_A_NONZERO = 12
# CPLEX's interior point, CPLEX's simplex, and EGT on the instance RI, in GB.
PUBLISHED = "25.2 GB, more than 3.45 GB, and 0.15 GB for EGT"


def signals(name: str) -> StageGame:
    """Return a game with signals."""
    game = load(name)
    assert isinstance(game, StageGame)
    return game


def measured(game: StageGame, coarse: Partition, solver: str) -> int:
    """Return the most bytes that a form and a solver at work on it hold at once."""
    # What has not been compiled is compiled now: that takes memory, too, and other games need other kernels.
    method(solver).start(build(game, coarse), Context()).advance(1)
    tracemalloc.start()
    form = build(game, coarse)
    tracemalloc.reset_peak()
    method(solver).start(form, Context()).advance(ITERATIONS)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def report(name: str, abstraction: Method) -> None:
    """Print one instance."""
    game = signals(name)
    coarse = gameshrink(game, abstraction)
    found = sizes(game, coarsen(signal_rounds(game), coarse))
    assert found.nonzeros is not None
    counts = "/".join(str(first) for first, _ in coarse.buckets)
    print(
        f"\n{game.name}, {abstraction} {counts}: {found.rows:,} rows, {found.nonzeros:,} nonzeros"
    )
    print(
        f"{'explicit linear program':28} {found.nonzeros * BYTES_A_NONZERO / 1e9:8.3f} GB at least"
    )
    for solver in SOLVERS:
        print(f"{solver:28} {measured(game, coarse, solver) / 1e9:8.3f} GB")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Memory of first-order methods.")
    parser.add_argument("--full", action="store_true", help="the sound abstraction as well")
    parser.add_argument("--game", default="rhode_island", help="another game with signals")
    options = parser.parse_args(arguments)
    report(options.game, "histogram")
    if options.full:
        report(options.game, "sound")
    print(f"\npublished for 13/205/1774: {PUBLISHED}")


if __name__ == "__main__":
    main()
