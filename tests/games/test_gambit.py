"""Gambit's formats: what the manual allows is read, what is written reads back, here and there.

Two roads: Gambit's own reader must see the same game in every file, read or written. What it saw is
recorded (``gambit_readings.py``); ``test_gambit_live.py`` asks it again, where it is installed.
"""

import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.games.gambit_readings import Reading, recorded, text_of, twins
from tests.games.random_trees import WILD, tables, trees

from equipoise.errors import EquipoiseError
from equipoise.games.base import load
from equipoise.games.files.gambit import (
    parse_efg,
    parse_nfg,
    read_efg,
    read_nfg,
    write_efg,
    write_nfg,
)
from equipoise.games.files.gambit.tokens import distinct, quote, unescape
from equipoise.games.trees.classic import kuhn, leduc
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame, from_matrices

F = Fraction
DATA = Path(__file__).parent / "data"
EFGS = sorted(DATA.glob("*.efg"))
NFGS = sorted(DATA.glob("*.nfg"))


def same_tree(a: ExtensiveGame, b: ExtensiveGame) -> bool:
    arrays = ("parent", "slot", "player", "infoset", "probability", "outcome", "payoff")
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in arrays) and all(
        getattr(a, name) == getattr(b, name)
        for name in (
            "name",
            "players",
            "numbers",
            "infoset_label",
            "infoset_actions",
            "chance_label",
        )
    )


def same_table(a: NormalGame, b: NormalGame) -> bool:
    return (a.name, a.players, a.actions) == (b.name, b.players, b.actions) and np.array_equal(
        a.payoff, b.payoff
    )


def uniform_payoffs(game: ExtensiveGame) -> list[F]:
    """Exact payoffs when everyone plays every action alike."""
    reach = [F(1)] * game.nodes
    total = [F(0)] * len(game.players)
    for v in range(game.nodes):
        if v:
            above = int(game.parent[v])
            share = (
                F(1, int(game.action_count[game.infoset[above]])) if game.player[above] >= 0 else 1
            )
            reach[v] = reach[above] * share * game.numbers[game.probability[v]]
        if game.outcome[v] >= 0:
            for i, place in enumerate(game.payoff[game.outcome[v]]):
                total[i] += reach[v] * game.numbers[place]
    return total


# ---------------------------------------------------------------------------- what the files say


def test_every_way_to_write_a_tree() -> None:
    game = read_efg(DATA / "market.efg")
    assert game.name == 'The "lemon" market'
    assert game.players == ("Seller", "Buyer")
    assert (game.nodes, game.infosets) == (22, 5)
    assert game.infoset_label == ("good car", "sees high", "sees low", "fair car", "(1,3)")
    nature = [game.numbers[game.probability[v]] for v in np.flatnonzero(game.parent == 0)]
    assert nature == [F(1, 3), F(1, 4), F(5, 12)]
    paid = [tuple(game.numbers[i] for i in game.payoff[game.outcome[v]]) for v in game.terminals]
    assert paid == [
        (F(2), F(3, 2)), (0, 0), (F(-1, 2), 3), (0, 0),
        (F(5, 2), F(-1, 2)), (0, 0), (1, 1), (0, 0),
        (4, -3), (0, 0), (2, -1), (0, 0),
    ]  # fmt: skip


def test_payoffs_add_up_along_the_path() -> None:
    game = read_efg(DATA / "tolls.efg")
    paid = [tuple(game.numbers[i] for i in game.payoff[game.outcome[v]]) for v in game.terminals]
    half = F(1, 2)
    assert paid == [
        (3 - 1 - half, 2, 2 + half),  # entry fee, toll, trade
        (-3 - half, -3, -1 + half),  # entry fee, toll, war
        (-1 - 2 * half, -1, -1 + 2 * half),  # entry fee, toll, toll again
        (3 - 1 - 2 * half, 2, 2 + 2 * half),
        (2, 2, 2),
        (-1 - 2 - half, -3, -1 + half),
        (-1 - half, -1, -1 + half),
    ]


