"""Each command: what it prints for people and machines, what it writes, how it exits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from commandline import Cli

from equipoise.cli import app as application
from equipoise.cli.commands import COMMANDS, load_command
from equipoise.road import verbs
from equipoise.solvers.methods import METHODS, method
from equipoise.strategy.store import load, load_strategy, log_of, save_strategy

SOLVE_FIELDS = {
    "family",
    "game",
    "method",
    "status",
    "value",
    "lower",
    "upper",
    "gap",
    "iterations",
    "seconds",
    "cpu_seconds",
    "peak_memory_mb",
    "steps",
    "strategy",
}


def test_nothing_heavy_is_loaded_by_import_or_help() -> None:
    program = """
import sys, io, contextlib
import equipoise
light = set(sys.modules)
from equipoise.cli.app import run
with contextlib.redirect_stdout(io.StringIO()):
    assert run(["--help"]) == 0
    assert run(["solve", "--help"]) == 0
heavy = {"numba", "scipy", "numpy", "highspy", "plotly", "matplotlib"}
print(sorted(heavy & light), sorted(heavy & set(sys.modules)))
"""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[] []"


def test_help_names_every_command_and_method(cli: Cli) -> None:
    outcome = cli("--help")
    assert outcome.code == 0
    assert all(f" {command} " in outcome.out for command in COMMANDS)
    outcome = cli("solve", "--help")
    assert all(name in outcome.out for name in METHODS)


@pytest.mark.parametrize("name", COMMANDS)
def test_summaries_begin_the_help_of_their_commands(name: str) -> None:
    """The table says what each docstring says, so that the list of commands needs none of their modules."""
    paragraph, _, _ = load_command(name).help.partition("\n\n")
    assert " ".join(paragraph.split()) == COMMANDS[name]


def test_a_command_loads_no_module_of_another() -> None:
    """Help, a mistake in a name and completion load no command; a command loads its own module."""
    program = """
import sys
from equipoise.cli.app import run
from equipoise.cli.commands import COMMANDS, SHARED
homes = {f"equipoise.cli.{SHARED.get(name, name)}": name for name in COMMANDS}
for words in (["--help"], ["slove", "kuhn"], ["icm", "--stacks", "50/30", "--prizes", "70/30"]):
    run(words)
    print(words[0], sorted(homes[module] for module in homes if module in sys.modules))
