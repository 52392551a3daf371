"""Repeated games: the record, its files, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import equipoise
from equipoise.errors import EquipoiseError
from equipoise.games.repeated.game import (
    EXAMPLES,
    RepeatedGame,
    load_repeated,
    parse_repeated,
    read_repeated,
)

PARTIAL = """
name = "Zamir's"
prior = ["1/2", 0.5]
rows = ["U", "D"]
columns = ["L", "M", "R"]
[[state]]
name = "A"
payoffs = [[4, 0, 2], [4, 0, -2]]
[[state]]
name = "B"
payoffs = [[0, 4, -2], [0, 4, 2]]
"""


def test_the_package_exports_it() -> None:
    assert equipoise.RepeatedGame is RepeatedGame


def test_a_file_is_the_game_it_describes(tmp_path: Path) -> None:
    (tmp_path / "zamir.toml").write_text(PARTIAL)
    game, example = read_repeated(tmp_path / "zamir.toml"), EXAMPLES["partial"]
    assert np.array_equal(game.matrices, example.matrices)
    assert np.array_equal(game.prior, example.prior)
    assert (game.states, game.rows, game.columns) == (example.states, example.rows, example.columns)
    assert game.name == "Zamir's"
    assert load_repeated("partial") is example


def test_labels_and_name_have_defaults() -> None:
    game = parse_repeated("prior = [1]\n[[state]]\npayoffs = [[1, 2]]", "stem")
    assert (game.name, game.states, game.rows, game.columns) == ("stem", ("1",), ("1",), ("1", "2"))


def test_the_average_game_and_its_value() -> None:
    # Figure 11.2: the average of the unrevealing game at 1/2 is I/2, of value 1/4.
    game = EXAMPLES["unrevealing"]
    assert np.array_equal(game.average([0.5, 0.5]), np.eye(2) / 2)
    assert game.values([[0.5, 0.5], [1, 0]]) == pytest.approx([0.25, 0], abs=1e-15)
    # v(q) = q (1 - q) there.
    t = np.linspace(0, 1, 21)
    assert game.values(np.column_stack([t, 1 - t])) == pytest.approx(t * (1 - t), abs=1e-15)


def test_many_points_are_solved_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    t = np.linspace(0, 1, 11)
    q = np.column_stack([t, 1 - t])
    whole = EXAMPLES["partial"].values(q)
    monkeypatch.setattr("equipoise.games.repeated.game._CHUNK", 3)
    # Products of other sizes may round otherwise.
    assert EXAMPLES["partial"].values(q) == pytest.approx(whole, abs=1e-14)


def test_arrays_cannot_be_changed_by_accident() -> None:
    with pytest.raises(ValueError, match="read-only"):
        EXAMPLES["partial"].matrices[0, 0, 0] = 1.0


A = [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("matrices", "prior", "message"),
    [
        ([A, A], [0.5, 0.6], "prior: found a sum of 1.1, expected 1"),
        ([A, A], [1.5, -0.5], "prior: found .* expected probabilities"),
        ([A, A], [np.nan, 1.0], "prior: found .* expected probabilities"),
        ([A, A], [1.0], "prior: found shape .1,., expected 2"),
        ([A, A], ["1/2", "half"], "prior: found rows of different lengths or entries"),
        ([A, A], ["1/0", 1], "prior: found rows of different lengths or entries"),
        ([A, [[1, 2, 3], [4, 5, 6]]], [0.5, 0.5], r"matrix 2: found shape \(2, 3\)"),
        ([A, [[1, 2], [3]]], [0.5, 0.5], "matrix 2: found rows of different lengths"),
        ([A, [[1, 2], [3, np.nan]]], [0.5, 0.5], "matrix 2: found nan"),
        ([A, [[1, 2], [3, np.inf]]], [0.5, 0.5], "matrix 2: found inf, expected payoffs between"),
        ([A, [[True, False], [True, True]]], [0.5, 0.5], "matrix 2: .* not numbers"),
        ([A, [1.0, 2.0]], [0.5, 0.5], "matrix 2: found shape"),
        ([[[]]], [1.0], "matrix 1: found shape"),
        ([], [], "found no matrices"),
    ],
)
def test_bad_games_are_refused(matrices: object, prior: object, message: str) -> None:
    with pytest.raises(EquipoiseError, match=message):
        RepeatedGame(matrices, prior)  # type: ignore[arg-type]  # that is the point


def test_labels_must_fit() -> None:
    with pytest.raises(EquipoiseError, match="rows: found 1 labels, expected 2"):
        RepeatedGame([A], [1], rows=["U"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prior = [1", "not TOML"),
        ("prior = [1]\nstates = 2", "states: unknown field"),
        ("prior = [1]\nstate = 3", "state: found 3, expected a list of tables"),
        ("prior = [1]\n[[state]]\nname = 'A'", "state 1.payoffs: found nothing"),
        ("prior = [1]\n[[state]]\nvalues = [[1]]", "state 1.values: unknown field"),
        ("prior = [1]\n[[state]]\nname = 3\npayoffs = [[1]]", "state 1.name: found 3"),
        ("[[state]]\npayoffs = [[1]]", "prior: found nothing"),
        ("prior = [1]\nrows = 'U'\n[[state]]\npayoffs = [[1]]", "rows: found 'U'"),
        ("prior = [nan]\n[[state]]\npayoffs = [[1]]", "prior: found"),
    ],
)
def test_bad_files_are_refused_by_name(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(text)
    with pytest.raises(EquipoiseError, match=message) as error:
        read_repeated(tmp_path / "game.toml")
    assert "game.toml" in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(EquipoiseError, match="cannot be read"):
        load_repeated(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    with pytest.raises(EquipoiseError, match="not UTF-8"):
        load_repeated(tmp_path / "latin.toml")
