"""Games with signals from rules to certificate: abstract, solve, lift, certify, exchange as text."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from commandline import Cli

from equipoise.games.base import load
from equipoise.games.signals.stage_game import StageGame
from equipoise.strategy.store import load_strategy
from equipoise.strategy.views import require_views

SMALL = "rhode-island(ranks=3,suits=2)"
SAVED = "rhode-island-ranks-3-suits-2.eqp"
STEPS = ["load", "abstract", "build", "solve", "lift", "certify", "save"]


def test_the_whole_road(cli: Cli, tmp_path: Path) -> None:
    solved = cli("solve", SMALL, "--gap", 30, "--json")
    assert (solved.code, solved.err) == (0, "")
    fields = solved.fields
    assert [step["name"] for step in fields["steps"]] == STEPS
    assert all(step["peak_memory_mb"] > 0 for step in fields["steps"])
    assert (fields["abstraction"], fields["status"]) == ("sound", "converged")
    assert fields["buckets"][0] == 3
    assert fields["gap"] <= 30
    assert os.listdir(tmp_path) == [fields["strategy"]] == [SAVED]

    # What is saved is a strategy of the full game, in the precision it was solved in.
    game, strategy = load(SMALL), load_strategy(SAVED)
    assert isinstance(game, StageGame)
    assert strategy.layout == require_views(game, strategy)
    assert {vector.dtype for vector in strategy.behaviour} == {np.dtype(np.float32)}

    certified = cli("certify", SMALL, SAVED, "--json").fields
    assert (certified["gap"], certified["value"]) == (fields["gap"], fields["value"])
    assert "player 2" in cli("certify", SMALL, SAVED).out

    shown = cli("show", SAVED, "--json", "--match", "Ja|", "--player", 1).fields
    told = {line["infoset"].partition("|")[0] for line in shown["strategy"]}
    assert {"Ja", "QaJa", "KaJa", "QbJa"} & told == {"Ja", "QaJa", "KaJa"}
    assert all(
        sum(line["probabilities"].values()) == pytest.approx(1) for line in shown["strategy"]
    )
    limited = cli("show", SAVED, "--limit", 2)
    assert "Ja|" in limited.out
    assert "more information sets" in limited.err


def test_dominated_actions_can_be_eliminated_first(cli: Cli) -> None:
    exact = cli("solve", "auction", "--json").fields
    solved = cli("solve", "auction", "--eliminate", "--out", "left.eqp", "--json").fields
    assert solved["method"] == "eliminate:lp"
    assert solved["value"] == pytest.approx(exact["value"], abs=1e-9)
    assert solved["gap"] <= 1e-9
    whole = cli("info", "auction", "--json").fields["lp"]
    assert solved["undominated"]["rows"] < whole["rows"]
    assert "225 rows" in cli("solve", "auction", "--eliminate", "--out", "left.eqp").out
    # What is printed can be given back.
    again = cli("solve", "auction", "--algorithm", "eliminate:lp", "--out", "again.eqp", "--json")
    assert (again.fields["method"], again.fields["value"]) == ("eliminate:lp", solved["value"])


def test_dominated_actions_of_a_tree_can_be_eliminated_first(cli: Cli) -> None:
    solved = cli("solve", "kuhn", "--eliminate", "--out", "left.eqp", "--json").fields
    assert solved["method"] == "eliminate:lp-dense"
    assert solved["value"] == pytest.approx(-1 / 18, abs=1e-9)  # Kuhn 1950
    assert solved["undominated"] == {"rows": 16, "columns": 17}


def test_text_is_certified_as_it_is(cli: Cli) -> None:
    fields = cli("solve", SMALL, "--gap", 30, "--json").fields
    cli("export", SAVED, "--text", "s.txt")
    certified = cli("certify", SMALL, "s.txt", "--json").fields
    assert certified["gap"] == pytest.approx(fields["gap"], abs=1e-6)


def test_people_see_every_step(cli: Cli) -> None:
    outcome = cli("solve", SMALL, "--gap", 30)
    assert outcome.code == 0
    for word in (*STEPS, "MB", "single precision", "certified in the full game", "Qa|"):
        assert word in outcome.out
    assert f"more information sets: equipoise show {SAVED}" in outcome.err


@pytest.mark.parametrize("game", ["auction", "bargaining", "standoff", "tract"])
def test_games_that_are_not_poker(cli: Cli, game: str) -> None:
    fields = cli("solve", game, "--json").fields
    assert (fields["method"], fields["status"]) == ("lp", "converged")
    assert fields["gap"] == pytest.approx(0, abs=1e-9)
    plain = cli("solve", game, "--abstraction", "none", "--out", "plain.eqp", "--json").fields
    assert "lift" not in [step["name"] for step in plain["steps"]]
    # A sound abstraction keeps the value.
    assert plain["value"] == pytest.approx(fields["value"], abs=1e-9)
    assert cli("certify", game, "plain.eqp", "--json", "--rigorous").fields["gap"] < 1e-9


def test_a_rule_file(cli: Cli, tmp_path: Path) -> None:
    from importlib.resources import files

    text = (files("equipoise.games.library") / "standoff.toml").read_text()
    (tmp_path / "mine.toml").write_text(text)
    fields = cli("solve", "mine.toml", "--json").fields
    assert fields["strategy"] == "mine.eqp"
    assert fields["value"] == cli("solve", "standoff", "--json").fields["value"]
    assert cli("show", "mine.eqp", "--json").fields["infosets"] > 0


def test_the_published_abstraction_is_not_certified(cli: Cli) -> None:
    """Solved to a small gap in its own game, it can be beaten by more in the full one."""
    game = "leduc.toml"
    Path(game).write_text(LEDUC)
    sound = cli("solve", game, "--out", "sound.eqp", "--json").fields
    # OpenSpiel's value of Leduc poker.
    assert sound["value"] == pytest.approx(-0.085606424078, abs=1e-6)
    lossy = cli("solve", game, "--abstraction", "histogram", "--out", "lossy.eqp", "--json")
    assert lossy.code == 1
    assert lossy.fields["status"] == "uncertified"
    assert lossy.fields["gap"] > 0.01 > sound["gap"]
    assert lossy.fields["buckets"][1] < sound["buckets"][1]


LEDUC = """
ante = 1

