"""Spots beside postflop-solver: seconds to four gaps, values and memory.

    python benchmarks/spots.py                              # turn and river on one core
    python benchmarks/spots.py --spot flop                  # some minutes, and 0.4 GB
    python benchmarks/spots.py --device cuda --spot flop    # on a GPU; Numba is not needed for it
    python benchmarks/spots.py --method "pcfr+(dtype=float32)"
    python benchmarks/spots.py --method "dcfr(dtype=int16,beta=0.5,gamma=4)"  # 16 bits a number

The gap is the mean of what both players could gain, in hundredths of the starting pot. CPU seconds count from the
sequence form to the measured gap, measurements included; compilation and the making of the form are printed
apart. Peer: postflop-solver (Rust, single precision, AVX2), CPU seconds of one thread on the machine that the
figures in docs/spots.md were measured on, and the interval of values that its last strategies prove.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from dataclasses import dataclass

GAPS = (1.0, 0.5, 0.1, 0.03)


@dataclass(frozen=True)
class Trial:
    """A spot, and what the peer needs: seconds to each gap, megabytes, and the interval of the value."""

    spot: dict[str, object]
    seconds: tuple[float | None, ...]
    memory_mb: float | None
    value: tuple[float, float] | None


RANGES = {
    "oop": "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
    "ip": "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
}
EVERY_HAND = "22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32"

TRIALS: dict[str, Trial] = {
    "river": Trial(
        {
            "board": "2c7d9hTsJc",
            "oop": EVERY_HAND,
            "ip": EVERY_HAND,
            "pot": 100,
            "stack": 500,
            "bets": "50%,100%,a",
            "raises": "60%,a",
        },
        (None,) * 4,
        None,
        None,
    ),
    "turn": Trial(
        {
            "board": "Td9d6hQc",
            **RANGES,
            "pot": 200,
            "stack": 900,
            "bets": "60%,e,a",
            "raises": "2.5x",
            "donk": "50%",
            "add_allin": 1.5,
            "force_allin": 0.15,
            "merge": 0.1,
        },
        (1.6, 2.0, 4.2, 10.4),
        12,
        (91.945, 91.985),
    ),
    "flop": Trial(
        {
            "board": "Td9d6h",
            **RANGES,
            "pot": 180,
            "stack": 910,
            "bets": "60%",
            "raises": "2.5x",
            "force_allin": 0.15,
        },
        (45, 73, 142, 304),
        484,
        (95.652, 95.758),
    ),
}


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--spot", choices=TRIALS, action="append", help="which: turn and river")
    parser.add_argument("--device", default="compiled", help="compiled, numpy, torch, cuda, cupy")
    parser.add_argument("--method", help="a method of 'equipoise spot --method'")
    parser.add_argument("--gap", type=float, help="the smallest gap, in hundredths of the pot")
    parser.add_argument("--threads", type=int, default=1, help="for compiled loops and products")
    wanted = parser.parse_args()
    for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):  # before any of them is loaded
        os.environ[f"{name}_NUM_THREADS"] = str(wanted.threads)
    for name in wanted.spot or ("river", "turn"):
        _run(name, wanted)


def _run(name: str, wanted: argparse.Namespace) -> None:
    """Solve one spot, and print a row for each gap."""
    from dataclasses import replace

    from equipoise.games.poker import spot
    from equipoise.road.spots import DEFAULT, sizes
    from equipoise.sequence.build import build
    from equipoise.solvers.base import solve
    from equipoise.solvers.driver import Gap, Iterations
    from equipoise.solvers.methods import method

    trial = TRIALS[name]
    smallest = wanted.gap or (0.1 if wanted.device != "compiled" or name == "river" else 0.03)
    game = spot(**trial.spot)
    chosen = replace(method(wanted.method or DEFAULT), device=wanted.device)
    found = sizes(game, chosen)
    print(
        f"\n{name}: {found['hands']} hands, {found['lines']} lines, {found['boards']} boards, "
        f"{found['memory_mb']} MB by estimate"
    )
    print(f"method: {chosen.name}")
    begin = time.perf_counter(), time.process_time()
    form = build(game)
    print(f"form: {time.perf_counter() - begin[0]:.2f} s, {time.process_time() - begin[1]:.2f} CPU")
    begin = time.perf_counter(), time.process_time()
    solve(form, chosen, Iterations(5))
    print(
        f"first iterations, and compilation if any: {time.perf_counter() - begin[0]:.2f} s, "
        f"{time.process_time() - begin[1]:.2f} CPU"
    )
    before = _peak_mb()
    solution = solve(form, chosen, Gap(smallest * game.pot / 50))
    rows = solution.log
    print(f"peak memory {_peak_mb():.0f} MB, {_peak_mb() - before:.0f} of them since then")
    print("   gap %  iterations  CPU s  seconds  from the 1st measurement  peer's CPU s")
    for gap, peer in zip(GAPS, trial.seconds, strict=True):
        row = next((row for row in rows if 50 * row.gap / game.pot <= gap), None)
        if row is not None:
            print(
                f"{gap:8g}  {row.iterations:10,}  {row.cpu_seconds:5.2f}  {row.seconds:7.2f}  "
                f"{row.seconds - rows[0].seconds:24.2f}  {'-' if peer is None else peer:>12}"
            )
    print(f"value: {solution.lower:.3f} to {solution.upper:.3f}; the peer's: {trial.value}")


def _peak_mb() -> float:
    """Return the most memory that the process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
