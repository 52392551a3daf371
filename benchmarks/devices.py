"""Rhode Island hold'em on a device: iterations, gaps reached, and certificates on the processor.

    python -m benchmarks.devices cuda            # 0.1 and 0.01 chips, and the gap after 200 iterations
    python -m benchmarks.devices cuda --fine     # 0.001 chips, too

Compares with compiled loops on the same machine: both must reach the same gap to about a hundredth.
"""

from __future__ import annotations

import argparse
import time

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.certificates.gap import certify
from equipoise.games import poker
from equipoise.sequence.backends.devices import DEVICES
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap, Iterations
from equipoise.solvers.saddle.cfr import member
from equipoise.strategy.lift import lift


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device", choices=DEVICES)
    parser.add_argument("--fine", action="store_true", help="solve to 0.001 chips, too")
    wanted = parser.parse_args()
    game = poker.rhode_island()
    coarse = gameshrink(game)
    form = build(game, coarse)
    for dtype in ("float32", "float64"):
        for device in (wanted.device, "compiled"):
            method = member("dcfr", device=device, dtype=dtype, gamma=4.0)
            solution = solve(form, method, Iterations(200))
            print(f"{device:9} {dtype}: gap {solution.gap:.4f} after 200 iterations")
    targets = [(0.1, "float32"), (0.01, "float64"), *([(0.001, "float64")] * wanted.fine)]
    for gap, dtype in targets:
        method = member("dcfr", device=wanted.device, dtype=dtype, gamma=4.0)
        solution = solve(form, method, Gap(gap))
        begin = time.perf_counter()
        proof = certify(game, lift(solution.strategy, coarse))
        print(
            f"{gap:g} chips, {dtype}: {solution.iterations:,} iterations, {solution.seconds:.1f} s; "
            f"certified {proof.gap:.6f}, value {proof.value - proof.gains[1]:.6f} to "
            f"{proof.best_responses[0]:.6f}, in {time.perf_counter() - begin:.1f} s"
        )


if __name__ == "__main__":
    main()
