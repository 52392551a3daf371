"""``equipoise qualitative`` and ``equipoise nash``: tables, JSON, plots and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.cli.app import run

MOTIVATING = """
game = "bet-or-check"
pot = 2.0
[models]
bluffs = '''
P1: bet |a| check |b| bet
P2: call |c| fold
order: a <= c <= b
'''
"""


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    monkeypatch.chdir(tmp_path)
    Path("game.toml").write_text(MOTIVATING)

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        return run(list(arguments)), *capsys.readouterr()

    return command


def test_thresholds_and_certificate_as_json(call: Any) -> None:
    code, out, _ = call("qualitative", "game.toml", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["status"] == "converged"
    assert found["thresholds"] == pytest.approx({"a": 0.3, "b": 0.9, "c": 0.6}, abs=1e-9)
    assert found["epsilon"] <= 1e-12
    assert found["values"] == pytest.approx([1.1, 0.9])
    assert found["model"] == "model 'bluffs'"


def test_tables_for_people(call: Any) -> None:
    code, out, _ = call("qualitative", "game.toml")
    assert code == 0
    assert "P1  check" in out
    assert "by best responses in the game itself" in out


def test_plots_are_written_as_page_and_picture(call: Any) -> None:
    code, out, _ = call("qualitative", "game.toml", "--plot", "lines", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["html"] == "lines.html"
    page = Path("lines.html").read_text()
    assert "plotly" in page
    assert "check" in page
    assert Path("lines.png").read_bytes().startswith(b"\x89PNG")


def test_models_are_proposed_when_there_are_none(call: Any) -> None:
    Path("bare.toml").write_text('game = "bet-or-check"\npot = 2.0')
    for arguments in (("bare.toml",), ("game.toml", "--propose")):
        code, out, _ = call("qualitative", *arguments, "--json")
        assert code == 0
        assert json.loads(out)["cuts"][1] == pytest.approx([0.6], abs=1e-9)


def test_a_wrong_model_exits_with_one_and_its_gap(call: Any) -> None:
    Path("wrong.toml").write_text(
        'game = "bet-or-check"\n[models]\nx = """\nP1: check | bet\nP2: fold | call\n"""'
    )
    code, out, err = call("qualitative", "wrong.toml")
    assert code == 1
    assert "no equilibrium of this form" in out
    assert not err
    code, out, _ = call("qualitative", "wrong.toml", "--json")
    assert json.loads(out)["epsilon"] > 0.01


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.toml",), "none.toml: cannot be read"),
        (("game.toml", "--encoding", "binary"), "--encoding: found 'binary'"),
        (("game.toml", "--time", "-1"), "--time: found -1.0"),
        (("game.toml", "--breakpoints", "1"), "found 1 breakpoints"),
    ],
)
def test_bad_input_is_one_line_and_exits_with_two(
    call: Any, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = call("qualitative", *arguments)
    assert code == 2
    assert not out
    assert message in err
    assert len(err.splitlines()) == 1


def test_nash_of_a_named_game(call: Any) -> None:
    code, out, _ = call("nash", "kuhn", "--json", "--out", "kuhn.eqp")
    found = json.loads(out)
    assert code == 0
    assert found["values"][0] == pytest.approx(-1 / 18, abs=1e-9)
    assert found["epsilon"] <= 1e-9
    code, out, _ = call("certify", "kuhn", "kuhn.eqp", "--json")
    assert code == 0
    assert json.loads(out)["gap"] <= 1e-8


def test_nash_of_a_general_sum_matrix(call: Any) -> None:
    # The stag hunt: with weights 1, 1 the stag, worth 4 to each.
    Path("stag.nfg").write_text(
        'NFG 1 R "Stag hunt" { "Row" "Column" } { 2 2 }\n\n4 4 3 0 0 3 3 3\n'
    )
    code, out, _ = call("nash", "stag.nfg", "--weights", "1,1")
    assert code == 0
    assert "4" in out
    code, out, _ = call("nash", "stag.nfg", "--weights", "1,1", "--json")
    assert json.loads(out)["values"] == pytest.approx([4.0, 4.0])
    code, out, err = call("nash", "stag.nfg", "--weights", "one")
    assert code == 2
    assert "--weights: found 'one'" in err
