"""CPU time to a certified gap: Equipoise beside OpenSpiel, LiteEFG, HiGHS, Clarabel and PDLP.

    python -m benchmarks.peers
    python -m benchmarks.peers --games kuhn,leduc --contestants equipoise,highs --limit 20

Every contestant solves the same games on one thread, each run in a process of its own, one after
another. A cell shows the least CPU time after which the contestant held a strategy whose gap (the
sum of both players' best-response gains) is at most the column's, and that time over ours. Where a
contestant has variants (algorithms, tolerances) the fastest counts; we run one method only, the one
that ``equipoise solve`` chooses by default. Every gap that is shown was measured by our certificate
in the full game, from the contestant's strategy alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.problems import GAMES, export
from benchmarks.report import markdown
from equipoise.certificates.gap import certify
from equipoise.games.base import load
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.sequence.build import SequenceForm, build
from equipoise.strategy.profile import Strategy

TARGETS = (1e-3, 1e-4, 1e-6, 1e-9)
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
VARIANTS = {
    "openspiel": ("cfr+",),
    "liteefg": ("cfr+", "pcfr+"),
    "highs": ("simplex", "ipx", "ipx, no crossover"),
    "clarabel": ("1e-6", "1e-8", "1e-10", "1e-12"),
    "pdlp": ("1e-4", "1e-6", "1e-8", "1e-10"),
}
# From loose to tight: once one takes too long, so will the next.
LADDERS = ("equipoise", "clarabel", "pdlp")
ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Cell:
    """When a contestant reached a gap, by which variant, and the certified gap it had then."""

    cpu_seconds: float
    variant: str
    gap: float


@dataclass
class Row:
    """A contestant's cells by target, its best gap, and whether some variant ran out of time."""

    contestant: str
    cells: dict[float, Cell]
    best_gap: float | None = None
    is_over: bool = False


@dataclass
class Heat:
    """One game with all its contestants' rows."""

    game: str
    size: dict[str, int]
    rows: list[Row]


def main(arguments: list[str] | None = None) -> None:
    """Run the race that the command line asks for; print tables and write JSON."""
    options = _parser().parse_args(arguments)
    heats = []
    for name in options.games:
        heats.append(race(name, options))
        print(table(heats[-1], options.targets, options.limit), flush=True)
    if options.json:
        document = {"limit": options.limit, "heats": [asdict(heat) for heat in heats]}
        options.json.write_text(json.dumps(document, indent=2) + "\n")


def race(name: str, options: argparse.Namespace) -> Heat:
    """Let every contestant run on one game."""
    entry = GAMES[name]
    game = load(entry.ours)
    assert isinstance(game, ExtensiveGame)
    form = build(game)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        export(game, form, entry.openspiel, folder)
        rows = [_row(one, game, form, folder, options) for one in options.contestants]
    return Heat(name, _size(game, form), rows)


def table(heat: Heat, targets: list[float], limit: float) -> str:
    """Return a heat's table: CPU seconds, how many times ours that is, and by which variant."""
    ours = next((row.cells for row in heat.rows if row.contestant == "equipoise"), {})
    size = ", ".join(f"{count:,} {what}" for what, count in heat.size.items())
    rows = [
        [row.contestant]
        + [
            _reached(row.cells[t], ours.get(t)) if t in row.cells else _missed(row, limit)
            for t in targets
        ]
        for row in heat.rows
    ]
    header = ["CPU s to gap", *(f"{target:g}" for target in targets)]
    return f"\n{heat.game}: {size}\n\n{markdown(header, rows)}"


def _reached(cell: Cell, ours: Cell | None) -> str:
    ratio = f" = {cell.cpu_seconds / ours.cpu_seconds:.3g}x" if ours else ""
    return f"{cell.cpu_seconds:.3g}{ratio} ({cell.variant})"


def _missed(row: Row, limit: float) -> str:
    gap = "no strategy" if row.best_gap is None else f"gap {row.best_gap:.1e}"
    return f"> {limit:g} ({gap})" if row.is_over else f"stops at {gap}"


def _size(game: ExtensiveGame, form: SequenceForm) -> dict[str, int]:
    return {
        "nodes": game.nodes,
        "information sets": game.infosets,
        "payoff entries": form.A.nonzeros,
    }


def _row(
    contestant: str, game: ExtensiveGame, form: SequenceForm, folder: Path, options: Any
) -> Row:
    """Run every variant of a contestant and keep, for each target, the fastest."""
    row = Row(contestant, {})
    if contestant == "equipoise":
        runs = [(options.method, [target]) for target in options.targets]
    else:
        runs = [(variant, options.targets) for variant in VARIANTS[contestant]]
    for number, (variant, targets) in enumerate(runs):
        out = folder / f"{contestant}{number}.json"
        finished = _run(contestant, variant, targets, folder, out, options.limit)
        if out.exists():
            record = json.loads(out.read_text())
            finished &= not record["is_over"]
            _merge(row, record, out, game, form)
        row.is_over |= not finished
        if not finished and contestant in LADDERS:
            break
    return row


def _run(
    contestant: str, variant: str, targets: list[float], folder: Path, out: Path, limit: float
) -> bool:
    """Run one variant in a process of its own; return whether it came to an end by itself."""
    command = [sys.executable, "-m", "benchmarks.contestants", str(folder), contestant, variant]
    command += [str(limit), str(out), *(f"{target:g}" for target in targets)]
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": path}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode > 0:
        reason = done.stderr.strip().splitlines()[-1:]
        print(f"{contestant} ({variant}) failed: {' '.join(reason)}", flush=True)
    return done.returncode == 0


def _merge(row: Row, record: Any, out: Path, game: ExtensiveGame, form: SequenceForm) -> None:
    """Take over the times that are better than those known, certifying the strategies they are for."""
    best = record["best_gap"]
    if best is not None:
        row.best_gap = best if row.best_gap is None else min(best, row.best_gap)
    for text, seconds in record["cpu_seconds"].items():
        target = float(text)
        if target in row.cells and row.cells[target].cpu_seconds <= seconds:
            continue
        with np.load(out.with_name(f"{out.stem}-{target:g}.npz")) as plans:
            behaviour = form.X.behaviour(plans["x"]), form.Y.behaviour(plans["y"])
        certificate = certify(game, Strategy(form.name, form.fingerprint, behaviour))
        # Solver and certificate add in different orders: allow for rounding, and nothing else.
        if certificate.gap > target + 1e-13:
            print(f"{row.contestant}: certified gap {certificate.gap:.3e} misses {target:g}")
            continue
        row.cells[target] = Cell(seconds, record["label"], certificate.gap)


def _parser() -> argparse.ArgumentParser:
    def names(known: Any) -> Any:
        def read(text: str) -> list[str]:
            chosen = text.split(",")
            unknown = [name for name in chosen if name not in known]
            if unknown:
                raise argparse.ArgumentTypeError(f"{unknown[0]}: expected {', '.join(known)}")
            return chosen

        return read

    everyone = ["equipoise", *VARIANTS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--games", type=names(GAMES), default=list(GAMES), help=", ".join(GAMES))
    parser.add_argument(
        "--contestants", type=names(everyone), default=everyone, help=", ".join(everyone)
    )
    parser.add_argument(
        "--targets",
        type=lambda text: [float(part) for part in text.split(",")],
        default=list(TARGETS),
        help="gaps to reach",
    )
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds for one run")
    parser.add_argument("--method", default="auto", help="our method, as equipoise solve takes it")
    parser.add_argument("--json", type=Path, help="file to write all figures to")
    return parser


if __name__ == "__main__":
    main()
