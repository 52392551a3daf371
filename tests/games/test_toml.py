"""What a TOML file describes follows from what it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

import equipoise
from equipoise.errors import EquipoiseError
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.tournaments.tournament import Tournament, tournament

RULES = """
players = 3
chips = 2100
blinds = [300, 600]
prizes = [50, 30.5, 20]
"""
KUHN = """
ante = 1
[deck]
ranks = "JQK"
suits = "s"
showdown = "high-card"
[[round]]
private = 1
bet = 1
cap = 1
"""


def test_tournaments_and_games_with_signals_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(RULES)
    (tmp_path / "k.toml").write_text(KUHN)
    found = equipoise.load(str(tmp_path / "t.toml"))
    assert found == Tournament(3, 2100, (300, 600), (50, 30.5, 20))
    assert isinstance(equipoise.load(str(tmp_path / "k.toml")), StageGame)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("players = 3", "players = 4", "Players: found 4, expected two or three"),
        ("players = 3", "", "players: found nothing, expected a whole number"),
        ("[300, 600]", "[300]", "blinds: found [300], expected two whole numbers"),
        ("[300, 600]", "[300.5, 600]", "blinds: found [300.5, 600], expected two whole numbers"),
        ("30.5", "'x'", "prizes: found [50, 'x', 20], expected a list of numbers"),
        ("chips = 2100", "chips = 2100\nantes = 3", "antes: unknown field"),
        ("chips = 2100", "chips = 2150", "found chips of 2150, expected a multiple"),
        ("chips = 2100", "chips = ", "not TOML"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = tmp_path / "t.toml"
    path.write_text(RULES.replace(old, new))
    with pytest.raises(EquipoiseError) as error:
        equipoise.load(str(path))
    assert str(path) in str(error.value)
    assert words in str(error.value)


@pytest.mark.parametrize(
    "rules",
    [
        tournament(),
        tournament(players=2, chips=6000, prizes=(1.0,)),
        tournament(chips=2100, prizes=(100 / 3, 30.25, 0.1), ante=150, unit=75),
    ],
    ids=lambda rules: rules.name,
)
def test_a_tournaments_name_makes_it_again(rules: Tournament) -> None:
    assert equipoise.load(rules.name) == rules


def test_the_default_is_the_published_tournament() -> None:
    # Ganzfried and Sandholm 2008.
    assert equipoise.load("tournament") == Tournament(3, 13_500, (300, 600), (50, 30, 20))
    assert equipoise.load("tournament(players=2)").prizes == (50, 30)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("tournament(blinds=3)", "Blinds: found 3, expected two whole numbers"),
        ("tournament(blinds=(1,2,3))", "Blinds: found (1, 2, 3)"),
        ("tournament(prizes='50')", "Prizes: found '50'"),
        ("tournament(prizes=(1e999,))", "expected"),
        ("tournament(chips=2.5)", "expected a whole number"),
        ("tournament(players=9)", "Players: found 9"),
    ],
)
def test_names_with_bad_parameters(spec: str, words: str) -> None:
    with pytest.raises(EquipoiseError) as error:
        equipoise.load(spec)
    assert words in str(error.value)


def test_what_wants_a_tree_refuses_a_tournament() -> None:
    with pytest.raises(EquipoiseError, match="found a tournament game, expected a tree"):
        equipoise.games.base.load_explicit("tournament")


def test_a_tournament_that_cannot_be_read(tmp_path: Path) -> None:
    from equipoise.games.files.tournament import load_tournament

    place = tmp_path / "it.toml"
    with pytest.raises(EquipoiseError, match=r"it\.toml: cannot be read"):
        load_tournament(place)
    place.write_bytes(b"\xff\xfe")
    with pytest.raises(EquipoiseError, match=r"it\.toml: cannot be read"):
        load_tournament(place)
    place.write_text("players = 2\nchips = 1")
    with pytest.raises(EquipoiseError, match=r"it\.toml: "):
        load_tournament(place)
