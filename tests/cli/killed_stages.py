"""Stages of the road of large poker that kill themselves: a process that forks one for each line it is sent.

All is done once before the first fork, in the folder ``whole``, so that kernels are compiled and there is something
to compare with; the number of events of each stage is printed. A line is a stage and a number: the process that does the stage kills itself at so many events (a step
of progress; a file that is written but not yet in its place; one that is), or never for 0. Its exit status is printed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from equipoise.certificates import parts_file
from equipoise.cli import certify, progress
from equipoise.cli.app import run

# Too many deals to list, few enough classes of flops to go through in seconds.
RULES = """
blinds = [1, 2]
deck = { ranks = "TJQKA", suits = "cdhs", showdown = "five-card" }
round = [
    { private = 2, bet = 2, cap = 2 },
    { public = 3, bet = 2, cap = 1, first = 2 },
    { public = 1, bet = 4, cap = 1, first = 2 },
    { public = 1, bet = 4, cap = 1, first = 2 },
]
"""
STAGES: dict[str, tuple[str, ...]] = {
    "abstract": (
        "abstract", "five.toml", "--method", "expectation(flops=4,boards=100)", "--buckets",
        "6-12-20-30", "--out", "buckets.eqp",
    ),
    "solve": (
        "solve", "five.toml", "--abstraction", "buckets.eqp", "--pairs", "pairs.eqp", "--gap", "0",
        "--iterations", "30", "--checkpoint", "0", "--flops", "2", "--resume", "--out", "solved.eqp",
    ),
    "certify": ("certify", "five.toml", "solved.eqp", "--flops", "12", "--parts", "parts.eqp"),
}  # fmt: skip


class Fuse:
    """Kills this process at an event to come."""

    left = 0

    def event(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any) -> Any:
            self.event()
            return function(*arguments)

        return called


def do(stage: str) -> int:
    """Run a stage; what it prints goes to a file."""
    with Path(f"{stage}.json").open("w") as file, redirect_stdout(file):
        return run([*STAGES[stage], "--json"])


def main() -> None:
    fuse = Fuse()

    @contextmanager
    def counting(is_shown: bool) -> Iterator[Callable[[str, int, int], None]]:
        yield lambda what, done, total: fuse.event()

    progress.counting = certify.counting = counting
    os.fsync, os.replace = fuse.before(os.fsync), fuse.before(os.replace)
    parts_file._SECONDS = 0.0
    with chdir("whole"):
        for stage in STAGES:
            fuse.left = 0
            do(stage)
            print(stage, -fuse.left, flush=True)
    for line in sys.stdin:
        stage, left = line.split()
        child = os.fork()
        if child == 0:
            fuse.left = int(left)
            os._exit(do(stage))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
