"""Nash equilibria of trees: tracing, tangents, units, degenerate shapes, time limits."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from general_trees import random_tree

from equipoise import certify
from equipoise.errors import EquipoiseError
from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.classic import kuhn
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame, from_matrices
from equipoise.numerics import clock
from equipoise.numerics.clock import Deadline, TimeUpError
from equipoise.numerics.encodings import Model
from equipoise.numerics.program import Program, optimize
from equipoise.solvers.driver import Status
from equipoise.solvers.general import mip, tracing
from equipoise.solvers.general.nash import nash
from equipoise.solvers.general.plans import Plans


def table(players: int, actions: int, seed: int = 0) -> NormalGame:
    shape = (players, *(actions,) * players)
    return from_matrices("table", *np.random.default_rng(seed).integers(0, 100, shape))


# Tracing


@pytest.mark.parametrize("spread", [1, 100], ids=["degenerate", "generic"])
@pytest.mark.parametrize(("depth", "count"), [(2, 60), (4, 60), (6, 30), (8, 3)])
def test_paths_end_in_equilibria_of_trees(depth: int, count: int, spread: int) -> None:
    rng = np.random.default_rng(depth)
    for _ in range(count):
        game = random_tree(rng, 2, depth, spread)
        answer = nash(game)
        assert (answer.status, answer.method, answer.programs) == (Status.CONVERGED, "tracing", 0)
        proof = certify(game, answer.strategy)
        assert max(proof.gains) <= 1e-9 * 2 * spread
        np.testing.assert_allclose(answer.values, proof.values, atol=1e-9 * spread)


def test_a_path_from_a_prior_is_a_best_reply_to_it_at_the_start() -> None:
    """At z = 1 the dictionary has no negative entry: the replies are best."""
    rng = np.random.default_rng(3)
    plans = Plans(random_tree(rng, 2, 6))
    prior = plans.choose(lambda actions: rng.dirichlet(np.ones(actions)))
    s, t = (plans.weights(i, prior[i]) for i in (0, 1))
    A, B = (tracing._payoffs(plans, 0, 1, i) for i in (0, 1))
    own, other = (
        tracing._Replies.to(plans, 0, A @ t),
        tracing._Replies.to(plans, 1, B.T @ s),
    )
    start = tracing._dictionary(own, other, A, B, s, t)
    assert start.T[:, -1].min() >= -1e-12
    # A dictionary computed at once is what exchanges one by one lead to.
    moved = tracing._Dictionary(start.T.copy(), start.basic.copy(), start.others.copy())
    for row in (0, 3, 5):
        column = int(np.abs(moved.T[row, :-1]).argmax())
        moved.exchange(row, column)
    again = start.at(moved.basic.tolist())
    order = [again.basic.tolist().index(v) for v in moved.basic]
    columns = [again.others.tolist().index(v) for v in moved.others]
    np.testing.assert_allclose(again.T[order][:, [*columns, -1]], moved.T, atol=1e-9)


def test_two_roads_to_the_value_of_kuhn_poker() -> None:
    by_path, by_program = nash(kuhn()), nash(kuhn(), weights=(0.0, 0.0))
    assert (by_path.method, by_program.method) == ("tracing", "mip")
    assert by_path.values[0] == pytest.approx(-1 / 18, abs=1e-12)  # Kuhn 1950
    assert by_program.values[0] == pytest.approx(-1 / 18, abs=1e-9)


def test_weights_choose_among_the_equilibria_of_a_tree() -> None:
    rng = np.random.default_rng(5)
    for _ in range(5):
        game = random_tree(rng, 2, 4, 5)
        best = nash(game, weights=(1.0, 1.0))
        assert best.status is Status.CONVERGED
        assert sum(best.values) >= max(sum(nash(game, seed=s).values) for s in range(4)) - 1e-7


def test_weights_count_by_their_ratios() -> None:
    """Whatever their size: 1e308 times a unit is no number, and a program with it has no end."""
    game = random_tree(np.random.default_rng(5), 2, 4, 5)
    for weights in [(1.0, 0.0), (0.5, 1.0)]:
        plain = nash(game, weights=weights)
        large = nash(game, weights=[2.0**1023 * weight for weight in weights])
        assert plain.status is large.status is Status.CONVERGED
        for a, b in zip(plain.strategy.behaviour, large.strategy.behaviour, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("place", ["c", "A"])
def test_programs_that_are_no_numbers_are_refused(place: str) -> None:
    program = Program(c=[1.0], A=[[1.0]], row_lower=1.0, row_upper=2.0)
    with pytest.raises(EquipoiseError, match="not finite"):
        optimize(replace(program, **{place: [[np.nan]] if place == "A" else [np.inf]}))


# Units


@pytest.mark.parametrize("players", [2, 3])
def test_units_change_nothing_but_units(players: int) -> None:
    """Payoffs times a power of two, or plus a constant: the same profile, bit for bit."""

    def solved(shift: int, scale: Fraction) -> tuple[ExtensiveGame, object]:
        rng = np.random.default_rng(11)
        game = random_tree(rng, players, 3, 9, shift=shift, scale=scale)
        return game, nash(game, time_limit=1000.0)

    _, plain = solved(0, Fraction(1))
    for shift, scale in [(0, Fraction(2) ** 40), (0, Fraction(2) ** -40), (10**9, Fraction(1))]:
        game, answer = solved(shift, scale)
        assert answer.status is Status.CONVERGED
        for a, b in zip(answer.strategy.behaviour, plain.strategy.behaviour, strict=True):
            np.testing.assert_array_equal(a, b)
        expected = [float(scale) * value + shift for value in plain.values]
        np.testing.assert_allclose(answer.values, expected, rtol=1e-12)
        np.testing.assert_allclose(answer.targets, float(scale) * np.array(plain.targets))
        np.testing.assert_allclose(certify(game, answer.strategy).values, expected, rtol=1e-12)


@pytest.mark.parametrize("scale", [10**7, 10**19, Fraction(1, 10**12)])
def test_payoffs_of_any_size(scale: Fraction | int) -> None:
    game = random_tree(np.random.default_rng(1), 2, 5, 100, scale=scale)
    answer = nash(game)
    assert answer.status is Status.CONVERGED
    gains = certify(game, answer.strategy).gains
    assert all(gain <= most for gain, most in zip(gains, answer.targets, strict=True))
    assert answer.targets == pytest.approx([200 * 1e-9 * scale] * 2, rel=0.5)


def test_nothing_is_at_stake_in_payoffs_that_no_float_tells_apart() -> None:
    tiny = Fraction(1, 10**400)
    answer = nash(from_matrices("specks", [[tiny, -tiny], [-tiny, tiny]]))
    assert answer.status is Status.CONVERGED
    assert answer.values == answer.gains == (0.0, 0.0)


def test_players_may_be_paid_in_different_currencies() -> None:
    """Battle of the sexes, player 2 paid in millionths: the targets are each player's own."""
    A, B = np.array([[2, 0], [0, 1]]), np.array([[1, 0], [0, 2]])
    game = from_matrices("sexes", A, [[Fraction(int(b), 10**6) for b in row] for row in B])
    answer = nash(game)
    assert answer.targets == pytest.approx([2e-9, 2e-15])
    assert answer.status is Status.CONVERGED


