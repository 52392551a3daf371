"""MIP Nash on three-player Kuhn poker: the certified epsilon, and the time it took.

    python experiments/qualitative_kuhn3.py [SECONDS]

No figure is published for Ganzfried and Sandholm's program (section 7.3.3); the target here was 1e-3 in
ten minutes.
"""

from __future__ import annotations

import sys
import time

from equipoise import certify
from equipoise.games import poker
from equipoise.games.signals.unroll import unroll
from equipoise.solvers.general.nash import nash

if __name__ == "__main__":
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    game = unroll(poker.kuhn(4, players=3))
    print(f"{game.name}: {game.nodes} nodes, {game.infosets} information sets")
    for target in (1e-3, 1e-9):
        started = time.process_time()
        answer = nash(game, target=target, time_limit=limit)
        gains = certify(game, answer.strategy).gains
        print(
            f"target {target:g}: epsilon {max(gains):.2e} after {answer.seconds:.0f} s "
            f"({time.process_time() - started:.0f} s of CPU), {answer.programs} programs, values "
            + ", ".join(f"{v:.6f}" for v in answer.values)
        )
