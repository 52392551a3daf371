"""Looking into strategies: every scene of a game says what the strategy does there."""

from __future__ import annotations

import numpy as np
import pytest

import equipoise
from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import leduc, rhode_island
from equipoise.games.trees.normal import from_matrices
from equipoise.play.episode import Episode
from equipoise.play.explore import Explorer, Scene, explorer
from equipoise.play.layout import layout, without_ending
from equipoise.road.result import Result


@pytest.fixture(scope="module")
def solved() -> dict[str, Result]:
    games = {
        "kuhn": "kuhn",
        "leduc": "leduc",
        "auction": "auction",
        "tract": "tract",
        "no_limit_leduc": "no_limit_leduc",
        "poker": leduc(3, 2),
        "rhode": rhode_island(4, 2),
        "matrix": from_matrices("rock", [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]),
    }
    return {name: equipoise.solve(game, gap="1e-2r") for name, game in games.items()}


def walk(look: Explorer, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Scene]]:
    scene = look.scene(path)
    found = [(path, scene)]
    for action, ends in zip(scene.actions, scene.ends, strict=True):
        if not ends:
            found += walk(look, (*path, action))
    return found


NAMES = ["kuhn", "auction", "tract", "no_limit_leduc", "poker", "rhode", "matrix"]


@pytest.mark.parametrize("name", NAMES)
def test_every_scene_can_be_walked_to(name: str, solved: dict[str, Result]) -> None:
    result = solved[name]
    scenes = walk(explorer(result.game, result.strategy))
    assert len(scenes) > 1
    for path, scene in scenes:
        assert tuple(step.action for step in scene.steps) == path
        assert len(scene.actions) == len(scene.words) == len(scene.ends)
        places = {(cell.row, cell.column) for cell in scene.cells}
        assert len(places) == len(scene.cells) > 0
        assert sum(cell.share for cell in scene.cells) == pytest.approx(1) or not any(
            cell.share for cell in scene.cells
        )
        for cell in scene.cells:
            assert 0 <= cell.row < len(scene.rows)
            assert 0 <= cell.column < len(scene.columns)
            assert 0 <= cell.reach <= 1 + 1e-9
            assert np.nansum(cell.probabilities) == pytest.approx(1)


@pytest.mark.parametrize("name", NAMES)
def test_the_game_is_worth_what_the_certificate_says(name: str, solved: dict[str, Result]) -> None:
    result = solved[name]
    values = explorer(result.game, result.strategy).values()
    assert values == pytest.approx(result.certificate.values, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_players_find_their_cell(name: str, solved: dict[str, Result]) -> None:
    result = solved[name]
    look = explorer(result.game, result.strategy)
    for seed in range(20):
        hand = Episode(result.game, seed)
        while (player := hand.player) is not None:
            seen = hand.observation(player)
            cell = look.cell(seen)
            assert seen.infoset is not None
            expected = result.strategy[f"{player + 1}|{seen.infoset}"]
            assert dict(zip(seen.actions, cell.probabilities, strict=True)) == pytest.approx(
                expected, abs=1e-6
            )
            hand.act(seen.actions[seed % len(seen.actions)])


@pytest.mark.parametrize("name", ["poker", "rhode"])
def test_suits_have_no_names(name: str, solved: dict[str, Result]) -> None:
    """A player's cell, found on the board with its suits renamed, is that of the scene on her own board."""
    result = solved[name]
    look = explorer(result.game, result.strategy)
    look.prepare()
    for seed in range(30):
        hand = Episode(result.game, seed)
        path: tuple[str, ...] = ()
        while (player := hand.player) is not None:
            seen = hand.observation(player)
            cell, scene = look.cell(seen), look.scene(path, "".join(seen.public))
            own = "".join(seen.private) if result.game.suited else seen.private[0][:-1]
            [same] = [one for one in scene.cells if one.label == own]
            assert cell.probabilities == pytest.approx(same.probabilities, abs=1e-9)
            assert cell.values == pytest.approx(same.values, abs=1e-6, nan_ok=True)
            path = (*path, seen.actions[seed % len(seen.actions)])
            hand.act(path[-1])


def test_cells_are_those_of_the_strategy(solved: dict[str, Result]) -> None:
    result = solved["rhode"]
    scene = explorer(result.game, result.strategy).scene(["k", "k", "b"], "Td")
    assert scene.board == ("Td",)
    assert scene.player == 1
    for cell in scene.cells:
        rank, suit = cell.label
        told = f"{rank}aTa" if suit == "d" else f"{rank}aTb"
        if cell.label != "Td":
            expected = result.strategy[f"{told}|kK/b"]
            assert dict(zip(scene.actions, cell.probabilities, strict=True)) == pytest.approx(
                expected
            )
    assert [cell.label for cell in scene.cells].count("Td") == 0


def test_searching_finds_histories_and_hands(solved: dict[str, Result]) -> None:
    look = explorer(solved["rhode"].game, solved["rhode"].strategy)
    found = look.search("Kd raise")
    assert found
    assert all(any(a == "r" for a in one.path) and one.label == "Kd" for one in found)
    tree = explorer(solved["kuhn"].game, solved["kuhn"].strategy)
    assert {one.label for one in tree.search("K")} == {"K", "Kp", "Kb", "Kpb"}
    assert tree.search("no such thing") == []


@pytest.mark.parametrize(
    ("name", "path", "board"),
    [
        ("rhode", ["x"], ""),
        ("rhode", ["k", "b", "f"], ""),
        ("rhode", ["k", "k"], "Zz"),
        ("rhode", ["k", "k"], "TdTd"),
        ("kuhn", ["x"], ""),
        ("kuhn", ["p", "p"], ""),
        ("kuhn", [], "Kd"),
    ],
)
def test_what_is_not_there_is_refused(
    name: str, path: list[str], board: str, solved: dict[str, Result]
) -> None:
    look = explorer(solved[name].game, solved[name].strategy)
    with pytest.raises(EquipoiseError, match="expected"):
        look.scene(path, board)


def test_other_families_are_refused() -> None:
    with pytest.raises(EquipoiseError, match="expected a tree"):
        explorer(equipoise.load("unrevealing"), None)  # type: ignore[arg-type]


def test_labels_are_short_and_in_order() -> None:
    assert without_ending(["0pb", "1pb"], "pb") == ["0", "1"]
    assert without_ending(["Jc|Qc|cc/", "Kc|Qc|cc/"], "cc") == ["Jc", "Kc"]
    assert without_ending(["10", "20"], "") == ["10", "20"]
    rows, columns, places = layout(["K|a", "J|b", "J|a"])
    assert (rows, columns, places) == (("J", "K"), ("a", "b"), [(1, 0), (0, 1), (0, 0)])
    assert layout(["die 10", "die 9"])[1] == ("die 9", "die 10")
    assert len(layout([str(k) for k in range(50)])[0]) == 7
