"""Output that cannot be written, and streams that the shell has closed: no traceback, and nothing lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ICM = "icm --stacks 50/30/20 --prizes 70/30"
FULL = Path("/dev/full")


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run ``command`` of ours as a shell does, its redirections included."""
    line = f'"{sys.executable}" -m equipoise {command}'
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=folder)


@pytest.mark.skipif(not FULL.exists(), reason="a device that is always full: Linux has one")
@pytest.mark.parametrize("command", [ICM, f"{ICM} --json", "--help"])
def test_a_full_disk_behind_the_output_is_told_in_a_sentence(command: str, tmp_path: Path) -> None:
    outcome = shell(f"{command} > {FULL}", tmp_path)
    assert outcome.returncode == 2
    assert outcome.stderr.startswith("equipoise: the output cannot be written (No space left")
    assert outcome.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="redirections of a Unix shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_are_as_good_as_empty_ones(closed: str, tmp_path: Path) -> None:
    outcome = shell(f"nash kuhn --out kuhn.eqp {closed}", tmp_path)
    assert (outcome.returncode, "Traceback" in outcome.stderr) == (0, False)
    # Nothing that is printed goes into a file that took a stream's number.
    assert shell("certify kuhn kuhn.eqp", tmp_path).returncode == 0
    outcome = shell(f"play kuhn --against kuhn.eqp --hands 2 {closed}", tmp_path)
    assert (outcome.returncode, "Traceback" in outcome.stderr) == (0, False)


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe of a Unix shell")
def test_a_reader_who_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    outcome = shell("--help | head -1", tmp_path)
    assert (outcome.stderr, outcome.stdout.count("\n")) == ("", 1)
