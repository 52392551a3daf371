"""Experiments and benchmarks on Rhode Island Hold'em run, on small decks, and say what they should."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from benchmarks import rhode_island as benchmark

from equipoise.certificates.match import against_nemesis, head_to_head
from equipoise.games.trees.classic import kuhn
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.saddle.lp import LP
from equipoise.strategy.lift import lift
from equipoise.strategy.translate import translate

EXPERIMENTS = Path(__file__).parents[1] / "experiments"


def experiment(name: str) -> ModuleType:
    """Import a script that is no part of the package, and may import others beside it."""
    if str(EXPERIMENTS) not in sys.path:
        sys.path.append(str(EXPERIMENTS))
    spec = importlib.util.spec_from_file_location(name, EXPERIMENTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_published_sizes_stand_beside_ours(capsys: pytest.CaptureFixture[str]) -> None:
    experiment("rhode_island_sizes").main([])
    lines = capsys.readouterr().out.splitlines()
    # Gilpin 2009, section 5.2.1 and Table 8.1: ours and theirs on one line.
    for size in ("6,632,705", "91,224,226 x 91,224,226", "1,190,443 x 1,181,084", "50,428,638"):
        assert any(line.count(size) == 2 for line in lines), size


def test_sampling_overfits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sampling = experiment("sampling")
    monkeypatch.setattr(sampling, "QUICK", "rhode_island(ranks=3,suits=2)")
    monkeypatch.setattr(sampling, "PROPORTIONS", (0.25,))
    monkeypatch.setattr(sampling, "CHECKS", (2, 50))
    sampling.main([])
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    sampled, real = (
        [float(row[-1]) for row in rows if row and row[-3:-2] == [name]]
        for name in ("sampled", "real")
    )
    assert sampled[0] < real[0] / 2
    assert sampled[1] == real[1]


def test_speedup(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    speedup = experiment("speedup")
    monkeypatch.setenv("EQUIPOISE_THREADS", "")
    monkeypatch.setattr(speedup, "QUICK", "rhode_island(ranks=3,suits=2)")
    monkeypatch.setattr(speedup, "SECONDS", 0.0)
    speedup.main(["--threads", "1,2"])
    assert "1.00x" in capsys.readouterr().out


def test_memory(capsys: pytest.CaptureFixture[str]) -> None:
    experiment("memory").main(["--game", "rhode_island(ranks=4,suits=2)"])
    lines = capsys.readouterr().out.splitlines()
    gigabytes = {line[:28].strip(): float(line[28:37]) for line in lines if line.endswith("GB")}
    assert gigabytes["dcfr(dtype=float32)"] < min(gigabytes["dcfr"], gigabytes["egt"])
    assert max(gigabytes["dcfr"], gigabytes["egt"]) < 0.02


def test_prox_functions_and_heuristics(capsys: pytest.CaptureFixture[str]) -> None:
    egt_prox, form = experiment("egt_prox"), build(kuhn())
    egt_prox.compare("kuhn", form, 60)
    egt_prox.heuristics("kuhn", form, 60)
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    gaps = {tuple(row[1:4]): float(row[-1]) for row in rows}
    # Gilpin 2009, Figure 8.2: Heuristic 1 reduces the gap.
    assert gaps["entropy", "dge", "1"] < gaps["entropy", "dge", "none"]
    assert ("entropy", "dge", "2, every 10") in gaps


def test_the_benchmark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "numbers.json"
    options = ["--game", "rhode_island(ranks=3,suits=2)", "--gaps", "500,100", "--json", str(out)]
    benchmark.main(options)
    result = json.loads(out.read_text())
    assert result["certificate"]["gap"] == pytest.approx(
        result["certificate"]["solver_gap"], abs=1e-3
    )
    assert result["certificate"]["gap"] <= 100
    assert result["traffic"]["ratio_to_least"] > 0
    assert [float(target) for target in result["gaps"]] == [500, 100]
    assert "copy_gb_s" in capsys.readouterr().out


def test_iterated_smoothing_pulls_ahead(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    figure = experiment("figure_8_6")
    games = [figure.random_matrix(5, seed) for seed in range(3)]
    panel = figure.compare("small", games, [1e-2, 1e-3])
    leads = [
        float(line.split(" | ")[-1].rstrip(" |")) for line in capsys.readouterr().out.splitlines()
    ]
    assert leads[1] > leads[0]
    figure.write_png(tmp_path / "figure.png", panel)
    assert (tmp_path / "figure.png").stat().st_size > 1000


def test_tournaments_beside_the_published_ones(capsys: pytest.CaptureFixture[str]) -> None:
    experiment("tournament").main(["--chips", "2100", "--gain", "0.02"])
    text = capsys.readouterr().out
    assert "10 bb: -0.0453" in text
    assert "push 58.3%, call 37.4%" in text
    # Ganzfried and Sandholm 2009: the first algorithm can converge to a non-equilibrium, and the check catches it.
    assert (
        "vi-fp: exhausted after 1 iterations, believes 3.000, gets 0.000; ex-post gain 2.0" in text
    )
    assert text.count("ex-post gain 0.000") == 3
    assert "small blind jams after a fold" in text
    assert "[65.2%]" in text


def test_abstraction_algorithms_are_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tables 6.6 to 6.9 of Gilpin 2009, on a deck of six cards; then ladders, with the agents that are there."""
    study = experiment("abstraction_study")
    tables, refinement = experiment("tables_6"), experiment("refinement")
    small = "rhode-island(ranks=3,suits=2)"
    kept = ["--store", str(tmp_path / "agents"), "--gap", "40"]
    coarse = ["2-3-4", "2-3-6"]
    asked = [word for each in coarse for word in ("--granularity", each)]
    study.main([*kept, "--game", small, *asked])
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| 2-")]
    assert len(rows) == 4 * len(study.GAMES) * len(coarse)
    figures = json.loads((tmp_path / "agents" / "figures.json").read_text())
    for game in study.GAMES:
        assert set(figures[game]) == set(coarse)
        for granularity, own in figures[game].items():
            for short, method in study.METHODS.items():
                agent = figures["agents"][f"{method}({granularity})"]
                assert agent["gap"] <= 40
                assert agent["lower"] <= agent["upper"]
                # Nobody is worse than the nemesis.
                assert own[f"{short} nemesis"] <= own[f"{short} equilibrium"]
    agents = set((tmp_path / "agents").glob("*.eqp"))
    monkeypatch.setattr(refinement, "RUNGS", coarse[:1])
    refinement.main(
        [*kept, "--game", small, "--rungs", "1", "--results", str(tmp_path / "own.json")]
    )
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| p")]
    assert rows[0].split("|")[2:] == rows[1].split("|")[2:]  # the first rung refines nothing
    assert agents < set((tmp_path / "agents").glob("*.eqp"))
    variants = experiment("abstraction_variants")
    monkeypatch.setattr(variants, "VARIANTS", ("expectation", "potential(distance=emd)"))
    own = ["--granularity", coarse[0], "--results", str(tmp_path / "own.json")]
    variants.main([*kept, "--game", small, *own])
    assert "| `potential(distance=emd)` |" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        study.main([*kept, "--game", small])
    # Published numbers stand beside those of the published granularities.
    cell = figures["true"]["2-3-4"]
    models = {f"{name}(13-25-125)": {"gap": 0.1} for name in study.METHODS.values()}
    tables.print_table("6.8", {"agents": models, "true": {"13-25-125": cell}})
    assert "| -160.527 |" in capsys.readouterr().out


