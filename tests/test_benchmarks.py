"""The harness that compares us with peers: it races, it certifies, and all solve the same game."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks import peers, problems, rhode_island, versions
from benchmarks.iterative import OpenSpiel
from benchmarks.trial import Trial

from equipoise.games.base import load
from equipoise.games.trees.extensive import TERMINAL
from equipoise.sequence.build import build
from equipoise.solvers.base import measure


def exported(name: str, folder: Path) -> problems.Problem:
    entry = problems.GAMES[name]
    game = load(entry.ours)
    problems.export(game, build(game), entry.openspiel, folder)
    return problems.load(folder)


def test_a_race_ends_with_certified_gaps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "race.json"
    options = "--games kuhn --contestants equipoise --targets 1e-2,1e-3 --method cfr+ --limit 20"
    peers.main([*options.split(), "--json", str(out)])
    (heat,) = json.loads(out.read_text())["heats"]
    (row,) = heat["rows"]
    assert heat["size"]["nodes"] == 58
    assert [float(target) for target in row["cells"]] == [1e-2, 1e-3]
    for target, cell in row["cells"].items():
        assert 0 <= cell["gap"] <= float(target)
        assert cell["cpu_seconds"] > 0
        assert cell["variant"] == "cfr+"
    assert "equipoise" in capsys.readouterr().out


def test_an_unreached_target_is_shown_as_such() -> None:
    ours = peers.Row("equipoise", {1e-3: peers.Cell(0.5, "lp", 1e-4)}, 1e-4)
    slow = peers.Row("slow", {1e-3: peers.Cell(1.0, "best", 1e-3)}, 2e-4, is_over=True)
    rough = peers.Row("rough", {}, 2e-3)
    text = peers.table(peers.Heat("kuhn", {"nodes": 58}, [ours, slow, rough]), [1e-3, 1e-9], 60.0)
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()[-2:]]
    assert cells[0] == ["slow", "1 = 2x (best)", "> 60 (gap 2.0e-04)"]
    assert cells[1] == ["rough", "stops at gap 2.0e-03", "stops at gap 2.0e-03"]


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_what_contestants_receive_is_the_game(name: str, tmp_path: Path) -> None:
    game = load(problems.GAMES[name].ours)
    form = build(game)
    problem = exported(name, tmp_path)
    plans = [space.plan(space.uniform()) for space in (form.X, form.Y)]
    assert measure(problem.form, *plans) == measure(form, *plans)
    # One line a node and one an information set, after five of comment.
    text = (tmp_path / "game.txt").read_text().splitlines()
    assert len(text) == 5 + game.nodes + game.infosets
    assert sum(" leaf " in line for line in text) == int((game.player == TERMINAL).sum())


def test_the_linear_program_that_peers_solve_has_the_value_of_the_game(tmp_path: Path) -> None:
    from equipoise.numerics.program import optimize

    problem = exported("kuhn", tmp_path)
    outcome = optimize(problem.lp)
    value = problem.form.units.unit * outcome.objective
    assert value == pytest.approx(1 / 18, abs=1e-12)  # Kuhn 1950: -1/18, minimised
    assert problem.gap(*problem.feasible(outcome.x, outcome.dual)) < 1e-12


def test_openspiel_plays_our_leduc_and_no_other(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    problem = exported("leduc", tmp_path)
    solver = OpenSpiel(problem)
    assert len(solver.place) == 936  # OpenSpiel's information sets
    solver.start()
    gaps = []
    for _ in range(2):
        solver.iterate(10)
        gaps.append(problem.gap(*solver.plans()))
    assert gaps[1] < gaps[0] < 2.0
    wrong = problem.tree._replace(payoff=problem.tree.payoff + 0.5)
    with pytest.raises(SystemExit, match="differs from ours"):
        OpenSpiel(problems.Problem(tmp_path, "leduc_poker", wrong, problem.form, problem.lp))


def test_a_trial_keeps_the_least_time_of_its_attempts(tmp_path: Path) -> None:
    problem = exported("kuhn", tmp_path)
    X, Y = problem.form.X, problem.form.Y
    uniform = X.plan(X.uniform()), Y.plan(Y.uniform())
    gap = problem.gap(*uniform)
    trial = Trial(problem, [2 * gap, gap / 2], limit=10.0, out=tmp_path / "trial.json")
    for attempt in trial.attempts():
        trial.seconds = 2.0 - attempt
        assert trial.submit(*uniform)
    assert trial.times == {2 * gap: 1.0}
    trial.write()
    record = json.loads((tmp_path / "trial.json").read_text())
    assert record["best_gap"] == gap
    with np.load(tmp_path / f"trial-{2 * gap:g}.npz") as plans:
        np.testing.assert_array_equal(plans["x"], uniform[0])


def test_rhode_island_from_rules_to_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rhode_island.json"
    game = "rhode_island(ranks=3,suits=2)"
    rhode_island.main(["--game", game, "--gaps", "100", "--json", str(out)])
    found = json.loads(out.read_text())
    assert found["certificate"]["gap"] == pytest.approx(
        found["certificate"]["solver_gap"], abs=1e-3
    )
    assert found["certificate"]["gap"] <= 100
    assert all(value > 0 for value in found["traffic"].values())
    assert found["traffic"]["pass_mb"] == 2 * found["traffic"]["least_mb"]
    assert "ratio_to_least" in capsys.readouterr().out
    rhode_island.main(["--game", game, "--gaps", ""])
    assert "iteration_ms" in capsys.readouterr().out


def test_a_version_is_compared_with_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "versions.json"
    options = ["--only", "import", "--repeats", "1", "--json", str(out)]
    versions.main([str(versions.HERE), *options])
    (times,) = json.loads(out.read_text()).values()
    assert all(len(own) == 1 and own[0] > 0 for own in times.values())
    assert "| import" in capsys.readouterr().out
