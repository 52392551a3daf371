"""What a user waits for before anything is solved: imports, help, compilation, a large tree.

    python -m benchmarks.startup

Every figure comes from fresh processes. The cost of compilation is the CPU time of a command with an
empty Numba cache over that of the same command run again; nothing may be left of it the second time.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

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
HELP = """
import sys
sys.argv = ["equipoise", "--help"]
from equipoise.cli import main
try:
    main()
except SystemExit:
    pass
"""
SOLVE = """
from equipoise.games.base import load
from equipoise.sequence.build import build
from equipoise.solve.base import Gap, solve
from equipoise.solve.auto import choose
from equipoise.solve.methods import method
form, name = build(load("leduc")), {!r}
solve(form, choose(form, 1e-3)[0] if name == "auto" else method(name), Gap(1e-3))
"""
TREE = """
import time
from equipoise.games.classic import leduc
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
        "--methods", default="auto,dcfr,egt,lp", help="methods whose compilation is measured"
    )
    parser.add_argument("--json", type=Path, help="file to write all figures to")
    options = parser.parse_args(arguments)
    figures: dict[str, Any] = {}
    print(f"{'':<44}{'seconds':>9}{'bar':>8}")
    _quick("python alone", "", None, figures)
    _quick("import equipoise", "import equipoise", 0.3, figures)
    _quick("equipoise --help", HELP, 0.5, figures)
    for name in options.methods.split(","):
        _compilation(name, figures)
    _tree(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def _quick(title: str, code: str, bar: float | None, figures: dict[str, Any]) -> None:
    """Show the median wall-clock and CPU time of a short command, and what it loaded needlessly."""
    reports = [_run(code) for _ in range(REPEATS)]
    if (failed := _failure(reports)) is not None:
        print(f"{title:<44}{'n/a':>9}  {failed}")
        return
    wall = statistics.median(report["wall_seconds"] for report in reports)
    cpu = statistics.median(report["cpu_seconds"] for report in reports)
    loaded = [name for name in HEAVY if name in reports[0]["modules"]]
    figures[title] = {"wall_seconds": wall, "cpu_seconds": cpu, "heavy_modules": loaded}
    _show(f"{title}, wall", wall, None)
    _show(f"{title}, CPU", cpu, bar, f"loads {', '.join(loaded)}" if loaded else "")


def _compilation(name: str, figures: dict[str, Any]) -> None:
    """Show what solving Leduc costs with an empty cache, and the second time."""
    with tempfile.TemporaryDirectory() as cache:
        first, second, third = (_run(SOLVE.format(name), cache) for _ in range(3))
    if (failed := _failure([first, second, third])) is not None:
        print(f"{'solve leduc by ' + name:<44}{'n/a':>9}  {failed}")
        return
    # The processor's noise alone makes the second run differ from the third.
    again = min(second["cpu_seconds"], third["cpu_seconds"])
    cost = first["cpu_seconds"] - again
    figures[f"compilation, {name}"] = {"first": first["cpu_seconds"], "again": again, "cost": cost}
    _show(f"solve leduc by {name}, empty cache, CPU", first["cpu_seconds"], None)
    _show("  the second time, CPU", again, None)
    _show("  compilation", cost, 5.0)


def _tree(figures: dict[str, Any]) -> None:
    """Show the time and memory of a tree of more than a million nodes, from rules."""
    tree, form = _run(TREE), _run(FORM)
    if (failed := _failure([tree, form])) is not None:
        raise SystemExit(failed)
    figures["tree"] = {key: value for key, value in form.items() if key != "modules"}
    figures["tree"]["megabytes_of_tree"] = tree["megabytes"]
    _show(f"tree of {tree['nodes']:,} nodes from rules, CPU", tree["tree_seconds"], 20.0)
    _show("  peak memory, GB", tree["megabytes"] / 1024, 1.0)
    _show("  its sequence form, CPU", form["form_seconds"], None)
    _show("  peak memory of both, GB", form["megabytes"] / 1024, None)


def _show(title: str, value: float, bar: float | None, remark: str = "") -> None:
    limit = "" if bar is None else f"{bar:g}"
    verdict = "" if bar is None else ("  met" if value <= bar else "  MISSED")
    print(f"{title:<44}{value:>9.3f}{limit:>8}{verdict}  {remark}".rstrip(), flush=True)


def _run(code: str, cache: str | None = None) -> dict[str, Any]:
    """Run ``code`` in a fresh interpreter and return its report, or what went wrong."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code + REPORT],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - start
    if done.returncode != 0:
        return {"failed": done.stderr.strip().splitlines()[-1]}
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**report, "wall_seconds": wall}


def _failure(reports: list[dict[str, Any]]) -> str | None:
    return next((report["failed"] for report in reports if "failed" in report), None)


if __name__ == "__main__":
    main()
