"""Tournaments on the one road: load, solve, certify, save, open, show, plot, resume."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import equipoise
from equipoise.bundle import save
from equipoise.certificates.certificate import Certificate
from equipoise.certificates.tournament import TournamentCertificate, certify_tournament
from equipoise.cli.app import run
from equipoise.errors import EquipoiseError
from equipoise.games.tournaments.tournament import Hands, tournament
from equipoise.road.result import Result
from equipoise.road.tournament import Tournaments
from equipoise.solvers.driver import Status
from equipoise.solvers.stochastic.tournament import solve_tournament
from equipoise.strategy.store import load
from equipoise.strategy.tournament import load_tournament, rules_of

SPEC = "tournament(players=2,chips=6000,prizes=(100,))"


@pytest.fixture(scope="module")
def solved() -> Result:
    return equipoise.solve(SPEC)


def test_a_spec_is_solved_as_by_the_solver(solved: Result) -> None:
    rules = tournament(players=2, chips=6000, prizes=(100,))
    straight = solve_tournament(rules)
    assert solved.status is Status.CONVERGED
    assert (solved.method, solved.family) == ("pi-fp", "tournament")
    assert (solved.strategy.plays[2] == straight.strategy.plays[2]).all()
    assert [row.gap for row in solved.log] == [row.gap for row in straight.log]
    # A hundred-thousandth of the prizes, unless something else is asked for.
    assert solved.found.target == pytest.approx(1e-3)
    assert solved.certificate.gap <= 1e-3


def test_the_certificate_is_one_with_more_to_it(solved: Result) -> None:
    proof = solved.certificate
    assert isinstance(proof, Certificate)
    assert isinstance(proof, TournamentCertificate)
    # Values are those of equal stacks, of which there are ten units each; all is paid out.
    state = Hands(solved.game, 2).number[10, 10]
    assert proof.values == pytest.approx(proof.parts[2].values.reshape(-1, 2)[state])
    assert sum(proof.values) == pytest.approx(100)
    assert proof.best_responses == pytest.approx(np.add(proof.values, proof.gains))
    assert max(proof.gains) <= proof.gap == proof.gain
    assert proof.share == proof.gap / 100
    assert proof.meets(proof.gap)
    assert not proof.meets(proof.gap * 0.999)
    assert not proof.meets((1.0, proof.gap * 0.999))
    assert proof.summary()["table_error"] == 0


def test_the_certificate_is_shown_in_one_line(solved: Result) -> None:
    proof = solved.certificate
    values = ", ".join(f"{value:.6g}" for value in proof.values)
    assert repr(proof) == f"<Certificate: values {values}; gap {proof.gap:.3g}>"


def test_states_in_which_nobody_has_more_than_the_big_blind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Play comes there, so strategies answer there, and equal stacks may be such a state.
    monkeypatch.chdir(tmp_path)
    spec = "tournament(players=2,chips=1200)"
    result = equipoise.solve(spec, out="it.eqp")
    strategy = result.strategy
    assert [label for label in strategy if label.startswith("600/600 small blind")]
    assert all(sum(strategy[label].values()) == pytest.approx(1) for label in strategy)
    assert strategy.at([600, 600]).shape == (2, 169)
    assert len(list(Tournaments().tables(result))) == 2
    assert run(["show", "it.eqp"]) == 0
    assert run(["tournament", "--players", "2", "--chips", "1200", "--force"]) == 0
    assert "600" in capsys.readouterr().out


def test_what_is_saved_opens_anywhere(solved: Result, tmp_path: Path) -> None:
    path = tmp_path / "it.eqp"
    solved.save(path)
    opened = equipoise.open(path)
    assert opened.game == solved.game
    assert (opened.strategy.plays[2] == solved.strategy.plays[2]).all()
    assert opened.log == solved.log
    assert opened.certificate.gap == solved.certificate.gap
    assert equipoise.certify(SPEC, opened.strategy).gap == solved.certificate.gap
    with pytest.raises(EquipoiseError, match="expected one of <Tournament: 3 players, 13,500"):
        equipoise.open(path, "tournament")
    with pytest.raises(EquipoiseError, match="expected one of <Tournament: 3 players, 13,500"):
        equipoise.certify("tournament", opened.strategy)


def test_files_of_the_version_before_open(solved: Result, tmp_path: Path) -> None:
    path = tmp_path / "old.eqp"
    strategy = solved.strategy
    arrays = {"plays.2": strategy.plays[2], "values.2": strategy.values[2]}
    known = {"algorithm": "pi-fp", "inner": "regret", "gain": 0.0005}
    log = np.array([[0, 1, 0.0, 0.0005, 1.0, 1.0]])
    save(path, "tournament", {**arrays, "log": log}, {**known, "tournament": rules_of(solved.game)})
    held, values = load_tournament(path)
    assert (held.plays[2] == strategy.plays[2]).all()
    assert (values[2] == strategy.values[2]).all()
    opened = equipoise.open(path)
    assert opened.game == solved.game
    assert opened.certificate.gap == solved.certificate.gap


def test_a_file_of_rules_is_solved_and_its_file_needs_it_no_longer(tmp_path: Path) -> None:
    rules, out = tmp_path / "rules.toml", tmp_path / "it.eqp"
    rules.write_text("players = 2\nchips = 4200\nblinds = [300, 600]\nprizes = [100]\n")
    result = equipoise.solve(str(rules), gap=0.1, out=out)
    assert result.certificate.gap <= 0.1
    rules.unlink()
    assert equipoise.open(out).game == result.game


def test_solves_are_resumed_as_they_began(tmp_path: Path) -> None:
    out = tmp_path / "it.eqp"
    straight = equipoise.solve(SPEC, "vi-fp", 1e-3)
    short = equipoise.solve(SPEC, "vi-fp", 1e-3, out=out, iterations=1)
    assert short.status is Status.ITERATION_LIMIT
    resumed = equipoise.solve(SPEC, None, 1e-3, out=out, resume=True)
    assert resumed.method == "vi-fp"
    assert (resumed.strategy.plays[2] == straight.strategy.plays[2]).all()
    said: list[str] = []
    again = equipoise.solve(SPEC, None, 1e-3, out=out, resume=True, note=said.append)
    assert "this solve is finished" in said[0]
    assert again.certificate.gap == resumed.certificate.gap


def test_checkpoints_of_the_version_before_are_resumed(tmp_path: Path) -> None:
    out = tmp_path / "it.eqp"
    straight = equipoise.solve(SPEC, gap=1e-6)
    equipoise.solve(SPEC, gap=1e-6, out=out, iterations=1)
    place = tmp_path / "it.eqp.checkpoint"
    now = load(place).arrays
    names = {"profile": "run.profile", "values": "run.values", "log": "log"}
    before = {f"{old}.2": np.array(now[f"2.{new}"]) for old, new in names.items()}
    before["iterations.2"] = np.array(now["2.run_counters"][:1])
    own = {"tournament": rules_of(straight.game), "algorithm": "pi-fp", "inner": "regret"}
    save(place, "checkpoint", before, own)
    resumed = equipoise.solve(SPEC, gap=1e-6, out=out, resume=True)
    assert [row.gap for row in resumed.log] == [row.gap for row in straight.log]
    assert (resumed.strategy.plays[2] == straight.strategy.plays[2]).all()


def test_without_time_there_is_a_strategy_and_no_certificate(tmp_path: Path) -> None:
    said: list[str] = []
    out = tmp_path / "it.eqp"
    result = equipoise.solve(SPEC, time=0, out=out, note=said.append)
    assert result.status is Status.TIME_LIMIT
    assert result.proof is None
    assert result.summary()["gap"] is None
    assert "no time to measure" in said[-1]
    # Whoever asks for it gets it.
    assert equipoise.open(out).certificate.gap > 1
    assert certify_tournament(result.strategy).gap == result.certificate.gap


def test_options_and_methods_that_mean_nothing_here() -> None:
    with pytest.raises(EquipoiseError, match="found the option 'eliminate' for a tournament game"):
        equipoise.solve(SPEC, eliminate=True)
    with pytest.raises(EquipoiseError, match="Algorithm: found cfr with regret"):
        equipoise.solve(SPEC, "cfr")
    with pytest.raises(EquipoiseError, match="--rigorous"):
        equipoise.certify(SPEC, equipoise.solve(SPEC, gap=1.0).strategy, rigorous=True)


def test_every_decision_has_a_line(solved: Result) -> None:
    lines = list(solved.strategy.decisions())
    hands = Hands(solved.game, 2)
    assert len(lines) == 169 * int(hands.legal[:, ::2].sum())
    aces = next(line for line in lines if line.infoset == "3000/3000 small blind jams: AA")
    assert aces == (0, "3000/3000 small blind jams: AA", ("fold", "jam"), (0.0, 1.0))
