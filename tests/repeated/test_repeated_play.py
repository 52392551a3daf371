"""Plays: what the strategies guarantee holds against those who know them."""

from __future__ import annotations

import numpy as np
import pytest
from random_games import random_game

from equipoise.errors import EquipoiseError
from equipoise.games.repeated.game import EXAMPLES, RepeatedGame
from equipoise.play.repeated import (
    BestResponse,
    Greedy,
    InformedSide,
    RandomInformed,
    RandomUninformed,
    Spiteful,
    UninformedSide,
    expected_averages,
    pairings,
    play,
)
from equipoise.solvers.repeated.cav import RepeatedSolution, solve_repeated

SEEDS = range(20)


@pytest.fixture(scope="module")
def three_states() -> RepeatedSolution:
    game = RepeatedGame(np.random.default_rng(3).random((3, 4, 4)), [0.2, 0.3, 0.5])
    return solve_repeated(game, 1e-8)


@pytest.mark.parametrize("name", ["unrevealing", "revealing", "partial", "irrational"])
def test_the_informed_guarantee_against_a_best_response(name: str) -> None:
    """In every stage and in expectation; the sampled averages agree to three standard errors."""
    solution = solve_repeated(EXAMPLES[name], 1e-9)
    informed = solution.informed
    runs = np.array(
        [
            expected_averages(informed.game, informed, BestResponse(informed), 200, seed)
            for seed in range(40)
        ]
    )[:, -1]
    error = runs.std(ddof=1) / np.sqrt(len(runs))
    assert runs.mean() >= solution.lower - 3 * error - 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_the_guarantee_is_the_exact_worst_case(seed: int) -> None:
    """Once the signal is known, no column pays less than the guarantee says, and some pays that."""
    solution = solve_repeated(random_game(seed, 3, 4), 1e-6)
    informed, game = solution.informed, solution.game
    rng = np.random.default_rng(seed)
    joint = informed.lottery.T * game.prior
    worst = 0.0
    for odds, action in zip(joint, informed.actions, strict=True):
        pay = np.tensordot(odds, np.tensordot(action, game.matrices, (0, 1)), 1)
        worst += pay.min()
        assert rng.dirichlet(np.ones(len(pay))) @ pay >= pay.min() - 1e-15
    assert informed.guarantee == pytest.approx(worst, abs=1e-14)


def test_the_best_response_learns_the_signal() -> None:
    """In Zamir's game the row tells the signal, and all columns but one pay more than 1."""
    solution = solve_repeated(EXAMPLES["partial"], 1e-9)
    opponent = BestResponse(solution.informed).start()
    opponent.observe(0, 0)
    # After U the belief is 3/4 on A; L pays 3 there, M and R pay 1 (section 11.3.3).
    assert opponent.mixed()[0] == 0


def opponents(solution: RepeatedSolution) -> dict[str, InformedSide]:
    return {
        "greedy": Greedy(solution.uninformed),
        "spiteful": Spiteful(solution.uninformed),
        "optimal": solution.informed,
        "random": RandomInformed(solution.game),
    }


def distances(solution: RepeatedSolution, informed: InformedSide, stages: int) -> np.ndarray:
    """Distance of the average payments to the target set, by seed and stage; states in turn."""
    game, runs = solution.game, []
    for seed in SEEDS:
        state = seed % len(game.states)
        one = play(game, informed, solution.uninformed, state, stages, np.random.default_rng(seed))
        above = np.maximum(one.payments - solution.hyperplane, 0)
        runs.append(np.linalg.norm(above, axis=1))
    return np.array(runs)


@pytest.mark.parametrize("name", ["greedy", "spiteful", "optimal", "random"])
def test_regret_falls_like_one_over_root_n(name: str, three_states: RepeatedSolution) -> None:
    """Blackwell: distance <= reach / sqrt(n) in expectation, whoever plays (docs/repeated.md)."""
    stages = 1000
    found = distances(three_states, opponents(three_states)[name], stages)
    n = np.arange(1, stages + 1)
    reach = three_states.uninformed.reach
    assert (found.mean(axis=0) * np.sqrt(n)).max() <= reach
    assert (found[:, 99:] * np.sqrt(n[99:])).max() <= reach
    if name in ("greedy", "spiteful", "optimal"):
        # Those who press against the target: the rate is one half, neither more nor less.
        at = np.unique(np.geomspace(10, stages, 30).astype(int))
        rate = np.polyfit(np.log(at), np.log(found.mean(axis=0)[at - 1]), 1)[0]
        assert -0.7 < rate < -0.3


def test_what_is_paid_converges_to_the_value() -> None:
    solution = solve_repeated(EXAMPLES["unrevealing"], 1e-9)
    paths = pairings(solution.informed, solution.uninformed, 600, range(6))
    assert set(paths) == {
        "optimal against optimal",
        "optimal against best response",
        "optimal against random",
        "greedy against optimal",
        "random against optimal",
    }
    assert paths["optimal against optimal"][-1] == pytest.approx(0.25, abs=0.03)
    bound = solution.upper + solution.uninformed.reach / np.sqrt(600)
    assert paths["greedy against optimal"][-1] <= bound
    assert paths["random against optimal"][-1] <= bound


def test_plays_are_repeatable_and_typed() -> None:
    solution = solve_repeated(EXAMPLES["irrational"], 1e-6)
    sides: list[UninformedSide] = [solution.uninformed, RandomUninformed(solution.game)]
    for side in sides:
        one, two = (
            play(solution.game, solution.informed, side, 1, 50, np.random.default_rng(7))
            for _ in range(2)
        )
        assert np.array_equal(one.rows, two.rows)
        assert np.array_equal(one.columns, two.columns)
    stage = solution.game.matrices[1, one.rows, one.columns]
    assert one.averages[-1] == pytest.approx(stage.mean())


def test_the_target_is_kept_when_nothing_is_owed() -> None:
    """Before the first stage the strategy plays the average game at the prior."""
    game = EXAMPLES["unrevealing"]
    player = solve_repeated(game, 1e-9).uninformed.start()
    assert player.mixed() == pytest.approx([0.5, 0.5])
    assert not player.excess.any()
    player.observe(0, 0)
    assert player.average == pytest.approx([1, 0])
    assert player.excess == pytest.approx([0.75, 0])
    # State A owes: the game A alone, where R (column 1) pays nothing.
    assert player.mixed() == pytest.approx([0, 1])


def test_states_of_prior_zero_are_not_played() -> None:
    game = RepeatedGame(EXAMPLES["partial"].matrices, [1, 0])
    solution = solve_repeated(game, 1e-9)
    path = expected_averages(game, solution.informed, solution.uninformed, 300, 0)
    assert path[-1] == pytest.approx(solution.value, abs=1e-6)


def test_no_stages_are_refused() -> None:
    solution = solve_repeated(EXAMPLES["partial"])
    with pytest.raises(EquipoiseError, match="found 0 stages"):
        play(solution.game, solution.informed, solution.uninformed, 0, 0, np.random.default_rng(0))