def test_every_way_to_write_a_table() -> None:
    stag = read_nfg(DATA / "stag.nfg")
    assert stag.actions == (("1", "2"), ("1", "2"))
    assert stag.payoff[:, :, 0].tolist() == [[4, 0], [3, 3]]
    assert stag.payoff[:, :, 1].tolist() == [[4, 3], [0, 3]]
    committee = read_nfg(DATA / "committee.nfg")
    assert committee.payoff.shape == (3, 2, 2, 3)
    assert committee.payoff[2, 1, 1].tolist() == [0, 0, F(1, 4)]
    assert committee.payoff[1, 0, 0].tolist() == [0, F(1, 2), F(1, 2)]
    passing = read_nfg(DATA / "passing.nfg")
    assert passing.actions == (("keep left", "keep right"), ("keep left", "keep right", "stop"))
    assert passing.payoff[0, 2].tolist() == [F(1, 2), F(-1, 4)]
    assert passing.payoff[1, 2].tolist() == [0, 0]


# --------------------------------------------------------------------------- what Gambit has read


def check_tree(ours: ExtensiveGame, theirs: Reading) -> None:
    """The game Gambit read is this one, and what Gambit writes is this game to us."""
    assert uniform_payoffs(ours) == [F(payoff) for payoff in theirs["payoffs"]]
    assert ours.infosets == theirs["infosets"]
    assert len(set(theirs["players"])) == len(ours.players)
    back = parse_efg(theirs["written"], "written by Gambit")
    assert uniform_payoffs(back) == uniform_payoffs(ours)
    assert list(map(len, back.infoset_actions)) == list(map(len, ours.infoset_actions))


def check_table(ours: NormalGame, theirs: Reading) -> None:
    """Every profile pays the same."""
    assert list(ours.payoff.shape[:-1]) == theirs["shape"]
    cells = ours.payoff.reshape(-1, len(ours.players)).tolist()
    assert cells == [[F(payoff) for payoff in cell] for cell in theirs["payoffs"]]


def test_gambit_reads_the_files_alike() -> None:
    readings = recorded("files")
    assert [reading["file"] for reading in readings] == [
        path.name for path in sorted([*EFGS, *NFGS])
    ]
    for reading in readings:
        path = DATA / reading["file"]
        assert path.read_text() == reading["text"]
        if path.suffix == ".efg":
            check_tree(read_efg(path), reading)
        else:
            check_table(read_nfg(path), reading)


@pytest.mark.parametrize("reading", recorded("trees"))
def test_gambit_reads_the_trees_we_write(reading: Reading) -> None:
    game = parse_efg(reading["text"], "test")
    assert text_of(game) == reading["text"]  # what Gambit has read is what we write today
    assert reading["perfect_recall"]
    check_tree(game, reading)


@pytest.mark.parametrize("reading", recorded("tables"))
def test_gambit_reads_the_tables_we_write(reading: Reading) -> None:
    game = parse_nfg(reading["text"], "test")
    assert text_of(game) == reading["text"]
    check_table(game, reading)


def test_duplicate_labels_are_written_apart() -> None:
    """Gambit refuses players of the same name, and two moves of the same name at one node."""
    assert text_of(twins()) in [reading["text"] for reading in recorded("trees")]


# ------------------------------------------------------------------------------- round-trip laws


@pytest.mark.parametrize("path", EFGS, ids=lambda p: p.name)
def test_a_tree_read_and_written_reads_the_same(path: Path, tmp_path: Path) -> None:
    game = read_efg(path)
    write_efg(game, tmp_path / "copy.efg")
    assert same_tree(game, read_efg(tmp_path / "copy.efg"))


@pytest.mark.parametrize("path", NFGS, ids=lambda p: p.name)
def test_a_table_read_and_written_reads_the_same(path: Path, tmp_path: Path) -> None:
    game = read_nfg(path)
    write_nfg(game, tmp_path / "copy.nfg")
    assert same_table(game, read_nfg(tmp_path / "copy.nfg"))


