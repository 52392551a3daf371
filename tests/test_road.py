"""The library's road: the verbs of the command line, as functions."""

from __future__ import annotations

from pathlib import Path

import pytest

import equipoise
from equipoise.errors import EquipoiseError
from equipoise.solvers.driver import Status


def test_the_whole_road(tmp_path: Path) -> None:
    result = equipoise.solve("kuhn", gap=1e-9)
    assert result.status is Status.CONVERGED
    assert result.value == pytest.approx(-1 / 18, abs=1e-9)  # Kuhn 1950
    assert result.certificate.gap <= 1e-9
    assert result.strategy["Jb"] == {"p": 1.0, "b": 0.0}
    result.save(tmp_path / "kuhn.eqp")
    again = equipoise.open(tmp_path / "kuhn.eqp")
    assert again.certificate.gap == result.certificate.gap
    assert again.log == result.log
    assert (again.method, again.spec, again.found.target) == (result.method, "kuhn", 1e-9)
    assert again.strategy["Kb"] == result.strategy["Kb"]


def test_a_game_with_signals_is_abstracted_and_lifted() -> None:
    game = equipoise.poker.leduc()
    result = equipoise.solve(game, "dcfr", gap="1e-3r")
    assert result.found.details["buckets"] == [3, 9]
    assert result.certificate.gap <= 1e-3 * 26  # Leduc: 13 chips to win or lose
    assert result.strategy.rules is game
    whole = equipoise.solve(game, "dcfr", abstraction="none", iterations=3)
    assert "buckets" not in whole.found.details
    assert whole.status is Status.ITERATION_LIMIT


def test_solves_continue_from_their_checkpoint(tmp_path: Path) -> None:
    place, said = tmp_path / "it.eqp", []
    short = equipoise.solve("kuhn", "cfr+", gap=1e-6, iterations=20, out=place)
    assert short.status is Status.ITERATION_LIMIT
    on = equipoise.solve("kuhn", "cfr+", gap=1e-6, out=place, resume=True)
    straight = equipoise.solve("kuhn", "cfr+", gap=1e-6)
    assert on.found.iterations == straight.found.iterations
    for mine, theirs in zip(on.strategy.behaviour, straight.strategy.behaviour, strict=True):
        assert (mine == theirs).all()
    equipoise.solve("kuhn", gap=1e-6, out=place, resume=True, note=said.append)
    assert "finished" in said[-1]


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(EquipoiseError, match="expected a game"):
        equipoise.solve(3)
    with pytest.raises(EquipoiseError, match="'colour' for a zero-sum game"):
        equipoise.solve("kuhn", colour="blue")
    with pytest.raises(EquipoiseError, match="has no signals"):
        equipoise.abstract("kuhn")
    with pytest.raises(EquipoiseError, match="expected a number"):
        equipoise.solve("kuhn", gap="small")
