"""``equipoise repeated``: examples, files, plots, plays and bad input."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from commandline import Cli

THREE = """
prior = ["1/3", "1/3", "1/3"]
[[state]]
payoffs = [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
[[state]]
payoffs = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
[[state]]
payoffs = [[0, 0, 0], [0, 0, 0], [0, 0, 1]]
"""


@pytest.mark.parametrize(
    ("name", "value", "revealed"),
    [("unrevealing", 0.25, 0), ("revealing", 0, 1), ("partial", 1, 0.18872)],
)
def test_examples_by_name(cli: Cli, name: str, value: float, revealed: float) -> None:
    outcome = cli("repeated", name, "--tolerance", 1e-9, "--json")
    assert outcome.code == 0
    assert outcome.fields["value"] == pytest.approx(value, abs=1e-9)
    assert outcome.fields["revealed"] == pytest.approx(revealed, abs=1e-5)
    assert outcome.fields["lower"] <= value <= outcome.fields["upper"]
    assert outcome.fields["status"] == "converged"
    assert not os.listdir()


def test_tables_for_people(cli: Cli) -> None:
    outcome = cli("repeated", "partial", "--grid", 0.5)
    assert outcome.code == 0
    for words in ("revealed", "18.9%", "P(A)", "state B", "What the signals tell", "grid"):
        assert words in outcome.out


def test_files_and_plots_of_three_states(cli: Cli) -> None:
    Path("three.toml").write_text(THREE)
    outcome = cli("repeated", "three.toml", "--out", "three", "--tolerance", 1e-3, "--json")
    assert outcome.code == 0
    # Harmonic: 1 / (3 + 3 + 3).
    assert outcome.fields["value"] == pytest.approx(1 / 9, abs=1e-3)
    assert outcome.fields["files"] == ["three.html", "three.png"]
    assert Path("three.png").read_bytes().startswith(b"\x89PNG")
    page = Path("three.html").read_text()
    assert "cav v" in page
    assert "mesh3d" in page


def test_plots_of_two_states_and_plays(cli: Cli) -> None:
    outcome = cli("repeated", "irrational", "--out", "it", "--stages", 40, "--json")
    assert outcome.code == 0
    assert outcome.fields["files"] == ["it.html", "it.png", "it-play.html", "it-play.png"]
    assert all(Path(file).stat().st_size > 10_000 for file in outcome.fields["files"])
    assert len(outcome.fields["plays"]) == 5


def test_other_numbers_of_states_are_not_drawn(cli: Cli) -> None:
    Path("one.toml").write_text("prior = [1]\n[[state]]\npayoffs = [[1, 2]]")
    outcome = cli("repeated", "one.toml", "--out", "one", "--json")
    assert outcome.code == 0
    assert outcome.fields["value"] == pytest.approx(1)
    assert "two or three" in outcome.err
    assert "files" not in outcome.fields


def test_stopping_short_says_so(cli: Cli) -> None:
    outcome = cli("repeated", "irrational", "--time", 0, "--json")
    assert outcome.code == 1
    assert outcome.fields["status"] == "time limit"
    assert outcome.fields["lower"] <= 0.2928932188135 <= outcome.fields["upper"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.toml"], "none.toml: cannot be read"),
        (["partial", "--tolerance", "-1"], "--tolerance: found -1.0"),
        (["partial", "--grid", "0"], "epsilon is 0"),
        (["partial", "--time", "nan"], "seconds is nan"),
        (["partial", "--out", "nowhere/plot"], "is not a folder"),
    ],
)
def test_bad_input_is_one_line_and_code_2(cli: Cli, arguments: list[str], message: str) -> None:
    outcome = cli("repeated", *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err
    assert len(outcome.err.splitlines()) == 1
