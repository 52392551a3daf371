"""``./run`` from anywhere, in folders of any name: what it starts, where, and with what words."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone, installed as far as ``run`` can see, whose program says where it is and what it got."""
    clone = tmp_path / "mein Klön"
    programs = clone / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("run", "pyproject.toml"):
        shutil.copy(ROOT / name, clone)
    stamp = f"{clone.resolve()}\n{(clone / 'pyproject.toml').read_text()}"
    for extra in ("[play]", "[test]"):
        (clone / ".venv" / f"installed{extra}").write_text(stamp)
    for name in ("equipoise", "pytest", "ruff", "mypy", "lint-imports", "mkdocs"):
        (programs / name).write_text(f'#!/bin/sh\nprintf "%s|" {name} "$PWD" "$@"\necho\n')
        (programs / name).chmod(0o755)
    # Nothing may be installed here: the interpreter of this environment refuses.
    (programs / "python").write_text("#!/bin/sh\nexit 9\n")
    (programs / "python").chmod(0o755)
    return clone


def said(*command: str | Path, cwd: Path) -> list[list[str]]:
    done = subprocess.run(command, cwd=cwd, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return [line.split("|")[:-1] for line in done.stdout.splitlines()]


def test_paths_mean_what_the_user_typed(clone: Path, tmp_path: Path) -> None:
    stand = tmp_path / "wo sie stöht"
    stand.mkdir()
    words = ["solve", "ein spiel.efg", "--out", "../über.eqp", "*"]
    expected = [["equipoise", str(stand), *words]]
    assert said(clone / "run", *words, cwd=stand) == expected
    assert said("../mein Klön/run", *words, cwd=stand) == expected
    (stand / "link").symlink_to(clone / "run")
    assert said("./link", *words, cwd=stand) == expected


def test_tests_run_in_the_clone(clone: Path, tmp_path: Path) -> None:
    *checks, tests = said(clone / "run", "test", "-k", "one or other", cwd=tmp_path)
    assert [check[0] for check in checks] == ["ruff", "ruff", "mypy", "lint-imports", "mkdocs"]
    assert tests[:2] == ["pytest", str(clone)]
    assert tests[-4:] == ["-m", "not slow", "-k", "one or other"]
    [slow] = said(clone / "run", "test-slow", cwd=tmp_path)
    assert slow[-2:] == ["-m", "slow"]


def test_it_says_whether_there_is_a_browser(clone: Path, tmp_path: Path) -> None:
    """Without one the pages are not tested in any, and nobody should believe they were."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "sh", "cat", "dirname", "env", "head"):
        (tools / name).symlink_to(str(shutil.which(name)))

    def told() -> str:
        done = subprocess.run(
            [clone / "run", "test"], text=True, capture_output=True,
            env={"PATH": str(tools), "PYTHON": sys.executable},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stderr

    assert "found no Chromium" in told()
    (tools / "chromium").symlink_to(str(shutil.which("sh")))
    assert f"{tools}/chromium" in told()


@pytest.mark.parametrize("change", ["dependencies", "place"])
def test_it_is_installed_again_when_something_changed(
    change: str, clone: Path, tmp_path: Path
) -> None:
    if change == "dependencies":
        with (clone / "pyproject.toml").open("a") as file:
            file.write("# another\n")
    else:
        clone = clone.rename(tmp_path / "moved")
    fake = tmp_path / "python"
    fake.write_text('#!/bin/sh\ncase "$1" in -c) exec python3 "$@";; *) exit 7;; esac\n')
    fake.chmod(0o755)
    done = subprocess.run(
        [clone / "run", "--help"], env={**os.environ, "PYTHON": str(fake)},
        text=True, capture_output=True,
    )  # fmt: skip
    assert f"run: installing equipoise[play] into {clone}" in done.stderr
    # A moved environment is no good, and is made anew; else it is only added to.
    assert done.returncode == {"dependencies": 9, "place": 7}[change]
