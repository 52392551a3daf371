"""Strategies answer questions: by label, by public history, as frames; and everything has a short repr."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equipoise
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import load
from equipoise.games.bayesian.betting_round import bet_or_check
from equipoise.games.bayesian.game import BayesianGame, Signals, UtilityGame
from equipoise.games.bayesian.parametric import parse_models
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.tournaments.tournament import tournament
from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import from_matrices
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.bayesian.qualitative import qualitative
from equipoise.solvers.driver import Iterations
from equipoise.solvers.general.nash import nash
from equipoise.solvers.repeated.cav import solve_repeated
from equipoise.solvers.saddle.cfr import TABLE
from equipoise.solvers.stochastic.tournament import solve_tournament
from equipoise.strategy.profile import Strategy
from equipoise.strategy.store import load_strategy, save_strategy
from equipoise.strategy.table import decisions
from equipoise.strategy.text import read_text, write_text


def random_strategy(game: ExtensiveGame | StageGame, seed: int = 0) -> Strategy:
    """Some strategy in which no two information sets are alike."""
    found = solve(build(game), TABLE["cfr+"], Iterations(1)).strategy
    chance = np.random.default_rng(seed)
    behaviour = tuple(chance.random(len(own)) for own in found.behaviour)
    return Strategy(found.game, found.fingerprint, behaviour, found.layout, game)


GAMES = [load("kuhn"), load("leduc"), poker.kuhn(), poker.leduc()]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_labels_lead_to_what_is_shown(game: ExtensiveGame | StageGame) -> None:
    """Two roads: one information set by its label, and all of them in a row."""
    strategy = random_strategy(game)
    labels = list(strategy)
    listed = list(decisions(game, strategy))
    assert len(labels) == len(set(labels)) == len(listed)
    for label, line in zip(labels, listed, strict=True):
        assert strategy[label] == dict(zip(line.actions, line.probabilities, strict=True))
        assert strategy[f"{line.player + 1}|{label}"] == strategy[label]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_tables_hold_every_information_set_once(game: ExtensiveGame | StageGame) -> None:
    """All public histories together: every row is what the label says."""
    strategy = random_strategy(game)
    seen = 0
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        moves = waiting.pop()
        try:
            table = strategy.at(moves)
        except EquipoiseError as error:
            assert "over" in str(error)  # noqa: PT017
            continue
        seen += len(table)
        history = "".join(moves)
        for label in table.labels:
            name = f"{label}|{history}" if isinstance(game, StageGame) else label
            assert table[label] == strategy[name]
        if isinstance(game, StageGame):
            node = game.tree.find(history)
            waiting += [(game.tree.histories[child],) for child in game.tree.successors[node]]
        else:
            waiting += [(*moves, action) for action in table.actions]
    assert seen == len(list(strategy))


def test_kuhn_poker_s_calls() -> None:
    """Against a bet the king calls and the jack folds (Kuhn 1950)."""
    game = poker.kuhn()
    strategy = solve(build(game), TABLE["cfr+"], Iterations(500)).strategy
    assert strategy["K|b"]["c"] == pytest.approx(1.0, abs=1e-3)
    table = strategy.at("b")
    assert (table.actions, table.labels) == (("f", "c"), ("J", "Q", "K"))
    assert table["J"]["f"] == pytest.approx(1.0, abs=1e-3)
    lines = repr(table).splitlines()
    assert lines[0].split() == ["f", "c"]
    assert [line.split()[0] for line in lines[1:]] == ["J", "Q", "K"]


@pytest.mark.parametrize(
    ("game", "label", "words"),
    [
        ("kuhn", "Jpbb", "there is none of that name, expected one like 'Jpb'"),
        ("kuhn", "nothing", "there is none of that name"),
        ("signals", "Kd|b", "expected signals of round 1 by their name, such as 'K'"),
        ("signals", "K|bk", "'k' cannot follow 'b'"),
        ("signals", "K|bC", "after which the game is over, expected a decision"),
    ],
)
def test_unknown_labels_are_told_with_near_ones(game: str, label: str, words: str) -> None:
    strategy = random_strategy(poker.kuhn() if game == "signals" else load("kuhn"))
    with pytest.raises(EquipoiseError) as error:
        strategy[label]
    assert words in str(error.value)


def test_labels_that_several_players_have_need_the_player() -> None:
    tree = TreeBuilder("twins", ["A", "B"])
    for place in tree.decide(tree.root, 0, "s", ["x", "y"]):
        for leaf in tree.decide(place, 1, "s", ["u", "v"]):
            tree.end(leaf, (1, -1))
    game = tree.build()
    strategy = random_strategy(game)
    assert list(strategy) == ["1|s", "2|s"]
    assert list(strategy["2|s"]) == ["u", "v"]
    with pytest.raises(EquipoiseError, match=r"found 2 of that name, expected '1\|s' or '2\|s'"):
        strategy["s"]


def test_labels_with_line_breaks_are_found_as_they_are() -> None:
    tree = TreeBuilder("lines", ["A", "B"])
    for leaf in tree.decide(tree.root, 0, "two\nlines \\", ["x", "y"]):
        tree.end(leaf, (1, -1))
    game = tree.build()
    strategy = Strategy(
        game.name, game.fingerprint, (np.array([1, 0.25, 0.75]), np.ones(1)), None, game
    )
    assert strategy["two\nlines \\"] == {"x": 0.25, "y": 0.75}
    assert all(strategy[label] == {"x": 0.25, "y": 0.75} for label in strategy)


@pytest.mark.parametrize("history", ["pbpb", "x", ["p", "b", "b"]])
def test_histories_that_lead_nowhere_are_told(history: Any) -> None:
    with pytest.raises(EquipoiseError, match=r"history '.*expected"):
        random_strategy(load("kuhn")).at(history)


def test_a_saved_strategy_finds_its_game(tmp_path: Path) -> None:
    strategy = random_strategy(load("kuhn"))
    save_strategy(tmp_path / "s.eqp", strategy)
    assert load_strategy(tmp_path / "s.eqp")["J"] == strategy["J"]
    (tmp_path / "kuhn.efg").write_text("")
    save_strategy(tmp_path / "t.eqp", strategy, metadata={"spec": str(tmp_path / "kuhn.efg")})
    lost = load_strategy(tmp_path / "t.eqp")
    with pytest.raises(
        EquipoiseError, match=r"cannot be loaded .*expected it as strategy.of\(game\)"
    ):
        lost["J"]
    assert lost.of(load("kuhn"))["J"] == strategy["J"]
    with pytest.raises(EquipoiseError, match="expected one of 'leduc'"):
        lost.of(load("leduc"))


def test_frames_hold_every_probability() -> None:
    pytest.importorskip("pandas")
    strategy = random_strategy(load("kuhn"))
    frame = strategy.to_frame()
    assert list(frame.columns) == ["player", "infoset", "action", "probability"]
    for label, rows in frame.groupby("infoset"):
        assert dict(zip(rows.action, rows.probability, strict=True)) == strategy[label]
    table = strategy.at("b").to_frame()
    assert table.loc["Jb", "p"] == strategy["Jb"]["p"]


def test_leduc_s_cards_have_names_and_earlier_texts_are_refused(tmp_path: Path) -> None:
    game = load("leduc")
    labels = list(random_strategy(game))
    assert {label.split("|")[0] for label in labels} == {"Jc", "Jd", "Qc", "Qd", "Kc", "Kd"}
    assert "Kd|Jc|cc/r" in labels
    assert len(set(load("leduc(ranks=14,suits=1)").infoset_label)) > 14
    # What was saved by number still belongs to the game; texts say what to do.
    assert game.fingerprint == "5988b70a1002d9d5"
    strategy = solve(build(game), TABLE["cfr+"], Iterations(1)).strategy
    write_text(tmp_path / "s.txt", game, strategy)
    old = (tmp_path / "s.txt").read_text().replace("|Kd|", "|5|")
    (tmp_path / "s.txt").write_text(old)
    with pytest.raises(EquipoiseError, match=r"expected one like '1\|Jc\|\|' \('equipoise export'"):
        read_text(tmp_path / "s.txt", game)


def test_everything_is_short_when_printed() -> None:
    game = poker.leduc()
    form = build(game)
    solution = solve(form, TABLE["cfr+"], Iterations(1))
    things = [
        game,
        load("leduc"),
        load("auction"),
        from_matrices("pennies", [[1, -1], [-1, 1]]),
        game.tree,
        form,
        form.X,
        form.A,
        build(load("kuhn")).A,
        solution,
        solution.strategy,
        equipoise.certify(game, solution.strategy),
        equipoise.gameshrink(game),
    ]
    for thing in things:
        text = repr(thing)
        assert type(thing).__name__ in text
        assert "\n" not in text
        assert len(text) < 160, text

    game_of_signals = BayesianGame(bet_or_check(pot=2.0), Signals.uniform())
    model = parse_models("P1: bet |a| check |b| bet\nP2: call |c| fold", game_of_signals.round)
    partial = solve_repeated(load("partial"))
    things = [
        game_of_signals,
        game_of_signals.signals,
        Signals.discrete([0.25] * 4, [0.1, 0.2, 0.3, 0.4]),
        UtilityGame.from_function([["a"], ["b"]], lambda *_: (1.0, 1.0), Signals.uniform()),
        qualitative(game_of_signals, model),
        load("partial"),
        partial,
        partial.informed,
        partial.uninformed,
        nash(from_matrices("stag", [[4, 0], [3, 3]], [[4, 3], [0, 3]])),
        load("tournament"),
        solve_tournament(tournament(2, 1200)),
        load("spot(board='2c7d9hTsJc',oop='AA',ip='KK',pot=100,stack=50)"),
        equipoise.solve("kuhn").found,
    ]
    for thing in things:
        assert type(thing).__name__ in repr(thing)
        assert "\n" not in repr(thing)
        assert len(repr(thing)) < 160, repr(thing)
    assert repr(load("leduc")) == (
        "<ExtensiveGame 'leduc': 2 players, 9,457 nodes, 936 information sets>"
    )
