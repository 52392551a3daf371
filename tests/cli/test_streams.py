"""Output that cannot be written, and streams that the shell has closed: no traceback, and nothing lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from commandline import Cli, Outcome

from equipoise.__main__ import main
from equipoise.errors import INTERRUPTED, remark

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


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows allows no file")
def test_a_remark_is_one_line_whatever_is_in_its_names(cli: Cli) -> None:
    short = ("solve", "kuhn", "--method", "cfr+", "--gap", 0, "--iterations", 3)
    name = "two\nlines\x1b[31m\x9bred"
    assert "\x1b" not in cli(*short, "--out", name).err
    told = cli(*short, "--out", name, "--force")
    assert told.err.startswith("equipoise: two lines\\x1b[31m\\x9bred.checkpoint: ")
    assert told.code == 1
    assert all(line.startswith("equipoise: ") for line in told.err.splitlines())
    assert len(remark("x" * 100_000)) < 3_000
    refused = cli("info", f"{name}.efg")
    assert (refused.code, refused.err.count("\n"), "\x1b" in refused.err) == (2, 1, False)


def test_an_interrupt_while_modules_are_imported_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(ModuleType):
        def __getattr__(self, name: str) -> None:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "equipoise.cli", Interrupted("equipoise.cli"))
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr()) == (
        INTERRUPTED,
        ("", "equipoise: interrupted\n"),
    )


def test_an_interrupt_while_a_command_runs_is_told(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("equipoise.games.base.load", interrupted)
    assert cli("info", "kuhn") == Outcome(INTERRUPTED, "", "equipoise: interrupted\n")
