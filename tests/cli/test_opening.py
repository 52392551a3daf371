"""Files that are whole, with right checksums, and say what no file may: a sentence each."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import Cli

import equipoise
from equipoise.bundle import load, save
from equipoise.errors import EquipoiseError

Change = Callable[[dict[str, Any], dict[str, Any]], None]
READERS = [
    ("certify", "kuhn", "kuhn.eqp"),
    ("show", "kuhn.eqp"),
    ("export", "kuhn.eqp", "--text", "out.txt"),
]


def rewrite(path: str, change: Change) -> None:
    """Change arrays and metadata of a file, and write it with right checksums."""
    held = load(path)
    arrays: dict[str, Any] = {name: np.array(array) for name, array in held.arrays.items()}
    metadata = dict(held.metadata)
    del held
    change(arrays, metadata)
    save(path, load(path).kind, arrays, metadata)


def refused(cli: Cli, words: str, *command: object) -> None:
    outcome = cli(*command)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1), command
    assert words in outcome.err
    assert len(outcome.err) < 600


def put(name: str, value: Any) -> Change:
    """Return a change of one array."""

    def change(arrays: dict[str, Any], metadata: dict[str, Any]) -> None:
        arrays[name] = value(arrays[name]) if callable(value) else value

    return change


def say(name: str, value: Any) -> Change:
    """Return a change of one word of the metadata."""
    return lambda arrays, metadata: metadata.update({name: value})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("behaviour.0", lambda vector: 2 * vector), "sum to 2, expected 1"),
        (put("behaviour.1", lambda vector: vector * (1 + 1e-4)), "sum to 1.0001, expected 1"),
        (put("behaviour.0", lambda vector: -vector), "negative"),
        (put("behaviour.0", lambda vector: vector * np.nan), "non-finite"),
        (put("behaviour.0", lambda vector: vector.astype(complex)), "a vector of floats"),
        (put("behaviour.0", lambda vector: vector[:0]), "a vector of floats"),
        (put("behaviour.7", np.ones(3)), "one behaviour array a player"),
        (say("players", 10**9), "for 1000000000 players"),
        (say("players", None), "metadata.players"),
        (say("game", None), "metadata.game"),
        (say("fingerprint", [1]), "metadata.fingerprint"),
        (say("layout", {"nodes": [[[0, 10**30]], []], "buckets": [[1, 1]]}), "the layout"),
    ],
)
@pytest.mark.parametrize("reader", READERS, ids=lambda command: command[0])
def test_strategies(cli: Cli, reader: tuple[str, ...], change: Change, words: str) -> None:
    assert cli("solve", "kuhn").code == 0
    rewrite("kuhn.eqp", change)
    refused(cli, words, *reader)


@pytest.mark.parametrize("spec", ["x" * 100_000, "", None, 3, "a\0.efg", "leduc(ranks=10000)"])
def test_the_game_that_a_strategy_names(cli: Cli, spec: Any) -> None:
    cli("solve", "kuhn")
    rewrite("kuhn.eqp", say("spec", spec))
    refused(cli, "", "show", "kuhn.eqp")
    assert cli("show", "kuhn.eqp", "--game", "kuhn").code == 0


@pytest.mark.parametrize(
    "name", ["می\u200cخواهم", "日本\u3000ゲーム", "two\u00a0words", "two\nlines", "bytes\udcff"]
)
def test_what_is_saved_can_be_opened_whatever_its_game_is_called(cli: Cli, name: str) -> None:
    """Persian joins letters with a character that is not printed, Japanese has a space of its own."""
    try:
        cli("convert", "kuhn", f"{name}.efg")
    except UnicodeEncodeError:
        pytest.skip("the system's file names hold no such letters")
    cli("solve", f"{name}.efg", "--out", "found.eqp")
    assert cli("show", "found.eqp").code == 0
    assert equipoise.open("found.eqp").spec == f"{name}.efg"


@pytest.mark.parametrize("ending", ["efg", "toml", "game", "bml"])
def test_no_name_has_a_null_character(ending: str) -> None:
    with pytest.raises(EquipoiseError, match="load: found"):
        equipoise.load(f"a\0b.{ending}")


@pytest.mark.parametrize("family", [{"a": 1}, [], None, 3, "no such"])
def test_the_family_that_a_strategy_names(cli: Cli, family: Any) -> None:
    cli("solve", "kuhn", "--method", "cfr+", "--gap", "0.1")
    rewrite("kuhn.eqp", say("family", family))
    for command in ("show", "plot"):
        outcome = cli(command, "kuhn.eqp")
        assert (outcome.code, outcome.err.count("\n") <= 1) in ((0, True), (2, True))


def test_probabilities_of_games_with_signals(cli: Cli) -> None:
    cli("solve", "standoff")
    assert cli("certify", "standoff", "standoff.eqp").code == 0
    rewrite("standoff.eqp", put("behaviour.1", lambda vector: vector / 2))
    refused(cli, "sum to 0.5, expected 1", "certify", "standoff", "standoff.eqp")


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (np.full((3, 6), np.nan), "out of range"),
        (np.full((3, 6), np.inf), "out of range"),
        (np.full((3, 6), -1.0), "out of range"),
        (np.empty((0, 6)), "empty log"),
        (np.ones((3, 5)), "no log"),
        (np.ones(6), "no log"),
    ],
)
def test_logs(cli: Cli, log: Any, words: str) -> None:
    cli("solve", "kuhn")
    rewrite("kuhn.eqp", put("log", log))
    refused(cli, words, "plot", "kuhn.eqp")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("best.x", np.ones(2)), "best.x"),
        (put("best.y", lambda plan: plan * np.nan), "best.y"),
        (put("best_row", np.ones((2, 6))), "best_row"),
        (put("run_counters", np.array([1.5, 2])), "run_counters"),
        (put("run_counters", np.array([-1, 2])), "run_counters"),
        (put("run.regret.0", lambda regret: regret[:-1]), "regret.0"),
        (put("run.regret.1", lambda regret: regret * np.nan), "regret.1"),
        (put("run.average.1", lambda average: average.astype(complex)), "average.1"),
        (put("log", np.full((1, 6), np.nan)), "log"),
        (put("log", np.array(3.0)), "log"),
        (lambda arrays, _: arrays.pop("log"), "log"),
        (lambda arrays, _: arrays.pop("run.weight"), "arrays"),
        (say("target", "soon"), "target"),
        (say("algorithm", None), "algorithm"),
        (say("method", "x" * 10_000), "method x"),
    ],
)
def test_checkpoints(cli: Cli, change: Change, words: str) -> None:
    cli("solve", "kuhn", "--method", "cfr", "--gap", 0, "--iterations", 5)
    rewrite("kuhn.eqp.checkpoint", change)
    refused(cli, words, "solve", "kuhn", "--resume", "--gap", 0, "--iterations", 9)


def test_a_checkpoint_that_leads_nowhere(cli: Cli) -> None:
    cli("solve", "kuhn", "--method", "egt", "--gap", 0, "--iterations", 5)
    rewrite("kuhn.eqp.checkpoint", put("run.mu_tau", np.zeros(3)))
    refused(cli, "without --resume", "solve", "kuhn", "--resume", "--gap", 0, "--iterations", 9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("parent_1_0", lambda parents: parents[::-1]), "other parents"),
        (put("parent_1_0", lambda parents: parents.astype(float)), "indices from 0"),
        (put("map_0_1", lambda buckets: buckets.astype(bool)), "indices from 0"),
        (say("rounds", 10**9), "found no entry"),
        (say("rounds", "2"), "rounds"),
        (say("method", 7), "method"),
    ],
)
def test_abstractions(cli: Cli, change: Change, words: str) -> None:
    game = "rhode-island(ranks=3,suits=2)"
    assert cli("abstract", game, "--out", "a.eqp").code == 0
    rewrite("a.eqp", change)
    refused(cli, words, "info", game, "--abstraction", "a.eqp")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("plays.2", lambda plays: 2 * plays), "out of range"),
        (put("plays.2", lambda plays: plays * np.nan), "out of range"),
        (put("values.2", lambda values: values * 1e9), "out of range"),
        (put("values.2", lambda values: values[:-1]), "another shape"),
        (say("tournament", None), "no rules"),
    ],
)
def test_tournaments(cli: Cli, change: Change, words: str) -> None:
    cli("tournament", "--players", 2, "--chips", 1800, "--prizes", 100, "--out", "it.eqp")
    rewrite("it.eqp", change)
    refused(cli, words, "certify", "tournament", "it.eqp")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("2.log", np.array(1.0)), "array log"),
        (put("2.run.values", lambda values: values.astype(str)), "array values"),
        (put("2.run.values", lambda values: values * np.inf), "array values"),
        (put("2.run.profile", lambda profile: profile.astype(complex)), "array profile"),
        (put("2.run.profile", lambda profile: profile * 2), "Profile"),
        (put("2.run.profile", np.ones(3)), "array profile"),
        (put("2.run_counters", np.array(1)), "run_counters"),
        (put("2.run_counters", lambda counters: -counters), "out of range"),
        (put("2.best.profile", lambda profile: profile * 2), "Profile"),
        (put("2.best.values", lambda values: values.astype(str)), "2.best.values"),
        (put("2.best.claimed", lambda values: values[1:]), "2.best.claimed"),
        (lambda arrays, _: arrays.pop("2.best.values"), "2.best.values"),
        (lambda arrays, _: arrays.pop("2.log"), "array log"),
    ],
)
def test_checkpoints_of_tournaments(cli: Cli, change: Change, words: str) -> None:
    rules = ("tournament", "--players", 2, "--chips", 4200, "--prizes", 100, "--gain", 0)
    cli(*rules, "--iterations", 1, "--out", "it.eqp")
    rewrite("it.eqp.checkpoint", change)
    refused(cli, words, *rules, "--iterations", 2, "--resume", "--out", "it.eqp")


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("chips", "x"),
        ("chips", 10**12),
        ("blinds", 3),
        ("prizes", ["x"]),
        ("players", 9),
        ("unit", 0.5),
    ],
)
def test_rules_of_stored_tournaments(cli: Cli, rule: str, value: Any) -> None:
    cli("tournament", "--players", 2, "--chips", 1800, "--prizes", 100, "--out", "it.eqp")

    def change(arrays: dict[str, Any], metadata: dict[str, Any]) -> None:
        metadata["tournament"][rule] = value

    rewrite("it.eqp", change)
    refused(cli, "it.eqp", "certify", "tournament", "it.eqp")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"metadata": {', b'"metadata": null, "rest": {'),
        (b'"kind": "strategy"', b'"kind": ["strategy"]'),
        (b'"version": 1', b'"version": 0'),
        (b'"seconds": ', b'"seconds": NaN, "was": '),
        (b'"shape": [', b'"shape": [-1, -1,'),
        (b'"shape": [', b'"shape": [1e9,'),
    ],
)
def test_manifests(cli: Cli, tmp_path: Path, old: bytes, new: bytes) -> None:
    cli("solve", "kuhn")
    with zipfile.ZipFile("kuhn.eqp") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    changed = members["manifest.json"].replace(old, new, 1)
    assert changed != members["manifest.json"]
    members["manifest.json"] = changed
    with zipfile.ZipFile("kuhn.eqp", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    for reader in (*READERS, ("plot", "kuhn.eqp")):
        refused(cli, "kuhn.eqp", *reader)


def test_strategies_without_information_sets_are_no_texts(cli: Cli, tmp_path: Path) -> None:
    cli("solve", "partial", "--time", 5)
    words = "found a strategy of a repeated game, expected one with information sets"
    refused(cli, words, "export", "partial.eqp", "--text", "out.txt")
    (tmp_path / "in.txt").write_text("1|a  a 1\n")
    refused(cli, "a game with information sets", "import", "partial", "--text", "in.txt")
    refused(cli, "solved as a general-sum game", "nash", "tournament")


@pytest.mark.parametrize("place", [".", "..", "/", ""])
def test_folders_are_no_plots(cli: Cli, place: str) -> None:
    refused(cli, "Is a directory", "plot", place)
