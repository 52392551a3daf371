"""Spots against the same games written out as trees, linear programs against regret minimisation."""

from __future__ import annotations

import numpy as np
import pytest
from random_spots import (
    explicit,
    random_spot,
    random_strategy,
    require_certified_as_written_out,
    require_measured_as_certified,
    symmetric_spot,
)

import equipoise
from equipoise.games.poker import Spot, spot
from equipoise.games.poker.runouts import board_tree
from equipoise.numerics.device import Device
from equipoise.sequence.backends.array_payoff import ArrayPayoff
from equipoise.sequence.backends.arrays import ArrayTreeplex
from equipoise.sequence.build import build
from equipoise.sequence.from_spot import SpotLayout
from equipoise.solvers.base import measure, solve
from equipoise.solvers.driver import Gap
from equipoise.solvers.methods import method
from equipoise.solvers.saddle.lp import LP

SMALL = {
    "river": lambda random: random_spot(random, 5, hands=6),
    "turn": lambda random: random_spot(random, 4, hands=3),
    "turn, raked": lambda random: random_spot(random, 4, hands=3, rake=0.05, rake_cap=6),
    "river, raked": lambda random: random_spot(random, 5, hands=6, rake=0.1),
    "flop": lambda random: random_spot(random, 3, hands=2, suits="cd", bets="a", raises="", cap=1),
    "flop, alike": lambda random: symmetric_spot(bets="a", raises="", cap=1),
    "turn, alike": lambda random: symmetric_spot("8cTcQcQd"),
    "no bet on the turn": lambda random: random_spot(random, 4, hands=3, bets="/a"),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_certificate_is_that_of_the_game_written_out(name: str) -> None:
    random = np.random.default_rng(len(name))
    game = SMALL[name](random)
    require_certified_as_written_out(game, random_strategy(game, random))


@pytest.mark.parametrize("name", [name for name in SMALL if "raked" not in name])
def test_the_form_measures_what_the_certificate_says(name: str) -> None:
    random = np.random.default_rng(len(name))
    game = SMALL[name](random)
    require_measured_as_certified(game, random_strategy(game, random))


@pytest.mark.parametrize("name", ["turn", "flop, alike"])
def test_the_form_has_the_value_of_the_game_written_out(name: str) -> None:
    game = SMALL[name](np.random.default_rng(7))
    truth = solve(build(explicit(game)), LP())
    assert solve(build(game), LP()).value == pytest.approx(truth.value, abs=1e-7 * game.pot)


@pytest.mark.parametrize("name", [*SMALL, "river, half taken"])
def test_boards_side_by_side_are_the_same_spot(name: str) -> None:
    """For arrays boards have room for as many buckets as the widest: the same plans and products, elsewhere."""
    from array_api_compat import numpy as xp

    random = np.random.default_rng(len(name))
    # Of a pot of which half is taken, who wins without a call has what she paid, and nothing more.
    game = SMALL[name](random) if name in SMALL else random_spot(random, 5, hands=6, rake=0.5)
    form, device = build(game), Device(xp)
    assert form.untiled is not None
    beside = form.untiled()
    assert beside.A.shape == (beside.X.size, beside.Y.size)
    payoff = beside.A.by_board
    assert payoff is not None
    plans, spread = [], []
    for player, (own, wide) in enumerate(((form.X, beside.X), (form.Y, beside.Y))):
        behaviour = own.behaviour(random.random(own.size))
        there = np.zeros(wide.size)
        there[payoff.places(player)] = behaviour
        plans.append(own.plan(behaviour))
        spread.append(wide.plan(wide.behaviour(there)))
        np.testing.assert_allclose(spread[player][payoff.places(player)], plans[player], atol=1e-14)
    X, Y = ArrayTreeplex(beside.X, device), ArrayTreeplex(beside.Y, device)
    on_arrays = ArrayPayoff(beside.A, X, Y)
    first = X.get(on_arrays.times(Y.put(spread[1])))[payoff.places(0)]
    second = Y.get(on_arrays.transpose_times(X.put(spread[0])))[payoff.places(1)]
    np.testing.assert_allclose(first, form.A.times(plans[1]), atol=1e-13)
    np.testing.assert_allclose(second, form.A.transpose_times(plans[0]), atol=1e-13)


def test_runouts_count_every_board_once() -> None:
    # Clubs, diamonds and a heart on the board: only the two other suits are left to be renamed.
    game = spot("Td9d6h", "66+,AKs", "QQ-22,AQs", 180, 910, "60%")
    streets = board_tree(game).streets
    assert [len(own) for own in streets[:2]] == [1, 36]  # 23 of diamonds and hearts, 13 of clubs
    assert [sum(b.copies for b in own) for own in streets] == [1, 49, 49 * 48]
    lopsided = spot("Td9d6h", "66+,AKs,AcKd", "QQ-22,AQs", 180, 910, "60%")
    assert len(board_tree(lopsided).streets[1]) == 49
    mono = spot("Td9d6d", "66+", "QQ-22", 180, 910, "60%")
    assert [len(own) for own in board_tree(mono).streets[:2]] == [1, 23]


def test_symmetry_loses_nothing() -> None:
    """A weight that is no weight breaks the symmetry, and changes the value by as little."""
    alike = symmetric_spot("8cTcQcQd")
    weights = [own.copy() for own in alike.weights]
    weights[0][weights[0] > 0] *= 1 - 1e-9 * np.arange((weights[0] > 0).sum())
    other = _with(alike, weights)
    assert len(board_tree(other).streets[1]) > len(board_tree(alike).streets[1])
    values = [solve(build(game), LP()).value for game in (alike, other)]
    assert values[0] == pytest.approx(values[1], abs=1e-4)


def _with(game: Spot, weights: list[np.ndarray]) -> Spot:
    from dataclasses import replace

    return replace(game, weights=(weights[0], weights[1]))


@pytest.mark.parametrize("seed", range(12))
def test_programs_and_regrets_agree_on_random_rivers(seed: int) -> None:
    _agree(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 200))
