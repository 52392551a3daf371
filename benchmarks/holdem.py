"""How fast strategies of limit hold'em are certified in the full game, flop by flop.

    python -m benchmarks.holdem [DEVICE] [--flops N]

Without --flops all 1,755 classes of flops are evaluated, and the exploitability of the strategies that look
at no cards is printed beside what Johanson et al. (2011) found.
"""

from __future__ import annotations

import argparse
import time

from equipoise.certificates.gap import certify
from equipoise.certificates.streamed import StreamedCertificate
from equipoise.games import poker
from equipoise.strategy.simple import simple_strategy

PUBLISHED = {"always-fold": 750.0, "always-call": 1163.48, "always-raise": 3697.69}


def main() -> None:
    """Print a line for each strategy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device", nargs="?", default="compiled")
    parser.add_argument("--flops", type=int)
    parser.add_argument("--only", choices=PUBLISHED, action="append")
    given = parser.parse_args()
    game = poker.limit_holdem()
    for name in given.only or PUBLISHED:
        wall, cpu = time.perf_counter(), time.process_time()
        proof = certify(game, simple_strategy(game, name), flops=given.flops, device=given.device)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        assert isinstance(proof, StreamedCertificate)
        found, error = (
            proof.in_mbb(chips) for chips in (proof.exploitability, proof.exploitability_error)
        )
        boards = proof.classes * 49 * 48
        print(
            f"{name:13} {found:12.6f} mbb/g (published {PUBLISHED[name]}), error {error:.3f}, "
            f"value {proof.value:+.6f}, {proof.classes:,} flops, {wall:.1f} s, {cpu:.1f} CPU s, "
            f"{boards / wall:,.0f} boards a second",
            flush=True,
        )


if __name__ == "__main__":
    main()
