"""Gambit itself on random games, where it is installed: ``pip install '.[test,gambit]'``."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from tests.games.gambit_readings import (
    read_equilibria,
    read_reduced,
    read_table,
    read_tree,
    text_of,
)
from tests.games.random_trees import PLAIN, WILD, tables, trees
from tests.games.test_convert import check_reduced
from tests.games.test_gambit import check_table, check_tree
from tests.solvers.test_matrix import check_equilibria, games

from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame

pytest.importorskip(
    "pygambit", reason="pygambit needs a compiler; its recorded readings are tested in any case"
)
patient = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


@patient
@given(trees(WILD) | trees(PLAIN))
def test_gambit_reads_what_we_write(game: ExtensiveGame) -> None:
    reading = read_tree(text_of(game))
    assert reading["perfect_recall"]
    check_tree(game, reading)


@patient
@given(trees(PLAIN, most_depth=3))
def test_gambit_reduces_alike(game: ExtensiveGame) -> None:
    check_reduced(game, read_reduced(text_of(game)))


@patient
@given(tables())
def test_gambit_reads_our_tables(game: NormalGame) -> None:
    check_table(game, read_table(text_of(game)))


@patient
@given(games(spread=10**6))
def test_gambit_finds_the_same_equilibria(game: NormalGame) -> None:
    check_equilibria(game, read_equilibria(text_of(game)))
