"""``equipoise nash``: what it shows, saves, refuses and returns."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import Cli

from equipoise.road import verbs
from equipoise.road.steps import Steps

STAG = """NFG 1 R "stag hunt" { "one" "two" } { { "stag" "hare" } { "stag" "hare" } } ""

{ { "" 40000000, 40000000 } { "" 30000000, 0 } { "" 0, 30000000 } { "" 30000000, 30000000 } }
1 2 3 4
"""

IDLE = """EFG 2 R "idle" { "one" "two" } ""
c "" 1 "" { "a" 1/3 "b" 2/3 } 0
t "" 1 "" { 3, 0 }
t "" 2 "" { 0, 3 }
"""

THREE = """players = 3
ante = 1
signals.names = ["low", "mid", "high"]
ranking.order = ["low", "mid", "high"]

[[round]]
private = 1
bet = 1
cap = 1
"""


@pytest.fixture
def stag(tmp_path: Path) -> str:
    (tmp_path / "stag.nfg").write_text(STAG)
    return "stag.nfg"


def test_the_profile_is_shown(cli: Cli, stag: str) -> None:
    shown = cli("nash", stag, "--weights", "1,1")
    assert shown.code == 0
    assert "stag 1.0000  hare 0.0000" in " ".join(shown.out.split(" "))
    fields = cli("nash", stag, "--weights", "1,1", "--json").fields
    assert [line["player"] for line in fields["profile"]] == [1, 2]
    for line in fields["profile"]:
        assert line["probabilities"] == pytest.approx({"stag": 1.0, "hare": 0.0})


@pytest.mark.parametrize("game", ["kuhn", "auction"])
def test_reading_the_game_is_a_step(cli: Cli, monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    """The game was once read before its step began, which then took nothing."""
    steps: list[Steps] = []
    taken = []
    begin, read = Steps.take, verbs.load
    monkeypatch.setattr(Steps, "take", lambda own, name: steps.append(own) or begin(own, name))
    monkeypatch.setattr(verbs, "load", lambda spec: taken.append(len(steps)) or read(spec))
    fields = cli("nash", game, "--json").fields
    assert taken == [1]
    assert [step["name"] for step in fields["steps"]] == ["load", "solve", "certify"]


def test_large_payments_are_no_reason_to_stop_short(cli: Cli, stag: str) -> None:
    """Status and exit code say the same, whatever the units."""
    result = cli("nash", stag, "--json")
    assert (result.code, result.fields["status"]) == (0, "converged")
    assert result.fields["targets"] == pytest.approx([0.04, 0.04])
    below_rounding = cli("nash", stag, "--json", "--weights", "1,2", "--epsilon", "1e-30")
    assert (below_rounding.code == 0) == (below_rounding.fields["status"] == "converged")


def test_nothing_is_overwritten_without_force(cli: Cli, stag: str, tmp_path: Path) -> None:
    (tmp_path / "mine.eqp").write_text("a diary")
    refused = cli("nash", stag, "--out", "mine.eqp")
    assert refused.code == 2
    assert "add --force to replace it" in refused.err
    assert (tmp_path / "mine.eqp").read_text() == "a diary"
    assert cli("nash", stag, "--out", "mine.eqp", "--force").code == 0
    assert cli("certify", stag, "mine.eqp", "--json").fields["gains"] == pytest.approx([0, 0])


def test_a_game_in_which_nobody_moves(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "idle.efg").write_text(IDLE)
    result = cli("nash", "idle.efg", "--json")
    assert (result.code, result.fields["status"]) == (0, "converged")
    assert result.fields["values"] == pytest.approx([1, 2])
    assert cli("nash", "idle.efg").code == 0


def test_a_profile_of_a_game_with_signals_cannot_be_saved(cli: Cli) -> None:
    result = cli("nash", "bargaining", "--out", "b.eqp")
    assert result.code == 2
    assert "equipoise convert bargaining FILE.efg" in result.err
    assert cli("convert", "bargaining", "b.efg").code == 0


def test_one_of_a_general_game_with_signals_is_saved(cli: Cli, tmp_path: Path) -> None:
    """Its file's game becomes the same tree again."""
    (tmp_path / "three.toml").write_text(THREE)
    assert cli("nash", "three.toml", "--out", "three.eqp").code == 0
    certified = cli("certify", "three.toml", "three.eqp", "--json")
    assert certified.fields["gains"] == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_limit_says_so(cli: Cli, stag: str) -> None:
    result = cli("nash", stag, "--time", "1e-9")
    assert result.code == 1
    assert "time limit" in result.out
    assert cli("nash", stag, "--time", "0").code == 2