def test_programs_and_regrets_agree_on_many_random_rivers(seed: int) -> None:
    _agree(seed)


def _agree(seed: int) -> None:
    random = np.random.default_rng(seed)
    game = random_spot(random, 5, hands=int(random.integers(2, 25)))
    form = build(game)
    exact = solve(form, LP())
    found = equipoise.solve(game, gap=0.1)
    assert found.certificate.gap <= 0.1
    assert found.certificate.value == pytest.approx(exact.value, abs=0.1)


@pytest.mark.parametrize("board", ["8hQc8c", "9c8hQc8c"])
@pytest.mark.parametrize("player", [0, 1])
def test_the_last_boards_may_leave_no_hand(board: str, player: int) -> None:
    """A block without hands has no sequences, and starts where the next street does."""
    ranges = ["AsKd", "QdJs,9d9s"]
    rules = {"bets": "a", "raises": "", "cap": 1, "ranks": "89JQKA", "suits": "cdhs"}
    first, second = ranges if player == 0 else ranges[::-1]
    game = spot(board, first, second, 10, 20, **rules)
    form, layout = build(game), SpotLayout(game)
    assert not layout.widths[-2][player][-1] or len(board) > 6
    assert not layout.widths[-1][player][-1]
    for i, space in enumerate((form.X, form.Y)):
        nodes = [
            np.sum((game.tree.player == i) & (game.tree.round == r)) for r in range(game.streets)
        ]
        trunk = sum(
            n * len(boards) for n, boards in zip(nodes[:-1], layout.boards[:-1], strict=True)
        )
        last = form.A.runouts.last
        assert space.blocks.before(form.A.runouts.trunk[i], last.widths[i]) == trunk
    truth = solve(build(game), LP())
    for name in ("dcfr", "dcfr(device=numpy)", "dcfr(dtype=int16,beta=0.5,gamma=4)"):
        found = equipoise.solve(game, name, gap=0.01 * game.pot)
        assert found.certificate.gap <= 0.01 * game.pot, name
        assert abs(found.value - truth.value) <= 0.01 * game.pot, name


@pytest.mark.parametrize("name", ["cfr+", "pcfr+(dtype=float32)", "egt", "lp"])
def test_any_method_runs_on_a_spot(name: str) -> None:
    game = spot("2c7d9hTsJc", "AA,QQ,65s,KQs", "KK,88,ATs", 100, 200, "50%,a", "a")
    result = equipoise.solve(game, name, gap=5.0, iterations=20_000)
    assert result.certificate.gap <= 5.0


def test_board_by_board_is_the_same_iteration() -> None:
    """Against the family's loop over any operator, from uniform play, where no tie is near."""
    from dataclasses import replace

    from equipoise.sequence.payoffs.over_runouts import Runouts
    from equipoise.solvers.base import Context

    class Whole(Runouts):
        """The same payoffs, for methods that know nothing of boards."""

        runouts = None  # type: ignore[assignment]

    form = build(symmetric_spot("8cTcQcQd"))
    whole = replace(form, A=Whole(form.A.shape, form.A.streets))  # type: ignore[attr-defined]
    runs = [method("dcfr(dtype=float32)").start(f, Context()) for f in (form, whole)]
    for run in runs:
        run.advance(1)
    found, truth = (run.sides[0].regret for run in runs)  # type: ignore[attr-defined]
    assert np.abs(truth).max() > 1e-3
    np.testing.assert_allclose(found, truth, atol=1e-7)
    lower, upper = runs[0].bounds()  # type: ignore[attr-defined]
    unit = form.units.unit
    assert (unit * lower, unit * upper) == pytest.approx(measure(form, *runs[0].point()), abs=1e-3)


