"""Solves that are there to be killed: a process that forks one for each line it is sent.

What is solved, and how, are the arguments: those of ``equipoise solve``, which goes to ``it.eqp``. Kernels are compiled once, before the first fork, so that a kill falls into the solve itself and not
into its start. For each line on stdin the process id of a new solve is written to stdout, and, when
that solve has died, its exit status.
"""

from __future__ import annotations

import os
import sys

from equipoise.cli.app import run

ENDING = ["--gap", "0", "--resume", "--json"]


def main() -> None:
    os.environ["EQUIPOISE_THREADS"] = "1"  # a fork takes no threads along
    wanted = ["solve", *sys.argv[1:], *ENDING]
    run([*wanted, "--iterations", "3", "--out", "warm.eqp"])
    sys.stdout.flush()
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(run([*wanted, "--out", "it.eqp"]))
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
