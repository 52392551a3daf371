"""Two players: thresholds solved by hand, the published games, models right and wrong."""

from __future__ import annotations

import numpy as np
import pytest
from signal_games import BET_OR_CHECK, KUHN, RIVER, RIVER_1, RIVER_2, models, random_rivers

from equipoise.certificates.bayesian import certify_bayesian
from equipoise.errors import EquipoiseError
from equipoise.games.bayesian.betting_round import bet_or_check, kuhn_round, river
from equipoise.games.bayesian.distributions import Cdf, Signals
from equipoise.games.bayesian.game import BayesianGame, UtilityGame
from equipoise.games.bayesian.parametric import parse_models
from equipoise.solvers.bayesian.polish import indifference, polish
from equipoise.solvers.bayesian.qualitative import Answer, qualitative
from equipoise.solvers.driver import Status
from equipoise.strategy.regions import Regions


def epsilon(game: BayesianGame | UtilityGame, answer: Answer) -> float:
    return certify_bayesian(game, answer.regions.profile(game)).epsilon


@pytest.mark.parametrize("pot", np.arange(0.5, 10.01, 0.5))
def test_the_motivating_game_agrees_with_its_equations_solved_by_hand(pot: float) -> None:
    # Section 3: c = 2a; c (pot + 1) = b pot; and player 2 at c: (pot + 1)(1 - b) = a.
    equations = np.array([[2.0, 0.0, -1.0], [0.0, pot, -(pot + 1)], [1.0, pot + 1, 0.0]])
    a, b, c = np.linalg.solve(equations, [0.0, 0.0, pot + 1])
    game = BayesianGame(bet_or_check(float(pot)), Signals.uniform())
    for text in (BET_OR_CHECK, BET_OR_CHECK.rsplit("\n", 1)[0]):
        answer = qualitative(game, models(game.round, text))
        assert answer.status is Status.CONVERGED
        assert answer.thresholds == pytest.approx({"a": a, "b": b, "c": c}, abs=1e-8)
        assert epsilon(game, answer) <= 1e-12


def test_infinite_kuhn_poker_has_six_thresholds() -> None:
    # Section 8.1: "a system of six linearly independent indifference equations with six unknowns".
    game = BayesianGame(kuhn_round(), Signals.uniform())
    answer = qualitative(game, models(game.round, KUHN))
    expected = {"a": 1 / 9, "b": 1 / 3, "c": 2 / 3, "d": 1 / 6, "e": 1 / 3, "f": 1 / 2}
    assert answer.thresholds == pytest.approx(expected, abs=1e-8)
    proof = certify_bayesian(game, answer.regions.profile(game))
    assert proof.values[0] == pytest.approx(-1 / 18, abs=1e-12)
    assert proof.epsilon <= 1e-12


def test_the_lower_and_the_higher_signal_mirror_each_other() -> None:
    low = "P1: bet |c| check-call |b| check-fold |a| bet\n"
    low += "P2: call/bet |f| call/check |e| fold/check |d| fold/bet"
    game = BayesianGame(kuhn_round("low"), Signals.uniform())
    mirror = BayesianGame(kuhn_round("high"), Signals.uniform())
    first = qualitative(game, models(game.round, low)).thresholds
    second = qualitative(mirror, models(mirror.round, KUHN)).thresholds
    assert first == pytest.approx({k: 1.0 - v for k, v in second.items()}, abs=1e-9)