"""
    outcome = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    told = [line for line in outcome.stdout.splitlines() if line.endswith("]")]
    assert told[-3:] == ["--help []", "slove []", "icm ['icm']"]
    assert "Did you mean 'solve'" in outcome.stderr


def test_no_arguments_show_the_help(cli: Cli) -> None:
    outcome = cli()
    assert outcome.code == 2
    assert "solve" in outcome.out + outcome.err
    assert "equipoise: \n" not in outcome.err


def test_version(cli: Cli) -> None:
    assert cli("--version").out.startswith("equipoise 0.")


def test_solve_then_certify_then_show(cli: Cli, tmp_path: Path) -> None:
    solved = cli("solve", "kuhn", "--json")
    assert solved.code == 0
    assert solved.err == ""
    fields = solved.fields
    assert fields.keys() == SOLVE_FIELDS
    # Kuhn 1950: the value to player 1 is -1/18.
    assert fields["value"] == pytest.approx(-1 / 18, abs=1e-9)
    assert fields["lower"] <= -1 / 18 + 1e-12 <= fields["upper"] + 2e-12
    assert fields["gap"] == pytest.approx(fields["upper"] - fields["lower"], abs=1e-15)
    assert (fields["status"], fields["strategy"]) == ("converged", "kuhn.eqp")
    assert os.listdir(tmp_path) == ["kuhn.eqp"]

    certified = cli("certify", "kuhn", "kuhn.eqp", "--json").fields
    assert certified.keys() == {"value", "best_responses", "gains", "gap"}
    assert certified["value"] == fields["value"]
    assert certified["gap"] == fields["gap"] == pytest.approx(sum(certified["gains"]))
    rigorous = cli("certify", "kuhn", "kuhn.eqp", "--json", "--rigorous").fields
    assert certified["gap"] <= rigorous["gap"] < certified["gap"] + 1e-9

    shown = cli("show", "kuhn.eqp", "--json").fields
    # OpenSpiel: Kuhn poker has 12 information sets.
    assert shown["infosets"] == len(shown["strategy"]) == 12
    for line in shown["strategy"]:
        assert sum(line["probabilities"].values()) == pytest.approx(1)


def test_people_get_tables(cli: Cli) -> None:
    solved = cli("solve", "kuhn")
    assert solved.code == 0
    for word in ("converged", "-0.0555555556", "kuhn.eqp", "memory", "certify"):
        assert word in solved.out
    assert "2 more information sets" in solved.err
    assert "best response" in cli("certify", "kuhn", "kuhn.eqp").out
    assert "58" in cli("info", "kuhn").out
    assert "Jpb" in cli("show", "kuhn.eqp").out


def test_info_of_leduc(cli: Cli) -> None:
    sizes = cli("info", "leduc", "--json").fields
    # OpenSpiel: 9,457 nodes and 936 information sets; the program's rows are the sequences of one
    # player, the information sets of the other, and one for the empty sequence.
    assert (sizes["players"], sizes["nodes"], sizes["infosets"]) == (2, 9457, 936)
    assert sizes["lp"]["rows"] == sizes["lp"]["columns"] == sizes["sequences"][0] + 936 // 2 + 1
    assert cli("info", "leduc").out.count("9,457") == 1


def test_the_program_has_the_size_that_info_says(cli: Cli) -> None:
    from equipoise.games.trees.classic import leduc
    from equipoise.sequence.build import build
    from equipoise.solvers.saddle.lp import program

    matrix = program(build(leduc())).A
    assert cli("info", "leduc", "--json").fields["lp"] == {
        "rows": matrix.shape[0],
        "columns": matrix.shape[1],
        "nonzeros": matrix.nnz,
    }


def test_show_filters(cli: Cli) -> None:
    cli("solve", "leduc", "--json")
    every = cli("show", "leduc.eqp", "--json").fields
    assert every["infosets"] == 936
    first = cli("show", "leduc.eqp", "--json", "--player", 1).fields
    assert {line["player"] for line in first["strategy"]} == {1}
    some = cli("show", "leduc.eqp", "--json", "--match", "Jc|Qc|", "--limit", 3).fields
    assert len(some["strategy"]) == 3 < some["infosets"]
    assert all("Jc|Qc|" in line["infoset"] for line in some["strategy"])
    limited = cli("show", "leduc.eqp", "--limit", 3)
    assert limited.out.count("cc/") <= 3
    assert "933 more" in limited.err


def test_plot_writes_a_page_and_a_picture(cli: Cli, tmp_path: Path) -> None:
    cli("solve", "kuhn", "--method", "cfr+", "--gap", 1e-3)
    cli("solve", "kuhn", "--method", "dcfr", "--gap", 1e-3, "--out", "other.eqp")
    files = cli("plot", "kuhn.eqp", "other.eqp", "--json").fields
    assert files["curves"] == ["kuhn.eqp (cfr+)", "other.eqp (dcfr)"]
    assert (tmp_path / files["png"]).read_bytes().startswith(b"\x89PNG")
    logs = [verbs.open(name).log for name in ("kuhn.eqp", "other.eqp")]
    assert files["logs"] == [[asdict(row) for row in log] for log in logs]
    page = (tmp_path / files["html"]).read_text()
    assert "other.eqp (dcfr)" in page
    # The page works without a network: the script is inside.
    assert "Plotly.newPlot" in page
    assert "https://cdn.plot.ly" not in page.split("Plotly.newPlot")[1]
    assert cli("plot", "kuhn.eqp", "--out", "named").out.count("named.") == 2
    assert {"named.html", "named.png"} <= set(os.listdir(tmp_path))


def test_the_log_tells_the_same_story_as_the_summary(cli: Cli) -> None:
    fields = cli("solve", "kuhn", "--method", "cfr+", "--gap", 1e-4, "--json").fields
    bundle = load("kuhn.eqp", "strategy")
    log = log_of("kuhn.eqp", bundle)
    assert log[-1, 0] == fields["iterations"]
    assert (log[:, 3] - log[:, 2]).min() == pytest.approx(fields["gap"], abs=1e-12)
    assert bundle.metadata["gap"] == fields["gap"]
    assert bundle.metadata["spec"] == "kuhn"


def test_stopping_short_is_said_and_is_exit_code_1(cli: Cli, tmp_path: Path) -> None:
    short = cli("solve", "kuhn", "--method", "cfr", "--iterations", 7, "--json")
    assert short.code == 1
    assert (short.fields["status"], short.fields["iterations"]) == ("iteration limit", 7)
    assert set(os.listdir(tmp_path)) == {"kuhn.eqp", "kuhn.eqp.checkpoint"}
    timed = cli("solve", "kuhn", "--method", "cfr", "--gap", 0, "--time", 0.05, "--json")
    assert timed.code == 1
    assert timed.fields["status"] == "time limit"
    assert "--resume would continue" in timed.err


def test_the_certificate_has_the_last_word(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from equipoise.certificates import Certificate

    beaten = Certificate((0.0, 0.0), (1.0, 1.0), (1.0, 1.0))
    monkeypatch.setattr("equipoise.certificates.gap.certify", lambda *_, **__: beaten)
    outcome = cli("solve", "kuhn", "--json")
    assert outcome.code == 1
    assert (outcome.fields["status"], outcome.fields["gap"]) == ("uncertified", 2.0)


def test_files_of_other_games_are_not_overwritten(cli: Cli, tmp_path: Path) -> None:
    cli("solve", "kuhn", "--out", "mine.eqp")
    before = (tmp_path / "mine.eqp").read_bytes()
    refused = cli("solve", "leduc", "--out", "mine.eqp")
    assert refused.code == 2
    assert "strategy of 'kuhn'" in refused.err
    assert (tmp_path / "mine.eqp").read_bytes() == before
    assert cli("solve", "leduc", "--out", "mine.eqp", "--force").code == 0
    (tmp_path / "notes.txt").write_text("precious")
    refused = cli("solve", "kuhn", "--out", "notes.txt")
    assert refused.code == 2
    assert "no strategy" in refused.err
    assert (tmp_path / "notes.txt").read_text() == "precious"
    assert cli("solve", "leduc", "--out", "mine.eqp", "--iterations", 1).code == 0


def test_default_files_are_named_after_the_game(cli: Cli, tmp_path: Path) -> None:
    assert cli("solve", "kuhn(cards=4)", "--json").fields["strategy"] == "kuhn-cards-4.eqp"
    assert cli("show", "kuhn-cards-4.eqp", "--json").fields["infosets"] == 16


def test_convert_and_solve_files(cli: Cli, tmp_path: Path) -> None:
    assert cli("convert", "kuhn", "game.efg", "--json").fields["file"] == "game.efg"
    assert "table.nfg" in cli("convert", "game.efg", "table.nfg").out
    for file in ("game.efg", "table.nfg"):
        solved = cli("solve", file, "--json", "--force").fields
        assert solved["value"] == pytest.approx(-1 / 18, abs=1e-9)
        assert solved["strategy"] == f"{Path(file).stem}.eqp"
        assert cli("show", solved["strategy"], "--json").fields["infosets"] > 0
    assert cli("info", "game.efg", "--json").fields == cli("info", "kuhn", "--json").fields
    (tmp_path / "moved").mkdir()
    (tmp_path / "game.efg").rename(tmp_path / "moved" / "game.efg")
    assert cli("show", "game.eqp").code == 2
    assert cli("show", "game.eqp", "--game", "moved/game.efg").code == 0


def test_abstract_and_count(cli: Cli) -> None:
    game = "rhode-island(ranks=4,suits=3)"
    full = cli("info", game, "--json").fields
    suits = cli("abstract", game, "--method", "suits", "--out", "suits.eqp", "--json").fields
    sound = cli("abstract", game, "--json").fields
    assert sound["abstraction"] == "rhode-island-ranks-4-suits-3-gameshrink.eqp"
    views = [full["buckets"], suits["buckets"], sound["buckets"]]
    assert all(a >= b >= c for a, b, c in zip(*views, strict=True))
    assert full["buckets"][0] == 12
    assert sound["buckets"][0] == 4
    shrunk = cli("info", game, "--abstraction", sound["abstraction"], "--json").fields
    assert shrunk["buckets"] == sound["buckets"]
    assert shrunk["nodes"] == full["nodes"]
    assert shrunk["lp"]["nonzeros"] < full["lp"]["nonzeros"]
    assert " / ".join(map(str, sound["buckets"])) in cli("abstract", game).out
    refused = cli("info", "rhode-island(ranks=5,suits=3)", "--abstraction", "suits.eqp")
    assert (refused.code, refused.err.count("\n")) == (2, 1)


def test_published_sizes_of_rhode_island(cli: Cli) -> None:
    # Gilpin 2009, sections 5.2.1 and 8.4, table 8.1.
    raw = cli("info", "rhode-island", "--json").fields
    assert (raw["lp"]["rows"], raw["lp"]["columns"]) == (91_224_226, 91_224_226)
    made = cli("abstract", "rhode-island", "--method", "histogram", "--json").fields
    assert made["buckets"] == [13, 205, 1774]
    sizes = cli("info", "rhode-island", "--abstraction", made["abstraction"], "--json").fields
    assert sizes["sequences"] == [883_741, 883_741]
    assert sizes["lp"] == {"rows": 1_237_238, "columns": 1_237_238, "nonzeros": 50_428_638}


TREE = 'EFG 2 R "tree" { "A" "B" }\n'
BAD_FILES = {
    "empty.efg": ("", "empty.efg"),
    "truncated.efg": (TREE + 'p "" 1 1 "" { "l" "r" } 0\n', "truncated.efg"),
    "unknown-player.efg": (TREE + 'p "" 7 1 "" { "l" } 0\nt "" 1 "" { 1 -1 }\n', "line 2"),
    "chances.efg": (
        TREE + 'c "" 1 "" { "l" 1/2 "r" 1/3 } 0\n' + 2 * 't "" 1 "" { 1 -1 }\n',
        "line 2",
    ),
    "nan.efg": (TREE + 't "" 1 "" { nan 1 }\n', "line 2"),
    "counts.nfg": ('NFG 1 R "g" { "A" "B" } { 2 2 } 1 -1 1', "counts.nfg"),
    "binary.efg": ("\x00\x01\x02", "binary.efg"),
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("command", ["solve", "convert"])
def test_bad_files(cli: Cli, tmp_path: Path, command: str, name: str) -> None:
    content, words = BAD_FILES[name]
    (tmp_path / name).write_text(content)
    outcome = cli(command, name, *(["out.efg"] if command == "convert" else []))
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert words in outcome.err
    assert os.listdir(tmp_path) == [name]


def test_games_that_have_no_linear_program_have_a_size(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "general.nfg").write_text('NFG 1 R "general" { "A" "B" } { 2 1 } 1 1 2 2')
    assert cli("info", "general.nfg", "--json").fields["lp"] is None
    assert "none" in cli("info", "general.nfg").out


BAD_INPUT = [
    (["solve", "nonsense"], "unknown game"),
    (["solve", "kuhn(cards=1)"], "cards is 1"),
    (["solve", "kuhn", "--gap", "nan"], "--gap: found 'nan', expected a number >= 0"),
    (["solve", "kuhn", "--gap", "inf"], "--gap: found 'inf', expected a number >= 0"),
    (["solve", "kuhn", "--gap", "1e400r"], "--gap: found '1e400r', expected a number >= 0"),
    (["solve", "kuhn", "--gap", "-1"], "--gap: found '-1', expected a number >= 0"),
    (["solve", "kuhn", "--gap", "small"], "--gap"),
    (["solve", "kuhn", "--iterations", "-5"], "iterations is -5"),
    (["solve", "kuhn", "--time", "nan"], "seconds is nan"),
    (["solve", "kuhn", "--seed", "-1"], "--seed"),
    (["solve", "kuhn", "--checkpoint", "nan"], "--checkpoint"),
    (["solve", "kuhn", "--method", "magic"], "'magic' is unknown"),
    (["solve", "kuhn", "--out", "missing/kuhn.eqp"], "'missing' is not a folder"),
    (["solve", "kuhn", "--out", "."], "found a folder"),
    (["solve"], "GAME"),
    (["info", "missing.efg"], "missing.efg"),
    (["convert", "kuhn", "kuhn.xyz"], "kuhn.xyz"),
    (["convert", "kuhn", "missing/kuhn.efg"], "'missing' is not a folder"),
    (["info", "kuhn", "--abstraction", "kuhn.eqp"], "no signals"),
    (["info", "rhode-island", "--abstraction", "kuhn.eqp"], "kind 'strategy'"),
    (["abstract", "kuhn"], "without signals"),
    (["abstract", "rhode-island", "--method", "magic"], "'magic'"),
    (["certify", "kuhn", "missing.eqp"], "missing.eqp"),
    (["certify", "kuhn", "text.txt"], "text.txt: line 1"),
    (["certify", "kuhn", "text.dat"], "another kind of file"),
    (["certify", "leduc", "kuhn.eqp"], "kuhn.eqp: Strategy of 'kuhn'"),
    (["show", "kuhn.eqp", "--player", "3"], "--player: found 3"),
    (["show", "kuhn.eqp", "--limit", "-1"], "--limit: found -1"),
    (["show", "kuhn.eqp", "--game", "leduc"], "kuhn.eqp: Strategy of 'kuhn'"),
    (["plot", "nolog.eqp"], "no log"),
    (["plot", "kuhn.eqp", "--out", "missing/plot"], "'missing' is not a folder"),
    (["plot"], "LOG"),
    (["unknown-command"], "unknown-command"),
]


@pytest.mark.parametrize(
    ("arguments", "words"), BAD_INPUT, ids=[" ".join(arguments) for arguments, _ in BAD_INPUT]
)
@pytest.mark.parametrize("json_too", [False, True])
def test_bad_input(
    cli: Cli, tmp_path: Path, arguments: list[str], words: str, json_too: bool
) -> None:
    cli("solve", "kuhn", "--json")
    for name in ("text.txt", "text.dat"):
        (tmp_path / name).write_text("hello")
    save_strategy("nolog.eqp", load_strategy("kuhn.eqp"))
    before = sorted(os.listdir(tmp_path))
    outcome = cli(*arguments, *(["--json"] if json_too and len(arguments) > 1 else []))
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1
    assert words in outcome.err
    assert sorted(os.listdir(tmp_path)) == before


def test_running_out_of_memory_is_a_sentence(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(application, "app", no_memory)
    outcome = cli("solve", "kuhn")
    assert outcome.code == 2
    assert "out of memory" in outcome.err


def test_numbers_json_cannot_say_become_null(capsys: pytest.CaptureFixture[str]) -> None:
    from equipoise.cli.output import print_json

    print_json({"a": float("inf"), "b": [float("nan"), 1.5], "c": (1, "x")})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [None, 1.5], "c": [1, "x"]}


def test_methods_have_stable_descriptions() -> None:
    # A checkpoint is recognised by the text of its method.
    assert repr(method("dcfr")) == repr(method("dcfr")) != repr(method("cfr+"))


def test_a_strategy_file_opens_without_touching_its_data(cli: Cli) -> None:
    cli("solve", "kuhn", "--json")
    strategy = load_strategy("kuhn.eqp", verify=False)
    assert all(isinstance(vector, np.ndarray) for vector in strategy.behaviour)
    assert not any(vector.flags.owndata for vector in strategy.behaviour)


def test_tables_do_not_wrap_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    from equipoise.cli.output import print_facts, print_table

    name, words = "x" * 700, " ".join(["word"] * 300)
    print_table(("name", "words"), [(name, words)], title="A title of several words")
    print_facts({name: words})
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert sum(name in line and words in line for line in lines) == 2
    assert "A title of several words" in lines


def test_names_are_printed_as_they_are_in_files(capsys: pytest.CaptureFixture[str]) -> None:
    """Rich's markup and pictures, line breaks and terminal codes: nothing in a name is obeyed."""
    from equipoise.cli.output import print_facts, print_table

    print_table(("[/A]", "[red]B"), [("[b]", ":fire:\n\x1b[31m")], title="[/bold]")
    print_facts({"game": "[i]:fire:\t"})
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.split()]
    assert lines[:2] == [["[/bold]"], ["[/A]", "[red]B"]]
    assert lines[3:] == [["[b]", ":fire:\\n\\x1b[31m"], ["game", "[i]:fire:\\t"]]


