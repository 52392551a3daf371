"""The four algorithms: a game that fools the first one, and tournaments on which all agree."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cards.showdown import three_way
from equipoise.certificates.tournament import certify_tournament, ex_post
from equipoise.errors import EquipoiseError
from equipoise.games.tournaments import jamfold
from equipoise.games.tournaments.jamfold import tournament_game
from equipoise.games.tournaments.stochastic import hot_potato
from equipoise.games.tournaments.tournament import FOLD, JAM, Hands, Tournament
from equipoise.solvers.driver import Iterations, Status, Stop
from equipoise.solvers.stochastic.fictitious import fictitious_play
from equipoise.solvers.stochastic.jamfold import regret_matching
from equipoise.solvers.stochastic.stochastic import (
    ALGORITHMS,
    VI_FP,
    StochasticRun,
    solve_stochastic,
)
from equipoise.solvers.stochastic.tournament import TournamentSolution, solve_tournament
from equipoise.strategy.tournament import TournamentStrategy

RULES = Tournament(3, 2100, (300, 600), (50, 30, 20))


@pytest.mark.parametrize("players", [2, 3])
def test_the_first_algorithm_converges_to_no_equilibrium_and_is_caught(players: int) -> None:
    game = hot_potato(players)
    optimistic = np.full(game.nodes, 3.0)
    found = solve_stochastic(game, optimistic, fictitious_play, VI_FP, Stop(gap=1e-3))
    # It stands still, at values that nobody is ever paid.
    assert found.status is Status.EXHAUSTED
    assert found.claimed == pytest.approx(optimistic)
    check = ex_post(game, found.profile)
    assert check.values == pytest.approx(np.zeros(game.nodes))
    assert check.gain == pytest.approx(2)
    assert found.gain == pytest.approx(2)


@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name != VI_FP])
@pytest.mark.parametrize("players", [2, 3])
def test_the_others_pass_the_check(algorithm: str, players: int) -> None:
    game = hot_potato(players)
    optimistic = np.full(game.nodes, 3.0)
    found = solve_stochastic(game, optimistic, fictitious_play, algorithm, Stop(gap=1e-3))
    assert found.status is Status.CONVERGED
    check = ex_post(game, found.profile)
    assert check.gain <= 1e-3
    turns = check.values.reshape(players, players)
    assert turns == pytest.approx(np.ones((players, players)) + np.eye(players), abs=1e-2)


@pytest.fixture(scope="module")
def solved() -> TournamentSolution:
    return solve_tournament(RULES, stop=Stop(gap=2e-3))


def test_a_small_tournament_is_solved_and_certified(solved: TournamentSolution) -> None:
    assert solved.status is Status.CONVERGED
    proof = certify_tournament(solved.strategy)
    assert proof.gain <= 2.5e-3
    assert proof.share == pytest.approx(proof.gain / 100)
    assert proof.error <= 1e-3
    for m, part in proof.parts.items():
        assert part.values == pytest.approx(solved.values[m], abs=1e-9)
        # Everything is paid out in the end.
        assert part.values.reshape(-1, m).sum(axis=1) == pytest.approx(
            sum(RULES.prizes[:m]), abs=1e-3
        )
        assert (part.best >= part.values - 1e-9).all()


@pytest.mark.parametrize("algorithm", ["vi-fp", "fp-pi", "fp-vi"])
def test_all_algorithms_agree(solved: TournamentSolution, algorithm: str) -> None:
    other = solve_tournament(RULES, algorithm, Stop(gap=0.1))
    assert other.status is Status.CONVERGED
    assert certify_tournament(other.strategy).gain <= 0.1 + 1e-6
    # A game of three may have several equilibria; these are close to one another.
    assert other.values[3] == pytest.approx(solved.values[3], abs=0.5)


def test_the_error_of_the_table_is_that_of_its_uses_summed_along_the_chain() -> None:
    """Players who do not look at their cards go in independently, so that who is in is a product of chances."""
    random, plays = np.random.default_rng(0), {}
    for m in (2, 3):
        legal = Hands(RULES, m).legal
        own = random.random(legal[:, JAM::2].shape) * legal[:, JAM::2]
        own[~legal[:, FOLD::2]] = 1.0
        plays[m] = np.repeat(own[:, :, None], 169, axis=2)
    found = certify_tournament(TournamentStrategy(RULES, plays))
    d, s, s_after_d, b_after_d, b_after_s, _ = plays[3][:, :, 0].T
    both_first = d * s_after_d
    last_two = (1 - d) * s * b_after_s
    several = both_first + d * (1 - s_after_d) * b_after_d + last_two
    uses = several + both_first + s * b_after_s - last_two
    game = tournament_game(Hands(RULES, 3)).after(found.parts[2].values)
    profile = game.profile(plays[3])
    Q, _ = game.induced(profile).chain(profile)
    spread = np.ptp(game.payoffs(found.parts[3].values), axis=1)
    each = three_way().distance * uses[:, None] * spread
    error = np.linalg.solve(np.eye(game.nodes) - Q.toarray(), each.ravel()).max()
    # Counts of deals are kept in single precision.
    assert found.error == pytest.approx(error, rel=1e-6)
    assert found.gap > 0
    assert found.meets(found.gap / 2, allowance=found.gap)
    assert not found.meets(found.gap / 2, allowance=found.gap / 4)


def test_more_chips_are_worth_more_and_positions_matter(solved: TournamentSolution) -> None:
    table = Hands(RULES, 3)
    values = solved.values[3].reshape(-1, 3)
    for s, stacks in enumerate(table.states):
        for other in (table.number.get((stacks[0] + 1, stacks[1] - 1, stacks[2])),):
            if other is not None:
                assert values[other, 0] > values[s, 0]
    assert np.abs(values - table.icm().reshape(-1, 3)).max() > 0.5


def test_one_state_that_every_player_sees_alike() -> None:
    # Heads-up with equal stacks: both positions together are worth the two prizes.
    rules = Tournament(2, 6000, (300, 600), (1.0,))
    found = solve_tournament(rules, stop=Stop(gap=1e-5))
    values = found.values[2].reshape(-1, 2)
    assert values.sum(axis=1) == pytest.approx(1, abs=1e-9)
    # Miltersen and Sorensen 2007: a stack's chance of winning is nearly its share of the chips.
    assert np.abs(values - Hands(rules, 2).icm().reshape(-1, 2)).max() < 0.06
    assert certify_tournament(found.strategy).gain <= 1e-5


def test_interrupted_solves_go_on_where_they_were(solved: TournamentSolution) -> None:
    saved: list[dict[str, np.ndarray]] = []
    short = solve_tournament(RULES, stop=Stop(gap=2e-3) | Iterations(1), checkpoint=saved.append)
    assert short.status is Status.ITERATION_LIMIT
    resumed = solve_tournament(RULES, stop=Stop(gap=2e-3), resume=saved[-1])
    assert resumed.iterations == solved.iterations
    assert [row.gap for row in resumed.log] == [row.gap for row in solved.log]
    assert (resumed.strategy.plays[3] == solved.strategy.plays[3]).all()


def test_the_best_profile_is_returned() -> None:
    # The gain rises from the second to the third iteration.
    found = solve_tournament(RULES, "fp-pi", Stop(gap=1e-3) | Iterations(3))
    assert found.gain == min(row.gap for row in found.log)
    assert certify_tournament(found.strategy).parts[3].gain == pytest.approx(found.gain, abs=1e-3)


def test_unknown_algorithms() -> None:
    with pytest.raises(EquipoiseError, match="found foo with regret"):
        solve_tournament(RULES, "foo")


def test_checkpoints_of_the_version_before_are_continued(solved: TournamentSolution) -> None:
    saved: list[dict[str, np.ndarray]] = []
    stop = Stop(gap=2e-3)
    solve_tournament(RULES, stop=stop | Iterations(1), checkpoint=saved.append)
    now, before = saved[-1], {}
    for m in (2, 3):
        # A finished part was kept as the best profile and its claimed values, others as they stood.
        done = m == 2
        before[f"profile.{m}"] = now[f"{m}.best.profile" if done else f"{m}.run.profile"]
        before[f"values.{m}"] = now[f"{m}.best.claimed" if done else f"{m}.run.values"]
        before[f"iterations.{m}"] = now[f"{m}.run_counters"][:1]
        before[f"log.{m}"] = now[f"{m}.log"]
    resumed = solve_tournament(RULES, stop=stop, resume=before)
    assert [row.gap for row in resumed.log] == [row.gap for row in solved.log]
    assert (resumed.strategy.plays[3] == solved.strategy.plays[3]).all()


class Countdown:
    """Says stop from the n-th question on."""

    def __init__(self, questions: float = np.inf) -> None:
        self.left, self.asked = questions, 0

    def __call__(self) -> bool:
        self.asked += 1
        self.left -= 1
        return self.left < 0


def _run(players: int, should_stop: Countdown) -> StochasticRun:
    hands = Hands(Tournament(players, 2100, (300, 600), (50, 30, 20)[:players]), players)
    fewer = Hands(RULES, 2).icm() if players == 3 else None
    game = tournament_game(hands, fewer)
    return StochasticRun(game, hands.icm(), regret_matching, should_stop=should_stop)


@pytest.mark.parametrize(("players", "step"), [(2, 1), (3, 36)])
def test_a_run_may_be_stopped_at_any_question_and_goes_on_the_same(players: int, step: int) -> None:
    """Whenever it is told to stop, it stops there, and a run restored from it ends where one does."""
    free = Countdown()
    whole = _run(players, free)
    gains = [whole.measure()]
    whole.advance(1)
    gains.append(whole.measure())
    # States are contracted in batches of twelve, and best responses found in sweeps: it asks there.
    assert free.asked > 10
    for questions in range(step // 2, free.asked, step):
        patience = Countdown(questions)
        run = _run(players, patience)
        measured = [run.measure()]
        if measured[0] is not None:
            run.advance(1)
            measured += [run.measure()] if run.iterations else []
        # Not one question more than it takes to unwind.
        assert patience.asked <= questions + 4
        assert None in measured or run.iterations == 0
        again = _run(players, Countdown())
        again.restore(run.state())
        again.iterations = run.iterations
        if again.next_check() == 0:
            assert again.measure() == gains[0]
        again.advance(1 - again.iterations)
        assert again.measure() == gains[1]
        assert (again.profile == whole.profile).all()


def test_a_profile_without_time_to_measure_it_has_an_infinite_gain() -> None:
    found = solve_tournament(RULES, stop=Stop(seconds=0))
    assert found.status is Status.TIME_LIMIT
    assert (found.gain, found.log) == (np.inf, ())
    assert (found.values[3] == Hands(RULES, 3).icm()).all()
    assert certify_tournament(found.strategy).gain > 1


def test_what_was_measured_for_other_prizes_is_forgotten() -> None:
    saved: list[dict[str, np.ndarray]] = []
    solve_tournament(RULES, stop=Stop(gap=0.1), checkpoint=saved.append, checkpoint_seconds=0)
    # Had the prizes stayed as they were, this would be believed.
    saved[0]["3.best_row"][0, 3] = 0.0
    assert solve_tournament(RULES, stop=Stop(gap=0.1), resume=saved[0]).gain == 0
    # A tenth of this gain has to be reached with two players left: more than was.
    closer = solve_tournament(RULES, stop=Stop(gap=1e-4) | Iterations(1), resume=saved[0])
    assert closer.gain == closer.log[-1].gap > 0


@pytest.mark.parametrize("size", [1, 3])
def test_states_of_two_players_are_looked_at_a_few_at_once(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a thousand and more of them their matrices would not fit: batches are all there is, in order."""
    game = tournament_game(Hands(RULES, 2))
    plays = np.random.default_rng(1).random((game.states, 2, 169))
    (whole,) = (part for _, part, _ in game.batches(plays))
    monkeypatch.setattr(jamfold, "_PAIRS", size)
    batches = list(game.batches(plays))
    assert len(batches) == -(-game.states // size) > 1
    assert np.concatenate([np.arange(game.states)[own] for own, _, _ in batches]).tolist() == list(
        range(game.states)
    )
    assert np.allclose(np.concatenate([part for _, part, _ in batches]), whole, rtol=1e-12)
