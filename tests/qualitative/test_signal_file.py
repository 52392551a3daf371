"""Signal games as files: what is read, and what is refused with file and field."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equipoise.errors import EquipoiseError
from equipoise.games.bayesian.betting_round import bet_or_check
from equipoise.games.files.bayesian import Problem, read


def problem(tmp_path: Path, text: str) -> Problem:
    file = tmp_path / "game.toml"
    file.write_text(text)
    return read(file)


def test_a_named_game_with_distributions_and_models(tmp_path: Path) -> None:
    found = problem(
        tmp_path,
        """
        title = "An endgame"
        game = "river"
        pot = 2
        [signals]
        P1 = [[0, 0], [0.4, 0.7], [1, 1]]
        P2 = "uniform"
        [models]
        first = '''
        P1: check-call |c| check-fold
        P2: fold/bet |f| fold/check'''
        """,
    )
    assert found.title == "An endgame"
    assert found.game.round.constant_sum == 2.0
    np.testing.assert_allclose(found.game.signals.edges, [0.0, 0.4, 1.0])
    np.testing.assert_allclose(found.game.signals.mass[0], [0.7, 0.3])
    assert found.models[0].name == "model 'first'"


def test_a_round_written_out_is_the_named_one(tmp_path: Path) -> None:
    found = problem(
        tmp_path,
        """
        [[leaf]]
        path = "P1 bet, P2 call"
        win = [3, 3]
        lose = [-1, -1]
        [[leaf]]
        path = "P1 bet, P2 fold"
        pay = [2, 0]
        [[leaf]]
        path = "P1 check"
        win = [2, 2]
        lose = [0, 0]
        contenders = [1, 2]
        """,
    )
    assert found.game.round == bet_or_check(2.0)
    assert found.title == "game"
    assert not found.models
    assert not found.game.signals.finite


@pytest.mark.parametrize(
    ("signals", "cells", "finite"),
    [
        ("finite = [[0.5, 0.5], [0.25, 0.75]]", 2, True),
        ("deck = 5", 5, True),
        ("joint = [[0.1, 0.4], [0.3, 0.2]]", 2, True),
        ("joint = [[0.1, 0.4], [0.3, 0.2]]\nedges = [0, 0.5, 1]", 2, False),
    ],
)
def test_other_signals(tmp_path: Path, signals: str, cells: int, finite: bool) -> None:
    found = problem(tmp_path, f'game = "kuhn"\n[signals]\n{signals}')
    assert found.game.signals.cells == cells
    assert found.game.signals.finite == finite


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('game = "river', "not TOML"),
        ("", "both or neither of game and"),
        ('game = "bridge"', "game: found 'bridge', expected one of bet-or-check"),
        ('game = "river"\npot = -1', "pot: found -1, expected a positive number"),
        ('game = "kuhn"\npot = 1', "pot: found 1, expected no such field in this game"),
        ('game = "river"\nsignal = 1', "signal: unknown field"),
        ('game = "river"\nsignals = 1', "signals: found 1, expected a table"),
        ('game = "river"\n[signals]\nP3 = "uniform"', "signals.P3: unknown field, expected one of P1, P2"),
        ('game = "river"\n[signals]\nP1 = [[0, 0], [0.5, 0.8], [0.7, 0.6], [1, 1]]', "signals.P1: CDF, breakpoint 3"),
        ('game = "river"\n[signals]\nP1 = "normal"', "signals.P1: CDF: expected a list of pairs"),
        ('game = "river"\n[signals]\ndeck = "all"', "signals.deck: found 'all', expected a whole number"),
        ('game = "river"\n[signals]\ndeck = 5\njoint = [[1]]', "found deck and joint, expected one"),
        ('game = "river"\n[signals]\njoint = [[0.5], [0.5, 0]]', "signals.joint: found .* expected lists of the same length"),
        ('game = "river"\n[signals]\nfinite = [[1]]', "signals.finite: found .* expected 2 lists"),
        ('game = "river"\n[signals]\nfinite = [[1], "x"]', "signals.finite.2: found 'x', expected a list of numbers"),
        ('game = "river"\nmodels = 1', "models: found 1, expected a table"),
        ('game = "river"\n[models]\na = 1', "models.a: found 1, expected a text"),
        ('game = "river"\n[models]\na = "P1: bet"', "model 'a', line 1: found the plan 'bet'"),
        ("leaf = 1", "leaf: found 1, expected a list of tables"),
        ("[[leaf]]\npay = [1]", "leaf 1.path: found nothing, expected a text"),
        ('[[leaf]]\npath = "P1 a"\nwin = 1\nlose = [1]', "leaf 1.win: found 1, expected a list of numbers"),
        ('[[leaf]]\npath = "P1 a"\npay = [1, 1]\nwin = [1, 1]', "leaf 1.win: unknown field"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_with_their_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(EquipoiseError, match=message) as error:
        problem(tmp_path, text)
    assert "game.toml" in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EquipoiseError, match="cannot be read"):
        read(tmp_path / "none.toml")
