"""Limit hold'em by buckets: how exploitability in the full game moves with granularity and with solving time.

Every row is one solve of ``limit-holdem`` in a model, certified with every card told apart after the same flops, drawn
with one seed. What two rows differ by is therefore known better than either of them.

    python experiments/holdem_granularity.py [--flops 8] [--only NAME ...] [--print]

One takes some six CPU minutes.

Rows are kept in ``experiments/results/holdem_granularity.json`` and not computed again.
"""

from __future__ import annotations

import argparse
import json
import resource
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import equipoise
from equipoise.certificates.streamed import StreamedCertificate
from equipoise.files import write_atomically

RESULTS = Path(__file__).parent / "results" / "holdem_granularity.json"
GAP = 0.04
"""What both players may gain in the model, in chips: a hundredth of the gap of the laptop's model after ten iterations."""

FINER = {
    buckets: {"abstraction": "potential", "buckets": buckets}
    for buckets in (
        "5-25-50-100",
        "5-25-100-300",
        "10-50-200-600",
        "20-100-400-1200",
        "20-200-800-2400",
        "40-200-800-2400",
        "169-338-800-2400",
    )
}
OTHERS = {
    "expectation": {"abstraction": "expectation", "buckets": "20-100-400-1200"},
    "expectation-squared": {"abstraction": "expectation-squared", "buckets": "20-100-400-1200"},
    "opponents": {"abstraction": "potential(leaves=opponents)", "buckets": "20-100-400-1200"},
    "emd": {"abstraction": "potential(distance=emd)", "buckets": "20-100-400-1200"},
    "gs1": {"model": "gs1"},
    "gs2": {"model": "gs2"},
    "texas": {"model": "texas"},
}
LONGER = {
    f"after {iterations}": {"model": "laptop", "gap": 0.0, "iterations": iterations}
    for iterations in (15, 30, 60, 240, 480)
}
LARGE = {"gs3": {"model": "gs3", "gap": 0.05, "device": "cuda"}}
"""What only a GPU can do; asked for by name. The row that is kept was stopped after 1,413 flops of all, in random order."""
ROWS: dict[str, Mapping[str, Any]] = {**FINER, **OTHERS, **LONGER, **LARGE}


def main() -> None:
    """Compute the rows that are missing, and print them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flops", type=int, default=8)
    parser.add_argument("--only", nargs="+", choices=ROWS, default=[*FINER, *OTHERS, *LONGER])
    parser.add_argument("--print", action="store_true", help="compute nothing")
    given = parser.parse_args()
    for name in [] if given.print else given.only:
        found = _kept()
        if name not in found:
            found[name] = row(ROWS[name], given.flops)
            _keep(found)
            print(name, found[name], flush=True)
    _print(_kept())


def row(options: Mapping[str, Any], flops: int) -> dict[str, Any]:
    """Solve and certify one model."""
    result = equipoise.solve("limit-holdem", **{"gap": GAP, "flops": flops, **options})
    proof = result.certificate
    assert isinstance(proof, StreamedCertificate)
    last = result.log[-1]
    return {
        "exploitability_mbb": proof.in_mbb(proof.exploitability),
        "error_mbb": proof.in_mbb(proof.exploitability_error),
        "gains_by_round_mbb": [
            proof.in_mbb(float(sum(seats)) / 2) for seats in zip(*proof.gains_by_round, strict=True)
        ],
        "value": proof.value,
        "flops": proof.classes,
        "gap_in_model": last.gap,
        "iterations": last.iterations,
        "cpu_seconds": {step: cpu for step, _, cpu, _ in result.steps},
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _kept() -> dict[str, Any]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def _keep(found: dict[str, Any]) -> None:
    text = json.dumps({name: found[name] for name in ROWS if name in found}, indent=1)
    write_atomically(RESULTS, lambda file: file.write(f"{text}\n".encode()))


def _print(found: dict[str, Any]) -> None:
    print(
        "| model | thousandths of a big blind a hand | error | gap in the model | iterations | solve, CPU s |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, own in found.items():
        seconds = f"{own['cpu_seconds']['solve']:.0f}" if "cpu_seconds" in own else "on a GPU"
        print(
            f"| {name} | {own['exploitability_mbb']:.1f} | {own['error_mbb']:.1f} | {own['gap_in_model']:.3f} "
            f"| {own['iterations']} | {seconds} |"
        )


if __name__ == "__main__":
    main()
