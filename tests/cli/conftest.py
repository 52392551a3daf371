"""Run commands in this process, in an empty folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest
from commandline import Cli, Outcome

from equipoise.cli.app import run


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Cli]:
    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    # Not by monkeypatch: a test that undoes its patches would go on in the clone.
    with chdir(tmp_path):
        yield call
