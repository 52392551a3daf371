"""Extreme equilibria and Lemke-Howson: against each other, Gambit, the LP and exact gains."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.gambit_readings import Reading, recorded

from equipoise.certificates.gap import certify
from equipoise.errors import EquipoiseError
from equipoise.games.files.gambit import parse_nfg
from equipoise.games.trees.normal import NormalGame, from_matrices
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap
from equipoise.solvers.general.extreme import extreme_equilibria
from equipoise.solvers.general.matrix import (
    Equilibrium,
    lemke_howson,
    lemke_howson_all,
)
from equipoise.solvers.saddle.lp import LP

F = Fraction


def gains(point: Equilibrium) -> list[Fraction]:
    """What each player could gain by another pure strategy, exactly."""
    x, y = np.array(point.x), np.array(point.y)
    A, B = (point.game.payoff[..., player] for player in range(2))
    first, second = point.payoffs
    return [max(A @ y) - first, max(x @ B) - second]


def pairs(points) -> set:
    return {(point.x, point.y) for point in points}


@st.composite
def games(draw, spread: int) -> NormalGame:
    shape = draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    size = shape[0] * shape[1]
    numbers = st.lists(st.integers(-spread, spread), min_size=size, max_size=size)
    return from_matrices("random", *(np.reshape(draw(numbers), shape) for _ in range(2)))


@pytest.mark.parametrize(
    ("A", "B", "expected"),
    [
        # Prisoners' dilemma: defection alone.
        ([[3, 0], [5, 1]], [[3, 5], [0, 1]], {((0, 1), (0, 1))}),
        # Battle of the sexes: two pure, one mixed.
        (
            [[2, 0], [0, 1]],
            [[1, 0], [0, 2]],
            {((1, 0), (1, 0)), ((0, 1), (0, 1)), ((F(2, 3), F(1, 3)), (F(1, 3), F(2, 3)))},
        ),
        # Matching pennies.
        ([[1, -1], [-1, 1]], [[-1, 1], [1, -1]], {((F(1, 2),) * 2, (F(1, 2),) * 2)}),
        # The 3 x 2 example of von Stengel 2002 and its three equilibria.
        (
            [[0, 6], [2, 5], [3, 3]],
            [[1, 0], [0, 2], [4, 3]],
            {
                ((0, 0, 1), (1, 0)),
                ((0, F(1, 3), F(2, 3)), (F(2, 3), F(1, 3))),
                ((F(2, 3), F(1, 3), 0), (F(1, 3), F(2, 3))),
            },
        ),
    ],
    ids=["dilemma", "sexes", "pennies", "3x2"],
)
def test_textbook_games(A, B, expected) -> None:
    game = from_matrices("textbook", A, B)
    assert pairs(extreme_equilibria(game)) == expected
    assert pairs(lemke_howson_all(game)) <= expected


def test_lemke_howson_cannot_reach_every_equilibrium() -> None:
    """Battle of the sexes: all paths end in the pure ones, as the odd number says they must."""
    game = from_matrices("sexes", [[2, 0], [0, 1]], [[1, 0], [0, 2]])
    assert pairs(lemke_howson_all(game)) == {((1, 0), (1, 0)), ((0, 1), (0, 1))}


def check_equilibria(game: NormalGame, theirs: Reading) -> None:
    """The extreme equilibria are Gambit's, and an odd number where none is degenerate."""
    found = list(extreme_equilibria(game))
    assert all(gains(point) == [0, 0] for point in found)
    exact = {tuple(tuple(map(F, side)) for side in point) for point in theirs["equilibria"]}
    assert pairs(found) == exact
    if all(
        sum(w > 0 for w in x)
        == sum(w > 0 for w in y)
        == len(best(game, x, y, 0))
        == len(best(game, x, y, 1))
        for x, y in exact
    ):
        assert len(found) % 2 == 1


@pytest.mark.parametrize("reading", recorded("equilibria"))
def test_gambit_finds_the_same_equilibria(reading: Reading) -> None:
    check_equilibria(parse_nfg(reading["text"], "test"), reading)


def best(game: NormalGame, x, y, player: int) -> list[int]:
    """Pure best responses of ``player``."""
    if player == 0:
        values = (game.payoff[..., 0] @ np.array(y)).tolist()
    else:
        values = (np.array(x) @ game.payoff[..., 1]).tolist()
    return [i for i, value in enumerate(values) if value == max(values)]


@settings(deadline=None)
@given(games(spread=1))
def test_degenerate_games_end_and_the_two_methods_agree(game: NormalGame) -> None:
    by_vertices = list(extreme_equilibria(game))
    by_path = lemke_howson_all(game)
    assert by_path
    assert pairs(by_path) <= pairs(by_vertices)
    for point in by_vertices:
        assert sum(point.x) == sum(point.y) == 1
        assert min(*point.x, *point.y) >= 0
        assert gains(point) == [0, 0]


@settings(deadline=None, max_examples=30)
@given(games(spread=9))
def test_certificates_agree(game: NormalGame) -> None:
    for point in lemke_howson_all(game):
        proof = certify(game, point.strategy)
        assert max(proof.gains) < 1e-12
        np.testing.assert_allclose(proof.values, [float(p) for p in point.payoffs], atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_zero_sum_values_are_the_lp_s(seed: int) -> None:
    matrix = np.random.default_rng(seed).integers(-20, 21, (6, 8))
    game = from_matrices("zero-sum", matrix)
    solution = solve(build(game), LP(), Gap(1e-9))
    values = {point.payoffs for point in lemke_howson_all(game)}
    assert len(values) == 1
    assert float(values.pop()[0]) == pytest.approx(solution.value, abs=1e-9)


def test_rationals_stay_exact() -> None:
    A = [[F(1, 3), 0], [0, F(1, 7)]]
    (point,) = extreme_equilibria(from_matrices("pennies", A))
    assert point.x == point.y == (F(3, 10), F(7, 10))
    assert point.payoffs == (F(1, 10), F(-1, 10))


def test_a_larger_game() -> None:
    """Forty strategies each: far beyond enumeration."""
    rng = np.random.default_rng(5)
    game = from_matrices("large", *rng.integers(-999, 1000, (2, 40, 40)))
    point = lemke_howson(game, dropped=3)
    assert gains(point) == [0, 0]
    with pytest.raises(EquipoiseError, match="bases, expected at most 1,000,000"):
        extreme_equilibria(game)


def test_bad_input_is_told_in_a_sentence() -> None:
    three = NormalGame(
        "three", ("A", "B", "C"), (("a",),) * 3, np.array([[[[F(0)] * 3]]], dtype=object)
    )
    with pytest.raises(EquipoiseError, match="found 3 players, expected two"):
        lemke_howson(three)
    game = from_matrices("pennies", [[1, -1], [-1, 1]])
    for dropped in (-1, 4):
        with pytest.raises(EquipoiseError, match="expected a number from 0 to 3"):
            lemke_howson(game, dropped)