def test_the_engine_measures_what_the_certificate_says() -> None:
    for rules in ({}, {"rake": 0.05, "rake_cap": 9}):
        game = random_spot(np.random.default_rng(5), 4, hands=12, **rules)
        result = equipoise.solve(game, gap=0.5)
        assert result.found.gap == pytest.approx(result.certificate.gap, abs=1e-3)
        assert result.status.value == "converged"


@pytest.mark.parametrize("rules", [{"raises": ""}, {"donk": ""}, {"rake": 0.1, "rake_cap": 0.0}])
def test_a_name_says_what_is_not_by_default(rules: dict) -> None:
    game = spot("2c7d9hTs", "AA,KK", "QQ,JJ", 100, 300, **({"bets": "50%"} | rules))
    assert equipoise.load(game.name).fingerprint == game.fingerprint


def test_a_raked_spot_pays_the_house() -> None:
    result = equipoise.solve(random_spot(np.random.default_rng(3), 5, rake=0.05))
    assert sum(result.certificate.values) < 100


def test_save_open_resume(tmp_path) -> None:
    game = random_spot(np.random.default_rng(1), 4, hands=8)
    short = equipoise.solve(game, gap=0.1, iterations=20, out=tmp_path / "a.eqp")
    assert short.status.value == "iteration limit"
    more = equipoise.solve(game, gap=0.1, out=tmp_path / "a.eqp", resume=True)
    whole = equipoise.solve(game, gap=0.1)
    assert more.found.iterations == whole.found.iterations
    assert more.certificate.gap == whole.certificate.gap
    again = equipoise.open(tmp_path / "a.eqp")
    assert again.certificate.gap == whole.certificate.gap
    np.testing.assert_array_equal(
        again.strategy.at("").probabilities, more.strategy.at("").probabilities
    )


@pytest.mark.parametrize("keeper", [None, "oop"])
def test_spots_of_beliefs_and_promises_are_opened_again(tmp_path, keeper: str | None) -> None:
    """What Bayes' rule leaves of two ranges is a number a hand: the longest name that a spot has."""
    random = np.random.default_rng(5)
    ranges, promised = random.random((2, 1326)), 100 * random.random(1326)
    given = {} if keeper is None else {"keeper": keeper, "promised": promised}
    game = spot("2c7d9hTsJc", *ranges, 100, 50, "a", cap=1, **given)
    result = equipoise.solve(game, gap=20.0)
    result.save(tmp_path / "a.eqp")
    again = equipoise.open(tmp_path / "a.eqp")
    assert again.game.fingerprint == game.fingerprint
    assert again.certificate.gains == result.certificate.gains


@pytest.mark.parametrize("share", [1e-30, 1e-160, 1e-300])
def test_only_proportions_of_beliefs_matter(share: float) -> None:
    """What is left of a hand that is rarely played to is as good a belief as any."""
    random = np.random.default_rng(6)
    ranges, joint = random.random((2, 1326)), random.random((1326, 1326))
    ranges[:, random.random(1326) < 0.9] = 0.0
    given = {"pot": 100, "stack": 50, "bets": "a", "cap": 1}
    for beliefs in (None, joint):
        small = None if beliefs is None else share * beliefs
        whole = spot("2c7d9hTsJc", *ranges, **given, joint=beliefs)
        game = spot("2c7d9hTsJc", *(share * ranges), **given, joint=small)
        found = [equipoise.solve(own, gap=20.0, iterations=50).certificate for own in (whole, game)]
        assert found[1].values == pytest.approx(found[0].values, abs=1e-3)
        assert found[1].gains == pytest.approx(found[0].gains, abs=1e-3)


def test_strategies_are_asked_by_history_and_cards() -> None:
    game = symmetric_spot("8cTcQcQd")
    strategy = equipoise.solve(game, gap=5.0).strategy
    assert strategy.at("").actions == ("k", "b50")
    # Boards that are alike are played alike, suits renamed.
    one, two = strategy.at("k,K/", "8h"), strategy.at("k,K/", "8s")
    assert one["KhTh"] == two["KsTs"]
    assert one["JdJh"] == two["JdJs"]
    for history, cards, sentence in (
        ("k,K/", "", "found 0, expected 1"),
        ("k,K/", "Qd", "found a card of the board"),
        ("k,K/k,K", "8h", "the hand is over"),
        ("x", "", "cannot follow"),
    ):
        with pytest.raises(equipoise.EquipoiseError, match=sentence):
            strategy.at(history, cards)
    with pytest.raises(equipoise.EquipoiseError, match="not in the range"):
        strategy.at("")["8d8h"]


def test_gaps_are_in_chips_of_both_players() -> None:
    game = random_spot(np.random.default_rng(2), 5, hands=10)
    result = equipoise.solve(game, gap=1.0)
    facts = result.summary()
    assert facts["exploitability_pct"] == pytest.approx(50 * facts["gap"] / 100)
    assert facts["lower"] <= facts["value"] <= facts["upper"]
    assert solve(build(game), method("lp"), Gap(1e-6)).value == pytest.approx(
        facts["value"], abs=1.0
    )
