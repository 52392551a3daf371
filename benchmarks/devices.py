"""Rhode Island hold'em on a device: iterations, gaps reached, and certificates on the processor.

    python -m benchmarks.devices cuda            # 0.1 and 0.01 chips, and the gap after 200 iterations
    python -m benchmarks.devices cuda --fine     # 0.001 chips, too
    python -m benchmarks.devices numpy --perturbed 12   # how far rounding moves the gap after 200 iterations

Compares with compiled loops on the same machine: both must reach the same gap to about a hundredth, in the mean
over runs that rounding has parted.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.certificates.gap import certify
from equipoise.games import poker
from equipoise.sequence.backends.devices import DEVICES
from equipoise.sequence.build import SequenceForm, build
from equipoise.solvers.base import Context, measure, solve
from equipoise.solvers.driver import Gap, Iterations
from equipoise.solvers.saddle.cfr import member
from equipoise.strategy.lift import lift


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device", choices=DEVICES)
    parser.add_argument("--fine", action="store_true", help="solve to 0.001 chips, too")
    parser.add_argument("--perturbed", type=int, help="only perturb so many runs of each backend")
    wanted = parser.parse_args()
    game = poker.rhode_island()
    coarse = gameshrink(game)
    form = build(game, coarse)
    for dtype in ("float32", "float64"):
        for device in (wanted.device, "compiled"):
            if wanted.perturbed:
                found = perturbed(form, device, dtype, wanted.perturbed)
                spread = f"{found.std(ddof=1):.4f}, {found.min():.4f} to {found.max():.4f}"
                print(f"{device:9} {dtype}: mean {found.mean():.4f}, standard deviation {spread}")
                continue
            method = member("dcfr", device=device, dtype=dtype, gamma=4.0)
            solution = solve(form, method, Iterations(200))
            print(f"{device:9} {dtype}: gap {solution.gap:.4f} after 200 iterations")
    if wanted.perturbed:
        return
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


def perturbed(form: SequenceForm, device: str, dtype: str, runs: int) -> np.ndarray:
    """Return gaps after 200 iterations of runs whose regrets were changed in the last digits after three."""
    method, digit = member("dcfr", device=device, dtype=dtype, gamma=4.0), {"float32": 1e-7}
    gaps = []
    for seed in range(runs):
        random, run = np.random.default_rng(seed), method.start(form, Context())
        run.advance(3)
        state = run.state()
        for name in ("regret.0", "regret.1"):
            noise = digit.get(dtype, 1e-15) * random.standard_normal(state[name].shape)
            state[name] = (state[name] * (1.0 + noise)).astype(dtype)
        run.restore(state)
        run.advance(197)
        lower, upper = measure(form, *run.point())
        gaps.append(upper - lower)
    return np.array(gaps)


if __name__ == "__main__":
    main()
