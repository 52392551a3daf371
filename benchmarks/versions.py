"""Two versions of Equipoise side by side, to see whether anything has become slower.

    git worktree add --detach /tmp/before REVISION
    python -m benchmarks.versions /tmp/before [--repeats 3] [--only leduc,tournament]

The commands of both versions take turns, each in a process of its own with the same number of threads. What
is shown is the least CPU time of each, and that of this version over the other's. Kernels are compiled
before anything is timed, each version's in a cache of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.report import markdown, processor

RUN = "from equipoise.cli import main; main()"
SOLVE = "{folder}/found.eqp --force --json"
# Each command, and what makes it short for the run that compiles.
TASKS = {
    "import": ("", ""),
    "help": ("--help", ""),
    "leduc": (
        f"solve leduc --algorithm cfr+ --iterations 300000 --gap 0 --out {SOLVE}",
        "--iterations 10",
    ),
    "tournament": (
        f"tournament --chips 2100 --blinds 300/600 --prizes 50/30/20 --gain 0.01 --out {SOLVE}",
        "",
    ),
    "rhode-island to 1": (f"solve rhode-island --gap 1 --out {SOLVE}", "--gap 500"),
    "rhode-island to 0.1": (f"solve rhode-island --gap 0.1 --out {SOLVE}", "--gap 500"),
}
HERE = Path(__file__).resolve().parents[1]


def cpu_seconds(tree: Path, task: str, folder: str, caches: Path | None) -> float:
    """Run one command of the version in ``tree``."""
    source = f"{tree / 'src'}{os.pathsep}{tree}"
    cache = str((caches or Path(folder)).resolve() / tree.name)
    environment = {**os.environ, "PYTHONPATH": source, "NUMBA_CACHE_DIR": cache}
    command = [sys.executable, "-c", RUN if task else "import equipoise"]
    command += task.format(folder=folder).split()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # One is a limit that was reached, but Python's own code for a traceback, too.
    if done.returncode > 1 or "Traceback" in done.stderr:
        raise SystemExit(f"{tree}: {' '.join(command[3:])} failed: {done.stderr.strip()[-300:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("other", type=Path, help="a checkout of the version to compare with")
    parser.add_argument("--repeats", type=int, default=3, help="how often each command is timed")
    parser.add_argument("--only", default=",".join(TASKS), help="some of the tasks, with commas")
    parser.add_argument("--json", type=Path, help="write the times to this file, too")
    parser.add_argument(
        "--caches", type=Path, help="where compiled kernels are kept for the next time"
    )
    options = parser.parse_args(arguments)
    times: dict[str, dict[str, list[float]]] = {}
    trees = {"before": options.other.resolve(), "after": HERE}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only.split(","):
            own = times[name] = {version: [] for version in trees}
            for turn in range(options.repeats + 1):
                for version, tree in trees.items():
                    task, short = TASKS[name]
                    found = cpu_seconds(
                        tree, task if turn else f"{task} {short}".strip(), folder, options.caches
                    )
                    if turn:  # the first compiles
                        own[version].append(found)
    rows = []
    for name, own in times.items():
        before, after = min(own["before"]), min(own["after"])
        rows.append((name, f"{before:.3f} s", f"{after:.3f} s", f"{after / before:.2f}"))
    print(processor())
    print(markdown(("CPU time", "before", "after", "ratio"), rows))
    if options.json:
        options.json.write_text(json.dumps(times, indent=1))


if __name__ == "__main__":
    main()
