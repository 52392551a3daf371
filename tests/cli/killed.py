"""Solves that are there to be killed: a process that forks one for each line it is sent.

Kernels are compiled once, before the first fork, so that a kill falls into the solve itself and not
into its start. For each line on stdin the process id of a new solve is written to stdout, and, when
that solve has died, its exit status.
"""

from __future__ import annotations

import os
import sys

from equipoise.cli.app import run

ARGUMENTS = [
    "solve",
    "leduc",
    "--method",
    "cfr+",
    "--gap",
    "0",
    "--resume",
    "--json",
    "--checkpoint",
    "0.01",
]


def main() -> None:
    run([*ARGUMENTS, "--iterations", "3", "--out", "warm.eqp"])
    sys.stdout.flush()
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(run(ARGUMENTS))
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