[deck]
ranks = "JQK"
suits = "ab"
showdown = "pair"

[[round]]
private = 1
bet = 2
cap = 2

[[round]]
public = 1
bet = 4
cap = 2
"""


def test_method_and_algorithm_are_one_word(cli: Cli) -> None:
    """Once --algorithm said how to solve and --method how to abstract: what was typed then still works."""
    arguments = ("solve", "auction", "--force", "--json", "--out", "a.eqp")
    now = cli(*arguments, "--method", "lp-ipx", "--abstraction", "none").fields
    before = cli(*arguments, "--algorithm", "lp-ipx", "--method", "none").fields
    assert (now["method"], now["value"]) == ("lp-ipx", before["value"])
    assert before["method"] == "lp-ipx"
    assert cli(*arguments, "--method", "suits").fields["abstraction"] == "suits"
    assert "which is the same" in cli(*arguments, "--method", "lp", "--algorithm", "lp").err


def test_an_abstraction_from_a_file(cli: Cli) -> None:
    made = cli("abstract", SMALL, "--method", "suits", "--out", "suits.eqp", "--json").fields
    used = cli("solve", SMALL, "--abstraction", "suits.eqp", "--gap", 100, "--json").fields
    assert (used["abstraction"], used["buckets"]) == ("suits", made["buckets"])
    # A different abstraction of the same game may replace the strategy, but not resume its solve.
    arguments = ("solve", SMALL, "--gap", 0, "--iterations", 3)
    assert cli(*arguments).code == 1
    refused = cli(*arguments, "--abstraction", "histogram", "--resume")
    assert refused.code == 2
    assert "through the same abstraction" in refused.err
    for other, words in [
        ("rhode-island(ranks=4,suits=2)", "found a map of 3 views, expected the game's 4"),
        ("auction", "found 3 rounds, expected the game's 2"),
    ]:
        refused = cli("solve", other, "--abstraction", "suits.eqp")
        assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
        assert "suits.eqp: Abstraction 'suits' of 'rhode_island(ranks=3,suits=2)'" in refused.err
        assert words in refused.err


def test_a_resumed_solve_ends_with_the_same_strategy(cli: Cli) -> None:
    common = ("solve", SMALL, "--gap", 0, "--json")
    cli(*common, "--iterations", 60, "--out", "whole.eqp")
    for limit in (1, 30, 60):
        cli(*common, "--iterations", limit, "--out", "parts.eqp", "--resume")
    whole, parts = load_strategy("whole.eqp"), load_strategy("parts.eqp")
    for one, two in zip(whole.behaviour, parts.behaviour, strict=True):
        assert one.tobytes() == two.tobytes()


def test_resuming_with_a_finer_target_keeps_the_method(cli: Cli) -> None:
    cli("solve", SMALL, "--gap", 30, "--iterations", 3)
    finer = ("solve", SMALL, "--gap", 1e-6, "--iterations", 6)
    assert cli(*finer, "--resume", "--json").fields["iterations"] == 6
    assert load_strategy(SAVED).behaviour[0].dtype == np.float32
    cli(*finer)
    assert load_strategy(SAVED).behaviour[0].dtype == np.float64


def test_info_of_rhode_island(cli: Cli) -> None:
    sizes = cli("info", "rhode-island", "--json").fields
    # Gilpin 2009, sections 5.2.1 and 5.5.
    assert (sizes["rounds"], sizes["signal_tree_nodes"]) == (3, 6_632_705)
    assert (sizes["lp"]["rows"], sizes["lp"]["columns"]) == (91_224_226, 91_224_226)
    assert "6,632,705" in cli("info", "rhode-island").out


@pytest.mark.parametrize("game", ["kuhn", "auction", SMALL])
def test_export_then_import(cli: Cli, tmp_path: Path, game: str) -> None:
    solved = cli("solve", game, "--gap", 100, "--out", "a.eqp", "--json").fields
    exported = cli("export", "a.eqp", "--text", "a.txt", "--json").fields
    assert exported["infosets"] == len((tmp_path / "a.txt").read_text().splitlines())
    imported = cli("import", game, "--text", "a.txt", "--out", "b.eqp", "--json").fields
    assert imported["strategy"] == "b.eqp"
    assert cli("certify", game, "b.eqp", "--json").fields["gap"] == solved["gap"]
    assert cli("import", game, "--text", "a.txt", "--out", "a.txt").code == 2
    assert "b.txt" in cli("export", "b.eqp", "--text", "b.txt").out
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "kuhn", "--abstraction", "gameshrink"], "no signals"),
        (["solve", "kuhn", "--abstraction", "a.eqp"], "no signals"),
        (["solve", SMALL, "--method", "magic"], "'magic'"),
        (["solve", SMALL, "--abstraction", "magic"], "'magic'"),
        (["solve", SMALL, "--method", "suits", "--abstraction", "a.eqp"], "one of the two"),
        (["solve", SMALL, "--abstraction", "missing.eqp"], "missing.eqp"),
        (["solve", SMALL, "--abstraction", "auction.eqp"], "kind 'strategy'"),
        (["certify", SMALL, "auction.eqp"], "auction.eqp: Strategy of 'auction'"),
        (["show", "auction.eqp", "--player", "3"], "--player: found 3"),
        (["export", "auction.eqp", "--text", "missing/a.txt"], "'missing' is not a folder"),
        (["export", "missing.eqp", "--text", "a.txt"], "missing.eqp"),
        (["import", "auction", "--text", "missing.txt"], "missing.txt: cannot be read"),
        (["import", "auction", "--text", "a.txt"], "a.txt: line 1: "),
    ],
)
def test_bad_input(cli: Cli, tmp_path: Path, arguments: list[str], words: str) -> None:
    cli("solve", "auction", "--json")
    (tmp_path / "a.txt").write_text("hello\n")
    before = sorted(os.listdir(tmp_path))
    outcome = cli(*arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert words in outcome.err
    assert sorted(os.listdir(tmp_path)) == before
