"""Full disks, killed writers, finished solves and odd names: what was computed is never lost."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from commandline import Cli

from equipoise.road.checkpoints import default_file
from equipoise.strategy.store import load, load_strategy

PENNIES = """NFG 1 R "pennies" { "Even" "Odd" } { 2 2 } 1 -1 -1 1 -1 1 2 -2"""
SHORT = ("--method", "cfr", "--gap", 0, "--iterations", 40, "--checkpoint", 0)


def full_disk(is_full: Callable[[str], bool]) -> Callable[[int], None]:
    """Return an ``fsync`` for a disk without room for the files that ``is_full`` names."""

    def fsync(handle: int) -> None:
        # What is written is hidden beside its destination until it is complete.
        parts = [name for name in os.listdir() if name.endswith(".part")]
        if any(map(is_full, parts)) or is_full(""):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    real = os.fsync
    return fsync


def test_a_solve_survives_a_disk_without_room_for_checkpoints(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", full_disk(lambda name: "checkpoint" in name))
    outcome = cli("solve", "kuhn", *SHORT, "--json")
    assert outcome.code == 1
    assert outcome.fields["iterations"] == 40
    assert outcome.err.count("\n") == 1  # said once, though every checkpoint failed
    assert "the disk is full" in outcome.err
    assert "goes on" in outcome.err
    assert os.listdir(tmp_path) == ["kuhn.eqp"]
    load_strategy("kuhn.eqp")


def test_a_result_goes_elsewhere_when_its_place_is_full(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spare = tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spare))
    monkeypatch.setattr(os, "fsync", full_disk(lambda name: name.startswith(".kuhn.eqp.")))
    outcome = cli("solve", "kuhn", "--json")
    assert outcome.code == 1
    place = Path(outcome.fields["strategy"])
    assert place.is_relative_to(spare)
    assert load_strategy(place).game == outcome.fields["game"]
    assert f"saved as {place} instead" in outcome.err
    assert "--out" in outcome.err
    assert os.listdir(tmp_path) == ["spare"]


@pytest.mark.parametrize(
    "command",
    [
        ("solve", "kuhn"),
        ("nash", "kuhn", "--out", "kuhn.eqp"),
        ("tournament", "--players", 2, "--chips", 6000, "--prizes", 100, "--gain", 1),
    ],
    ids=lambda command: command[0],
)
def test_a_result_is_shown_when_all_disks_are_full(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[object, ...]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "fsync", full_disk(lambda name: True))
    outcome = cli(*command, "--json")
    assert outcome.code == 1
    assert outcome.fields["status"] == "converged"
    assert "the disk is full" in outcome.err
    assert "not saved" in outcome.err
    assert os.listdir(tmp_path) == []
    assert cli(*command).out != ""


def test_a_resumed_solve_leaves_no_part_of_a_killed_one(cli: Cli, tmp_path: Path) -> None:
    cli("solve", "kuhn", *SHORT)
    for mark in ("", ".12345678"):  # by an earlier version, and by this one
        (tmp_path / f".kuhn.eqp.checkpoint{mark}.part").write_bytes(b"half of a checkpoint")
    assert cli("solve", "kuhn", "--resume").code == 0
    assert os.listdir(tmp_path) == ["kuhn.eqp"]


def test_resuming_a_finished_solve_says_so(cli: Cli, tmp_path: Path) -> None:
    solved = cli("solve", "kuhn", "--method", "cfr+", "--gap", 1e-3, "--json").fields
    before = (tmp_path / "kuhn.eqp").read_bytes()
    again = cli("solve", "kuhn", "--resume", "--json")
    assert again.code == 0
    assert "this solve is finished" in again.err
    for name in ("value", "gap", "iterations", "method", "status", "strategy"):
        assert again.fields[name] == solved[name]
    assert "finished" in cli("solve", "kuhn", "--resume", "--gap", 1e-2).err
    assert (tmp_path / "kuhn.eqp").read_bytes() == before
    # A closer target is not met yet.
    closer = cli("solve", "kuhn", "--resume", "--gap", solved["gap"] / 2, "--json")
    assert "no such checkpoint" in closer.err
    assert closer.fields["gap"] <= solved["gap"] / 2


def test_a_finished_solve_of_other_payoffs_is_not_finished(cli: Cli, tmp_path: Path) -> None:
    game = tmp_path / "pennies.nfg"
    game.write_text(PENNIES)
    value = cli("solve", game, "--json").fields["value"]
    game.write_text(PENNIES.replace("2 -2", "5 -5"))
    again = cli("solve", game, "--resume", "--json")
    assert "finished" not in again.err
    assert again.fields["value"] != pytest.approx(value)


def test_resuming_a_finished_tournament_says_so(cli: Cli) -> None:
    rules = ("tournament", "--players", 2, "--chips", 6000, "--prizes", 100, "--out", "it.eqp")
    solved = cli(*rules, "--json").fields
    again = cli(*rules, "--resume", "--json")
    assert again.code == 0
    assert "this solve is finished" in again.err
    assert again.fields["values"] == solved["values"]
    assert again.fields["iterations"] == solved["iterations"]


def test_nash_replaces_nothing_else_unasked(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("precious")
    refused = cli("nash", "kuhn", "--out", "notes.txt")
    assert (refused.code, refused.out) == (2, "")
    assert (tmp_path / "notes.txt").read_text() == "precious"
    assert cli("nash", "kuhn", "--out", "notes.txt", "--force").code == 0
    assert load("notes.txt").metadata["status"] == "converged"


NAMES = {
    "日本.efg": "日本.eqp",
    "हिन्दी.efg": "हिन्दी.eqp",  # vowel signs are marks, not letters
    "Größe & Maß.nfg": "Größe & Maß.eqp",
    "game (1).efg": "game (1).eqp",
    "v1.2.efg": "v1.2.eqp",
    "👩‍👧.efg": "👩‍👧.eqp",  # joined by an invisible character
    "folder/market.toml": "market.eqp",
    "leduc(ranks=5, suits=2)": "leduc-ranks-5-suits-2.eqp",
    "rhode-island": "rhode-island.eqp",
}


@pytest.mark.parametrize(("spec", "name"), NAMES.items())
def test_default_names_keep_letters_of_all_scripts(spec: str, name: str) -> None:
    assert default_file(spec) == Path(name)


LONG = "日" * 300
CLOSE = [
    ("x:y.efg", "x-y.efg"),
    ("x?.efg", "x*.efg"),
    ("?.efg", "*.efg"),
    (f"{LONG}.efg", f"{LONG}本.efg"),
    (f"{'x' * 230}.efg", f"{'x' * 231}.efg"),
    ("a\nb.efg", "a-b.efg"),
    ("\udcff.efg", "\udcfe.efg"),
    ("openspiel:pig(x=1)", "openspiel:pig(x=-1)"),
]


@pytest.mark.parametrize(("one", "other"), CLOSE)
def test_default_names_are_valid_everywhere_and_kept_apart(one: str, other: str) -> None:
    names = [default_file(spec).name for spec in (one, other)]
    assert names[0] != names[1]
    for name in names:
        assert len(f".{name}.checkpoint.12345678.part".encode()) <= 255
        assert not set(name) & set('<>:"/\\|?*\n')
        assert len(name) > len(".eqp")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows forbids such names")
@pytest.mark.parametrize("stem", ["日本", "a b", 'say "hi"', "-x", "x" * 230])
def test_games_of_any_name_are_solved_and_shown(cli: Cli, tmp_path: Path, stem: str) -> None:
    (tmp_path / f"{stem}.nfg").write_text(PENNIES)
    solved = cli("solve", f"./{stem}.nfg", "--json")
    assert solved.code == 0
    assert cli("show", f"./{solved.fields['strategy']}").code == 0


@pytest.mark.parametrize(
    "command",
    [
        ("repeated", "partial", "--out"),
        ("tournament", "--players", 2, "--chips", 4200, "--prizes", 100, "--plots"),
        ("solve", "kuhn", "--out"),
        ("nash", "kuhn", "--out"),
        ("abstract", "standoff", "--out"),
    ],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize("place", [".", "..", "/", "", "x" * 300, "x" * 250, "nowhere/x"])
def test_places_without_a_name_are_refused_before_anything_is_computed(
    cli: Cli, tmp_path: Path, command: tuple[object, ...], place: str
) -> None:
    outcome = cli(*command, place)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "expected" in outcome.err
    assert os.listdir(tmp_path) == []


def test_an_abstraction_is_named_after_the_file_of_rules(cli: Cli, tmp_path: Path) -> None:
    from importlib import resources

    rules = resources.files("equipoise.games.library").joinpath("standoff.toml").read_bytes()
    (tmp_path / "日本.toml").write_bytes(rules)
    found = cli("abstract", tmp_path / "日本.toml", "--json").fields
    assert found["abstraction"] == "日本-gameshrink.eqp"


RIVER = 'game = "river"\npot = 2.0\n'
TWO_PLAYERS = (
    "tournament --players 2 --chips 3000 --prizes 50/30 --gain 1 --out t.eqp --plots drawn"
)


@pytest.mark.parametrize(
    ("command", "shown", "full"),
    [
        (TWO_PLAYERS, "gain", ".png."),
        ("qualitative river.toml --plot drawn", "thresholds", ".html."),
        ("repeated partial --out drawn", "lottery", ".html."),
        ("repeated partial --stages 3 --out drawn", "plays", "-play.png."),
        (
            "match uniform uniform --game rhode-island(ranks=3,suits=2) --hands 9 --log drawn",
            "series",
            ".drawn.",
        ),
    ],
)
def test_a_picture_without_room_costs_no_result(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    shown: str,
    full: str,
) -> None:
    (tmp_path / "river.toml").write_text(RIVER)
    monkeypatch.setattr(os, "fsync", full_disk(lambda name: full in name))
    outcome = cli(*command.split(), "--json")
    assert outcome.code == 1, outcome.err
    assert shown in outcome.fields
    assert "drawn" in outcome.err
    assert "the disk is full" in outcome.err
