"""``python -m tests.fuzz``: mutate, run, watch, and keep what went wrong."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.watch import Fuzzer


def main() -> int:
    """Run for the time asked for; return 1 if anything went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to run")
    parser.add_argument("--seed", type=int, default=0, help="which sequence of cases")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--cases", type=int, help="stop after so many cases")
    parser.add_argument("--out", type=Path, default=Path("fuzz-faults"), help="where faults go")
    options = parser.parse_args()
    begin, case, faults = time.monotonic(), options.first, 0
    kinds: dict[str, int] = {}
    with Fuzzer(options.seed, options.out) as fuzzer:
        said = begin
        while time.monotonic() - begin < options.seconds:
            if options.cases is not None and case >= options.first + options.cases:
                break
            kind, fault = fuzzer.run(case)
            kinds[kind] = kinds.get(kind, 0) + 1
            if fault is not None:
                faults += 1
                print(f"case {case}: {fault}", flush=True)
            case += 1
            if time.monotonic() - said > 60:
                said = time.monotonic()
                print(
                    f"{said - begin:.0f} s: {case - options.first} cases, {faults} faults",
                    flush=True,
                )
    total = case - options.first
    print(
        f"seed {options.seed}: {total} cases in {time.monotonic() - begin:.0f} s, {faults} faults"
    )
    print(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