# Shapes


def idle(players: int, moving: int | None = None) -> ExtensiveGame:
    """Nature chooses; then one player may choose, or nobody."""
    tree = TreeBuilder("idle", [f"P{i}" for i in range(players)])
    for place in tree.chance(tree.root, [("a", Fraction(1, 3)), ("b", Fraction(2, 3))]):
        places = [place] if moving is None else tree.decide(place, moving, "set", ("l", "r"))
        for amount, end in enumerate(places):
            tree.end(end, [amount + player for player in range(players)])
    return tree.build()


@pytest.mark.parametrize("weights", [False, True], ids=["any", "best"])
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_players_who_never_move(players: int, weights: bool) -> None:
    wanted = (1.0,) * players if weights and players <= 2 else None
    ends = TreeBuilder("ends at once", [f"P{i}" for i in range(players)])
    ends.end(ends.root, list(range(players)))
    for game, extra in [
        (ends.build(), 0),
        (idle(players), 0),
        *((idle(players, moving), 1) for moving in range(players)),
    ]:
        answer = nash(game, weights=wanted)
        assert answer.status is Status.CONVERGED
        assert answer.values == pytest.approx([extra + i for i in range(players)], abs=1e-9)
        assert max(certify(game, answer.strategy).gains) <= 1e-9


