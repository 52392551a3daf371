"""The command: whom it serves, and what it refuses before it does."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from equipoise.cli.app import run


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--host", "0.0.0.0"], "--token"),
        (["--host", "0.0.0.0", "--token", "short"], "at least 12"),
        (["--token", "with spaces in it"], "letters and digits"),
        (["--folder", "nowhere"], "expected a folder"),
        (["--port", "99999"], "--port: found 99999, expected"),
        (["--port", "-1"], "--port: found -1, expected"),
    ],
)
def test_bad_options_are_refused(
    options: list[str], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert run(["serve", "--no-open", *options]) == 2
    assert expected in capsys.readouterr().err


def test_a_port_that_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(["serve", "--no-open", "--folder", str(tmp_path), "--port", str(port)]) == 2
    assert "expected a free port" in capsys.readouterr().err


def test_one_command_serves_this_machine_alone_until_ctrl_c(solved: Path) -> None:
    command = [sys.executable, "-m", "equipoise", "serve", "--no-open", "--port", "0"]
    with subprocess.Popen(
        [*command, "--folder", str(solved)], stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        found = re.search(r"http://localhost:(\d+)/", said)
        assert found, said
        with urllib.request.urlopen(f"http://127.0.0.1:{found[1]}/api/strategies") as answer:
            assert len(json.load(answer)["strategies"]) >= 8
        server.send_signal(signal.SIGINT)
        assert server.wait(30) in (0, 130)
