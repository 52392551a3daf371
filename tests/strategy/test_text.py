"""Strategies as text: an exact round trip, documented keys, errors that name file and line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise import certify
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import load
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.trees import classic
from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.sequence.build import game_fingerprint
from equipoise.strategy.profile import Strategy
from equipoise.strategy.table import decisions, groups, infosets
from equipoise.strategy.text import read_text, write_text
from equipoise.strategy.views import view_layout

GAMES = {
    "kuhn": classic.kuhn(),
    "leduc": classic.leduc(),
    "auction": load("auction"),
    "bargaining": load("bargaining"),
    "kuhn as data": poker.kuhn(),
    "rhode island": poker.rhode_island(3, 2),
}


def random_strategy(
    game: ExtensiveGame | StageGame, seed: int = 0, dtype: type = np.float64
) -> Strategy:
    """A strategy with probabilities of every size, zeros and ones among them."""
    random = np.random.default_rng(seed)
    is_staged = isinstance(game, StageGame)
    layout = view_layout(game) if is_staged else None
    sizes = [
        int(layout.starts(player)[-1]) if layout else game.sequences(player) for player in (0, 1)
    ]
    vectors = [np.ones(size) for size in sizes]
    for group in groups(game):
        shape = len(group.actions), len(group.labels)
        weight = random.exponential(size=shape) ** random.integers(1, 8)
        weight[0] *= random.random(shape[1]) < 0.7
        weight[-1] += weight.sum(axis=0) == 0
        share = (weight / weight.sum(axis=0)).ravel()
        vectors[group.player][group.first : group.first + len(share)] = share
    fingerprint = game_fingerprint(game) if is_staged else game.fingerprint
    return Strategy(game.name, fingerprint, tuple(v.astype(dtype) for v in vectors), layout)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_round_trip(name: str, dtype: type, tmp_path: Path) -> None:
    game = GAMES[name]
    strategy = random_strategy(game, dtype=dtype)
    lines = write_text(tmp_path / "a.txt", game, strategy)
    assert lines == infosets(game) == (tmp_path / "a.txt").read_bytes().count(b"\n")
    back = read_text(tmp_path / "a.txt", game)
    assert (back.game, back.fingerprint, back.layout) == (
        strategy.game,
        strategy.fingerprint,
        strategy.layout,
    )
    for found, expected in zip(back.behaviour, strategy.behaviour, strict=True):
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()
    assert certify(game, back).gap == certify(game, strategy).gap


@pytest.mark.parametrize("name", GAMES)
def test_lines_may_come_in_any_order_and_with_other_line_ends(name: str, tmp_path: Path) -> None:
    game = GAMES[name]
    strategy = random_strategy(game)
    write_text(tmp_path / "a.txt", game, strategy)
    lines = (tmp_path / "a.txt").read_text().splitlines()
    np.random.default_rng(0).shuffle(lines)
    (tmp_path / "b.txt").write_bytes(" \r\n".join(["", *lines]).encode())
    back = read_text(tmp_path / "b.txt", game)
    assert all((a == b).all() for a, b in zip(back.behaviour, strategy.behaviour, strict=True))


def test_keys_of_rhode_island() -> None:
    game = GAMES["rhode island"]
    lines = decisions(game, random_strategy(game))
    named = {(line.player + 1, line.infoset): line.actions for line in lines}
    assert len(named) == infosets(game)
    assert named[1, "Ka|"] == ("k", "b")
    assert named[2, "JaQb|kK/k"] == ("k", "b")
    # The suits of the example in the format's description: hole and turn card share one.
    assert named[2, "JaQbQa|kK/bRc/kBr"] == ("f", "c", "r")
    # After three bets nobody may raise, and no hand has two names.
    assert named[2, "Ka|bRr"] == ("f", "c")
    assert (2, "Jb|bRr") not in named


def one_decision_each(labels: list[str]) -> ExtensiveGame:
    """Nature names an information set of player 1, who then chooses."""
    tree = TreeBuilder("labels", ["A", "B"])
    chances = [(str(i), 1 / 16) for i in range(16)]
    for i, place in enumerate(tree.chance(tree.root, chances)):
        label = labels[i % len(labels)]
        for j, end in enumerate(tree.decide(place, 0, i % len(labels), ["l", "r"], label=label)):
            tree.end(end, (j, -j))
    return tree.build()


@settings(max_examples=50, deadline=None)
@given(labels=st.lists(st.text(max_size=6), min_size=1, max_size=16), seed=st.integers(0, 99))
def test_labels_of_any_text(
    tmp_path_factory: pytest.TempPathFactory, labels: list[str], seed: int
) -> None:
    game = one_decision_each(labels)
    strategy = random_strategy(game, seed)
    path = tmp_path_factory.mktemp("text") / "a.txt"
    write_text(path, game, strategy)
    back = read_text(path, game)
    assert all((a == b).all() for a, b in zip(back.behaviour, strategy.behaviour, strict=True))


def test_rounded_probabilities_are_made_to_sum_to_one(tmp_path: Path) -> None:
    game = GAMES["kuhn"]
    write_text(tmp_path / "a.txt", game, random_strategy(game))
    lines = (tmp_path / "a.txt").read_text().splitlines()
    key, _, _ = lines[0].rpartition("  ")
    (tmp_path / "a.txt").write_text("\n".join([f"{key}  0.333 0.666", *lines[1:]]))
    found = next(decisions(game, read_text(tmp_path / "a.txt", game)))
    assert found.probabilities == pytest.approx((1 / 3, 2 / 3), abs=1e-15)


BAD_LINES = {
    "2|Ja|  0.5 0.5": "who acts after",
    "1|Ja|  0.5 half": "probabilities between single spaces",
    "1|Ja|  0.5 0.25 0.25": "found 3 probabilities, expected 2",
    "1|Ja|  0.5 0.4": "sum of 1",
    "1|Ja|  1.5 -0.5": "none below 0",
    "1|Ja|  nan 1": "sum of 1",
    "1|Jb|  0.5 0.5": "such as 'Ja'",
    "1|Ja|q  0.5 0.5": "'q' cannot follow",
    "1|Ja|bF  0.5 0.5": "the game is over",
    "1  0.5 0.5": "player|signals|history",
    "1|Ja| 0.5 0.5": "two spaces",
    "1|Qa|  0.5 0.5": "a second time",
}


@pytest.mark.parametrize("line", BAD_LINES)
def test_bad_lines_are_named(line: str, tmp_path: Path) -> None:
    game = GAMES["rhode island"]
    path = tmp_path / "a.txt"
    write_text(path, game, random_strategy(game))
    lines = path.read_text().splitlines()
    assert [text.partition("  ")[0] for text in lines[:2]] == ["1|Ja|", "1|Qa|"]
    path.write_text("\n".join([*lines[1:], line]))
    with pytest.raises(EquipoiseError) as caught:
        read_text(path, game)
    assert f"{path}: line {len(lines)}: " in str(caught.value)
    assert BAD_LINES[line] in str(caught.value)


@pytest.mark.parametrize("name", ["kuhn", "rhode island"])
def test_what_is_missing_or_strange_is_said(name: str, tmp_path: Path) -> None:
    game, path = GAMES[name], tmp_path / "a.txt"
    write_text(path, game, random_strategy(game))
    lines = path.read_bytes().splitlines(keepends=True)
    for content, words in [
        (b"".join(lines[1:]), "leave 2 probabilities of"),
        (b"", "0 lines"),
        (b"\xff\n", "line 1: found bytes that are no text"),
        (b"9|unknown  1\n", "line 1: "),
    ]:
        path.write_bytes(content)
        with pytest.raises(EquipoiseError, match=words):
            read_text(path, game)
    with pytest.raises(EquipoiseError, match="cannot be read"):
        read_text(tmp_path, game)
    with pytest.raises(EquipoiseError, match="expected one of 'leduc'"):
        write_text(path, GAMES["leduc"], random_strategy(GAMES["kuhn"]))
