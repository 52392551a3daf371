"""Make the files of the folders here, which versions before the present one wrote.

    git worktree add --detach /tmp/before 1fcf99a
    python tests/road/data/make.py /tmp/before before

``before`` is commit 1fcf99a. That version named methods by the repr of their class, gave tournaments a kind of
file of their own, and called the ends of a search for equilibria by other names. Repeated and Bayesian games were
not saved at all then. ``landed`` is fb5c0df, when all families had one road.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
STAG = 'NFG 1 R "Stag hunt" { "Row" "Column" } { 2 2 }\n\n4 4 3 0 0 3 3 3\n'
UNFINISHED = ["--gap", "1e-12", "--iterations", "20", "--checkpoint", "0"]
COMMANDS = [
    ["solve", "kuhn", "--out", "kuhn.eqp"],
    ["solve", "leduc", "--algorithm", "dcfr", "--gap", "0.05", "--out", "leduc.eqp"],
    ["solve", "standoff", "--out", "standoff.eqp"],
    ["abstract", "standoff", "--method", "suits", "--out", "standoff.eqa"],
    ["solve", "kuhn", "--algorithm", "dcfr", *UNFINISHED, "--out", "unfinished.eqp"],
    ["solve", "kuhn", "--algorithm", "egt", *UNFINISHED, "--out", "egt.eqp"],
    ["nash", "stag.nfg", "--out", "stag.eqp"],
    ["tournament", "--players", "2", "--chips", "6", "--blinds", "1/2", "--prizes", "60/40",
     "--gain", "0.001", "--out", "tournament.eqp"],
]  # fmt: skip


def main() -> None:
    """Run every command with the older version, in its folder."""
    older = {**os.environ, "PYTHONPATH": str(Path(sys.argv[1]) / "src")}
    folder = HERE / sys.argv[2]
    folder.mkdir(exist_ok=True)
    (folder / "stag.nfg").write_text(STAG)
    for file in folder.glob("*.eq*"):
        file.unlink()
    for command in COMMANDS:
        ended = subprocess.run([sys.executable, "-m", "equipoise", *command], cwd=folder, env=older)
        # Exit code 1 is a solve that stopped short, which is what checkpoints are made from.
        if ended.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}: exit code {ended.returncode}, expected 0 or 1.")


if __name__ == "__main__":
    main()
