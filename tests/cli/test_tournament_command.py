"""``equipoise tournament`` and ``equipoise icm``: results, files, stops, resumes and bad input."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from commandline import Cli

from equipoise.cli import tournament
from equipoise.games.tournaments.tournament import Hands
from equipoise.solvers.driver import Progress
from equipoise.solvers.stochastic.stochastic import StochasticRun
from equipoise.strategy.store import load
from equipoise.strategy.tournament import load_tournament

SMALL = ["tournament", "--chips", "2100", "--out", "it.eqp"]
HEADS_UP = ["tournament", "--players", "2", "--chips", "6000", "--prizes", "100", "--out", "it.eqp"]


def test_icm(cli: Cli) -> None:
    outcome = cli("icm", "--stacks", "50/30/20", "--prizes", "70/30", "--json")
    assert outcome.code == 0
    assert outcome.fields["values"] == pytest.approx([45.179, 32.250, 22.571], abs=5e-4)
    shown = cli("icm", "--stacks", "50/30/20", "--prizes", "70/30")
    assert "45.179" in shown.out
    assert "22.571" in shown.out


def test_a_small_tournament(cli: Cli) -> None:
    outcome = cli(*SMALL, "--gain", 0.05, "--stacks", "900/600/600", "--plots", "it", "--json")
    assert outcome.code == 0
    assert outcome.err == ""
    found = outcome.fields
    assert found["status"] == "converged"
    assert found["certified"]
    assert found["gain"] <= 0.05 + 1e-6
    assert found["share"] == pytest.approx(found["gain"] / 100)
    assert 0 < found["table_error"] <= 1e-3
    assert found["states"] == {"2": 6, "3": 15}
    assert sum(found["values"]) == pytest.approx(100, abs=1e-3)
    assert sum(found["icm"]) == pytest.approx(100)
    assert next(iter(found["ranges"])) == "button jams"
    assert all(Path(file).stat().st_size > 1000 for file in found["files"])
    assert not Path("it.eqp.checkpoint").exists()
    strategy, values = load_tournament("it.eqp")
    assert strategy.shares([900, 600, 600]) == pytest.approx(list(found["ranges"].values()))
    assert values[3].shape == (45,)
    assert load("it.eqp").metadata["gain"] == pytest.approx(found["gain"])
    # Anyone can check the file again.
    again = cli("certify", "tournament", "it.eqp", "--json").fields
    for name in ("gain", "share", "table_error"):
        assert again[name] == found[name]
    assert "3 players" in cli("certify", "tournament", "it.eqp").out
    assert cli("certify", "tournament", "it.eqp", "--rigorous").code == 2


def test_tables_and_progress_for_people(cli: Cli) -> None:
    outcome = cli(*HEADS_UP)
    assert outcome.code == 0
    for words in ("certified", "small blind jams", "ICM", "19 with 2 players", "of the prizes"):
        assert words in outcome.out
    assert "2 players, iteration 0: gain" in outcome.err
    assert "wrote it.eqp" in outcome.err


def test_a_limit_stops_short_and_a_resume_goes_on(cli: Cli) -> None:
    short = cli(*HEADS_UP, "--gain", 1e-4, "--iterations", 0, "--json")
    assert short.code == 1
    assert short.fields["status"] == "iteration limit"
    assert Path("it.eqp.checkpoint").exists()
    refused = cli(*HEADS_UP, "--method", "vi-fp", "--resume")
    assert refused.code == 2
    assert "found a solve with method pi-fp, expected vi-fp" in refused.err
    resumed = cli(*HEADS_UP, "--gain", 1e-4, "--resume", "--json")
    assert resumed.code == 0
    assert not Path("it.eqp.checkpoint").exists()
    straight = cli(*HEADS_UP, "--gain", 1e-4, "--json")
    assert resumed.fields["gain"] == straight.fields["gain"]
    assert resumed.fields["iterations"] == straight.fields["iterations"]


def test_no_time_at_all(cli: Cli) -> None:
    outcome = cli(*HEADS_UP, "--time", 0, "--json")
    assert outcome.code == 1
    found = outcome.fields
    assert found["status"] == "time limit"
    assert (found["gain"], found["certified"]) == (None, False)
    # What is not measured is worth what the chip model says.
    assert found["values"] == found["icm"]
    # A strategy is there all the same, and can be checked by whoever has the time.
    assert cli("certify", "tournament", "it.eqp", "--json").fields["gain"] > 1
    assert "no time" in cli(*HEADS_UP, "--time", 0).out
    resumed = cli(*HEADS_UP, "--resume", "--json").fields
    straight = cli(*HEADS_UP, "--json").fields
    assert (resumed["gain"], resumed["iterations"]) == (straight["gain"], straight["iterations"])


def test_an_interrupt_loses_at_most_one_iteration(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(progress: Progress) -> None:
        assert isinstance(progress.run, StochasticRun)
        if progress.run.game.players == 3 and progress.run.iterations == 1 and progress.is_checked:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(tournament, "_report", interrupt)
        outcome = cli(*SMALL, "--stacks", "900/600/600", "--gain", 1e-3)
    assert outcome.code == 130
    assert "interrupted" in outcome.out
    held = load("it.eqp.checkpoint").arrays
    assert held["3.run_counters"].tolist() == [1, 2]
    assert len(held["3.log"]) == 2
    resumed = cli(*SMALL, "--stacks", "900/600/600", "--gain", 1e-3, "--resume", "--json")
    assert resumed.code == 0
    assert resumed.fields["iterations"] > 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--players", "1"], "Players: found 1"),
        (["--chips", "13600"], "found chips of 13600, expected a multiple of the unit"),
        (["--unit", "450"], "expected a multiple of the unit"),
        (["--prizes", "20/30/50"], "none below the next"),
        (["--prizes", "a/b"], "--prizes: found 'a/b'"),
        (["--blinds", "300"], "--blinds: found '300'"),
        (["--blinds", "300.5/600"], "--blinds: found '300.5/600', expected whole numbers"),
        (["--chips", "1800", "--blinds", "300/1500"], "above all stacks"),
        (["--chips", "13500", "--stacks", "4500/4500/4501"], "multiples of the unit, 300"),
        (["--chips", "13500", "--stacks", "4500/4500/4800"], "sum to 13500"),
        (["--method", "foo"], "Algorithm: found foo"),
        (["--out", "nowhere/it.eqp"], "is not a folder"),
        (["--gain", "-1"], "gap is -1"),
    ],
)
def test_bad_input_is_one_line_and_code_2(cli: Cli, arguments: list[str], message: str) -> None:
    outcome = cli("tournament", *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_other_files_are_not_replaced(cli: Cli) -> None:
    Path("it.eqp").write_text("mine")
    outcome = cli(*HEADS_UP)
    assert outcome.code == 2
    assert "found a file that is no strategy" in outcome.err
    assert Path("it.eqp").read_text() == "mine"
    Path("it.eqp").unlink()
    assert cli(*HEADS_UP, "--json").code == 0
    outcome = cli(*HEADS_UP[:-4], "--prizes", "60/40", "--out", "it.eqp")
    assert outcome.code == 2
    assert "found a strategy of 'tournament(players=2,chips=6000" in outcome.err


def test_players_and_chips_follow_the_stacks(cli: Cli) -> None:
    two = cli("tournament", "--stacks", "900/1200", "--out", "it.eqp", "--iterations", 0, "--json")
    rules = two.fields["tournament"]
    assert (rules["players"], rules["chips"], rules["prizes"]) == (2, 2100, [50.0, 30.0])
    assert two.fields["stacks"] == [900, 1200]
    wrong = cli("tournament", "--stacks", "900/600/300/300")
    assert wrong.code == 2
    assert "Players: found 4" in wrong.err


def test_the_line_on_icm_tells_the_largest_difference_over_all_states(cli: Cli) -> None:
    """Heads-up ICM is nearly right, with three players it is not, whichever state is shown."""
    arguments = [*SMALL, "--players", 3, "--stacks", "900/1200", "--iterations", 0]
    found = cli(*arguments, "--json").fields
    assert len(found["icm_error"]["stacks"]) == 3
    told = abs(found["icm_error"]["value"] - found["icm_error"]["icm"])
    strategy, values = load_tournament("it.eqp")
    off = {m: abs(values[m] - Hands(strategy.tournament, m).icm()).max() for m in (2, 3)}
    assert told == pytest.approx(max(off.values()))
    assert told > off[2]
    assert f"off by up to {told:.4f}" in cli(*arguments, "--force").out


def test_solve_show_plot_and_certify_take_tournaments(cli: Cli) -> None:
    Path("small.toml").write_text(
        "players = 2\nchips = 4200\nblinds = [300, 600]\nprizes = [100]\n"
    )
    found = cli("solve", "small.toml", "--json")
    assert found.code == 0
    assert (found.fields["family"], found.fields["method"]) == ("tournament", "pi-fp")
    assert found.fields["states"] == {"2": 13}
    assert found.fields["strategy"] == "small.eqp"
    shown = cli("solve", "small.toml", "--resume")
    assert "small blind jams" in shown.out
    assert "this solve is finished" in shown.err
    aces = cli("show", "small.eqp", "--match", "2100/2100 big blind calls", "--json").fields
    assert aces["infosets"] == 169
    assert aces["strategy"][0]["probabilities"] == {"fold": 0, "jam": 1}
    assert "more information sets" in cli("show", "small.eqp", "--limit", 3).err
    assert cli("show", "small.eqp", "--player", 3).code == 2
    assert cli("plot", "small.eqp", "--out", "road").code == 0
    certified = cli("certify", "small.toml", "small.eqp", "--json")
    assert certified.fields["gain"] == found.fields["gain"]
    other = cli("certify", "tournament(chips=2100)", "small.eqp")
    assert other.code == 2
    assert "expected one of <Tournament: 3 players, 2,100 chips" in other.err
    assert "tournament" in cli("info", "small.toml").out


@pytest.mark.parametrize("blinds", ["nan", "inf/600", "300/", "1e400/2"])
def test_numbers_that_are_none_are_refused(cli: Cli, blinds: str) -> None:
    refused = cli("tournament", "--players", 2, "--chips", 3000, "--blinds", blinds)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "--blinds: found" in refused.err