def test_a_stopped_search_goes_on(cli: Cli, stag: str) -> None:
    stopped = cli("nash", stag, "--time", "1e-9")
    assert "raise --time)" in stopped.out  # nothing is saved that could be resumed
    kept = cli("nash", stag, "--time", "1e-9", "--out", "s.eqp")
    assert "or --resume from this run" in kept.out
    assert Path("s.eqp.checkpoint").exists()
    found = cli("nash", stag, "--resume", "--out", "s.eqp", "--json")
    assert (found.code, found.err, found.fields["gap"]) == (0, "", pytest.approx(0, abs=1e-2))
    assert {path.name for path in Path().iterdir()} == {"s.eqp", stag}
    again = cli("nash", stag, "--resume", "--out", "s.eqp", "--json")
    assert "this solve is finished" in again.err
    assert (again.code, again.fields["profile"]) == (0, found.fields["profile"])
    refused = cli("nash", stag, "--resume")
    assert (refused.code, "--resume: found no --out" in refused.err) == (2, True)


def test_all_equilibria_of_a_matrix(cli: Cli, stag: str) -> None:
    """The stag hunt has two pure equilibria and a mixed one: 40 p = 30."""
    shown = cli("nash", stag, "--all")
    assert shown.code == 0
    assert "stag 3/4, hare 1/4" in shown.out
    found = cli("nash", stag, "--all", "--json").fields["components"]
    assert [part[0]["x"] for part in found] == [["1", "0"], ["0", "1"], ["3/4", "1/4"]]
    assert found[2][0]["values"] == ["30000000", "30000000"]
    assert cli("nash", "kuhn", "--all").code == 2
    options = [
        "--out",
        "x.eqp",
        "--weights",
        "1,1",
        "--epsilon",
        "1",
        "--breakpoints",
        "3",
        "--resume",
        "--force",
        "--seed",
        "3",
    ]
    refused = cli("nash", stag, "--all", *options)
    assert refused.code == 2
    assert all(option in refused.err for option in options if option.startswith("--"))


def test_all_equilibria_or_a_sentence_in_time(cli: Cli, stag: str) -> None:
    """A list that is not whole would be taken for one."""
    stopped = cli("nash", stag, "--all", "--time", "1e-9")
    assert (stopped.code, stopped.out) == (2, "")
    assert "all equilibria of a 2 x 2 game are not found in 1e-09 s" in stopped.err
    assert cli("nash", stag, "--all", "--time", "nan").code == 2


def test_a_target_in_parts_of_what_is_at_stake(cli: Cli, stag: str) -> None:
    result = cli("nash", stag, "--epsilon", "1e-3r", "--json")
    assert (result.code, result.fields["targets"]) == (0, [4e4, 4e4])
    refused = cli("nash", stag, "--epsilon", "-1")
    assert (refused.code, "--epsilon: found '-1'" in refused.err) == (2, True)


def test_breakpoints_are_counted_before_they_are_made(cli: Cli, stag: str) -> None:
    Path("three.nfg").write_text(
        'NFG 1 R "three" { "one" "two" "three" } { 2 2 2 }\n\n'
        + " ".join(map(str, range(24)))
        + "\n"
    )
    refused = cli("nash", "three.nfg", "--breakpoints", "1000000000")
    assert (refused.code, "expected from 2 to 1,000" in refused.err) == (2, True)
    of_two = cli("nash", stag, "--breakpoints", "3")
    assert (of_two.code, "for three or more" in of_two.err) == (2, True)


def test_corners_of_a_set_of_equilibria_are_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "idle.nfg").write_text(
        'NFG 1 R "indifferent" { "one" "two" } { 2 2 }\n\n1 1 1 1 0 0 0 0\n'
    )
    shown = cli("nash", "idle.nfg", "--all")
    assert "of which they are the corners" in shown.err
    (part,) = cli("nash", "idle.nfg", "--all", "--json").fields["components"]
    assert len(part) == 2