def test_documented_tables_are_those_of_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    """All tables of docs/lossy-abstraction.md are what scripts print of the figures in experiments/results."""
    experiment("abstraction_study")
    experiment("tables_6").main([])
    page = (EXPERIMENTS.parent / "docs" / "lossy-abstraction.md").read_text()
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| 13-")]
    assert len(rows) == 4 * 2 * 7
    assert all(row in page for row in rows)
    for file in ("abstraction_variants", "refinement"):
        figures = json.loads((EXPERIMENTS / "results" / f"{file}.json").read_text())
        for own in figures["nemesis"].values():
            assert all(f"| {lost:.2f} |" in page for lost in own.values())


def test_a_cut_game_played_on_and_solved_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stages, results = experiment("stages"), tmp_path / "stages.json"
    monkeypatch.setattr(stages, "GAMES", {"leduc(ranks=5)": "expectation(2-6)"})
    stages.main(["--results", str(results), "--gap", "1e-6r", "--plot", str(tmp_path / "leduc")])
    rows = json.loads(results.read_text())["leduc(ranks=5)"]
    for row in rows.values():
        # Playing on as was assumed is one way to play the last round, and the best way is no worse.
        assert -1e-6 <= row["solved_again"] <= row["gap"] + 1e-6
    # Gilpin 2009, Table 6.1: fixed habits are a better guess than a roll-out.
    assert rows["habits of a coarse player"]["solved_again"] < rows["roll-out"]["solved_again"]
    assert (tmp_path / "leduc.png").stat().st_size > 1000