@pytest.mark.parametrize("game", [kuhn(), kuhn(4), leduc()], ids=lambda g: g.name)
def test_games_from_rules_survive_a_file(game: ExtensiveGame, tmp_path: Path) -> None:
    write_efg(game, tmp_path / "game.efg")
    copy = load(str(tmp_path / "game.efg"))
    assert same_tree(game, copy)
    assert copy.fingerprint == game.fingerprint


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(trees(WILD))
def test_any_tree_survives(game: ExtensiveGame) -> None:
    assert same_tree(game, parse_efg(text_of(game), "test"))


@settings(deadline=None)
@given(tables())
def test_any_table_survives(game: NormalGame) -> None:
    assert same_table(game, parse_nfg(text_of(game), "test"))


@given(st.text())
def test_quoting_is_undone_by_reading(label: str) -> None:
    quoted = quote(label)
    inner = quoted[1:-1]
    assert unescape(inner) == label
    assert inner.isascii()
    assert inner.isprintable()
    assert not inner.endswith("\\")
    assert inner.strip() == inner
    assert "  " not in inner


@given(st.lists(st.sampled_from(["", "a", "a_2", "a_3", "1", "2"])))
def test_labels_become_distinct_and_the_good_ones_stay(labels: list[str]) -> None:
    named = distinct(labels)
    assert len(set(named)) == len(labels)
    assert all(named)
    assert distinct(named) == named
    for before, after in zip(labels, named, strict=True):
        assert before == after or not before or labels.count(before) > 1 or before in "12"


def test_unnamed_and_doubled_labels_are_told_apart() -> None:
    game = parse_efg(
        'EFG 2 R "" { "" "" } p "" 1 1 "" { "" "x" "x" } 0 t "" 0 t "" 0 t "" 0', "f.efg"
    )
    assert game.name == "f"
    assert game.players == ("1", "2")
    assert game.infoset_actions == (("1", "x", "x_2"),)


def test_descriptions_may_be_partial_and_numbers_spelt_otherwise() -> None:
    text = """EFG 2 R "" { "A" } p "" 1 1 { "a" "b" } 3 { +1/2 }
    p "" 1 2 "later" { "a" } 3 "" { .5 } t "" 3 { 50e-2 } t "" 0"""
    game = parse_efg(text, "f.efg")
    assert game.infoset_label == ("(1,1)", "later")
    assert game.payoffs[game.outcome[game.terminals]].tolist() == [[1.5], [0.5]]


def test_depth_is_no_limit(tmp_path: Path) -> None:
    depth = 100_000
    nodes = "".join(f'p "" {1 + i % 2} {i + 1} "" {{ "on" "off" }} 0\n' for i in range(depth))
    text = 'EFG 2 R "a long walk" { "A" "B" }\n' + nodes + 't "" 0\n' * (depth + 1)
    game = parse_efg(text, "deep.efg")
    assert game.nodes == 2 * depth + 1
    write_efg(game, tmp_path / "deep.efg")
    assert (tmp_path / "deep.efg").stat().st_size > len(text)


# ------------------------------------------------------------------------------- refused, and why

TREE = """EFG 2 R "t" { "A" "B" }
c "" 1 "" { "x" 1/2 "y" 1/2 } 0
p "" 1 1 "" { "a" "b" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { 0, 0 }
p "" 1 1 "" { "a" "b" } 0
t "" 1
t "" 2
"""