def test_three_players_of_whom_two_move_are_traced() -> None:
    A, B = [[2, 0], [0, 1]], [[1, 0], [0, 2]]
    tree = TreeBuilder("audience", ["one", "idle", "two"])
    for i, place in enumerate(tree.decide(tree.root, 0, "I", ("a", "b"))):
        for j, end in enumerate(tree.decide(place, 2, "II", ("a", "b"))):
            tree.end(end, [A[i][j], 7, B[i][j]])
    answer = nash(tree.build())
    assert (answer.status, answer.method) == (Status.CONVERGED, "tracing")
    assert answer.values[1] == 7.0


# Tangents


def test_tangents_touch_the_payments_and_are_of_first_order() -> None:
    rng = np.random.default_rng(2)
    plans = Plans(random_tree(rng, 3, 5))
    at, towards = (plans.choose(lambda n: rng.dirichlet(np.ones(n))) for _ in range(2))
    start, end = ([plans.weights(i, b[i]) for i in plans.players] for b in (at, towards))
    form = mip._Form(plans, Model(), tangents_at=at)
    errors = []
    for step in (0.0, 1e-2, 1e-3):
        moved = [(1 - step) * a + step * b for a, b in zip(start, end, strict=True)]
        columns = np.concatenate([weights[1:] for weights in moved])
        tangent = [p.at(columns) for p in form._tangents(at)(1)]
        errors.append(np.abs(plans.rewards(1, moved) - tangent).max())
    assert errors[0] <= 1e-14
    assert 0 < errors[2] <= 0.02 * errors[1]


def test_products_are_the_payments() -> None:
    rng = np.random.default_rng(4)
    plans = Plans(random_tree(rng, 3, 4))
    at = plans.choose(lambda n: rng.dirichlet(np.ones(n)))
    weights = [plans.weights(i, at[i]) for i in plans.players]
    columns = np.concatenate([w[1:] for w in weights])
    form = mip._Form(plans, Model(2))
    for player in plans.players:
        found = [p.at(columns) for p in form._products(player)]
        np.testing.assert_allclose(found, plans.rewards(player, weights), atol=1e-14)


# Time


class Ticking:
    """A clock that goes on by a millisecond whenever somebody looks at it."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 0.001
        return self.now

    perf_counter = process_time = monotonic


def test_building_a_program_looks_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """5 x 4^5 payments make thousands of terms: with 0.5 s on this clock none of it is finished."""
    monkeypatch.setattr(clock, "time", Ticking())
    answer = nash(table(5, 4), time_limit=0.5, breakpoints=5)
    assert (answer.status, answer.programs) == (Status.TIME_LIMIT, 0)
    assert answer.seconds < 0.52
    with pytest.raises(TimeUpError):
        mip._Form(Plans(table(3, 3).tree), Model(deadline=Deadline(0.005)))


def test_paths_look_at_the_clock() -> None:
    game = random_tree(np.random.default_rng(0), 2, 8)
    answer = nash(game, time_limit=1e-9)
    assert answer.status is Status.TIME_LIMIT
    gains = certify(game, answer.strategy).gains
    assert answer.gains == pytest.approx(gains, abs=1e-9)


def test_a_program_without_time_is_not_solved() -> None:
    rng = np.random.default_rng(0)
    program = Program(c=-rng.random(60), A=rng.random((40, 60)), row_upper=1.0, integer=True)
    for limit in (0.0, -1.0):
        assert optimize(program, time_limit=limit).status == "limit"


def test_a_player_who_forgets_is_refused() -> None:
    tree = TreeBuilder("forgetful", ["one"])
    for place in tree.decide(tree.root, 0, "first", ("l", "r")):
        for amount, end in enumerate(tree.decide(place, 0, "second", ("l", "r"))):
            tree.end(end, [amount])
    with pytest.raises(EquipoiseError, match="expected perfect recall"):
        nash(tree.build())


def test_bad_input_is_told_in_a_sentence() -> None:
    with pytest.raises(EquipoiseError, match="time limit is 0, expected a positive"):
        nash(kuhn(), time_limit=0)
    with pytest.raises(EquipoiseError, match="target is nan, expected a number >= 0"):
        nash(kuhn(), target=float("nan"))
    with pytest.raises(EquipoiseError, match="expected finite numbers"):
        nash(kuhn(), weights=(1.0, float("inf")))
