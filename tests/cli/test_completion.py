"""What the shell is offered, as it asks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from equipoise.cli.completion import complete_game, complete_method, complete_strategy


def test_games_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lib").mkdir()
    for name in ("leduc2.efg", "list.txt", "l.eqp", ".l.efg", "lib/löwe.nfg"):
        (tmp_path / name).touch()
    assert complete_game("l") == ["leduc", "liars_dice", "limit_holdem", "leduc2.efg", "lib/"]
    assert complete_game("lib/l") == ["lib/löwe.nfg"]
    assert complete_game(f"{tmp_path}/le") == [f"{tmp_path}/leduc2.efg"]
    assert complete_game("nowhere/") == []
    assert complete_strategy("l") == ["l.eqp", "lib/"]


def test_methods() -> None:
    assert "auto" in complete_method("a")
    assert "dcfr" in complete_method("d")
    assert "shrink:" in complete_method("s")
    assert complete_method("shrink:dcf") == ["shrink:dcfr"]
    assert complete_method("nothing:d") == []


def test_bash_is_answered(tmp_path: Path) -> None:
    """The protocol of the script that --install-completion writes."""
    asked = {
        "_EQUIPOISE_COMPLETE": "complete_bash",
        "COMP_WORDS": "equipoise solve kuhn --method dc",
        "COMP_CWORD": "4",
    }
    answer = subprocess.run(
        [sys.executable, "-m", "equipoise"],
        env={**os.environ, **asked},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "dcfr" in answer.stdout.split()
    help_text = subprocess.run(
        [sys.executable, "-m", "equipoise", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert "--install-completion" in help_text
