"""The load test itself: a few players, a few seconds, and every figure it promises."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from benchmarks import load


def test_the_load_test_says_what_it_promises(
    solved: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "SCENES", 8)
    monkeypatch.setattr(load, "opened", lambda server, strategy: {"play": 0.5})
    options = "--players 5 --seconds 2 --think 0.05 --arrive 0.2"
    # In a thread of its own: tests of pages leave an event loop running in this one.
    with ThreadPoolExecutor(1) as apart:
        apart.submit(load.main, [str(solved / "rhode.eqp"), *options.split()]).result()
    said = capsys.readouterr().out
    assert re.search(r"exploring 8 scenes: peak \d+ MB, -?\d+ MB beyond", said)
    assert "page play: open after 0.50 s" in said
    found = re.search(r"5 players for \d+ s: ([\d,]+) actions, .* 0 errors", said)
    assert found, said
    assert int(found[1].replace(",", "")) >= 5
