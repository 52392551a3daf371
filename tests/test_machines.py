"""The script that stands in for other machines makes the conditions it names, and notices failures."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests import machines
from tests.machines import COMPILER, CONDITIONS, Condition, Report


@pytest.mark.parametrize(
    "name", ["cc", "g++", "gcc-12", "x86_64-linux-gnu-gcc", "clang++-17", "c++"]
)
def test_compilers_are_known_by_name(name: str) -> None:
    assert COMPILER.fullmatch(name)


@pytest.mark.parametrize("name", ["git", "python3", "cat", "ccache-stats", "gccgo.txt", "accent"])
def test_other_programs_are_not(name: str) -> None:
    assert not COMPILER.fullmatch(name)


def test_programs_but_no_compiler_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("gcc", "git"):
        (tools / name).touch()
    monkeypatch.setenv("PATH", f"{tools}:{tmp_path / 'nowhere'}")
    path = machines.without_compilers(tmp_path)["PATH"]
    assert os.listdir(path) == ["git"]


def test_nobody_can_write_into_the_home(tmp_path: Path) -> None:
    home = machines.without_home(tmp_path)["HOME"]
    with pytest.raises(OSError, match="Not a directory"):
        os.makedirs(f"{home}/.cache")


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be chosen here")
def test_a_child_keeps_to_its_core() -> None:
    count = [sys.executable, "-c", "import os; print(len(os.sched_getaffinity(0)))"]
    confined = machines.confine(1)
    assert subprocess.check_output(count, preexec_fn=confined, text=True) == "1\n"


def test_what_this_machine_cannot_do_is_left_out() -> None:
    assert "is not known to have" in str(machines.obstacle(Condition(needs="no such flag")))
    if hasattr(os, "sched_getaffinity"):
        assert "core" in str(machines.obstacle(Condition(cores=10**6)))
    assert machines.obstacle(CONDITIONS["no compiler"]) is None


def test_a_failure_is_reported_with_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report()
    report.run("good", [sys.executable, "-c", ""])
    report.run("bad", [sys.executable, "-c", "import sys; sys.exit('sorry')"])
    assert report.failures == ["bad"]
    shown = capsys.readouterr().out
    assert "ok      good" in shown
    assert "sorry" in shown


def test_files_of_packages_are_named_as_in_the_clone(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "e.whl", "w") as wheel:
        wheel.writestr("equipoise/__init__.py", "")
        wheel.writestr("equipoise-1.dist-info/METADATA", "")
    assert machines.contents(tmp_path / "e.whl") == ["src/equipoise/__init__.py"]
    (tmp_path / "README.md").touch()
    with tarfile.open(tmp_path / "e.tar.gz", "w:gz") as source:
        source.add(tmp_path / "README.md", "equipoise-1/README.md")
        source.add(tmp_path / "README.md", "equipoise-1/PKG-INFO")
    assert machines.contents(tmp_path / "e.tar.gz") == ["README.md"]


def test_unknown_conditions_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        machines.main(["Atari"])
    assert "found ['Atari']" in capsys.readouterr().err


def test_the_machines_have_every_condition_among_them() -> None:
    parts = [part for machine in machines.MACHINES for part in machine.split("+")]
    assert sorted(parts) == sorted(CONDITIONS)


def test_conditions_hold_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[dict[str, object]] = []
    monkeypatch.setattr(Report, "run", lambda *_, **options: runs.append(options))
    machines.try_machine("Haswell+read-only home+another folder", tmp_path, True, Report())
    environment = runs[0]["env"]
    assert isinstance(environment, dict)
    assert {"OPENBLAS_CORETYPE", "NUMBA_CPU_NAME", "NPY_DISABLE_CPU_FEATURES"} <= set(environment)
    assert environment["HOME"].endswith("home")
    assert str(runs[0]["cwd"]).endswith("wo sie grad stöht")