def test_odd_bets_win_most_from_the_absolute_mapping(tmp_path: Path) -> None:
    mappings, results = experiment("mappings"), tmp_path / "mappings.json"
    mappings.main(["--results", str(results), "--stacks", "50"])
    found = json.loads(results.read_text())["50"]
    assert all(
        found["absolute"] > 2 * found[name] for name in mappings.MAPPINGS if name != "absolute"
    )


def test_table_7_1_by_another_road(tmp_path: Path) -> None:
    experiment("abstraction_study")
    table = experiment("table_7_1")
    whole = table.Study(
        tmp_path, tmp_path / "figures.json", 50.0, game="rhode-island(ranks=3,suits=2)"
    )
    game = whole.game
    capped = table.CappedStudy(whole, 1)
    yardstick, best = whole.yardstick("true"), whole.solved("gameshrink")
    capped.meet("3-6-20", "true", yardstick, yardstick.enter(*best))
    found = json.loads((tmp_path / "figures.json").read_text())["true"]["3-6-20/1"]
    agent = translate(lift(*capped.solved("potential(3-6-20)")), capped.own, game)[0]
    assert found["nemesis"] == pytest.approx(against_nemesis(game, agent).mean, rel=1e-5)
    met = head_to_head(game, agent, lift(*best)).mean
    assert found["equilibrium"] == pytest.approx(met, rel=1e-5, abs=1e-3)


def test_double_oracle_holds_what_is_claimed(capsys: pytest.CaptureFixture[str]) -> None:
    """The figures that docs/double-oracle.md prints, as they were measured."""
    study = experiment("double_oracle")
    study.main([])
    lines = capsys.readouterr().out.splitlines()
    fewer = next(line.split() for line in lines if line.startswith("fewer"))
    assert max(float(cell.rstrip("%")) for cell in fewer[1:8]) >= 24
    decks = json.loads(study.RESULTS.read_text())["decks"]
    for deck, row in decks.items():
        best = min(row[name]["seconds"] for name in study.OURS if not name.startswith("lp"))
        # Muench 2015, Tables 5.5 and 5.6: the best time printed for the deck.
        is_large = list(study.THEIRS).index(deck) >= list(study.THEIRS).index("6x3")
        assert best <= (study.THEIRS[deck].best_ms / 20e3 if is_large else 1.0), deck


def test_ranks_dealt_as_often_as_the_deck_has_them_are_the_same_game() -> None:
    study = experiment("double_oracle")
    form = build(study.rank_tree(3, 2))
    # OpenSpiel's tests.
    assert solve(form, LP()).value == pytest.approx(-0.085606424078, abs=1e-9)
