"""The table of many flops, in processes that are killed: the same bytes as if nothing had happened."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

RULES = """
oop = "AA,76s,KdQd"
ip = "JJ,AKs:0.5"
pot = 10
stack = 10
bets = "a"
"""
FLOPS = 100
KILLED_AFTER = (0, 1, 7, 30, 64, 99)


def _command(folder: Path) -> list[str]:
    return [
        sys.executable, "-m", "equipoise", "flops", str(folder / "rules.toml"),
        "--flops", str(FLOPS), "--target", "2", "--json",
    ]  # fmt: skip


def _rows(table: Path) -> int:
    return max(0, table.read_bytes().count(b"\n") - 1) if table.exists() else 0


def _kill_at(folder: Path, rows: int, late: float) -> bool:
    """Run until the table has so many rows and a little longer, then kill; say whether it was still at work."""
    table = folder / "rules-flops.csv"
    process = subprocess.Popen(
        _command(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None and _rows(table) < rows:
        time.sleep(0.005)
    time.sleep(late)
    process.kill()
    return process.wait() < 0


@pytest.mark.slow
def test_a_batch_of_a_hundred_flops_survives_kills(tmp_path: Path) -> None:
    folders = tmp_path / "whole", tmp_path / "killed"
    for folder in folders:
        folder.mkdir()
        (folder / "rules.toml").write_text(RULES)
    subprocess.run(_command(folders[0]), check=True, stdout=subprocess.DEVNULL)
    killed = [_kill_at(folders[1], rows, 0.03 * place) for place, rows in enumerate(KILLED_AFTER)]
    assert sum(killed) >= len(KILLED_AFTER) - 1  # the last one may have been done
    ended = _rows(folders[1] / "rules-flops.csv")
    assert KILLED_AFTER[-2] <= ended <= FLOPS
    subprocess.run(_command(folders[1]), check=True, stdout=subprocess.DEVNULL)
    tables = [(folder / "rules-flops.csv").read_bytes() for folder in folders]
    assert tables[0] == tables[1]
    assert tables[0].count(b"\n") == FLOPS + 1
