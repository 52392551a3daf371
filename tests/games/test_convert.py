"""Trees to tables and back: the same game in another form."""

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.games.gambit_readings import Reading, recorded
from tests.games.test_gambit import same_table, same_tree

from equipoise.errors import EquipoiseError
from equipoise.games.base import load
from equipoise.games.files.convert import convert
from equipoise.games.files.gambit import parse_efg, read_efg, read_nfg
from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.classic import kuhn, leduc
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame
from equipoise.games.trees.reduced_normal import count_plans, reduced_normal_form

DATA = Path(__file__).parent / "data"


def profiles(game: NormalGame) -> Counter:
    return Counter(map(tuple, game.payoff.reshape(-1, len(game.players)).tolist()))


def check_reduced(game: ExtensiveGame, theirs: Reading) -> None:
    """As many strategies a player, and the same payoffs over all profiles."""
    table = reduced_normal_form(game)
    assert [len(labels) for labels in table.actions] == theirs["strategies"]
    assert all(len(set(labels)) == len(labels) for labels in table.actions)
    assert profiles(table) == Counter(tuple(map(Fraction, row)) for row in theirs["profiles"])


@pytest.mark.parametrize("reading", recorded("reduced"))
def test_the_reduced_form_is_gambit_s(reading: Reading) -> None:
    check_reduced(parse_efg(reading["text"], "test"), reading)


def test_kuhn_poker_s_reduced_form() -> None:
    """27 x 64 strategies, and its rows and columns hold the value -1/18 (Kuhn 1950)."""
    table = reduced_normal_form(kuhn())
    assert table.payoff.shape == (27, 64, 2)
    assert (table.payoff.sum(axis=-1) == 0).all()
    from scipy.optimize import linprog

    A = table.payoffs[..., 0]
    # max v: A'x >= v, x in the simplex
    bound = np.hstack([-A.T, np.ones((64, 1))])
    row = np.append(np.ones(27), 0.0)[None]
    free = [(0, None)] * 27 + [(None, None)]
    best = linprog(np.append(np.zeros(27), -1.0), bound, np.zeros(64), row, [1.0], free)
    assert -best.fun == pytest.approx(-1 / 18, abs=1e-9)


def test_probabilities_stay_exact_where_int64_would_not() -> None:
    tree = TreeBuilder("rare", ["A", "B"])
    tiny = Fraction(1, 3**50)
    rare, common = tree.chance(tree.root, [("rare", tiny), ("common", 1 - tiny)])
    for leaf, payoff in zip(tree.decide(rare, 0, "s", ["a", "b"]), (1, 2), strict=True):
        tree.end(leaf, (payoff, 0))
    tree.end(common, (5, 7))
    table = reduced_normal_form(tree.build())
    assert table.payoff[:, 0].tolist() == [
        [tiny + 5 * (1 - tiny), 7 * (1 - tiny)],
        [2 * tiny + 5 * (1 - tiny), 7 * (1 - tiny)],
    ]


def test_strategies_are_named_by_their_actions() -> None:
    tree = TreeBuilder("named", ["A"])
    stay, leave = tree.decide(tree.root, 0, "first", ["stay", "leave"])
    tree.end(leave, [0])
    for leaf in tree.decide(stay, 0, "second", ["rest", "work"]):
        tree.end(leaf, [1])
    assert reduced_normal_form(tree.build()).actions == (("stay/rest", "stay/work", "leave/-"),)


def test_a_large_table_is_refused_with_its_size() -> None:
    with pytest.raises(EquipoiseError, match=r"27 x 64 = 1,728 cells, expected at most 1,000"):
        reduced_normal_form(kuhn(), most_cells=1000)
    with pytest.raises(EquipoiseError, match=r"over 10\^18 x over 10\^18"):
        reduced_normal_form(leduc())
    assert count_plans(kuhn(4), 0) == 3**4
    assert count_plans(kuhn(4), 1) == 4**4


def test_a_deep_tree_is_refused_not_unrolled() -> None:
    tree = TreeBuilder("deep", ["A"])
    place = tree.root
    for i in range(20_000):
        place, leaf = tree.decide(place, 0, i, ["on", "off"])
        tree.end(leaf, [0])
    tree.end(place, [1])
    with pytest.raises(EquipoiseError, match=r"20,001 reduced strategies of 40,001 sequences"):
        reduced_normal_form(tree.build())


def test_files_convert_both_ways(tmp_path: Path) -> None:
    table = convert(str(DATA / "market.efg"), tmp_path / "market.nfg")
    assert same_table(table, read_nfg(tmp_path / "market.nfg"))
    tree = convert(str(tmp_path / "market.nfg"), tmp_path / "market.efg")
    assert same_tree(tree, read_efg(tmp_path / "market.efg"))
    assert profiles(reduced_normal_form(tree)) == profiles(table)


def test_any_spec_converts(tmp_path: Path) -> None:
    convert("kuhn(cards=4)", tmp_path / "kuhn.efg")
    assert load(str(tmp_path / "kuhn.efg")).fingerprint == kuhn(4).fingerprint
    convert(str(DATA / "stag.nfg"), tmp_path / "copy.nfg")
    assert same_table(read_nfg(DATA / "stag.nfg"), read_nfg(tmp_path / "copy.nfg"))


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EquipoiseError, match=r"found the ending '.txt', expected .efg or .nfg"):
        convert("kuhn", tmp_path / "kuhn.txt")
    with pytest.raises(EquipoiseError, match="not a folder"):
        convert("kuhn", tmp_path / "none" / "kuhn.efg")


def test_games_given_by_their_rounds_are_written_out(tmp_path: Path) -> None:
    tree = convert("rhode-island(ranks=2,suits=2)", tmp_path / "small.efg")
    assert same_tree(tree, read_efg(tmp_path / "small.efg"))
    with pytest.raises(EquipoiseError, match=r"its tree has [0-9,]{10,} nodes, expected at most"):
        convert("rhode-island", tmp_path / "large.efg")