@pytest.mark.parametrize("n", [3, 4, 7, 13])
def test_finite_kuhn_poker_mixes_at_thresholds(n: int) -> None:
    game = BayesianGame(kuhn_round(), Signals.deck(n))
    answer = qualitative(game, models(game.round, KUHN))
    assert answer.status is Status.CONVERGED
    proof = certify_bayesian(game, answer.regions.profile(game))
    assert proof.epsilon <= 1e-12
    if n == 3:
        assert proof.values[0] == pytest.approx(-1 / 18, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_finite_independent_signals_with_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    signals = Signals.discrete(*rng.dirichlet(np.ones(6), size=2))
    game = BayesianGame(bet_or_check(2.0), signals)
    answer = qualitative(game, models(game.round, BET_OR_CHECK.rsplit("\n", 1)[0]))
    assert answer.status is Status.CONVERGED
    assert epsilon(game, answer) <= 1e-10


def solve_rivers(first: int, last: int) -> set[str]:
    """Solve those random rivers with the three models together; return which models were chosen."""
    unsolved, chosen = [], set()
    for k, (pot, game) in enumerate(random_rivers(last)[first:], start=first):
        answer = qualitative(game, models(game.round, *RIVER))
        chosen.add(answer.model.name)
        if answer.status is not Status.CONVERGED:
            unsolved.append(k)
            continue
        assert epsilon(game, answer) <= 1e-6 * pot
    assert len(unsolved) <= 0.05 * (last - first), unsolved
    return chosen


def test_the_river_game_with_three_models_together() -> None:
    # Section 8.2: "if we did not include all three models, our MILFP would sometimes have no solution".
    assert solve_rivers(0, 20) == {"model 1", "model 2", "model 3"}


@pytest.mark.slow
def test_two_hundred_rivers() -> None:
    solve_rivers(20, 200)


def test_an_order_left_open_is_found() -> None:
    pot, game = random_rivers(1)[0]
    whole = qualitative(game, models(game.round, RIVER_1 + RIVER_2))
    assert whole.status is Status.CONVERGED
    assert epsilon(game, whole) <= 1e-9 * pot


@pytest.mark.parametrize("cells", [2, 4])
def test_dependent_signals(cells: int) -> None:
    # With fewer bluffs where calls are good, Ganzfried and Sandholm's model of section 3 stays right.
    signals = Signals.density(lambda x, y: 1 - 0.4 * (2 * x - 1) * (2 * y - 1), cells=cells)
    game = BayesianGame(bet_or_check(2.0), signals)
    answer = qualitative(game, models(game.round, BET_OR_CHECK))
    assert answer.status is Status.CONVERGED
    assert epsilon(game, answer) <= 1e-10


def test_dependence_can_make_a_model_wrong() -> None:
    # If good signals come together, who calls best is who holds a worse signal: no threshold.
    signals = Signals.density(lambda x, y: 1 + 0.4 * (2 * x - 1) * (2 * y - 1), cells=4)
    game = BayesianGame(bet_or_check(2.0), signals)
    answer = qualitative(game, models(game.round, BET_OR_CHECK))
    assert answer.status is Status.EXHAUSTED
    assert epsilon(game, answer) > 1e-3


def test_the_independent_program_is_a_special_case_of_the_dependent_one() -> None:
    cdfs = Cdf.points([[0, 0], [0.3, 0.6], [1, 1]]), Cdf.points([[0, 0], [0.6, 0.2], [1, 1]])
    alone = Signals.continuous(*cdfs)
    joint = Signals.dependent(np.outer(*alone.mass), alone.edges)
    found = []
    for signals in (alone, joint):
        game = BayesianGame(bet_or_check(2.0), signals)
        answer = qualitative(game, models(game.round, BET_OR_CHECK))
        assert epsilon(game, answer) <= 1e-12
        found.append(answer.thresholds)
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_a_smooth_density_is_polished_in_finer_cells() -> None:
    def h(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return 1 - 0.1 * (2 * x - 1) * (2 * y - 1)

    coarse, fine = (BayesianGame(bet_or_check(2.0), Signals.density(h, cells=n)) for n in (4, 64))
    models_ = models(coarse.round, BET_OR_CHECK)
    rough = qualitative(coarse, models_)
    answer = qualitative(coarse, models_, polish_in=fine)
    before = certify_bayesian(fine, rough.regions.profile(fine)).epsilon
    after = certify_bayesian(fine, answer.regions.profile(fine)).epsilon
    assert after < 0.01 * before
    assert after < 1e-6


def test_utilities_as_code_entry_with_private_costs() -> None:
    # Enter if the cost is at most c: alone the market is worth 1, shared 0.3, so c = 1 / (2 - 0.3).
    def utility(actions: tuple[str, ...], cost: tuple[float, ...]) -> list[float]:
        entered = [a == "enter" for a in actions]
        market = 0.3 if all(entered) else 1.0
        return [market - cost[i] if entered[i] else 0.0 for i in range(2)]

    game = UtilityGame.from_function(
        [("enter", "stay out")] * 2, utility, Signals.uniform(), cells=32
    )
    answer = qualitative(
        game, parse_models("P1: enter |a| stay out\nP2: enter |b| stay out", game.plans)
    )
    assert answer.status is Status.CONVERGED
    proof = certify_bayesian(game, answer.regions.profile(game))
    assert proof.epsilon <= 1e-9
    assert proof.error == pytest.approx(2 * game.error)
    assert np.mean(list(answer.thresholds.values())) == pytest.approx(1 / 1.7, abs=1 / 32)


def test_a_wrong_model_gets_the_nearest_profile_and_its_gap() -> None:
    game = BayesianGame(bet_or_check(3.0), Signals.uniform())
    answer = qualitative(game, models(game.round, "P1: check |a| bet\nP2: fold |c| call"))
    assert answer.status is Status.EXHAUSTED
    assert epsilon(game, answer) > 0.01


def test_a_time_limit_returns_the_best_profile_so_far() -> None:
    signals = Signals.density(lambda x, y: 1 - 0.5 * (2 * x - 1) * (2 * y - 1), cells=10)
    game = BayesianGame(kuhn_round(), signals)
    answer = qualitative(game, models(game.round, KUHN), time_limit=1.0)
    assert answer.status in (Status.EXHAUSTED, Status.TIME_LIMIT)
    assert np.isfinite(epsilon(game, answer))


def test_no_model_is_refused() -> None:
    game = BayesianGame(river(), Signals.uniform())
    with pytest.raises(EquipoiseError, match="found none, expected at least one"):
        qualitative(game, [])


def test_polishing_moves_to_indifference_and_leaves_the_rest() -> None:
    game = BayesianGame(bet_or_check(1.0), Signals.uniform())
    answer = qualitative(game, models(game.round, BET_OR_CHECK))
    pushed = answer.regions.at(answer.regions.flat() + np.array([0.01, -0.02, 0.015]))
    assert np.abs(indifference(game, pushed)).max() > 1e-3
    polished = polish(game, pushed)
    assert np.abs(indifference(game, polished)).max() <= 1e-14
    np.testing.assert_allclose(polished.flat(), answer.regions.flat(), atol=1e-12)


@pytest.mark.parametrize("seed", [1046, 1637, 2512, 2895, *range(10)])
def test_polishing_never_ends_in_an_empty_region(seed: int) -> None:
    """From anywhere, where signals are in few places; of these seeds the first four once ended so, and in NaN."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 14))
    joint = rng.dirichlet(np.full(count**2, 0.1)).reshape(count, count)
    joint *= (rng.random((count, 1)) < 0.6) * (rng.random((1, count)) < 0.6)
    if not joint.any():
        joint[:] = 1.0
    ends = [np.concatenate([[0.0], np.cumsum(joint.sum(axis=axis))]) for axis in (1, 0)]
    lines = (Cdf(np.arange(count + 1.0), end / end[-1]) for end in ends)
    game = BayesianGame(river(float(rng.choice([1, 1.5, 2, 3, 5]))), Signals.continuous(*lines))
    model = models(game.round, *RIVER)[int(rng.integers(3))]
    cuts = tuple(tuple(np.sort(rng.random(len(own))) * count) for own in model.thresholds)
    before = Regions(model.regions, cuts)
    after = polish(game, before)
    assert after.widths(0, count).min() > 1e-9 * count
    worst = [np.abs(indifference(game, regions)).max() for regions in (before, after)]
    assert worst[1] <= worst[0]
    none = Regions(model.regions, tuple((1.0,) * len(own) for own in model.thresholds))
    assert polish(game, none) is none
