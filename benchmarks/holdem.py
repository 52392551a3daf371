"""How fast strategies of limit hold'em are certified in the full game, flop by flop.

    python -m benchmarks.holdem [DEVICE] [--flops N] [--precision P] [--only NAME] [--children 20,5,4,3]

Without --flops all 1,755 classes of flops are evaluated, and the exploitability of the strategies that look
at no cards is printed beside what Johanson et al. (2011) found. Those use a few of the leaves; "buckets" is a
strategy at random over random buckets, which uses all of them, as solved strategies do.
"""

from __future__ import annotations

import argparse
import time

from equipoise.abstraction.bucket_table import random_table
from equipoise.certificates.board_walk import PRECISIONS
from equipoise.certificates.gap import certify
from equipoise.certificates.streamed import StreamedCertificate
from equipoise.games import poker
from equipoise.games.poker.game import PokerGame
from equipoise.strategy.profile import Strategy
from equipoise.strategy.simple import random_strategy, simple_strategy

PUBLISHED = {"always-fold": 750.0, "always-call": 1163.48, "always-raise": 3697.69}
NAMES = (*PUBLISHED, "buckets")


def main() -> None:
    """Print a line for each strategy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device", nargs="?", default="compiled")
    parser.add_argument("--flops", type=int)
    parser.add_argument("--precision", choices=PRECISIONS)
    parser.add_argument("--only", choices=NAMES, action="append")
    parser.add_argument("--children", default="20,5,4,3")
    given = parser.parse_args()
    game = poker.limit_holdem()
    for name in given.only or NAMES:
        strategy = _strategy(game, name, given.children)
        wall, cpu = time.perf_counter(), time.process_time()
        proof = certify(
            game, strategy, flops=given.flops, device=given.device, precision=given.precision
        )
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        assert isinstance(proof, StreamedCertificate)
        found, error = (
            proof.in_mbb(chips) for chips in (proof.exploitability, proof.exploitability_error)
        )
        boards = proof.classes * 49 * 48
        beside = f" (published {PUBLISHED[name]})" if name in PUBLISHED else ""
        print(
            f"{name:13} {found:12.6f} mbb/g{beside}, error {error:.3f}, value {proof.value:+.6f}, "
            f"{proof.classes:,} flops, {wall:.1f} s, {cpu:.1f} CPU s; a flop {wall / proof.classes:.2f} s, "
            f"{cpu / proof.classes:.2f} CPU s; boards a second {boards / wall:,.0f}, "
            f"a CPU second {boards / cpu:,.0f}",
            flush=True,
        )


def _strategy(game: PokerGame, name: str, children: str) -> Strategy:
    if name in PUBLISHED:
        return simple_strategy(game, name)
    return random_strategy(game, random_table(game, [int(count) for count in children.split(",")]))


if __name__ == "__main__":
    main()