TABLE = """NFG 1 R "t" { "A" "B" }
{ 2 2 }
1 2 3 4
5 6 7 8
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("EFG", "EFC", 1, "found 'EFC', expected 'EFG'"),
        ("EFG 2", "EFG 3", 1, "found '3', expected '2'"),
        (" R ", " Q ", 1, "found 'Q', expected 'R' or 'D'"),
        ('"t" {', "{", 1, "found '{', expected the title"),
        ('{ "A" "B" }', "{ }", 1, "found no players"),
        ('{ "A" "B" }', '{ "A" B }', 1, "found 'B', expected a player's name"),
        ("1/2 }", "1/3 }", 2, "sum to 0.833333333333, expected exactly 1"),
        ("1/2 }", "0.4999999 }", 2, "sum to 0.9999999, expected exactly 1"),
        ("1/2 }", "nan }", 2, "found 'nan', expected its probability (a finite number"),
        ('"x" 1/2 "y" 1/2', '"x" 3/2 "y" -1/2', 2, "found the probability -1/2, expected none below 0"),
        ("1/2 }", "1/0 }", 2, "found '1/0'"),
        ('p "" 1 1 "" { "a" "b" }', 'p "" 3 1 "" { "a" "b" }', 3, "found player 3, expected a number from 1 to 2"),
        ('p "" 1 1 "" { "a" "b" }', 'p "" 0 1 "" { "a" "b" }', 3, "found '0', expected a player's number"),
        ('p "" 1 1 "" { "a" "b" }', 'p "" 1 1', 3, "found '0', expected the actions of information set 1 of player 1"),
        ('p "" 1 1 "" { "a" "b" }', 'p "" 1 1 "" { }', 3, "has no actions"),
        ("{ 1, -1 }", "{ 1, inf }", 4, "found 'inf', expected payoff 2 of 2"),
        ("{ 1, -1 }", "{ 1, NaN }", 4, "found 'NaN', expected payoff 2 of 2"),
        ("{ 1, -1 }", "{ 1, 1e999999999 }", 4, "found '1e999999999'"),
        ("{ 1, -1 }", "{ 1, 1e301 }", 4, "between -1e300 and 1e300"),
        ("{ 1, -1 }", "{ 1 }", 4, "found 1 payoffs, expected 2"),
        ("{ 1, -1 }", "{ 1 2 3 }", 4, "found '3', expected '}' after 2 payoffs"),
        ("{ 1, -1 }", "{ 1, ٣ }", 4, "expected payoff 2 of 2"),
        ('t "" 2 "" { 0, 0 }', 't "" 3', 6, "found 'p', expected the payoffs of outcome 3"),
        ('t "" 2 "" { 0, 0 }', 't "" -1', 5, "found '-1', expected the number of an outcome"),
        ('t "" 2 "" { 0, 0 }', 't "" 0 "" { 0, 0 }', 5, "found a description of outcome 0"),
        ('t "" 1\n', 't "" 1 "" { 1, 1 }\n', 7, "outcome 1 differs from its first description"),
        ('t "" 2\n', "", 8, "found the end of the file, expected more nodes"),
        ('t "" 2\n', 't "" 2\nt "" 2\n', 9, "found 't', expected the end of the file"),
        ('t "" 2\n', 't "" 2 junk\n', 8, "found 'junk', expected the end of the file"),
        ('t "" 2\n', 't "open', 8, "found a quotation mark that nothing closes"),
        ('t "" 2\n', 't "open\\"', 8, "found a quotation mark that nothing closes"),
        ('t "" 2\n', "x\n", 8, "found 'x', expected 'c' or 'p' or 't'"),
        ('"a" "b" } 0\nt "" 1\n', '"a" "c" } 0\nt "" 1\n', 6, "has actions ['a', 'c'], expected ['a', 'b'] as before"),
        ('"a" "b" } 0\nt "" 1\n', '"a" } 0\nt "" 1\n', 6, "has actions ['a'], expected ['a', 'b'] as before"),
        ('p "" 1 1 "" { "a" "b" } 0\nt "" 1\n', 'p "" 1 1 "other" { "a" "b" } 0\nt "" 1\n', 6, "has a second label"),
        ('t "" 2 "" { 0, 0 }', 'c "" 1 "new" 0 t "" 1 t "" 0', 5, "event 1 differs"),
        ('t "" 2 "" { 0, 0 }', 'c "" 2 0 t "" 1 t "" 0', 5, "expected the moves of event 2"),
    ],
)  # fmt: skip
def test_a_bad_tree_is_refused_with_its_line(old: str, new: str, line: int, words: str) -> None:
    start = TREE.rindex(old) if old in ('t "" 2\n',) else TREE.index(old)
    text = TREE[:start] + new + TREE[start + len(old) :]
    with pytest.raises(EquipoiseError) as error:
        parse_efg(text, "game.efg")
    message = str(error.value)
    assert message.startswith(f"game.efg, line {line}: ")
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("NFG 1", "NFG 2", 1, "found '2', expected '1'"),
        ("{ 2 2 }", "{ 2 2 2 }", 2, "found '2', expected '}' after the strategies of 2 players"),
        ("{ 2 2 }", "{ 2 }", 2, "found the strategies of 1 players, expected 2"),
        ("{ 2 2 }", "{ 2 0 }", 2, "found '0', expected the number of strategies of player 2"),
        ("{ 2 2 }", "{ 2 3 }", 4, "found 8 payoffs, expected 12"),
        ("{ 2 2 }", "{ 999999999 999999999 }", 4, "found 8 payoffs, expected 1999999996000000002"),
        ("{ 2 2 }", '{ { "a" "b" } 2 }', 2, "found '2', expected a list of the strategies of player 2"),
        ("{ 2 2 }", '{ 2 { "a" "b" } }', 2, "found '{', expected the number of strategies of player 2"),
        ("{ 2 2 }", '{ { "a" "b" } { } }', 2, "player 2 has no strategies"),
        ("7 8", "7", 4, "found 7 payoffs, expected 8"),
        ("7 8", "7 8 9", 4, "found '9', expected the end of the file after 8 payoffs"),
        ("7 8", "7 nan", 4, "found 'nan', expected payoff 8 of 8"),
        ("7 8", "7 {", 4, "found '{', expected payoff 8 of 8"),
        ("1 2 3 4\n5 6 7 8", '{ { "" 1 2 } } 1 1 1 2', 3, "found outcome 2, expected a number from 0 to 1"),
        ("1 2 3 4\n5 6 7 8", '{ { "" 1 2 } } 1 1 1', 3, "found 3 outcome numbers, expected 4"),
        ("1 2 3 4\n5 6 7 8", '{ { "" 1 } } 1 1 1 1', 3, "found 1 payoffs, expected 2"),
        ("1 2 3 4\n5 6 7 8", "{ { 1 2 } } 1 1 1 1", 3, "expected the label of an outcome"),
        ('{ "A" "B" }', "{" + ' "A"' * 31 + " }", 1, "found 31 players, expected 1 to 30"),
    ],
)  # fmt: skip
def test_a_bad_table_is_refused_with_its_line(old: str, new: str, line: int, words: str) -> None:
    assert old in TABLE
    with pytest.raises(EquipoiseError) as error:
        parse_nfg(TABLE.replace(old, new), "game.nfg")
    message = str(error.value)
    assert message.startswith(f"game.nfg, line {line}: ")
    assert words in message
    assert "\n" not in message


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder.efg").mkdir()
    (tmp_path / "empty.efg").write_text(" \n")
    (tmp_path / "bytes.efg").write_bytes(b'EFG 2 R "a\n\xff"')
    for path, words in [
        ("none.efg", "there is no such file"),
        ("folder.efg", "found a folder"),
        ("empty.efg", "the file is empty"),
        ("bytes.efg", "line 2: found the byte 0xff, expected text in UTF-8"),
        ("nul\0.efg", "cannot be read"),
        ("none.efg/x.efg", "there is no such file"),
        ("empty.efg/x.efg", "cannot be read"),
    ]:
        with pytest.raises(EquipoiseError, match=words):
            read_efg(tmp_path / path)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.efg"
    write_efg(kuhn(), path)
    before = path.read_bytes()
    real = Path.open

    def opened(self: Path, mode: str = "r", *options: Any) -> Any:
        is_new = "x" in mode
        return real(*((Path("/dev/full"), "wb") if is_new else (self, mode, *options)))

    monkeypatch.setattr(Path, "open", opened)
    with pytest.raises(EquipoiseError, match="the disk is full"):
        write_efg(leduc(), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["game.efg"]


def test_nothing_is_left_when_a_game_cannot_be_written(tmp_path: Path) -> None:
    game = from_matrices("large", [[F(1, 3**9000)]])
    with pytest.raises(EquipoiseError, match="over 3,900 digits"):
        write_nfg(game, tmp_path / "large.nfg")
    assert os.listdir(tmp_path) == []
