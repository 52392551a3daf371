"""``equipoise match``, ``field``, ``dealer`` and ``join``."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import Cli


def test_a_match_shows_luck_and_truth(cli: Cli) -> None:
    assert cli("solve", "leduc", "--json").code == 0
    play = ("match", "leduc.eqp", "always-raise", "--game", "leduc", "--hands", 2000, "--duplicate")
    outcome = cli(*play, "--json")
    assert (outcome.code, outcome.err) == (0, "")
    fields = outcome.fields
    assert (fields["hands"], fields["agents"]) == (2000, ["leduc.eqp", "always-raise"])
    assert fields["low"] < fields["mean"] < fields["high"]
    # An equilibrium loses to nobody, both seats together.
    assert fields["expected"] > 0
    assert fields["series"]["won"] + fields["series"]["lost"] + fields["series"]["tied"] == 20
    assert cli(*play, "--json").out == outcome.out
    text = cli(*play)
    assert text.code == 0
    for word in (
        "leduc.eqp against always-raise",
        "1,000 deals played twice",
        "exactly",
        "last tenth",
    ):
        assert word in text.out


def test_a_nemesis_is_named_by_its_prey(cli: Cli) -> None:
    cli("solve", "kuhn", "--json")
    fields = cli(
        "match", "kuhn.eqp", "nemesis:kuhn.eqp", "--game", "kuhn", "--hands", 100, "--json"
    ).fields
    assert fields["agents"][1] == "nemesis:kuhn.eqp"
    assert fields["expected"] == pytest.approx(0, abs=1e-6)


def test_bets_and_luck_in_poker(cli: Cli) -> None:
    play = ("match", "uniform", "always-call", "--game", "rhode_island(ranks=4,suits=2)")
    fields = cli(*play, "--hands", 2000, "--luck", "--series", 4, "--json").fields
    assert fields["mean_bets"] == pytest.approx(fields["mean"] / 1000)
    assert fields["without_luck"]["factor"] > 1
    assert sum(fields["series"][k] for k in ("won", "lost", "tied")) == 4
    text = cli(*play, "--hands", 2000, "--luck").out
    assert "times narrower" in text
    assert "bets of 1000" in text


def test_a_field_is_ranked(cli: Cli) -> None:
    names = ("always-call", "always-raise", "always-fold")
    fields = cli("field", *names, "--game", "leduc", "--hands", 1000, "--json").fields
    assert fields["bankroll"][-1] == fields["runoff"][-1] == "always-fold"
    assert sorted(fields["wins"]) == sorted(names)
    text = cli("field", *names, "--game", "leduc", "--hands", 100)
    assert text.code == 0
    assert "instant runoff" in text.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("uniform", "nobody", "--game", "kuhn"), "agent 'nobody': found no such file"),
        (("uniform", "always-call", "--game", "kuhn"), "found the actions p, b"),
        (("uniform", "uniform", "--game", "nothing"), "unknown game"),
        (("uniform", "uniform", "--game", "kuhn", "--luck"), "expected poker to take luck out"),
        (("uniform", "uniform", "--game", "kuhn", "--hands", -2), "expected a multiple of 1"),
        (("uniform", "uniform", "--game", "partial"), "expected a tree"),
    ],
)
def test_mistakes_are_one_sentence(cli: Cli, arguments: tuple[object, ...], sentence: str) -> None:
    outcome = cli("match", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1


def test_histories_are_written(cli: Cli, tmp_path: Path) -> None:
    play = ("match", "always-call", "always-raise", "--game", "limit_holdem", "--hands", 4)
    assert cli(*play, "--log", "a.log", "--phh", "a.phhs", "--json").code == 0
    assert (tmp_path / "a.log").read_text().count("STATE:") == 4
    assert (tmp_path / "a.phhs").read_text().count('variant = "FT"') == 4
    outcome = cli("match", "uniform", "uniform", "--game", "kuhn", "--log", "b.log")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "expected poker with hole and board cards" in outcome.err


def test_a_dealer_and_two_who_join(cli: Cli, tmp_path: Path) -> None:
    """Three commands at once: the dealer here, the players in processes of their own."""
    ports = [_free_port(), _free_port()]
    players = [
        subprocess.Popen(
            [sys.executable, "-c", _JOIN, "join", "leduc", agent, "--port", str(port), "--json"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for agent, port in zip(("always-call", "uniform"), ports, strict=True)
    ]
    dealt = cli(
        "dealer", "leduc", "--hands", 30, "--port", ports[0], "--port", ports[1], "--log", "d.log", "--json"
    )  # fmt: skip
    assert dealt.code == 0
    seen = [json.loads(player.communicate(timeout=60)[0]) for player in players]
    assert [side["total"] for side in seen] == dealt.fields["totals"]
    assert [side["hands"] for side in seen] == [30, 30]
    assert (tmp_path / "d.log").read_text().startswith("STATE:0:")


# A player may come before the dealer listens: it tries again.
_JOIN = """
import sys, time
from equipoise.cli.app import run
for _ in range(600):
    code = run(sys.argv[1:])
    if code == 0:
        break
    time.sleep(0.1)
sys.exit(code)
"""


def _free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port: int = place.getsockname()[1]
        return port


def test_mistakes_of_dealer_and_join(cli: Cli) -> None:
    for arguments, sentence in (
        (("dealer", "leduc", "--port", 1), "found 2 names and 1 ports"),
        (("dealer", "auction"), "expected poker as data"),
        (("dealer", "leduc", "--hands", 0), "expected positive numbers"),
        (("dealer", "leduc", "--timeout", 0.01), "did not connect"),
        (("join", "leduc", "uniform", "--port", 1), "expected a dealer"),
    ):
        outcome = cli(*arguments)
        assert (outcome.code, outcome.out) == (2, "")
        assert sentence in outcome.err
