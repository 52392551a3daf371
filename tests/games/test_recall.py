"""Games whose players forget: read, counted, converted and certified, but not solved."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise import nash
from equipoise.certificates.gap import certify
from equipoise.errors import EquipoiseError
from equipoise.games.files.convert import convert
from equipoise.games.files.gambit import parse_efg, read_efg, write_efg
from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.classic import kuhn
from equipoise.games.trees.extensive import TERMINAL, ExtensiveGame
from equipoise.games.trees.recall import with_recall
from equipoise.games.trees.reduced_normal import reduced_normal_form
from equipoise.sequence.build import build
from equipoise.strategy.profile import Strategy
from equipoise.strategy.text import read_text, write_text

# The absent-minded driver of Piccione and Rubinstein (1997): exit at the first crossing pays 0, at
# the second 4, at neither 1, and both look alike.
DRIVER = """EFG 2 R "driver" { "Driver" } ""
p "" 1 1 "crossing" { "exit" "on" } 0
t "" 1 "first" { 0 }
p "" 1 1 0
t "" 2 "second" { 4 }
t "" 3 "end" { 1 }
"""


def forgetful_tree(payoffs: list[int]) -> ExtensiveGame:
    """Player 1 moves twice and forgets her first move; player 2 sees nothing."""
    tree = TreeBuilder("forgetful", ["A", "B"])
    ends = iter(payoffs)
    for first in tree.decide(tree.root, 0, "first", ["l", "r"]):
        for second in tree.decide(first, 1, "other", ["x", "y"]):
            for leaf in tree.decide(second, 0, "second", ["u", "d"]):
                gain = next(ends)
                tree.end(leaf, (gain, -gain))
    return tree.build()


def test_the_absent_minded_driver_is_read_and_earns_what_is_published() -> None:
    game = parse_efg(DRIVER, "driver.efg")
    assert game.forgetful == 0
    on = 2 / 3  # the best behaviour earns 4/3 (Piccione and Rubinstein 1997)
    strategy = Strategy(game.name, game.fingerprint, (np.array([1.0, 1 - on, on]),))
    proof = certify(game, strategy)
    assert proof.value == pytest.approx(4 / 3)
    assert proof.forgetful
    # Someone who remembers would drive on once, then exit.
    assert proof.best_responses == (4.0,)


@pytest.mark.parametrize("rigorous", [False, True])
def test_values_are_exact_and_best_responses_bounds(rigorous: bool) -> None:
    game = forgetful_tree([3, -1, 0, 2, 1, 1, -2, 4])
    chance = np.random.default_rng(3)
    for _ in range(20):
        p, q, r = chance.random(3)
        strategy = Strategy(
            game.name,
            game.fingerprint,
            (np.array([1, p, 1 - p, q, 1 - q]), np.array([1, r, 1 - r])),
        )
        proof = certify(game, strategy, rigorous=rigorous)
        table = reduced_normal_form(game).payoffs[..., 0]
        mine = np.array([a * b for a, b in product((p, 1 - p), (q, 1 - q))])
        theirs = np.array([r, 1 - r])
        assert proof.value == pytest.approx(mine @ table @ theirs)
        assert proof.best_responses[0] >= (table @ theirs).max() - 1e-12
        assert proof.best_responses[1] == pytest.approx(-(mine @ table).min())


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(-5, 5), min_size=8, max_size=8))
def test_the_normal_form_of_a_forgetful_game_plays_alike_where_she_cannot_tell(
    payoffs: list[int],
) -> None:
    table = reduced_normal_form(forgetful_tree(payoffs))
    assert table.actions == (("l/u", "l/d", "r/u", "r/d"), ("x", "y"))
    expected = np.array(payoffs).reshape(2, 2, 2).transpose(0, 2, 1).reshape(4, 2)
    assert (table.payoffs[..., 0] == expected).all()


def test_the_refinement_remembers_and_is_the_game_itself_where_nobody_forgets() -> None:
    game = forgetful_tree([0] * 8)
    recalled = with_recall(game)
    assert recalled.forgetful is None
    assert (game.infosets, recalled.infosets) == (3, 4)
    assert with_recall(kuhn()).infosets == 12
    whole = kuhn()
    assert with_recall(whole) is whole


def test_solving_is_refused_with_the_player_and_the_set() -> None:
    words = r"player 1 reaches the information set 'second' after different own actions, expected"
    game = forgetful_tree([1] * 8)
    with pytest.raises(EquipoiseError, match=words):
        build(game)
    with pytest.raises(EquipoiseError, match=words):
        nash(game)


def test_files_and_strategies_of_forgetful_games_come_back(tmp_path: Path) -> None:
    (tmp_path / "driver.efg").write_text(DRIVER)
    tree = convert(str(tmp_path / "driver.efg"), tmp_path / "again.efg")
    assert isinstance(tree, ExtensiveGame)
    again = read_efg(tmp_path / "again.efg")
    assert again.fingerprint == tree.fingerprint
    table = convert(str(tmp_path / "driver.efg"), tmp_path / "driver.nfg")
    assert table.actions == (("exit", "on"),)
    assert table.payoff.reshape(-1).tolist() == [0, 1]
    game = forgetful_tree(list(range(8)))
    write_efg(game, tmp_path / "forgetful.efg")
    assert read_efg(tmp_path / "forgetful.efg").fingerprint == game.fingerprint
    strategy = Strategy(
        game.name, game.fingerprint, (np.array([1, 0.25, 0.75, 0.5, 0.5]), np.array([1, 0.0, 1]))
    )
    write_text(tmp_path / "s.txt", game, strategy)
    back = read_text(tmp_path / "s.txt", game)
    assert all((a == b).all() for a, b in zip(back.behaviour, strategy.behaviour, strict=True))
    assert (game.player == TERMINAL).sum() == 8