def test_larger_trees_are_built_when_asked_for(cli: Cli) -> None:
    refused = cli("info", "leduc", "--nodes", "9000")
    assert refused.code == 2
    assert "its tree has 9,457 nodes, expected at most 9,000; --nodes N" in refused.err
    assert cli("info", "leduc", "--nodes", "9457").code == 0


def test_forgetful_games_are_shown_and_not_solved(cli: Cli) -> None:
    Path("forgetful.efg").write_text(
        'EFG 2 R "forgetful" { "A" "B" } ""\n'
        'p "" 1 1 "first" { "l" "r" } 0\n'
        'p "" 1 2 "second" { "u" "d" } 0\nt "" 1 "" { 1, -1 }\nt "" 2 "" { 0, 0 }\n'
        'p "" 1 2 0\nt "" 2\nt "" 1\n'
    )
    assert "a player forgets" in cli("info", "forgetful.efg").out
    assert cli("info", "forgetful.efg", "--json").fields["perfect_recall"] is False
    assert cli("convert", "forgetful.efg", "again.efg").code == 0
    solved = cli("solve", "forgetful.efg")
    assert (solved.code, solved.out) == (2, "")
    assert "player 1 reaches the information set 'second'" in solved.err
    Path("s.txt").write_text("1|first  0.5 0.5\n1|second  0.5 0.5\n")
    proof = cli("certify", "forgetful.efg", "s.txt", "--json").fields
    assert (proof["value"], proof["best_responses"]) == (0.5, [1.0, -0.5])
    assert "upper bounds" in cli("certify", "forgetful.efg", "s.txt").out
