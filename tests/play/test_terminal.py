"""Play in a terminal: what is shown, what is understood, and how it ends."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import equipoise
from equipoise.cli.app import run
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.play.agents import Agent, StrategyPlayer, Uniform, always_call, always_raise
from equipoise.play.coach import Coach
from equipoise.play.explore import explorer
from equipoise.play.observation import Observation
from equipoise.play.terminal import LeaveError, Screen, Sitting, card_text, chosen


def sit(
    game: object, agent: Agent, answers: Iterable[str], **options: object
) -> tuple[Sitting, str]:
    """Play with these answers; return the sitting and all that was shown."""
    lines: list[str] = []
    left = iter(answers)

    def ask(prompt: str) -> str:
        answer = next(left, None)
        if answer is None:
            raise LeaveError
        return answer

    sitting = Sitting(game, agent, Screen(lines.append, ask), **options)  # type: ignore[arg-type]
    sitting.play()
    return sitting, "\n".join(lines)


def test_a_hand_of_holdem_is_played_to_the_showdown() -> None:
    sitting, shown = sit(
        poker.limit_holdem(), always_call(), ["call", *["k"] * 3], seat="1", seed=3
    )
    assert sitting.tally.hands == 1
    for text in ("you are player 1", "[bold]c[/bold] call 1", "opponent: [bold]check[/bold]"):
        assert text in shown
    assert "opponent shows" in shown
    assert "score" in shown
    assert shown.count("♠") + shown.count("♥") + shown.count("♦") + shown.count("♣") >= 9


def test_the_opponents_cards_are_not_shown_before_the_end() -> None:
    lines: list[str] = []

    def ask(prompt: str) -> str:
        assert "shows" not in "".join(lines)
        if len(lines) > 12:
            raise LeaveError
        return "c" if "call" in lines[-1] else "k"

    sitting = Sitting(poker.leduc(), always_raise(), Screen(lines.append, ask), seat="1")
    sitting.hand(0)
    assert any("shows" in line for line in lines)


def test_seats_alternate() -> None:
    _, shown = sit(poker.kuhn(), always_call(), ["k"] * 20)
    assert shown.index("you are player 1") < shown.index("you are player 2")
    _, shown = sit(poker.kuhn(), always_call(), ["k"] * 20, seat="2")
    assert "you are player 1" not in shown
    with pytest.raises(EquipoiseError, match="--seat: found '3', expected 1, 2, alternate"):
        sit("kuhn", Uniform(), [], seat="3")
    with pytest.raises(EquipoiseError, match="has 3 players"):
        sit(poker.kuhn(4, players=3), Uniform(), [])


def test_a_seed_deals_the_same_again() -> None:
    games = [sit(poker.leduc(), Uniform(), ["c", "k"] * 30, seed=seed)[1] for seed in (5, 5, 6)]
    assert games[0] == games[1] != games[2]


def test_the_score_adds_up_and_the_end_is_polite() -> None:
    sitting, shown = sit("kuhn", Uniform(), ["b"] * 12 + ["q"], seed=1)
    assert sitting.tally.hands >= 6
    assert shown.endswith(sitting.tally.text())
    assert f"{sitting.tally.total:+g} in all" in shown
    _, shown = sit("kuhn", Uniform(), [])
    assert shown.endswith("No hand was finished.")
    _, shown = sit("kuhn", Uniform(), ["nonsense", "[bold]", "", "Q"])
    assert shown.count("is no action here") == 3


def test_an_interrupt_ends_with_the_score() -> None:
    answers = iter(["b", "b", "b"])

    def ask(prompt: str) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise KeyboardInterrupt from None

    lines: list[str] = []
    Sitting("kuhn", Uniform(), Screen(lines.append, ask)).play()
    assert "in all" in lines[-1]


def test_the_coach_knows_best_and_what_is_lost() -> None:
    """In Kuhn poker folding the king to a bet costs 3: she wins 2 by a call and loses 1 by a fold.

    To check it first costs nothing in any equilibrium.
    """
    result = equipoise.solve("kuhn")
    look = explorer(result.game, result.strategy)
    agent = StrategyPlayer(result)

    class Bets(Uniform):
        def policy(self, observation: Observation) -> dict[str, float]:
            return {"p": 0.0, "b": 1.0}

    for seed in range(200):
        lines: list[str] = []
        sitting = Sitting(
            "kuhn",
            Bets(),
            Screen(lines.append, lambda prompt: "p"),
            seat="1",
            seed=seed,
            coach=lambda seat: Coach(look, seat),
        )
        sitting.hand(0)
        if any("Kpb" in line for line in lines):
            assert sitting.tally.cost == pytest.approx(3, abs=1e-6)
            assert "that cost 3" in "\n".join(lines)
            break
    else:
        pytest.fail("no hand with the king")
    _, shown = sit(
        "kuhn", agent, ["?", "b", "b", "b", "q"], coach=lambda seat: Coach(look, seat), seed=2
    )
    assert "coach:" in shown
    assert "% (worth" in shown
    assert "decisions were best" in shown


def test_actions_are_understood() -> None:
    seen = Observation("x", 0, 0, "", ("f", "c", "r"), ("fold", "call 2", "raise 2"))
    for text, action in (
        ("c", "c"), ("C", "c"), ("call", "c"), ("call 2", "c"), ("ra", "r"), ("", None), ("x", None),
    ):  # fmt: skip
        assert chosen(seen, text) == action
    liar = Observation("x", 0, 0, "", ("1-1", "1-2", "liar"), ("1-1", "1-2", "liar"))
    assert chosen(liar, "1") is None
    assert chosen(liar, "l") == "liar"


def test_cards_are_readable() -> None:
    assert card_text("Kh", True) == "[bold red]K♥[/bold red]"
    assert card_text("Ts", True) == "[bold]T♠[/bold]"
    assert card_text("Ts", False) == "[bold]Ts[/bold]"
    assert card_text("v1", True) == "[bold]v1[/bold]"
    assert card_text("oil", True) == "[bold]oil[/bold]"


def test_the_command_plays_and_stays_plain_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place = tmp_path / "leduc.eqp"
    equipoise.solve("leduc", gap=1e-2).save(place)
    monkeypatch.setattr(sys, "stdin", io.StringIO("c\nc\nc\nc\nc\nc\n"))
    assert run(["play", "leduc", "--against", str(place), "--coach", "--seed", "1"]) == 0
    out = capsys.readouterr().out
    assert "coach:" in out
    assert "in all" in out or "No hand" in out
    assert "\x1b" not in out
    assert run(["play", "leduc", "--against", "uniform", "--coach"]) == 2
    assert "expected a strategy file to learn from" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.StringIO("c\n" * 50))
    assert run(["play", "leduc", "--against", "uniform", "--hands", "2"]) == 0
    assert capsys.readouterr().out.count("score") == 2
