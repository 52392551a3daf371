"""What a user waits for before anything is solved: imports, help, compilation, a large tree.

    python -m benchmarks.startup

Every figure comes from fresh processes and is CPU time, which on an idle machine is what a user waits
for. The cost of compilation is the first run with an empty Numba cache less the same run again.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.report import markdown

REPEATS = 5
HEAVY = ("numba", "scipy", "highspy", "plotly", "matplotlib")

# A process tells its own CPU time and peak memory in the last line that it prints.
REPORT = """
import json, resource, sys
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({
    "cpu_seconds": usage.ru_utime + usage.ru_stime,
    "megabytes": usage.ru_maxrss / 1024,
    "modules": sorted({name.partition(".")[0] for name in sys.modules}),
    **globals().get("extra", {}),
}))
"""
COMMAND = """
import sys
sys.argv = ["equipoise", *{!r}.split()]
from equipoise.cli import main
try:
    main()
except SystemExit as ending:
    assert not ending.code, ending.code
"""
TREE = """
import time
from equipoise.games.trees.classic import leduc
start = time.process_time()
game = leduc(14, 2)
extra = {"nodes": game.nodes, "tree_seconds": time.process_time() - start}
"""
FORM = (
    TREE
    + """
from equipoise.sequence.build import build
start = time.process_time()
build(game)
extra["form_seconds"] = time.process_time() - start
"""
)


def main(arguments: list[str] | None = None) -> None:
    """Measure, print a table with the bars, and write JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument(
        "--methods", default="auto,lp,dcfr,pcfr+", help="methods whose compilation is measured"
    )
    parser.add_argument("--json", type=Path, help="file to write all figures to")
    options = parser.parse_args(arguments)
    sheet = Sheet()
    sheet.quick("python alone", "")
    sheet.quick("import equipoise", "import equipoise", 0.3)
    sheet.quick("equipoise --help", COMMAND.format("--help"), 0.5)
    for name in options.methods.split(","):
        sheet.compilation(name)
    sheet.tree()
    print(markdown(["", "figure", "bar", ""], sheet.rows))
    if options.json:
        options.json.write_text(json.dumps(sheet.figures, indent=2) + "\n")


class Sheet:
    """The figures as they come in, and the table's rows that show them."""

    def __init__(self) -> None:
        self.figures: dict[str, float] = {}
        self.rows: list[list[str]] = []

    def show(self, title: str, value: float, unit: str, bar: float | None = None) -> None:
        """Add a figure, with whether it meets its bar."""
        self.figures[f"{title}, {unit}"] = value
        verdict = "" if bar is None else "met" if value <= bar else "MISSED"
        limit = "" if bar is None else f"{bar:g} {unit}"
        self.rows.append([title, f"{value:.3f} {unit}", limit, verdict])

    def quick(self, title: str, code: str, bar: float | None = None) -> None:
        """Add the median CPU time of a short command, which must load nothing heavy."""
        reports = [_run(code) for _ in range(REPEATS)]
        loaded = [name for name in HEAVY if name in reports[0]["modules"]]
        if loaded:
            raise SystemExit(f"{title}: loads {', '.join(loaded)}")
        median = statistics.median(report["cpu_seconds"] for report in reports)
        self.show(title, median, "s", bar)

    def compilation(self, name: str) -> None:
        """Add what solving Leduc costs with an empty cache, and the second time."""
        with tempfile.TemporaryDirectory() as cache:
            words = f"solve leduc --method {name} --gap 1e-3 --json --force --out {cache}/leduc"
            first, *later = (_run(COMMAND.format(words), cache)["cpu_seconds"] for _ in range(4))
        self.show(f"solve leduc by {name}, first run", first, "s")
        self.show(f"solve leduc by {name}, later runs", min(later), "s")
        self.show(f"compilation for {name}", first - min(later), "s", 5.0)

    def tree(self) -> None:
        """Add the time and memory of a tree of more than a million nodes, from rules."""
        tree, form = _run(TREE), _run(FORM)
        title = f"tree of {tree['nodes']:,} nodes"
        self.show(f"{title} from rules", tree["tree_seconds"], "s", 20.0)
        self.show(f"{title}, peak memory", tree["megabytes"] / 1024, "GB", 1.0)
        self.show("its sequence form", form["form_seconds"], "s")
        self.show("tree and sequence form, peak memory", form["megabytes"] / 1024, "GB")


def _run(code: str, cache: str | None = None) -> dict[str, Any]:
    """Run ``code`` in a fresh interpreter and return its report."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    command = [sys.executable, "-c", code + REPORT]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


if __name__ == "__main__":
    main()
