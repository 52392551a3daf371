"""Laws over families: whatever the game, the same verbs do the same things to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equipoise
from equipoise.certificates import Certificate
from equipoise.cli.app import run
from equipoise.errors import EquipoiseError
from equipoise.road.families import FAMILIES, family
from equipoise.road.result import Result
from equipoise.solvers.driver import Status

RIVER = """
game = "bet-or-check"
pot = 2.0
[models]
bluffs = '''
P1: bet |a| check |b| bet
P2: call |c| fold
order: a <= c <= b
'''
"""
# Three states, in which row k and column k pay one: harmonic, 1 / (3 + 3 + 3).
DIAGONAL = """
prior = ["1/3", "1/3", "1/3"]
[[state]]
payoffs = [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
[[state]]
payoffs = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
[[state]]
payoffs = [[0, 0, 0], [0, 0, 0], [0, 0, 1]]
"""
STAG = 'NFG 1 R "Stag hunt" { "Row" "Column" } { 2 2 }\n\n4 4 3 0 0 3 3 3\n'
# Three players bet on which coin the others choose: the mixed equilibrium is no vertex of anything.
ODD = 'NFG 1 R "odd one out" { "A" "B" "C" } { 2 2 2 }\n\n' + (
    "0 0 0  1 0 0  0 1 0  0 0 1  0 0 1  0 1 0  1 0 0  0 0 0\n"
)

GAMES: dict[str, tuple[str, str | None, float]] = {
    "tree": ("kuhn", None, -1 / 18),  # Kuhn 1950
    "signals": ("standoff", None, 0.0),
    "matrix": ("stag.nfg", STAG, 4.0),
    "three players": ("odd.nfg", ODD, 0.25),
    "bayesian": ("river.toml", RIVER, 1.1),  # Ganzfried and Sandholm 2010, section 3
    "repeated": ("partial", None, 1.0),  # Gilpin 2009, figure 11.4
    "repeated, three states": ("diagonal.toml", DIAGONAL, 1 / 9),
    # Aces beat kings, and nobody may bet.
    "spot": ("spot(board='2c7d9hTsJc',oop='AA',ip='KK',pot=100,stack=50)", None, 100.0),
}
KINDS = {
    "tree": "zero-sum",
    "signals": "zero-sum",
    "matrix": "general-sum",
    "three players": "general-sum",
    "bayesian": "bayesian",
    "repeated": "repeated",
    "repeated, three states": "repeated",
    "spot": "spot",
}


@pytest.fixture(params=GAMES)
def solved(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, Result]:
    """A game of each family, solved and saved as ``it.eqp``."""
    monkeypatch.chdir(tmp_path)
    spec, text, _ = GAMES[request.param]
    if text is not None:
        Path(spec).write_text(text)
    options = {"weights": (1.0, 1.0)} if request.param == "matrix" else {}
    return request.param, equipoise.solve(spec, gap="1e-4r", out="it.eqp", **options)


def test_every_game_is_solved_saved_opened_and_certified(solved: tuple[str, Result]) -> None:
    name, result = solved
    spec, _, value = GAMES[name]
    assert (result.family, result.spec) == (KINDS[name], spec)
    assert result.status is Status.CONVERGED
    assert isinstance(result.certificate, Certificate)
    assert result.certificate.meets(result.found.target)
    if name == "signals":
        value = equipoise.solve(spec, abstraction="none").value
    assert result.value == pytest.approx(value, abs=1e-3)
    again = equipoise.open("it.eqp")
    assert again.certificate.values == result.certificate.values
    assert again.certificate.gains == result.certificate.gains
    assert equipoise.certify(spec, again.strategy).gap == result.certificate.gap
    assert (again.method, again.found.target) == (result.method, result.found.target)
    assert (again.status, again.log) == (result.status, result.log)
    assert f"'{spec}': converged" in repr(again)


def test_every_result_is_shown_plotted_and_certified_by_commands(
    solved: tuple[str, Result], capsys: pytest.CaptureFixture[str]
) -> None:
    name, result = solved
    spec = GAMES[name][0]

    def call(*arguments: str) -> dict[str, Any]:
        capsys.readouterr()
        assert run([*arguments, "--json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    assert call("certify", spec, "it.eqp")["gap"] == result.certificate.gap
    assert call("show", "it.eqp")
    assert call("info", spec)["players"] == len(result.certificate.values)
    plotted = call("plot", "it.eqp", "--out", "picture")
    files = [*plotted["strategy"], *(plotted[key] for key in ("html", "png") if key in plotted)]
    assert files
    assert all(Path(file).stat().st_size > 10_000 for file in files)
    summary = call("solve", spec, "--gap", "1e-4r", "--out", "again.eqp", "--force")
    assert summary["status"] in [status.value for status in Status]
    for command in ("show", "plot"):
        assert run([command, "it.eqp"]) == 0
    assert run(["solve", spec, "--gap", "1e-4r", "--out", "again.eqp"]) == 0


def test_every_strategy_answers_by_label(solved: tuple[str, Result]) -> None:
    """Two roads: information sets one by one, and all in a row; what is opened answers as what was solved."""
    _answers(solved[1].strategy)
    assert list(equipoise.open("it.eqp").strategy) == list(solved[1].strategy)


def _answers(strategy: Any) -> None:
    labels, listed = list(strategy), list(strategy.decisions())
    assert len(labels) == len(set(labels)) == len(listed) > 0
    frame = strategy.to_frame() if find_spec("pandas") else None
    rows = None if frame is None else dict(list(frame.groupby("infoset")))
    for label, line in zip(labels, listed, strict=True):
        assert line == strategy.local(label)
        assert label in strategy
        assert strategy[label] == dict(zip(line.actions, line.probabilities, strict=True))
        assert sum(strategy[label].values()) == pytest.approx(1.0, abs=1e-6)
        if rows is not None:
            own = rows.pop(label)
            assert dict(zip(own.action, own.probability, strict=True)) == strategy[label]
            assert set(own.player) == {line.player + 1}
    assert not rows
    for wrong in ("nowhere", "1|", "", 7):
        with pytest.raises(EquipoiseError, match=r"expected .*\.$"):
            strategy[wrong]
        assert wrong not in strategy
    assert repr(strategy).startswith("<")
    assert "\n" not in repr(strategy)
    assert len(repr(strategy)) < 120


def test_a_tournament_answers_by_label() -> None:
    strategy = equipoise.solve("tournament(players=2,chips=2100)", iterations=1).strategy
    _answers(strategy)
    assert 0 <= strategy["900/1200 small blind jams: AKs"]["jam"] <= 1
    for wrong in (
        "900/1200 big blind jams: AA",
        "900/1200 small blind jams: AK",
        "900/900 small blind jams: AA",
    ):
        with pytest.raises(EquipoiseError, match="expected"):
            strategy[wrong]


@pytest.mark.parametrize(
    "signals", ["", "[signals]\nfinite = [[0.2, 0.3, 0.5], [0.5, 0.25, 0.25]]"]
)
def test_what_regions_do_at_a_signal_is_what_their_profile_does(
    tmp_path: Path, signals: str
) -> None:
    """Two roads: by label, and as the profile of cells that the certificate plays."""
    path = tmp_path / "river.toml"
    path.write_text(RIVER.replace("[models]", f"{signals}\n[models]"))
    strategy = equipoise.solve(path, gap="1e-4r").strategy
    game = strategy.rules
    profile = strategy.regions.profile(game)
    edges = profile.signals.edges
    for player, mixture in enumerate(profile.mixture):
        for cell, row in enumerate(mixture.tolist()):
            at = cell + 1 if game.signals.finite else (edges[cell] + edges[cell + 1]) / 2
            found = strategy[f"{player + 1}|{at}"]
            assert found == pytest.approx(dict(zip(game.plans[player], row, strict=True)))
    assert repr(strategy) == "<RegionStrategy of 'river': model 'bluffs'>"


def test_what_is_done_at_the_start_is_a_table(solved: tuple[str, Result]) -> None:
    name, result = solved
    table = result.strategy.at()
    for row in table:
        found = {f"{row}|", row} & set(result.strategy)
        assert [table[row]] == [result.strategy[label] for label in found]
    if KINDS[name] in ("bayesian", "repeated"):
        assert list(table) == list(result.strategy)
    with pytest.raises(EquipoiseError, match=r"history 'x': .*expected"):
        result.strategy.at("x")


def test_spots_answer_on_boards_of_any_suits() -> None:
    """A board that stands for others, and those others; hands in either order."""
    strategy = equipoise.solve(
        "spot(board='2c7d9hTs',oop='AA,65s',ip='KK,QQ',pot=100,stack=100,bets='a')", iterations=20
    ).strategy
    _answers(strategy)
    table = strategy.at("k,K/", "3d")
    for hand in table.labels:
        assert strategy[f"{hand}3d|k,K/"] == strategy[f"{hand[2:]}{hand[:2]}3d|k,K/"] == table[hand]
        assert hand in table
        assert f"{hand[2:]}{hand[:2]}" in table
    assert list(table) == list(table.labels)
    for wrong in ("AhA", "7s7d", 7):
        assert wrong not in table
        with pytest.raises(EquipoiseError, match="expected"):
            table[wrong]
    with pytest.raises(EquipoiseError, match="expected 1 after the board"):
        strategy["AhAs|k,K/"]


def test_the_game_of_a_result_is_what_was_loaded(solved: tuple[str, Result]) -> None:
    name, result = solved
    loaded = equipoise.load(GAMES[name][0])
    assert type(result.game) is type(equipoise.open("it.eqp").game) is type(loaded)
    assert repr(result.game) == repr(loaded)
    assert equipoise.certify(result.game, result.strategy).gains == result.certificate.gains
    assert equipoise.solve(result.game, gap=1.0, iterations=1).game is result.game


def test_a_finished_solve_is_not_solved_again(solved: tuple[str, Result]) -> None:
    name, result = solved
    said: list[str] = []
    again = equipoise.solve(
        GAMES[name][0], gap="1e-3r", out="it.eqp", resume=True, note=said.append
    )
    assert "finished" in said[-1]
    assert again.certificate.gains == result.certificate.gains


def test_what_is_printed_as_the_method_can_be_given_back(solved: tuple[str, Result]) -> None:
    kind, result = solved
    options = {"weights": (1.0, 1.0)} if kind == "matrix" else {}
    again = equipoise.solve(GAMES[kind][0], result.method, gap="1e-4r", **options)
    assert again.method == result.method
    assert again.status is Status.CONVERGED


def test_methods_of_general_sum_games_are_taken_by_name(tmp_path: Path) -> None:
    path = tmp_path / "stag.nfg"
    path.write_text(STAG)
    for method in ("tracing", "mip"):
        found = equipoise.solve(path, method, gap=1e-6)
        assert (found.method, found.status) == (method, Status.CONVERGED)
        assert not np.signbit(np.concatenate(found.strategy.behaviour)).any()
    with pytest.raises(EquipoiseError, match="'tracing', expected 'mip' with weights"):
        equipoise.solve(path, "tracing", weights=(1.0, 1.0))
    with pytest.raises(EquipoiseError, match="expected one of auto, nash, tracing, mip"):
        equipoise.solve(path, "cfr+")


def test_files_of_other_games_are_refused(solved: tuple[str, Result]) -> None:
    name, result = solved
    others = {KINDS[other]: GAMES[other] for other in GAMES if KINDS[other] != KINDS[name]}
    for spec, text, _ in others.values():
        if text is not None:
            Path(spec).write_text(text)
        with pytest.raises(EquipoiseError, match=r"it\.eqp"):
            equipoise.open("it.eqp", spec)
        with pytest.raises(EquipoiseError, match=r"it\.eqp.*expected"):
            equipoise.solve(spec, out="it.eqp")
    assert equipoise.open("it.eqp").certificate.gains == result.certificate.gains


def test_no_option_is_ignored(solved: tuple[str, Result]) -> None:
    spec = GAMES[solved[0]][0]
    with pytest.raises(EquipoiseError, match="'colour'"):
        equipoise.solve(spec, colour="blue")
    with pytest.raises(EquipoiseError, match="'magic'"):
        equipoise.solve(spec, "magic")


def test_certificates_have_the_options_of_their_family(solved: tuple[str, Result]) -> None:
    name, result = solved
    with pytest.raises(EquipoiseError, match="certify: found the option 'colour' for"):
        equipoise.certify(result.game, result.strategy, colour="blue")
    if KINDS[name] not in ("zero-sum", "general-sum"):
        with pytest.raises(EquipoiseError, match="certify: found the option 'flops' for"):
            equipoise.certify(result.game, result.strategy, flops=3)
    assert run(["certify", GAMES[name][0], "it.eqp"]) == 0


def test_every_family_has_a_class_of_its_name() -> None:
    assert [family(name).name for name in FAMILIES] == list(FAMILIES)
    assert {KINDS[name] for name in GAMES} | {"tournament"} == set(FAMILIES)


@pytest.mark.parametrize("name", ["tree", "bayesian", "repeated"])
def test_a_gap_of_rounding_is_no_gap(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec, text, _ = GAMES[name]
    Path(spec).write_text(text or "")
    result = equipoise.solve(spec, gap=0.0, out="it.eqp")
    assert abs(result.certificate.gap) <= 1e-13 * result.found.stake
    assert result.status is Status.CONVERGED
    assert not Path("it.eqp.checkpoint").exists()
    said: list[str] = []
    assert equipoise.solve(spec, gap=0.0, out="it.eqp", resume=True, note=said.append)
    assert "finished" in said[-1]


def test_sentences_name_families_as_people_do(tmp_path: Path) -> None:
    (tmp_path / "river.toml").write_text(RIVER)
    with pytest.raises(EquipoiseError, match="found a Bayesian game, expected a tree"):
        equipoise.games.base.load_explicit(str(tmp_path / "river.toml"))


def test_limits_are_kept_and_solves_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("diagonal.toml").write_text(DIAGONAL)
    straight = equipoise.solve("diagonal.toml", gap=1e-6)
    assert straight.found.iterations > 3
    short = equipoise.solve("diagonal.toml", gap=1e-6, iterations=2, out="it.eqp")
    assert short.status is Status.ITERATION_LIMIT
    assert short.certificate.gap > 1e-6
    resumed = equipoise.solve("diagonal.toml", gap=1e-6, out="it.eqp", resume=True)
    assert resumed.found.iterations == straight.found.iterations
    assert (resumed.strategy.uninformed.target == straight.strategy.uninformed.target).all()
    assert not Path("it.eqp.checkpoint").exists()


def test_searches_for_equilibria_go_on_from_the_best_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    matrices = [rng.integers(0, 10, (3, 3, 3)) for _ in range(3)]
    game = equipoise.from_matrices("three", *matrices)
    short = equipoise.solve(game, iterations=1, gap=1e-6, out="it.eqp")
    assert short.status is Status.ITERATION_LIMIT
    on = equipoise.solve(game, gap=1e-6, out="it.eqp", resume=True)
    assert on.status is Status.CONVERGED
    assert on.log[: len(short.log)] == short.log
    assert max(on.certificate.gains) <= 1e-6


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("weights", lambda array: array[:1]),
        ("lottery", lambda array: array / 2),
        ("actions", lambda array: -array),
        ("target", lambda array: array * np.nan),
    ],
)
def test_damaged_strategies_of_repeated_games_are_refused(
    tmp_path: Path, field: str, change: Callable[[Any], Any]
) -> None:
    from equipoise.strategy.store import STRATEGY, load, save

    place = tmp_path / "it.eqp"
    equipoise.solve("partial", out=place)
    bundle = load(place, STRATEGY)
    save(place, STRATEGY, {**bundle.arrays, field: change(bundle.arrays[field])}, bundle.metadata)
    with pytest.raises(EquipoiseError, match=rf"it\.eqp: array .*expected|it\.eqp: array {field}"):
        equipoise.open(place)


def test_a_hyperplane_that_is_too_low_is_found_out() -> None:
    """The certificate trusts no target: one lowered by 0.1 is raised by at least as much again."""
    from dataclasses import replace

    from equipoise.strategy.repeated import ApproachStrategy

    result = equipoise.solve("irrational", gap=1e-6)
    strategy = result.strategy
    low = ApproachStrategy(result.game, strategy.uninformed.target - 0.1)
    proof = equipoise.certify(result.game, replace(strategy, uninformed=low))
    assert low.guarantee < result.certificate.lower
    assert proof.best_responses[0] >= 1 - 0.5**0.5 - 1e-9  # the value, docs/repeated.md


WRONG = """
game = "bet-or-check"
pot = 3.0
[models]
wrong = '''
P1: check |a| bet
P2: fold |c| call
'''
"""


def test_searches_among_models_go_on_where_they_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that has no solution is not solved again, unless the game or the models change."""
    from equipoise.solvers.bayesian import qualitative

    tried: list[str] = []

    def counted(*arguments: Any) -> Any:
        tried.append(arguments[2])
        return attempt(*arguments)

    attempt = qualitative.attempt
    monkeypatch.setattr(qualitative, "attempt", counted)
    monkeypatch.chdir(tmp_path)
    Path("wrong.toml").write_text(WRONG)
    straight = equipoise.solve("wrong.toml")
    assert tried == ["full", "empty", "elastic"]
    assert straight.status is Status.EXHAUSTED
    assert len(straight.log) == straight.found.iterations == 3
    assert straight.log[-1].gap == pytest.approx(straight.certificate.gap, rel=1e-2)
    short = equipoise.solve("wrong.toml", iterations=2, out="it.eqp")
    assert short.status is Status.ITERATION_LIMIT
    tried.clear()
    on = equipoise.solve("wrong.toml", out="it.eqp", resume=True)
    assert tried == ["elastic"]
    assert on.strategy.regions == straight.strategy.regions
    assert on.log[:2] == short.log
    Path("wrong.toml").write_text(WRONG.replace("3.0", "2.5"))
    with pytest.raises(EquipoiseError, match=r"it\.eqp\.checkpoint: found a solve with game"):
        equipoise.solve("wrong.toml", out="it.eqp", resume=True)


def test_the_best_profile_of_a_search_among_models_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from equipoise.strategy.store import CHECKPOINT, load, save

    monkeypatch.chdir(tmp_path)
    Path("wrong.toml").write_text(WRONG)
    first = equipoise.solve("wrong.toml", out="it.eqp")
    later = equipoise.solve("wrong.toml", out="it.eqp", resume=True, iterations=3)
    assert later.certificate.gap == pytest.approx(first.certificate.gap, rel=1e-9)
    held = load("it.eqp.checkpoint", CHECKPOINT)
    for name, array in [("model", [9]), ("at", [0.2]), ("at", [0.4, 7.0])]:
        damaged = {**held.arrays, f"best.{name}": np.array(array)}
        save("it.eqp.checkpoint", CHECKPOINT, damaged, held.metadata)
        with pytest.raises(EquipoiseError, match=r"Checkpoint: found thresholds"):
            equipoise.solve("wrong.toml", out="it.eqp", resume=True, iterations=3)


def test_models_that_are_proposed_are_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from equipoise.solvers.bayesian import qualitative

    monkeypatch.chdir(tmp_path)
    Path("river.toml").write_text('game = "river"\npot = 2.0\n')
    straight = equipoise.solve("river.toml")
    attempt = qualitative.attempt
    monkeypatch.setattr(qualitative, "attempt", lambda *arguments: "limit")
    short = equipoise.solve("river.toml", iterations=1, out="it.eqp")
    assert short.status is Status.ITERATION_LIMIT
    monkeypatch.setattr(qualitative, "attempt", attempt)
    on = equipoise.solve("river.toml", out="it.eqp", resume=True)
    assert on.strategy.regions == straight.strategy.regions
    assert on.status is Status.CONVERGED


def test_games_are_solved_as_another_family_only_if_they_belong_to_it() -> None:
    assert equipoise.solve("kuhn", family="general-sum").family == "general-sum"
    for spec, other in (("tournament", "general-sum"), ("partial", "zero-sum"), ("kuhn", "spot")):
        with pytest.raises(EquipoiseError, match=rf"expected one .* solved as a {other} game"):
            equipoise.solve(spec, family=other)
